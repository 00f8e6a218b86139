"""Distance to a zero set: to first order, and by damped Newton steps along the gradient.

Where f has an infinite slope in some columns, as sqrt(x) at x = 0, the distance is that along the
others: a table with no dose or at time 0 is as far from a root as its other columns say.
"""

import numpy as np

from ..expr.derivatives import NONE, jets, workspace
from ..expr.elementary import jit
from ..expr.expression import Expression
from .spreads import robust_spreads

STEPS = np.int64(30)  # of Newton's method


@np.errstate(all="ignore")
def first_order(
    expression: Expression, points: np.ndarray, units: np.ndarray | float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """r = f/‖u∘∇f‖, (N,), and the unit normals u∘∇f/‖u∘∇f‖, (N, D), at points (N, D).

    Distances are in units u of the columns, (D,) or (N, D). nan where f is not defined, at poles,
    and where no slope is finite, or all that are finite are 0.
    """
    value, gradient = expression.value_and_gradient(points)
    steep = np.isinf(gradient)
    slopes = np.where(steep, 0.0, gradient * units)
    value = np.where(steep.any(axis=1) & np.isinf(value), np.nan, value)
    largest = np.abs(slopes).max(axis=1, initial=0.0)
    largest[np.isinf(largest)] = np.nan  # value/inf would be an exact 0
    norm = largest * np.linalg.norm(slopes / largest[:, None], axis=1)  # squares do not overflow
    return value / norm, slopes / norm[:, None]


@np.errstate(all="ignore")
def first_order_distances(
    expression: Expression, points: np.ndarray, units: np.ndarray | float = 1.0
) -> np.ndarray:
    """f/‖u∘∇f‖ as in :func:`first_order`, (N,); 0 at a zero even if the gradient vanishes there."""
    distances, _ = first_order(expression, points, units)
    return np.where(expression.values(points) == 0.0, 0.0, distances)


@np.errstate(all="ignore")
def root_mean_square(distances: np.ndarray) -> float:
    """Of distances (N,); inf where a point has none."""
    error = float(np.sqrt(np.mean(distances**2)))
    return error if np.isfinite(error) else np.inf


@jit
def norm_of(g, i):
    """Norm of the finite elements of column i of ``g`` (D, N), without overflow.

    inf where others are infinite and these are 0.
    """
    largest, infinite = 0.0, False
    for j in range(g.shape[0]):
        if abs(g[j, i]) == np.inf:
            infinite = True
        else:
            largest = max(largest, abs(g[j, i]))
    if not largest > 0.0:
        return np.inf if infinite else largest
    total = 0.0
    for j in range(g.shape[0]):
        if not abs(g[j, i]) == np.inf:
            total += (g[j, i] / largest) ** 2
    return largest * np.sqrt(total)


@jit
def project(codes, constants, columns, steps, unit):
    """Zeros (D, N) reached from ``columns`` by damped Newton steps along ∇f; distances (N,).

    ``unit``, of lengths, is what the tolerances are relative to where x or a distance is small.
    """
    d, n = columns.shape
    work = workspace(codes, 1 + d, n)
    stack = work[0]
    jets(codes, constants, columns, d, NONE, *work)
    x, f, g = columns.copy(), stack[0, 0].copy(), stack[0, 1:].copy()
    trial = x.copy()
    length = np.ones(n)
    for _ in range(steps):
        moving = False
        for i in range(n):
            norm = norm_of(g, i)
            for j in range(d):
                along = g[j, i] / norm if abs(g[j, i]) != np.inf else 0.0
                trial[j, i] = x[j, i] - length[i] * (f[i] / norm) * along
                moving |= abs(trial[j, i] - x[j, i]) > 1e-15 * (unit + abs(x[j, i]))
        if not moving:
            break
        jets(codes, constants, trial, d, NONE, *work)
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
        norm = norm_of(g, i)
        total = 0.0
        for j in range(d):
            total += (x[j, i] - columns[j, i]) ** 2
        distance[i] = np.sqrt(total)
        remaining = abs(f[i]) / norm if f[i] != 0.0 else 0.0
        if f[i] == 0.0 and norm == 0.0:
            remaining = np.nan
        if not (remaining <= 1e-6 * (unit + distance[i]) and np.isfinite(distance[i])):
            distance[i] = np.inf
    return x, distance


def distance_to_zero_set(expression: Expression, points: np.ndarray) -> np.ndarray:
    """Distances (N,) of points (N, D) to the zeros reached by 30 damped Newton steps along ∇f.

    An upper bound of the orthogonal distance; the Sampson distance |f|/‖∇f‖, the length of the
    first step, is too small where ∇f explodes. inf if no zero is reached, or f = 0 and ∇f = 0.
    Tolerances are in units of the RMS of the column spreads, or of 1 if that is 0 or not finite.
    """
    columns = np.ascontiguousarray(np.asarray(points, np.float64).T)
    unit = root_mean_square(robust_spreads(columns, axis=1))
    unit = unit if 0.0 < unit < np.inf else 1.0
    return project(*expression.arrays, columns, int(STEPS), unit)[1]
