"""Problems from the validation split: what every choice of *PIE+* is made on, never a test set.

Items of the validation corpora (the next seed) beyond those whose loss is computed. Items of the
mixture come as data come: boxes, arcs, tracks, units, noise, outliers, few points.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from ..zeroset.box import Box
from .benchmarks import Problem
from .conditions import under
from .corpus import Corpus

FIRST = 100_000  # items before this one are left to the validation loss
FEWEST_POINTS = 20  # of a problem that gets noise


def validation_problem(corpus: Corpus, name: str, k: int) -> Problem:
    """Item FIRST + k of a validation corpus as a problem, scored where its points lie.

    Args:
        corpus: of the validation seed (:func:`pie.network.pretraining.corpora`).
        name: what the test set shall be called.
        k: which item.
    """
    item = corpus[FIRST + k]
    # an item with few points has them again and again
    points = np.unique(item.points, axis=0)
    points = np.random.default_rng(k).permutation(points)
    low, high = np.quantile(points, [0.02, 0.98], axis=0)
    box = Box(low, high)
    return Problem(name, f"V{k:03d}", item.equation, points, box, f"{len(points)} points")


def validation_problems(corpus: Corpus, name: str, items: Iterable[int]) -> list[Problem]:
    """:func:`validation_problem` of each of the items."""
    return [validation_problem(corpus, name, k) for k in items]


def _long_enough(corpus: Corpus, name: str, first: int) -> Iterator[Problem]:
    for k in count(first):
        problem = validation_problem(corpus, "validation", k)
        if len(problem.points) >= FEWEST_POINTS:
            yield replace(problem, equation_id=f"{name}{k}")


def noisy_problems(
    corpora: Sequence[tuple[str, Corpus]],
    levels: Sequence[float],
    each: int,
    first: int,
    variables: Sequence[int] = (2, 3),
) -> list[Problem]:
    """Problems of every corpus, noise level and number of variables, equally many of each.

    Each problem has one level of noise, and another equation than all others.

    Args:
        corpora: names with corpora, whose items are free of noise; an equation is known by the
            name and the number of its item.
        levels: of normal noise on every coordinate, in spreads of its column.
        each: problems of each kind.
        first: item from which problems are taken; what was looked at before lies below.
        variables: numbers of variables.
    """
    problems = []
    for name, corpus in corpora:
        taken: Counter[int] = Counter()
        for problem in _long_enough(corpus, name, first):
            d = problem.n_variables
            if d in variables and taken[d] < each * len(levels):
                level = levels[taken[d] % len(levels)]
                taken[d] += 1
                problems.append(under(problem, "noise", level) if level else problem)
            if all(taken[d] == each * len(levels) for d in variables):
                break
    return problems
