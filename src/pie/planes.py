"""Points on coordinate planes: a law x_j·g(x) = 0 holds wherever x_j is exactly 0.

Such points say nothing of g, and any equation with the factor x_j fits them. They are set aside,
and the factor comes back where g does not hold for them.
"""

import numpy as np

from .coordinates import in_units
from .distance import distance_to_zero_set
from .expression import Expression, from_tree, to_tree

SHARE = 0.05  # of the points lie on a plane, at least
FEWEST = 20  # points off the planes
HOLDS = 0.9  # of the points of a plane


def off_planes(points: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """Which points (N,) lie on none of the coordinate planes that hold a good share of them.

    Returns:
        A mask and the variables (from 1) of these planes; all points and none, where too few
        points or constant columns would be left.

    >>> x = np.random.default_rng(0).standard_normal(60)
    >>> cloud = np.column_stack([x, np.where(x > 0.0, 0.0, -x)])
    >>> mask, planes = off_planes(cloud)
    >>> bool(np.all(cloud[mask, 1] > 0.0)), planes
    (True, (2,))
    """
    zero = points == 0.0
    planes = tuple(int(j) + 1 for j in np.flatnonzero(zero.mean(axis=0) >= SHARE))
    kept = ~zero[:, [j - 1 for j in planes]].any(axis=1)
    if kept.sum() < FEWEST or np.any(np.ptp(points[kept], axis=0) == 0.0):
        return np.ones(len(points), bool), ()
    return kept, planes


def with_planes(
    expression: Expression,
    planes: tuple[int, ...],
    aside: np.ndarray,
    units: np.ndarray,
    error: float,
) -> Expression:
    """g times the variables of those planes on which it does not hold.

    Args:
        expression: g.
        planes: variables, from 1.
        aside: points (M, D) on them.
        units: (D,), in which distances count.
        error: distance up to which g holds.

    Raises:
        ValueError: it is far too long in these units.
    """
    tree, scaled = to_tree(expression), in_units(expression, np.zeros(len(units)), units)
    for j in planes:
        on_plane = aside[aside[:, j - 1] == 0.0]
        with np.errstate(all="ignore"):
            away = distance_to_zero_set(scaled, on_plane / units)
        if np.mean(away <= error) < HOLDS:
            tree = ("mul", ("x", j), tree)
    return from_tree(tree)
