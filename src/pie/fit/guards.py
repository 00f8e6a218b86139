"""What a fit is worth: distances, contrast, and the degenerate corners of the Sampson residual.

Gradients that explode (``exp(1e5·x1)``), zero sets reduced to a point, a variable that fades out,
zeros so close to each other that some lie near any point.
"""

import numpy as np

from ..expr.kernel import stack_depth, values
from ..expr.vector_math import jit
from ..zeroset.distance import newton_distances
from .sampson import TRIMMED, minimise, norm_of, refitted, residuals

OK, UNDEFINED, NO_ZEROS, FADED, TOO_FEW, DENSE = 0, 1, 2, 3, 4, 5
SMALLEST_SHARE = 1e-4  # of a variable in the gradient
_MOST = 0.85  # of the points: no outliers, if they are not far from the other ones
_TAIL = 2.0  # times the root mean square of the others; of normal noise it is 1.2
_NOTHING = 1e-10  # of the spread
_ROUNDED = 3e-10  # of the spread: an error that is all rounding
_FAR = 0.1  # of the spread: a permuted point this far from the zeros is far enough
_DENSE = 0.01  # of the spread
_CLEAR = 0.02  # of the typical distance of a permuted point: an error that is no matter of density
_ROUNDING = 1e-6  # of the change of f across the zero set
_FLAT = 1e-7  # of the spread: smaller errors are rounding
_FINE = 3e-3  # of the local spread: a step over which the equation of a law is as good as linear
_LOCAL = 0.1  # of the points, on either side in a column: where the spread is local
_CENTRAL = 4.0  # times the half-width of these makes it the standard deviation in a normal's middle


@jit
def _capped(distance, scale):
    """Root mean square of distances, each counted up to ``scale``, and how many are below it."""
    total, near = 0.0, 0
    for i in range(distance.size):
        if distance[i] <= scale:
            total += distance[i] * distance[i]
            near += 1
        else:
            total += scale * scale
    return np.sqrt(total / distance.size), near


@jit
def _spread_out(distance, scale):
    """exp of the mean of ln √(t² + d²), t the root mean square of all but the largest distances.

    About the standard deviation of normal noise; gross outliers count by their logarithm only. Of
    how many distances t is depends on whether the larger ones among them look like outliers.
    Returns that, and t.
    """
    d = np.minimum(distance, scale)
    squares = np.sort(d) ** 2
    most = np.sqrt(np.mean(squares[: max(1, int(_MOST * d.size))]))
    fewer = np.sqrt(np.mean(squares[: max(1, int(TRIMMED * d.size))]))
    core = max(min(most, _TAIL * fewer), _NOTHING * scale)
    return np.exp(np.mean(0.5 * np.log(core**2 + d**2))), core


@jit
def _local_spreads(columns, spreads):
    """Spread of each column around each of its values, (D, N), at most that of the column.

    Where a column has a heavy tail, most of its values lie far closer than its spread says.
    """
    d, n = columns.shape
    reach = max(1, int(_LOCAL * n))
    local = np.empty_like(columns)
    for j in range(d):
        order = np.argsort(columns[j])
        for rank in range(n):
            low, high = max(0, rank - reach), min(n - 1, rank + reach)
            width = columns[j, order[high]] - columns[j, order[low]]
            local[j, order[rank]] = min(spreads[j], _CENTRAL * width / (high - low) * reach)
    return local


@jit
def _bent(codes, constants, columns, permuted, stack, step):
    """How far f is from linear over steps (D, N) towards a permuted point: of its change, (N,).

    ``stack`` holds f and its gradient at the points.
    """
    d, n = columns.shape
    moved, bent = np.empty_like(columns), np.empty(n)
    for i in range(n):
        length = 1e-300
        other = (i + 1) % n  # permuted columns leave the first in place
        for j in range(d):
            length += (permuted[j, other] - columns[j, i]) ** 2
        for j in range(d):
            along = (permuted[j, other] - columns[j, i]) / np.sqrt(length)
            moved[j, i] = columns[j, i] + step[j, i] * along
    there = values(codes, constants, moved)
    for i in range(n):
        along, length = 0.0, 0.0
        for j in range(d):
            along += stack[0, 1 + j, i] * (moved[j, i] - columns[j, i])
            length += (moved[j, i] - columns[j, i]) ** 2
        least = _ROUNDING * norm_of(stack, i, d) * np.sqrt(length)  # along the zero set
        bent[i] = abs(there[i] - stack[0, 0, i] - along) / (abs(along) + least + 1e-300)
        if np.isnan(bent[i]):
            bent[i] = np.inf
    return bent


@jit
def _is_flat(codes, constants, columns, permuted, spreads, stack, core, scale):
    """Whether f is nearly linear over a few times the error, and over a small step, as a law is.

    Zeros that lie closer than the error fit any noise: dense ones, or the two sheets of f² − ε.
    Zeros too close for floating point to tell them apart fit without any error.
    """
    step = _FINE * _local_spreads(columns, spreads)
    fine = _bent(codes, constants, columns, permuted, stack, step)
    if np.quantile(fine, 0.8) > 0.5:
        return False
    if core < _FLAT * scale:
        return True
    step[:] = 5.0 * core
    return np.median(_bent(codes, constants, columns, permuted, stack, step)) <= 0.4


@jit
def examine(codes, constants, columns, permuted, spreads):
    """What the fit is worth: orthogonal RMS error, contrast, clearance and a status.

    Distances count up to the root mean square of ``spreads`` (D,), those of the columns. They are
    Newton distances, which an exploding gradient cannot fake; where the error is large the
    first-order one is enough for the ``permuted`` points. The contrast is a robust mean of the
    distances over the clearance, that of the permuted points: the median or the same mean, whatever
    is less, so that outliers among the points, and zeros that are dense in parts, change little.
    """
    d, n = columns.shape
    scale = np.sqrt(np.mean(spreads**2))
    depth = stack_depth(codes)
    stack, active = np.empty((depth, 1 + d, n)), np.empty((depth, 1 + d), np.bool_)
    w, residual = np.empty((5, n)), np.empty(n)
    residuals(codes, constants, columns, stack, active, w, residual)
    shares = np.zeros(d)
    for i in range(n):
        norm = norm_of(stack, i, d)
        if np.isfinite(norm) and norm > 0.0:
            for j in range(d):
                shares[j] += (stack[0, 1 + j, i] / norm * spreads[j] / scale) ** 2 / n
    distance = newton_distances(codes, constants, columns, 30)
    error, near = _capped(distance, scale)
    mean, core = _spread_out(distance, scale)
    flat = _is_flat(codes, constants, columns, permuted, spreads, stack, core, scale)
    if error < 0.3 * scale:
        null = newton_distances(codes, constants, permuted, 30)
    else:
        null = np.empty(n)
        residuals(codes, constants, permuted, stack, active, w, null)
    # a law may be far from a permuted point or undefined there, which is nothing to its credit:
    # the mean, as that of the points, is over those from which a zero was reached
    total, reached = 0.0, 0
    for i in range(n):
        if np.isfinite(null[i]):
            total += 0.5 * np.log(core**2 + min(abs(null[i]), scale) ** 2)
            reached += 1
        null[i] = min(abs(null[i]), scale) if not np.isnan(null[i]) else scale
    typical = np.median(null)
    clear = min(typical, np.exp(total / reached)) if reached else typical
    contrast = mean / max(min(clear, _FAR * scale), _NOTHING * scale)
    if core <= _ROUNDED * scale:
        contrast = mean / scale  # exact, however thin the cloud
    if near < TRIMMED * n:
        return error, contrast, clear / scale, NO_ZEROS
    if np.min(shares) < SMALLEST_SHARE**2:
        return error, contrast, clear / scale, FADED
    if not flat or (typical < _DENSE * scale and mean > _CLEAR * typical):
        return error, contrast, clear / scale, DENSE
    return error, contrast, clear / scale, OK


@jit
def fit(codes, starts, columns, permuted, spreads, exact, max_iterations, descents, far):
    """Descents, then :func:`examine`: constants (P,), error, contrast, clearance, status.

    ``far`` as in :func:`pie.fit.sampson.minimise`, in root mean squares of ``spreads``.
    """
    far *= np.sqrt(np.mean(spreads**2))
    constants, cost = minimise(codes, starts, columns, exact, max_iterations, descents, far)
    if not np.isfinite(cost):
        return constants, np.inf, np.inf, 0.0, UNDEFINED
    if cost > exact and 0 < constants.size < int(TRIMMED * columns.shape[1]):
        refitted(codes, constants, columns, exact, max_iterations, far)
    error, contrast, clear, status = examine(codes, constants, columns, permuted, spreads)
    return constants, error, contrast, clear, status
