"""Coordinates in which the errors of a column are alike wherever it is measured."""

from dataclasses import dataclass

import numpy as np

from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.expression import Expression, Tree, from_tree, to_tree, with_variables
from ..expr.terms import terms


@dataclass(frozen=True)
class Metric:
    """z_j = x_j/s_j, or ln(x_j)/s_j for ``logarithmic`` columns: their errors grow with them.

    ``scale`` are the s_j, (D,): the spreads of x_j, or of ln x_j.
    """

    logarithmic: tuple[bool, ...]
    scale: np.ndarray

    @classmethod
    def of(cls, points: np.ndarray, logarithmic: tuple[bool, ...] = (), spread=np.std) -> "Metric":
        """Of points (N, D), with a measure of spread of columns; () = no column is logarithmic."""
        logarithmic = logarithmic or (False,) * points.shape[1]
        scale = spread(logarithms(points, logarithmic), axis=0)
        return cls(logarithmic, np.where(scale > 0.0, scale, 1.0))

    def coordinates(self, points: np.ndarray) -> np.ndarray:
        """z of points (N, D)."""
        return logarithms(points, self.logarithmic) / self.scale

    def units(self, points: np.ndarray) -> np.ndarray:
        """dx_j/dz_j: (D,), or (N, D) at points (N, D) if a column is logarithmic."""
        if not any(self.logarithmic):
            return self.scale
        return np.where(self.logarithmic, points, 1.0) * self.scale

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
            form = (
                "sub",
                *(("ln", ("mul", ("c", s), side)) for s, side in zip(signs, sides, strict=True)),
            )
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
    expression = canonical(expression)
    coefficients, rest = dict.fromkeys(np.flatnonzero(logarithmic) + 1, 0.0), []
    for term in terms(to_tree(expression)):
        factor, inner = 1.0, term
        while inner[0] == "mul" and inner[1][0] == "c":
            factor, inner = factor * inner[1][1], inner[2]
        if inner[0] == "x" and inner[1] in coefficients:
            coefficients[inner[1]] += factor
        else:
            rest.append((factor, inner))
    within = {j for _, inner in rest for j in from_tree(inner).variables}
    solved = max((j for j, c in coefficients.items() if c != 0.0), default=0)
    if not solved or within & set(coefficients):
        trees: dict[int, Tree] = {
            j: ("ln", ("x", j)) if is_log else ("x", j) for j, is_log in enumerate(logarithmic, 1)
        }
        return from_tree(with_variables(to_tree(expression), trees))
    last = -coefficients.pop(solved)
    constant = sum(factor * inner[1] for factor, inner in rest if inner[0] == "c")
    product: Tree = ("c", float(np.exp(constant / last)))
    for j, c in coefficients.items():
        if c != 0.0:
            product = ("mul", product, ("pow", ("x", int(j)), ("c", c / last)))
    for factor, inner in rest:
        if inner[0] != "c":
            product = ("mul", product, ("exp", ("mul", ("c", factor / last), inner)))
    return canonical(from_tree(("sub", ("x", int(solved)), product)))
