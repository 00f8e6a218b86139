"""Constants of a skeleton by BFGS without restarts, on either fitness of the paper."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from . import fitness, kernel
from .expression import Expression

FAILED = 1e30  # what BFGS sees for −inf: its line search steps back from it


@dataclass(frozen=True)
class Fit:
    """An equation with its constants, its fitness, and why there is none if there is none."""

    expression: Expression
    fitness: float
    status: str


class Objective:
    """The negated fitness of one skeleton on one point set, with its gradient in the constants."""

    def __init__(
        self, expression: Expression, points: np.ndarray, copies: np.ndarray | None, tau: float
    ):
        self.codes = expression.arrays[0]
        self.columns = np.ascontiguousarray(points.T)
        self.copies = None
        if copies is not None:
            d, n, _ = copies.shape
            self.copies = np.ascontiguousarray(copies.reshape(d * n, d).T)
        self.tau = tau

    def fitness(self, constants: np.ndarray) -> float:
        """Eq. 2, or Eq. 6 where there are stochastic copies."""
        value = kernel.values(self.codes, constants, self.columns)
        return fitness.vanilla(value) if self._varies(constants, value) else -np.inf

    def _varies(self, constants: np.ndarray, value: np.ndarray) -> bool:
        if self.copies is None:
            return True
        copy_values = kernel.values(self.codes, constants, self.copies)
        d = fitness.distances(value, copy_values.reshape(-1, len(value)))
        return not np.any(d <= self.tau)

    def __call__(self, constants: np.ndarray) -> tuple[float, np.ndarray]:
        value, slopes = kernel.values_and_jacobian(self.codes, constants, self.columns, False, True)
        loss = -fitness.vanilla(value)
        gradient = 2.0 / len(value) * (slopes @ value)
        if not (np.isfinite(loss) and np.all(np.isfinite(gradient))):
            return FAILED, np.zeros_like(constants)
        if not self._varies(constants, value):
            return FAILED, np.zeros_like(constants)
        return loss, gradient


def fit(
    expression: Expression,
    points: np.ndarray,
    copies: np.ndarray | None = None,
    tau: float = 1e-4,
    max_iterations: int = 200,
) -> Fit:
    """Maximise the fitness over the constants, from the ones that ``expression`` carries.

    Args:
        expression: the skeleton with its initial constants.
        points: (N, D).
        copies: (D, N, D) from :func:`pie.fitness.stochastic_copies` for CL-FEM; None = vanilla.
        tau: tolerance of CL-FEM.
        max_iterations: of BFGS.

    Returns:
        The fit; its fitness is −inf, with the reason in ``status``, if no constants were found.
    """
    objective = Objective(expression, points, copies, tau)
    start = expression.arrays[1]
    if start.size == 0:
        value = objective.fitness(start)
        return Fit(expression, value, "ok" if np.isfinite(value) else "degenerate or undefined")
    with np.errstate(all="ignore"):
        if objective(start)[0] >= FAILED:
            return Fit(expression, -np.inf, "degenerate or undefined at the initial constants")
        result = minimize(
            objective, start, jac=True, method="BFGS",
            options={"gtol": 1e-12, "maxiter": max_iterations},
        )  # fmt: skip
        constants = np.asarray(result.x, float)
        value = objective.fitness(constants) if np.all(np.isfinite(constants)) else -np.inf
    if not np.isfinite(value):
        return Fit(expression, -np.inf, "BFGS left the domain of the equation")
    return Fit(expression.with_constants(constants), value, "ok")
