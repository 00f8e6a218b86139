"""Equations as people write them."""

import math
from collections.abc import Sequence

import numpy as np
import sympy
from sympy.core.parameters import distribute

from ..expr.canonical import canonical
from ..expr.expression import Expression, Tree, from_tree, power_tree, to_tree, with_variables
from ..expr.known_numbers import free_numbers
from ..expr.origins import far_from_zero, hidden_origins
from ..expr.solving import is_linear, solved_for
from ..expr.sympy_bridge import DIGITS, balanced, to_sympy
from ..expr.terms import ONE, factors, joined, scaled, subtrees, summed, terms, times
from ..search.shapes import Usual, alike, usual_form
from ..zeroset.distance import first_order_distances, root_mean_square

MOVED = 1e-3  # of a unit: so far a law may be moved by the digits that are not shown
LONGEST = 15  # digits of a number
FEW = 8  # digits of a number that one would choose
ROUNDING = 1e-13  # relative, of a fitted constant
PROPORTIONAL = 1e-9  # relative difference of products that are one by the form of an equation
ARITHMETIC = {"add", "sub", "mul", "div", "pow2", "C", "x1", "x2"}  # tokens
POWERS = {f"pow{n}": float(n) for n in range(2, 6)}  # names of operators, their exponents


def usual(expression: Expression) -> Usual:
    """How people write an equation; of one without zeros nobody does.

    A factor of 1 is a factor, a rate of 1 a rate and a whole exponent an exponent, though no number
    is fitted for it.

    >>> from pie.expr.expression import parse
    >>> usual(parse("x2 + exp(-1.0*x1) - 1")) == usual(parse("x2 + 3*exp(-1.2*x1) - 2"))
    True
    >>> usual(parse("x1**2 - x2*x1**2 - x2")).name
    'Hill equation'
    """
    return _usual(to_tree(divided(expression)))


def name_from_elsewhere(expression: Expression, counted: Sequence[bool]) -> str:
    """The name of a curve of which the ``counted`` columns are counted from a zero by convention.

    Where the form keeps with another zero it is that of the curve; else that of the curve moved.

    >>> from pie.expr.expression import parse
    >>> laws = ["x2 - 3*x1", "x2 - 3*x1**2 - 2*x1 - 1", "x2 - 3*x1**2.5"]
    >>> [name_from_elsewhere(parse(law), [True, False]) for law in laws]
    ['straight line', 'parabola', 'shifted power law']
    """
    columns = np.array(counted, bool)
    points = np.random.default_rng(0).uniform(0.5, 2.0, (100, len(columns)))
    if not hidden_origins(expression, points, columns):
        return usual(expression).name
    moved: dict[int, Tree] = {
        j: ("sub", ("x", j), ("c", math.sqrt(j + 0.3))) if of else ("x", j)
        for j, of in enumerate(counted, 1)
    }
    return usual(from_tree(with_variables(to_tree(expression), moved))).name


def _usual(tree: Tree) -> Usual:
    for one in (tree, _in_general(tree), _in_general(tree, exponents=True)):
        try:
            found = usual_form(canonical(from_tree(one)))
        except ValueError:
            return Usual()
        if found.shape:
            return found
    return Usual()


def _in_general(tree: Tree, exponents: bool = False) -> Tree:
    """With other factors of the terms and other rates of exponentials, or exponents as well."""
    parts = [scaled(term) for term in terms(tree)]
    return summed([
        (factor * (1.0 + 0.1 * i), _with_other_rates(part, exponents))
        for i, (factor, part) in enumerate(parts)
    ])  # fmt: skip


def _with_other_rates(tree: Tree, exponents: bool) -> Tree:
    """With exp(1.1·u) for exp(u), and u^(1.1·n) for the n-th power of a column."""
    if tree[0] in ("x", "c"):
        return tree
    if exponents and tree[0] in POWERS and tree[1][0] == "x":
        return ("pow", tree[1], ("c", 1.1 * POWERS[tree[0]]))
    inside = tuple(_with_other_rates(one, exponents) for one in tree[1:])
    return ("exp", ("mul", ("c", 1.1), *inside)) if tree[0] == "exp" else (tree[0], *inside)


def divided(expression: Expression) -> Expression:
    """Divided by exp(u), which has no zeros, if more terms have this factor than have it not; if as
    many, where the curve has a name only then.

    >>> from pie.expr.expression import parse
    >>> str(divided(parse("x2*exp(x1) - 2*exp(x1) + 3")))
    'x2 - 2.0 + 3.0*exp(x1)**(-1.0)'
    >>> str(divided(parse("x2*exp(x1) - x1")))
    'x2 - x1*exp(x1)**(-1.0)'
    """
    parts = [scaled(term) for term in terms(to_tree(expression))]
    of = {factor for _, part in parts for factor in factors(part) if factor[0] == "exp"}
    if len(of) != 1:
        return expression
    (exponential,) = of
    having = [exponential in factors(part) for _, part in parts]
    if 2 * sum(having) < len(parts):
        return expression
    rate, inside = scaled(exponential[1])
    if rate == 1.0:  # no number is fitted
        inverse: Tree = ("pow", exponential, ("c", -1.0))
    else:
        inverse = ("exp", inside if rate == -1.0 else ("mul", ("c", -rate), inside))
    rest = [
        joined("mul", [f for f in factors(part) if f != exponential] or [ONE])
        if has else times(part, inverse)
        for (_, part), has in zip(parts, having, strict=True)
    ]  # fmt: skip
    found = summed([(c, one) for (c, _), one in zip(parts, rest, strict=True)])
    as_many = 2 * sum(having) == len(parts)
    if as_many and (_usual(to_tree(expression)).shape or not _usual(found).shape):
        return expression
    return from_tree(found)


def as_people_write(expression: Expression, given: Sequence[bool] = ()) -> Expression:
    """The same zeros in the form that people write: a measured column by those that were set.

    ``given`` marks the columns whose values were set. Of several measured columns it is the last.
    As it is where there is no such form, or it has a name and is not solved for a column.

    >>> from pie.expr.expression import parse
    >>> str(as_people_write(parse("x1 - 2.5*ln(x2) - 5"), [True, False]))
    'x2 - 0.1353352832366127*exp(0.4*x1)'
    >>> str(as_people_write(parse("x1 - 0.04*x1*ln(x2) - 345"), [True, False]))
    'x2 - 72004899337.38588*exp((-8625.0)/x1)'
    >>> str(as_people_write(parse("x3**1.3 - 1.5*x1**0.39*x2")))
    'x3 - 1.3660129440829216*x1**0.3*x2**0.7692307692307692'
    >>> str(as_people_write(parse("x1 + 0.5 - sqrt(x2 - 0.75)")))
    'x2 - (x1 + 0.5)**2 - 0.75'
    """
    now, numbers = usual(expression), _count(expression)
    if now.shape and not now.variable:
        return normalised(expression)
    for variable in reversed(expression.variables):
        if len(given) and given[variable - 1]:
            continue
        if variable == now.variable:
            break
        try:
            solved = _each_to_a_power(to_tree(solved_for(expression, variable)))
            other = canonical(from_tree(("sub", ("x", variable), solved)))
        except ValueError:  # not solved, or too long
            continue
        if usual(other).variable == variable and _count(other) <= numbers:
            return normalised(other)
    return normalised(expression)


def normalised(expression: Expression) -> Expression:
    """With the factors with which people write such a curve, conics and peaks by their centres.

    It is divided by exp(u) (:func:`divided`), and by the factor of the term that has none there.
    Where that term stands beside it times b·exp(k·x), this is exp(k·(x − x₀)), as x₀ is better
    known than b. As it is where the curve has no usual form, or where more numbers would be fitted.

    >>> from pie.expr.expression import parse
    >>> str(normalised(parse("x1 - 2.5*x2 + 3.7")))
    'x2 - 0.4*x1 - 1.48'
    >>> str(normalised(parse("x1 - 2.5*x2 - 0.5*x1*x2")))
    'x1*x2 - 2.0*x1 + 5.0*x2'
    >>> str(normalised(parse("x2 + 5*x2*exp(-1.6*x1) - 3")))
    'x2 + x2*exp((-1.6)*(x1 - 1.0058986952713127)) - 3.0'
    >>> str(normalised(parse("2*x2 + 8*exp(-1.6*x1) - 6")))
    'x2 + 4.0*exp((-1.6)*x1) - 3.0'
    >>> str(normalised(parse("0.4*x2*exp(x1) + 1 - exp(x1)")))
    'x2 + 2.5*exp(x1)**(-1.0) - 2.5'
    >>> str(normalised(parse("x1**2 + x2**2 - 4*x1 + 3")))
    '(x1 - 2.0)**2 + x2**2 - 1.0'
    """
    expression = _peak(_about_a_point(divided(expression)))
    lead = usual(expression).lead
    parts = [scaled(term) for term in terms(to_tree(expression))]
    parts.sort(key=lambda part: alike(part[1]) != lead)
    first, tree = parts[0]
    if not lead or alike(tree) != lead:
        return expression
    others = _centred([(factor / first, part) for factor, part in parts[1:]], factors(tree))
    if others == parts[1:]:
        return expression
    found = from_tree(summed([(1.0, tree), *others]))
    return found if _count(found) <= _count(expression) else expression


def _about_a_point(expression: Expression) -> Expression:
    """With (x − a)² for x² − 2a·x, of a sum of squares of columns, columns and a number.

    As it is if it has no number: through the origin it would have one more.
    """
    of = {part: factor for factor, part in map(scaled, terms(to_tree(expression)))}
    every: list[Tree] = [("x", j) for j in expression.variables]
    squares = {x: square for x in every if (square := power_tree(x, ("c", 2.0))) in of}
    columns = {x for x in every if x in of}
    if not columns or len(squares) < 2 or {*of} != {ONE, *columns, *squares.values()}:
        return expression
    if not columns <= {*squares}:
        return expression
    for x in squares:
        of = _about_vertex(of, x)
    return from_tree(summed([(factor, part) for part, factor in of.items()]))


def about_vertices(expression: Expression, points: np.ndarray) -> Expression:
    """With (x − a)² for x² − 2a·x where x is far from 0 beside the range of points (N, D).

    As it is where x is in other terms, where a is farther from the points than 0, or where there is
    no number.

    >>> from pie.expr.expression import parse
    >>> points = np.column_stack([np.linspace(50.0, 51.0, 20), np.linspace(0.0, 1.0, 20)])
    >>> str(about_vertices(parse("x2 - 3*x1**2 + 303*x1 - 7651"), points))
    'x2 - 3.0*(x1 - 50.5)**2 - 0.25'
    """
    of = {part: factor for factor, part in map(scaled, terms(to_tree(expression)))}
    for j in np.flatnonzero(far_from_zero(points)) + 1:
        x: Tree = ("x", int(j))
        square = power_tree(x, ("c", 2.0))
        if {part for part in of if x in subtrees(part)} != {x, square} or ONE not in of:
            continue
        middle = float(np.median(points[:, j - 1]))
        if abs(middle + of[x] / of[square] / 2.0) < abs(middle):
            of = _about_vertex(of, x)
    return from_tree(summed([(factor, part) for part, factor in of.items()]))


def _about_vertex(of: dict[Tree, float], x: Tree) -> dict[Tree, float]:
    """Terms and their factors with factor·(x − a)² for those of x² and x."""
    square = power_tree(x, ("c", 2.0))
    around, beyond = _square(x, of[square], of.get(x, 0.0))
    found = {around if one == square else one: k for one, k in of.items() if one not in (x, ONE)}
    before = of.get(ONE, 0.0)  # none where that of another column's vertex was as large
    number = before - beyond
    return found | ({ONE: number} if abs(number) > PROPORTIONAL * abs(before) else {})


def _peak(expression: Expression) -> Expression:
    """As y = a + h/(1 + k·(x − c)²) where it is that and has no name; else as it is.

    >>> from pie.expr.expression import parse
    >>> usual(_peak(parse("x2 + 4*x1*(x2 - 0.2)*(x1 - 0.9) - 0.3"))).name
    'Lorentzian with offset'
    """
    arithmetic = len(expression.variables) == 2 and {*expression.tokens} <= ARITHMETIC
    if not arithmetic or usual(expression).shape:
        return expression
    both = sympy.symbols("x1 x2", real=True)
    for y, x in (both[::-1], both):
        try:
            polynomial = sympy.Poly(to_sympy(expression), y, x)
        except sympy.PolynomialError:  # a quotient
            return expression
        if [polynomial.degree(one) for one in (y, x)] != [1, 2]:
            continue
        (a, b, c), (d, e, f) = (
            [float(polynomial.coeff_monomial(y**i * x**j)) for j in (2, 1, 0)] for i in (0, 1)
        )
        if not d or abs(a * e - b * d) > PROPORTIONAL * abs(a * e):
            continue
        square, beyond = _square(("x", both.index(x) + 1), d, e)
        offset, lowest = -a / d, f - beyond
        if lowest * d <= 0.0:  # poles
            continue
        below: Tree = ("add", ONE, times(("c", d / lowest), square))
        peak: Tree = ("div", ("c", -(c + offset * f) / lowest), below)
        found = from_tree(("sub", _plus(("x", both.index(y) + 1), -offset), peak))
        return found if _count(found) <= _count(expression) else expression
    return expression


def _each_to_a_power(tree: Tree) -> Tree:
    """xᵃ·yᵃ for (x·y)ᵃ, which has the same value where both are positive."""
    if tree[0] != "pow" or (parts := factors(tree[1])) == [tree[1]]:
        return tree
    return joined("mul", [("pow", part, tree[2]) for part in parts])


def _square(x: Tree, a: float, b: float) -> tuple[Tree, float]:
    """(x + b/2a)², and by what a times it is more than a·x² + b·x."""
    half = b / a / 2.0
    return power_tree(_plus(x, half), ("c", 2.0)), a * half**2


def _plus(tree: Tree, number: float) -> Tree:
    return summed([(1.0, tree), (number, ONE)]) if number else tree


def _count(expression: Expression) -> int:
    """How many numbers are fitted."""
    return free_numbers(expression).shape[1]


def _centred(parts: list[tuple[float, Tree]], lead: list[Tree]) -> list[tuple[float, Tree]]:
    """Factors and terms with exp(k·(x − x₀)) for the b·exp(k·x) that is beside ``lead``."""
    for b, part in parts:
        both = factors(part)
        match [one for one in both if one not in lead] if all(f in both for f in lead) else []:
            case [("exp", ("mul", ("c", k), ("x", _) as x)) as old] if 0.0 < b != 1.0 and k:
                inside: Tree = ("mul", ("c", k), ("sub", x, ("c", -math.log(b) / k)))
            case [("pow", ("exp", ("x", _) as x), ("c", -1.0)) as old] if 0.0 < b != 1.0:
                inside = ("sub", ("c", math.log(b)), x)
            case _:
                continue
        return [
            (factor / b, joined("mul", [("exp", inside) if f == old else f for f in factors(one)]))
            if old in factors(one) else (factor, one)
            for factor, one in parts
        ]  # fmt: skip
    return parts


def without_rounding(expression: Expression) -> Expression:
    """With constants of few digits where these are off by the rounding of arithmetic.

    >>> from pie.expr.expression import parse
    >>> str(without_rounding(parse("x2 - 1.5000000000000007*x1**12.000000000000002 - 0.1234567")))
    'x2 - 1.5*x1**12.0 - 0.1234567'
    """
    short = ((c, float(f"{c:.{FEW}g}")) for c in expression.constants)
    return expression.with_constants(
        [s if abs(c - s) <= ROUNDING * abs(c) else c for c, s in short]
    )


def digits_needed(program: Expression, points: np.ndarray, units: np.ndarray) -> tuple[int, ...]:
    """How many digits of each constant tell where the law is: four, or more, at most 15.

    With as many, first-order distances of points (N, D), in ``units`` (N, D), change by a
    thousandth, or by half of their root mean square, in the root mean square.

    >>> from pie.expr.expression import parse
    >>> x = np.linspace(10000.0, 10020.0, 20)
    >>> line = parse("x2 - 1.234375*x1 + 12340.5")
    >>> digits_needed(line, np.column_stack([x, 1.234375 * x - 12340.5]), np.full((20, 2), 7.0))
    (7, 6)
    """
    here = first_order_distances(program, points, units)
    defined = np.isfinite(here)
    most = max(MOVED, root_mean_square(here[defined]) / 2.0)
    sizes = np.abs(program.constants)

    def tells(digits: np.ndarray) -> bool:
        written = [float(f"{c:.{n - 1}e}") for c, n in zip(program.constants, digits, strict=True)]
        there = first_order_distances(program.with_constants(written), points, units)
        return root_mean_square((there - here)[defined]) <= most  # not if nan

    all_of = np.ones(len(sizes), int)
    found = next((n for n in range(DIGITS, LONGEST) if tells(n * all_of)), LONGEST) * all_of
    for same in (sizes == size for size in np.unique(sizes)):
        fewer = (np.where(same, n, found) for n in range(DIGITS, found[same][0]))
        found = next(filter(tells, fewer), found)
    return tuple(found.tolist())


def equation(f: sympy.Expr, program: Expression, names: tuple[str, ...]) -> sympy.Eq:
    """f = 0, solved for the column for which the curve of ``program`` is usually given.

    Without a usual name it is solved for the only column in which it is linear, if others multiply
    this one; else what is subtracted stands on the right side.
    """
    known = usual(program)
    variable = known.variable if known.shape else _linear_in(program)
    with distribute(False):  # k*(x - x0) stays a product
        found = _solved(f, sympy.Symbol(names[variable - 1])) if variable else None
        return balanced(f) if found is None else found


def _linear_in(expression: Expression) -> int:
    """The only column in which f is linear, if others multiply it, as r in r·(1 + ε·cos θ) − p."""
    parts = [(term, from_tree(term).variables) for term in terms(to_tree(expression))]
    linear = [
        v for v in expression.variables
        if all(is_linear(term, v) for term, held in parts if v in held)
    ]  # fmt: skip
    multiplied = len(linear) == 1 and any({*linear} < {*held} for _, held in parts)
    return linear[0] if multiplied else 0


def _solved(f: sympy.Expr, column: sympy.Symbol) -> sympy.Eq | None:
    """f = 0 solved for a column in which it is linear; None if it is not, or a number divides.

    Its constants stay as they are, for they have names and errors; :mod:`pie.expr.solving` reckons
    with their values.
    """
    summands = sympy.Add.make_args(f)
    around = [term / column for term in summands if term.has(column)]
    if not around or any(one.has(column) for one in around):
        return None
    below = sympy.Add(*around)
    if below.is_Number and below != 1:
        return None
    above = [-term for term in summands if not term.has(column)]
    if below.is_Add:
        whole = sympy.Add(*above)
        if len(above) == 1 and whole.could_extract_minus_sign():  # 2/(exp(t) - 1)
            whole, below = -whole, sympy.Add(*(-one for one in below.args))
        return sympy.Eq(column, whole / below, evaluate=False)
    return sympy.Eq(column, sympy.Add(*(term / below for term in above)), evaluate=False)
