"""The same test problems under other conditions: noise, outliers, another number of points.

Figure 4 has relative noise, x → x(1 + ζ) with ζ ~ N(0, σ²) for every coordinate, and the number of
points given; additive noise and outliers are ours.
"""

from dataclasses import replace

import numpy as np

from .benchmarks import Problem, draw_points, noisy
from .sampling import add_outliers, multiply_noise

CONDITIONS = ("relative noise", "noise", "outliers", "points")


def under(problem: Problem, condition: str, value: float, seed: int = 0) -> Problem:
    """A problem under one of :data:`CONDITIONS`; ``sampling`` says which.

    Args:
        problem: its points free of noise.
        condition: ``relative noise``, of every coordinate; ``noise``, of the spread of its column;
            ``outliers``, a share of the points; ``points``, their number.
        value: how much of it; 0 changes nothing but the name.
        seed: of the noise. The same equation gets the same random numbers at every level.

    Raises:
        ValueError: an unknown condition, quoted; or more points than ``wild`` has.

    >>> from pie.expr.expression import parse
    >>> cloud = np.column_stack([np.arange(1.0, 9.0), 1.0 / np.arange(1.0, 9.0)])
    >>> problem = Problem("test", "T1", parse("x1*x2 - 1"), cloud)
    >>> under(problem, "points", 5).points.shape, under(problem, "noise", 0.1).sampling
    ((5, 2), 'normal, noise 0.1')
    """
    rng = np.random.default_rng([seed, *problem.equation_id.encode()])
    if condition == "points":
        points = _with_points(problem, int(value), seed)
    elif condition == "noise":
        points = noisy(problem, value, seed).points
    elif condition == "relative noise":
        points = multiply_noise(problem.points, value, rng)
    elif condition == "outliers":
        points = add_outliers(problem.points, value, rng)
    else:
        raise ValueError(f"condition is {condition!r}; expected one of {', '.join(CONDITIONS)}")
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
