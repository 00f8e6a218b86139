"""Equations in shifted and scaled variables."""

import numpy as np

from .expression import Expression, Tree, from_tree, to_tree


def substituted(expression: Expression, shift: np.ndarray, scale: np.ndarray) -> Expression:
    """f((x − shift)/scale); shift and scale (D,). ValueError if longer than ``MAX_LENGTH``."""

    def walk(node: Tree) -> Tree:
        if node[0] == "c":
            return node
        if node[0] != "x":
            return (node[0], *(walk(child) for child in node[1:]))
        origin, unit = float(shift[node[1] - 1]), float(scale[node[1] - 1])
        tree = node if origin == 0.0 else ("sub", node, ("c", origin))
        return tree if unit == 1.0 else ("div", tree, ("c", unit))

    return from_tree(walk(to_tree(expression)))


def in_units(expression: Expression, shift: np.ndarray, scale: np.ndarray) -> Expression:
    """f(shift + scale·z): the equation of the points z = (x − shift)/scale."""
    return substituted(expression, -shift / scale, 1.0 / scale)
