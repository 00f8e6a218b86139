r"""Canonical form in which each fitted number stands once.

Canonical form has no products of sums and no denominators, so that a number inside of a function
may stand in several terms, where a fit would move them apart and a price would count each. Terms
that have such a factor in common are written as one, and the sum is divided by the coefficient that
most of its terms have:

    x2 = 0.4 + 1.5/(1 + 2.3·exp(−0.7·x1))   ⇒   x2 + 2.3·(x2 − 0.4)·exp(−0.7·x1) − 1.9
    x2 = 1.5·(exp(−0.3·x1) − exp(−1.7·x1))   ⇒   0.667·x2 + exp(−1.7·x1) − exp(−0.3·x1)
"""

import functools
import math
from collections import Counter
from collections.abc import Sequence

from .canonical import canonical
from .expression import Expression, Tree, from_tree, to_tree
from .solving import ONE, scaled
from .terms import factors, joined, terms

SAME = 1e-12  # relative difference of equal coefficients
MOST_ROUNDS = 4

Piece = tuple[float, tuple[Tree, ...]]  # a coefficient and the factors of a term


def collected(expression: Expression) -> Expression:
    """The canonical form of an equation with each of its inner numbers in one place.

    NoZeroSet as for :func:`~pie.expr.canonical.canonical`.

    >>> from pie.expr.expression import parse
    >>> str(collected(parse("x1*x2**1.7 + 0.7*x1 - 1.5*x2**1.7")))
    'x1 + 1.4285714285714286*(x1 - 1.5)*x2**1.7'
    """
    form = canonical(expression)
    for _ in range(MOST_ROUNDS):
        found = from_tree(_evened(_once(to_tree(form))))
        if found.codes == form.codes or (again := canonical(found)).codes == form.codes:
            break
        form = again  # some products are not expanded again, and have an order of their own
    return found


def _once(tree: Tree) -> Tree:
    """The tree with terms of its sums joined that share a factor with a number inside."""
    if tree[0] in ("x", "c"):
        return tree
    if tree[0] not in ("add", "sub"):
        return (tree[0], *map(_once, tree[1:]))
    return _total(_joined([_piece(_once(term)) for term in terms(tree)]))


def _joined(pieces: list[Piece]) -> list[Piece]:
    while shared := _shared(pieces):
        holding = [k for k, (_, factors) in enumerate(pieces) if shared in factors]
        inside = []
        for k in holding:
            c, factors = pieces[k]
            at = factors.index(shared)
            inside.append((c, factors[:at] + factors[at + 1 :]))
        lead = next(c for c, factors in inside if factors)
        around = _total(_joined([(c / lead, factors) for c, factors in inside]))
        pieces = [piece for k, piece in enumerate(pieces) if k not in holding[1:]]
        pieces[holding[0]] = lead, (around, shared)
    return pieces


def _shared(pieces: Sequence[Piece]) -> Tree | None:
    """The factor with a number inside that most terms have, if there are several."""
    found = Counter(f for _, factors in pieces for f in dict.fromkeys(factors) if _numbered(f))
    factor, count = max(found.items(), key=lambda pair: pair[1], default=(None, 0))
    return factor if count > 1 else None


@functools.lru_cache(maxsize=4096)
def _numbered(tree: Tree) -> bool:
    """Whether a number is inside."""
    return tree[0] == "c" or (tree[0] != "x" and any(map(_numbered, tree[1:])))


def _piece(term: Tree) -> Piece:
    c, rest = scaled(term)
    return c, () if rest == ONE else tuple(factors(rest))


def _total(pieces: Sequence[Piece]) -> Tree:
    """The sum, written like a canonical form."""
    (c, factors), *others = sorted(pieces, key=lambda piece: piece[0] == -1.0 or not piece[1])
    tree = _product(c, factors)
    for c, factors in sorted(others, key=lambda piece: not piece[1]):
        alone = c == -1.0 and factors
        tree = ("sub" if alone else "add", tree, _product(1.0 if alone else c, factors))
    return tree


def _product(c: float, factors: Sequence[Tree]) -> Tree:
    return joined("mul", factors if c == 1.0 and factors else (("c", c), *factors))


def _evened(tree: Tree) -> Tree:
    """A sum divided by the size that most of its coefficients have, if that is no whole number."""
    pieces = [_piece(term) for term in terms(tree)]
    sizes = [abs(c) for c, _ in pieces]
    alike = [0 if a % 1.0 == 0.0 else sum(abs(a - b) <= SAME * a for b in sizes) for a in sizes]
    most = alike.index(max(alike))
    lead = math.copysign(pieces[most][0], pieces[0][0]) if alike[most] > 1 else pieces[0][0]
    even = [(c / lead, factors) for c, factors in pieces]
    return _total([(round(c) if abs(abs(c) - 1.0) <= SAME else c, f) for c, f in even])
