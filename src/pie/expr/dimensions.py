r"""Whether an equation keeps its form in other units, and what its constants are multiplied by.

In another unit column j is s^{d_j}·x_j. The form stays the same if constants and f as a whole make
up for it, f(s^d·x; s^e·c) = s^w·f(x; c). At s = 1 this is Euler's theorem on homogeneous functions,

.. math:: \sum_j d_j x_j \frac{∂f}{∂x_j} = w f - \sum_k e_k c_k \frac{∂f}{∂c_k}
          \quad \text{for all } x,

linear equations for w and the exponents e_k. Units are often such that a factor is 1, as in
period² = axis³ of years and astronomical units, or in exp(−t) of seconds, and then that 1 is a
constant with a unit. So where the equations have no solution, summands without a factor, and what
is inside of exp, ln, sin and cos, get a *hidden* factor 1, as few as there must be. A logarithm is
shifted by another unit, which a constant beside it takes up. No factor is hidden in an exponent:
one that varies has no unit.
"""

from dataclasses import dataclass

import numpy as np

from .derivatives import derivatives
from .expression import Expression, Tree, from_tree, to_tree
from .known_numbers import free_numbers, known_numbers, rates_of_degrees
from .terms import scaled

AROUND = 0.2  # points are moved off the zero set by factors of about e^±0.2
ENOUGH = 100  # points
CLOSE = 1e-6  # relative residual of a solution
OTHER = 1.5  # factor of a constant whose exponent is tested
ARGUMENTS = ("exp", "ln", "sin", "cos")  # functions of numbers without a unit


@dataclass(frozen=True)
class Dimensions:
    """Exponents of base units in each column, (D, B): known, or a unit of its own for each.

    ``conventional``: columns whose zero is a convention, as of years and of °C, one flag each; () =
    none is known to be. ``degrees``: columns whose unit is that of an angle in degrees; () = none.

    >>> Dimensions.assumed(2).exponents.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    exponents: np.ndarray
    known: bool = True
    conventional: tuple[bool, ...] = ()
    degrees: tuple[bool, ...] = ()

    @property
    def angles(self) -> frozenset[int]:
        """The columns x_j that are angles in degrees."""
        return frozenset(j for j, degrees in enumerate(self.degrees, 1) if degrees)

    @classmethod
    def assumed(cls, n_columns: int) -> "Dimensions":
        """Of a table that does not tell its units: each column may have another one."""
        return cls(np.eye(n_columns), known=False)


def exponents(
    expression: Expression, points: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, bool]:
    """e, (P, B), for B changes of units d, the rows of ``scales`` (B, D); whether all exist.

    ``points`` (N, D) say where the equation is defined. nan marks a constant beside a logarithm,
    which another unit shifts.

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 3))
    >>> found, fits = exponents(parse("x1*x2 - 8.3*x3"), x, np.array([[1, 0, 0], [0, 0, 1]]))
    >>> found.round(6).tolist(), fits
    ([[1.0, -1.0]], True)
    >>> exponents(parse("x1 - 2.0*x3**x2"), x, np.array([[0, 1, 0]]))[1]
    False
    """
    found, _, fits = _solution(expression, points, scales)
    for k, c in enumerate(expression.constants):
        other = [OTHER * c if i == k else one for i, one in enumerate(expression.constants)]
        again = _solution(expression.with_constants(other), points, scales)[0]
        found[k, np.abs(again[k] - found[k]) > 1e-3 * (1.0 + np.abs(found[k]))] = np.nan
    return found, fits


def hidden_constants(expression: Expression, points: np.ndarray, dimensions: Dimensions) -> float:
    """How many factors are 1 in these units only; equal ones are one. ``points`` (N, D).

    Where no constants make f sound: inf, as the units forbid it; if they are not known, D, as each
    column may stand over a number of its own. There are no more than D of them then, either.

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    >>> seconds_and_metres, assumed = Dimensions(np.eye(2)), Dimensions.assumed(2)
    >>> laws = [parse(t) for t in ("x1**2 - x2 + 3.1", "x1 - 2*exp(x2)", "exp(x1) - sin(x2)")]
    >>> [hidden_constants(law, x, seconds_and_metres) for law in laws]
    [1.0, 1.0, 2.0]
    >>> [hidden_constants(parse("x1 - 2*x1**x2"), x, d) for d in (seconds_and_metres, assumed)]
    [inf, 2.0]
    """
    scales = dimensions.exponents.T
    if not scales.any():
        return 0.0
    most = np.inf if dimensions.known else float(points.shape[1])
    _, factors, sound = _solution(expression, points, scales)
    return min(float(len({tuple(row) for row in factors.round(6) + 0.0})), most) if sound else most


def bound_numbers(
    expression: Expression, points: np.ndarray, dimensions: Dimensions
) -> tuple[int, int]:
    """How many known numbers, and how many equalities of numbers, hold in these units only.

    A rate of degrees is none: it says what the unit is.

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    >>> laws = [parse(t) for t in ("x1 - 2*(x2 + 1)", "x1 - 2*(exp(0.3*x2) - 1)", "x1 - 2*x2 - 2")]
    >>> [bound_numbers(law, x, Dimensions.assumed(2)) for law in laws]
    [(1, 0), (0, 0), (0, 1)]
    """
    free, known = free_numbers(expression), known_numbers(expression)
    scales = dimensions.exponents.T
    if not scales.any() or (free.shape[0] == free.shape[1]):
        return 0, 0
    units = _solution(expression, points, scales)[0].round(6) + 0.0
    bound = np.any(units[known & ~rates_of_degrees(expression)] != 0.0, axis=1)
    different = (len({*map(tuple, units[members])}) for members in free.T != 0.0)
    return int(bound.sum()), sum(different) - free.shape[1]


def _solution(
    expression: Expression, points: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Exponents of the constants, (P, B), and of hidden factors, (H, B); whether they solve it.

    There are as many hidden factors as must be, those inside of functions left out first; none
    where the equation would be too long with them.
    """
    found, sound = _solved(*_equations(expression, points, scales))
    if sound:
        return found, found[:0], True
    try:
        whole, hidden = _with_factors(expression)
    except ValueError:  # too long
        return found, found[:0], False
    columns, targets = _equations(whole, points, scales)
    kept = np.ones(columns.shape[1], bool)
    found, sound = _solved(columns, targets)
    for k in sorted(np.flatnonzero(hidden), key=hidden.__getitem__, reverse=True) if sound else ():
        fewer = kept & (np.arange(len(kept)) != k)
        again, still = _solved(columns[:, fewer], targets)
        if still:
            kept, found = fewer, again
    own = hidden[kept[:-1]] > 0
    return found[~own], found[own], sound


@np.errstate(all="ignore")
def _solved(columns: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, bool]:
    """e, (P, B), and whether it solves the equations; w, the last one, is left out.

    nan and True with fewer equations than unknowns: nothing is known against a solution.
    """
    if len(columns) < columns.shape[1]:
        return np.full((columns.shape[1] - 1, targets.shape[1]), np.nan), True
    norms = np.linalg.norm(columns, axis=0)
    norms[norms == 0.0] = 1.0
    solution = np.linalg.lstsq(columns / norms, targets, rcond=1e-10)[0] / norms[:, None]
    left = np.linalg.norm(columns @ solution - targets, axis=0)
    return solution[:-1], bool(np.all(left <= CLOSE * np.linalg.norm(targets, axis=0) + 1e-12))


@np.errstate(all="ignore")
def _equations(
    expression: Expression, points: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Euler's, of constants and w, (N', P + 1) and (N', B), at points moved off the zero set."""
    points = np.repeat(points, -(-ENOUGH // len(points)), axis=0)
    points = points * np.exp(AROUND * np.random.default_rng(0).standard_normal(points.shape))
    scales = np.atleast_2d(np.asarray(scales, float))
    codes, constants = expression.arrays
    (_, d), p = points.shape, constants.size
    jet = derivatives(codes, constants, np.ascontiguousarray(points.T), d, p)
    slopes = points.T * jet[1 : 1 + d]  # (D, N)
    rows = -constants[:, None] * jet[1 + d : 1 + d + p]
    columns, targets = np.column_stack([*rows, jet[0]]), slopes.T @ scales.T
    size = np.abs(slopes).sum(axis=0)[:, None]
    columns, targets = columns / size, targets / size
    usable = np.isfinite(columns).all(axis=1) & np.isfinite(targets).all(axis=1)
    return columns[usable], targets[usable]


def _with_factors(expression: Expression) -> tuple[Expression, np.ndarray]:
    """With a factor 1 wherever one may be hidden; how deep each constant, (P,), is hidden, or 0.

    It may be in a summand without a factor: of a sum inside of a function in each, else in all but
    the first.
    """
    depths: list[int] = []

    def summand(tree: Tree, depth: int, first: bool) -> Tree:
        if tree[0] in ("add", "sub"):
            return (tree[0], summand(tree[1], depth, first), summand(tree[2], depth, False))
        if first or tree[0] == "c" or abs(scaled(tree)[0]) != 1.0:
            return below(tree, depth)
        depths.append(depth)
        return ("mul", ("c", 1.0), below(tree, depth))

    def below(tree: Tree, depth: int) -> Tree:
        if tree[0] in ("x", "c"):
            depths.extend([0] * (tree[0] == "c"))
            return tree
        first = tree[0] not in ARGUMENTS
        return (tree[0], *(summand(part, depth + 1, first) for part in tree[1:]))

    tree = summand(to_tree(expression), 1, True)
    return from_tree(tree), np.array(depths)
