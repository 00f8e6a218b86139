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
zero of g reached along ∇g (:func:`pie.distance.distance_to_zero_set`), and σ the spread of
Z(f) (root mean square over coordinates of the interquartile range / 1.349),

.. math::
    two\_sided = \min\Bigl( \operatorname{mean}_{x \in Z(\hat f)} \frac{1}{1 + d(x, f)/σ},\;
                            \operatorname{mean}_{x \in Z(f)} \frac{1}{1 + d(x, \hat f)/σ} \Bigr)

Both equations are put into canonical form first (:mod:`pie.canonical`), which removes multiple
roots and denominators: where a denominator vanished, f and f̂ may agree on being zero.
Each point counts between 0 and 1, so outliers cannot dominate. One factor of a product misses
the zeros of the other; f̂ ≡ 0 has no gradient and is infinitely far: neither scores 1.

**Failure cases**, for both: no equation, f̂ constant, or fewer than M/10 zeros of f̂: score 0;
for the two-sided one also an f̂ without a canonical form (no zeros, or zero everywhere).
Zeros of f̂ where f is undefined are left out of the fitness; if fewer than M/10 remain, 0.
In the two-sided score they are infinitely far. Scores are in [0, 1], never NaN.

Shapes: starts (M, D_x), points (n, D_x), distances (n,).
"""

import numpy as np

from .canonical import NoZeroSet, canonical
from .distance import distance_to_zero_set
from .expression import Expression
from .zero_set import solve_coordinate

THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.99)
STARTS = 200
NORMALISER_POINTS = 10


def zeros(expression: Expression, n_variables: int, rng: np.random.Generator, starts: int = STARTS):
    """Zeros of an equation near standard normal starts, (n ≤ starts, D_x)."""
    begin = rng.standard_normal((starts, n_variables))
    order = rng.permuted(np.tile(np.arange(n_variables), (starts, 1)), axis=1)
    branch = rng.random(starts)
    points = begin.copy()
    found = np.zeros(starts, bool)
    columns = np.ascontiguousarray(begin.T)
    roots = np.stack(
        [solve_coordinate(*expression.arrays, columns, j + 1, branch) for j in range(n_variables)]
    )
    for rank in range(n_variables):
        j = order[:, rank]
        root = roots[j, np.arange(starts)]
        new = ~found & np.isfinite(root)
        points[new, j[new]] = root[new]
        found |= new
    return points[found]


def _normaliser(truth: Expression, n_variables: int, rng: np.random.Generator) -> float:
    squares: list[float] = []
    for _ in range(1000):
        with np.errstate(all="ignore"):
            values = np.square(truth.values(rng.standard_normal((NORMALISER_POINTS, n_variables))))
        squares.extend(values[np.isfinite(values)])
        if len(squares) >= NORMALISER_POINTS:
            break
    return float(np.mean(squares[:NORMALISER_POINTS])) if squares else np.nan


def paper_fitness(
    estimate: Expression | None, truth: Expression, n_variables: int, seed: int
) -> float:
    """The paper's fitness of f̂ against f, in [0, 1]; see the module for the failure cases.

    >>> from pie.expression import parse
    >>> paper_fitness(parse("3*x1*x2 - 6"), parse("x1*x2 - 2"), 2, seed=0)
    1.0
    """
    if estimate is None or not estimate.variables:
        return 0.0
    rng = np.random.default_rng(seed)
    points = zeros(estimate, n_variables, rng)
    with np.errstate(all="ignore"):
        squares = np.square(truth.values(points)) if len(points) else np.empty(0)
    squares = squares[np.isfinite(squares)]
    scale = _normaliser(truth, n_variables, rng)
    if len(squares) < STARTS // 10 or not scale > 0.0:
        return 0.0
    return float(1.0 / (1.0 + np.sqrt(np.mean(squares) / scale)))


def _agreement(points: np.ndarray, expression: Expression, scale: float) -> float:
    with np.errstate(all="ignore"):
        distance = distance_to_zero_set(expression, points)
    return float(np.mean(1.0 / (1.0 + distance / scale)))


def two_sided(estimate: Expression | None, truth: Expression, n_variables: int, seed: int) -> float:
    """The two-sided score of f̂ against f, in [0, 1]; see the module for the failure cases.

    >>> from pie.expression import parse
    >>> factor, product = parse("x1 - 1.5"), parse("(x1 - 1.5)*(x2 - x1**2 - 3)")
    >>> paper_fitness(factor, product, 2, seed=0) == 1.0
    True
    >>> two_sided(factor, product, 2, seed=0) < 0.9
    True
    """
    if estimate is None:
        return 0.0
    truth, as_given = canonical(truth), estimate
    try:
        estimate = canonical(estimate)
    except NoZeroSet:
        return 0.0
    rng = np.random.default_rng(seed)
    if len(zeros(as_given, n_variables, rng)) < STARTS // 10:
        return 0.0
    of_truth, of_estimate = (zeros(f, n_variables, rng) for f in (truth, estimate))
    if len(of_estimate) < STARTS // 10 or len(of_truth) == 0:
        return 0.0
    low, high = np.quantile(of_truth, [0.25, 0.75], axis=0)
    scale = float(np.sqrt(np.mean(np.square((high - low) / 1.349))))
    return min(_agreement(of_estimate, truth, scale), _agreement(of_truth, estimate, scale))
