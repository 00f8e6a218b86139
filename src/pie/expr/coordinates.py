"""Equations in shifted and scaled variables."""

import numpy as np

from .expression import Expression, Tree, from_tree, to_tree, with_variables


def substituted(expression: Expression, shift: np.ndarray, scale: np.ndarray) -> Expression:
    """f((x − shift)/scale); shift and scale (D,). ValueError if longer than ``MAX_LENGTH``."""
    values: dict[int, Tree] = {}
    for j, (origin, unit) in enumerate(zip(shift, scale, strict=True), start=1):
        tree: Tree = ("x", j)
        if origin != 0.0:
            tree = ("sub", tree, ("c", float(origin)))
        values[j] = tree if unit == 1.0 else ("div", tree, ("c", float(unit)))
    return from_tree(with_variables(to_tree(expression), values))


def in_units(expression: Expression, shift: np.ndarray, scale: np.ndarray) -> Expression:
    """f(shift + scale·z): the equation of the points z = (x − shift)/scale."""
    return substituted(expression, -shift / scale, 1.0 / scale)
