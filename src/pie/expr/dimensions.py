r"""Whether an equation keeps its form in other units, and what its constants are multiplied by.

In another unit column j is s^{d_j}·x_j. The form stays the same if constants and f as a whole make
up for it, f(s^d·x; s^e·c) = s^w·f(x; c). At s = 1 this is Euler's theorem on homogeneous functions,

.. math:: \sum_j d_j x_j \frac{∂f}{∂x_j} = w f - \sum_k e_k c_k \frac{∂f}{∂c_k}
          \quad \text{for all } x,

linear equations for w and the exponents e_k. They have no solution where the argument of a sine or
an exponential has a dimension that no constant takes away. Terms of different dimensions may be
added: units are often such that a factor is 1, as in period² = axis³ of years and astronomical
units, and then that 1 is a constant with a unit. A logarithm is shifted by another unit, which a
constant beside it takes up.
"""

from dataclasses import dataclass

import numpy as np

from .derivatives import derivatives
from .expression import Expression, from_tree, to_tree
from .known_numbers import free_numbers, known_numbers
from .solving import scaled
from .terms import terms

AROUND = 0.2  # points are moved off the zero set by factors of about e^±0.2
ENOUGH = 100  # points
CLOSE = 1e-6  # relative residual of a solution
OTHER = 1.5  # factor of a constant whose exponent is tested


@dataclass(frozen=True)
class Dimensions:
    """Exponents of base units in each column, (D, B): known, or a unit of its own for each.

    >>> Dimensions.assumed(2).exponents.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    exponents: np.ndarray
    known: bool = True

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
    >>> exponents(parse("x1 - 2.0*exp(x2)"), x, np.array([[0, 1, 0]]))[1]
    False
    """
    solved, fits = _solution(expression, points, scales)
    hidden = not fits
    if hidden:
        solved, fits = _solution(expression, points, scales, hidden)
    found = solved[: len(expression.constants)]
    for k, c in enumerate(expression.constants):
        other = [OTHER * c if i == k else one for i, one in enumerate(expression.constants)]
        again, _ = _solution(expression.with_constants(other), points, scales, hidden)
        found[k, np.abs(again[k] - found[k]) > 1e-3 * (1.0 + np.abs(found[k]))] = np.nan
    return found, fits


def hidden_constants(expression: Expression, points: np.ndarray, dimensions: Dimensions) -> float:
    """How many factors of terms are 1 in these units only; equal ones are one. ``points`` (N, D).

    Where no constants make f sound: inf, as the units forbid it; if they are not known, D, as each
    column may stand over a number of its own.

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    >>> seconds_and_metres, assumed = Dimensions(np.eye(2)), Dimensions.assumed(2)
    >>> hidden_constants(parse("x1**2 - x2 + 3.1"), x, seconds_and_metres)
    1.0
    >>> [hidden_constants(parse("x1 - 2*exp(x2)"), x, d) for d in (seconds_and_metres, assumed)]
    [inf, 2.0]
    """
    scales = dimensions.exponents.T
    if not scales.any() or _solution(expression, points, scales)[1]:
        return 0.0
    found, sound = _solution(expression, points, scales, hidden=True)
    if not sound:
        return np.inf if dimensions.known else float(points.shape[1])
    factors = found[len(expression.constants) :].round(6)
    return float(len({tuple(row) for row in factors + 0.0 if row.any()}))


def bound_numbers(expression: Expression, points: np.ndarray, dimensions: Dimensions) -> int:
    """How many known numbers, and equalities of numbers, hold in these units only.

    >>> from pie.expr.expression import parse
    >>> x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    >>> laws = [parse(t) for t in ("x1 - 2*(x2 + 1)", "x1 - 2*(exp(0.3*x2) - 1)", "x1 - 2*x2 - 2")]
    >>> [bound_numbers(law, x, Dimensions.assumed(2)) for law in laws]
    [1, 0, 1]
    """
    free, known = free_numbers(expression), known_numbers(expression)
    scales = dimensions.exponents.T
    if not scales.any() or (free.shape[0] == free.shape[1]):
        return 0
    units = _solution(expression, points, scales)[0][: len(known)].round(6)
    bound = int(np.any(units[known] != 0.0, axis=1).sum())
    for members in np.abs(free.T) > 0.0:
        bound += len({tuple(row) for row in units[members] + 0.0}) - 1
    return bound


@np.errstate(all="ignore")
def _solution(
    expression: Expression, points: np.ndarray, scales: np.ndarray, hidden: bool = False
) -> tuple[np.ndarray, bool]:
    """e, (P, B), and whether it solves the equations, at points moved off the zero set.

    ``hidden``: every summand without a factor has one that is 1, but for the first; their exponents
    are further rows.
    """
    points = np.repeat(points, -(-ENOUGH // len(points)), axis=0)
    points = points * np.exp(AROUND * np.random.default_rng(0).standard_normal(points.shape))
    scales = np.atleast_2d(np.asarray(scales, float))
    codes, constants = expression.arrays
    (_, d), p = points.shape, constants.size
    jet = derivatives(codes, constants, np.ascontiguousarray(points.T), d, p)
    slopes = points.T * jet[1 : 1 + d]  # (D, N)
    bare = [t for t in terms(to_tree(expression)) if abs(scaled(t)[0]) == 1.0][1:] if hidden else []
    rows = -constants[:, None] * jet[1 + d : 1 + d + p]
    columns = np.column_stack([*rows, jet[0], *(from_tree(t).values(points) for t in bare)])
    targets = slopes.T @ scales.T  # (N, B)
    size = np.abs(slopes).sum(axis=0)
    columns, targets = columns / size[:, None], targets / size[:, None]
    usable = np.isfinite(columns).all(axis=1) & np.isfinite(targets).all(axis=1)
    if usable.sum() < columns.shape[1]:
        return np.full((p + len(bare), len(scales)), np.nan), True
    columns, targets = columns[usable], targets[usable]
    norms = np.linalg.norm(columns, axis=0)
    norms[norms == 0.0] = 1.0
    solution = np.linalg.lstsq(columns / norms, targets, rcond=1e-10)[0] / norms[:, None]
    left = np.linalg.norm(columns @ solution - targets, axis=0)
    solved = bool(np.all(left <= CLOSE * np.linalg.norm(targets, axis=0) + 1e-12))
    return np.delete(solution, p, axis=0), solved  # without w
