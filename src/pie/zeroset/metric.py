"""Coordinates in which the errors of a column are alike wherever it is measured."""

from dataclasses import dataclass

import numpy as np

from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.expression import Expression, Tree, from_tree, to_tree, with_variables
from ..expr.terms import scaled, terms
from .spreads import robust_spreads

SET = 1e-3  # error of a column whose values were set, in those of the others
LEVELS = 5  # values with equal steps at least
STEADY = 1e-6  # relative tolerance of equal steps
BALANCED = 2.0  # largest ratio of the numbers of rows with values that were set


def set_columns(points: np.ndarray) -> np.ndarray:
    """Columns of points (N, D) whose values look set rather than measured, (D,).

    Each value comes about as often, which rounded measurements do not, and they are fewer than half
    of the rows or have equal steps or ratios. Such columns have no errors. None if all look set.

    >>> dose, response = np.repeat([1.0, 5.0], 3), np.array([0.2, 0.3, 0.7, 0.6, 1.1, 1.3])
    >>> set_columns(np.column_stack([dose, response]))
    array([ True, False])
    """
    found = np.array([_set(column) for column in points.T])
    return found & ~found.all()


def _set(column: np.ndarray) -> bool:
    levels, counts = np.unique(column, return_counts=True)
    if counts.max() > BALANCED * counts.min():
        return False
    if 2 * len(levels) < len(column):
        return True
    forms = [levels, np.log(levels)] if levels[0] > 0.0 else [levels]
    steps = [np.diff(form) for form in forms]
    return len(levels) >= LEVELS and any(np.ptp(s) <= STEADY * s.max() for s in steps)


def errors_of(
    points: np.ndarray, exact: np.ndarray | None = None, spread=robust_spreads
) -> np.ndarray:
    """Units of errors, (D,): spreads of columns, a thousandth of it if values were set."""
    exact = set_columns(points) if exact is None else exact
    return spread(points, axis=0) * np.where(exact, SET, 1.0)


@dataclass(frozen=True)
class Metric:
    """z_j = x_j/s_j, or ln(x_j)/s_j for ``logarithmic`` columns: their errors grow with them.

    ``scale`` are the s_j, (D,): the spreads of x_j, or of ln x_j. Columns that are ``exact`` have
    a thousandth of such errors.
    """

    logarithmic: tuple[bool, ...]
    scale: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, points: np.ndarray, logarithmic: tuple[bool, ...] = (), spread=np.std) -> "Metric":
        """Of points (N, D), with a measure of spread of columns; () = no column is logarithmic."""
        logarithmic = logarithmic or (False,) * points.shape[1]
        scale = spread(logarithms(points, logarithmic), axis=0)
        return cls(logarithmic, np.where(scale > 0.0, scale, 1.0), set_columns(points))

    def coordinates(self, points: np.ndarray) -> np.ndarray:
        """z of points (N, D)."""
        return logarithms(points, self.logarithmic) / self.scale

    def units(self, points: np.ndarray) -> np.ndarray:
        """Errors: dx_j/dz_j, (D,), or (N, D) at points (N, D) if a column is logarithmic.

        A thousandth of that where a column is exact.
        """
        units = self.scale * np.where(self.exact, SET, 1.0)
        if not any(self.logarithmic):
            return units
        return np.where(self.logarithmic, points, 1.0) * units

    def equation(self, expression: Expression) -> Expression:
        """f = 0 as an equation in z; ValueError if it is too long."""
        if not any(self.logarithmic):
            return in_units(expression, np.zeros(len(self.scale)), self.scale)
        of_z: dict[int, Tree] = {}
        for j, (is_log, unit) in enumerate(zip(self.logarithmic, self.scale, strict=True), 1):
            scaled: Tree = ("mul", ("c", float(unit)), ("x", j))
            of_z[j] = ("exp", scaled) if is_log else scaled
        form = with_variables(to_tree(expression), of_z)
        sides = terms(form)
        signs = [_sign(side) for side in sides]
        if len(sides) == 2 and signs[0] * signs[1] < 0.0:  # ln a = ln b: a line for power laws
            left, right = (("mul", ("c", s), side) for s, side in zip(signs, sides, strict=True))
            form = ("sub", ("ln", left), ("ln", right))
        return from_tree(form)


def _sign(tree: Tree) -> float:
    """1 or −1 if the tree has this sign wherever it is defined, 0 if that is not seen."""
    match tree[0]:
        case "c":
            return float(np.sign(tree[1]))
        case "exp" | "sqrt":
            return 1.0
        case "mul" | "div":
            return _sign(tree[1]) * _sign(tree[2])
        case "pow2" | "pow4" | "pow":
            return abs(_sign(tree[1]))
        case "pow3" | "pow5":
            return _sign(tree[1])
    return 0.0


def logarithms(points: np.ndarray, logarithmic: tuple[bool, ...]) -> np.ndarray:
    """Points (N, D) with the logarithm of the ``logarithmic`` columns."""
    if not any(logarithmic):
        return points
    return np.where(logarithmic, np.log(np.where(logarithmic, points, 1.0)), points)


@np.errstate(over="ignore")
def of_logarithms(expression: Expression, logarithmic: tuple[bool, ...]) -> Expression:
    """An equation in z = ln x for the ``logarithmic`` columns, written in x.

    A sum Σ c_j·z_j + g of the other columns is written as a product of powers and exp(g).
    ValueError if it has no zeros by its form, or is too long.

    >>> from pie.expr.expression import parse
    >>> str(of_logarithms(parse("x2 - 0.5*x1 - 0.7*x3"), (True, True, False)))
    'x2 - sqrt(x1)*exp(0.7*x3)'
    """
    columns = {j for j, is_log in enumerate(logarithmic, 1) if is_log}
    form = with_variables(to_tree(canonical(expression)), {j: ("ln", ("x", j)) for j in columns})
    coefficients, rest, within = _split(form, columns)
    if not coefficients or within & columns:
        return from_tree(form)
    return canonical(_product(coefficients, rest, max(coefficients)))


def _split(
    form: Tree, columns: set[int]
) -> tuple[dict[int, float], list[tuple[float, Tree]], set[int]]:
    """c_j of the terms c_j·ln(x_j), factors and trees of the others, and the variables in these."""
    coefficients, rest = {}, []
    for term in terms(form):
        factor, inner = scaled(term)
        if inner[0] == "ln" and inner[1][0] == "x" and inner[1][1] in columns:
            coefficients[inner[1][1]] = coefficients.get(inner[1][1], 0.0) + factor
        else:
            rest.append((factor, inner))
    left = {j: c for j, c in coefficients.items() if c}
    return left, rest, {j for _, inner in rest for j in from_tree(inner).variables}


def _product(
    coefficients: dict[int, float], rest: list[tuple[float, Tree]], solved: int
) -> Expression:
    """Σ c_j·ln x_j + Σ factor·inner = 0 as x_solved = a product of powers and exponentials."""
    last = -coefficients[solved]
    constant = sum(factor * inner[1] for factor, inner in rest if inner[0] == "c")
    product: Tree = ("c", float(np.exp(constant / last)))
    for j, c in coefficients.items():
        if c != 0.0 and j != solved:
            product = ("mul", product, ("pow", ("x", j), ("c", c / last)))
    for factor, inner in rest:
        if inner[0] != "c":
            product = ("mul", product, ("exp", ("mul", ("c", factor / last), inner)))
    return from_tree(("sub", ("x", solved), product))


@np.errstate(over="ignore")
def without_logarithms(expression: Expression) -> Expression:
    """A sum of c·ln(x_j) and other terms as x_k = a product of powers and exponentials.

    As it is if it has no term c·ln(x_k) with a variable of which it has no other term.

    >>> from pie.expr.expression import parse
    >>> str(canonical(without_logarithms(parse("ln(x2) - 0.5*ln(x1) - 0.7*x1"))))
    'x2 - sqrt(x1)*exp(0.7*x1)'
    """
    coefficients, rest, within = _split(to_tree(expression), set(expression.variables))
    solved = max(set(coefficients) - within, default=0)
    return _product(coefficients, rest, solved) if solved else expression
