"""Guarded Sampson fits of many skeletons to the same points, in threads.

The compiled fits release the interpreter lock.
"""

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..expr.expression import Expression
from ..threads import mapped
from ..zeroset.distance import first_order_distances
from ..zeroset.metric import errors_of
from ..zeroset.spreads import permuted, robust_spreads
from . import guards, sampson
from .constants import Fit

_GOAL = 1e-10  # RMS residual that ends a fit, in spreads
EXACT = 1e-8  # contrasts below this are rounding
_STATUS = {
    guards.OK: "ok",
    guards.NO_ZEROS: "no zeros near some of the points",
    guards.FADED: "a variable hardly matters",
    guards.DENSE: "its zeros are nearly everywhere",
}


@functools.cache
def start_table(n_starts: int, n_constants: int, seed: int) -> np.ndarray:
    """Initial constants (S, P): ones, then log-normal magnitudes with random signs."""
    rng = np.random.default_rng([seed, n_constants])
    shape = (n_starts, n_constants)
    table = np.exp(rng.standard_normal(shape)) * rng.choice([-1.0, 1.0], shape)
    table[0] = 1.0
    return table


def judged(
    expression: Expression, points: np.ndarray, seed: int = 0, curved: float = np.inf
) -> Fit:
    """Error, contrast and guards of an equation as it is, on points (N, D), without a fit."""
    return _judged(expression, _clouds(points, seed), curved)


def _clouds(points: np.ndarray, seed: int) -> tuple[np.ndarray, ...]:
    """Columns of the points and of permuted ones, (D, N), and spreads (D,)."""
    columns = np.ascontiguousarray(points.T)
    return columns, np.ascontiguousarray(permuted(points, seed).T), robust_spreads(points)


def _judged(expression: Expression, clouds: tuple[np.ndarray, ...], curved: float) -> Fit:
    *found, outcome = guards.examine(*expression.arrays, *clouds, float(curved))
    fitness = -found[0] if outcome == guards.OK else -np.inf
    return Fit(expression, fitness, _STATUS[outcome], *found)


def along(fit: Fit, points: np.ndarray, exact: np.ndarray) -> Fit:
    """A fit at points (N, D), its contrast not below that of distances along inexact columns.

    The columns marked as ``exact`` (D,) have no errors: a sheet that follows one of their values
    passes no closer to its points than to others. First-order distances are capped at a spread.
    """
    if not exact.any() or not fit.contrast > EXACT:
        return fit
    away = first_order_distances(fit.expression, points, errors_of(points, exact))
    _, error, _ = guards.spread_out(np.abs(np.nan_to_num(away, nan=1.0)), 1.0)
    null = min(max(fit.clearance, 1e-300), guards.FAR)
    return replace(fit, contrast=max(fit.contrast, error / null))


def fit_sampson(
    expressions: Sequence[Expression],
    points: np.ndarray,
    n_starts: int = 48,
    max_iterations: int = 40,
    seed: int = 0,
    workers: int = 1,
    descents: int = 8,
    warm: bool = False,
    far: float = np.inf,
    curved: float = np.inf,
) -> list[Fit]:
    """Fit the constants of skeletons by :mod:`pie.fit.sampson`.

    Args:
        expressions: skeletons; their constants are the first start if ``warm``, else unused.
        points: (N, D).
        n_starts: initial constants screened per skeleton; ``descents`` of them are descended from.
        max_iterations: of each descent; an RMS residual of 1e-10 spreads ends the fit.
        seed: of the starts and of the permutation.
        workers: threads.
        far: bound s of the residual, in spreads.
        curved: largest step over which a law has to be nearly linear, in spreads.

    Returns:
        One fit per skeleton, in order; ``status`` says why one failed.
    """
    columns, _, spreads = clouds = _clouds(points, seed)
    goal = float(_GOAL**2 * np.mean(np.square(spreads)))

    def one(skeleton: Expression) -> Fit:
        codes, old = skeleton.arrays
        if old.size >= len(points):
            return Fit(skeleton, -np.inf, "more constants than points")
        starts = start_table(n_starts, old.size, seed)
        if warm:
            starts = np.concatenate([old[None], starts[1:]])
        constants, cost = sampson.fit(
            codes, starts, columns, spreads, goal, max_iterations, descents, far
        )
        if not np.isfinite(cost):
            return Fit(skeleton, -np.inf, "undefined at some point, or flat, for every start")
        return _judged(skeleton.with_constants(constants), clouds, curved)

    return mapped(one, expressions, workers)
