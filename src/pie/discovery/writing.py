"""Equations as people write them."""

import math
from collections.abc import Sequence

import sympy
from sympy.core.parameters import distribute

from ..expr.canonical import canonical
from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..expr.known_numbers import free_numbers, known_numbers
from ..expr.solving import solved_for
from ..expr.sympy_bridge import balanced
from ..expr.terms import factors, joined, scaled, terms, times
from ..search.shapes import Usual, alike, usual_form


def usual(expression: Expression) -> Usual:
    """How people write an equation; of one without zeros nobody does."""
    try:
        return usual_form(canonical(expression))
    except ValueError:
        return Usual()


def as_people_write(expression: Expression, given: Sequence[bool] = ()) -> Expression:
    """The same zeros in the form that people write: a measured column by those that were set.

    ``given`` marks the columns whose values were set. As it is where there is no such form.

    >>> from pie.expr.expression import parse
    >>> str(as_people_write(parse("x1 - 2.5*ln(x2) - 5"), [True, False]))
    'x2 - 0.1353352832366127*exp(0.4*x1)'
    >>> str(as_people_write(parse("x1 - 0.04*x1*ln(x2) - 345"), [True, False]))
    'x2 - 72004899337.38588*exp((-8625.0)/x1)'
    """
    measured = [j for j, one in enumerate(given, 1) if not one and j in expression.variables]
    now, numbers = usual(expression), free_numbers(expression).shape[1]
    by_another = now.variable and now.variable not in measured
    if not any(given) or (now.name and not by_another):
        return led(expression)
    for variable in reversed(measured):
        try:
            solved = to_tree(solved_for(expression, variable))
            other = canonical(from_tree(("sub", ("x", variable), solved)))
        except ValueError:  # not solved, or too long
            continue
        if usual(other).variable == variable and free_numbers(other).shape[1] <= numbers:
            return led(other)
    return led(expression)


def led(expression: Expression) -> Expression:
    """Divided by the factor of a term that has none where people write such a curve.

    Where that term stands beside it times b·exp(k·x), this is exp(k·(x − x₀)), as x₀ is better known
    than b. As it is where the curve has no usual form, or where a known number would be lost.

    >>> from pie.expr.expression import parse
    >>> str(led(parse("x1 - 2.5*x2 + 3.7")))
    'x2 - 0.4*x1 - 1.48'
    >>> str(led(parse("x1 - 2.5*x2 - 0.5*x1*x2")))
    'x1*x2 - 2.0*x1 + 5.0*x2'
    >>> str(led(parse("x2 + 5*x2*exp(-1.6*x1) - 3")))
    'x2 + x2*exp((-1.6)*(x1 - 1.0058986952713127)) - 3.0'
    >>> str(led(parse("2*x2 + 8*exp(-1.6*x1) - 6")))
    'x2 + 4.0*exp((-1.6)*x1) - 3.0'
    """
    lead = usual(expression).lead
    parts = [scaled(term) for term in terms(to_tree(expression))]
    parts.sort(key=lambda part: alike(part[1]) != lead)
    first, tree = parts[0]
    if not lead or alike(tree) != lead:
        return expression
    others = _centred([(factor / first, part) for factor, part in parts[1:]], factors(tree))
    if others == parts[1:]:
        return expression
    for factor, part in others:
        one = abs(factor) == 1.0
        summand = part if one else times(("c", abs(factor)), part)
        tree = ("sub" if factor < 0.0 else "add", tree, summand)
    found = from_tree(tree)
    lost = known_numbers(found).sum() < known_numbers(expression).sum()
    return expression if lost else found


def _centred(parts: list[tuple[float, Tree]], lead: list[Tree]) -> list[tuple[float, Tree]]:
    """Factors and terms with exp(k·(x − x₀)) for the b·exp(k·x) that is beside ``lead``."""
    for b, part in parts:
        both = factors(part)
        match [one for one in both if one not in lead] if all(f in both for f in lead) else []:
            case [("exp", ("mul", ("c", k), ("x", _) as x)) as old] if b > 0.0 and k:
                middle: Tree = ("sub", x, ("c", -math.log(b) / k))
                new: Tree = ("exp", ("mul", ("c", k), middle))
                return [
                    (factor / b, joined("mul", [new if f == old else f for f in factors(one)]))
                    if old in factors(one) else (factor, one)
                    for factor, one in parts
                ]  # fmt: skip
    return parts


def equation(f: sympy.Expr, program: Expression, names: tuple[str, ...]) -> sympy.Eq:
    """f = 0, solved for the column for which the curve of ``program`` is usually given.

    Without a usual name what is subtracted stands on the right side.
    """
    variable = usual(program).variable
    with distribute(False):  # k*(x - x0) stays a product
        found = _solved(f, sympy.Symbol(names[variable - 1])) if variable else None
        return balanced(f) if found is None else found


def _solved(f: sympy.Expr, column: sympy.Symbol) -> sympy.Eq | None:
    """f = 0 solved for a column in which it is linear; None if it is not, or a number divides.

    Its constants stay as they are, for they have names and errors; :mod:`pie.expr.solving` reckons
    with their values.
    """
    summands = sympy.Add.make_args(f)
    around = [term / column for term in summands if term.has(column)]
    if not around or any(one.has(column) for one in around):
        return None
    below = sympy.Add(*around)
    if below.is_Number and below != 1:
        return None
    above = [-term for term in summands if not term.has(column)]
    if below.is_Add:
        return sympy.Eq(column, sympy.Add(*above) / below, evaluate=False)
    return sympy.Eq(column, sympy.Add(*(term / below for term in above)), evaluate=False)
