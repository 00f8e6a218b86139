"""Tokens of the decoder: padding, start, end, then the codes of :mod:`pie.expr.operators`.

``SIZE`` is the "dimension of output" of Table 4; tokens beyond the operator table are unused.
"""

import numpy as np

from .expression import Expression
from .operators import BY_CODE, CONSTANT, arity

PAD, START, END = 0, 1, 2
SIZE = 60
_FIRST = 3  # token of code 0


def encode(codes: tuple[int, ...]) -> list[int]:
    """Tokens of prefix codes, without start and end.

    >>> encode((12, 1, 2))
    [15, 4, 5]
    """
    return [_FIRST + code for code in codes]


def slot_changes(max_variables: int) -> np.ndarray:
    """Change of the number of open operands by each token, (60,); 127: not allowed.

    Variables beyond ``max_variables`` are not allowed. A decoder that keeps at least one operand
    open until its end emits only well-formed prefixes.
    """
    change = np.full(SIZE, 127, np.int64)
    for code in (*range(max_variables + 1), *BY_CODE):
        change[_FIRST + code] = arity(code) - 1
    return change


def skeleton(tokens) -> Expression:
    """The expression of tokens, every constant 1; ValueError for a token without a code."""
    codes = tuple(int(token) - _FIRST for token in tokens)
    return Expression(codes, (1.0,) * codes.count(CONSTANT))
