"""Compiled forward-mode derivatives of prefix programs: ∂f/∂x, ∂f/∂c and ∂²f/∂x∂c.

A subtree carries only derivatives in the inputs that it depends on; the others are exactly 0, where
0·inf would give nan.
"""

import numpy as np

from . import operators as op
from .elementary import copy, exp_row, fill, jit, log_row, pow_row, wave_row
from .kernel import is_binary, stack_depth

NONE = np.int64(0)  # derivatives; a literal 0 would have jets compiled once more


@jit
def _unary_slopes(code, row, w1, w2):
    """Apply the operator to ``row``; first and second derivatives into ``w1`` and ``w2``."""
    n = row.size
    if code == op.SQRT:
        for i in range(n):
            a = row[i]
            row[i] = np.sqrt(a)
            w1[i] = 0.5 / row[i]
            w2[i] = -0.5 * w1[i] / a
    elif code == op.EXP:
        exp_row(row)
        copy(row, w1)
        copy(row, w2)
    elif code == op.LN:
        for i in range(n):
            w1[i] = 1.0 / row[i]
            w2[i] = -w1[i] * w1[i]
        log_row(row)
    elif code == op.SIN or code == op.COS:
        copy(row, w1)
        wave_row(row, code == op.COS)
        wave_row(w1, code == op.SIN)
        sign = 1.0 if code == op.SIN else -1.0
        for i in range(n):
            w1[i], w2[i] = sign * w1[i], -row[i]
    elif code == op.POW2:
        for i in range(n):
            a = row[i]
            row[i], w1[i], w2[i] = a * a, 2.0 * a, 2.0
    elif code == op.POW3:
        for i in range(n):
            a = row[i]
            row[i], w1[i], w2[i] = a * a * a, 3.0 * a * a, 6.0 * a
    elif code == op.POW4:
        for i in range(n):
            a = row[i]
            row[i], w1[i], w2[i] = a * a * a * a, 4.0 * a * a * a, 12.0 * a * a
    else:
        for i in range(n):
            a = row[i]
            cube = a * a * a
            row[i], w1[i], w2[i] = cube * a * a, 5.0 * cube * a, 20.0 * cube


@jit
def _binary_slopes(code, a, b, w):
    """a∘b into ``b``; its partial derivatives in a, b, aa, ab, bb into the rows of ``w``."""
    n = a.size
    if code == op.MUL:
        for i in range(n):
            w[0, i], w[1, i], w[3, i] = b[i], a[i], 1.0
            b[i] *= a[i]
    elif code == op.DIV:
        for i in range(n):
            r = 1.0 / b[i]
            b[i] = a[i] / b[i]
            w[0, i], w[1, i] = r, -b[i] * r
            w[3, i], w[4, i] = -r * r, 2.0 * b[i] * r * r
    else:
        log, below = w[1], w[0]
        copy(a, log)
        log_row(log)
        copy(a, w[4])
        for i in range(n):
            below[i] = b[i] - 1.0
        pow_row(w[4], below)
        for i in range(n):
            x, p, under = a[i], b[i], w[4, i]
            b[i] = under * x if x != 0.0 else x**p
            w[0, i] = p * under
            w[2, i] = p * (p - 1.0) * under / x
            if x > 0.0:
                w[3, i] = under * (1.0 + p * log[i])
                w[4, i] = b[i] * log[i] * log[i]
                w[1, i] = b[i] * log[i]
            else:  # of 0**p, whose slope is infinite for p < 1, the derivatives in p are 0
                w[1, i] = w[4, i] = 0.0 if x == 0.0 and p > 0.0 else np.nan
                w[3, i] = 0.0 if x == 0.0 and p > 1.0 else np.nan


@jit
def _clear(active, row, slot):
    if not active[slot]:
        fill(row[slot], 0.0)


@jit
def _unary_chain(a, on, w1, w2, nx, nc):
    n = w1.size
    first = nx + nc
    for j in range(nx):
        for k in range(nc):
            m = 1 + first + j * nc + k
            am, aj, ak = a[m], a[1 + j], a[1 + nx + k]
            if on[1 + j] and on[1 + nx + k]:
                _clear(on, a, m)
                for i in range(n):
                    am[i] = w1[i] * am[i] + w2[i] * aj[i] * ak[i]
                on[m] = True
            elif on[m]:
                for i in range(n):
                    am[i] *= w1[i]
    for s in range(1, 1 + first):
        if on[s]:
            row = a[s]
            for i in range(n):
                row[i] *= w1[i]


@jit
def _add_product(out, w, p, q):
    for i in range(out.size):
        out[i] += w[i] * p[i] * q[i]


@jit
def _binary_chain(code, a, b, on_a, on_b, w, nx, nc):
    n = w.shape[1]
    first = nx + nc
    for j in range(nx):
        for k in range(nc):
            m, sj, sk = 1 + first + j * nc + k, 1 + j, 1 + nx + k
            ajbk, akbj = on_a[sj] and on_b[sk], on_a[sk] and on_b[sj]
            aa = code == op.POW and on_a[sj] and on_a[sk]
            bb = code != op.MUL and on_b[sj] and on_b[sk]
            if not (on_a[m] or on_b[m] or ajbk or akbj or aa or bb):
                continue
            _clear(on_b, b, m)
            row = b[m]
            for i in range(n):
                row[i] *= w[1, i]
            if on_a[m]:
                for i in range(n):
                    row[i] += w[0, i] * a[m, i]
            if ajbk:
                _add_product(row, w[3], a[sj], b[sk])
            if akbj:
                _add_product(row, w[3], a[sk], b[sj])
            if aa:
                _add_product(row, w[2], a[sj], a[sk])
            if bb:
                _add_product(row, w[4], b[sj], b[sk])
            on_b[m] = True
    for s in range(1, 1 + first):
        row = b[s]
        if on_a[s] and on_b[s]:
            for i in range(n):
                row[i] = w[0, i] * a[s, i] + w[1, i] * row[i]
        elif on_a[s]:
            for i in range(n):
                row[i] = w[0, i] * a[s, i]
        elif on_b[s]:
            for i in range(n):
                row[i] *= w[1, i]
        on_b[s] |= on_a[s]


@jit
def _sum_chain(sign, a, b, on_a, on_b):
    for s in range(b.shape[0]):
        row = b[s]
        if on_a[s] and on_b[s]:
            for i in range(row.size):
                row[i] = a[s, i] + sign * row[i]
        elif on_a[s]:
            copy(a[s], row)
            on_b[s] = True
        elif on_b[s] and sign < 0.0:
            for i in range(row.size):
                row[i] = -row[i]


@jit
def jets(codes, constants, columns, nx, nc, stack, active, w):
    """Values and derivatives of a program, left in ``stack[0]`` (S, N).

    Slots: f; ``nx`` derivatives in x, D or :data:`NONE`; ``nc`` in c, P or NONE; nx·nc mixed ones,
    x-major.
    Work space: ``stack`` (depth, S, N), ``active`` (depth, S), ``w`` (5, N).
    """
    top = -1
    c = constants.size
    for position in range(codes.size - 1, -1, -1):
        code = codes[position]
        if code <= op.MAX_VARIABLES:
            top += 1
            fill(active[top], False)
            active[top, 0] = True
            if code == op.CONSTANT:
                c -= 1
                fill(stack[top, 0], constants[c])
                if nc:
                    active[top, 1 + nx + c] = True
                    fill(stack[top, 1 + nx + c], 1.0)
            else:
                copy(columns[code - 1 if code > 0 else -1 - code], stack[top, 0])
                if nx and code > 0:
                    active[top, code] = True
                    fill(stack[top, code], 1.0)
        elif code == op.ADD or code == op.SUB:
            sign = 1.0 if code == op.ADD else -1.0
            _sum_chain(sign, stack[top], stack[top - 1], active[top], active[top - 1])
            top -= 1
        elif is_binary(code):
            a, b = stack[top], stack[top - 1]
            _binary_slopes(code, a[0], b[0], w)
            _binary_chain(code, a, b, active[top], active[top - 1], w, nx, nc)
            top -= 1
        else:
            _unary_slopes(code, stack[top, 0], w[0], w[1])
            _unary_chain(stack[top], active[top], w[0], w[1], nx, nc)
    for s in range(1, stack.shape[1]):
        _clear(active[0], stack[0], s)


@jit
def workspace(codes, slots, n):
    """Stack, which of its slots are not 0, and scratch of :func:`jets` at n points.

    A slot is f or a derivative; f and ∂f/∂x are the first 1 + D.
    """
    depth = stack_depth(codes)
    return np.empty((depth, slots, n)), np.empty((depth, slots), np.bool_), np.empty((5, n))


def derivatives(
    codes: np.ndarray, constants: np.ndarray, columns: np.ndarray, nx: int, nc: int
) -> np.ndarray:
    """f, ∂f/∂x (D or none), ∂f/∂c (P or none) and, with both, ∂²f/∂x∂c (D·P, x-major): (S, N).

    ``columns`` are the points x, (D, N); ``constants`` are c, (P,); ``nx`` is D or 0, ``nc`` is P
    or 0.
    """
    work = workspace(codes, (1 + nx) * (1 + nc), columns.shape[1])
    jets(codes, constants, columns, nx, nc, *work)
    return work[0][0].copy()
