r"""Whether an equation keeps its form when columns are counted from another zero.

Years, dates and degrees Celsius are counted from a zero by convention (an interval scale, Stevens
1946), and a table that lies far from 0 does not show whether 0 means anything. Counted from
elsewhere a law has other constants and the same form, f(x + s·e_j; c(s)) = g(s)·f(x; c). At s = 0

.. math:: \frac{∂f}{∂x_j} = w f + \sum_k e_k \frac{∂f}{∂c_k} \quad \text{for all } x,

as for a straight line, a polynomial with all its terms, exp(c·x_j) and a logistic curve. It has no
solution for a power law, in which the zero is a constant that happens to be 0. As many such
constants are *hidden* as there are independent slopes that the right side does not reach.
"""

import numpy as np

from .derivatives import derivatives
from .expression import Expression

FAR = 5.0  # ranges: a column farther from 0 does not show whether its zero means anything
AROUND = 0.3  # spreads by which points are moved off the zero set
ENOUGH = 100  # points
CLOSE = 1e-6  # relative size of a slope that is reached


def far_from_zero(points: np.ndarray) -> np.ndarray:
    """Columns of points (N, D) that are far from 0 beside their range, (D,).

    >>> far_from_zero(np.array([[1990.0, 0.3], [2000.0, 0.5], [2020.0, 0.4]]))
    array([ True, False])
    """
    return np.abs(points).min(axis=0) > FAR * np.ptp(points, axis=0)


@np.errstate(all="ignore")
def hidden_origins(expression: Expression, points: np.ndarray, columns: np.ndarray) -> int:
    """How many zeros of the marked columns (D,) the form depends on. ``points`` (N, D).

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(10.0, 11.0, (30, 2))
    >>> laws = ["x2 - 3*x1 + 2", "x2 - 3*exp(0.1*x1)", "x2 - 0.1*x1**2.5", "x2 - x1"]
    >>> [hidden_origins(parse(law), x, np.array([True, False])) for law in laws]
    [0, 0, 1, 1]
    >>> [hidden_origins(parse(law), x, np.array([True, True])) for law in laws]
    [0, 1, 2, 1]
    """
    asked = np.flatnonzero(columns & np.isin(np.arange(len(columns)) + 1, expression.variables))
    if not len(asked):
        return 0
    points = np.repeat(points, -(-ENOUGH // len(points)), axis=0)
    moved = AROUND * np.random.default_rng(0).standard_normal(points.shape)
    points = points + moved * points.std(axis=0)
    codes, constants = expression.arrays
    (_, d), p = points.shape, constants.size
    jet = derivatives(codes, constants, np.ascontiguousarray(points.T), d, p)
    slopes, reached = jet[1 : 1 + d][asked].T, np.vstack([jet[1 + d : 1 + d + p], jet[:1]]).T
    usable = np.isfinite(slopes).all(axis=1) & np.isfinite(reached).all(axis=1)
    size = np.linalg.norm(slopes[usable], axis=1, keepdims=True)
    usable[usable] = size[:, 0] > 0.0
    size = size[size > 0.0][:, None]
    if usable.sum() <= len(asked) + p + 1:
        return 0
    slopes, reached = slopes[usable] / size, reached[usable] / size
    slopes, reached = (a / np.maximum(np.linalg.norm(a, axis=0), 1e-300) for a in (slopes, reached))
    basis, values, _ = np.linalg.svd(reached, full_matrices=False)
    basis = basis[:, values > 1e-10 * values[0]]
    left = slopes - basis @ (basis.T @ slopes)
    return int(np.sum(np.linalg.svd(left, compute_uv=False) > CLOSE))
