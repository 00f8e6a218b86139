r"""Which few of many columns obey a law? A cheap test that ranks subsets before any search.

Points on a smooth curve or surface are nearly annihilated by some polynomial, points that fill
space are not. With Φ all monomials up to a degree of the columns, centred and in units of their
spread, rows scaled to norm 1, and s its smallest singular value over the largest,

.. math:: evidence = \ln \frac{s(\Phi(points))}{s(\Phi(permuted\ points))},

the lower one for the columns as they are and for the logarithms of positive ones (of two or three
columns if all are positive). About 0 where columns are independent; far below for a law. Clusters
have some as well, but none within groups of neighbours. So where the same ratio to points with
columns permuted among neighbours is above :data:`NEARBY`, that is the evidence.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np

from ..expr.expression import Expression, from_tree
from ..expr.terms import monomials
from ..zeroset.metric import set_columns
from ..zeroset.neighbours import groups_of_neighbours, permuted_among_neighbours
from ..zeroset.spreads import permuted, robust_spreads

DEGREES = {2: 4, 3: 3}  # of the monomials, by the number of columns; else 2
PERMUTATIONS = 3
NEARBY = -0.5  # evidence within groups of neighbours at most
ROUNDING = 1e-12
TRIED = 400  # rows at most
COMPARED = 200  # subsets of each size at most, the first ones by rough evidence
SAMPLED = 20_000  # subsets of each size of which there is rough evidence, at random if more
ROUGH = 100  # rows for rough evidence
TOGETHER = 500  # subsets in one array


@np.errstate(all="ignore")
def evidence(points: np.ndarray) -> float:
    """Of a law among the columns of points (N, d), d ≤ 8; about 0 or more: none.

    >>> x = np.linspace(0.5, 2.0, 80)
    >>> noise = np.random.default_rng(0).standard_normal(80)
    >>> curve, cloud = (evidence(np.column_stack([x, y])) for y in (np.exp(x), noise))
    >>> curve < -2.0 < -1.0 < cloud
    True
    """
    if len(points) > TRIED:
        points = np.random.default_rng(0).permutation(points)[:TRIED]
    positive, exact = np.all(points > 0.0, axis=0), set_columns(points)
    forms = [points]
    if positive.all() or (points.shape[1] > 3 and positive.any()):
        forms.append(np.where(positive, np.log(np.where(positive, points, 1.0)), points))
    return min(_of_form(form, exact) for form in forms)


def _of_form(points: np.ndarray, exact: np.ndarray) -> float:
    d = points.shape[1]
    degree = DEGREES.get(d, 2)
    while degree > 1 and len(_monomials(d, degree)) > len(points) // 3:
        degree -= 1
    smallest = _smallest(points, degree)

    def beside(null: Callable[[int], np.ndarray]) -> float:
        without = np.median([_smallest(null(seed), degree) for seed in range(PERMUTATIONS)])
        return float(np.log(smallest / without)) if np.isfinite(smallest / without) else 0.0

    found = beside(lambda seed: permuted(points, seed))
    if found > NEARBY:
        return found
    groups = groups_of_neighbours(_scaled(points), exact)
    among = beside(lambda seed: permuted_among_neighbours(points, groups, seed))
    return found if among <= NEARBY else among


@functools.cache
def _monomials(d: int, degree: int) -> tuple[Expression, ...]:
    return tuple(from_tree(term) for term in monomials(d, degree))


def _scaled(points: np.ndarray) -> np.ndarray:
    """Centred, in units of the columns' spreads."""
    spreads = robust_spreads(points)
    return (points - np.median(points, axis=0)) / np.where(spreads > 0.0, spreads, 1.0)


def _smallest(points: np.ndarray, degree: int) -> float:
    """Smallest singular value over the largest, not below rounding."""
    scaled = _scaled(points)
    matrix = np.stack([f.values(scaled) for f in _monomials(points.shape[1], degree)], axis=1)
    matrix = matrix / np.median(np.abs(matrix), axis=0).clip(1e-300)
    matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    values = np.linalg.svd(matrix[np.isfinite(matrix).all(axis=1)], compute_uv=False)
    return max(float(values[-1] / values[0]), ROUNDING)


@np.errstate(all="ignore")
def rough(points: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Rough evidence of many subsets (S, d) of columns of points (N, D) at once, (S,).

    Degree 2, one permutation, fewer rows; positive columns also count by their logarithms.
    """
    rng = np.random.default_rng(0)
    points = rng.permutation(points)[:ROUGH]
    logarithms = np.where(np.all(points > 0.0, axis=0), np.log(points), points)
    found = []
    for form in (points, logarithms):
        scaled = _scaled(form)
        without = rng.permuted(scaled, axis=0)
        found.append(np.log(_smallest_of_many(scaled, sets) / _smallest_of_many(without, sets)))
    return np.minimum(*found)


def _smallest_of_many(columns: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """As :func:`_smallest`, by the eigenvalues of ΦᵀΦ: to 1e-8 only, (S,)."""
    x = np.moveaxis(columns[:, sets], 0, 2)  # (S, d, N)
    pairs = itertools.combinations_with_replacement(range(sets.shape[1]), 2)
    products = [x[:, i] * x[:, j] for i, j in pairs]
    terms = np.stack([np.ones_like(x[:, 0]), *np.moveaxis(x, 1, 0), *products], axis=1)
    terms /= np.median(np.abs(terms), axis=2, keepdims=True).clip(1e-300)
    terms = np.nan_to_num(terms / np.linalg.norm(terms, axis=1, keepdims=True))
    values = np.linalg.eigvalsh(terms @ np.moveaxis(terms, 1, 2))
    return np.sqrt((values[:, 0] / values[:, -1]).clip(1e-16))


def _promising(points: np.ndarray, size: int) -> Iterable[tuple[int, ...]]:
    """At most :data:`COMPARED` subsets, those with most rough evidence."""
    d = points.shape[1]
    every = itertools.combinations(range(d), size)
    if math.comb(d, size) <= COMPARED:
        return every
    sets = np.array([*every])
    if len(sets) > SAMPLED:
        sets = np.random.default_rng(0).permutation(sets)[:SAMPLED]
    parts = [sets[begin : begin + TOGETHER] for begin in range(0, len(sets), TOGETHER)]
    order = np.argsort(np.concatenate([rough(points, part) for part in parts]), kind="stable")
    return map(tuple, sets[order[:COMPARED]].tolist())


def ranked(points: np.ndarray, size: int) -> list[tuple[float, tuple[int, ...]]]:
    """Evidence and columns of the subsets of ``size`` columns of points (N, D), most first.

    At most :data:`COMPARED`, the most promising ones.

    >>> x, y = np.random.default_rng(1).uniform(0.5, 2.0, (2, 90))
    >>> [columns for _, columns in ranked(np.column_stack([x, y, x**2, x * y]), 2)][0]
    (0, 2)
    """
    return sorted((evidence(points[:, columns]), columns) for columns in _promising(points, size))
