"""Constants of skeletons: BFGS on the paper's fitness, or Levenberg–Marquardt on Sampson's.

Many skeletons on the same points per call; the compiled fits release the interpreter lock,
so threads use every core.
"""

import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from . import bfgs, guards
from .expression import Expression

GRADIENT_TOLERANCE = 1e-12
_BFGS_FAILURES = {
    bfgs.UNDEFINED_START: "degenerate or undefined at the initial constants",
    bfgs.LEFT_DOMAIN: "BFGS left the domain of the equation",
}
_SAMPSON_FAILURES = {
    guards.UNDEFINED: "undefined at some point, or flat, for every start",
    guards.NO_ZEROS: "no zeros near some of the points",
    guards.FADED: "a variable hardly matters",
    guards.DENSE: "its zeros are nearly everywhere",
    guards.TOO_FEW: "more constants than points",
}


@dataclass(frozen=True)
class Fit:
    """An equation with its constants and what the fit is worth.

    Attributes:
        expression: with the constants found, or the initial ones if none were.
        fitness: the paper's (Eq. 2 or 6), or minus ``error`` after Sampson; −inf if it failed.
        status: ``ok``, or why the fit failed.
        error: root mean square of the points' orthogonal distances, each counted up to the spread
            of the points, in their units (Sampson only).
        contrast: a robust mean of the distances over the median distance of the same points with
            permuted columns (at most a fifth of the spread): about 1 or more for a function that
            is nearly zero everywhere or fits nothing, small for a law (Sampson only).
    """

    expression: Expression
    fitness: float
    status: str
    error: float = np.nan
    contrast: float = np.nan
    clearance: float = 1.0


def fit(
    expression: Expression,
    points: np.ndarray,
    copies: np.ndarray | None = None,
    tau: float = 1e-4,
    max_iterations: int = 200,
) -> Fit:
    """Maximise the paper's fitness over the constants, from the ones that ``expression`` carries.

    Args:
        expression: the skeleton with its initial constants.
        points: (N, D).
        copies: (D, N, D) from :func:`pie.fitness.stochastic_copies` for CL-FEM; None = vanilla.
        tau: tolerance of CL-FEM.
        max_iterations: of BFGS.

    Returns:
        The fit; its fitness is −inf, with the reason in ``status``, if no constants were found.
    """
    columns = np.ascontiguousarray(points.T)
    side_by_side = np.empty((columns.shape[0], 0))
    if copies is not None:
        d, n, _ = copies.shape
        side_by_side = np.ascontiguousarray(copies.reshape(d * n, d).T)
    codes, start = expression.arrays
    constants, loss, outcome = bfgs.minimise(
        codes, start, columns, side_by_side, tau, GRADIENT_TOLERANCE, max_iterations
    )
    if outcome != bfgs.OK:
        return Fit(expression, -np.inf, _BFGS_FAILURES[outcome])
    return Fit(expression.with_constants(constants), -loss, "ok")


@functools.cache
def start_table(n_starts: int, n_constants: int, seed: int = 0) -> np.ndarray:
    """Starts for the constants, (S, P): all ones, then log-normal magnitudes of either sign."""
    rng = np.random.default_rng([seed, n_constants])
    shape = (n_starts, n_constants)
    table = np.exp(rng.standard_normal(shape)) * rng.choice([-1.0, 1.0], shape)
    table[0] = 1.0
    return table


@functools.lru_cache(maxsize=256)
def _permutations(n_points: int, n_columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    order = np.tile(np.arange(n_points), (n_columns, 1))
    order[1:] = rng.permuted(order[1:], axis=1)
    return order


def permuted(points: np.ndarray, seed: int = 0) -> np.ndarray:
    """The points with every column but the first permuted: the law is gone, the spread is not."""
    return np.take_along_axis(points, _permutations(*points.shape, seed).T, axis=0)


def robust_spreads(points: np.ndarray) -> np.ndarray:
    """Spread of each column (D,): the standard deviation, less where a few points make it."""
    low, high = np.quantile(points, [0.25, 0.75], axis=0)
    deviation = points.std(axis=0)
    return np.minimum(deviation, np.maximum((high - low) / 1.349, 0.02 * deviation))


def judged(expression: Expression, points: np.ndarray, seed: int = 0) -> Fit:
    """What an equation is worth as it is, without a fit: errors, contrast and guards of Sampson's.

    Args:
        expression: with its constants.
        points: (N, D), in the units in which distances count.
        seed: of the permutation.
    """
    columns = np.ascontiguousarray(points.T)
    shuffled = np.ascontiguousarray(permuted(points, seed).T)
    found = guards.examine(*expression.arrays, columns, shuffled, robust_spreads(points))
    return _fit_of(expression, *found)


def _fit_of(
    expression: Expression, error: float, contrast: float, clearance: float, outcome: int
) -> Fit:
    status = _SAMPSON_FAILURES.get(outcome, "ok")
    fitness = -error if outcome == guards.OK else -np.inf
    return Fit(expression, fitness, status, error, contrast, clearance)


def fit_sampson(
    expressions: Sequence[Expression],
    points: np.ndarray,
    n_starts: int = 48,
    max_iterations: int = 40,
    exact: float = 1e-10,
    seed: int = 0,
    workers: int = 1,
    descents: int = 6,
    warm: bool = False,
) -> list[Fit]:
    """Fit the constants of many skeletons to the same points by :mod:`pie.sampson`.

    Args:
        expressions: skeletons; the constants that they carry are used only if ``warm``.
        points: (N, D).
        n_starts: constants screened per skeleton.
        max_iterations: of each descent.
        exact: a root mean square residual this small, relative to the spread, ends the search.
        seed: of the starts and of the permutation.
        workers: threads.
        descents: how many of the screened starts are descended from.
        warm: the first start is not ones but the constants that an expression carries.

    Returns:
        One fit per skeleton, in order; failed ones say why.
    """
    columns = np.ascontiguousarray(points.T)
    shuffled = np.ascontiguousarray(permuted(points, seed).T)
    spreads = robust_spreads(points)
    goal = float(exact**2 * np.mean(np.square(spreads)))

    def one(expression: Expression) -> Fit:
        codes, old = expression.arrays
        if old.size >= len(points):
            return Fit(expression, -np.inf, _SAMPSON_FAILURES[guards.TOO_FEW])
        starts = start_table(n_starts, old.size, seed)
        if warm:
            starts = np.concatenate([old[None], starts[1:]])
        constants, *found = guards.fit(
            codes, starts, columns, shuffled, spreads, goal, max_iterations, descents
        )
        if found[-1] == guards.UNDEFINED:
            return Fit(expression, -np.inf, _SAMPSON_FAILURES[guards.UNDEFINED])
        return _fit_of(expression.with_constants(constants), *found)

    if workers == 1:
        return [one(expression) for expression in expressions]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, expressions))
