r"""Evidence for an equation: what speaks for a law, and against a degenerate or accidental answer.

With d(x) the distance from x to the zero set in units of the columns' spreads, counted up to 1, for
each point as if it had been left out of the fit of the constants, d/(1 − h) with its leverage h
(Allen 1974); and d₀ the same for points with permuted columns (no law, the same spreads):

* **contrast**: the (N + P)/2-th smallest d, with P constants, over the median d₀, far below 1 for a
  law; no smaller than the rounding of the columns makes it;
* **p**: of the one-sided rank test (Mann & Whitney 1947) that d is no smaller than d₀ of points
  whose columns are permuted among neighbours only
  (:func:`pie.zeroset.neighbours.groups_of_neighbours`). Where points fall into clusters, some
  equation passes through all of their centres; a law holds within them, too;
* **evidence**: −N ln(contrast) less the price of the form (:mod:`pie.search.price`), in nats: the
  logarithm of how much more probable the points are with the law than without one, after paying for
  having chosen it among many forms;
* **gain of the fit**: median d of the fit over that of points left out, far below 1 where the fit
  follows its own points only;
* **shares**: of each variable in the gradient at the points;
* **covered**: the share of the zeros within the box of the points that have points nearby. The rest
  of the zero set is extrapolation;
* **p_of_parts**: of three columns or more, for each part of them, of the test that d has any place
  among those of the same point with this part of other points
  (:func:`~pie.discovery.rank_test.rank_test_in_blocks`). Where two columns obey a law, any third can
  be added to it; and two laws, f(x) = 0 and g(y) = 0, can be joined to one, f(x) = g(y). Such an
  equation holds in any order of a part;
* **factors**: of f, with the share of the points that each carries; one if f is irreducible. One of
  a single column, as ``group`` in group·(y − x²) = 0, tells nothing of the others.

A *law* is sound, without such a factor that carries :data:`ALONE` of the points, with every p ≤
:data:`SIGNIFICANT`, contrast ≤ :data:`CONTRAST` and evidence ≥ :data:`EVIDENCE`. Contrast and p
were chosen on 200 clouds with a law and 200 without, and all three are measured on others
(:mod:`pie.experiments.calibration`, notebook 10_no_law). No law there are correlations up to ±0.9,
and trends that explain at most four fifths of the variance.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..expr.coordinates import in_units
from ..expr.expression import Expression
from ..fit.uncertainty import expected_residual, leverages
from ..zeroset.box import Box
from ..zeroset.degeneracy import SOUND, kind
from ..zeroset.distance import distance_to_zero_set
from ..zeroset.factors import Factor, factors
from ..zeroset.metric import SET, Metric
from ..zeroset.neighbours import (
    groups_of_neighbours,
    permuted_among_neighbours,
    squared_distances,
)
from ..zeroset.spreads import permuted, robust_spreads
from ..zeroset.zeros import zeros
from .rank_test import rank_test, rank_test_in_blocks

SIGNIFICANT = 0.005  # p of a law at most
CONTRAST = 0.2  # of a law at most
EVIDENCE = 5.0  # of a law at least, in nats
LEVERAGE = 0.9  # at most
MEDIAN = 0.6745  # of the magnitude of normal errors, in standard deviations
NULL_COPIES = 4  # permuted clouds
EXCHANGED = 400  # points with values of others, and at least NULL_COPIES of each
GROUPED = 400  # points that are grouped at most
NEAR = 3.0  # times the usual distance between neighbours
NEIGHBOURS = 3
STARTS = 200
SAME = 0.01  # of the spreads
ALIKE = 0.95  # of the zeros
ALONE = 0.05  # of the points, on factors of one column


@dataclass(frozen=True)
class Certificate:
    """See the module for what is measured; ``kind`` is that of :mod:`pie.zeroset.degeneracy`."""

    kind: str
    contrast: float
    p: float
    evidence: float
    gain: float
    shares: tuple[float, ...]
    covered: float
    factors: tuple[Factor, ...]
    p_of_parts: tuple[float, ...]

    @property
    def law(self) -> bool:
        """Whether the equation passes for a law."""
        return not self.reason

    @property
    def alone(self) -> float:
        """The share of the points on factors of one column, 0 if it is less than :data:`ALONE`."""
        shares = sum(f.share for f in self.factors if len(f.expression.variables) == 1)
        return shares if shares >= ALONE else 0.0

    @property
    def apart(self) -> tuple[tuple[int, ...], ...]:
        """Parts of the columns that may have nothing to do with the others; () if more is wrong."""
        if self._against:
            return ()
        pairs = zip(parts(len(self.shares)), self.p_of_parts, strict=True)
        return tuple(part for part, p in pairs if p > SIGNIFICANT)

    @property
    def reason(self) -> str:
        """Why it does not pass; empty if it does."""
        return self.reason_in([f"column {j}" for j in range(1, len(self.shares) + 1)])

    def reason_in(self, names: Sequence[str]) -> str:
        """:attr:`reason` with the names of the columns."""
        if not self.apart:
            return self._against
        p, part = max(zip(self.p_of_parts, parts(len(self.shares)), strict=True))
        listed = ", ".join(names[j] for j in part)
        return (
            f"{listed} may have nothing to do with the other columns: points that were left out "
            f"lie no closer to it than points with {listed} in another order "
            f"(p = {_beyond(p, SIGNIFICANT)})"
        )

    @property
    def _against(self) -> str:
        """What speaks against it as an equation of all its columns together."""
        if self.kind != SOUND:
            return f"degenerate: {self.kind}"
        if self.alone:
            return f"{self.alone:.0%} of the points lie on a factor that has one column alone"
        if self.contrast > CONTRAST:
            times = f"{_beyond(self.contrast, CONTRAST)} times ".removeprefix("1 times ")
            return (
                f"points that were left out lie {times}as far from it as points "
                f"with permuted columns; a law is expected to reach {CONTRAST:g}"
            )
        if self.p > SIGNIFICANT:
            return (
                f"points that were left out lie no closer to it than points with columns permuted "
                f"among neighbours (p = {_beyond(self.p, SIGNIFICANT)})"
            )
        if self.evidence < EVIDENCE:
            return (
                f"too few or too scattered points for a form of this length: the evidence is "
                f"{_beyond(self.evidence, EVIDENCE)} nats; a law is expected to reach {EVIDENCE:g}"
            )
        return ""


def _beyond(value: float, limit: float) -> str:
    """A value with two digits, or as many as tell it from the limit.

    >>> _beyond(0.7512, 0.2), _beyond(0.2031, 0.2)
    ('0.75', '0.203')
    """
    texts = (f"{value:.{digits}g}" for digits in range(2, 18))
    return next(text for text in texts if float(text) != limit)


def certify(
    expression: Expression,
    points: np.ndarray,
    form: float = 0.0,
    metric: Metric | None = None,
    errors: np.ndarray | None = None,
) -> Certificate:
    """The evidence for an equation with constants fitted to points (N, D).

    ``form`` is the price of its form in nats. Distances are in the coordinates of ``metric``; None:
    columns in units of their spreads. ``errors`` (D,) are standard deviations of the columns'
    errors at least, as of rounding: an equation that is nearer has no more evidence for it.

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    >>> cloud = np.column_stack([x, 1.0 / x])
    >>> certify(parse("x1*x2 - 1"), cloud).law
    True
    >>> certify(parse("x1 + x2 - 2.5"), cloud).reason[:20]
    'points that were lef'
    """
    of_spreads = Metric.of(points, spread=robust_spreads)
    metric, spreads = metric or of_spreads, of_spreads.scale
    some = points[:: -(-len(points) // GROUPED)]
    groups = groups_of_neighbours(metric.coordinates(some), metric.exact)
    copies = range(NULL_COPIES)
    null = np.concatenate([permuted(points, seed) for seed in copies])
    nearby = np.concatenate([permuted_among_neighbours(some, groups, seed) for seed in copies])
    own, far, around = (_distances(expression, cloud, metric) for cloud in (points, null, nearby))
    leverage = np.minimum(leverages(expression, points, metric.units(points)), LEVERAGE)
    near = np.minimum(own / (1.0 - leverage), 1.0)
    # constants can pass through as many points as there are of them: these do not count
    middle = min((len(points) + len(expression.constants)) // 2, len(points) - 1)
    error, fit_error = (float(np.partition(d, middle)[middle]) for d in (near, own))
    typical = max(float(np.median(far)), 1e-300)
    if errors is not None:
        units = metric.units(points) / np.where(metric.exact, SET, 1.0)
        error = max(error, MEDIAN * expected_residual(expression, points, units, errors))
    rounding = 1e-9 * typical
    clouds = (_with_others(points, part) for part in parts(points.shape[1]))
    apart = (_distances(expression, cloud, metric).reshape(-1, len(points)) for cloud in clouds)
    return Certificate(
        kind(expression, points),
        error / typical,
        rank_test(near, around),
        -len(points) * float(np.log(max(error, rounding) / typical)) - form,
        max(fit_error, rounding) / max(error, rounding),
        _shares(expression, points, spreads),
        _covered(expression, points, spreads),
        factors(expression, points, spreads),
        tuple(rank_test_in_blocks(near, away) for away in apart),
    )


def parts(columns: int) -> tuple[tuple[int, ...], ...]:
    """Each way to split columns into two parts, by the smaller one; none of two columns.

    >>> parts(3), parts(4)[4:]
    (((0,), (1,), (2,)), ((0, 1), (0, 2), (0, 3)))
    """
    if columns < 3:
        return ()
    sizes = range(1, columns // 2 + 1)
    every = (part for size in sizes for part in itertools.combinations(range(columns), size))
    return tuple(part for part in every if 2 * len(part) < columns or 0 in part)


def _with_others(points: np.ndarray, part: tuple[int, ...]) -> np.ndarray:
    """Points (N, D), each with a part of M others in turn, (M·N, D)."""
    n = len(points)
    order = np.random.default_rng(0).permutation(n)
    shifts = range(1, min(max(EXCHANGED // n, NULL_COPIES), n - 1) + 1)
    clouds = np.tile(points, (len(shifts), 1, 1))
    for cloud, shift in zip(clouds, shifts, strict=True):
        cloud[order[:, None], part] = points[np.roll(order, shift)][:, part]
    return clouds.reshape(-1, points.shape[1])


def same_zero_set(
    first: Expression,
    second: Expression,
    points: np.ndarray,
    metric: Metric | None = None,
    share: float = 1.0,
) -> bool:
    """Whether two equations have the same zeros in the box of the points (N, D).

    To a hundredth of the spreads or to the larger one's error, whichever is more, or to a ``share``
    of it.

    >>> from pie.expr.expression import parse
    >>> x = np.linspace(0.5, 2.0, 50)
    >>> cloud = np.column_stack([x, 1.0 / x])
    >>> a, b, c = (parse(f) for f in ("x1*x2 - 1", "ln(x1) + ln(x2)", "x1 + x2 - 2"))
    >>> same_zero_set(a, b, cloud), same_zero_set(a, c, cloud)
    (True, False)
    """
    metric = metric or Metric.of(points, spread=robust_spreads)
    box = Box(points.min(axis=0), points.max(axis=0))
    errors = (float(np.median(_distances(f, points, metric))) for f in (first, second))
    reach = share * max(SAME, *errors)
    for one, other in ((first, second), (second, first)):
        found = _zeros(one, STARTS // 2, box)
        if len(found) and np.mean(_distances(other, found, metric) <= reach) < ALIKE:
            return False
    return True


def _zeros(expression: Expression, starts: int, box: Box) -> np.ndarray:
    """Zeros in a box, (S, D), sought in units of the box: far from 0 or 1 no root is found."""
    middle, half = (box.high + box.low) / 2.0, (box.high - box.low) / 2.0
    whole = Box(-np.ones_like(half), np.ones_like(half))
    try:
        expression = in_units(expression, middle, half)
    except ValueError:  # too long in other units
        middle, half, whole = 0.0, 1.0, box
    found = zeros(expression, len(box.low), np.random.default_rng(0), starts, whole)
    return middle + half * found


@np.errstate(all="ignore")
def _distances(expression: Expression, points: np.ndarray, metric: Metric) -> np.ndarray:
    """Distances in the coordinates of the metric, at most 1, (N,)."""
    try:
        found = distance_to_zero_set(metric.equation(expression), metric.coordinates(points))
    except ValueError:  # too long in other units
        found = distance_to_zero_set(expression, points) / np.median(metric.scale)
    return np.fmin(found, 1.0)


@np.errstate(all="ignore")
def _shares(expression: Expression, points: np.ndarray, spreads: np.ndarray) -> tuple[float, ...]:
    slopes = np.abs(expression.value_and_gradient(points)[1] * spreads)
    size = np.linalg.norm(slopes, axis=1)
    usable = np.isfinite(size) & (size > 0.0)
    if not usable.any():
        return (0.0,) * points.shape[1]
    return tuple(np.sqrt(np.mean((slopes[usable] / size[usable, None]) ** 2, axis=0)).tolist())


def _covered(expression: Expression, points: np.ndarray, spreads: np.ndarray) -> float:
    found = _zeros(expression, STARTS, Box(points.min(axis=0), points.max(axis=0)))
    if len(found) == 0:
        return 0.0
    k = min(NEIGHBOURS, len(points) - 1)
    apart = squared_distances(points / spreads, points / spreads)  # of a point from itself: 0
    reach = NEAR * float(np.median(np.sqrt(np.partition(apart, k, axis=1)[:, k])))
    away = np.sqrt(squared_distances(found / spreads, points / spreads).min(axis=1))
    return float(np.mean(away <= reach))
