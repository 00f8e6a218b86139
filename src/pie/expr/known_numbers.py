"""Numbers of an equation: those that are fitted, known ones, and one number in several places.

In formulas of science (data/prior) one of five constants that are summands is ±1, as in √(1 − v²),
one of eight exponents is a half-integer, and one of eight constants has the magnitude of an earlier
one, as in A·(1 − exp(−k·t)) = A − A·exp(−k·t); tools/forms.py counts them.
"""

import functools
import math
from collections.abc import Set

import numpy as np

from .expression import Expression
from .operators import ADD, CONSTANT, COS, EXP, LN, MUL, POW, SIN, SQRT, SUB, arity

RATES = (np.pi / 360.0, np.pi / 180.0, np.pi / 90.0)  # of sin and cos of an angle in degrees
QUARTER = np.pi / 2.0  # of a turn: a phase that makes a cosine of a sine
WHOLE = (1.0, 2.0, 3.0, 4.0, 5.0, 1 / 2, 1 / 3, 1 / 4, 1 / 5)  # magnitudes counted as exact
SAME = 1e-12  # relative tolerance for a number of waves
NEAR = 0.01  # the same, for a rate that may be one of :data:`RATES`
LARGEST = 4.0  # half-integer that is a known exponent at most: two of those formulas have more
ALIKE = 0.1  # relative difference of two numbers that may be one
FACTOR, SUMMAND, EXPONENT = "factor", "summand", "exponent"  # parts that a constant plays
RADICAND = "radicand"  # a factor of what a root, power or logarithm is of: its sign, if canonical
WAVE = "wave"  # inside of a sine or cosine
_INSIDE = {EXP: "exp", LN: "ln", SIN: WAVE, COS: WAVE}


@functools.lru_cache(maxsize=4096)
def parts_of(codes: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    """The part of each constant, and what it is inside of: exp, ln, a wave, or nothing ("")."""
    found: list[tuple[str, str]] = []
    operands = [(FACTOR, "")]  # those to come, the next one last
    for code in codes:
        part, inside = operands.pop()
        if code == CONSTANT:
            found.append((part, inside))
        inside = _INSIDE.get(code, inside)
        within = RADICAND if code in (SQRT, LN, POW) or part == RADICAND else FACTOR
        below = [SUMMAND if code in (ADD, SUB) else within] * arity(code)
        if code == POW:
            below[0] = EXPONENT
        operands += [(part, inside) for part in below]
    return tuple(found)


def _is_rate(size: float, inside: str) -> bool:
    return inside == WAVE and any(abs(size - rate) <= SAME * rate for rate in RATES)


def _is_known(size: float, part: str, inside: str) -> bool:
    if part == EXPONENT:
        return 2.0 * size == round(2.0 * size) and size <= LARGEST
    if inside == WAVE:
        phase = part == SUMMAND and abs(size - QUARTER) <= SAME * QUARTER
        return phase or _is_rate(size, inside)
    return part in (SUMMAND, RADICAND) and size == 1.0


def known_numbers(expression: Expression) -> np.ndarray:
    """Constants that are known and not fitted, (P,).

    Half-integers up to 4 as exponents; outside of waves ±1 as a summand, or as the sign of what a
    root, power or logarithm is of; inside of waves π/2 as a summand, and π/360, π/180 and π/90.

    >>> from pie.expr.expression import parse
    >>> known_numbers(parse("x1 - 2.5*sin(0.017453292519943295*x2)"))
    array([False,  True])
    >>> known_numbers(parse("x1*sqrt(1.0 - x2**2) - 1.5*x2**2.5"))
    array([ True, False,  True])
    """
    pairs = zip(expression.constants, parts_of(expression.codes), strict=True)
    return np.array([_is_known(abs(number), *part) for number, part in pairs], bool)


@functools.lru_cache(maxsize=4096)
def _multiplied(codes: tuple[int, ...]) -> tuple[int, ...]:
    """For each constant the j of the x_j that it multiplies and nothing else; 0: there is none."""
    triples = zip((0, 0, *codes), (0, *codes), codes, (*codes[1:], 0), strict=False)
    return tuple(
        after if before == MUL else before if earlier == MUL else 0
        for earlier, before, code, after in triples
        if code == CONSTANT
    )


def rates_of_degrees(expression: Expression, columns: Set[int] | None = None) -> np.ndarray:
    """Constants that are a rate of degrees, which says that a column is an angle, (P,).

    With ``columns`` those that stand before one of these x_j alone.

    >>> from pie.expr.expression import parse
    >>> law = parse("sin(0.017453292519943295*x1) - 0.7*sin(0.017453292519943295*x2)")
    >>> rates_of_degrees(law, {1})
    array([ True, False, False])
    """
    codes = expression.codes
    each = zip(expression.constants, parts_of(codes), _multiplied(codes), strict=True)
    return np.array(
        [
            _is_rate(abs(number), inside) and (columns is None or j in columns)
            for number, (_, inside), j in each
        ],
        bool,
    )


def free_numbers(expression: Expression) -> np.ndarray:
    """M, (P, F): F numbers are fitted, and their changes δ change the constants by M·δ.

    Known numbers do not change; constants of one magnitude are one number.

    >>> from pie.expr.expression import parse
    >>> free_numbers(parse("x1 + 4.2*exp(0.7*x2) - 4.2"))
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    constants = np.array(expression.constants, float)
    sizes = np.where(known_numbers(expression), 0.0, np.abs(constants))
    distinct = np.array([*dict.fromkeys(sizes[sizes > 0.0].tolist())])
    return np.sign(constants)[:, None] * (sizes[:, None] == distinct)


def _like(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two constants may be one number: both outside of functions, or of one part in one."""
    outside = (FACTOR, ""), (SUMMAND, "")
    return one == other or (one in outside and other in outside)


def simpler_values(expression: Expression) -> list[tuple[float, ...]]:
    """Simpler values for each constant that is fitted.

    0 and ±1, for an exponent the nearest half-integer > 0; inside of a wave a quarter of a turn, a
    half as a phase, and a rate of degrees within 1 %; the magnitude of a like constant within a
    tenth of it.
    """
    values: list[tuple[float, ...]] = []
    fitted = ~known_numbers(expression)
    numbers = [*zip(expression.constants, parts_of(expression.codes), fitted, strict=True)]
    for constant, part, free in numbers:
        if not free:
            values.append(())
            continue
        size, found = abs(constant), (0.0, 1.0, -1.0)
        others = [abs(c) for c, its, too in numbers if too and _like(part, its)]
        sizes = [other for other in others if 0.0 < abs(size - other) <= ALIKE * size]
        if part[0] == EXPONENT:
            found = (max(0.5, round(2.0 * constant) / 2.0),)
        elif part[1] == WAVE:
            sizes += [QUARTER, *(rate for rate in RATES if abs(size - rate) <= NEAR * rate)]
            sizes += [2.0 * QUARTER] if part[0] == SUMMAND else []
        values.append((*found, *(math.copysign(one, constant) for one in sizes)))
    return values
