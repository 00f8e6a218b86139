"""What every method takes and returns: checked points → ranked candidates."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..expr.expression import Expression


@dataclass(frozen=True)
class Price:
    """Items of a candidate's price, in nats (:mod:`pie.search.price`)."""

    misfit: float
    constants: float = 0.0
    form: float = 0.0
    tokens: float = 0.0
    implicit: float = 0.0
    crossings: float = 0.0
    sheets: float = 0.0
    waves: float = 0.0
    hidden: float = 0.0
    bound: float = 0.0
    origins: float = 0.0
    branch: float = 0.0

    @property
    def total(self) -> float:
        return sum(vars(self).values())

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {value:.1f}" for name, value in vars(self).items() if value)
        return f"{listed} = {self.total:.1f}"


@dataclass(frozen=True)
class Candidate:
    """One equation. Higher fitness is better; a failed fit has −inf and a reason as ``status``.

    ``contrast`` as in :class:`pie.fit.constants.Fit`; *PIE+* ranks by ``price``.
    """

    expression: Expression
    fitness: float
    log_probability: float
    status: str
    contrast: float = np.nan
    proposer: str = "network"
    price: Price | None = None


@dataclass(frozen=True)
class Discovery:
    """Candidates, best first, and the seconds that the search took.

    ``logarithmic``: the columns whose errors grow with them, one flag each; () = none.
    """

    candidates: tuple[Candidate, ...]
    seconds: float
    logarithmic: tuple[bool, ...] = ()

    @property
    def best(self) -> Candidate | None:
        """The first candidate; None if its fitness is not finite."""
        first = self.candidates[0] if self.candidates else None
        return first if first and np.isfinite(first.fitness) else None


Method = Callable[[np.ndarray], Discovery]  # points (N, D) → ranked candidates


class Unusable(ValueError):
    """Points that a method cannot use; the message quotes them and the expectation."""


def check_points(
    points: np.ndarray, max_variables: int, half_precision: float = np.inf
) -> np.ndarray:
    """Points as float64 (N, D), N > D, 2 ≤ D ≤ ``max_variables``, finite; columns vary and differ.

    ``half_precision`` bounds |x| for methods that give the points to a network unscaled.

    Raises:
        Unusable: what is wrong, quoted.
    """
    try:
        points = np.asarray(points, np.float64)
    except (TypeError, ValueError) as error:
        raise Unusable(f"points are not numbers: {error}") from None
    if points.ndim != 2:
        raise Unusable(f"points have shape {points.shape}; expected (N, D)")
    n, d = points.shape
    if not 2 <= d <= max_variables:
        raise Unusable(f"points have {d} columns; expected 2 to {max_variables}")
    if n < d + 1:
        raise Unusable(f"{n} points in {d} dimensions; expected at least {d + 1}")
    bad = np.argwhere(~np.isfinite(points))
    if len(bad):
        i, j = bad[0]
        raise Unusable(f"point {i}, x{j + 1} is {points[i, j]}; expected finite numbers")
    if np.abs(points).max() > half_precision:
        i, j = np.unravel_index(np.abs(points).argmax(), points.shape)
        raise Unusable(
            f"point {i}, x{j + 1} is {points[i, j]:g}; half precision ends at ±{half_precision:g}, "
            "rescale the column"
        )
    for j in range(d):
        if np.ptp(points[:, j]) == 0.0:
            raise Unusable(f"x{j + 1} is {points[0, j]:g} at every point; leave the column out")
        for k in range(j):
            if np.array_equal(points[:, j], points[:, k]):
                raise Unusable(f"columns x{k + 1} and x{j + 1} are the same; leave one out")
    return points
