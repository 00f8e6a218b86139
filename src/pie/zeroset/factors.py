"""Is an equation a product, and which of its factors does the data obey?

Where f = g·h, the zero set is that of g and that of h together: points that obey g alone fit f as
well. A product is looked for among polynomials in the variables and in functions of these, with
constants rounded to :data:`DIGITS` significant digits.
"""

from dataclasses import dataclass

import numpy as np
import sympy

from ..expr.coordinates import in_units
from ..expr.expression import Expression, parse
from ..expr.sympy_bridge import to_sympy
from .distance import distance_to_zero_set

DIGITS = 4
LARGEST_DEGREE = 8  # beyond, factoring takes long
MOST_TERMS = 40
LONGEST = 40  # tokens


@dataclass(frozen=True)
class Factor:
    """A factor of f with zeros of its own, and the share of the points nearest to these."""

    expression: Expression
    share: float


def factors(expression: Expression, points: np.ndarray, units: np.ndarray) -> tuple[Factor, ...]:
    """Factors of f with the share of the points (N, D) that each carries, most of them first.

    Args:
        expression: f.
        points: that obey f, or nearly.
        units: of the columns, in which distances are compared, (D,).

    Returns:
        One factor, f itself, where f is irreducible or was not tried.

    >>> cloud = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, -3.0]])
    >>> [(str(f.expression), round(f.share, 2)) for f in
    ...  factors(parse("x1**2 - 1.00001*x2**2"), cloud, np.ones(2))]
    [('x1 - x2', 0.67), ('x1 + x2', 0.33)]
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
    """Factors that have variables; nothing where f is no product, or too large to tell."""
    if len(expression.codes) > LONGEST:
        return []
    constants = [_rational(value) for value in expression.constants]
    inside: dict[sympy.Expr, sympy.Symbol] = {}
    form = sympy.together(_opaque(to_sympy(expression, constants), inside))
    if not form.free_symbols:  # 0 everywhere, or constant
        return []
    polynomial = sympy.Poly(sympy.numer(form), *sorted(form.free_symbols, key=str), domain="QQ")
    if polynomial.total_degree() > LARGEST_DEGREE or len(polynomial.terms()) > MOST_TERMS:
        return []
    back = {symbol: function for function, symbol in inside.items()}
    parts = [part.as_expr().xreplace(back) for part, _ in polynomial.factor_list()[1]]
    try:
        return [parse(str(part.evalf(15))) for part in parts]
    except ValueError:  # a form that our language lacks
        return []


def _opaque(form: sympy.Expr, inside: dict[sympy.Expr, sympy.Symbol]) -> sympy.Expr:
    """With functions and powers that are not whole as symbols of their own, kept in ``inside``.

    SymPy would take exp(x/1000) and exp(x) for powers of one symbol, and never end.
    """
    whole = form.is_Pow and form.exp.is_Integer and abs(form.exp) <= LARGEST_DEGREE
    if form.is_Add or form.is_Mul or whole:
        return form.func(*(_opaque(part, inside) for part in form.args))
    if form.is_Symbol or form.is_Rational:
        return form
    return inside.setdefault(form, sympy.Dummy(real=True))


def _rational(value: float) -> sympy.Rational:
    return sympy.Rational(f"{value:.{DIGITS}g}")


@np.errstate(all="ignore")
def _distances(factor: Expression, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    try:
        scaled = in_units(factor, np.zeros(len(units)), units)
    except ValueError:  # too long in other units
        return distance_to_zero_set(factor, points)
    return distance_to_zero_set(scaled, points / units)
