"""Factorisation of an equation, and the share of the points on each factor.

The zero set of g·h is the union of those of g and h: points with g = 0 alone fit it as well.
Factored are polynomials in the variables and in functions of them, over the rationals, constants
rounded to :data:`DIGITS` significant digits.
"""

import contextlib
from dataclasses import dataclass

import numpy as np
import sympy

from ..expr.coordinates import in_units
from ..expr.expression import Expression, parse
from ..expr.sympy_bridge import to_sympy
from .distance import distance_to_zero_set

DIGITS = 4
LARGEST_DEGREE = 8  # total; factoring is slow beyond
MOST_TERMS = 40
LONGEST = 40  # tokens


@dataclass(frozen=True)
class Factor:
    """A factor of f, and the share of the points that are nearest to its zeros."""

    expression: Expression
    share: float


def factors(expression: Expression, points: np.ndarray, units: np.ndarray) -> tuple[Factor, ...]:
    """Factors of f, the one with the largest share of the points (N, D) first.

    ``units`` (D,) of the columns scale the distances. Returns f alone if it is irreducible or
    too large to be factored.
    """
    found = _factored(expression)
    if len(found) < 2:
        return (Factor(expression, 1.0),)
    distances = np.stack([_distances(factor, points, units) for factor in found])
    nearest = np.argmin(distances, axis=0)
    near = np.isfinite(distances.min(axis=0))
    shares = [float(np.mean(near & (nearest == i))) for i in range(len(found))]
    ranked = sorted(zip(found, shares, strict=True), key=lambda pair: -pair[1])
    return tuple(Factor(factor, share) for factor, share in ranked)


def _factored(expression: Expression) -> list[Expression]:
    """Non-constant factors; none if f is constant, too large or not representable."""
    if len(expression.codes) > LONGEST:
        return []
    constants = [sympy.Rational(f"{value:.{DIGITS}g}") for value in expression.constants]
    inside: dict[sympy.Expr, sympy.Symbol] = {}
    form = sympy.together(_opaque(to_sympy(expression, constants), inside))
    if not form.free_symbols:  # constant
        return []
    polynomial = sympy.Poly(sympy.numer(form), *sorted(form.free_symbols, key=str), domain="QQ")
    if polynomial.total_degree() > LARGEST_DEGREE or len(polynomial.terms()) > MOST_TERMS:
        return []
    back = {symbol: function for function, symbol in inside.items()}
    parts = [part.as_expr().xreplace(back) for part, _ in polynomial.factor_list()[1]]
    try:
        return [parse(str(part.evalf(15))) for part in parts]
    except ValueError:  # not in the operator table
        return []


def _opaque(form: sympy.Expr, inside: dict[sympy.Expr, sympy.Symbol]) -> sympy.Expr:
    """``form`` with functions and non-integer powers as symbols, recorded in ``inside``.

    SymPy would treat exp(x) as the 1000th power of exp(x/1000), which does not finish.
    """
    whole = form.is_Pow and form.exp.is_Integer and abs(form.exp) <= LARGEST_DEGREE
    if form.is_Add or form.is_Mul or whole:
        return form.func(*(_opaque(part, inside) for part in form.args))
    if form.is_Symbol or form.is_Rational:
        return form
    return inside.setdefault(form, sympy.Dummy(real=True))


@np.errstate(all="ignore")
def _distances(factor: Expression, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    with contextlib.suppress(ValueError):  # longer than MAX_LENGTH in other units
        factor, points = in_units(factor, np.zeros(len(units)), units), points / units
    return distance_to_zero_set(factor, points)
