"""Branches: equations of that part of a zero set on which the points lie.

* A·v² + R = 0 with a variable v: v·w = ± √(−w²·R/A), for a product w of other variables (or 1) such
  that v·w has one sign. So x1²·x2² = 1 − x3² with x1·x2 > 0 becomes x1·x2 = √(1 − x3²).
* a·t² + b·t + R = 0 with a term t: t + b/2a = ± √((b/2a)² − R/a).
* v·R = 0, where v is 0 at no point: R = 0.
* g(u) = c, g a sine, cosine or even power: u = s, if the points are near one solution s only; else,
  for a sine or cosine, a level of cos(u/m), if they are near the solutions of that only.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..expr.terms import bare, terms

TWO: Tree = ("c", 2.0)
TOGETHER = 2  # variables in w at most
MOSTLY = 0.98  # smallest share of the points on the branch
ROUNDING = 1e-9  # relative size below which the constant under a root is 0
TURNS = 20  # periods on either side of 0
LONGER = (2, 3)  # m: periods of cos(u/m) in those of cos(u)
CLOSE = 1e-7  # tolerance of a phase that is a multiple of π/2


def _contains(tree: Tree, variable: int) -> bool:
    if tree[0] == "x":
        return tree[1] == variable
    return tree[0] != "c" and any(_contains(child, variable) for child in tree[1:])


def _factors(term: Tree) -> list[Tree]:
    return _factors(term[1]) + _factors(term[2]) if term[0] == "mul" else [term]


def _product(factors: list[Tree]) -> Tree:
    tree = factors[0]
    for factor in factors[1:]:
        tree = ("mul", tree, factor)
    return tree


def _total(parts: list[Tree]) -> Tree:
    tree = parts[0] if parts else ("c", 0.0)
    for part in parts[1:]:
        tree = ("add", tree, part)
    return tree


def _around(term: Tree, factor: Tree) -> Tree | None:
    """A product without one of its factors; None if it does not have that factor."""
    factors = _factors(term)
    if factor not in factors:
        return None
    factors.remove(factor)
    return _product(factors or [("c", 1.0)])


def _has_factor(term: Tree, variable: int) -> bool:
    """Whether a product has the variable, or an integer power of it, as a factor."""
    powers = [("x", variable), *((f"pow{k}", ("x", variable)) for k in (2, 3, 4, 5))]
    return any(factor in powers for factor in _factors(term))


def branches(expression: Expression, points: np.ndarray) -> Iterator[Expression]:
    """Equations, with constants, of the branches on which points (N, D) lie."""
    tree = to_tree(expression)
    summands = terms(tree)
    yield from _of_level(summands, points)
    yield from _of_shifted_squares(summands, points)
    for v in expression.variables:
        if np.all(points[:, v - 1] != 0.0) and all(_has_factor(term, v) for term in summands):
            yield from_tree(("div", tree, ("x", v)))
        square = ("pow2", ("x", v))
        pairs = [(term, _around(term, square)) for term in summands]
        squared = [a for _, a in pairs if a is not None and not _contains(a, v)]
        rest = [term for term, a in pairs if a is None or _contains(a, v)]
        if squared and rest:
            yield from _of_square(v, _total(squared), _total(rest), expression.variables, points)


def _solutions(head: str, level: float) -> np.ndarray:
    """Solutions u of head(u) = level, for periodic functions within ``TURNS`` periods of 0."""
    if head == "pow2":
        return np.sqrt(max(level, 0.0)) * np.array([-1.0, 1.0])
    if abs(level) > 1.0:
        return np.empty(0)
    first = np.arcsin(level) if head == "sin" else np.arccos(level)
    second = np.pi - first if head == "sin" else -first
    turns = 2.0 * np.pi * np.arange(-TURNS, TURNS + 1)
    return np.unique(np.concatenate([first + turns, second + turns]))


def _root(factor: Tree) -> Tree:
    """The square root of an even power or an exponential."""
    if factor[0] == "exp":
        return ("exp", ("mul", ("c", 0.5), factor[1]))
    return factor[1] if factor[0] == "pow2" else ("pow2", factor[1])


def _outermost(factors: list[Tree]) -> tuple[str, Tree] | None:
    """(g, u) of a product that is g(u), g a sine, cosine or square; else None."""
    even = ("pow2", "pow4")
    if any(f[0] in even for f in factors) and all(f[0] in (*even, "exp") for f in factors):
        return "pow2", _product([_root(factor) for factor in factors])
    head, *inside = factors[0]
    return (head, inside[0]) if len(factors) == 1 and head in ("sin", "cos") else None


def _of_level(summands: list[Tree], points: np.ndarray) -> Iterator[Expression]:
    """Of a·g(u) + c, where the points are near some of the solutions u only."""
    level = -sum(term[1] for term in summands if term[0] == "c")
    others = [_factors(term) for term in summands if term[0] != "c"]
    if len(others) != 1:
        return
    numbers = [factor[1] for factor in others[0] if factor[0] == "c"]
    outermost = _outermost([factor for factor in others[0] if factor[0] != "c"])
    if outermost is None:
        return
    head, inside = outermost
    with np.errstate(all="ignore"):
        u = from_tree(inside).values(points)
    solutions = _solutions(head, level / np.prod(numbers))
    if not np.isfinite(u).all() or not len(solutions):
        return
    nearest = np.abs(u[:, None] - solutions).argmin(axis=1)
    most = int(np.bincount(nearest).argmax())
    if np.mean(nearest == most) >= MOSTLY:
        yield from_tree(("sub", inside, ("c", float(solutions[most]))))
    elif head != "pow2":
        yield from _of_lower_frequency(head, inside, level / np.prod(numbers), u)


def _of_lower_frequency(
    head: str, inside: Tree, level: float, u: np.ndarray
) -> Iterator[Expression]:
    """Of sin(u) = c or cos(u) = c: cos(u/m) = c', if the points are near its zeros only."""
    middle, angle = np.pi / 2.0 if head == "sin" else 0.0, np.arccos(level)
    summands = terms(inside)
    start = sum(term[1] for term in summands if term[0] == "c")
    for m in LONGER:
        turns = 2.0 * np.pi * np.arange(m)
        solutions = middle + np.concatenate([angle + turns, -angle + turns])
        away = np.abs((u[:, None] - solutions + np.pi * m) % (2.0 * np.pi * m) - np.pi * m)
        share = np.bincount(away.argmin(axis=1), minlength=2 * m) / len(u)
        first, second = np.argsort(-share, kind="stable")[:2]
        if share[first] + share[second] < MOSTLY:
            continue
        centre = 0.5 * (solutions[first] + solutions[second])
        apart = 0.5 * (solutions[first] - solutions[second])
        wave = _cosine(m, [t for t in summands if t[0] != "c"], start, centre)
        if wave is not None:
            yield from_tree(("sub", wave, ("c", float(np.cos(apart / m)))))


def _cosine(m: int, inside: list[Tree], start: float, centre: float) -> Tree | None:
    """cos((t + start − centre)/m), if it needs no constant that cos(t + start) lacks; else None."""
    slow, shift = ("mul", ("c", 1.0 / m), _total(inside)), (start - centre) / m
    quarters = round(shift / (np.pi / 2.0))
    if abs(shift - quarters * np.pi / 2.0) <= CLOSE:
        sign = ("c", -1.0 if quarters % 4 in (1, 2) else 1.0)
        return ("mul", sign, ("sin" if quarters % 2 else "cos", slow))
    return ("cos", ("add", slow, ("c", float(shift)))) if start else None


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
            inside = ("div", _product([("c", -1.0), rest, *squares]), a)
            product = _product([("c", sign), ("x", v), *(("x", u) for u in chosen)])
            yield from_tree(("sub", product, ("sqrt", inside)))
            if size == 0:
                return


def _square(tree: Tree) -> list[Tree]:
    """Factors of the square of a product, sorted."""
    powers = {"pow2": lambda t: ("pow4", t[1]), "exp": lambda t: ("exp", ("mul", TWO, t[1]))}
    factors = (powers.get(f[0], lambda t: ("pow2", t))(f) for f in _factors(tree))
    return sorted(factors, key=str)


def _of_shifted_squares(summands: list[Tree], points: np.ndarray) -> Iterator[Expression]:
    """Of a·t² + b·t + R, for every term t whose square is a term."""
    bares = [(bare(term), term) for term in summands if term[0] != "c"]
    numbers = [term[1][1] if term is not alone else 1.0 for alone, term in bares]
    for place, (t, _) in enumerate(bares):
        wanted = _square(t)
        found = [k for k, (u, _) in enumerate(bares) if sorted(_factors(u), key=str) == wanted]
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
        others = [term for k, (_, term) in enumerate(bares) if k not in (place, found[0])]
        inside = ("sub", ("c", level), ("div", _total(others), ("c", a)))
        root = ("mul", ("c", sign), ("add", t, ("c", half)))
        yield from_tree(("sub", root, ("sqrt", inside)))
