"""Points on coordinate planes x_j = c, where (x_j − c)·g(x) = 0 holds whatever g is.

They are set aside while g is sought, and the factor is restored unless g holds at them as well. g
need not contain a variable that has planes.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ..expr.coordinates import in_units
from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..zeroset.distance import distance_to_zero_set

SHARE = 0.05  # smallest share of the points on a plane
ON_IT = 5  # smallest number of points on a plane
SPREAD = 0.5  # smallest spread of the other columns on a plane, in those of all points
OTHERS = 0.1  # smallest share of the points off the planes of a variable, if some have c ≠ 0
FEWEST = 20  # smallest number of points off the planes
HOLDS = 0.9  # share of the points of a plane where g must hold to do without its factor
SAME = 1e-9  # relative tolerance of equal coordinates

Plane = tuple[int, float]  # (j, c), j from 1


def _on(column: np.ndarray, level: float) -> np.ndarray:
    return np.abs(column - level) <= SAME * abs(level)


def _levels(points: np.ndarray, j: int) -> list[float]:
    """Values that a share of column j of points (N, D) has, where the other columns are free.

    At most 0 if the other entries are few or recur. Replicates at values that were set are on no
    plane: the other columns hardly vary there.
    """
    column = points[:, j]
    n, ordered = len(column), np.sort(column)
    reach = max(ON_IT, int(np.ceil(SHARE * n))) - 1
    levels: list[float] = []
    for low, high in zip(ordered[:-reach], ordered[reach:], strict=True):
        new = _on(high, low) and not any(_on(low, known) for known in levels)
        if new and _free(np.delete(points, j, axis=1), _on(column, low)):
            levels.append(float(low))
    others = column[~np.any([_on(column, level) for level in levels], axis=0)] if levels else column
    if len(others) < OTHERS * n or 2 * len(np.unique(others)) < len(others):
        return [level for level in levels if level == 0.0]
    return levels


def _free(others: np.ndarray, on_plane: np.ndarray) -> bool:
    """Whether every other column (N, D − 1) varies on the plane about as much as elsewhere."""
    return bool(np.all(np.std(others[on_plane], axis=0) >= SPREAD * np.std(others, axis=0)))


def off_planes(points: np.ndarray) -> tuple[np.ndarray, tuple[Plane, ...]]:
    """Which points (N, D) lie on no coordinate plane that holds many points.

    Returns:
        A mask (N,) and the planes. All points and no planes, if fewer than :data:`FEWEST` points or
        a constant column would be left; no points, if all lie on planes.
    """
    every = range(points.shape[1])
    planes = tuple((j + 1, level) for j in every for level in _levels(points, j))
    kept = np.ones(len(points), bool)
    for j, level in planes:
        kept &= ~_on(points[:, j - 1], level)
    few = 0 < kept.sum() < FEWEST
    if few or (kept.any() and np.any(np.ptp(points[kept], axis=0) == 0.0)):
        return np.ones(len(points), bool), ()
    return kept, planes


def sections(planes: tuple[Plane, ...], n_variables: int) -> Iterator[tuple[int, ...]]:
    """Sets of two or more variables for g, smallest first; only those with planes are omitted.

    >>> list(sections(((1, 0.0), (3, 0.5)), 3))
    [(2, 3), (1, 2), (1, 2, 3)]
    """
    every = range(1, n_variables + 1)
    dropped = sorted({j for j, _ in planes})
    for size in range(min(len(dropped), n_variables - 2, 1), -1, -1):
        for without in combinations(dropped, size):
            yield tuple(j for j in every if j not in without)


def with_planes(
    expression: Expression | None,
    planes: tuple[Plane, ...],
    aside: np.ndarray,
    units: np.ndarray,
    error: float,
) -> Expression:
    """g times x_j − c for every plane x_j = c on which g does not hold.

    g holds at a point of ``aside`` (M, D) within ``error`` of its zeros, in ``units`` (D,) of
    distance; None, a constant g, holds nowhere. ValueError if g is too long in these units.
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
    """The equation with ``variables[k − 1]`` in place of variable k.

    >>> from pie.expr.expression import parse
    >>> str(renumbered(parse("x1 - sin(x2)"), (2, 3)))
    'x2 - sin(x3)'
    """

    def walk(node: Tree) -> Tree:
        if node[0] == "x":
            return ("x", variables[node[1] - 1])
        return node if node[0] == "c" else (node[0], *(walk(child) for child in node[1:]))

    return from_tree(walk(to_tree(expression)))


def off_factors(expression: Expression) -> Expression:
    """Without top-level factors of one variable: a plane x_j = c beside a law collects outliers.

    Unchanged if no other factor is left.

    >>> from pie.expr.expression import parse
    >>> str(off_factors(parse("(x1*x2 - 1)*(x1 - 3)")))
    'x1*x2 - 1.0'
    """
    tree = to_tree(expression)
    factors = [tree]
    while any(factor[0] == "mul" for factor in factors):
        factors = [part for f in factors for part in (f[1:] if f[0] == "mul" else (f,))]
    kept = [factor for factor in factors if len(from_tree(factor).variables) > 1]
    if not kept or len(kept) == len(factors):
        return expression
    product = kept[0]
    for factor in kept[1:]:
        product = ("mul", product, factor)
    return from_tree(product)
