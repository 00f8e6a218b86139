"""Tokens of the decoder: padding, start, end, constant, variables, operators.

``SIZE`` is the "dimension of output" of Table 4; tokens beyond the operator table are unused.
"""

import numpy as np

from .expression import Expression
from .operators import CONSTANT, MAX_VARIABLES, OPERATORS, arity

PAD, START, END = 0, 1, 2
SIZE = 60
_CODES = [CONSTANT, *range(1, MAX_VARIABLES + 1), *(op.code for op in OPERATORS)]
_TOKEN_OF = {code: 3 + i for i, code in enumerate(_CODES)}
_CODE_OF = {token: code for code, token in _TOKEN_OF.items()}


def encode(codes: tuple[int, ...]) -> list[int]:
    """Tokens of prefix codes, without start and end.

    >>> decode(encode((12, 1, 2)))
    (12, 1, 2)
    """
    return [_TOKEN_OF[code] for code in codes]


def decode(tokens) -> tuple[int, ...]:
    """Inverse of :func:`encode`; ValueError for a token without a code."""
    try:
        return tuple(_CODE_OF[int(token)] for token in tokens)
    except KeyError as error:
        raise ValueError(f"token {error} stands for no operator, variable or constant") from None


def slot_changes(max_variables: int) -> np.ndarray:
    """Change of the number of open operands by each token, (60,); 127: not allowed.

    Variables beyond ``max_variables`` are not allowed. A decoder that keeps at least one operand
    open until its end emits only well-formed prefixes.
    """
    change = np.full(SIZE, 127, np.int64)
    for code, token in _TOKEN_OF.items():
        if code > MAX_VARIABLES or code <= max_variables:
            change[token] = arity(code) - 1
    return change


def skeleton(tokens) -> Expression:
    """The expression of tokens, every constant 1."""
    codes = decode(tokens)
    return Expression(codes, (1.0,) * codes.count(CONSTANT))
