r"""Levenberg–Marquardt on the Sampson residual, multi-start, compiled.

.. math:: r_n(c) = \frac{f(x_n; c)}{\lVert \nabla_x f(x_n; c) \rVert}, \qquad
    \frac{\partial r_n}{\partial c} = \frac{f_c}{\lVert g \rVert}
      - \frac{f\; g \cdot g_c}{\lVert g \rVert^3}

r is the first-order distance to the zero set, invariant under ``f → C·f``. The loss is the mean of
r²/(1 + r²/s²) (Geman & McClure 1985), which bounds the influence of outliers and of points near
which ∇f vanishes, as at the centre of a circle; s = ∞ for least squares. :mod:`pie.fit.guards`
detects degenerate solutions.

Where a step c + δ brings nothing, c·exp(δ/c) is tried, which is the same to first order. The factor
b of b·exp(a·x), or of b·x^a, follows a along ln b = −a·x₀ + …, a straight line on a logarithmic scale,
and a valley that steps cannot follow where x is far from 0.
"""

import numpy as np

from ..expr.derivatives import NONE, jets, workspace
from ..expr.elementary import ascending, copy, inlined, jit, mean_of
from ..zeroset.distance import norm_of

LARGEST = 1e6  # maximum magnitude of a constant that starts within it
LEAST, MOST = 0.01, 20.0  # relative steps that are tried in proportion, too
_SCREEN_POINTS = 64
TRIMMED = 0.75  # share of the points that count as inliers
_HEAVY = 0.14  # threshold for outliers: mean square of the inliers over that of all points
_FIRST_LOOK = 6  # starts screened first


@jit
def residuals(codes, constants, columns, work, residual, far):
    """Sampson residuals, bounded by ``far``, into ``residual``; returns the mean square or inf.

    ``work`` is a workspace of f and its gradient, which stay there.
    """
    d, n = columns.shape
    jets(codes, constants, columns, d, NONE, *work)
    value, gradient = work[0][0, 0], work[0][0, 1:]
    total = 0.0
    for i in range(n):
        # nan where f and its gradient both vanish: the cost becomes inf
        r = value[i] / norm_of(gradient, i)
        residual[i] = r / np.sqrt(1.0 + (r / far) ** 2)
        total += residual[i] * residual[i]
    return total / n if np.isfinite(total) else np.inf


@inlined
def _jacobian(codes, constants, columns, work, jacobian, far):
    """Derivatives of the bounded residuals in the constants, (P, N)."""
    d, n = columns.shape
    p = constants.size
    jets(codes, constants, columns, d, p, *work)
    top = work[0][0]
    gradient, inverse, cubed = top[1 : 1 + d], work[2][0], work[2][1]
    for i in range(n):
        norm = norm_of(gradient, i)
        r = top[0, i] / norm
        flat = 1.0 / np.sqrt(1.0 + (r / far) ** 2) ** 3
        inverse[i] = flat / norm
        cubed[i] = flat * r / norm / norm
    for k in range(p):
        row = jacobian[k]
        slope = top[1 + d + k]
        for i in range(n):
            row[i] = slope[i] * inverse[i]
        for j in range(d):
            g, mixed = gradient[j], top[1 + d + p + j * p + k]
            for i in range(n):
                if abs(g[i]) != np.inf:
                    row[i] -= cubed[i] * g[i] * mixed[i]


@jit
def _normal_equations(jacobian, residual, normal, downhill):
    """JᵀJ (P, P) and −Jᵀr (P,) of a Jacobian (P, N) and residuals (N,)."""
    p, n = jacobian.shape
    for k in range(p):
        total = 0.0
        for i in range(n):
            total += jacobian[k, i] * residual[i]
        downhill[k] = -total
        for m in range(k + 1):
            total = 0.0
            for i in range(n):
                total += jacobian[k, i] * jacobian[m, i]
            normal[k, m] = normal[m, k] = total


@jit
def _solve(matrix, right, out):
    """Cholesky solution of a small system, in place; False if not positive definite."""
    p = right.size
    for j in range(p):
        for i in range(j, p):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                matrix[j, j] = np.sqrt(total)
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(p):
        total = right[i]
        for k in range(i):
            total -= matrix[i, k] * out[k]
        out[i] = total / matrix[i, i]
    for i in range(p - 1, -1, -1):
        total = out[i]
        for k in range(i + 1, p):
            total -= matrix[k, i] * out[k]
        out[i] = total / matrix[i, i]
    return True


@inlined
def _in_proportion(constants, step, limit, trial):
    """c·exp(δ/c) into ``trial`` for steps δ (P,); False if it is too large, or nearly c + δ."""
    largest = furthest = 0.0
    for k in range(constants.size):
        c = constants[k]
        ratio = abs(step[k] / c) if c != 0.0 else np.inf
        trial[k] = c * np.exp(step[k] / c) if ratio < MOST else c + step[k]
        largest = max(largest, abs(trial[k]))
        furthest = max(furthest, ratio)
    return furthest > LEAST and (largest <= limit or limit > LARGEST)


@jit
def _descend(codes, constants, columns, exact, max_iterations, far):
    """Levenberg–Marquardt from ``constants``, in place; returns the mean square residual."""
    d, n = columns.shape
    p = constants.size
    work, slim = workspace(codes, (1 + d) * (1 + p), n), workspace(codes, 1 + d, n)
    residual, trial_residual, jacobian = np.empty(n), np.empty(n), np.empty((p, n))
    normal, damped = np.empty((p, p)), np.empty((p, p))
    downhill, step, trial = np.empty(p), np.empty(p), np.empty(p)
    scale = np.zeros(p)
    limit = LARGEST  # of a magnitude, or ten times that of a start beyond it
    for k in range(p):
        limit = max(limit, 10.0 * abs(constants[k]))
    cost = residuals(codes, constants, columns, slim, residual, far)
    damping, growth = 1e-2, 2.0
    fresh = False
    slow = 0
    for _ in range(max_iterations):
        if not cost > exact:
            break
        if not fresh:
            _jacobian(codes, constants, columns, work, jacobian, far)
            _normal_equations(jacobian, residual, normal, downhill)
            for k in range(p):
                scale[k] = max(scale[k], normal[k, k])
            fresh = True
        for k in range(p):
            copy(normal[k], damped[k])
            damped[k, k] += damping * max(scale[k], 1e-300)
        accepted = False
        if _solve(damped, downhill, step):
            predicted = largest = moved = 0.0
            for k in range(p):
                trial[k] = constants[k] + step[k]
                predicted += step[k] * (damping * scale[k] * step[k] + downhill[k])
                largest = max(largest, abs(trial[k]))
                moved = max(moved, abs(step[k]) / (1e-3 + abs(constants[k])))
            at = np.inf
            if largest <= limit:
                at = residuals(codes, trial, columns, slim, trial_residual, far)
            if not at < cost and _in_proportion(constants, step, limit, trial):
                at = residuals(codes, trial, columns, slim, trial_residual, far)
                if at < cost:  # scales of the slopes, too
                    for k in range(p):
                        scale[k] *= (constants[k] / trial[k]) ** 2
            if at < cost:
                gain = (cost - at) * n / predicted
                slow = slow + 1 if cost - at < 1e-3 * cost else 0
                copy(trial, constants)
                copy(trial_residual, residual)
                cost = at
                damping *= max(1.0 / 9.0, 1.0 - (2.0 * gain - 1.0) ** 3)
                growth = 2.0
                accepted, fresh = True, False
            if moved < 1e-14 or slow >= 4:
                break
        if not accepted:
            damping *= growth
            growth *= 2.0
            if damping > 1e10:
                break
    return cost


@inlined
def _algebraic_step(codes, constants, columns, work, out):
    """Gauss–Newton step on f itself, exact for linear constants; False without a solution."""
    p = constants.size
    jets(codes, constants, columns, NONE, p, *work)
    top = work[0][0]
    normal, downhill = np.empty((p, p)), np.empty(p)
    _normal_equations(top[1:], top[0], normal, downhill)
    if not _solve(normal, downhill, out):
        return False
    largest = 0.0
    for k in range(p):
        out[k] += constants[k]
        largest = max(largest, abs(out[k]))
    return largest <= LARGEST


@inlined
def _minimise(codes, starts, columns, exact, max_iterations, descents, far):
    """Best constants (P,) over several starts, and the mean square residual there (inf: none).

    Every start (S, P) and its image under one Gauss–Newton step on f is screened on at most 64 of
    the points ``columns`` (D, N). Levenberg–Marquardt goes on from the best ``descents`` until the
    mean square is ≤ ``exact``; the first six starts are tried before the others. ``far`` is s.
    """
    d, n = columns.shape
    p = starts.shape[1]
    best, lowest = starts[0].copy(), np.inf
    if p == 0:
        work = workspace(codes, 1 + d, n)
        return best, residuals(codes, best, columns, work, np.empty(n), far)
    m = min(n, _SCREEN_POINTS)
    few = np.empty((d, m))
    for j in range(d):
        for i in range(m):
            few[j, i] = columns[j, i * max(1, n // m)]
    slopes, slim, residual = workspace(codes, 1 + p, m), workspace(codes, 1 + d, m), np.empty(m)
    tried, costs = np.empty((2 * len(starts), p)), np.full(2 * len(starts), np.inf)
    screened = done = 0
    for upto, tries in ((min(_FIRST_LOOK, len(starts)), min(2, descents)), (len(starts), descents)):
        for s in range(screened, upto):
            image = tried[2 * s + 1]
            copy(starts[s], tried[2 * s])
            if _algebraic_step(codes, starts[s], few, slopes, image):
                costs[2 * s + 1] = residuals(codes, image, few, slim, residual, far)
            costs[2 * s] = residuals(codes, starts[s], few, slim, residual, far)
        screened = upto
        for s in ascending(costs)[: tries - done]:
            if not np.isfinite(costs[s]):
                break
            done += 1
            constants = tried[s].copy()
            costs[s] = np.inf  # done
            cost = _descend(codes, constants, columns, exact, max_iterations, far)
            if cost < lowest:
                best, lowest = constants, cost
                if not lowest > exact:
                    return best, lowest
    return best, lowest


@inlined
def _refit(codes, constants, columns, exact, max_iterations, far):
    """Descents on the inliers, in place, where the other points look like outliers."""
    d, n = columns.shape
    kept = int(TRIMMED * n)
    work, residual, inliers = workspace(codes, 1 + d, n), np.empty(n), np.empty((d, kept))
    for _ in range(3):
        cost = residuals(codes, constants, columns, work, residual, far)
        order = ascending(np.abs(residual))
        trimmed = 0.0
        for i in range(kept):
            trimmed += residual[order[i]] ** 2
            for j in range(d):
                inliers[j, i] = columns[j, order[i]]
        trimmed /= kept
        # for normal noise the mean square of the inner 75 % is 0.37 of that of all
        if not trimmed < _HEAVY * cost or not trimmed > exact:
            break
        trial = constants.copy()
        if not _descend(codes, trial, inliers, exact, max_iterations, far) < 0.999 * trimmed:
            break
        copy(trial, constants)


@jit
def fit(codes, starts, columns, spreads, exact, max_iterations, descents, far):
    """Constants (P,) by :func:`_minimise`, ``far`` in ``spreads`` (D,), and the mean square."""
    far *= np.sqrt(mean_of(spreads**2))
    constants, cost = _minimise(codes, starts, columns, exact, max_iterations, descents, far)
    if np.isfinite(cost) and cost > exact and 0 < constants.size < int(TRIMMED * columns.shape[1]):
        _refit(codes, constants, columns, exact, max_iterations, far)
    return constants, cost
