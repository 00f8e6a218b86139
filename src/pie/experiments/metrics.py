r"""Scores of a found equation f̂ against the true f: the paper's fitness, and two of ours.

**Fitness** (Eqs. 7–9; one-sided). M = 200 starts from N(0, I) become zeros x_i of f̂ by solving for
one coordinate, chosen at random (the others are tried if it has no root). With D = 10 points x̃_j
from N(0, I) at which f is finite,

.. math::
    NMSE = \frac{\frac1M \sum_i f(x_i)^2}{\frac1{D} \sum_j f(\tilde x_j)^2}, \qquad
    fitness = \frac{1}{1 + \sqrt{NMSE}}, \qquad Acc_\tau = [fitness \ge \tau].

**Two-sided** (ours). Z(g) are zeros of g found as above, d(x, g) is the distance from x to the zero
set of g (:func:`pie.zeroset.distance.distance_to_zero_set`), and σ the root mean square over the
coordinates of the interquartile range of Z(f), divided by 1.349:

.. math::
    two\_sided = \min\bigl( P_{x \in Z(\hat f)}[d(x, f) \le 10^{-3} σ],\;
                            P_{x \in Z(f)}[d(x, \hat f) \le 10^{-3} σ] \bigr).

An equation is *recovered* if this is at least 0.95. A factor of f, whose fitness is 1, and f̂ ≡ 0
score less than 1. Both equations are in canonical form (:mod:`pie.expr.canonical`), which removes
multiple roots and denominators; points where a denominator vanishes may count as zeros.

**Right skeleton** (ours). f̂ is recovered, or only the values of its constants are wrong: in
arbitrary units it has no more constants than f, or as it is no more numbers that are fitted
(:mod:`pie.expr.known_numbers`), it fits the zeros of f exactly with others, and two_sided with
tolerance 0.1 σ is at least 0.9.

**Box.** Test sets drawn in a box (``wild``) are scored in its coordinates: starts are drawn from
the box, and zeros outside it are left out.

**Failures** score 0, never NaN: no equation, a constant f̂, fewer than M/10 zeros of f̂, and for
two_sided an f̂ without a canonical form. Zeros where f is undefined do not count in the fitness and
are infinitely far in two_sided.
"""

import numpy as np

from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.expression import Expression
from ..expr.known_numbers import free_numbers
from ..fit.sampson_fits import fit_sampson
from ..zeroset.box import Box
from ..zeroset.distance import distance_to_zero_set
from ..zeroset.zeros import STARTS, zeros

UNITS = (1.37, 0.59, 2.11, 0.83, 1.71, 0.47, 1.13, 2.63, 0.71)  # arbitrary
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.99)
TOLERANCE = 1e-3  # largest distance of a point on a zero set, in σ
RECOVERED = 0.95  # smallest two-sided score of a recovered equation
EXACT = 1e-6  # largest contrast of an exact fit
NORMALISER_POINTS = 10


def _frame(box: Box | None, n_variables: int) -> tuple[Box | None, np.ndarray, np.ndarray]:
    """Box, shift and scale of the coordinates z = (x − shift)/scale in which scores are computed.

    The box gets centre 0 and half-width 1; a logarithmic one keeps its origin, its middle is 1.
    """
    if box is None:
        return None, np.zeros(n_variables), np.ones(n_variables)
    middle, half = (box.high + box.low) / 2.0, (box.high - box.low) / 2.0
    if box.logarithmic:
        return Box(-half, half, True), np.zeros(n_variables), np.exp(middle)
    return Box(-np.ones(n_variables), np.ones(n_variables)), middle, half


@np.errstate(all="ignore")
def _squares(f: Expression, points: np.ndarray) -> np.ndarray:
    """f² where f has a value, (K,); infinite where only the square is too large."""
    values = f.values(points) if len(points) else np.empty(0)
    return np.square(values[np.isfinite(values)])


def _fitness(points: np.ndarray, truth: Expression, rng: np.random.Generator, box) -> float:
    """Eqs. 7–9 for points (M, D) in place of the zeros of f̂."""
    normaliser = np.empty(0)
    for _ in range(1000):
        starts = rng.standard_normal((NORMALISER_POINTS, points.shape[1]))
        starts = starts if box is None else box.uniform(NORMALISER_POINTS, rng)
        squares = _squares(truth, starts)
        normaliser = np.concatenate([normaliser, squares[np.isfinite(squares)]])
        if len(normaliser) >= NORMALISER_POINTS:
            break
    scale = float(np.mean(normaliser[:NORMALISER_POINTS])) if len(normaliser) else np.nan
    squares = _squares(truth, points)
    if len(squares) < STARTS // 10 or not scale > 0.0:
        return 0.0
    return float(1.0 / (1.0 + np.sqrt(np.mean(squares) / scale)))


def paper_fitness(
    estimate: Expression | None,
    truth: Expression,
    n_variables: int,
    seed: int,
    box: Box | None = None,
    residual: float = 0.0,
) -> float:
    """The paper's fitness of f̂ against f, in [0, 1].

    The paper does not say what f̂ ≡ 0 scores. Here it has no zeros and scores 0; with a
    ``residual`` a start at which |f̂| is smaller counts as a zero, so that all starts do.
    """
    if estimate is None or not estimate.variables:
        return 0.0
    box, *frame = _frame(box, n_variables)
    truth = in_units(truth, *frame)
    try:
        estimate = in_units(estimate, *frame)
    except ValueError:  # too long
        return 0.0
    rng = np.random.default_rng(seed)
    points = zeros(estimate, n_variables, rng, box=box, residual=residual)
    return _fitness(points, truth, rng, box)


def _share_near(points: np.ndarray, expression: Expression, reach: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.mean(distance_to_zero_set(expression, points) <= reach))


def _spread(points: np.ndarray) -> float:
    low, high = np.quantile(points, [0.25, 0.75], axis=0)
    return float(np.sqrt(np.mean(np.square((high - low) / 1.349))))


def two_sided(
    estimate: Expression | None,
    truth: Expression,
    n_variables: int,
    seed: int,
    box: Box | None = None,
    tolerance: float = TOLERANCE,
) -> float:
    """The two-sided score of f̂ against f, in [0, 1]."""
    if estimate is None:
        return 0.0
    box, *frame = _frame(box, n_variables)
    truth = canonical(in_units(truth, *frame))
    try:
        as_given = in_units(estimate, *frame)
        estimate = canonical(as_given)
    except ValueError:  # no canonical form
        return 0.0
    rng = np.random.default_rng(seed)
    if len(zeros(as_given, n_variables, rng, box=box)) < STARTS // 10:
        return 0.0
    of_truth, of_estimate = (zeros(f, n_variables, rng, box=box) for f in (truth, estimate))
    if len(of_estimate) < STARTS // 10 or len(of_truth) == 0:
        return 0.0
    reach = tolerance * _spread(of_truth)
    return min(_share_near(of_estimate, truth, reach), _share_near(of_truth, estimate, reach))


def right_skeleton(
    estimate: Expression | None,
    truth: Expression,
    n_variables: int,
    seed: int,
    box: Box | None = None,
) -> bool:
    """Whether f̂ is f but for the values of its constants."""
    arguments = (estimate, truth, n_variables, seed, box)
    if two_sided(*arguments) >= RECOVERED:
        return True
    if two_sided(*arguments, tolerance=0.1) < 0.9:
        return False
    framed, shift, scale = _frame(box, n_variables)
    points = shift + scale * zeros(
        in_units(truth, shift, scale), n_variables, np.random.default_rng(seed), box=framed
    )
    units = np.array(UNITS)[:n_variables] * np.maximum(np.abs(shift), scale)
    try:
        forms = [canonical(truth), canonical(estimate)]
        truth, estimate = (canonical(in_units(f, 0.0 * units, units)) for f in (truth, estimate))
    except ValueError:
        return False
    fitted = [free_numbers(form).shape[1] for form in forms]
    if len(estimate.constants) > len(truth.constants) and fitted[1] > fitted[0]:
        return False
    (fit,) = fit_sampson([estimate], points / units, warm=True)
    return fit.status == "ok" and fit.contrast < EXACT
