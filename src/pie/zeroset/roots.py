"""Points on f(x) = 0: one coordinate solved for, the others given.

A variable that occurs once is isolated in closed form, with a random branch of even powers, sin and
cos. Otherwise one of the sign changes on a grid, picked at random, is refined; poles are rejected.
"""

import numpy as np

from ..expr import operators as op
from ..expr.elementary import copy, fill, inlined, jit
from ..expr.expression import Expression
from ..expr.kernel import evaluate, is_binary, stack_depth, subtree_end, values

HALF_MAX = 65504.0  # largest finite IEEE half-precision number
GRID = 96
REACH = 40.0
RELATIVE_RESIDUAL = 1e-7


@jit
def _invert_unary(code, t, u):
    """Solve op(y) = t for y; ``u`` in [0, 1) selects the branch."""
    if code == op.SQRT:
        return t * t if t >= 0.0 else np.nan
    if code == op.EXP:
        return np.log(t) if t > 0.0 else np.nan
    if code == op.LN:
        return np.exp(t)
    if code == op.SIN or code == op.COS:
        if abs(t) > 1.0:
            return np.nan
        branch = int(u * 6.0)
        turn = 2.0 * np.pi * (branch // 2 - 1)
        if code == op.SIN:
            angle = np.arcsin(t)
            return turn + (angle if branch % 2 == 0 else np.pi - angle)
        angle = np.arccos(t)
        return turn + (angle if branch % 2 == 0 else -angle)
    if code == op.POW2 or code == op.POW4:
        if t < 0.0:
            return np.nan
        root = np.sqrt(t) if code == op.POW2 else np.sqrt(np.sqrt(t))
        return root if u < 0.5 else -root
    root = abs(t) ** (1.0 / (3.0 if code == op.POW3 else 5.0))
    return root if t >= 0.0 else -root


@jit
def _count(codes, wanted):
    total = 0
    for code in codes:
        total += code == wanted
    return total


@inlined
def _hoisted(codes, constants, columns, variable):
    """The program with subtrees free of ``variable`` precomputed, and its rows (≥ D, N)."""
    d, n = columns.shape
    rows = np.empty((d + codes.size, n))
    for j in range(d):
        copy(columns[j], rows[j])
    short = np.empty_like(codes)
    length = 0
    free_row = d
    position = constant = 0
    while position < codes.size:
        end = subtree_end(codes, position)
        code = codes[position]
        if 0 < code <= op.MAX_VARIABLES:
            short[length] = code if code == variable else -code
            position += 1
        elif _count(codes[position:end], variable):
            short[length] = code
            position += 1
        else:
            used = _count(codes[position:end], op.CONSTANT)
            known = values(codes[position:end], constants[constant : constant + used], columns)
            copy(known, rows[free_row])
            constant += used
            short[length] = -1 - free_row
            free_row += 1
            position = end
        length += 1
    return short[:length], rows[:free_row]


@inlined
def _inverted(program, rows, variable, uniforms):
    """Solve f = 0 for a variable that occurs once, all else in rows; (N,), nan without a root."""
    n = rows.shape[1]
    target = np.zeros(n)
    position = 0
    while program[position] != variable:
        code = program[position]
        position += 1
        if not is_binary(code):
            for i in range(n):
                target[i] = _invert_unary(code, target[i], uniforms[i])
            continue
        in_left = program[position] > 0
        other = rows[-1 - program[subtree_end(program, position) if in_left else position]]
        if not in_left:
            position += 1
        for i in range(n):
            t, s = target[i], other[i]
            if code == op.ADD:
                target[i] = t - s
            elif code == op.SUB:
                target[i] = t + s if in_left else s - t
            elif code == op.MUL:
                target[i] = t / s
            elif code == op.DIV:
                target[i] = t * s if in_left else s / t
            elif in_left:
                target[i] = t ** (1.0 / s) if t > 0.0 else np.nan
            else:
                target[i] = np.log(t) / np.log(s) if t > 0.0 and s > 0.0 else np.nan
    return target


@inlined
def _brackets(program, rows, variable, uniforms):
    """One bracket per point, picked at random among the sign changes on a grid.

    Returns the indices (m,) of points that have one, and a, b, f(a), f(b) of the brackets, (4, m).
    """
    n = rows.shape[1]
    # sinh spacing, dense near 0, up to ±REACH; a random shift per point
    width = np.arcsinh(REACH)
    none = np.empty(0)
    shift_sinh, shift_cosh = np.empty(n), np.empty(n)
    for i in range(n):
        shift = width * 2.0 * ((uniforms[i] * 977.0) % 1.0) / GRID
        shift_sinh[i], shift_cosh[i] = np.sinh(shift), np.cosh(shift)
    trace, nodes = np.empty((GRID, n)), np.empty((GRID, n))
    stack = np.empty((stack_depth(program), n))
    counts = np.zeros(n, np.int64)
    for g in range(GRID):
        corner = width * (2.0 * g / GRID - 1.0)
        corner_sinh, corner_cosh = np.sinh(corner), np.cosh(corner)
        for i in range(n):
            nodes[g, i] = corner_sinh * shift_cosh[i] + corner_cosh * shift_sinh[i]
        copy(nodes[g], rows[variable - 1])
        evaluate(program, none, rows, stack)
        copy(stack[0], trace[g])
        if g > 0:
            for i in range(n):
                counts[i] += trace[g - 1, i] * trace[g, i] < 0.0
    found, m = np.empty(n, np.int64), 0
    ends = np.empty((4, n))
    for i in range(n):
        if counts[i] == 0:
            continue
        found[m] = i
        chosen = int(uniforms[i] * counts[i])
        for g in range(GRID - 1):
            if trace[g, i] * trace[g + 1, i] < 0.0:
                if chosen == 0:
                    ends[0, m], ends[1, m] = nodes[g, i], nodes[g + 1, i]
                    ends[2, m], ends[3, m] = trace[g, i], trace[g + 1, i]
                    break
                chosen -= 1
        m += 1
    return found[:m], ends


@inlined
def _refined(program, rows, variable, ends):
    """Roots (m,) in the brackets of ``ends`` (4, ≥ m) by Chandrupatla's method; nan at a pole."""
    m = rows.shape[1]
    a, b, fa, fb = ends[0, :m], ends[1, :m], ends[2, :m], ends[3, :m]
    c, fc, root = a.copy(), fa.copy(), a.copy()
    t, bound, still_open = np.empty(m), np.empty(m), np.empty(m, np.int64)
    for i in range(m):
        t[i], bound[i], still_open[i] = 0.5, min(abs(fa[i]), abs(fb[i])), i
    none = np.empty(0)
    stack = np.empty((stack_depth(program), m))
    open_ones = m
    for _ in range(60):
        for k in range(open_ones):
            i = still_open[k]
            root[i] = a[i] + t[i] * (b[i] - a[i])
        copy(root, rows[variable - 1])
        evaluate(program, none, rows, stack)
        left = 0
        for k in range(open_ones):
            i = still_open[k]
            x, f = root[i], stack[0, i]
            if (f > 0.0) == (fa[i] > 0.0):
                c[i], fc[i] = a[i], fa[i]
            else:
                c[i], fc[i] = b[i], fb[i]
                b[i], fb[i] = a[i], fa[i]
            a[i], fa[i] = x, f
            if abs(fb[i]) < abs(f):
                root[i] = b[i]
            limit = 1e-15 * (1.0 + abs(root[i])) / abs(b[i] - a[i])
            if limit > 0.5 or fa[i] == 0.0 or fb[i] == 0.0:
                continue
            xi, phi = (a[i] - b[i]) / (c[i] - b[i]), (fa[i] - fb[i]) / (fc[i] - fb[i])
            step = 0.5
            if 1.0 - np.sqrt(1.0 - xi) < phi < np.sqrt(xi):
                # inverse quadratic interpolation
                step = fa[i] / (fb[i] - fa[i]) * fc[i] / (fb[i] - fc[i]) + (c[i] - a[i]) / (
                    b[i] - a[i]
                ) * fa[i] / (fc[i] - fa[i]) * fb[i] / (fc[i] - fb[i])
            t[i] = min(max(step, limit), 1.0 - limit)
            still_open[left] = i
            left += 1
        if left == 0:
            break
        open_ones = left
    copy(root, rows[variable - 1])
    evaluate(program, none, rows, stack)
    residual = stack[0].copy()
    for i in range(m):
        # a root within rounding of 0 is set to 0, unless f is undefined there, as exp(−1/x²)/x
        rows[variable - 1, i] = root[i] if abs(root[i]) > 1e-14 else 0.0
    evaluate(program, none, rows, stack)
    for i in range(m):
        residual[i] = abs(residual[i])
        if abs(stack[0, i]) <= residual[i]:
            root[i], residual[i] = rows[variable - 1, i], abs(stack[0, i])
        # at a pole |f| grows as the bracket closes
        if not residual[i] <= 1e-3 * bound[i]:
            root[i] = np.nan
    return root


@jit
def solutions(codes, constants, columns, variable, uniforms):
    """As :func:`solve_coordinate`, but not yet tested: also poles and false roots; (N,)."""
    program, rows = _hoisted(codes, constants, columns, variable)
    if _count(codes, variable) == 1:
        return _inverted(program, rows, variable, uniforms)
    roots = np.empty(columns.shape[1])
    fill(roots, np.nan)
    found, ends = _brackets(program, rows, variable, uniforms)
    if found.size:
        bracketed = np.empty((rows.shape[0], found.size))
        for j in range(rows.shape[0]):
            for m in range(found.size):
                bracketed[j, m] = rows[j, found[m]]
        refined = _refined(program, bracketed, variable, ends)
        for m in range(found.size):
            roots[found[m]] = refined[m]
    return roots


@np.errstate(all="ignore")
def solve_coordinate(
    expression: Expression, points: np.ndarray, variable: int, uniforms: np.ndarray
) -> np.ndarray:
    """f = 0 solved for one coordinate (from 1) of points (N, D); roots (N,), nan without one.

    ``uniforms`` (N,) in [0, 1) select branches.
    """
    points = np.array(points, np.float64)
    roots = solutions(*expression.arrays, np.ascontiguousarray(points.T), variable, uniforms)
    points[:, variable - 1] = roots
    value, gradient = expression.value_and_gradient(points)
    slope = np.maximum(np.abs(gradient[:, variable - 1]), 1e-3)
    # the residual as distance |f|/|slope| along the axis, relative to the coordinate
    is_root = np.abs(value) <= RELATIVE_RESIDUAL * (1.0 + np.abs(roots)) * slope
    return np.where(is_root & (np.abs(roots) <= HALF_MAX), roots, np.nan)


def solve_each_coordinate(
    expression: Expression, points: np.ndarray, uniforms: np.ndarray
) -> np.ndarray:
    """:func:`solve_coordinate` of every coordinate, the others as they are; (N, D)."""
    variables = range(1, points.shape[1] + 1)
    return np.stack([solve_coordinate(expression, points, j, uniforms) for j in variables], axis=1)


def points_on_zero_set(
    expression: Expression, starts: np.ndarray, variable: int, rng: np.random.Generator
) -> np.ndarray:
    """Starts (N, D) with coordinate ``variable`` (from 1) replaced so that f = 0; (M, D), M ≤ N.

    ``rng`` picks among several roots; starts without a root are left out.
    """
    points = np.array(starts, np.float64)
    roots = solve_coordinate(expression, points, variable, rng.random(len(starts)))
    points[:, variable - 1] = roots
    return points[np.isfinite(roots)]
