"""Sampling schemes: the paper's (Section 3.2), and schemes that resemble measured data.

A scheme ``way(expression, n_points, box, rng) → (N, D)`` raises :class:`Unsampled` if the equation
does not give N points that vary in every column. ``box`` is the range of drawn coordinates.
"""

from collections.abc import Callable

import numpy as np

from ..expr.expression import Expression
from ..zeroset.box import Box
from ..zeroset.distance import project
from ..zeroset.roots import HALF_MAX, points_on_zero_set, solve_coordinate

MIN_SPREAD = 1e-3  # least standard deviation of a column


class Unsampled(ValueError):
    """The equation did not give the points asked for; the message says why."""


def random_box(n_variables: int, rng: np.random.Generator) -> Box:
    """A centred, shifted, positive or log-uniform box; one kind for all coordinates."""
    kind = rng.choice(["centred", "shifted", "positive", "logarithmic"], p=[0.35, 0.2, 0.3, 0.15])
    d = n_variables
    if kind == "logarithmic":
        low = rng.uniform(np.log(0.05), np.log(1.0), d)
        return Box(low, low + rng.uniform(np.log(3.0), np.log(50.0), d), True)
    if kind == "positive":
        low = rng.uniform(0.02, 1.5, d)
        return Box(low, low + np.exp(rng.uniform(np.log(0.7), np.log(6.0), d)))
    half = np.exp(rng.uniform(np.log(0.7), np.log(5.0), d))
    centre = rng.normal(0.0, 2.0, d) if kind == "shifted" else np.zeros(d)
    return Box(centre - half, centre + half)


def _first(points: np.ndarray, n_points: int) -> np.ndarray:
    if len(points) < n_points:
        raise Unsampled(f"{len(points)} of {n_points} points")
    points = points[:n_points]
    if not np.abs(points).max() <= HALF_MAX:
        raise Unsampled("points beyond half precision")
    # relative to its size: a column of 1000 ± 0.01 is constant in half precision
    return _varied(points, MIN_SPREAD * (1.0 + np.abs(points).mean(axis=0)))


def _varied(points: np.ndarray, least: np.ndarray | float) -> np.ndarray:
    spread = points.std(axis=0)
    if np.any(spread < least):
        raise Unsampled(f"x{1 + int(spread.argmin())} does not vary")
    return points


def paper_points(
    expression: Expression, n_points: int, rng: np.random.Generator, max_trials: int = 4
) -> np.ndarray:
    """Zeros of f, (N, D): standard normal coordinates, a random one replaced by a root of f = 0.

    Raises Unsampled if ``max_trials``·N starts give fewer than N roots, or a column does not vary.
    """
    n_variables = len(expression.variables)
    variable = 1 + int(rng.integers(n_variables))
    found = np.empty((0, n_variables))
    for trial in range(max_trials):
        starts = rng.standard_normal((n_points, n_variables))
        found = np.concatenate([found, points_on_zero_set(expression, starts, variable, rng)])
        if len(found) >= n_points or (trial == 0 and len(found) == 0):
            break
    if len(found) < n_points:
        raise Unsampled(f"{len(found)} of {n_points} points in {max_trials * n_points} trials")
    return _varied(found[:n_points], MIN_SPREAD)


def normal(expression, n_points, box, rng):
    """The paper's scheme; the box is not used."""
    return paper_points(expression, n_points, rng)


def _solved(expression, starts, rng):
    """Starts with one random coordinate solved for; those without a root are left out."""
    return points_on_zero_set(expression, starts, 1 + int(rng.integers(starts.shape[1])), rng)


def _projected(expression, n_starts, box, rng):
    """Project uniform starts onto the zero set; results outside the box are left out."""
    starts = box.uniform(n_starts, rng)
    reached, distance = project(*expression.arrays, np.ascontiguousarray(starts.T), 12, 1.0)
    points = reached.T[np.isfinite(distance)]
    return points[box.contains(points)]


def free_box(expression, n_points, box, rng):
    """Uniform in a box; one coordinate is solved for and may leave it (y against x)."""
    return _first(_solved(expression, box.uniform(2 * n_points, rng), rng), n_points)


def whole(expression, n_points, box, rng):
    """The whole zero set inside the box, by projection."""
    return _first(_projected(expression, 3 * n_points, box, rng), n_points)


def patch(expression, n_points, box, rng):
    """An arc or patch: the nearest neighbours of one point, at least 25 % of the zero set."""
    points = _projected(expression, 8 * n_points, box, rng)
    if len(points) < n_points:
        raise Unsampled(f"{len(points)} of {n_points} points")
    centre = points[rng.integers(len(points))]
    away = np.linalg.norm((points - centre) / points.std(axis=0).clip(1e-9), axis=1)
    kept = max(n_points, int(rng.uniform(0.25, 0.6) * len(points)))
    return _first(rng.permutation(points[np.argsort(away)[:kept]]), n_points)


def clusters(expression, n_points, box, rng):
    """Uneven density: two to four normal clusters, one coordinate solved for."""
    centres = box.uniform(int(rng.integers(2, 5)), rng)
    widths = rng.uniform(0.05, 0.3, len(centres))[:, None] * np.ptp(box.uniform(64, rng), axis=0)
    pick = rng.integers(len(centres), size=2 * n_points)
    starts = centres[pick] + widths[pick] * rng.standard_normal((2 * n_points, len(box.low)))
    return _first(_solved(expression, starts, rng), n_points)


def trajectory(expression, n_points, box, rng):
    """A track in time: drift plus oscillation, one coordinate solved for on one branch."""
    d = len(box.low)
    t = np.sort(rng.uniform(0.0, 1.0, 2 * n_points))[:, None]
    a, b = box.uniform(2, rng)
    swing = 0.25 * np.abs(b - a) * rng.uniform(0.0, 1.0, d)
    turns, phases = rng.uniform(0.5, 3.0, d), rng.uniform(0.0, 2.0 * np.pi, d)
    points = a + (b - a) * t + swing * np.sin(2.0 * np.pi * turns * t + phases)
    if box.logarithmic:
        points = np.abs(points)
    branch = np.full(len(points), float(rng.random()))
    variable = 1 + int(rng.integers(d))
    points[:, variable - 1] = solve_coordinate(expression, points, variable, branch)
    return _first(points[np.isfinite(points[:, variable - 1])], n_points)


WAYS: dict[str, Callable[..., np.ndarray]] = {
    way.__name__: way for way in (normal, free_box, whole, patch, clusters, trajectory)
}


def drawn(
    expression: Expression, way: str, n_points: int, box: Box, rng: np.random.Generator
) -> np.ndarray:
    """Points (N, D) by a scheme of :data:`WAYS`; Unsampled if 60 attempts fail."""
    for _ in range(60):
        try:
            return WAYS[way](expression, n_points, box, rng)
        except Unsampled as reason:
            last = reason
    raise last


def add_noise(
    points: np.ndarray, level: float | np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Additive normal noise, ``level`` (or one per column) standard deviations of each column."""
    return points + level * points.std(axis=0) * rng.standard_normal(points.shape)


def multiply_noise(points: np.ndarray, level: float, rng: np.random.Generator) -> np.ndarray:
    """Multiplicative noise (Section 4.3): x → x·(1 + ζ), ζ ~ N(0, level²)."""
    return points * (1.0 + level * rng.standard_normal(points.shape))


def add_outliers(points: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Replace a share of the points by uniform ones within the range of the data."""
    points = points.copy()
    hit = rng.random(len(points)) < share
    points[hit] = rng.uniform(points.min(axis=0), points.max(axis=0), (hit.sum(), points.shape[1]))
    return points


def fewer(points: np.ndarray, n_points: int) -> np.ndarray:
    """The first ``n_points``, repeated to N rows; attention sees a set of that many."""
    return points[np.arange(len(points)) % n_points]


def scales(points: np.ndarray) -> np.ndarray:
    """Scale of each column, (D,): median |x| / 0.6745, which is 1 for a standard normal column.

    Equivariant under a change of units. The standard deviation instead where the median is below a
    thousandth of it: most values are 0, or one is extremely far off.
    """
    size = np.median(np.abs(points), axis=0) / 0.6744897501960817
    spread = points.std(axis=0)
    return np.where(size > 1e-3 * spread, size, spread)
