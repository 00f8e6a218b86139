"""Tokens of the decoder: padding, start, end, then the codes of :mod:`pie.expr.operators`.

``SIZE`` is the "dimension of output" of Table 4; tokens beyond the operator table are unused.
"""

import numpy as np

from .expression import Expression
from .operators import CONSTANT, MAX_VARIABLES, OPERATORS, arity

PAD, START, END = 0, 1, 2
SIZE = 60
_FIRST = 3  # token of code 0
_CODES = range(OPERATORS[-1].code + 1)


def encode(codes: tuple[int, ...]) -> list[int]:
    """Tokens of prefix codes, without start and end.

    >>> decode(encode((12, 1, 2)))
    (12, 1, 2)
    """
    return [_FIRST + code for code in codes]


def decode(tokens) -> tuple[int, ...]:
    """Inverse of :func:`encode`; ValueError for a token without a code."""
    codes = tuple(int(token) - _FIRST for token in tokens)
    for code in codes:
        if code not in _CODES:
            raise ValueError(f"token {_FIRST + code} stands for no operator, variable or constant")
    return codes


def slot_changes(max_variables: int) -> np.ndarray:
    """Change of the number of open operands by each token, (60,); 127: not allowed.

    Variables beyond ``max_variables`` are not allowed. A decoder that keeps at least one operand
    open until its end emits only well-formed prefixes.
    """
    change = np.full(SIZE, 127, np.int64)
    for code in _CODES:
        if code > MAX_VARIABLES or code <= max_variables:
            change[_FIRST + code] = arity(code) - 1
    return change


def skeleton(tokens) -> Expression:
    """The expression of tokens, every constant 1."""
    codes = decode(tokens)
    return Expression(codes, (1.0,) * codes.count(CONSTANT))
