"""Constants of a skeleton: BFGS on the paper's fitness; and what any fit returns."""

from dataclasses import dataclass

import numpy as np

from ..expr.expression import Expression
from . import bfgs

GRADIENT_TOLERANCE = 1e-12
_BFGS_FAILURES = {
    bfgs.UNDEFINED_START: "degenerate or undefined at the initial constants",
    bfgs.LEFT_DOMAIN: "BFGS left the domain of the equation",
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
            permuted columns (at most a tenth of the spread): about 1 or more for a function that
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
        copies: (D, N, D) from :func:`pie.fit.fitness.stochastic_copies` for CL-FEM; None = vanilla.
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
