"""Compiled evaluation of prefix programs.

A *program* is ``codes`` (:mod:`pie.expr.operators`) with ``constants`` in prefix order, run from
right to left on a stack. Points are columns ``(D, N)``, so that an operator is one contiguous loop.
A negative code −1−r reads row r of ``columns``, which may hold the values of a subtree.
Overflow, poles and domain errors give inf or nan, never an exception.
"""

import numpy as np

from . import operators as op
from .elementary import copy, exp_row, fill, jit, log_row, pow_row, wave_row


@jit
def is_binary(code):
    return op.ADD <= code <= op.DIV or code == op.POW


@jit
def subtree_end(codes, start):
    """Index one past the subtree that begins at ``start``."""
    open_slots = 1
    position = start
    while open_slots > 0:
        code = codes[position]
        if code > op.MAX_VARIABLES:
            open_slots += 1 if is_binary(code) else 0
        else:
            open_slots -= 1
        position += 1
    return position


@jit
def stack_depth(codes):
    """Number of stack rows that a program needs."""
    top = deepest = 0
    for position in range(codes.size - 1, -1, -1):
        if codes[position] <= op.MAX_VARIABLES:
            top += 1
            deepest = max(deepest, top)
        elif is_binary(codes[position]):
            top -= 1
    return deepest


@jit
def _apply_unary(code, row):
    # One loop per operator keeps the branch out of the inner loop.
    n = row.size
    if code == op.SQRT:
        for i in range(n):
            row[i] = np.sqrt(row[i])
    elif code == op.EXP:
        exp_row(row)
    elif code == op.LN:
        log_row(row)
    elif code == op.SIN or code == op.COS:
        wave_row(row, code == op.COS)
    elif code == op.POW2:
        for i in range(n):
            row[i] *= row[i]
    elif code == op.POW3:
        for i in range(n):
            row[i] = row[i] * row[i] * row[i]
    elif code == op.POW4:
        for i in range(n):
            row[i] = row[i] * row[i] * row[i] * row[i]
    else:
        for i in range(n):
            row[i] = row[i] * row[i] * row[i] * row[i] * row[i]


@jit
def _apply_binary(code, left, right):
    """left ∘ right, into ``right``; a power overwrites ``left``."""
    n = right.size
    if code == op.ADD:
        for i in range(n):
            right[i] = left[i] + right[i]
    elif code == op.SUB:
        for i in range(n):
            right[i] = left[i] - right[i]
    elif code == op.MUL:
        for i in range(n):
            right[i] = left[i] * right[i]
    elif code == op.DIV:
        for i in range(n):
            right[i] = left[i] / right[i]
    else:
        pow_row(left, right)
        copy(left, right)


@jit
def evaluate(codes, constants, columns, stack):
    """f at points ``columns`` (D, N), left in ``stack[0]``; ``stack`` has (depth, N)."""
    top = -1
    k = constants.size
    for position in range(codes.size - 1, -1, -1):
        code = codes[position]
        if code == op.CONSTANT:
            k -= 1
            top += 1
            fill(stack[top], constants[k])
        elif code <= op.MAX_VARIABLES:
            top += 1
            copy(columns[code - 1 if code > 0 else -1 - code], stack[top])
        elif is_binary(code):
            _apply_binary(code, stack[top], stack[top - 1])
            top -= 1
        else:
            _apply_unary(code, stack[top])


@jit
def values(codes, constants, columns):
    """f at points ``columns`` (D, N); returns (N,)."""
    stack = np.empty((stack_depth(codes), columns.shape[1]))
    evaluate(codes, constants, columns, stack)
    return stack[0].copy()
