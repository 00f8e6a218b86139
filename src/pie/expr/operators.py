"""The operator table: names, codes, arities and weights (the paper's Table 3, unnormalised).

A code is ``CONSTANT``, a variable x1, x2, … (``1 … MAX_VARIABLES``), or above these an operator.
"""

from collections.abc import Iterable
from dataclasses import dataclass

CONSTANT = 0
MAX_VARIABLES = 9


@dataclass(frozen=True)
class Operator:
    name: str
    code: int
    arity: int
    weight: float


OPERATORS = tuple(
    Operator(name, 10 + i, arity, weight)
    for i, (name, arity, weight) in enumerate(
        [
            ("add", 2, 10),
            ("sub", 2, 5),
            ("mul", 2, 10),
            ("div", 2, 5),
            ("sqrt", 1, 4),
            ("exp", 1, 4),
            ("ln", 1, 4),
            ("sin", 1, 4),
            ("cos", 1, 4),
            ("pow2", 1, 4),
            ("pow3", 1, 2),
            ("pow4", 1, 1),
            ("pow5", 1, 1),
            ("pow", 2, 0),  # x^c with a free exponent: test sets and inserted constants only
        ]
    )
)
BY_NAME = {op.name: op for op in OPERATORS}
BY_CODE = {op.code: op for op in OPERATORS}
ADD, SUB, MUL, DIV, SQRT, EXP, LN, SIN, COS, POW2, POW3, POW4, POW5, POW = (
    op.code for op in OPERATORS
)


ARITHMETIC = (ADD, SUB, MUL, POW2, POW3, POW4, POW5)  # sums and products
SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow", "log": "ln"}


def codes_of(names: Iterable[str]) -> frozenset[int]:
    """Codes of operators that are named as users do, with those of sums and products.

    >>> sorted(codes_of(["exp", "/"]) - codes_of([])) == sorted([EXP, DIV])
    True

    Raises ValueError for an unknown name.
    """
    found = set(ARITHMETIC)
    for name in names:
        if (known := BY_NAME.get(SYMBOLS.get(name, name))) is None:
            others = "/, ^, sqrt, exp, ln, sin, cos"
            raise ValueError(f"unknown operator {name!r}; known beside +, - and * are {others}")
        found.add(known.code)
    return frozenset(found)


def arity(code: int) -> int:
    """Number of operands, 0 for constants and variables; ValueError for an unknown code."""
    if CONSTANT <= code <= MAX_VARIABLES:
        return 0
    if code not in BY_CODE:
        raise ValueError(f"unknown operator code {code}; known are {sorted(BY_CODE)}")
    return BY_CODE[code].arity


def name_of(code: int) -> str:
    """The token of ``code``: ``C``, ``x1`` … or the operator's name.

    >>> [name_of(c) for c in (0, 2, 14)]
    ['C', 'x2', 'sqrt']
    """
    if code == CONSTANT:
        return "C"
    return f"x{code}" if code <= MAX_VARIABLES else BY_CODE[code].name
