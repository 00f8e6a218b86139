r"""How much zero set there is beside the points: zeros met on lines through them.

Among equations that fit alike, the one that says less about where no points are is the better one:
y = √x rather than y² = x where every y is positive, cos(x) rather than cos(2x). Length and area of
a zero set are proportional to the number of its intersections with random lines (Cauchy, Crofton);
here the lines go through the points, parallel to the axes, so that one zero each is the least.
"""

import numpy as np

from ..expr.expression import Expression
from ..expr.kernel import values
from ..expr.vector_math import jit

GRID = 256  # cells of a line
HALVINGS = 6  # of a cell in which f changes sign
LINES = 100  # points through which they go
TAIL = 0.02  # of the points beyond each end of the box
SIGNED = 0.25  # of the values, at least, have either sign in a column that has both
TOUCHES = 0.2  # of the largest values: how close to 0 a column of one sign comes, if not by choice


def box_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends (D,), (D,) of the box in which an equation answers for its zeros.

    That of the points (N, D), without the outermost ones. A column of one sign that comes close to
    0, where all others have both signs, counts as if it could have had the other sign as well.
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


@jit
def _zeros_on_lines(codes, constants, columns, variable, nodes):
    """Sign changes that are no poles, of f along x_variable on the lines through the points."""
    d, n = columns.shape
    cells = nodes.size - 1
    rows = np.empty((d, n * (cells + 1)))
    for i in range(n):
        for g in range(cells + 1):
            for j in range(d):
                rows[j, i * (cells + 1) + g] = columns[j, i]
            rows[variable, i * (cells + 1) + g] = nodes[g]
    f = values(codes, constants, rows).reshape(n, cells + 1)
    ends, count = np.empty((4, n * cells)), 0  # of the cell along the line, and f there
    lines = np.empty((d, n * cells))
    for i in range(n):
        for g in range(cells):
            left, right = f[i, g], f[i, g + 1]
            if np.isfinite(left) and np.isfinite(right) and (left < 0.0) != (right < 0.0):
                ends[:, count] = nodes[g], nodes[g + 1], left, right
                lines[:, count] = columns[:, i]
                count += 1
    ends, lines = ends[:, :count].copy(), lines[:, :count].copy()
    largest = np.maximum(np.abs(ends[2]), np.abs(ends[3]))
    for _ in range(HALVINGS):
        middle = 0.5 * (ends[0] + ends[1])
        lines[variable] = middle
        between = values(codes, constants, lines)
        for m in range(count):
            side = 0 if (between[m] < 0.0) == (ends[2, m] < 0.0) else 1
            ends[side, m], ends[2 + side, m] = middle[m], between[m]
    zeros = 0
    for m in range(count):
        # at a pole |f| grows as the bracket closes
        zeros += max(abs(ends[2, m]), abs(ends[3, m])) < largest[m]
    return zeros


def crossings(expression: Expression, points: np.ndarray) -> float:
    """Mean number of zeros on a line through a point, parallel to an axis, in the box; at least 1.

    Args:
        expression: with its constants.
        points: (N, D).

    >>> from pie.expr.expression import parse
    >>> t = np.linspace(0.0, 6.28, 200)
    >>> circle = np.column_stack([np.cos(t), np.sin(t)])
    >>> upper = circle[circle[:, 1] > 0.0]
    >>> both = "x1**2 + x2**2 - 1", "x2 - sqrt(1 - x1**2)"
    >>> [round(crossings(parse(f), upper), 1) for f in both]
    [2.0, 1.5]
    """
    low, high = box_of(points)
    chosen = points[:: max(1, len(points) // LINES)]
    inside = chosen[np.all((chosen >= low) & (chosen <= high), axis=1)]
    if len(inside) == 0:
        return 1.0
    columns = np.ascontiguousarray(inside.T)
    with np.errstate(all="ignore"):
        found = sum(
            _zeros_on_lines(*expression.arrays, columns, j, np.linspace(low[j], high[j], GRID + 1))
            for j in range(len(low))
        )
    return max(1.0, found / columns.size)
