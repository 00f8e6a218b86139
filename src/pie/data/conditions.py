"""Test problems under changed conditions: noise, outliers, number of points.

Figure 4 varies relative noise, x → x(1 + ζ) with ζ ~ N(0, σ²), and the number of points.
Additive noise and outliers are ours.
"""

from dataclasses import replace

import numpy as np

from .benchmarks import Problem, draw_points, noise_rng
from .sampling import add_noise, add_outliers, multiply_noise

DISTURBED = {"relative noise": multiply_noise, "noise": add_noise, "outliers": add_outliers}
CONDITIONS = (*DISTURBED, "points")


def under(problem: Problem, condition: str, value: float) -> Problem:
    """A noise-free problem under one of :data:`CONDITIONS`, which is added to its ``sampling``.

    ``value`` is σ (relative noise), the noise in standard deviations of each column, the share of
    outliers, or the number of points. ValueError for an unknown condition, a value that it cannot
    have, or more points than a problem of ``wild`` has.
    """
    if condition not in CONDITIONS:
        raise ValueError(f"condition is {condition!r}; expected one of {', '.join(CONDITIONS)}")
    least, most = {"outliers": (0.0, 1.0), "points": (1.0, np.inf)}.get(condition, (0.0, np.inf))
    if not least <= value <= most or np.isinf(value) or condition == "points" and value % 1.0:
        kind = "a whole number" if condition == "points" else "a number"
        expected = f"at least {least:g}" if np.isinf(most) else f"{least:g} to {most:g}"
        raise ValueError(f"{condition} is {value}; expected {kind}, {expected}")
    if condition == "points":
        points = _with_points(problem, int(value))
    else:
        points = DISTURBED[condition](problem.points, value, noise_rng(problem))
    return replace(problem, points=points, sampling=f"{problem.sampling}, {condition} {value:g}")


def _with_points(problem: Problem, n_points: int) -> np.ndarray:
    """The first points; if there are too few, new ones sampled as in the paper."""
    if n_points <= len(problem.points):
        return problem.points[:n_points]
    if problem.box is not None:
        raise ValueError(
            f"{n_points} points of {problem.equation_id}; expected at most {len(problem.points)}"
        )
    return draw_points(problem.truth, n_points, seed=0)
