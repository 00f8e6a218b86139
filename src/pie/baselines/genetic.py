"""Genetic programming with gplearn: the paper's GP rows and three further objectives.

Hyper-parameters are the paper's (Appendix B), else gplearn's defaults. The paper's objectives
evolve with gplearn's protected operators; the last generation and the best program of each earlier
one are then scored again with the true operators. The other objectives evolve with these.
"""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterable
from unittest import mock

import gplearn.genetic
import numpy as np
from gplearn.fitness import _Fitness
from gplearn.functions import _Function
from gplearn.genetic import SymbolicRegressor

from ..expr.expression import Expression
from ..expr.operators import BY_NAME, CONSTANT, MAX_VARIABLES, MUL, SYMBOLS
from ..search.candidates import Candidate, Discovery, check_points
from .config import GeneticConfig
from .objectives import OBJECTIVES, WORST, Vanilla

_PATCHED = threading.Lock()  # one thread at a time has gplearn with the program below
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
    _Function(_exp, "exp", 1),
    _Function(_pow, "pow", 2),
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
    codes, constants = [], []
    for node in program:  # in prefix order
        if isinstance(node, float):
            codes.append(CONSTANT)
            constants.append(float(node))
        elif not isinstance(node, _Function):
            codes.append(int(node) + 1)
        elif node.name == "neg":
            codes += [MUL, CONSTANT]
            constants.append(-1.0)
        else:
            codes.append(BY_NAME[SYMBOLS.get(node.name, node.name)].code)
    return Expression(tuple(codes), tuple(constants))


def _estimator(config: GeneticConfig, objective: Vanilla) -> SymbolicRegressor:
    """Of one generation; ``set_params`` asks for more."""
    return SymbolicRegressor(
        population_size=config.population,
        generations=1,
        tournament_size=config.tournament,
        stopping_criteria=0.0,
        const_range=(-config.constants_up_to, config.constants_up_to),
        init_depth=(config.min_depth, config.max_depth),
        function_set=_PROTECTED if objective.as_in_paper else _TRUE,
        metric=_Fitness(lambda y, predicted, weight: objective.score(predicted), True),
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


@np.errstate(all="ignore")
def _fit(estimator: SymbolicRegressor, objective: Vanilla) -> None:
    with _PATCHED, mock.patch.object(gplearn.genetic, "_Program", _Program):
        estimator.fit(objective.rows, np.zeros(len(objective.rows)))


def _evolved(config: GeneticConfig, objective: Vanilla, ends: float) -> list[list]:
    """The last generation and the best program of each earlier one, fittest first."""
    best = []
    estimator = _estimator(config, objective)
    for generation in range(1, config.generations + 1):
        began = time.perf_counter()
        estimator.set_params(generations=generation)
        _fit(estimator, objective)
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

    def best(expressions: list[Expression], score: Callable) -> list[tuple[Expression, float]]:
        found = {e: score(e.values(objective.rows)) for e in expressions}
        defined = [(e, fitness) for e, fitness in found.items() if fitness > WORST]
        return sorted(defined, key=lambda pair: price * len(pair[0].codes) - pair[1])

    expressions = []
    for program in programs:
        with contextlib.suppress(ValueError):  # too long
            expressions.append(to_expression(program))
    evolved = best(expressions, objective.score)
    finished = objective.finish([e for e, _ in evolved[:FINISHED]])
    return [
        Candidate(e, fitness, math.nan, "ok")
        for e, fitness in best(finished, objective.score_finished)
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
