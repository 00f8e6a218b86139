"""Point clouds with a law and without one, to measure how often each is mistaken for the other.

*Lawful* clouds are problems; *null* clouds are of the kinds :data:`KINDS`. Correlations and noisy
trends do not count as laws, however significant: here columns correlate by at most ±0.9, a trend
explains at most 80 % of the variance, and noise is at least half a standard deviation.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .benchmarks import Problem
from .sampling import add_noise

LAWFUL = "lawful"


class Cloud(NamedTuple):
    """Points (N, D) of a part of the study; ``kind`` is :data:`LAWFUL` or in :data:`KINDS`."""

    part: str
    kind: str
    name: str
    points: np.ndarray


def permuted(cloud: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each column permuted independently."""
    return rng.permuted(cloud, axis=0)


def drowned(cloud: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Additive noise of 0.5 to 1 standard deviation of each column."""
    return add_noise(cloud, rng.uniform(0.5, 1.0), rng)


def independent(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Independent columns, uniform, normal or log-normal."""
    ways = (rng.random, rng.standard_normal, lambda n: np.exp(rng.standard_normal(n)))
    return np.column_stack([ways[rng.integers(3)](n) for _ in range(d)])


def correlated(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Normal columns with pairwise correlations ±ρ, 0.3 ≤ ρ ≤ 0.9."""
    rho = rng.uniform(0.3, 0.9)
    common = rng.standard_normal((n, 1))
    own = rng.standard_normal((n, d))
    return (np.sqrt(rho) * common + np.sqrt(1.0 - rho) * own) * rng.choice([-1.0, 1.0], d)


def clusters(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Two to five normal clusters, 0.2 to 0.6 standard deviations of the centres wide."""
    centres = rng.standard_normal((int(rng.integers(2, 6)), d))
    width = rng.uniform(0.2, 0.6) * centres.std(axis=0)
    return centres[rng.integers(len(centres), size=n)] + width * rng.standard_normal((n, d))


def regression(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """The last column is a trend plus noise; the trend explains 20 to 80 % of its variance."""
    inputs = rng.uniform(-1.0, 1.0, (n, d - 1))
    shapes = (lambda x: x, np.square, np.exp, lambda x: np.sin(3.0 * x))
    trend = sum(shapes[rng.integers(4)](x) for x in inputs.T)
    share = rng.uniform(0.2, 0.8)
    scatter = trend.std() * np.sqrt(1.0 / share - 1.0)
    return np.column_stack([inputs, trend + scatter * rng.standard_normal(n)])


def counts(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Integers, uniform or Poisson."""
    most = rng.integers(15, 60)
    if rng.random() < 0.5:
        return rng.integers(0, most, (n, d)).astype(float)
    return rng.poisson(most / 2.0, (n, d)).astype(float)


def walk(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Independent random walks, which correlate by chance."""
    return np.cumsum(rng.standard_normal((n, d)), axis=0)


FROM_LAWFUL: dict[str, Callable] = {f.__name__: f for f in (permuted, drowned)}
MADE: dict[str, Callable] = {
    f.__name__: f for f in (independent, correlated, clusters, regression, counts, walk)
}
KINDS = (*FROM_LAWFUL, *MADE)


def lawful_clouds(part: str, problems: Iterable[Problem]) -> list[Cloud]:
    return [Cloud(part, LAWFUL, p.equation_id, p.points) for p in problems]


def null_clouds(
    part: str,
    lawful: Sequence[Cloud],
    per_kind: int,
    seed: int,
    kinds: Sequence[str] = KINDS,
    columns: Sequence[int] = (2, 3),
) -> list[Cloud]:
    """``per_kind`` clouds of each of ``kinds``; each is a function of (seed, kind, number).

    ``permuted`` and ``drowned`` take lawful clouds, each at most once per kind. The others have 50
    to 200 points and ``columns``, in turn. ValueError for an unknown kind, or if ``per_kind``
    exceeds the number of lawful clouds.
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
                name, points = f"N{k:03d}", MADE[kind](n, columns[k % len(columns)], rng)
            clouds.append(Cloud(part, kind, f"{kind}-{name}", points))
    return clouds
