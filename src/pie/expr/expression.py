"""Expressions as immutable prefix programs, and a parser that never evaluates text.

A *tree* is a nested tuple: ``("x", 1)``, ``("c", 0.5)`` or ``(operator, child, …)``.
An :class:`Expression` is a tree flattened in prefix order.
"""

import ast
import functools
from dataclasses import dataclass

import numpy as np

from . import kernel
from .derivatives import derivatives
from .operators import BY_CODE, BY_NAME, CONSTANT, MAX_VARIABLES, arity, name_of

MAX_LENGTH = 256
Tree = tuple


@dataclass(frozen=True)
class Expression:
    """A prefix program: codes (:mod:`pie.expr.operators`), and a value per ``CONSTANT`` in them.

    Raises:
        ValueError: malformed prefix, unknown code, too long, or a wrong number of constants.

    >>> circle = parse("x1**2 + x2**2 - 4")
    >>> circle.values(np.array([[2.0, 0.0], [1.0, 1.0]]))
    array([ 0., -2.])
    """

    codes: tuple[int, ...]
    constants: tuple[float, ...] = ()

    def __post_init__(self):
        if not 0 < len(self.codes) <= MAX_LENGTH:
            raise ValueError(f"a program has {len(self.codes)} tokens; expected 1 to {MAX_LENGTH}")
        open_slots = 1
        for code in self.codes:
            if open_slots == 0:
                raise ValueError(f"malformed prefix {self.tokens}: tokens after its end")
            open_slots += arity(code) - 1
        if open_slots:
            raise ValueError(f"malformed prefix {self.tokens}: {open_slots} operands are missing")
        expected = self.codes.count(CONSTANT)
        if len(self.constants) != expected:
            raise ValueError(f"{len(self.constants)} constants given; the program has {expected}")

    @property
    def tokens(self) -> tuple[str, ...]:
        """The skeleton: prefix tokens with ``C`` for every constant."""
        return tuple(name_of(code) for code in self.codes)

    @functools.cached_property
    def variables(self) -> tuple[int, ...]:
        """Indices (from 1) of the variables that occur, sorted."""
        return tuple(sorted({c for c in self.codes if CONSTANT < c <= MAX_VARIABLES}))

    @functools.cached_property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """``codes`` and ``constants`` as the kernel takes them."""
        return np.array(self.codes, np.int64), np.array(self.constants, np.float64)

    def with_constants(self, constants) -> "Expression":
        return Expression(self.codes, tuple(float(c) for c in constants))

    def _columns(self, points: np.ndarray) -> np.ndarray:
        points = np.asarray(points, np.float64)
        if points.ndim != 2:
            raise ValueError(f"points have shape {points.shape}; expected (N, D)")
        if self.variables and points.shape[1] < self.variables[-1]:
            raise ValueError(
                f"points have {points.shape[1]} columns; the expression uses x{self.variables[-1]}"
            )
        return np.ascontiguousarray(points.T)

    def values(self, points: np.ndarray) -> np.ndarray:
        """f at points (N, D); returns (N,)."""
        return kernel.values(*self.arrays, self._columns(points))

    def value_and_gradient(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f (N,) and its gradient in x (N, D) at points (N, D)."""
        columns = self._columns(points)
        jet = derivatives(*self.arrays, columns, len(columns), 0)
        return jet[0], jet[1:].T

    def __str__(self) -> str:
        return to_infix(to_tree(self))


def from_tree(tree: Tree) -> Expression:
    """Flatten a tree; ValueError for an unknown operator or variable."""
    codes: list[int] = []
    constants: list[float] = []

    def walk(node: Tree) -> None:
        if node[0] == "c":
            codes.append(CONSTANT)
            constants.append(float(node[1]))
        elif node[0] == "x":
            if not 1 <= node[1] <= MAX_VARIABLES:
                raise ValueError(f"variable x{node[1]}; expected x1 to x{MAX_VARIABLES}")
            codes.append(node[1])
        else:
            if node[0] not in BY_NAME:
                raise ValueError(f"unknown operator {node[0]!r}; known are {sorted(BY_NAME)}")
            codes.append(BY_NAME[node[0]].code)
            for child in node[1:]:
                walk(child)

    walk(tree)
    return Expression(tuple(codes), tuple(constants))


def to_tree(expression: Expression) -> Tree:
    """Inverse of :func:`from_tree`."""
    stack: list[Tree] = []
    constants = list(expression.constants)
    for code in reversed(expression.codes):
        if code == CONSTANT:
            stack.append(("c", constants.pop()))
        elif code <= MAX_VARIABLES:
            stack.append(("x", code))
        else:
            operator = BY_CODE[code]
            stack.append((operator.name, *(stack.pop() for _ in range(operator.arity))))
    return stack.pop()


def with_variables(tree: Tree, values: dict[int, Tree]) -> Tree:
    """The tree with other trees for some variables, by index.

    >>> with_variables(("mul", ("c", 2.0), ("x", 1)), {1: ("x", 3)})
    ('mul', ('c', 2.0), ('x', 3))
    """
    if tree[0] == "x":
        return values.get(tree[1], tree)
    if tree[0] == "c":
        return tree
    return (tree[0], *(with_variables(child, values) for child in tree[1:]))


def _negated(tree: Tree) -> Tree | None:
    """−tree if its leading factor is a negative constant, else None; for printing."""
    if tree[0] == "c":
        return ("c", -tree[1]) if tree[1] < 0 else None
    if tree[0] in ("mul", "div") and (first := _negated(tree[1])):
        return (tree[0], first, tree[2])
    return None


_INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}


def to_infix(tree: Tree, digits: int | None = None) -> str:
    """Infix text for :func:`parse` and SymPy; constants to ``digits`` digits, None: exactly.

    >>> to_infix(("sub", ("mul", ("x", 1), ("pow2", ("x", 2))), ("c", 0.5)))
    'x1*x2**2 - 0.5'
    """

    def walk(node: Tree, level: int) -> str:
        head = node[0]
        if head == "c":
            text = repr(float(node[1])) if digits is None else f"{node[1]:.{digits}g}"
            return f"({text})" if text.startswith("-") and level > 0 else text
        if head == "x":
            return f"x{node[1]}"
        if head in _INFIX:
            symbol, own = _INFIX[head]
            if head == "add" and (negated := _negated(node[2])):
                return walk(("sub", node[1], negated), level)
            left, right = walk(node[1], own), walk(node[2], own + (head in ("sub", "div")))
            text = f"{left} {symbol} {right}" if own == 1 else f"{left}{symbol}{right}"
            return f"({text})" if level > own else text
        if head.startswith("pow"):
            text = f"{walk(node[1], 5)}**{walk(node[2], 5) if head == 'pow' else head[3:]}"
            return f"({text})" if level > 4 else text
        return f"{'log' if head == 'ln' else head}({walk(node[1], 0)})"

    return walk(tree, 0)


_FUNCTIONS = {"sqrt": "sqrt", "exp": "exp", "ln": "ln", "log": "ln", "sin": "sin", "cos": "cos"}
_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


def parse(text: str) -> Expression:
    """Parse ``+ - * / ** ^``, sqrt, exp, ln, log (natural), sin, cos, numbers, x1, x2, …

    Anything else raises a ValueError that quotes it.

    >>> parse("x1*x2**2/2 - 0.512").tokens
    ('sub', 'div', 'mul', 'x1', 'pow2', 'x2', 'C', 'C')
    """
    if len(text) > 4000:
        raise ValueError(f"expression of {len(text)} characters; expected at most 4000")
    try:
        return from_tree(_read(ast.parse(text.replace("^", "**").strip(), mode="eval").body, text))
    except (SyntaxError, OverflowError, RecursionError, MemoryError) as error:
        raise ValueError(f"cannot read the expression {text!r}: {error}") from None


def _read(node: ast.AST, text: str) -> Tree:
    match node:
        case ast.Constant(value=value) if type(value) in (int, float):
            return ("c", float(value))
        case ast.Name(id=name) if name[:1] == "x" and name[1:].isdigit():
            return ("x", int(name[1:]))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _read(operand, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            child = _read(operand, text)
            return ("c", -child[1]) if child[0] == "c" else ("mul", ("c", -1.0), child)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return power_tree(_read(left, text), _read(right, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return (_BINARY[type(op)], _read(left, text), _read(right, text))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return (_FUNCTIONS[name], _read(argument, text))
    raise ValueError(
        f"cannot read {ast.unparse(node)!r} in {text!r}; expected x1 to x{MAX_VARIABLES}, "
        f"numbers, + - * / ** and {', '.join(_FUNCTIONS)}"
    )


def power_tree(base: Tree, exponent: Tree) -> Tree:
    """``base ** exponent``, by sqrt, pow2 … pow5 and reciprocals where possible.

    >>> power_tree(("x", 1), ("c", -2.0))
    ('div', ('c', 1.0), ('pow2', ('x', 1)))
    """
    if exponent[0] != "c":
        return ("pow", base, exponent)
    p = exponent[1]
    if p < 0:
        return ("div", ("c", 1.0), power_tree(base, ("c", -p)))
    if p == 0.5:
        return ("sqrt", base)
    if p == 1.0:
        return base
    if p in (2.0, 3.0, 4.0, 5.0):
        return (f"pow{int(p)}", base)
    return ("pow", base, exponent)
