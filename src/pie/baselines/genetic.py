"""Genetic programming with gplearn: the paper's GP rows and three further objectives.

Hyper-parameters are the paper's (Appendix B), else gplearn's defaults. The paper's objectives
evolve with gplearn's protected operators; the last generation and the best program of each earlier
one are then scored again with the true operators. The other objectives evolve with these.
"""

import contextlib
import math
import time
import warnings
from collections.abc import Iterable
from unittest import mock

import gplearn.genetic
import numpy as np
from gplearn.fitness import make_fitness
from gplearn.functions import _Function, make_function
from gplearn.genetic import SymbolicRegressor

from ..expr.expression import Expression, Tree, from_tree
from ..expr.operators import MAX_VARIABLES
from ..search.candidates import Candidate, Discovery, check_points
from .config import GeneticConfig
from .objectives import OBJECTIVES, WORST, Vanilla

RETURNED = 20  # candidates
FINISHED = 100  # evolved programs that the objective finishes


def _exp(x):
    return np.where(np.abs(x) < 100.0, np.exp(x), 0.0)  # as in gplearn's own example


def _pow(x1, x2):
    power = np.power(np.abs(x1), x2)
    return np.where(np.isfinite(power), power, 0.0)


class _Program(gplearn.genetic._Program):
    """gplearn's program without its draw of all rows from all, a third of its time."""

    def get_all_indices(self, n_samples=None, max_samples=None, random_state=None):
        return slice(None), slice(0)


# the paper's operators, protected and true; an undefined value has the worst fitness
_PROTECTED = (
    *("add", "sub", "mul", "div", "sqrt", "log", "neg", "sin", "cos"),
    make_function(function=_exp, name="exp", arity=1, wrap=False),
    make_function(function=_pow, name="pow", arity=2, wrap=False),
)
_TRUE = (
    *("add", "sub", "mul", "neg", "sin", "cos"),
    _Function(np.divide, "div", 2),
    _Function(np.sqrt, "sqrt", 1),
    _Function(np.log, "log", 1),
    _Function(np.exp, "exp", 1),
    _Function(np.power, "pow", 2),
)


def to_expression(program: list) -> Expression:
    """A gplearn program with the true operators; ValueError if it is too long."""
    rest = list(reversed(program))

    def read() -> Tree:
        node = rest.pop()
        if isinstance(node, _Function):
            name = {"log": "ln"}.get(node.name, node.name)
            children = [read() for _ in range(node.arity)]
            return ("mul", ("c", -1.0), *children) if name == "neg" else (name, *children)
        return ("c", float(node)) if isinstance(node, float) else ("x", int(node) + 1)

    return from_tree(read())


def _estimator(config: GeneticConfig, objective: Vanilla, generations: int) -> SymbolicRegressor:
    def fitness(y, predicted, weight):
        # gplearn first tests a fitness function on two values
        return objective.score(predicted) if len(predicted) == len(objective.rows) else WORST

    return SymbolicRegressor(
        population_size=config.population,
        generations=generations,
        tournament_size=config.tournament,
        stopping_criteria=0.0,
        const_range=(-config.constants_up_to, config.constants_up_to),
        init_depth=(config.min_depth, config.max_depth),
        function_set=_PROTECTED if objective.as_in_paper else _TRUE,
        metric=make_fitness(function=fitness, greater_is_better=True, wrap=False),
        parsimony_coefficient=config.parsimony,
        p_crossover=config.crossover,
        p_subtree_mutation=config.subtree_mutation,
        p_hoist_mutation=config.hoist_mutation,
        p_point_mutation=config.point_mutation,
        p_point_replace=config.point_replace,
        warm_start=True,
        low_memory=True,
        random_state=config.seed,
    )


@mock.patch.object(gplearn.genetic, "_Program", _Program)
@np.errstate(all="ignore")
def _fit_quietly(estimator: SymbolicRegressor, objective: Vanilla) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(objective.rows, np.zeros(len(objective.rows)))


def _evolved(config: GeneticConfig, objective: Vanilla, ends: float) -> list[list]:
    """The last generation and the best program of each earlier one, fittest first."""
    best = []
    estimator = _estimator(config, objective, 1)
    for generation in range(1, config.generations + 1):
        began = time.perf_counter()
        estimator.set_params(generations=generation)
        _fit_quietly(estimator, objective)
        population = estimator._programs[-1]
        best.append(max(population, key=lambda p: p.raw_fitness_))
        now = time.perf_counter()
        if best[-1].raw_fitness_ >= 0.0 or now + (now - began) > ends:
            break
    found = sorted([*population, *best], key=lambda p: -p.raw_fitness_)
    return [program.program for program in found]


@np.errstate(all="ignore")
def ranked(programs: Iterable[list], objective: Vanilla, parsimony: float) -> list[Candidate]:
    """gplearn programs as candidates: true operators, finished by the objective, best first.

    The paper's objectives rank by fitness, as gplearn does at the end; the others by fitness minus
    ``parsimony`` per token, as gplearn's tournaments do.
    """
    price = 0.0 if objective.as_in_paper else parsimony

    def best(scored: Iterable[tuple[float, Expression]]) -> list[tuple[float, Expression]]:
        distinct = {(e.codes, e.constants): (s, e) for s, e in scored if s > WORST}.values()
        return sorted(distinct, key=lambda pair: price * len(pair[1].codes) - pair[0])

    expressions = []
    for program in programs:
        with contextlib.suppress(ValueError):  # too long
            expressions.append(to_expression(program))
    evolved = best((objective.score(e.values(objective.rows)), e) for e in expressions)
    finished = objective.finish([e for _, e in evolved[:FINISHED]])
    return [
        Candidate(expression, score, math.nan, "ok")
        for score, expression in best((objective.score_finished(e), e) for e in finished)
    ]


def genetic(
    points: np.ndarray,
    fitness: str = "cl-fem",
    config: GeneticConfig = GeneticConfig(),
    seconds: float = math.inf,
) -> Discovery:
    """GP with one of :data:`pie.baselines.objectives.OBJECTIVES`, on points (N, D).

    Stops at fitness 0, or before a generation that would exceed ``seconds``. ValueError for an
    unknown fitness or unusable points.
    """
    if fitness not in OBJECTIVES:
        raise ValueError(f"fitness is {fitness!r}; expected one of {', '.join(OBJECTIVES)}")
    points = check_points(points, MAX_VARIABLES)
    began = time.perf_counter()
    objective = OBJECTIVES[fitness](points, config.seed, config.tau)
    programs = _evolved(config, objective, began + seconds)
    candidates = ranked(programs, objective, config.parsimony)
    return Discovery(tuple(candidates[:RETURNED]), time.perf_counter() - began)
