"""An equation f = 0 solved for one of its variables, where arithmetic is enough."""

import functools

from .expression import Expression, Tree, from_tree, to_tree
from .terms import ONE, joined, scaled, subtrees, summed, terms, times

INVERSES = {"exp": "ln", "ln": "exp", "sqrt": "pow2", "pow2": "sqrt"}


class Unsolved(ValueError):
    """An equation that arithmetic does not solve for a variable."""


def solved_for(expression: Expression, variable: int) -> Expression:
    """g with x_v = g where f = 0, for the variable v; of an even power the positive root.

    Roots of x_v**3 to x_v**5 are powers of positive numbers, and nan for negative ones.
    f is linear in x_v, or only one of its terms holds x_v, once or in both parts of a quotient.

    >>> from pie.expr.expression import parse
    >>> str(solved_for(parse("x1 - 0.3*x2 + 2.1*x1*x2"), 2))
    'x1/(0.3 - 2.1*x1)'
    >>> str(solved_for(parse("x1 - 3*exp(-2*x2)"), 2))
    '(-0.5)*log(0.3333333333333333*x1)'
    >>> str(solved_for(parse("x1 - sqrt(x2/(1 - x2))"), 2))
    'x1**2/(1.0 + x1**2)'

    Raises:
        Unsolved: it has x_v in more than one place, or in a sine; or no x_v, or 0·x_v.
    """
    summands = terms(to_tree(expression))
    holding = [term for term in summands if _holds(term, variable)]
    others = _total([term for term in summands if not _holds(term, variable)], -1.0)
    if not holding:
        raise Unsolved(f"x{variable} is not in {expression}")
    if all(is_linear(term, variable) for term in holding):
        around = [_without(term, variable) for term in holding]
        return from_tree(_ratio(others, _total(around, 1.0)))
    if len(holding) > 1:
        raise Unsolved(f"x{variable} is in more than one term of {expression}")
    return from_tree(_isolated(holding[0], others, variable))


def implicit(expression: Expression) -> tuple[int, ...]:
    """The variables that f = 0 gives only implicitly: in several places, and f not linear in them.

    A sine with the variable inside counts as solved for.

    >>> from pie.expr.expression import parse
    >>> implicit(parse("x1 + x1*x2 - sin(x2) - x3"))
    (2,)
    """
    repeated = [v for v in expression.variables if expression.codes.count(v) > 1]
    summands = terms(to_tree(expression)) if repeated else []
    return tuple(v for v in repeated if not all(is_linear(term, v) for term in summands))


@functools.lru_cache(maxsize=65536)
def is_linear(term: Tree, variable: int) -> bool:
    """Whether x_v is no more than a factor of a term."""
    around = _without(term, variable)
    return not _holds(term if around is None else around, variable)


def _holds(tree: Tree, variable: int) -> bool:
    return ("x", variable) in subtrees(tree)


def _without(term: Tree, variable: int) -> Tree | None:
    """What multiplies x_v in a term; None if x_v is not a factor of it."""
    if term == ("x", variable):
        return ONE
    if term[0] == "mul":
        for mine, other in ((term[1], term[2]), (term[2], term[1])):
            if _holds(mine, variable) and (inner := _without(mine, variable)) is not None:
                return times(inner, other)
    if term[0] == "div" and (inner := _without(term[1], variable)) is not None:
        return ("div", inner, term[2])
    return None


def _total(parts: list[Tree], sign: float) -> Tree:
    """The sum of the parts times ±1, a minus as a difference where there is one."""
    pieces = [scaled(part) for part in parts]
    ordered = sorted(((sign * c, part) for c, part in pieces), key=lambda one: one[0] < 0.0)
    return summed(ordered) if ordered else ("c", 0.0)


def _ratio(above: Tree, below: Tree) -> Tree:
    (c, a), (k, b) = scaled(above), scaled(below)
    if k == 0.0:
        raise Unsolved("division by a factor 0")
    negative = [[scaled(term)[0] < 0.0 for term in terms(side)] for side in (above, below)]
    mixed = any(negative[1]) and not all(negative[1])
    if b != ONE and (all(negative[1]) or (mixed and all(negative[0]))):
        return _ratio(_total(terms(above), -1.0), _total(terms(below), -1.0))
    if b == ONE:
        return _total([("mul", ("c", c / k), a)], 1.0)
    return ("div", above, below)


def _isolated(tree: Tree, value: Tree, variable: int) -> Tree:
    """x_v where ``tree`` = ``value``; only ``tree`` holds x_v."""
    if tree == ("x", variable):
        return value
    name = tree[0]
    if name in INVERSES:
        return _isolated(tree[1], (INVERSES[name], value), variable)
    if name in ("pow3", "pow4", "pow5"):
        return _isolated(tree[1], ("pow", value, ("c", 1.0 / float(name[3:]))), variable)
    if name in ("sin", "cos"):
        raise Unsolved(f"x{variable} is inside {name}; a wave has many solutions")
    a, b = tree[1:]
    left = _holds(a, variable)
    if left and name == "div" and _holds(b, variable):
        both = terms(a) + [("mul", ("mul", ("c", -1.0), value), part) for part in terms(b)]
        return to_tree(solved_for(from_tree(joined("add", both)), variable))
    if left and _holds(b, variable):
        raise Unsolved(f"x{variable} is in more than one place")
    inner, other = (a, b) if left else (b, a)
    match name:
        case "add":
            new = ("sub", value, other)
        case "sub":
            new = ("add", value, b) if left else ("sub", a, value)
        case "mul":
            new = _ratio(value, other)
        case "div":
            new = ("mul", value, b) if left else ("div", a, value)
        case _:  # pow
            if not left:
                raise Unsolved(f"x{variable} is in an exponent")
            new = ("pow", value, ("div", ONE, b))
    return _isolated(inner, new, variable)
