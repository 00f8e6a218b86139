r"""Extent of a zero set, measured by its zeros on axis-parallel lines through the points.

Of equations that fit equally well, the smaller zero set is preferred: y = √x to y² = x if all
y > 0, cos(x) to cos(2x). Its length or area is proportional to the mean number of intersections
with random lines (Cauchy–Crofton). A line through a point on it has at least one.
"""

import numpy as np

from ..expr.expression import Expression
from ..expr.kernel import values
from .distance import first_order

GRID = 256  # cells per line
HALVINGS = 6  # bisection steps per bracket
LINES = 100  # number of points with lines, about
TAIL = 0.02  # quantile of a column outside the box, at either end
SIGNED = 0.25  # minimum share of each sign in a column of both signs
REACH = 3.0  # errors within which sheets count
STEPS = 14  # points of a normal; even, so that none is the foot itself
EXACT = 1e-7  # smaller errors are rounding, in spreads
TOUCHES = 0.2  # threshold of min |value| / max |value|: below, a column comes close to 0


def box_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds (D,), (D,) of the box in which zeros count: quantiles of the points (N, D).

    A column of one sign that comes close to 0, while all others have both signs, is extended to
    the other sign: only a branch may have been sampled.
    """
    low, high = np.quantile(points, [TAIL, 1.0 - TAIL], axis=0)
    negative = np.mean(points < 0.0, axis=0)
    both = (negative > SIGNED) & (negative < 1.0 - SIGNED)
    for j in range(points.shape[1]):
        size = np.abs(points[:, j])
        reach = max(abs(low[j]), abs(high[j]))
        one_sign = low[j] * high[j] >= 0.0 and size.min() < TOUCHES * reach
        if one_sign and np.all(np.delete(both, j)):
            low[j], high[j] = -reach, reach
    return low, high


def zeros_on_lines(
    expression: Expression, columns: np.ndarray, axis: int, nodes: np.ndarray
) -> int:
    """Number of zeros of f, poles excluded, on lines along an axis through points (D, N).

    A zero is a change of sign between successive ``nodes`` of a line.
    """
    lines = np.repeat(columns[:, :, None], len(nodes), axis=2)
    lines[axis] = nodes
    f = values(*expression.arrays, lines.reshape(len(lines), -1)).reshape(lines.shape[1:])
    negative, defined = f < 0.0, np.isfinite(f)
    changes = (negative[:, :-1] != negative[:, 1:]) & defined[:, :-1] & defined[:, 1:]
    line, cell = np.nonzero(changes)
    low, high = np.take(columns, line, axis=1), np.take(columns, line, axis=1)
    low[axis], high[axis] = nodes[cell], nodes[cell + 1]
    return int(_are_zeros(expression, low, high, f[line, cell], f[line, cell + 1]).sum())


def _are_zeros(
    expression: Expression, low: np.ndarray, high: np.ndarray, f_low: np.ndarray, f_high: np.ndarray
) -> np.ndarray:
    """Whether a change of sign between points (D, M) is a zero, (M,), by bisection.

    At a pole |f| grows as the bracket closes.
    """
    ends, heights = np.stack([low, high]), np.stack([f_low, f_high])
    largest, brackets = np.abs(heights).max(axis=0), np.arange(low.shape[1])
    for _ in range(HALVINGS):
        middle = np.ascontiguousarray(0.5 * (ends[0] + ends[1]))
        between = values(*expression.arrays, middle)
        side = ((between < 0.0) != (heights[0] < 0.0)).astype(int)
        ends[side, :, brackets], heights[side, brackets] = middle.T, between
    left, right = np.abs(heights)
    return np.where(right > left, right, left) < largest


def crossings(expression: Expression, points: np.ndarray) -> float:
    """Mean number of zeros in the box per axis-parallel line through a point (N, D); at least 1.

    On the upper half of the unit circle: 2 for the circle, 1.5 for x2 − √(1 − x1²).
    """
    low, high = box_of(points)
    chosen = points[:: max(1, len(points) // LINES)]
    inside = chosen[np.all((chosen >= low) & (chosen <= high), axis=1)]
    if len(inside) == 0:
        return 1.0
    columns = np.ascontiguousarray(inside.T)
    found = sum(
        zeros_on_lines(expression, columns, j, np.linspace(low[j], high[j], GRID + 1))
        for j in range(len(low))
    )
    return max(1.0, found / columns.size)


@np.errstate(all="ignore")
def sheets(expression: Expression, points: np.ndarray) -> np.ndarray:
    """How many sheets of the zero set are within three errors of each point (N, D), ≥ 1, (N,).

    Zeros, poles excluded, are counted along the normal, in units of the columns' spreads; the error
    is the robust standard deviation of the first-order distances. 1 at every point if the fit is
    exact.

    >>> from pie.expr.expression import parse
    >>> near = np.column_stack([np.linspace(0.0, 1.0, 50), np.tile([0.1, -0.1], 25)])
    >>> [int(sheets(parse(f), near).max()) for f in ("x2", "x2**2 - 0.01*x1**2 - 0.001")]
    [1, 2]
    """
    units = points.std(axis=0)
    residual, normal = first_order(expression, points, units)
    error = 1.4826 * float(np.nanmedian(np.abs(residual)))
    if not EXACT < error < 1.0:
        return np.ones(len(points), int)
    feet = points / units - residual[:, None] * normal
    steps = np.linspace(-REACH * error, REACH * error, STEPS)
    along = (feet + steps[:, None, None] * normal) * units
    f = expression.values(along.reshape(-1, points.shape[1])).reshape(STEPS, -1)
    changes = np.sign(f[1:]) * np.sign(f[:-1]) < 0.0
    cell, point = np.nonzero(changes & (changes.sum(axis=0) > 1))
    low, high = along[cell, point].T, along[cell + 1, point].T
    changes[cell, point] = _are_zeros(expression, low, high, f[cell, point], f[cell + 1, point])
    return np.maximum(changes.sum(axis=0), 1)
