"""Conversion to SymPy and LaTeX, node by node: no text is evaluated."""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

import sympy
from mpmath.libmp import prec_to_dps
from sympy.core.alphabets import greeks
from sympy.core.parameters import distribute
from sympy.printing.latex import LatexPrinter
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from .expression import Expression, Tree, to_tree

_ESCAPED = str.maketrans(  # in LaTeX's math mode
    {" ": r"\ ", "\\": r"\backslash ", "^": r"\hat{}", "~": r"\sim "}
    | {sign: f"\\{sign}" for sign in "{}_%$&#"}
)
_FUNCTIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "sqrt": sympy.sqrt,
    "exp": sympy.exp,
    "ln": sympy.log,
    "sin": sympy.sin,
    "cos": sympy.cos,
}

DIGITS = 4  # of numbers that are shown


def number(value: float, digits: int = 17) -> sympy.Number:
    """A number in SymPy, whole if it is; beyond 2^53 all are, which says nothing.

    With 17 digits it is read again as it was, with 15 it is printed as it was read.
    """
    whole = abs(value) < 2.0**53 and value == int(value)
    return sympy.Integer(int(value)) if whole else sympy.Float(value, digits)


def to_sympy(expression: Expression, constants: Sequence[sympy.Expr] | None = None) -> sympy.Expr:
    """The expression in SymPy, in real symbols x1, x2, …

    ``constants`` replace those of the expression, in prefix order; None: their values.

    >>> from pie.expr.expression import parse
    >>> to_sympy(parse("2*x1 + 3"), sympy.symbols("a b"))
    a*x1 + b
    """
    given = map(number, expression.constants) if constants is None else iter(constants)

    def walk(node: Tree) -> sympy.Expr:
        if node[0] == "c":
            return next(given)
        if node[0] == "x":
            return sympy.Symbol(f"x{node[1]}", real=True)
        children = [walk(child) for child in node[1:]]
        if node[0] in _FUNCTIONS:
            return _FUNCTIONS[node[0]](*children)
        return children[0] ** int(node[0][3:])

    return walk(to_tree(expression))


def named(expression: sympy.Expr, names: Sequence[str]) -> sympy.Expr:
    """x1, x2, … renamed to ``names``: symbols as a user would write them, without assumptions."""
    symbols = {
        sympy.Symbol(f"x{j}", real=True): sympy.Symbol(name)
        for j, name in enumerate(names, start=1)
    }
    return expression.xreplace(symbols)


def rounded(expression: sympy.Expr, digits: int | Callable[[float], int] = DIGITS) -> sympy.Expr:
    """Decimal numbers to so many significant digits, which may depend on them; integers unchanged.

    >>> x = sympy.Symbol("x")
    >>> rounded(2.34567 * x + 12345.678), rounded(12345.678 * x, lambda value: 7)
    (2.346*x + 1.235e+4, 12345.68*x)
    """
    of = digits if callable(digits) else lambda value: digits
    with distribute(False):  # 2.34567*(x - 1) stays a product
        numbers = expression.atoms(sympy.Float)
        return expression.xreplace({n: sympy.Float(n, of(float(n))) for n in numbers})


def counted_from(shown: sympy.Basic, origins: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Basic:
    """With x − x₀ for x; products stay, a number beside x keeps its places behind the point.

    >>> t = sympy.Symbol("t")
    >>> counted_from(rounded((t - 14.20123) ** 2 + 3 * t), {t: sympy.Integer(30000)})
    (t - 30014.2)**2 + 3*(t - 30000)
    """
    if isinstance(shown, sympy.Eq) and shown.lhs in origins:  # solved for it
        right = [counted_from(shown.rhs, origins), origins[shown.lhs]]
        return sympy.Eq(shown.lhs, _total(right), evaluate=False)
    if not origins.keys() & shown.free_symbols:
        return shown
    with distribute(False):
        if shown in origins:
            return shown - origins[shown]
        if shown.is_Mul and -shown in origins:
            return origins[-shown] + shown
        parts = [counted_from(part, origins) for part in shown.args]
        if isinstance(shown, sympy.Eq):
            return sympy.Eq(*parts, evaluate=False)
        return _total(parts) if shown.is_Add else shown.func(*parts)


def _total(parts: Sequence[sympy.Expr]) -> sympy.Expr:
    """Their sum, its number with the fewest places behind the point."""
    every = [one for part in parts for one in sympy.Add.make_args(part)]
    numbers = [one for one in every if one.is_Number]
    places = [prec_to_dps(one._prec) - digits_before(one) for one in numbers if one.is_Float]
    total = number(float(sum(map(float, numbers))))
    if places and total:
        total = sympy.Float(float(total), max(1, min(places) + digits_before(total)))
    with distribute(False):
        return sympy.Add(*(one for one in every if not one.is_Number), total)


def digits_before(number: float) -> int:
    """How many digits of a number stand before its point; of 0.012, −1."""
    return math.floor(math.log10(abs(number))) + 1 if number else 0


def balanced(f: sympy.Expr) -> sympy.Eq:
    """f = 0 as an equation, what is subtracted on its right side.

    >>> x, y = sympy.symbols("x y")
    >>> balanced(x * y - 2 * x - 1), balanced(-x - y)
    (Eq(x*y, 2*x + 1), Eq(x + y, 0))
    """
    summands = sympy.Add.make_args(f)
    right = [term for term in summands if term.as_coeff_Mul()[0] < 0]
    if len(right) == len(summands):
        return sympy.Eq(sympy.Add(*(-term for term in summands)), 0, evaluate=False)
    left = [term for term in summands if term not in right]
    return sympy.Eq(sympy.Add(*left), sympy.Add(*(-term for term in right)), evaluate=False)


class Constant(sympy.Symbol):
    """A symbol that stands before others in a product, as SymPy sorts these by their class.

    >>> Constant("c") * sympy.Symbol("T"), sympy.Symbol("c") * sympy.Symbol("T")
    (c*T, T*c)
    """

    __slots__ = ()


class _Ordered(Printer):
    """What is subtracted stands behind what it is subtracted from; ``1/T`` as a factor is (1/T)."""

    def parenthesize(self, item: sympy.Expr, level: int, *how, **others) -> str:
        shown = super().parenthesize(item, level, *how, **others)
        composed = item.is_Symbol and re.search(r"[-+*/^()]", item.name)
        return f"({shown})" if composed else shown

    def _as_ordered_terms(self, expr: sympy.Add, order: str | None = None) -> list[sympy.Expr]:
        terms = super()._as_ordered_terms(expr, order)
        return sorted(terms, key=lambda term: bool(term.as_coeff_Mul()[0] < 0))


class _Text(_Ordered, StrPrinter):
    def _print_Float(self, expr: sympy.Float) -> str:
        return super()._print_Float(expr).removesuffix(".")

    def _print_log(self, expr: sympy.log) -> str:
        return f"ln({self._print(expr.args[0])})"  # log may be that to the base 10


class _Latex(_Ordered, LatexPrinter):
    pass


def as_text(shown: sympy.Basic) -> str:
    """On one line, an equation with ``=``.

    >>> c, x = sympy.symbols("c x")
    >>> as_text(sympy.Eq(x - c, 2)), str(x - c)
    ('x - c = 2', '-c + x')
    >>> as_text(2 * sympy.Symbol("1000/T") ** 2 - sympy.log(x))
    '2*(1000/T)**2 - ln(x)'
    """
    with distribute(False):  # SymPy multiplies out while it prints
        if isinstance(shown, sympy.Eq):
            return f"{as_text(shown.lhs)} = {as_text(shown.rhs)}"
        return _Text().doprint(shown)


def to_latex(shown: sympy.Basic) -> str:
    r"""LaTeX in which names of more than one letter are upright, unless they are Greek letters.

    >>> to_latex(sympy.Symbol("mean volume") * sympy.Symbol("p"))
    '\\mathrm{mean\\ volume} p'
    """
    upright = {
        symbol: rf"\mathrm{{{symbol.name.translate(_ESCAPED)}}}"
        for symbol in shown.free_symbols
        if not re.fullmatch(r"([A-Za-z]|" + "|".join(greeks) + r")_?\d*", symbol.name)
    }
    with distribute(False):
        return _Latex({"symbol_names": upright}).doprint(shown)
