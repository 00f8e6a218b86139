"""Branches: equations of that part of a zero set on which the points lie.

* A·v² + R = 0 with a variable v: v·w = ± √(−w²·R/A), for a product w of other variables (or 1) such
  that v·w has one sign. So x1²·x2² = 1 − x3² with x1·x2 > 0 becomes x1·x2 = √(1 − x3²).
* a·t² + b·t + R = 0 with a term t: t + b/2a = ± √((b/2a)² − R/a).
* v·R = 0, where v is 0 at no point: R = 0.

The first two are solved for v, or for t: R holds no variable of it, and A does not hold v.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..expr.terms import ONE, factors, joined, scaled, terms

TWO: Tree = ("c", 2.0)
ZERO: Tree = ("c", 0.0)
TOGETHER = 2  # variables in w at most
MOSTLY = 0.98  # smallest share of the points on the branch
ROUNDING = 1e-9  # relative size below which the constant under a root is 0


def _around(term: Tree, factor: Tree) -> Tree | None:
    """A product without one of its factors; None if it does not have that factor."""
    several = factors(term)
    if factor not in several:
        return None
    several.remove(factor)
    return joined("mul", several or [ONE])


def branches(expression: Expression, points: np.ndarray) -> Iterator[Expression]:
    """Equations, with constants, of the branches on which points (N, D) lie."""
    tree = to_tree(expression)
    summands = terms(tree)
    yield from _of_shifted_squares(summands, points)
    for v in expression.variables:
        x = ("x", v)
        powers = {x, *((f"pow{k}", x) for k in (2, 3, 4, 5))}
        if np.all(points[:, v - 1] != 0.0) and all(powers & {*factors(t)} for t in summands):
            yield from_tree(("div", tree, x))
        squared, rest = [], []
        for term in summands:
            a = _around(term, ("pow2", x))
            alone = a is not None and v not in from_tree(a).variables
            (squared if alone else rest).append(a if alone else term)
        if squared and rest and v not in from_tree(r := joined("add", rest)).variables:
            yield from _of_square(v, joined("add", squared), r, expression.variables, points)


def _one_sign(numbers: np.ndarray) -> float | None:
    """±1.0, the sign of nearly all numbers; None if there is none."""
    share = np.mean(numbers > 0.0)
    return 1.0 if share >= MOSTLY else -1.0 if share <= 1.0 - MOSTLY else None


def _of_square(
    v: int, a: Tree, rest: Tree, variables: tuple[int, ...], points: np.ndarray
) -> Iterator[Expression]:
    """Of A·v² + R, for each w such that v·w has one sign; w = 1 alone if v has one."""
    others = [u for u in variables if u != v]
    for size in range(min(len(others), TOGETHER) + 1):
        for chosen in combinations(others, size):
            sign = _one_sign(points[:, v - 1] * np.prod(points[:, [u - 1 for u in chosen]], axis=1))
            if sign is None:
                continue
            squares = [("pow2", ("x", u)) for u in chosen]
            inside = ("div", joined("mul", [("c", -1.0), rest, *squares]), a)
            product = joined("mul", [("c", sign), ("x", v), *(("x", u) for u in chosen)])
            yield from_tree(("sub", product, ("sqrt", inside)))
            if size == 0:
                return


def _square(tree: Tree) -> list[Tree]:
    """Factors of the square of a product, sorted."""
    powers = {"pow2": lambda t: ("pow4", t[1]), "exp": lambda t: ("exp", ("mul", TWO, t[1]))}
    squares = (powers.get(f[0], lambda t: ("pow2", t))(f) for f in factors(tree))
    return sorted(squares, key=str)


def _of_shifted_squares(summands: list[Tree], points: np.ndarray) -> Iterator[Expression]:
    """Of a·t² + b·t + R, for every term t whose square is a term."""
    others = [term for term in summands if term[0] != "c"]
    numbers, bare = zip(*map(scaled, others), strict=True) if others else ((), ())
    squares = [sorted(factors(t), key=str) for t in bare]
    for place, t in enumerate(bare):
        found = [k for k, square in enumerate(squares) if square == _square(t)]
        if len(found) != 1:
            continue
        a, half = numbers[found[0]], 0.5 * numbers[place] / numbers[found[0]]
        with np.errstate(all="ignore"):
            sign = _one_sign(from_tree(t).values(points) + half)
        if sign is None:
            continue
        level = half**2 - sum(term[1] for term in summands if term[0] == "c") / a
        if abs(level) <= ROUNDING * half**2:
            level = 0.0
        left = [term for k, term in enumerate(others) if k not in (place, found[0])]
        rest = joined("add", left or [ZERO])
        if {*from_tree(t).variables} & {*from_tree(rest).variables}:
            continue
        inside = ("sub", ("c", level), ("div", rest, ("c", a)))
        root = ("mul", ("c", sign), ("add", t, ("c", half)))
        yield from_tree(("sub", root, ("sqrt", inside)))
