"""Distance to a zero set: damped Newton steps along the gradient."""

import numpy as np

from .expression import Expression
from .kernel import jit, values_and_jacobian


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
def _project(codes, constants, columns, steps):
    d, n = columns.shape
    x = columns.copy()
    f, g = values_and_jacobian(codes, constants, x, True, False)
    length = np.ones(n)
    for _ in range(steps):
        trial = x.copy()
        for i in range(n):
            norm = _length(g, i)
            for j in range(d):
                trial[j, i] = x[j, i] - length[i] * (f[i] / norm) * (g[j, i] / norm)
        f_trial, g_trial = values_and_jacobian(codes, constants, trial, True, False)
        for i in range(n):
            if abs(f_trial[i]) < abs(f[i]):
                f[i] = f_trial[i]
                length[i] = min(1.0, 2.0 * length[i])
                for j in range(d):
                    x[j, i] = trial[j, i]
                    g[j, i] = g_trial[j, i]
            else:
                length[i] *= 0.25
    remaining = np.empty(n)
    for i in range(n):
        norm = _length(g, i)
        remaining[i] = abs(f[i]) / norm if f[i] != 0.0 else 0.0
        if f[i] == 0.0 and norm == 0.0:
            remaining[i] = np.nan
    return x, remaining


def distance_to_zero_set(expression: Expression, points: np.ndarray, steps: int = 30) -> np.ndarray:
    """Distance from each point (N, D) to a zero of f, found by damped Newton steps along ∇f.

    The first step alone is the Sampson distance |f|/‖∇f‖; iterating it means that an
    exploding gradient cannot pretend to be close. An upper bound of the orthogonal distance.

    Returns:
        (N,); ``inf`` where no zero was reached, f is undefined, or f and ∇f both vanish
        (a function that is zero everywhere has no zero *set*).
    """
    points = np.asarray(points, np.float64)
    reached, remaining = _project(*expression.arrays, np.ascontiguousarray(points.T), steps)
    distance = np.linalg.norm(reached.T - points, axis=1)
    close = remaining <= 1e-6 * (1.0 + distance)
    return np.where(close & np.isfinite(distance), distance, np.inf)
