"""Points on f(x) = 0: one coordinate solved for, the others given.

Serves the corpus and the metrics alike. Where the chosen variable occurs once,
the path to it is inverted in closed form, with a random branch for even powers
and sines; otherwise sign changes on a grid are bracketed and refined. Poles are
not roots. Roots are picked at random among the branches found.
"""

import numpy as np

from .expression import Expression
from .kernel import jit, subtree_end, values, values_and_jacobian
from .operators import (
    ADD,
    CONSTANT,
    COS,
    DIV,
    EXP,
    LN,
    MUL,
    POW,
    POW2,
    POW3,
    POW4,
    SIN,
    SQRT,
    SUB,
)  # fmt: skip

HALF_MAX = 65504.0  # largest finite IEEE half-precision number
GRID = 96
REACH = 40.0
RELATIVE_RESIDUAL = 1e-7


@jit
def _odd_root(value, p):
    root = abs(value) ** (1.0 / p)
    return root if value >= 0.0 else -root


@jit
def _invert_unary(code, t, u):
    """Solve op(y) = t for y; ``u`` in [0, 1) picks the branch."""
    if code == SQRT:
        return t * t if t >= 0.0 else np.nan
    if code == EXP:
        return np.log(t) if t > 0.0 else np.nan
    if code == LN:
        return np.exp(t)
    if code == SIN or code == COS:
        if abs(t) > 1.0:
            return np.nan
        branch = int(u * 6.0)
        turn = 2.0 * np.pi * (branch // 2 - 1)
        if code == SIN:
            angle = np.arcsin(t)
            return turn + (angle if branch % 2 == 0 else np.pi - angle)
        angle = np.arccos(t)
        return turn + (angle if branch % 2 == 0 else -angle)
    if code == POW2 or code == POW4:
        if t < 0.0:
            return np.nan
        root = np.sqrt(t) if code == POW2 else np.sqrt(np.sqrt(t))
        return root if u < 0.5 else -root
    return _odd_root(t, 3.0 if code == POW3 else 5.0)


@jit
def _count(codes):
    total = 0
    for code in codes:
        total += code == CONSTANT
    return total


@jit
def _invert_path(codes, constants, columns, variable, uniforms):
    """Solve f = 0 for a variable that occurs once; returns (N,), nan where there is no root."""
    n = columns.shape[1]
    target = np.zeros(n)
    start = 0
    first_constant = 0
    place = 0
    while codes[place] != variable:
        place += 1
    while codes[start] != variable:
        code = codes[start]
        if code <= DIV or code == POW:
            middle = subtree_end(codes, start + 1)
            end = subtree_end(codes, middle)
            left_constants = _count(codes[start + 1 : middle])
            in_left = place < middle
            if in_left:
                sibling = values(
                    codes[middle:end],
                    constants[
                        first_constant + left_constants : first_constant
                        + left_constants
                        + _count(codes[middle:end])
                    ],
                    columns,
                )
                start += 1
            else:
                sibling = values(
                    codes[start + 1 : middle],
                    constants[first_constant : first_constant + left_constants],
                    columns,
                )
                first_constant += left_constants
                start = middle
            for i in range(n):
                t, s = target[i], sibling[i]
                if code == ADD:
                    target[i] = t - s
                elif code == SUB:
                    target[i] = t + s if in_left else s - t
                elif code == MUL:
                    target[i] = t / s
                elif code == DIV:
                    target[i] = t * s if in_left else s / t
                elif in_left:
                    target[i] = t ** (1.0 / s) if t > 0.0 else np.nan
                else:
                    target[i] = np.log(t) / np.log(s) if t > 0.0 and s > 0.0 else np.nan
        else:
            for i in range(n):
                target[i] = _invert_unary(code, target[i], uniforms[i])
            start += 1
    return target


@jit
def _bracket_and_refine(codes, constants, columns, variable, uniforms):
    """Solve f = 0 for one variable by sign changes on a grid, then bisection with secant steps."""
    n = columns.shape[1]
    # sinh spacing: dense near 0, reaching out to ±REACH; jittered so that no grid is special
    width = np.arcsinh(REACH)
    work = columns.copy()
    trace = np.empty((GRID, n))
    nodes = np.empty((GRID, n))
    for g in range(GRID):
        for i in range(n):
            jitter = (uniforms[i] * 977.0) % 1.0
            nodes[g, i] = np.sinh(width * (2.0 * (g + jitter) / GRID - 1.0))
        work[variable - 1] = nodes[g]
        trace[g] = values(codes, constants, work)
    low, high = np.full(n, np.nan), np.full(n, np.nan)
    f_low, f_high = np.full(n, np.nan), np.full(n, np.nan)
    for i in range(n):
        count = 0
        for g in range(GRID - 1):
            if trace[g, i] * trace[g + 1, i] < 0.0:
                count += 1
        if count == 0:
            continue
        chosen = int(uniforms[i] * count)
        for g in range(GRID - 1):
            if trace[g, i] * trace[g + 1, i] < 0.0:
                if chosen == 0:
                    low[i], high[i] = nodes[g, i], nodes[g + 1, i]
                    f_low[i], f_high[i] = trace[g, i], trace[g + 1, i]
                    break
                chosen -= 1
    bound = np.minimum(np.abs(f_low), np.abs(f_high))
    mid = np.empty(n)
    for step in range(60):
        done = True
        for i in range(n):
            mid[i] = 0.5 * (low[i] + high[i])
            if step % 3 != 2 and f_high[i] != f_low[i]:
                # secant point, kept off the ends so that the bracket always shrinks
                secant = low[i] - f_low[i] * (high[i] - low[i]) / (f_high[i] - f_low[i])
                margin = 1e-3 * (high[i] - low[i]) if step < 12 else 0.0
                if low[i] + margin < secant < high[i] - margin:
                    mid[i] = secant
            if high[i] - low[i] > 1e-14 * (1.0 + abs(mid[i])):
                done = False
        if done:
            break
        work[variable - 1] = mid
        f_mid = values(codes, constants, work)
        for i in range(n):
            if f_mid[i] == 0.0:
                low[i] = high[i] = mid[i]
            elif f_mid[i] * f_low[i] < 0.0:
                high[i], f_high[i] = mid[i], f_mid[i]
            else:
                low[i], f_low[i] = mid[i], f_mid[i]
    work[variable - 1] = mid
    f_mid = values(codes, constants, work)
    for i in range(n):
        # at a pole |f| grows as the bracket closes
        if not abs(f_mid[i]) <= 1e-3 * bound[i]:
            mid[i] = np.nan
    return mid


@jit
def solve_coordinate(codes, constants, columns, variable, uniforms):
    """Replace one coordinate so that f = 0; returns it (N,), nan where there is no root.

    ``columns`` (D, N) holds the other coordinates; ``uniforms`` (N,) in [0, 1) pick branches.
    """
    occurrences = 0
    for code in codes:
        occurrences += code == variable
    if occurrences == 0:
        return np.full(columns.shape[1], np.nan)
    if occurrences == 1:
        roots = _invert_path(codes, constants, columns, variable, uniforms)
    else:
        roots = _bracket_and_refine(codes, constants, columns, variable, uniforms)
    work = columns.copy()
    work[variable - 1] = roots
    f, slopes = values_and_jacobian(codes, constants, work, True, False)
    for i in range(roots.size):
        # the residual as a distance along the axis, relative to the coordinate itself
        slope = abs(slopes[variable - 1, i])
        if not abs(f[i]) <= RELATIVE_RESIDUAL * (1.0 + abs(roots[i])) * max(slope, 1e-3):
            roots[i] = np.nan
        if not abs(roots[i]) <= HALF_MAX:
            roots[i] = np.nan
    return roots


def points_on_zero_set(
    expression: Expression,
    starts: np.ndarray,
    variable: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Solve f(x) = 0 for one coordinate of each start, the others kept.

    Args:
        expression: f.
        starts: (N, D).
        variable: which coordinate is solved for, from 1.
        rng: picks among several roots.

    Returns:
        Points (M, D), M ≤ N: the starts for which a root was found.
    """
    columns = np.ascontiguousarray(starts.T)
    roots = solve_coordinate(*expression.arrays, columns, variable, rng.random(len(starts)))
    found = np.isfinite(roots)
    points = np.array(starts, np.float64)
    points[:, variable - 1] = roots
    return points[found]
