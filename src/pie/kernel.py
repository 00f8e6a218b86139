"""Compiled evaluation of prefix programs: values, and derivatives in x and in the constants.

One program on many points. Points are stored by column, ``(D, N)``, so that
every operator is one contiguous loop. The prefix is read from right to left
with a stack; derivatives are carried forward beside the values. Overflow,
poles and domains outside the reals give inf or nan, never an exception.
"""

import numpy as np
from numba import njit

from .operators import (
    ADD,
    CONSTANT,
    COS,
    DIV,
    EXP,
    LN,
    MAX_VARIABLES,
    MUL,
    POW,
    POW2,
    POW3,
    POW4,
    SIN,
    SQRT,
    SUB,
)  # fmt: skip

jit = njit(cache=True, error_model="numpy", nogil=True)


@jit
def power(base, exponent):
    """Real power: nan for a negative base under a fractional exponent."""
    return base**exponent


@jit
def _unary(code, a):
    if code == SQRT:
        return np.sqrt(a)
    if code == EXP:
        return np.exp(a)
    if code == LN:
        return np.log(a) if a > 0.0 else np.nan
    if code == SIN:
        return np.sin(a)
    if code == COS:
        return np.cos(a)
    if code == POW2:
        return a * a
    if code == POW3:
        return a * a * a
    if code == POW4:
        return a * a * a * a
    return a * a * a * a * a


@jit
def _unary_derivative(code, a, value):
    if code == SQRT:
        return 0.5 / value
    if code == EXP:
        return value
    if code == LN:
        return 1.0 / a
    if code == SIN:
        return np.cos(a)
    if code == COS:
        return -np.sin(a)
    if code == POW2:
        return 2.0 * a
    if code == POW3:
        return 3.0 * a * a
    if code == POW4:
        return 4.0 * a * a * a
    return 5.0 * a * a * a * a


@jit
def _apply_unary(code, row):
    # One loop per operator keeps the branch out of the inner loop.
    n = row.size
    if code == SQRT:
        for i in range(n):
            row[i] = np.sqrt(row[i])
    elif code == EXP:
        for i in range(n):
            row[i] = np.exp(row[i])
    elif code == LN:
        for i in range(n):
            row[i] = np.log(row[i]) if row[i] > 0.0 else np.nan
    elif code == SIN:
        for i in range(n):
            row[i] = np.sin(row[i])
    elif code == COS:
        for i in range(n):
            row[i] = np.cos(row[i])
    elif code == POW2:
        for i in range(n):
            row[i] *= row[i]
    else:
        for i in range(n):
            row[i] = _unary(code, row[i])


@jit
def _apply_binary(code, left, right, out):
    n = out.size
    if code == ADD:
        for i in range(n):
            out[i] = left[i] + right[i]
    elif code == SUB:
        for i in range(n):
            out[i] = left[i] - right[i]
    elif code == MUL:
        for i in range(n):
            out[i] = left[i] * right[i]
    elif code == DIV:
        for i in range(n):
            out[i] = left[i] / right[i]
    else:
        for i in range(n):
            out[i] = power(left[i], right[i])


@jit
def values(codes, constants, columns):
    """Values of a program at points ``columns`` (D, N); returns (N,)."""
    n = columns.shape[1]
    stack = np.empty((codes.size, n))
    top = -1
    k = constants.size
    for position in range(codes.size - 1, -1, -1):
        code = codes[position]
        if code == CONSTANT:
            k -= 1
            top += 1
            stack[top, :] = constants[k]
        elif code <= MAX_VARIABLES:
            top += 1
            stack[top, :] = columns[code - 1]
        elif code <= DIV or code == POW:
            _apply_binary(code, stack[top], stack[top - 1], stack[top - 1])
            top -= 1
        else:
            _apply_unary(code, stack[top])
    return stack[0].copy()


@jit
def values_and_jacobian(codes, constants, columns, wrt_points, wrt_constants):
    """Values (N,) and derivatives (P, N).

    The P rows are the D coordinates if ``wrt_points``, then the constants in
    prefix order if ``wrt_constants``.
    """
    d, n = columns.shape
    first_constant = d if wrt_points else 0
    p = first_constant + (constants.size if wrt_constants else 0)
    stack = np.empty((codes.size, n))
    slopes = np.zeros((codes.size, p, n))
    top = -1
    k = constants.size
    for position in range(codes.size - 1, -1, -1):
        code = codes[position]
        if code <= MAX_VARIABLES:
            top += 1
            slopes[top] = 0.0
            if code == CONSTANT:
                k -= 1
                stack[top, :] = constants[k]
                if wrt_constants:
                    slopes[top, first_constant + k, :] = 1.0
            else:
                stack[top, :] = columns[code - 1]
                if wrt_points:
                    slopes[top, code - 1, :] = 1.0
        elif code <= DIV or code == POW:
            a, b = stack[top], stack[top - 1]
            da, db = slopes[top], slopes[top - 1]
            for i in range(n):
                if code == ADD:
                    value, wa, wb = a[i] + b[i], 1.0, 1.0
                elif code == SUB:
                    value, wa, wb = a[i] - b[i], 1.0, -1.0
                elif code == MUL:
                    value, wa, wb = a[i] * b[i], b[i], a[i]
                elif code == DIV:
                    value = a[i] / b[i]
                    wa, wb = 1.0 / b[i], -value / b[i]
                else:
                    value = power(a[i], b[i])
                    wa = b[i] * power(a[i], b[i] - 1.0)
                    wb = value * np.log(a[i]) if a[i] > 0.0 else np.nan
                for j in range(p):
                    # 0 * inf would turn "does not depend" into nan
                    left = wa * da[j, i] if da[j, i] != 0.0 else 0.0
                    right = wb * db[j, i] if db[j, i] != 0.0 else 0.0
                    db[j, i] = left + right
                b[i] = value
            top -= 1
        else:
            a, da = stack[top], slopes[top]
            for i in range(n):
                value = _unary(code, a[i])
                w = _unary_derivative(code, a[i], value)
                for j in range(p):
                    if da[j, i] != 0.0:
                        da[j, i] *= w
                a[i] = value
    return stack[0].copy(), slopes[0].copy()


@jit
def subtree_end(codes, start):
    """Index one past the subtree that begins at ``start``."""
    open_slots = 1
    position = start
    while open_slots > 0:
        code = codes[position]
        if code > MAX_VARIABLES:
            open_slots += 1 if (code <= DIV or code == POW) else 0
        else:
            open_slots -= 1
        position += 1
    return position
