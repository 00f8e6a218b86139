"""Prefix programs as tuples of operator codes: constraints, crossover and mutations.

Constraints are those of Petersen et al. (2021) that public DSO uses for regression; crossover and
mutations are those of Mundhenk et al. (2021). A forbidden child is replaced by its parent, so the
policy gives every program a positive probability.
"""

import heapq
import random
from collections.abc import Callable, Sequence

import numpy as np

from ..expr.operators import BY_NAME, CONSTANT, COS, EXP, LN, MAX_VARIABLES, POW2, SIN, SQRT, arity
from .config import NeuralGuidedConfig

Codes = tuple[int, ...]
TRIGONOMETRIC = (SIN, COS)
INVERSE = {EXP: LN, LN: EXP, SQRT: POW2, POW2: SQRT}


class Grammar:
    """The allowed programs.

    Forbidden: length outside the limits, too many constants, no variable, an operator on constants
    only, a unary operator on its inverse, sine or cosine inside sine or cosine.
    """

    def __init__(self, n_variables: int, config: NeuralGuidedConfig):
        self.config = config
        self.terminals = (CONSTANT, *range(1, n_variables + 1))
        self.operators = tuple(BY_NAME[name].code for name in config.operators)
        self.codes = (*self.terminals, *self.operators)  # token i of the policy is codes[i]

    def allows(self, codes: Codes) -> bool:
        """Whether a well-formed program satisfies every constraint."""
        if not self.config.min_length <= len(codes) <= self.config.max_length:
            return False
        if codes.count(CONSTANT) > self.config.max_constants:
            return False
        stack: list[tuple[int, bool]] = []  # root of each operand; contains sin or cos
        for code in reversed(codes):
            operands = [stack.pop() for _ in range(arity(code))]
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
        open_slots += arity(codes[start]) - 1
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
    operands = [full_tree(grammar, depth - 1, rng) for _ in range(arity(code))]
    return (code, *(c for operand in operands for c in operand))


def replace_subtree(codes: Codes, grammar: Grammar, rng: np.random.Generator) -> Codes:
    """Replace a subtree by a random full tree of at most the configured depth."""
    i = int(rng.integers(len(codes)))
    tree = full_tree(grammar, int(rng.integers(grammar.config.mutation_depth + 1)), rng)
    return codes[:i] + tree + codes[subtree_end(codes, i) :]


def replace_node(codes: Codes, grammar: Grammar, rng: np.random.Generator) -> Codes:
    """Replace a token by another of the same arity."""
    i = int(rng.integers(len(codes)))
    others = tuple(c for c in grammar.codes if arity(c) == arity(codes[i]) and c != codes[i])
    return codes[:i] + (_choice(others, rng),) + codes[i + 1 :] if others else codes


def insert_node(codes: Codes, grammar: Grammar, rng: np.random.Generator) -> Codes:
    """Make a subtree an operand of a new operator; another operand is a random leaf."""
    i = int(rng.integers(len(codes)))
    end = subtree_end(codes, i)
    operator = _choice(grammar.operators, rng)
    operands = [codes[i:end]] + [(_choice(grammar.terminals, rng),)] * (arity(operator) - 1)
    order = rng.permutation(len(operands))
    return codes[:i] + (operator, *(c for k in order for c in operands[k])) + codes[end:]


def shrink(codes: Codes, grammar: Grammar, rng: np.random.Generator) -> Codes:
    """Replace an operator by one of its operands."""
    inner = tuple(i for i, code in enumerate(codes) if arity(code))
    if not inner:
        return codes
    i = _choice(inner, rng)
    start = i + 1
    if arity(codes[i]) == 2 and rng.random() < 0.5:
        start = subtree_end(codes, start)
    return codes[:i] + codes[start : subtree_end(codes, start)] + codes[subtree_end(codes, i) :]


MUTATIONS = (replace_subtree, replace_node, insert_node, shrink)


def mate(
    first: Codes, second: Codes, grammar: Grammar, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Children of a crossover; a forbidden one is replaced by its parent."""
    one, other = crossover(first, second, rng)
    return one if grammar.allows(one) else first, other if grammar.allows(other) else second


def mutate(codes: Codes, grammar: Grammar, rng: np.random.Generator) -> Codes:
    """One of the four mutations at random; the program itself if the result is forbidden."""
    child = _choice(MUTATIONS, rng)(codes, grammar, rng)
    return child if grammar.allows(child) else codes


def evolve(
    seeds: Sequence[Codes],
    rewards: np.ndarray,
    judge: Callable[[Sequence[Codes]], np.ndarray],
    grammar: Grammar,
    rng: np.random.Generator,
) -> tuple[list[Codes], np.ndarray]:
    """Breed ``seeds`` with rewards (B,); best distinct programs of all generations, and theirs.

    A generation: parents by tournaments, crossover of neighbours, mutation, each with its
    probability.
    """
    config = grammar.config
    draw = random.Random(int(rng.integers(2**32)))
    population, places = list(seeds), range(len(seeds))
    hall: list[tuple[float, int, Codes]] = []  # min-heap of the best: reward, arrival, program
    arrived: set[Codes] = set()
    for _ in range(config.generations):
        tournaments = [[draw.choice(places) for _ in range(config.tournament)] for _ in places]
        population = [population[max(drawn, key=rewards.__getitem__)] for drawn in tournaments]
        for i in range(1, len(population), 2):
            if draw.random() < config.crossover:
                population[i - 1 : i + 1] = mate(*population[i - 1 : i + 1], grammar, rng)
        for i in range(len(population)):
            if draw.random() < config.mutation:
                population[i] = mutate(population[i], grammar, rng)
        rewards = judge(population)
        for codes, reward in zip(population, rewards.tolist(), strict=True):
            if codes in arrived:
                continue
            arrived.add(codes)
            if len(hall) < config.hall_of_fame or reward > hall[0][0]:
                heapq.heappush(hall, (reward, len(arrived), codes))
            if len(hall) > config.hall_of_fame:
                heapq.heappop(hall)
    hall.sort(reverse=True)
    return [codes for *_, codes in hall], np.array([reward for reward, *_ in hall])
