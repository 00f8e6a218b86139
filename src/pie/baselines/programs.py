"""Prefix programs as tuples of operator codes: constraints, crossover and mutations.

Constraints are those of Petersen et al. (2021) that public DSO uses for regression; crossover and
mutations are those of Mundhenk et al. (2021). A forbidden child is replaced by its parent, so the
policy gives every program a positive probability.
"""

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from deap import algorithms, base, tools

from ..expr.operators import BY_CODE, CONSTANT, COS, EXP, LN, MAX_VARIABLES, POW2, SIN, SQRT
from .config import Breeding

Codes = tuple[int, ...]
TRIGONOMETRIC = (SIN, COS)
INVERSE = {EXP: LN, LN: EXP, SQRT: POW2, POW2: SQRT}
ARITY = {code: 0 for code in range(MAX_VARIABLES + 1)} | {c: op.arity for c, op in BY_CODE.items()}


@dataclass(frozen=True)
class Grammar:
    """The allowed programs.

    Forbidden: length outside the limits, too many constants, no variable, an operator on constants
    only, a unary operator on its inverse, sine or cosine inside sine or cosine. ValueError if there
    is no binary operator, or not 1 ≤ min < max length.
    """

    n_variables: int
    operators: tuple[int, ...]
    min_length: int = 4
    max_length: int = 64
    max_constants: int = 3

    def __post_init__(self):
        if not any(ARITY[code] == 2 for code in self.operators):
            raise ValueError(f"operators are {self.operators}; expected one with two operands")
        if not 1 <= self.min_length < self.max_length:
            raise ValueError(
                f"lengths are {self.min_length} to {self.max_length}; expected 1 ≤ min < max"
            )

    @property
    def terminals(self) -> Codes:
        return (CONSTANT, *range(1, self.n_variables + 1))

    @property
    def codes(self) -> Codes:
        """All tokens, (V,): token i of the policy is ``codes[i]``."""
        return (*self.terminals, *self.operators)

    def allows(self, codes: Codes) -> bool:
        """Whether a well-formed program satisfies every constraint."""
        if not self.min_length <= len(codes) <= self.max_length:
            return False
        if codes.count(CONSTANT) > self.max_constants:
            return False
        stack: list[tuple[int, bool]] = []  # root of each operand; contains sin or cos
        for code in reversed(codes):
            operands = [stack.pop() for _ in range(ARITY[code])]
            waves, trigonometric = any(waves for _, waves in operands), code in TRIGONOMETRIC
            if operands and all(root == CONSTANT for root, _ in operands):
                return False
            if len(operands) == 1 and INVERSE.get(code) == operands[0][0]:
                return False
            if trigonometric and waves:
                return False
            stack.append((code, waves or trigonometric))
        return any(0 < code <= MAX_VARIABLES for code in codes)


def subtree_end(codes: Codes, start: int) -> int:
    """Index after the subtree that begins at ``start``.

    >>> subtree_end((10, 12, 1, 2, 0), 1)
    4
    """
    open_slots = 1
    while open_slots:
        open_slots += ARITY[codes[start]] - 1
        start += 1
    return start


def _choice(options: tuple, rng: np.random.Generator):
    return options[rng.integers(len(options))]


def crossover(first: Codes, second: Codes, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """One-point crossover: swap a proper subtree of each."""
    if len(first) < 2 or len(second) < 2:
        return first, second
    i, j = int(rng.integers(1, len(first))), int(rng.integers(1, len(second)))
    i_end, j_end = subtree_end(first, i), subtree_end(second, j)
    one = first[:i] + second[j:j_end] + first[i_end:]
    return one, second[:j] + first[i:i_end] + second[j_end:]


def full_tree(grammar: Grammar, depth: int, rng: np.random.Generator) -> Codes:
    """A random tree with all leaves at ``depth``; uniform operators and leaves."""
    code = _choice(grammar.operators if depth else grammar.terminals, rng)
    operands = [full_tree(grammar, depth - 1, rng) for _ in range(ARITY[code])]
    return (code, *(c for operand in operands for c in operand))


def replace_subtree(codes: Codes, grammar: Grammar, rng: np.random.Generator, depth: int) -> Codes:
    """Replace a subtree by a random full tree of depth 0 to ``depth``."""
    i = int(rng.integers(len(codes)))
    tree = full_tree(grammar, int(rng.integers(depth + 1)), rng)
    return codes[:i] + tree + codes[subtree_end(codes, i) :]


def replace_node(codes: Codes, grammar: Grammar, rng: np.random.Generator, depth: int) -> Codes:
    """Replace a token by another of the same arity."""
    i = int(rng.integers(len(codes)))
    others = tuple(c for c in grammar.codes if ARITY[c] == ARITY[codes[i]] and c != codes[i])
    return codes[:i] + (_choice(others, rng),) + codes[i + 1 :] if others else codes


def insert_node(codes: Codes, grammar: Grammar, rng: np.random.Generator, depth: int) -> Codes:
    """Make a subtree an operand of a new operator; another operand is a random leaf."""
    i = int(rng.integers(len(codes)))
    end = subtree_end(codes, i)
    operator = _choice(grammar.operators, rng)
    operands = [codes[i:end]] + [(_choice(grammar.terminals, rng),)] * (ARITY[operator] - 1)
    order = rng.permutation(len(operands))
    return codes[:i] + (operator, *(c for k in order for c in operands[k])) + codes[end:]


def shrink(codes: Codes, grammar: Grammar, rng: np.random.Generator, depth: int) -> Codes:
    """Replace an operator by one of its operands."""
    inner = tuple(i for i, code in enumerate(codes) if ARITY[code])
    if not inner:
        return codes
    i = _choice(inner, rng)
    start = i + 1
    if ARITY[codes[i]] == 2 and rng.random() < 0.5:
        start = subtree_end(codes, start)
    return codes[:i] + codes[start : subtree_end(codes, start)] + codes[subtree_end(codes, i) :]


MUTATIONS = (replace_subtree, replace_node, insert_node, shrink)


def mate(
    first: Codes, second: Codes, grammar: Grammar, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Children of a crossover; a forbidden one is replaced by its parent."""
    one, other = crossover(first, second, rng)
    return one if grammar.allows(one) else first, other if grammar.allows(other) else second


def mutate(codes: Codes, grammar: Grammar, rng: np.random.Generator, depth: int = 3) -> Codes:
    """One of the four mutations at random; the program itself if the result is forbidden."""
    child = _choice(MUTATIONS, rng)(codes, grammar, rng, depth)
    return child if grammar.allows(child) else codes


class _Reward(base.Fitness):
    weights = (1.0,)


class _Individual(tuple):
    """A program as DEAP expects it, with a fitness attribute."""

    def __init__(self, codes: Codes):
        self.fitness = _Reward()


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the global ``random`` that DEAP draws from, and restore its state."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


def evolve(
    seeds: Sequence[Codes],
    rewards: np.ndarray,
    judge: Callable[[Sequence[Codes]], np.ndarray],
    grammar: Grammar,
    breeding: Breeding,
    rng: np.random.Generator,
) -> tuple[list[Codes], np.ndarray]:
    """Breed ``seeds`` with rewards (B,); best distinct programs of all generations, and theirs."""

    def mated(first: Codes, second: Codes) -> tuple[_Individual, ...]:
        return tuple(map(_Individual, mate(first, second, grammar, rng)))

    def mutated(individual: Codes) -> tuple[_Individual]:
        return (_Individual(mutate(individual, grammar, rng, breeding.mutation_depth)),)

    def rewarded(individuals: list[_Individual], rewards: np.ndarray) -> list[_Individual]:
        for individual, reward in zip(individuals, rewards, strict=True):
            individual.fitness.values = (float(reward),)
        return individuals

    toolbox = base.Toolbox()
    toolbox.register("clone", _Individual)
    toolbox.register("select", tools.selTournament, tournsize=breeding.tournament)
    toolbox.register("mate", mated)
    toolbox.register("mutate", mutated)
    population = rewarded([_Individual(codes) for codes in seeds], rewards)
    hall = tools.HallOfFame(breeding.hall_of_fame)
    with _seeded(int(rng.integers(2**32))):
        for _ in range(breeding.generations):
            parents = toolbox.select(population, len(population))
            children = algorithms.varAnd(parents, toolbox, breeding.crossover, breeding.mutation)
            population = rewarded(children, judge(children))
            hall.update(population)
    return [tuple(i) for i in hall], np.array([i.fitness.values[0] for i in hall])
