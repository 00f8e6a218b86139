"""Terms of sums, weighted sums, monomials."""

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from .expression import Expression, Tree, from_tree, power_tree, to_tree

FUNCTIONS = ("sin", "cos", "exp", "ln", "sqrt", "pow")
ONE: Tree = ("c", 1.0)


def subtrees(tree: Tree) -> Iterator[Tree]:
    """The tree and all trees within it, in prefix order."""
    yield tree
    for child in () if tree[0] in ("x", "c") else tree[1:]:
        yield from subtrees(child)


def terms(tree: Tree) -> list[Tree]:
    """Terms of a top-level sum; a minus becomes a factor −1."""
    if tree[0] == "add":
        return terms(tree[1]) + terms(tree[2])
    if tree[0] == "sub":
        return terms(tree[1]) + [("mul", ("c", -1.0), t) for t in terms(tree[2])]
    return [tree]


def factors(term: Tree) -> list[Tree]:
    """Factors of a product."""
    return factors(term[1]) + factors(term[2]) if term[0] == "mul" else [term]


def times(a: Tree, b: Tree) -> Tree:
    """a·b without a factor 1."""
    return b if a == ONE else a if b == ONE else ("mul", a, b)


def scaled(part: Tree) -> tuple[float, Tree]:
    """A constant factor, and the part without it."""
    if part[0] == "c":
        return part[1], ONE
    if part[0] == "mul":
        (c, a), (k, b) = scaled(part[1]), scaled(part[2])
        return c * k, times(a, b)
    if part[0] == "div":
        c, a = scaled(part[1])
        return c, ("div", a, part[2])
    return 1.0, part


def joined(operator: str, trees: Sequence[Tree]) -> Tree:
    """The trees joined by a binary operator, from the left."""
    return functools.reduce(lambda left, right: (operator, left, right), trees)


def summed(parts: Iterable[tuple[float, Tree]]) -> Tree:
    """Σ factor · part, at least one, a minus as a difference but of the first.

    >>> summed([(-1.0, ("x", 1)), (-2.0, ("x", 2))])
    ('sub', ('mul', ('c', -1.0), ('x', 1)), ('mul', ('c', 2.0), ('x', 2)))
    """
    (factor, part), *others = parts
    tree = times(("c", factor), part)
    for factor, part in others:
        tree = ("sub" if factor < 0.0 else "add", tree, times(("c", abs(factor)), part))
    return tree


def monomials(n_variables: int, degree: int) -> list[Tree]:
    """1 and all products of variables up to total ``degree``.

    >>> len(monomials(2, 2)), len(monomials(3, 3))
    (6, 20)
    """
    found = [ONE]
    for total in range(1, degree + 1):
        for choice in itertools.combinations_with_replacement(range(1, n_variables + 1), total):
            powers = Counter(choice).items()
            found.append(joined("mul", [power_tree(("x", j), ("c", float(p))) for j, p in powers]))
    return found


def weighted_sum(terms: Sequence[Tree], coefficients: np.ndarray) -> Expression:
    """Σ_k c_k·φ_k, divided by the c_k of largest magnitude; ``coefficients`` (M,)."""
    weights = coefficients / coefficients[np.abs(coefficients).argmax()]
    pieces = [
        ("c", float(weight)) if term[0] == "c" else ("mul", ("c", float(weight)), term)
        for term, weight in zip(terms, weights, strict=True)
    ]
    return from_tree(joined("add", pieces))


def without_common_function(expression: Expression) -> Expression:
    """Without functions that are a factor of every term: where g(x)·h(x) = 0, h alone is a law.

    >>> from pie.expr.expression import parse
    >>> str(without_common_function(parse("x1*cos(0.3*x2) + 2*cos(0.3*x2)")))
    'x1 + 2.0'
    >>> str(without_common_function(parse("x1*cos(0.3*x2) - 2*x1")))
    'x1*cos(0.3*x2) - 2.0*x1'
    >>> str(without_common_function(parse("x1*ln(x2)*sin(x1)*ln(x2) + 2*ln(x2)*ln(x2)*sin(x1)")))
    'x1 + 2.0'
    """
    every = [factors(term) for term in terms(to_tree(expression))]
    functions = [Counter(f for f in several if f[0] in FUNCTIONS) for several in every]
    common = functools.reduce(Counter.__and__, functions)
    if not common or len(every) < 2:
        return expression
    for function in common.elements():
        for several in every:
            several.remove(function)
    return from_tree(joined("add", [joined("mul", s or [ONE]) for s in every]))


def _variable_factors(term: Tree) -> set[int]:
    """Variables of which a positive integer power is a factor."""
    if term[0] in ("mul", "div"):
        below = _variable_factors(term[2]) if term[0] == "mul" else set()
        return _variable_factors(term[1]) | below
    if term[0].startswith("pow") and term[0] != "pow":
        return _variable_factors(term[1])
    return {term[1]} if term[0] == "x" else set()


def shared_factors(expression: Expression) -> set[int]:
    """Variables that divide every term of a sum.

    >>> from pie.expr.expression import parse
    >>> shared_factors(parse("x1*x2 - 2*x2**3")), shared_factors(parse("x1*x2 - 1"))
    ({2}, set())
    """
    return set.intersection(*(_variable_factors(term) for term in terms(to_tree(expression))))
