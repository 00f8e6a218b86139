"""Distance to a zero set: damped Newton steps along the gradient."""

import numpy as np

from ..expr.derivatives import jets
from ..expr.expression import Expression
from ..expr.kernel import stack_depth
from ..expr.vector_math import jit


@jit
def _length(g, i):
    """Norm of column i of a gradient (D, N), without overflow."""
    largest = 0.0
    for j in range(g.shape[0]):
        largest = max(largest, abs(g[j, i]))
    if not 0.0 < largest < np.inf:
        return largest
    total = 0.0
    for j in range(g.shape[0]):
        total += (g[j, i] / largest) ** 2
    return largest * np.sqrt(total)


@jit
def project(codes, constants, columns, steps):
    """Where points ``columns`` (D, N) end up on the zero set, (D, N), and how far that is, (N,).

    Damped Newton steps along the gradient; the distance is inf where no zero was reached.
    """
    d, n = columns.shape
    depth = stack_depth(codes)
    stack, active = np.empty((depth, 1 + d, n)), np.empty((depth, 1 + d), np.bool_)
    w = np.empty((5, n))
    jets(codes, constants, columns, d, 0, False, stack, active, w)
    x, f, g = columns.copy(), stack[0, 0].copy(), stack[0, 1:].copy()
    trial = x.copy()
    length = np.ones(n)
    for _ in range(steps):
        moving = False
        for i in range(n):
            norm = _length(g, i)
            for j in range(d):
                trial[j, i] = x[j, i] - length[i] * (f[i] / norm) * (g[j, i] / norm)
                moving |= abs(trial[j, i] - x[j, i]) > 1e-15 * (1.0 + abs(x[j, i]))
        if not moving:
            break
        jets(codes, constants, trial, d, 0, False, stack, active, w)
        for i in range(n):
            if abs(stack[0, 0, i]) < abs(f[i]):
                f[i] = stack[0, 0, i]
                length[i] = min(1.0, 2.0 * length[i])
                for j in range(d):
                    x[j, i] = trial[j, i]
                    g[j, i] = stack[0, 1 + j, i]
            else:
                length[i] *= 0.25
    distance = np.empty(n)
    for i in range(n):
        norm = _length(g, i)
        total = 0.0
        for j in range(d):
            total += (x[j, i] - columns[j, i]) ** 2
        distance[i] = np.sqrt(total)
        remaining = abs(f[i]) / norm if f[i] != 0.0 else 0.0
        if f[i] == 0.0 and norm == 0.0:
            remaining = np.nan
        if not (remaining <= 1e-6 * (1.0 + distance[i]) and np.isfinite(distance[i])):
            distance[i] = np.inf
    return x, distance


@jit
def newton_distances(codes, constants, columns, steps):
    """:func:`distance_to_zero_set` for a program at points ``columns`` (D, N)."""
    return project(codes, constants, columns, steps)[1]


def distance_to_zero_set(expression: Expression, points: np.ndarray, steps: int = 30) -> np.ndarray:
    """Distance from each point (N, D) to a zero of f, found by damped Newton steps along ∇f.

    The first step alone is the Sampson distance |f|/‖∇f‖; iterating it means that an
    exploding gradient cannot pretend to be close. An upper bound of the orthogonal distance.

    Returns:
        (N,); ``inf`` where no zero was reached, f is undefined, or f and ∇f both vanish
        (a function that is zero everywhere has no zero *set*).
    """
    columns = np.ascontiguousarray(np.asarray(points, np.float64).T)
    return newton_distances(*expression.arrays, columns, steps)
