"""Small changes of the best candidates, in rounds: many near misses lack a constant or a factor.

A *neighbour* differs by one change: a subtree t becomes c·t, t + c or g(t); an operator or variable
is replaced or removed; a term of another candidate is added. New constants start near the value
that changes nothing, so that a fit starts from the old ones; canonical form would drop the value
itself. Linear relations among the terms of a round's candidates are tried as well.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ...expr.expression import Expression, Tree, from_tree, to_tree
from ...expr.operators import BY_NAME, OPERATORS
from ...expr.terms import bare, monomials, terms, terms_of
from ..cloud import Cloud
from ..pool import WARM, Batch, Effort, Found, Pool, Proposer, new_drafts
from ..price import Prices, price_of
from .relations import among

ONE, ZERO = ("c", 1.05), ("c", 0.05)
_UNARY = [op.name for op in OPERATORS if op.arity == 1]
_OUTER = ("exp", "ln", "sqrt", "sin", "cos", "pow2")
_INVERSES = {("exp", "ln"), ("ln", "exp"), ("sqrt", "pow2"), ("pow2", "sqrt")}


def _places(tree: Tree) -> Iterator[tuple[Tree, Callable[[Tree], Tree]]]:
    """Every subtree, with a function that replaces it in the tree."""
    yield tree, lambda new: new
    if tree[0] in ("x", "c"):
        return
    for i in range(1, len(tree)):
        for subtree, put in _places(tree[i]):
            yield subtree, lambda new, i=i, put=put: (*tree[:i], put(new), *tree[i + 1 :])


def _changes(node: Tree, n_variables: int) -> Iterator[Tree]:
    head = node[0]
    if head != "c":
        yield ("mul", ONE, node)
        yield ("add", node, ZERO)
        for outer in _OUTER:
            if (outer, head) not in _INVERSES:
                yield (outer, node)
    if head == "x":
        for other in range(1, n_variables + 1):
            if other != node[1]:
                yield ("x", other)
                yield ("mul", node, ("x", other))
                yield ("div", node, ("x", other))
                yield ("add", node, ("mul", ZERO, ("x", other)))
    if head in _UNARY:
        yield node[1]
        for other in _UNARY:
            if other != head:
                yield (other, node[1])
        if head.startswith("pow") or head == "sqrt":
            exponent = 0.5 if head == "sqrt" else float(head[3:])
            yield ("pow", node[1], ("c", 1.05 * exponent))
    elif head in BY_NAME:
        left, right = node[1], node[2]
        yield left
        yield right
        if head in ("add", "sub", "mul", "div"):
            for other in ("add", "mul", "div"):
                if other != head:
                    yield (other, left, right)
            if head == "div":
                yield (head, right, left)


def neighbours(expression: Expression, n_variables: int) -> Iterator[Expression]:
    """Equations one change away, with constants from which to start a fit."""
    for subtree, put in _places(to_tree(expression)):
        for changed in _changes(subtree, n_variables):
            if changed != subtree:
                yield from_tree(put(changed))


def spliced(one: Expression, other: Expression) -> Iterator[Expression]:
    """``one`` plus a term of ``other`` that it lacks, with a free coefficient; one at a time."""
    tree = to_tree(one)
    present = {bare(term) for term in terms(tree)}
    for term in terms(to_tree(other)):
        alone = bare(term)
        if alone[0] != "c" and alone not in present:
            yield from_tree(("add", tree, ("mul", ZERO, alone)))


def simpler(expression: Expression) -> Iterator[Expression]:
    """Equations with one constant fewer: it becomes 0 or 1, an exponent a half-integer."""
    tree = to_tree(expression)
    for node, put in _places(tree):
        if node[0] in ("mul", "div"):
            for i in (1, 2):
                if node[i][0] == "c":
                    yield from_tree(put(node[3 - i] if node[0] == "mul" or i == 2 else
                                        ("div", ("c", 1.0), node[2])))  # fmt: skip
        if node[0] in ("add", "sub"):
            for i in (1, 2):
                kept = node[3 - i]
                if node[0] == "sub" and i == 1:
                    kept = ("mul", ("c", -1.0), kept)
                yield from_tree(put(kept))
        if node[0] == "pow" and node[2][0] == "c":
            half = round(2.0 * node[2][1]) / 2.0
            if half in (0.5, 1.0, 2.0, 3.0, 4.0, 5.0):
                name = "sqrt" if half == 0.5 else f"pow{int(half)}"
                yield from_tree(put(node[1] if half == 1.0 else (name, node[1])))


@dataclass(frozen=True)
class Refinement:
    """Limits of the refinement."""

    rounds: int = 4
    parents: int = 6  # candidates changed per round, each once per search
    max_fits: int = 1100  # skeletons fitted in the whole search; relations may exceed it
    max_tokens: int = 30
    gain: float = 3.0  # by which a round must lower the price, in nats, to count as a gain
    parent_points: int = 20  # N in the price that selects parents; a small N prefers short ones

    def __post_init__(self):
        for name in ("rounds", "parents", "max_fits", "max_tokens", "parent_points"):
            if getattr(self, name) < 1:
                raise ValueError(f"refinement.{name} is {getattr(self, name)}; expected at least 1")


def _parents(pool: Pool, refined: set[tuple], config: Refinement, prices: Prices) -> list[Found]:
    """The cheapest candidates that were not refined yet; one of several with equal contrast."""
    chosen: list[Found] = []
    errors: list[float] = []
    usable = (found for found in pool if np.isfinite(found.fit.fitness))
    for found in sorted(usable, key=lambda f: price_of(f.fit, config.parent_points, prices).total):
        contrast, new = found.fit.contrast, found.key not in refined
        if len(chosen) == config.parents:
            break
        if new and any(abs(contrast - e) <= 1e-3 * e for e in errors):
            continue
        chosen += [found] * new
        errors.append(contrast)
    refined |= {found.key for found in chosen}
    return chosen


def _changed(parent: Expression, others: list[Expression], d: int) -> Iterator[Expression]:
    yield from neighbours(parent, d)
    yield from simpler(parent)
    for other in others:
        yield from spliced(parent, other)


def refinement(config: Refinement, prices: Prices) -> Proposer:
    """The proposer; it ends at ``max_fits``, or after two rounds in turn without a gain."""

    def lowest(pool: Pool, cloud: Cloud) -> float:
        return min((price_of(f.fit, len(cloud), prices).total for f in pool), default=np.inf)

    def propose(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        refined: set[tuple] = set()
        best, idle = lowest(pool, cloud), 0
        for _ in range(config.rounds):
            parents = _parents(pool, refined, config, prices)
            if not parents or len(pool) >= config.max_fits or idle == 2:
                return
            for view in cloud.views:
                of_view = [p.fit.expression for p in parents if p.draft.view is view]
                if not of_view:
                    continue
                known = {term: None for parent in of_view for term in terms_of(parent)}
                library = [*(known | dict.fromkeys(monomials(cloud.n_variables, 1)))]
                found = among(library, cloud.seen(view))
                make = (cloud, view, pool, "refinement", config.max_tokens)
                yield Batch(new_drafts(found, *make), WARM)
                changes = (c for p in of_view for c in _changed(p, of_view, cloud.n_variables))
                left = max(0, config.max_fits - len(pool))
                yield Batch(new_drafts(changes, *make)[:left], Effort(8, 1, True))
            price = lowest(pool, cloud)
            idle = 0 if price < best - config.gain else idle + 1
            best = min(best, price)

    return propose
