"""Random equations (Section 3.2): trees of Lample & Charton, operator weights of Table 3.

Leaves are variables (probability 0.8) or standard normal constants (0.2). The printed Synthetic
equations also have a constant at the root and, as in NeSymReS, on leaves and exponents; both are
options here.
"""

import bisect
import functools
import itertools
from dataclasses import dataclass

import numpy as np

from ..expr.expression import Tree
from ..expr.operators import MAX_VARIABLES, OPERATORS

MAX_OPERATORS = 20


@dataclass(frozen=True)
class GeneratorConfig:
    """Settings of the generator (Tables 3 and 4), documented in params.yaml."""

    min_operators: int = 3
    max_operators: int = 5
    max_variables: int = 3
    constant_probability: float = 0.2
    offset_probability: float = 0.7
    insertion_probability: float = 0.3

    def __post_init__(self):
        least, most, d = self.min_operators, self.max_operators, self.max_variables
        if not 0 <= least <= most or not 1 <= most <= MAX_OPERATORS:
            raise ValueError(
                f"generator.min_operators is {least}, max_operators {most}; expected "
                f"0 <= min <= max, and max from 1 to {MAX_OPERATORS}"
            )
        if not 2 <= d <= MAX_VARIABLES:
            raise ValueError(f"generator.max_variables is {d}; expected 2 to {MAX_VARIABLES}")


@functools.cache
def tree_counts() -> np.ndarray:
    """D[e, n]: trees with n operators and e empty slots (Lample & Charton, appendix C)."""
    size = 2 * MAX_OPERATORS + 2
    counts = np.zeros((size + 1, MAX_OPERATORS + 1))
    counts[1:, 0] = 1.0
    for n in range(1, MAX_OPERATORS + 1):
        for e in range(1, size - n):
            counts[e, n] = counts[e - 1, n] + counts[e, n - 1] + counts[e + 1, n - 1]
    return counts


def _cumulative(weighted):
    """(items, cumulative weights), for :meth:`_Uniforms.choice`."""
    items, weights = zip(*weighted, strict=True)
    return items, tuple(itertools.accumulate(weights))


_UNARY, _BINARY = (
    _cumulative([(op.name, op.weight) for op in OPERATORS if op.arity == n and op.weight])
    for n in (1, 2)
)


class _Uniforms:
    """Uniform numbers drawn in blocks, because single NumPy calls are slow."""

    def __init__(self, rng: np.random.Generator):
        self._rng, self._block = rng, []

    def __call__(self) -> float:
        if not self._block:
            self._block = self._rng.random(64).tolist()
        return self._block.pop()

    def choice(self, table):
        items, sums = table
        place = bisect.bisect_right(sums, self() * sums[-1])
        return items[min(place, len(items) - 1)]


@functools.cache
def _placements(empty: int, left: int):
    """Weighted choices (slots to skip, arity) for the next operator."""
    counts = tree_counts()
    table = []
    for k in range(empty):
        table.append(((k, 1), float(counts[empty - k, left - 1])))
        table.append(((k, 2), float(counts[empty - k + 1, left - 1])))
    return _cumulative(table)


def random_tree(rng: np.random.Generator, config: GeneratorConfig) -> Tree:
    """A random equation as a tree with numeric constants."""
    u = _Uniforms(rng)
    operators = config.min_operators + int(u() * (config.max_operators - config.min_operators + 1))
    variables = 2 + int(u() * (config.max_variables - 1))
    # open slots, filled left to right; an empty list is a leaf
    slots: list[list] = [root := []]
    next_empty, empty, left = 0, 1, operators
    while left > 0:
        skip, n_children = u.choice(_placements(empty, left))
        node = slots[next_empty + skip]
        node.append(u.choice(_UNARY if n_children == 1 else _BINARY))
        children: list[list] = [[] for _ in range(n_children)]
        node.extend(children)
        # skipped slots become leaves; the children are new open slots
        next_empty += skip + 1
        slots.extend(children)
        empty += n_children - 1 - skip
        left -= 1

    def build(node) -> Tree:
        if not node:
            if u() < config.constant_probability:
                return ("c", rng.standard_normal())
            return ("x", 1 + int(u() * variables))
        return (node[0], *(build(child) for child in node[1:]))

    tree = build(root)
    if u() < config.insertion_probability:
        tree = _with_constants(tree, u)
    if u() < config.offset_probability:
        tree = ("add", tree, ("c", rng.standard_normal()))
    return tree


def _with_constants(tree: Tree, u: _Uniforms) -> Tree:
    """Insert up to three constants on leaves, unary nodes and exponents (NeSymReS)."""
    remaining = 1 + int(u() * 3)

    def walk(node: Tree) -> Tree:
        nonlocal remaining
        if node[0] == "c":
            return node
        children = node[1:] if node[0] == "x" else tuple(walk(child) for child in node[1:])
        node = (node[0], *children)
        if remaining == 0 or len(node) == 3 or u() > 0.4:
            return node
        remaining -= 1
        kind = u()
        if node[0] in ("pow2", "pow3", "sqrt") and kind < 0.3:
            return ("pow", node[1], ("c", 0.2 + 3.8 * u()))
        if kind < 0.65:
            return ("mul", ("c", 0.1 + 4.9 * u()), node)
        return ("add", node, ("c", 4.0 * u() - 2.0))

    return walk(tree)
