r"""Which few of many columns obey a law? A cheap test that ranks subsets before any search.

Points on a smooth curve or surface are nearly annihilated by some polynomial, points that fill
space are not. With Φ all monomials up to a degree of the columns, centred and in units of their
spread, rows scaled to norm 1, and s its smallest singular value over the largest,

.. math:: evidence = \ln \frac{s(\Phi(points))}{s(\Phi(permuted\ points))},

the lower one for the columns as they are and, where all are positive, for their logarithms. About 0
where columns are independent; far below for a law.
"""

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from .completion import monomials
from .constants import permuted, robust_spreads
from .expression import from_tree

DEGREES = {2: 4, 3: 3}
PERMUTATIONS = 3
ROUNDING = 1e-12
TRIED = 400  # rows at most


@np.errstate(all="ignore")
def evidence(points: np.ndarray) -> float:
    """Of a law among the two or three columns of points (N, d); about 0 or more: none.

    >>> x = np.linspace(0.5, 2.0, 80)
    >>> noise = np.random.default_rng(0).standard_normal(80)
    >>> curve, cloud = (evidence(np.column_stack([x, y])) for y in (np.exp(x), noise))
    >>> curve < -2.0 < -1.0 < cloud
    True
    """
    d = points.shape[1]
    if d not in DEGREES:
        raise ValueError(f"{d} columns; expected 2 or 3")
    if len(points) > TRIED:
        points = np.random.default_rng(0).permutation(points)[:TRIED]
    forms = [points, np.log(points)] if np.all(points > 0.0) else [points]
    return min(_of_form(form, d) for form in forms)


def _of_form(points: np.ndarray, d: int) -> float:
    degree = DEGREES[d]
    while degree > 1 and len(monomials(d, degree)) > len(points) // 3:
        degree -= 1
    without = [_smallest(permuted(points, seed), degree) for seed in range(PERMUTATIONS)]
    ratio = _smallest(points, degree) / float(np.median(without))
    return float(np.log(ratio)) if np.isfinite(ratio) else 0.0


def _smallest(points: np.ndarray, degree: int) -> float:
    """Smallest singular value over the largest, not below rounding."""
    spreads = robust_spreads(points)
    spreads[spreads == 0.0] = 1.0
    scaled = (points - np.median(points, axis=0)) / spreads
    terms = [from_tree(term).values(scaled) for term in monomials(points.shape[1], degree)]
    matrix = np.stack(terms, axis=1)
    matrix = matrix / np.median(np.abs(matrix), axis=0).clip(1e-300)
    matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    values = np.linalg.svd(matrix[np.isfinite(matrix).all(axis=1)], compute_uv=False)
    return max(float(values[-1] / values[0]), ROUNDING)


def ranked(points: np.ndarray, sizes: Iterable[int] = (2, 3)) -> list[tuple[float, tuple]]:
    """Every subset of columns of points (N, D) with its evidence, most of it first, small first.

    >>> x, y = np.random.default_rng(1).uniform(0.5, 2.0, (2, 90))
    >>> [columns for _, columns in ranked(np.column_stack([x, y, x**2, x * y]))][0]
    (0, 2)
    """
    found = [(evidence(points[:, list(c)]), c) for c in _subsets(points.shape[1], sizes)]
    return sorted(found, key=lambda pair: (len(pair[1]), pair[0]))


def _subsets(d: int, sizes: Iterable[int]) -> Iterator[tuple[int, ...]]:
    for size in sizes:
        yield from itertools.combinations(range(d), size)
