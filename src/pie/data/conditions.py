"""The same test problems under other conditions: noise, outliers, another number of points.

Figure 4 has relative noise, x → x(1 + ζ) with ζ ~ N(0, σ²) for every coordinate, and the number of
points given; additive noise and outliers are ours.
"""

from dataclasses import replace

import numpy as np

from .benchmarks import Problem, draw_points, noise_rng
from .sampling import add_noise, add_outliers, multiply_noise

DISTURBED = {"relative noise": multiply_noise, "noise": add_noise, "outliers": add_outliers}
CONDITIONS = (*DISTURBED, "points")


def under(problem: Problem, condition: str, value: float, seed: int = 0) -> Problem:
    """A problem, free of noise, under one of :data:`CONDITIONS`; ``sampling`` says which.

    ``value`` is the relative noise of every coordinate, the noise in spreads of its column, the
    share of outliers, or the number of points.

    Raises:
        ValueError: an unknown condition, quoted; or more points than ``wild`` has.

    >>> from pie.expr.expression import parse
    >>> cloud = np.column_stack([np.arange(1.0, 9.0), 1.0 / np.arange(1.0, 9.0)])
    >>> problem = Problem("test", "T1", parse("x1*x2 - 1"), cloud)
    >>> under(problem, "points", 5).points.shape, under(problem, "noise", 0.1).sampling
    ((5, 2), 'normal, noise 0.1')
    """
    if condition not in CONDITIONS:
        raise ValueError(f"condition is {condition!r}; expected one of {', '.join(CONDITIONS)}")
    if condition == "points":
        points = _with_points(problem, int(value), seed)
    else:
        points = DISTURBED[condition](problem.points, value, noise_rng(problem, seed))
    return replace(problem, points=points, sampling=f"{problem.sampling}, {condition} {value:g}")


def _with_points(problem: Problem, n_points: int, seed: int) -> np.ndarray:
    """The first points, or as many new ones, drawn the paper's way, if there are not enough."""
    if n_points <= len(problem.points):
        return problem.points[:n_points]
    if problem.box is not None:
        raise ValueError(
            f"{n_points} points of {problem.equation_id}; expected at most {len(problem.points)}"
        )
    return draw_points(problem.truth, n_points, seed)
