r"""BFGS without restarts on the paper's fitness, vanilla (Eq. 2) or CL-FEM (Eq. 6), compiled.

The loss is the mean of f², its gradient :math:`\frac2N \sum_n f(x_n)\, \partial f / \partial c`.
Under CL-FEM it is infinite where some d_j ≤ τ. Line search for the strong Wolfe conditions
(Nocedal & Wright, Algorithms 6.1, 3.5 and 3.6).
"""

import numpy as np

from ..expr.derivatives import NONE, jets, workspace
from ..expr.elementary import jit
from ..expr.kernel import values
from .fitness import varies

FAILED = 1e30  # loss that stands for infinity: interpolation stays finite
_TOLERANCE = 1e-12  # on the maximum norm of the gradient
_DECREASE, _CURVATURE = 1e-4, 0.9


@jit
def _loss(codes, constants, columns, copies, tau, gradient, work):
    """Mean of f², its gradient into ``gradient``; FAILED if not finite or degenerate."""
    p, n = constants.size, columns.shape[1]
    jets(codes, constants, columns, NONE, p, *work)
    stack = work[0]
    value = stack[0, 0]
    loss = 0.0
    for i in range(n):
        loss += value[i] * value[i]
    loss /= n
    ok = np.isfinite(loss)
    for k in range(p):
        total = 0.0
        for i in range(n):
            total += stack[0, 1 + k, i] * value[i]
        gradient[k] = 2.0 / n * total
        ok &= np.isfinite(gradient[k])
    if ok and copies.shape[1]:
        ok = varies(value, values(codes, constants, copies), tau)
    if not ok:
        gradient[:] = 0.0
        return FAILED
    return loss


@jit
def _between(a, fa, da, b, fb, db):
    """Minimum of the cubic interpolant if in the central 80 % of [a, b], else the midpoint."""
    middle = 0.5 * (a + b)
    d1 = da + db - 3.0 * (fa - fb) / (a - b)
    square = d1 * d1 - da * db
    if square < 0.0 or fa >= FAILED or fb >= FAILED:
        return middle
    d2 = np.copysign(np.sqrt(square), b - a)
    bottom = db - da + 2.0 * d2
    if bottom == 0.0:
        return middle
    at = b - (b - a) * (db + d2 - d1) / bottom
    edge = 0.1 * abs(b - a)
    if min(a, b) + edge <= at <= max(a, b) - edge:
        return at
    return middle


@jit
def minimise(codes, start, columns, copies, tau, max_iterations):
    """Constants (P,) that minimise the loss from ``start``, and the loss there.

    ``columns`` are the points (D, N), ``copies`` the stochastic copies (D, D·N), or (D, 0) for
    vanilla. The loss is FAILED if it is at ``start``.
    """
    p, n = start.size, columns.shape[1]
    work = workspace(codes, 1 + p, n)
    x, g, trial = start.copy(), np.empty(p), np.empty(p)
    f = _loss(codes, x, columns, copies, tau, g, work)
    if f >= FAILED or p == 0:
        return x, f
    inverse = np.eye(p)
    earlier = f + 0.5 * np.sqrt(np.sum(g * g))
    slopes = np.empty(p)
    for _ in range(max_iterations):
        if np.max(np.abs(g)) <= _TOLERANCE:
            break
        direction = -(inverse @ g)
        slope = np.sum(direction * g)
        if not slope < 0.0:
            break
        step = min(1.0, 2.02 * (f - earlier) / slope)
        if step <= 0.0:
            step = 1.0
        # bracketing, then zoom; a is the better end of the bracket
        a, fa, da, b, fb, db = 0.0, f, slope, 0.0, 0.0, 0.0
        bracketed, found = False, False
        for turn in range(40):
            trial[:] = x + step * direction
            at = _loss(codes, trial, columns, copies, tau, slopes, work)
            d = np.sum(slopes * direction)
            if at > f + _DECREASE * step * slope or (at >= fa and (bracketed or turn > 0)):
                b, fb, db, bracketed = step, at, d, True
            else:
                if abs(d) <= -_CURVATURE * slope:
                    a, fa, found = step, at, True
                    break
                if bracketed:
                    if d * (b - a) >= 0.0:
                        b, fb, db = a, fa, da
                elif d >= 0.0:
                    b, fb, db, bracketed = a, fa, da, True
                a, fa, da = step, at, d
            if bracketed:
                if abs(b - a) <= 1e-15 * max(abs(a), abs(b)):
                    break
                step = _between(a, fa, da, b, fb, db)
            else:
                step *= 2.0
        if not found and not (a > 0.0 and fa < f):
            break
        trial[:] = x + a * direction
        earlier = f
        f = _loss(codes, trial, columns, copies, tau, slopes, work)
        s, y = trial - x, slopes - g
        x[:], g[:] = trial, slopes
        curvature = np.sum(s * y)
        if curvature > 0.0:
            hy = inverse @ y
            inverse += (1.0 + np.sum(y * hy) / curvature) / curvature * np.outer(s, s)
            inverse -= (np.outer(hy, s) + np.outer(s, hy)) / curvature
        if not found or f == 0.0:
            break
    return x, f
