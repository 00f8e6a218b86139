"""Ways in which points come. Here: the paper's (Section 3.2, Sampling Data Points)."""

import numpy as np

from .expression import Expression
from .zero_set import points_on_zero_set

MIN_SPREAD = 1e-3


class Unsampled(ValueError):
    """The equation did not give the points asked for; the message says why."""


def paper_points(
    expression: Expression,
    n_points: int,
    n_variables: int,
    rng: np.random.Generator,
    max_trials: int = 4,
) -> np.ndarray:
    """One coordinate picked uniformly, the others standard normal, that one solved for.

    Args:
        expression: f, in x1 … x_D.
        n_points: N.
        n_variables: D.
        rng: picks the coordinate, the normals and the branch of the root.
        max_trials: starts drawn at most, in multiples of N.

    Returns:
        Points (N, D), float64, all of them zeros of f.

    Raises:
        Unsampled: fewer than N roots within the trials, or a coordinate without spread.
    """
    variable = 1 + int(rng.integers(n_variables))
    found = np.empty((0, n_variables))
    for trial in range(max_trials):
        starts = rng.standard_normal((n_points, n_variables))
        found = np.concatenate([found, points_on_zero_set(expression, starts, variable, rng)])
        if len(found) >= n_points:
            break
        if trial == 0 and len(found) == 0:
            break
    if len(found) < n_points:
        raise Unsampled(f"{len(found)} of {n_points} points in {max_trials * n_points} trials")
    found = found[:n_points]
    spread = found.std(axis=0)
    if spread.min() < MIN_SPREAD:
        raise Unsampled(f"x{1 + int(spread.argmin())} does not vary")
    return found
