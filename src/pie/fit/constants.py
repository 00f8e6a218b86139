"""Constants of a skeleton by BFGS on the paper's fitness; the result of any fit."""

from dataclasses import dataclass

import numpy as np

from ..expr.expression import Expression
from .bfgs import FAILED, minimise


@dataclass(frozen=True)
class Fit:
    """An equation with fitted constants (the initial ones if the fit failed), and its quality.

    Attributes:
        fitness: the paper's (Eq. 2 or 6), or −``error`` of a Sampson fit; −inf if it failed.
        status: ``ok``, or why the fit failed.
        error: RMS orthogonal distance, capped at the spread of the points, in their units. This
            and the following are set by Sampson fits only.
        contrast: robust mean distance over that of permuted points (:func:`.guards.examine`):
            small for a law, about 1 or more for f that is nearly 0 everywhere or fits nothing.
        clearance: mean or median distance of permuted points, in spreads.
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
    """Maximise the paper's fitness over the constants, from those of ``expression``.

    ``points`` (N, D); ``copies`` (D, N, D) of :func:`pie.fit.fitness.stochastic_copies` and the
    tolerance ``tau`` for CL-FEM, None = vanilla; ``max_iterations`` of BFGS.
    """
    columns = np.ascontiguousarray(points.T)
    d = len(columns)
    side_by_side = np.empty((d, 0))
    if copies is not None:
        side_by_side = np.ascontiguousarray(copies.reshape(-1, d).T)
    constants, loss = minimise(*expression.arrays, columns, side_by_side, tau, max_iterations)
    if loss >= FAILED:
        return Fit(expression, -np.inf, "degenerate or undefined at the initial constants")
    if not np.all(np.isfinite(constants)):
        return Fit(expression, -np.inf, "BFGS left the domain of the equation")
    return Fit(expression.with_constants(constants), -loss, "ok")
