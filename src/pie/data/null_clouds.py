"""Clouds of points with a law and without one, to learn how often each is taken for the other.

*Lawful* clouds are problems. *Null* clouds are of the kinds :data:`KINDS`. What counts as no law is
a decision: neither a correlation nor a trend with scatter does, whatever their p. Here columns are
correlated by ±0.9 at most, a trend explains at most four fifths of the variance, and noise has at
least half of the spread; clusters lie near no curve but those through their centres.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .benchmarks import Problem
from .sampling import add_noise

LAWFUL = "lawful"


class Cloud(NamedTuple):
    """Points (N, D) of a part of the study; ``kind`` is :data:`LAWFUL` or one of :data:`KINDS`."""

    part: str
    kind: str
    name: str
    points: np.ndarray


def permuted(cloud: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every column in an order of its own."""
    return rng.permuted(cloud, axis=0)


def drowned(cloud: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Noise between half of the spread and all of it."""
    return add_noise(cloud, rng.uniform(0.5, 1.0), rng)


def independent(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform, normal and log-normal columns."""
    ways = (rng.random, rng.standard_normal, lambda n: np.exp(rng.standard_normal(n)))
    return np.column_stack([ways[rng.integers(3)](n) for _ in range(d)])


def correlated(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Normal columns, every two of them correlated by ρ or −ρ, 0.3 ≤ ρ ≤ 0.9."""
    rho = rng.uniform(0.3, 0.9)
    common = rng.standard_normal((n, 1))
    own = rng.standard_normal((n, d))
    return (np.sqrt(rho) * common + np.sqrt(1.0 - rho) * own) * rng.choice([-1.0, 1.0], d)


def clusters(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Two to five round clusters, as wide as a fifth to three fifths of the spread of centres."""
    centres = rng.standard_normal((int(rng.integers(2, 6)), d))
    width = rng.uniform(0.2, 0.6) * centres.std(axis=0)
    return centres[rng.integers(len(centres), size=n)] + width * rng.standard_normal((n, d))


def regression(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """A trend that explains a fifth to four fifths of the variance of the last column."""
    inputs = rng.uniform(-1.0, 1.0, (n, d - 1))
    shapes = (lambda x: x, np.square, np.exp, lambda x: np.sin(3.0 * x))
    trend = sum(shapes[rng.integers(4)](x) for x in inputs.T)
    share = rng.uniform(0.2, 0.8)
    scatter = trend.std() * np.sqrt(1.0 / share - 1.0)
    return np.column_stack([inputs, trend + scatter * rng.standard_normal(n)])


def counts(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Whole numbers, evenly distributed or as counts are."""
    most = rng.integers(15, 60)
    if rng.random() < 0.5:
        return rng.integers(0, most, (n, d)).astype(float)
    return rng.poisson(most / 2.0, (n, d)).astype(float)


def walk(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Random walks in time: neighbours resemble each other, and columns do by chance."""
    return np.cumsum(rng.standard_normal((n, d)), axis=0)


FROM_LAWFUL: dict[str, Callable] = {f.__name__: f for f in (permuted, drowned)}
MADE: dict[str, Callable] = {
    f.__name__: f for f in (independent, correlated, clusters, regression, counts, walk)
}
KINDS = (*FROM_LAWFUL, *MADE)


def lawful_clouds(part: str, problems: Iterable[Problem]) -> list[Cloud]:
    """Problems as clouds, called by their ids."""
    return [Cloud(part, LAWFUL, p.equation_id, p.points) for p in problems]


def null_clouds(
    part: str, lawful: Sequence[Cloud], per_kind: int, seed: int, kinds: Sequence[str] = KINDS
) -> list[Cloud]:
    """Clouds of every kind that have no law, of two and three columns.

    Args:
        part: of the study.
        lawful: clouds that are permuted and drowned in noise, each at most once per kind.
        per_kind: clouds of each kind, at most as many as there are lawful ones.
        seed: a cloud is a function of (seed, kind, number).
        kinds: among :data:`KINDS`.

    Raises:
        ValueError: an unknown kind, quoted; fewer lawful clouds than are asked for.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r}; known are {', '.join(KINDS)}")
    if per_kind > len(lawful):
        raise ValueError(f"per_kind is {per_kind}; expected at most {len(lawful)}, one per cloud")
    clouds = []
    for kind in kinds:
        place = KINDS.index(kind)
        chosen = np.random.default_rng([seed, place]).permutation(len(lawful))[:per_kind]
        for k, i in enumerate(chosen):
            rng = np.random.default_rng([seed, place, k])
            if kind in FROM_LAWFUL:
                name, points = lawful[i].name, FROM_LAWFUL[kind](lawful[i].points, rng)
            else:
                n = int(rng.integers(50, 201))
                name, points = f"N{k:03d}", MADE[kind](n, 2 + k % 2, rng)
            clouds.append(Cloud(part, kind, f"{kind}-{name}", points))
    return clouds
