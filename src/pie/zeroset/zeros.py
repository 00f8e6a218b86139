"""Zeros of an equation near random starts, for metrics and certificates."""

import numpy as np

from ..expr.expression import Expression
from .box import Box
from .roots import solve_each_coordinate

STARTS = 200


def zeros(
    expression: Expression,
    n_variables: int,
    rng: np.random.Generator,
    starts: int = STARTS,
    box: Box | None = None,
    residual: float = 0.0,
) -> np.ndarray:
    """Zeros (n ≤ ``starts``, D) of an equation near standard normal starts.

    With a box: starts and zeros lie in it, and up to eight times as many starts are tried.
    A start at which |f| < ``residual`` counts as a zero: a solver with that tolerance stops there.
    """
    if box is None:
        return _solved(expression, rng.standard_normal((starts, n_variables)), rng, residual)
    found = np.empty((0, n_variables))
    for _ in range(8):
        points = _solved(expression, box.uniform(starts, rng), rng, residual)
        found = np.concatenate([found, points[box.contains(points)]])
        if len(found) >= starts:
            break
    return found[:starts]


def _solved(
    expression: Expression, begin: np.ndarray, rng: np.random.Generator, residual: float
) -> np.ndarray:
    """Starts (n, D) moved along one axis, the first of a random order that has a zero."""
    n, n_variables = begin.shape
    order = rng.permuted(np.tile(np.arange(n_variables), (n, 1)), axis=1)
    roots = solve_each_coordinate(expression, begin, rng.random(n))
    exists = np.isfinite(np.take_along_axis(roots, order, axis=1))
    stays, moves = np.abs(expression.values(begin)) < residual, exists.any(axis=1)
    row = np.flatnonzero(moves & ~stays)
    axis = order[row, exists[row].argmax(axis=1)]
    points = begin.copy()
    points[row, axis] = roots[row, axis]
    return points[stays | moves]
