"""Points on coordinate planes: a law (x_j − c)·g(x) = 0 holds wherever x_j is exactly c.

Such points say nothing of g, and any equation with the factor fits them. They are set aside, and
the factor comes back where g does not hold for them. For all others g may do without x_j.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ..expr.coordinates import in_units
from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..zeroset.distance import distance_to_zero_set

SHARE = 0.05  # of the points lie on a plane, at least
OTHERS = 0.1  # of the points, on no plane of a variable that has planes c ≠ 0
FEWEST = 20  # points off the planes
HOLDS = 0.9  # of the points of a plane
SAME = 1e-9  # of a coordinate: rounding

Plane = tuple[int, float]  # variable, from 1, and the value c


def _on(column: np.ndarray, level: float) -> np.ndarray:
    return np.abs(column - level) <= SAME * abs(level)


def _levels(column: np.ndarray) -> list[float]:
    """Values that a good share of a column (N,) have; only 0, where all others recur as well."""
    n, ordered = len(column), np.sort(column)
    reach = max(1, int(np.ceil(SHARE * n)) - 1)
    levels: list[float] = []
    for low, high in zip(ordered[:-reach], ordered[reach:], strict=True):
        if _on(high, low) and not any(_on(low, known) for known in levels):
            levels.append(float(low))
    others = column[~np.any([_on(column, level) for level in levels], axis=0)] if levels else column
    if len(others) < OTHERS * n or 2 * len(np.unique(others)) < len(others):
        return [level for level in levels if level == 0.0]
    return levels


def off_planes(points: np.ndarray) -> tuple[np.ndarray, tuple[Plane, ...]]:
    """Which points (N, D) lie on none of the coordinate planes that hold a good share of them.

    Returns:
        A mask (N,) and these planes. All points and none, where few points or constant columns
        would be left; no points where the planes hold all of them.

    >>> x = np.random.default_rng(0).standard_normal(60)
    >>> cloud = np.column_stack([x, np.where(x > 0.0, 0.0, -x)])
    >>> mask, planes = off_planes(cloud)
    >>> bool(np.all(cloud[mask, 1] > 0.0)), planes
    (True, ((2, 0.0),))
    """
    planes = tuple((j, level) for j, column in enumerate(points.T, 1) for level in _levels(column))
    kept = np.ones(len(points), bool)
    for j, level in planes:
        kept &= ~_on(points[:, j - 1], level)
    few = 0 < kept.sum() < FEWEST
    if few or (kept.any() and np.any(np.ptp(points[kept], axis=0) == 0.0)):
        return np.ones(len(points), bool), ()
    return kept, planes


def sections(planes: tuple[Plane, ...], n_variables: int) -> Iterator[tuple[int, ...]]:
    """Variables that g may have, at least two: all but some of those with planes; last all.

    >>> list(sections(((1, 0.0), (3, 0.5)), 3))
    [(2, 3), (1, 2), (1, 2, 3)]
    """
    every = range(1, n_variables + 1)
    dropped = sorted({j for j, _ in planes})
    for size in range(min(len(dropped), n_variables - 2), -1, -1):
        for without in combinations(dropped, size):
            yield tuple(j for j in every if j not in without)


def with_planes(
    expression: Expression | None,
    planes: tuple[Plane, ...],
    aside: np.ndarray,
    units: np.ndarray,
    error: float,
) -> Expression:
    """g times the factors of those planes on which it does not hold.

    Args:
        expression: g; None for a number, which holds nowhere.
        planes: one at least, where there is no g.
        aside: points (M, D) on them.
        units: (D,), in which distances count.
        error: distance up to which g holds.

    Raises:
        ValueError: it is far too long in these units.
    """
    tree = to_tree(expression) if expression else None
    scaled = in_units(expression, np.zeros(len(units)), units) if expression else None
    for j, level in planes:
        factor: Tree = ("x", j) if level == 0.0 else ("sub", ("x", j), ("c", level))
        on_plane = aside[_on(aside[:, j - 1], level)]
        with np.errstate(all="ignore"):
            away = distance_to_zero_set(scaled, on_plane / units) if scaled else np.inf
        if np.mean(away <= error) < HOLDS:
            tree = ("mul", factor, tree) if tree else factor
    return from_tree(tree)


def renumbered(expression: Expression, variables: tuple[int, ...]) -> Expression:
    """An equation of some columns in the numbers that these have among all.

    >>> from pie.expr.expression import parse
    >>> str(renumbered(parse("x1 - sin(x2)"), (2, 3)))
    'x2 - sin(x3)'
    """

    def walk(node: Tree) -> Tree:
        if node[0] == "x":
            return ("x", variables[node[1] - 1])
        return node if node[0] == "c" else (node[0], *(walk(child) for child in node[1:]))

    return from_tree(walk(to_tree(expression)))
