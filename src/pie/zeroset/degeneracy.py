r"""Kinds of degenerate f, for which f(x) ≈ 0 says nothing about the points.

f is judged *as returned* (canonical form would hide 0·g and g/huge) on P, the points (N, D); Q,
their columns permuted (no law, the same spreads σ); R, the points moved at random towards the
central 90 % of each column. In order of precedence:

* **no equation**: None.
* **f ≡ 0**: |f| ≤ 8ε·e at half of P and half of R, e the running error bound of evaluating f. The
  outermost operation that gives the zero names the kind: **0·g** (a factor ≡ 0), **g − g** (a sum
  or difference of terms not ≡ 0), **g/huge** (underflow of a product, quotient, power or
  exponential), **everything is a zero** (otherwise, as the constant 0 or ln(x1/x1)).
* **g/huge**: √mean_P f² ≤ s, median_Q |f| ≤ s and Pr(|f(p)| < |f(q)|) < 0.8, the threshold
  s = 10⁻²·min(1, σ_1, …, σ_D) being absolute. The probability is invariant under f → c·f and
  powers of f: near 1 for a law, about 1/2 without a relation. Not applied if f is zero to rounding
  at half of P.
* **a variable not used**: the root mean square share of the gradient,
  √mean_{P ∪ R} [(σ_j ∂_j f)² / Σ_k (σ_k ∂_k f)²], is below 10⁻⁶ for some, but not all, columns j.
* **nothing is a zero**: fewer than a tenth of P ∪ R reach a zero along an axis, within three times
  the range of the column, or are in P and zero to rounding. Includes constants and undefined f.
* **sound**: none of these. It may still be wrong.
"""

import contextlib

import numpy as np

from ..expr.coordinates import in_units
from ..expr.expression import Expression, Tree, to_tree
from .distance import first_order
from .roots import solve_each_coordinate
from .spreads import permuted, robust_spreads

SOUND, NO_EQUATION = "sound", "no equation"
ZERO_FACTOR, CANCELLED, HUGE = "0·g", "g − g", "g/huge"
UNUSED, NOTHING, EVERYTHING = "a variable not used", "nothing is a zero", "everything is a zero"
KINDS = (SOUND, NO_EQUATION, ZERO_FACTOR, CANCELLED, HUGE, UNUSED, NOTHING, EVERYTHING)

ROUNDING = 8.0 * np.finfo(float).eps
SMALL = 1e-2  # threshold of √mean f², in units of min(1, σ_1, …, σ_D)
LOWER = 0.8  # threshold of Pr(|f(p)| < |f(q)|)
SMALLEST_SHARE = 1e-6  # threshold of a variable's share in the gradient
FEWEST_ZEROS = 0.1  # minimum share of the starts with a zero along an axis


@np.errstate(all="ignore")
def kind(expression: Expression | None, points: np.ndarray) -> str:
    """Which of :data:`KINDS` an equation found from points (N, D) is; deterministic.

    ValueError if the expression uses a variable beyond the columns of the points.

    >>> from pie.expr.expression import parse
    >>> circle = np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0.0, 6.0, 50)])
    >>> [kind(parse(f), circle) for f in ("x1**2 + x2**2 - 1", "0*x1", "(x1 - x2)/1e6")]
    ['sound', '0·g', 'g/huge']
    """
    if expression is None:
        return NO_EQUATION
    points = np.asarray(points, np.float64) + 0.0  # −0.0 to 0.0
    expression.values(points[:0])  # raises ValueError for a variable beyond the columns
    tree, scattered = to_tree(expression), _scattered(points)
    if _vanishes(tree, points) and _vanishes(tree, scattered):
        return _reason(tree, scattered)
    spreads, (zero, _) = robust_spreads(points), _zeros(tree, points)
    spreads[spreads == 0.0] = 1.0
    if zero.mean() < 0.5 and _is_small(expression, points, SMALL * min(1.0, spreads.min())):
        return HUGE
    starts = np.concatenate([points, scattered])
    matters = _shares(expression, starts, spreads) >= SMALLEST_SHARE
    if matters.any() and not matters.all():
        return UNUSED
    found = _has_zero(expression, starts, spreads)
    found[: len(points)] |= zero
    return NOTHING if found.mean() < FEWEST_ZEROS else SOUND


def _scattered(points: np.ndarray) -> np.ndarray:
    """R: no value is shared by many points any more, as on a branch x1 = 2."""
    rng = np.random.default_rng(0)
    goal = rng.uniform(*np.quantile(points, [0.05, 0.95], axis=0), points.shape)
    return points + rng.random(points.shape) * (goal - points)


_UNARY = {  # value y at x, and derivative up to sign
    "sqrt": (np.sqrt, lambda x, y: 0.5 / y),
    "exp": (np.exp, lambda x, y: y),
    "ln": (np.log, lambda x, y: 1.0 / x),
    "sin": (np.sin, lambda x, y: np.cos(x)),
    "cos": (np.cos, lambda x, y: np.sin(x)),
}
_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}


def _with_error(tree: Tree, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values at points (N, D) and running error bounds in units of ε, (N,) each."""
    head = tree[0]
    if head in ("c", "x"):
        value = points[:, tree[1] - 1] if head == "x" else np.full(len(points), tree[1])
        return value, np.abs(value)
    a, of_a = _with_error(tree[1], points)
    if head in _UNARY:
        function, slope = _UNARY[head]
        value = function(a)
        if head in ("exp", "sin", "cos"):  # no bound if the argument's error is > 0.1
            of_a = np.where(ROUNDING * of_a < 0.1, of_a, np.nan)
        return value, np.abs(slope(a, value)) * of_a + np.abs(value)
    b, of_b = _with_error(tree[2], points) if len(tree) == 3 else (float(head[3:]), 0.0)
    value = _BINARY.get(head, np.power)(a, b)
    if head in ("add", "sub"):
        by_a, by_b = 1.0, 1.0
    elif head == "mul":
        by_a, by_b = b, a
    elif head == "div":
        by_a, by_b = 1.0 / b, value / b
    else:
        by_a, by_b = value * b / a, value * np.log(np.abs(a))
    return value, np.abs(by_a) * of_a + np.abs(by_b) * of_b + np.abs(value)


def _zeros(tree: Tree, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where f is zero to rounding, and where it is finite, (N,) each."""
    value, error = _with_error(tree, points)
    return np.abs(value) <= ROUNDING * np.where(error < np.inf, error, 0.0), np.isfinite(value)


def _vanishes(tree: Tree, points: np.ndarray) -> bool:
    zero, defined = _zeros(tree, points)
    return 2 * zero.sum() >= max(1, defined.sum())


def _reason(tree: Tree, points: np.ndarray) -> str:
    """The kind, by the outermost operation that makes the tree vanish at the points."""
    head = tree[0]
    vanishing = [c for c in tree[1:] if isinstance(c, tuple) and _vanishes(c, points)]
    if head in ("mul", "div"):
        return ZERO_FACTOR if vanishing else HUGE
    if vanishing:
        return _reason(vanishing[0], points)
    if head in ("add", "sub"):
        return CANCELLED
    return HUGE if head.startswith(("exp", "pow")) else EVERYTHING


def _is_small(expression: Expression, points: np.ndarray, limit: float) -> bool:
    """Whether |f| ≤ limit on P and on Q, and is not smaller on P than on Q."""
    null = np.concatenate([permuted(points, seed) for seed in range(4)])
    p, q = (np.sort(np.abs(expression.values(cloud))) for cloud in (points, null))
    p, q = p[np.isfinite(p)], q[np.isfinite(q)]
    if not (len(p) and len(q) and np.sqrt(np.mean(p**2)) <= limit and np.median(q) <= limit):
        return False
    lower = (np.searchsorted(p, q, "left") + np.searchsorted(p, q, "right")) / (2 * len(p))
    return lower.mean() < LOWER


def _shares(expression: Expression, points: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Share of each variable in the gradient, (D,); 0 if no gradient is finite and nonzero."""
    _, normal = first_order(expression, points, spreads)
    normal = normal[np.isfinite(normal).all(axis=1)]
    return np.sqrt(np.mean(normal**2, axis=0)) if len(normal) else np.zeros(points.shape[1])


def _has_zero(expression: Expression, starts: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Which starts (N, D) reach a zero of f along an axis, (N,)."""
    with contextlib.suppress(ValueError):  # longer than MAX_LENGTH in other units
        expression = in_units(expression, middle := np.median(starts, axis=0), spreads)
        starts = (starts - middle) / spreads
    low, high = starts.min(axis=0), starts.max(axis=0)
    branch = (np.random.default_rng(0).permutation(len(starts)) + 0.5) / len(starts)  # each alike
    roots = solve_each_coordinate(expression, starts, branch)
    return np.any(np.abs(2.0 * roots - high - low) <= 3.0 * (high - low), axis=1)
