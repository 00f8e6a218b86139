r"""How close is the found equation f̂ to the true one f? The paper's metric and a two-sided one.

**Fitness** (Eqs. 7–9, one-sided, the paper's headline): M = 200 starts from N(0, I) are
turned into zeros of f̂ by solving for one coordinate each (chosen uniformly, the next ones
tried if it has no root), and

.. math::
    NMSE = \frac{\frac1M \sum_i f(x_i)^2}{\frac1{D} \sum_j f(\tilde x_j)^2}, \qquad
    fitness = \frac{1}{1 + \sqrt{NMSE}}, \qquad Acc_\tau = [fitness \ge \tau]

with x̃ from N(0, I), D = 10 of them where f is finite. A factor of f scores 1, and so would
an f̂ ≡ 0 near a small f.

**Two-sided** (ours): with Z(g) the zeros of g found as above, d(x, g) the distance from x to a
zero of g reached along ∇g (:func:`pie.zeroset.distance.distance_to_zero_set`), and σ the spread of
Z(f) (root mean square over coordinates of the interquartile range / 1.349), the share of points
of either zero set that lie on the other to within a thousandth of σ,

.. math::
    two\_sided = \min\bigl( P_{x \in Z(\hat f)}[d(x, f) \le 10^{-3} σ],\;
                            P_{x \in Z(f)}[d(x, \hat f) \le 10^{-3} σ] \bigr)

An equation is *recovered* where it is at least 0.95.

**Right skeleton** (ours): in arbitrary units f̂ takes no more constants than f, some constants
make it f exactly, and the zero sets of f̂ as it is and of f agree to 0.1 σ in nine points of ten.
What remains wrong is the values of constants. What is recovered has the right skeleton, too,
however it is written.

Both equations are put into canonical form first (:mod:`pie.expr.canonical`), which removes multiple
roots and denominators: where a denominator vanished, f and f̂ may agree on being zero.
One factor of a product misses the zeros of the other; f̂ ≡ 0 has no gradient and is infinitely
far: neither scores 1.

**Where**: test sets that were drawn in a box (``wild``) are scored there: starts are drawn from it,
zeros outside it are left out, and coordinates are taken in its units.

**Failure cases**, for both: no equation, f̂ constant, or fewer than M/10 zeros of f̂: score 0;
for the two-sided one also an f̂ without a canonical form (no zeros, or zero everywhere).
Zeros of f̂ where f is undefined are left out of the fitness; if fewer than M/10 remain, 0.
In the two-sided score they are infinitely far. Scores are in [0, 1], never NaN.

Shapes: starts (M, D_x), points (n, D_x), distances (n,).
"""

import numpy as np

from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.expression import Expression
from ..fit.sampson_fits import fit_sampson
from ..zeroset.box import Box
from ..zeroset.distance import distance_to_zero_set
from ..zeroset.zeros import STARTS, zeros

THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.99)
TOLERANCE = 1e-3  # of the spread, within which a point lies on a zero set
RECOVERED = 0.95  # two-sided score from which an equation counts as recovered
EXACT = 1e-6  # contrast
NORMALISER_POINTS = 10


def _frame(box: Box | None, n_variables: int) -> tuple[Box | None, np.ndarray, np.ndarray]:
    """Box, origin and units of the coordinates z = (x − shift)/scale in which is scored.

    Centred and of half-width 1; a logarithmic box keeps its origin and has its middle at 1.
    """
    if box is None:
        return None, np.zeros(n_variables), np.ones(n_variables)
    middle, half = (box.high + box.low) / 2.0, (box.high - box.low) / 2.0
    if box.logarithmic:
        return Box(-half, half, True), np.zeros(n_variables), np.exp(middle)
    return Box(-np.ones(n_variables), np.ones(n_variables)), middle, half


@np.errstate(all="ignore")
def _squares(f: Expression, points: np.ndarray) -> np.ndarray:
    """f² at the points where it is finite."""
    squares = np.square(f.values(points)) if len(points) else np.empty(0)
    return squares[np.isfinite(squares)]


def _fitness(points: np.ndarray, truth: Expression, rng: np.random.Generator, box) -> float:
    """Eqs. 7–9 for points (M, D) that stand for the zeros of f̂."""
    normaliser = np.empty(0)
    for _ in range(1000):
        starts = rng.standard_normal((NORMALISER_POINTS, points.shape[1]))
        starts = starts if box is None else box.uniform(NORMALISER_POINTS, rng)
        normaliser = np.concatenate([normaliser, _squares(truth, starts)])
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
) -> float:
    """The paper's fitness of f̂ against f, in [0, 1]; see the module for the failure cases.

    >>> from pie.expr.expression import parse
    >>> paper_fitness(parse("3*x1*x2 - 6"), parse("x1*x2 - 2"), 2, seed=0)
    1.0
    """
    if estimate is None or not estimate.variables:
        return 0.0
    box, *frame = _frame(box, n_variables)
    truth = in_units(truth, *frame)
    try:
        estimate = in_units(estimate, *frame)
    except ValueError:  # far too long
        return 0.0
    rng = np.random.default_rng(seed)
    return _fitness(zeros(estimate, n_variables, rng, box=box), truth, rng, box)


def fitness_of_starts(
    truth: Expression, n_variables: int, seed: int, box: Box | None = None
) -> float:
    """What f̂ ≡ 0 would score if its start points, which nothing moves, counted as its zeros.

    :func:`paper_fitness` gives it 0. The paper does not say; its values for methods that are
    degenerate throughout are close to this one.
    """
    box, *frame = _frame(box, n_variables)
    rng = np.random.default_rng(seed)
    shape = (STARTS, n_variables)
    starts = rng.standard_normal(shape) if box is None else box.uniform(STARTS, rng)
    return _fitness(starts, in_units(truth, *frame), rng, box)


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
    """The two-sided score of f̂ against f, in [0, 1]; see the module for the failure cases.

    >>> from pie.expr.expression import parse
    >>> factor, product = parse("x1 - 1.5"), parse("(x1 - 1.5)*(x2 - x1**2 - 3)")
    >>> paper_fitness(factor, product, 2, seed=0) == 1.0
    True
    >>> two_sided(factor, product, 2, seed=0) < 0.9
    True
    """
    if estimate is None:
        return 0.0
    box, *frame = _frame(box, n_variables)
    truth = canonical(in_units(truth, *frame))
    try:
        as_given = in_units(estimate, *frame)
        estimate = canonical(as_given)
    except ValueError:  # no zeros by its form, or far too long for one
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
    """Whether f̂ is f but for the values of its constants; see the module.

    >>> from pie.expr.expression import parse
    >>> truth = parse("x1**2 + x2**2 - 4")
    >>> right_skeleton(parse("x1**2 + 1.02*x2**2 - 3.9"), truth, 2, seed=0)
    True
    >>> right_skeleton(parse("x1**2 + 1.02*x2**2 + 0.01*x1 - 3.9"), truth, 2, seed=0)
    False
    """
    arguments = (estimate, truth, n_variables, seed, box)
    if two_sided(*arguments) >= RECOVERED:
        return True
    if two_sided(*arguments, tolerance=0.1) < 0.9:
        return False
    framed, shift, scale = _frame(box, n_variables)
    points = shift + scale * zeros(
        in_units(truth, shift, scale), n_variables, np.random.default_rng(seed), box=framed
    )
    units = np.array([1.37, 0.59, 2.11])[:n_variables] * np.maximum(np.abs(shift), scale)
    truth = canonical(in_units(truth, 0.0 * units, units))
    try:
        estimate = canonical(in_units(estimate, 0.0 * units, units))
    except ValueError:
        return False
    if len(estimate.constants) > len(truth.constants):
        return False
    (fit,) = fit_sampson([estimate], points / units, warm=True)
    return fit.status == "ok" and fit.contrast < EXACT
