r"""Levenberg–Marquardt on the Sampson residual, multi-start, compiled.

.. math:: r_n(c) = \frac{f(x_n; c)}{\lVert \nabla_x f(x_n; c) \rVert}, \qquad
    \frac{\partial r_n}{\partial c} = \frac{f_c}{\lVert g \rVert}
      - \frac{f\; g \cdot g_c}{\lVert g \rVert^3}

r is the first-order distance to the zero set, invariant under ``f → C·f``. The loss is the mean of
r²/(1 + r²/s²) (Geman & McClure 1985), which bounds the influence of outliers and of points near
which ∇f vanishes, as at the centre of a circle; s = ∞ for least squares. :mod:`pie.fit.guards`
detects degenerate solutions.
"""

import numpy as np

from ..expr.derivatives import NONE, jets
from ..expr.kernel import stack_depth
from ..expr.elementary import ascending, copy, inlined, jit, mean_of

LARGEST = 1e6  # maximum magnitude of a constant
_SCREEN_POINTS = 64
TRIMMED = 0.75  # share of the points that count as inliers
_HEAVY = 0.14  # threshold for outliers: mean square of the inliers over that of all points
_FIRST_LOOK = 6  # starts screened first


@jit
def norm_of(stack, i, d):
    largest = 0.0
    for j in range(1, 1 + d):
        largest = max(largest, abs(stack[0, j, i]))
    if not 0.0 < largest < np.inf:
        return largest
    total = 0.0
    for j in range(1, 1 + d):
        total += (stack[0, j, i] / largest) ** 2
    return largest * np.sqrt(total)


@jit
def residuals(codes, constants, columns, stack, active, w, residual, far):
    """Sampson residuals, bounded by ``far``, into ``residual``; returns the mean square or inf."""
    d, n = columns.shape
    jets(codes, constants, columns, d, NONE, stack, active, w)
    total = 0.0
    for i in range(n):
        norm = norm_of(stack, i, d)
        # nan where f and its gradient both vanish: the cost becomes inf
        r = stack[0, 0, i] / norm
        residual[i] = r / np.sqrt(1.0 + (r / far) ** 2)
        total += residual[i] * residual[i]
    return total / n if np.isfinite(total) else np.inf


@inlined
def _jacobian(codes, constants, columns, stack, active, w, residual, jacobian, far):
    """Bounded residuals (N,) and their derivatives in the constants (P, N)."""
    d, n = columns.shape
    p = constants.size
    jets(codes, constants, columns, d, p, stack, active, w)
    top = stack[0]
    inverse, cubed = w[0], w[1]
    for i in range(n):
        norm = norm_of(stack, i, d)
        r = top[0, i] / norm
        stretch = np.sqrt(1.0 + (r / far) ** 2)
        residual[i] = r / stretch
        flat = 1.0 / stretch**3
        inverse[i] = flat / norm
        cubed[i] = flat * r / norm / norm
    for k in range(p):
        row = jacobian[k]
        slope = top[1 + d + k]
        for i in range(n):
            row[i] = slope[i] * inverse[i]
        for j in range(d):
            g, mixed = top[1 + j], top[1 + d + p + j * p + k]
            for i in range(n):
                row[i] -= cubed[i] * g[i] * mixed[i]


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


@jit
def _descend(codes, constants, columns, exact, max_iterations, stack, slim, active, w, work, far):
    """Levenberg–Marquardt from ``constants``, in place; returns the mean square residual."""
    p, n = constants.size, columns.shape[1]
    residual, trial_residual, jacobian = work[0], work[1], work[2:]
    normal, damped = np.empty((p, p)), np.empty((p, p))
    downhill, step, trial = np.empty(p), np.empty(p), np.empty(p)
    scale = np.zeros(p)
    cost = residuals(codes, constants, columns, slim, active, w, residual, far)
    damping, growth = 1e-2, 2.0
    fresh = False
    slow = 0
    for _ in range(max_iterations):
        if not cost > exact:
            break
        if not fresh:
            _jacobian(codes, constants, columns, stack, active, w, residual, jacobian, far)
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
            if largest <= LARGEST:
                at = residuals(codes, trial, columns, slim, active, w, trial_residual, far)
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
def _algebraic_step(codes, constants, columns, stack, active, w, out):
    """Gauss–Newton step on f itself, exact for linear constants; False without a solution."""
    n, p = columns.shape[1], constants.size
    jets(codes, constants, columns, NONE, p, stack, active, w)
    top = stack[0]
    normal, downhill = np.empty((p, p)), np.empty(p)
    for k in range(p):
        total = 0.0
        for i in range(n):
            total += top[1 + k, i] * top[0, i]
        downhill[k] = -total
        for m in range(k + 1):
            total = 0.0
            for i in range(n):
                total += top[1 + k, i] * top[1 + m, i]
            normal[k, m] = normal[m, k] = total
    if not _solve(normal, downhill, out):
        return False
    largest = 0.0
    for k in range(p):
        out[k] += constants[k]
        largest = max(largest, abs(out[k]))
    return largest <= LARGEST


@inlined
def minimise(codes, starts, columns, exact, max_iterations, descents, far):
    """Best constants (P,) over several starts, and the mean square residual there (inf: none).

    Every start (S, P) and its image under one Gauss–Newton step on f is screened on at most 64 of
    the points ``columns`` (D, N). Levenberg–Marquardt goes on from the best ``descents`` until the
    mean square is ≤ ``exact``; the first six starts are tried before the others. ``far`` is s.
    """
    d, n = columns.shape
    p = starts.shape[1]
    depth = stack_depth(codes)
    slots = (1 + d) * (1 + p)
    active = np.empty((depth, slots), np.bool_)
    w, work = np.empty((5, n)), np.empty((2 + p, n))
    stack, slim = np.empty((depth, slots, n)), np.empty((depth, 1 + d, n))
    best, lowest = starts[0].copy(), np.inf
    if p == 0:
        return best, residuals(codes, best, columns, slim, active, w, work[0], far)
    m = min(n, _SCREEN_POINTS)
    few = np.empty((d, m))
    for j in range(d):
        for i in range(m):
            few[j, i] = columns[j, i * max(1, n // m)]
    few_stack, few_w, few_residual = np.empty((depth, 1 + d, m)), np.empty((5, m)), np.empty(m)
    few_slopes = np.empty((depth, 1 + p, m))
    tried, costs = np.empty((2 * len(starts), p)), np.full(2 * len(starts), np.inf)
    screened = 0
    for upto, tries in ((min(_FIRST_LOOK, len(starts)), min(2, descents)), (len(starts), descents)):
        for s in range(screened, upto):
            image = tried[2 * s + 1]
            copy(starts[s], tried[2 * s])
            if _algebraic_step(codes, starts[s], few, few_slopes, active, few_w, image):
                costs[2 * s + 1] = residuals(
                    codes, image, few, few_stack, active, few_w, few_residual, far
                )
            costs[2 * s] = residuals(
                codes, starts[s], few, few_stack, active, few_w, few_residual, far
            )
        screened = upto
        for s in ascending(costs)[:tries]:
            if not np.isfinite(costs[s]):
                break
            constants = tried[s].copy()
            costs[s] = np.inf  # done
            cost = _descend(
                codes, constants, columns, exact, max_iterations, stack, slim, active, w, work, far
            )
            if cost < lowest:
                best, lowest = constants, cost
                if not lowest > exact:
                    return best, lowest
    return best, lowest


@inlined
def refitted(codes, constants, columns, exact, max_iterations, far):
    """Descents on the inliers, in place, where the other points look like outliers."""
    d, n = columns.shape
    p = constants.size
    depth = stack_depth(codes)
    kept = int(TRIMMED * n)
    stack, active = np.empty((depth, 1 + d, n)), np.empty((depth, (1 + d) * (1 + p)), np.bool_)
    w, residual = np.empty((5, n)), np.empty(n)
    slots = (1 + d) * (1 + p)
    inner = np.empty((depth, slots, kept))
    inner_slim, inner_w = np.empty((depth, 1 + d, kept)), np.empty((5, kept))
    work, inliers = np.empty((2 + p, kept)), np.empty((d, kept))
    for _ in range(3):
        cost = residuals(codes, constants, columns, stack, active, w, residual, far)
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
        after = _descend(
            codes,
            trial,
            inliers,
            exact,
            max_iterations,
            inner,
            inner_slim,
            active,
            inner_w,
            work,
            far,
        )
        if not after < 0.999 * trimmed:
            break
        copy(trial, constants)


@jit
def fit(codes, starts, columns, spreads, exact, max_iterations, descents, far):
    """Constants (P,) by :func:`minimise`, ``far`` in ``spreads`` (D,), and the mean square."""
    far *= np.sqrt(mean_of(spreads**2))
    constants, cost = minimise(codes, starts, columns, exact, max_iterations, descents, far)
    if np.isfinite(cost) and cost > exact and 0 < constants.size < int(TRIMMED * columns.shape[1]):
        refitted(codes, constants, columns, exact, max_iterations, far)
    return constants, cost
