r"""Curves and surfaces that people fit (:mod:`pie.search.shapes`).

Each is a relation :math:`\sum_k c_k\,\varphi_k(x; θ) = 0` with numbers θ inside. θ is drawn many
times by the part that it plays: a rate as ±1 over the range of what it multiplies, a shift within
that range or somewhat beyond, an exponent between −3 and 4; half of the rates of waves are those
that a periodogram shows (:mod:`pie.search.periodogram`). The coefficients are those of the
smallest λ (:mod:`pie.search.relations`). The draw with the smallest first-order distances, among
these and others near the best, is the start of the fit.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...expr.canonical import canonical
from ...expr.expression import Expression, Tree, from_tree, to_tree
from ...expr.terms import scaled, terms, weighted_sum
from .. import libraries, periodogram
from .. import shapes as library
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, new_drafts
from ..price import Prices, form_price
from ..relations import numbered, terms_at, with_distances

RATES = (0.3, 15.0)  # of exp(θu), over the range of u
ONE_SIGN = ("exp", "sqrt", "pow", "pow2")  # a factor of these has the sign that makes the shape
BEYOND = 1.0  # ranges by which a shift may be outside
BEYOND_OF_PEAK = 0.1  # the same of a shift that is squared, the centre of a peak
EXPONENTS = (-3.0, 4.0)
BEST = 4  # draws about which there are more
NEAR = (0.5, 0.25, 0.12)  # standard deviations of the logarithms of these
LEAST = 1e-300  # error
OF_WAVES = 400  # points by which rates of waves are seen: it takes the memory of their square
FAR = 3.0  # median magnitude of draws, in their median deviations, that are far from 0


@dataclass(frozen=True)
class Shapes:
    """Limits of this proposer."""

    draws: int = 48  # of each number inside a shape
    points: int = 40  # of the screening
    fitted: int = 40  # shapes with the smallest misfit and price of form


def _is_number(tree: Tree) -> bool:
    """Whether it is a constant that is drawn: whole ones belong to the shape."""
    return tree[0] == "c" and tree[1] != round(tree[1])


def _opened(tree: Tree, free: Iterator[int]) -> Tree:
    """The tree with the next ``free`` variables for its numbers."""
    if _is_number(tree):
        return ("x", next(free))
    if tree[0] in ("x", "c"):
        return tree
    return (tree[0], *(_opened(child, free) for child in tree[1:]))


def _drawn(
    tree: Tree,
    points: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    found: list[np.ndarray],
    rates: Mapping[int, np.ndarray],
    wave: bool = False,
    squared: bool = False,
) -> np.ndarray:
    """Values (B, N) of the tree at points (N, D), its numbers drawn B times.

    The numbers, (B, 1), are appended to ``found`` in order. ``wave``: inside of a sine;
    ``squared``: of a tree that is squared.
    """
    if tree[0] == "x":
        return points[None, :, tree[1] - 1]
    if tree[0] == "c":
        values = np.full((draws, 1), tree[1])
        found += [values] if _is_number(tree) else []
        return values
    wave = wave or tree[0] in ("sin", "cos")
    square = tree[0] == "pow2"
    values = [_drawn(child, points, draws, rng, found, rates, wave, square) for child in tree[1:]]
    for mine, child in enumerate(tree[1:]):
        if _is_number(child) and len(values) == 2:
            beside = values[1 - mine]
            if tree[0] == "div" and mine == 0:
                beside = 1.0 / beside
            beyond = BEYOND_OF_PEAK if squared else BEYOND
            numbers = _numbers(tree[0], beside, draws, rng, beyond)
            if tree[0] in ("mul", "div") and tree[2 - mine][0] in ONE_SIGN:
                numbers = np.copysign(numbers, child[1])
            seen = rates.get(tree[2 - mine][1], ()) if tree[2 - mine][0] == "x" else ()
            if wave and tree[0] == "mul" and len(seen):
                numbers[::2, 0] = np.resize(seen, len(numbers[::2]))
            values[mine][:] = numbers  # in ``found`` as well
    names: list[Tree] = [("x", j) for j in range(1, len(values) + 1)]
    shape = (draws, len(points))
    columns = np.stack([np.broadcast_to(v, shape).ravel() for v in values], axis=1)
    return from_tree((tree[0], *names)).values(columns).reshape(shape)


def _evenly(low: float, high: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers (B, 1), one in each of B equal parts (a Latin hypercube, McKay et al. 1979)."""
    return low + (high - low) * (rng.permutation(draws) + rng.random(draws))[:, None] / draws


def _numbers(
    operator: str, beside: np.ndarray, draws: int, rng: np.random.Generator, beyond: float
) -> np.ndarray:
    """Numbers (B, 1) that play their part beside values (B, N), or (1, N), of an operand."""
    low, high = (edge(beside, axis=1, keepdims=True) for edge in (np.min, np.max))
    reach = high - low
    if operator == "pow":
        return _evenly(*EXPONENTS, draws, rng)
    if operator in ("mul", "div"):
        size = np.exp(_evenly(*np.log(RATES), draws, rng)) / np.where(reach > 0.0, reach, 1.0)
        return rng.choice([-1.0, 1.0], (draws, 1)) * size
    sign = 1.0 if operator == "sub" else -1.0
    return sign * (low + reach * _evenly(-beyond, 1.0 + beyond, draws, rng))


_canonical = functools.cache(canonical)  # of shapes, which are used again


@functools.cache
def _parts(form: Expression, d: int) -> tuple[tuple[Tree, ...], tuple[Tree, ...], int]:
    """Terms of a shape in d variables, these with variables d + 1, … for numbers; how many."""
    parts = tuple(scaled(term)[1] for term in terms(to_tree(_canonical(form))))
    free = itertools.count(d + 1)
    opened = tuple(libraries.ONE if part[0] == "c" else _opened(part, free) for part in parts)
    return parts, opened, next(free) - d - 1


@dataclass(frozen=True)
class Draws:
    """Numbers (B, P) inside the M terms of a shape, coefficients (B, M), and errors (B,).

    In the terms the variables after those of the points stand for the numbers.
    """

    opened: tuple[Tree, ...]
    numbers: np.ndarray
    weights: np.ndarray
    errors: np.ndarray

    @property
    def error(self) -> float:
        return max(float(self.errors.min()), LEAST)

    def best(self, d: int) -> Expression:
        """The shape in d variables with the numbers of least error."""
        k = int(self.errors.argmin())
        parts = [numbered(part, d, self.numbers[k]) for part in self.opened]
        return weighted_sum(parts, self.weights[k])


def numbers_of(
    form: Expression,
    points: np.ndarray,
    units: np.ndarray,
    limits: Shapes,
    rates: Mapping[int, np.ndarray],
) -> Draws | None:
    """Numbers drawn by the parts that they play at points (N, D); None if undefined, or too few.

    ``units`` (D,) are those of errors. Of waves of a variable half the draws have one of its
    ``rates``, if it has some.
    """
    parts, opened, count = _parts(form, points.shape[1])
    if len(points) <= len(parts) + count:
        return None
    rng, numbers = np.random.default_rng(0), []
    with np.errstate(all="ignore"):
        for part in parts if count else ():
            if part[0] != "c":
                _drawn(part, points, limits.draws * count, rng, numbers, rates)
    draws = np.concatenate(numbers, axis=1) if count else np.ones((1, 0))
    found = Draws(opened, draws, *_fitted(opened, draws, points, units))
    return found if np.isfinite(found.error) else None


def near_best(found: Draws, points: np.ndarray, units: np.ndarray, limits: Shapes) -> Draws:
    """Others near the best numbers, and others near the best of these.

    Numbers are near by their ratio, or where all draws are far from 0, as shifts of years, by their
    difference in units of the draws' spread.
    """
    rng, middle = np.random.default_rng(0), np.median(found.numbers, axis=0)
    spread = np.median(np.abs(found.numbers - middle), axis=0)
    far = np.abs(middle) > FAR * spread
    for width in NEAR if found.numbers.shape[1] else ():
        best = np.argsort(found.errors, kind="stable")[:BEST]
        near = found.numbers[np.resize(best, (limits.draws + 1) // 2)]
        step = width * rng.standard_normal(near.shape)
        near = np.where(far, near + spread * step, near * np.exp(step))
        earlier = found.numbers, found.weights, found.errors
        more = near, *_fitted(found.opened, near, points, units)
        found = Draws(found.opened, *map(np.concatenate, zip(earlier, more, strict=True)))
    return found


@np.errstate(all="ignore")
def _fitted(
    opened: tuple[Tree, ...], draws: np.ndarray, points: np.ndarray, units: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (B, M) of M terms for B draws, and their errors (B,).

    The larger of √λ and the RMS of first-order distances of at most 1; inf where a draw is not
    defined at the points, or not usable.
    """
    weights, sizes, away = with_distances(*terms_at(opened, points, units, draws))
    return weights, np.maximum(np.sqrt(np.mean(away**2, axis=1)), sizes)


def shapes(
    limits: Shapes, prices: Prices, max_tokens: int, cloud: Cloud, pool: Pool
) -> Iterator[Batch]:
    """The proposer."""
    if not (named := library.shapes(cloud.n_variables)):
        return
    order = np.random.default_rng(0).permutation(len(cloud))
    points, some = cloud.points[order[: limits.points]], cloud.points[np.sort(order[:OF_WAVES])]
    rates = {
        j: periodogram.rates(column, np.delete(some, j - 1, axis=1))
        for j, column in enumerate(some.T, 1)
    }
    priced = []
    for _, form in named:
        if found := numbers_of(form, points, cloud.errors, limits, rates):
            found = near_best(found, points, cloud.errors, limits)
            cost = len(cloud) * np.log(found.error) + form_price(_canonical(form).codes, prices)
            priced.append((round(cost, 6), found))
    cheapest = sorted(priced, key=lambda p: p[0])[: limits.fitted]
    drafts = [found.best(cloud.n_variables) for _, found in cheapest]
    yield Batch(new_drafts(drafts, cloud, pool, "shapes", max_tokens), WARM)
