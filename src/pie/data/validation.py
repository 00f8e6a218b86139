"""Validation problems, which may guide choices of *PIE+*; test sets may not.

They are items of the validation corpora (training seed + 1) beyond those of the validation loss.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from ..zeroset.box import Box
from .benchmarks import Problem
from .conditions import under
from .corpus import Corpus

FIRST = 100_000  # lower items are used for the validation loss
FEWEST_POINTS = 20  # of a problem with added noise


def validation_problem(corpus: Corpus, name: str, k: int) -> Problem:
    """Item FIRST + k of a corpus of :func:`pie.data.recipe.corpora`, as a problem.

    ``name`` is its test set. The box spans the 2 to 98 % quantiles of the points.
    """
    item = corpus[FIRST + k]
    # items with few points repeat them
    points = np.unique(item.points, axis=0)
    points = np.random.default_rng(k).permutation(points)
    box = Box(*np.quantile(points, [0.02, 0.98], axis=0))
    return Problem(name, f"V{k:03d}", item.equation, points, box, f"{len(points)} points")


def validation_problems(corpus: Corpus, name: str, items: Iterable[int]) -> list[Problem]:
    return [validation_problem(corpus, name, k) for k in items]


def noisy_problems(
    corpora: Sequence[tuple[str, Corpus]],
    levels: Sequence[float],
    each: int,
    first: int,
) -> list[Problem]:
    """``each`` problems per corpus, level, and two or three variables; no equation is used twice.

    ``corpora`` are named and noise-free; ``levels`` are of additive normal noise, in standard
    deviations of each column. Items below ``first`` are not used. ValueError for a corpus that
    cannot have such problems.
    """
    problems = []
    for name, corpus in corpora:
        most, n_points = corpus.config.generator.max_variables, corpus.config.n_points
        if most < 3 or n_points < FEWEST_POINTS:
            raise ValueError(
                f"corpus {name!r} has up to {most} variables and {n_points} points; expected at "
                f"least 3 and {FEWEST_POINTS}"
            )
        wanted = {d: [*levels] * each for d in (2, 3)}  # levels still to be given
        for k in count(first):
            if not any(wanted.values()):
                break
            problem = validation_problem(corpus, "validation", k)
            if len(problem.points) >= FEWEST_POINTS and wanted.get(problem.n_variables):
                level = wanted[problem.n_variables].pop(0)
                problem = replace(problem, equation_id=f"{name}{k}")
                problems.append(under(problem, "noise", level) if level else problem)
    return problems
