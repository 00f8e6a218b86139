"""Guards of Sampson fits: orthogonal distances, contrast with a null cloud, degenerate solutions.

Refused are exploding gradients (``exp(1e5·x1)``), zero sets reduced to a point, variables without
effect, and zeros so dense that some lie near any point. "Spread" is the RMS of the column spreads.
"""

import numpy as np

from ..expr.derivatives import NONE, jets, workspace
from ..expr.elementary import ascending, fill, inlined, jit, mean_of
from ..expr.kernel import values
from ..zeroset.distance import STEPS, norm_of, project
from .sampson import TRIMMED, residuals

OK, NO_ZEROS, FADED, DENSE = 0, 1, 2, 3
SMALLEST_SHARE = 1e-4  # threshold of a variable's share in the gradient
_MOST = 0.85  # share of the points in the core error, unless some look like outliers
_INNER = 0.65  # share of the points that are no outliers in any case
_TAIL = 2.0  # maximum ratio of core error to RMS of the inner points; normal noise: 1.4
_NOTHING = 1e-10  # minimum distance, in spreads
_ROUNDED = 3e-10  # core error below this is rounding, in spreads
FAR = 0.1  # cap of the null distance in the contrast, in spreads
_DENSE = 0.01  # median null distance below this: zeros may be dense, in spreads
_CLEAR = 0.02  # robust mean distance below this: not dense, in median null distances
_ROUNDING = 1e-6  # rounding error of f, relative to its change along ∇f
_FLAT = 1e-7  # core error below which only the small step is tested, in spreads
_FINE = 3e-3  # small step over which a law is nearly linear, in local spreads
_LOCAL = 0.1  # share of the points on either side in the window of a local spread
_CENTRAL = 4.0  # standard deviation over window half-width, at the centre of a normal


@jit
def spread_out(distance, scale):
    """RMS and robust mean, exp(mean ln √(t² + d²)), of distances d up to ``scale``; core error t.

    The mean is about the standard deviation of normal noise; outliers enter by their logarithm.
    t is the RMS of the inner 85 %, at most twice that of the inner 65 %.
    """
    d = np.minimum(distance, scale)
    squares = d[ascending(d)] ** 2
    most = np.sqrt(mean_of(squares[: max(1, int(_MOST * d.size))]))
    fewer = np.sqrt(mean_of(squares[: max(1, int(_INNER * d.size))]))
    core = max(min(most, _TAIL * fewer), _NOTHING * scale)
    return np.sqrt(mean_of(d**2)), np.exp(mean_of(0.5 * np.log(core**2 + d**2))), core


def clearance(null, core):
    """Median or robust mean of null distances, the smaller one, at most :data:`FAR`."""
    null = np.minimum(null, 1.0)
    mean = np.exp(np.mean(0.5 * np.log(core**2 + null**2)))
    return min(max(min(float(np.median(null)), float(mean)), 1e-300), FAR)


@jit
def _quantile(numbers, share):
    """As numpy.quantile, of numbers without nan: it and the median take six seconds to compile."""
    order, place = ascending(numbers), share * (numbers.size - 1)
    k = int(place)
    part, low = place - k, numbers[order[k]]
    return low * (1.0 - part) + numbers[order[k + 1]] * part if part > 0.0 else low


@inlined
def _local_spreads(columns, spreads):
    """Spread of each column near each value, (D, N), at most the column's: for heavy tails."""
    d, n = columns.shape
    reach = max(1, int(_LOCAL * n))
    local = np.empty_like(columns)
    for j in range(d):
        order = ascending(columns[j])
        for rank in range(n):
            low, high = max(0, rank - reach), min(n - 1, rank + reach)
            width = columns[j, order[high]] - columns[j, order[low]]
            local[j, order[rank]] = min(spreads[j], _CENTRAL * width / (high - low) * reach)
    return local


@inlined
def _bent(codes, constants, columns, permuted, value, gradient, step):
    """Relative nonlinearity (N,) of f, (N,) with gradient (D, N), over ``step`` to other points."""
    d, n = columns.shape
    moved, bent = np.empty_like(columns), np.empty(n)
    for i in range(n):
        length = 1e-300
        other = (i + 1) % n  # not its own image: the first column is not permuted
        for j in range(d):
            length += (permuted[j, other] - columns[j, i]) ** 2
        for j in range(d):
            along = (permuted[j, other] - columns[j, i]) / np.sqrt(length)
            moved[j, i] = columns[j, i] + step[j, i] * along
    there = values(codes, constants, moved)
    for i in range(n):
        along, length = 0.0, 0.0
        for j in range(d):
            along += gradient[j, i] * (moved[j, i] - columns[j, i])
            length += (moved[j, i] - columns[j, i]) ** 2
        least = _ROUNDING * norm_of(gradient, i) * np.sqrt(length)  # along the zero set
        bent[i] = abs(there[i] - value[i] - along) / (abs(along) + least + 1e-300)
        if np.isnan(bent[i]):
            bent[i] = np.inf
    return bent


@inlined
def _is_flat(
    codes, constants, columns, permuted, spreads, errors, value, gradient, core, scale, curved
):
    """Whether f is nearly linear over a small step and over five core errors, as a law is.

    Steps are as long as the ``errors`` (D,) of the columns say.

    Zeros closer than the error fit any noise: dense ones, or the two sheets of f² = ε. Zeros closer
    than rounding fit exactly.
    """
    step = _FINE * _local_spreads(columns, spreads)
    for j in range(errors.size):
        for i in range(step.shape[1]):
            step[j, i] *= errors[j]
    fine = _bent(codes, constants, columns, permuted, value, gradient, step)
    if _quantile(fine, 0.8) > 0.5:
        return False
    if core < _FLAT * scale:
        return True
    for j in range(columns.shape[0]):
        fill(step[j], errors[j] * min(5.0 * core, curved * scale))
    return _quantile(_bent(codes, constants, columns, permuted, value, gradient, step), 0.5) <= 0.4


@jit
def examine(codes, constants, columns, permuted, spreads, errors, curved):
    """Orthogonal RMS error, contrast, clearance and status of an equation.

    Newton distances (for the null, the ``permuted`` points (D, N), first-order ones if the error is
    large), capped at the RMS of the column ``spreads`` (D,). Clearance: the median or the robust
    mean of the null distances, the smaller one, in spreads. Contrast: the robust mean distance of
    the points over the clearance (at most 0.1). Robust to outliers and to partly dense zeros.
    Beyond ``curved`` spreads laws need not be nearly linear, however large the error.
    """
    d, n = columns.shape
    scale = np.sqrt(mean_of(spreads**2))
    work = workspace(codes, 1 + d, n)
    jets(codes, constants, columns, d, NONE, *work)
    value, gradient = work[0][0, 0], work[0][0, 1:]
    shares = np.zeros(d)
    for i in range(n):
        total = 0.0
        for j in range(d):
            total += (gradient[j, i] * spreads[j]) ** 2
        if np.isfinite(total) and total > 0.0:
            for j in range(d):
                shares[j] += (gradient[j, i] * spreads[j]) ** 2 / total / n
    distance = project(codes, constants, columns, STEPS, scale)[1]
    error, mean, core = spread_out(distance, scale)
    flat = _is_flat(
        codes, constants, columns, permuted, spreads, errors, value, gradient, core, scale, curved
    )
    if error < 0.3 * scale:
        null = project(codes, constants, permuted, STEPS, scale)[1]
    else:
        null = np.empty(n)
        residuals(codes, constants, permuted, np.ones(d), work, null, np.inf)
    # mean over null points that reach a zero: undefined f must not count as a large distance
    total, reached, near = 0.0, 0, 0
    for i in range(n):
        near += distance[i] <= scale
        if np.isfinite(null[i]):
            total += 0.5 * np.log(core**2 + min(abs(null[i]), scale) ** 2)
            reached += 1
        null[i] = min(abs(null[i]), scale) if not np.isnan(null[i]) else scale
    typical = _quantile(null, 0.5)
    clear = min(typical, np.exp(total / reached)) if reached else typical
    contrast = mean / max(min(clear, FAR * scale), _NOTHING * scale)
    if core <= _ROUNDED * scale:
        contrast = mean / scale  # exact fit: independent of the null
    faded = False
    for j in range(d):
        faded |= shares[j] < SMALLEST_SHARE**2
    if near < TRIMMED * n:
        status = NO_ZEROS
    elif faded:
        status = FADED
    elif not flat or (typical < _DENSE * scale and mean > _CLEAR * typical):
        status = DENSE
    else:
        status = OK
    return error, contrast, clear / scale, status
