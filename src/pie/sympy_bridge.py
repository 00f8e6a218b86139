"""To SymPy and LaTeX. Built node by node: no text is ever evaluated."""

from collections.abc import Sequence

import sympy

from .expression import Expression, Tree, to_tree

_BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}
_UNARY = {
    "sqrt": sympy.sqrt, "exp": sympy.exp, "ln": sympy.log, "sin": sympy.sin, "cos": sympy.cos,
}  # fmt: skip


def to_sympy(expression: Expression, constants: Sequence[sympy.Expr] | None = None) -> sympy.Expr:
    """The same expression in SymPy, in real symbols x1, x2, …

    Args:
        expression: what to convert.
        constants: stand for its constants, in prefix order (symbols, say); None = their values.

    >>> from pie.expression import parse
    >>> to_sympy(parse("x1**2/2 + sin(x2)"))
    x1**2/2 + sin(x2)
    >>> to_sympy(parse("2*x1 + 3"), sympy.symbols("a b"))
    a*x1 + b
    """
    given = iter(constants) if constants is not None else None

    def walk(node: Tree) -> sympy.Expr:
        if node[0] == "c":
            if given is not None:
                return next(given)
            value = node[1]
            return sympy.Integer(int(value)) if value == int(value) else sympy.Float(value, 17)
        if node[0] == "x":
            return sympy.Symbol(f"x{node[1]}", real=True)
        children = [walk(child) for child in node[1:]]
        if node[0] in _BINARY:
            return _BINARY[node[0]](*children)
        if node[0] in _UNARY:
            return _UNARY[node[0]](*children)
        return children[0] ** int(node[0][3:])

    return walk(to_tree(expression))


def to_latex(expression: Expression, digits: int = 4) -> str:
    """LaTeX with subscripted variables and constants to ``digits`` significant ones."""
    names = {sympy.Symbol(f"x{i}", real=True): f"x_{{{i}}}" for i in expression.variables}
    rounded = to_sympy(expression).evalf(digits)
    return sympy.latex(rounded, symbol_names=names)
