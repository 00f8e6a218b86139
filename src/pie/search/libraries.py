"""Libraries of terms: what a relation may be linear in, and what a function may be applied to.

Given points (N, D), terms are defined at all of them. Notation: x is a variable, f one of √, ln,
exp, sin, cos of one variable, m a monomial of degree at most two.
"""

import functools
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from ..expr.expression import Tree, from_tree, with_variables
from ..expr.terms import ONE, joined, monomials, times

Units = Sequence[float] | np.ndarray
FUNCTIONS = ("sqrt", "ln", "exp", "sin", "cos")
# f: functions g for which g(f) is left out
OF_FUNCTION = {"sqrt": ("sqrt", "ln"), "ln": ("exp", "sqrt"), "exp": ("ln",)}
FEW_COLUMNS = 3  # variables up to which the large libraries are used
RADIANS = 2.0 * np.pi  # largest angle
LARGEST = 1e100  # largest range of the argument u of a function
LARGEST_RATE = 200.0  # largest |t·u| of exp(t·u), so that x·exp(t·u) is below 1e100
# grids of t, in units of the range of u or its inverse
RATES = np.concatenate([-np.geomspace(15.0, 0.3, 14), np.geomspace(0.3, 15.0, 14)])  # exp(t·u)
FREQUENCIES = np.arange(0.7, 30.0, 0.8)  # cos(t·u), sin(t·u)
SHIFTS = np.geomspace(0.01, 10.0, 12)  # zeros of t ± u beyond the range of u
STRETCHES = np.geomspace(0.05, 20.0, 12)  # x² + t·y², t in units of the ranges' ratio squared
EXPONENTS = np.array([t for t in np.arange(-3.0, 4.1, 0.25) if t not in (0.0, 1.0, 2.0)])  # u^t


def variables(n: int) -> list[Tree]:
    return [("x", j) for j in range(1, n + 1)]


def inverse(term: Tree) -> Tree:
    return ("div", ONE, term)


def power(x: Tree, exponent: int) -> Tree:
    """x^exponent, for an exponent of 1 to 6."""
    return x if exponent == 1 else ("pow2", ("pow3", x)) if exponent == 6 else (f"pow{exponent}", x)


def functions_of(points: np.ndarray, variable: int, unit: float = 1.0) -> list[Tree]:
    """f of one variable: √ and ln of ±x if its sign is constant, else ln of x_k·x or x².

    Where x is in another ``unit`` than the user's, sin and cos are those of the user's number, if
    it may be an angle in radians.
    """
    x, column = ("x", variable), points[:, variable - 1]
    of_size, roots = ("ln", ("pow2", x)), []
    for other in range(1, variable):
        if np.all(np.sign(column) * np.sign(points[:, other - 1]) > 0.0):
            of_size = ("ln", ("mul", ("x", other), x))
    if np.all(column >= 0.0) or np.all(column <= 0.0):
        size: Tree = x if column.max() > 0.0 else ("mul", ("c", -1.0), x)
        of_size, roots = ("ln", size), [("sqrt", size)]
    angle = _angle(points, variable, unit) or (x if unit == 1.0 else None)
    waves = [(name, angle) for name in ("sin", "cos")] if angle else []
    return [*roots, of_size, ("exp", x), *waves]


def _angle(points: np.ndarray, variable: int, unit: float) -> Tree | None:
    """The user's number of a variable, if it may be an angle in radians."""
    if unit * np.abs(points[:, variable - 1]).max() > RADIANS:
        return None
    return ("x", variable) if unit == 1.0 else ("mul", ("c", unit), ("x", variable))


def _each(points: np.ndarray, units: Units) -> Iterator[tuple[int, float]]:
    """The variables 1 … D, each with its unit."""
    yield from enumerate(map(float, units if len(units) else np.ones(points.shape[1])), 1)


def all_functions(points: np.ndarray, units: Units = ()) -> list[Tree]:
    return [f for j, unit in _each(points, units) for f in functions_of(points, j, unit)]


def bases(points: np.ndarray, units: Units = ()) -> list[list[Tree]]:
    """Two small libraries: m with f; m with x³, 1/x, 1/x², x_i/x_j and x_i²/x_j."""
    d = points.shape[1]
    xs = variables(d)
    inverses = [inverse(p) for x in xs for p in (x, ("pow2", x))]
    ratios = [("div", p, b) for a, b in permutations(xs, 2) for p in (a, ("pow2", a))]
    return [
        [*monomials(d, 2), *all_functions(points, units)],
        [*monomials(d, 2), *(("pow3", x) for x in xs), *inverses, *ratios],
    ]


def products(points: np.ndarray, units: Units = ()) -> list[Tree]:
    """x, x², x³, 1/x, f and x·f of each variable, and products of terms of two variables.

    With three variables or more, one factor of a product is a variable itself.
    """
    d, of_each = points.shape[1], []
    for j, unit in _each(points, units):
        x: Tree = ("x", j)
        of_each.append([x, ("pow2", x), ("pow3", x), inverse(x), *functions_of(points, j, unit)])
    found = [term for terms in of_each for term in terms]
    found += [("mul", terms[0], f) for terms in of_each for f in terms[4:]]
    for a, b in combinations(of_each, 2):
        if d == 2:
            found += [("mul", f, g) for f in a for g in b]
        else:
            found += [*(("mul", a[0], g) for g in b), *(("mul", f, b[0]) for f in a[1:])]
    return found


def with_number(points: np.ndarray) -> Iterator[tuple[list[Tree], np.ndarray]]:
    """Functions g(u; t) with a number t inside, each with a grid of t.

    g is exp(t·u), ln(t ± u), √(t ± u), 1/(t ± u), u^t, cos²(t·u), or the pair cos(t·u), sin(t·u); u
    is a variable, its square, or a product, ratio (of each by the other), sum or difference of two.
    Or it is √v, v² or 1/v of v = x² + t·y² of two variables. In the trees t is the variable D + 1.
    """
    d = points.shape[1]
    xs, t = variables(d), ("x", d + 1)
    both = ("mul", "div", "add", "sub")
    of_two = [(name, a, b) for a, b in combinations(xs, 2) for name in both]
    inverses: list[Tree] = [("div", b, a) for a, b in combinations(xs, 2)]
    for u in [*xs, *(("pow2", x) for x in xs), *of_two, *inverses]:
        with np.errstate(all="ignore"):
            values = from_tree(u).values(points)
        low, high = values.min(), values.max()
        if not 0.0 < high - low < LARGEST:
            continue
        reach = high - low
        if repeats((values / reach)[:, None].round(9)):
            continue
        rates = RATES / reach
        rates = rates[np.abs(rates) * max(abs(low), abs(high)) < LARGEST_RATE]
        if len(rates):
            yield [("exp", ("mul", t, u))], rates
        yield [(name, ("mul", t, u)) for name in ("cos", "sin")], FREQUENCIES / reach
        yield [("pow2", ("cos", ("mul", t, u)))], FREQUENCIES / (2.0 * reach)
        for name in ("ln", "sqrt", "div"):
            for shifted, end in ((("add", t, u), -low), (("sub", t, u), high)):
                yield [inverse(shifted) if name == "div" else (name, shifted)], reach * SHIFTS + end
        if low > 0.0 and u[0] != "pow2" and u not in inverses:
            yield [("pow", u, t)], EXPONENTS
    for a, b in combinations(xs, 2):
        square: Tree = ("add", ("pow2", a), ("mul", t, ("pow2", b)))
        ratio = np.ptp(points[:, a[1] - 1]) / np.ptp(points[:, b[1] - 1])
        if np.isfinite(ratio) and ratio > 0.0:
            for g in (("sqrt", square), ("pow2", square), inverse(square)):
                yield [g], STRETCHES * ratio**2


def noisy(points: np.ndarray, units: Units = ()) -> list[list[Tree]]:
    """Libraries for noisy points, whose columns are in ``units`` of the user's; () = the same.

    They are :func:`bases`; m of degree four; :func:`radial`; :func:`squared_waves`; and 1, products
    and those of the first three.
    """
    d = points.shape[1]
    small = [*bases(points, units), monomials(d, 4)]
    wide = dict.fromkeys(
        [ONE, *products(points, units), *(term for terms in small for term in terms)]
    )
    return [*small, *radial(d), *squared_waves(points, units), [*wide]]


def radial(d: int) -> list[list[Tree]]:
    """Libraries of r² = Σ x_i² of two or three variables: r, r², r³, r⁴, 1/r, 1/r², ln r and m.

    m are monomials of degree two, and x·r and x·r² of each variable.

    >>> [len(terms) for terms in radial(2)], [len(terms) for terms in radial(3)]
    ([16], [22, 22, 22, 22])
    """
    xs, found = variables(d), []
    for several in (s for k in (2, 3) for s in combinations(xs, k)):
        square = joined("add", [("pow2", x) for x in several])
        r: Tree = ("sqrt", square)
        powers = [r, ("pow2", square), ("mul", square, r), inverse(r), inverse(square)]
        mixed = [("mul", x, rho) for x in xs for rho in (r, square)]
        found.append([*monomials(d, 2), *powers, ("ln", square), *mixed])
    return found


def squared_waves(points: np.ndarray, units: Units = ()) -> list[list[Tree]]:
    """Libraries of sin, cos, sin², cos² of each variable, by themselves and times m of the others.

    m are products of different variables, or the square of the only one. As in
    :func:`functions_of` the variable may be an angle in radians.

    >>> two, three = (np.random.default_rng(0).uniform(-3.0, 3.0, (50, d)) for d in (2, 3))
    >>> [len(terms) for terms in squared_waves(two)], [len(terms) for terms in squared_waves(three)]
    ([15, 15], [20, 20, 20])
    """
    d, found = points.shape[1], []
    for j, unit in _each(points, units):
        if angle := _angle(points, j, unit):
            rest = [x for x in variables(d) if x != ("x", j)]
            m = [ONE, *rest, ("pow2", rest[0]) if d == 2 else ("mul", *rest)]
            both = [(name, angle) for name in ("sin", "cos")]
            waves = [ONE, *both, *(("pow2", wave) for wave in both)]
            found.append([times(t, wave) for wave in waves for t in m])
    return found


def repeats(points: np.ndarray) -> bool:
    """Whether a column has fewer than N/2 distinct values; functions of it are then dependent."""
    return any(2 * len(np.unique(column)) < len(points) for column in points.T)


def dictionaries(points: np.ndarray) -> Iterator[list[Tree]]:
    """Libraries of up to a hundred terms: m and f, with terms of one further kind each.

    The kinds are x·f; m·f; f of squares and of two variables; f·g; f of f. Many are small: points
    of two variables lie on a curve, where many smooth functions are nearly dependent.

    >>> points = np.random.default_rng(0).standard_normal((200, 2))
    >>> [len(terms) for terms in dictionaries(points)]
    [14, 18, 22, 22, 34, 58, 15, 20, 18, 22, 24, 52, 31, 31]
    """
    if repeats(points):
        return
    d = points.shape[1]
    xs = variables(d)
    of_each = [functions_of(points, j) for j in range(1, d + 1)]
    functions = [f for group in of_each for f in group]
    short, long = [*monomials(d, 2), *functions], [*monomials(d, 3), *functions]
    yield short
    yield long
    linear = [[("mul", x, f) for f in functions] for x in xs]
    for multiples in linear:
        yield [*short, *multiples]
    linear = [f for multiples in linear for f in multiples]
    yield [*long, *linear]
    pairs = list(combinations(xs, 2))
    quadratic = [("mul", ("mul", a, b), f) for a, b in pairs for f in functions]
    squared = [("mul", ("pow2", x), f) for x in xs for f in functions]
    yield [*long, *linear, *quadratic, *squared] if d == 2 else [*short, *quadratic]
    yield monomials(d, 4) if d == 2 else monomials(d, 3)
    yield [*short, *((name, ("pow2", x)) for x in xs for name in ("exp", "sin", "cos"))]
    of_product = [name for name in FUNCTIONS if name != "ln"]  # ln(a·b) = ln a + ln b
    for a, b in pairs:
        ratios = ("div", a, b), ("div", b, a)
        yield [*short, *((name, ("mul", a, b)) for name in of_product)]
        yield [*short, *((name, ratio) for ratio in ratios for name in of_product)]
        yield [*short, *((name, (sign, a, b)) for sign in ("add", "sub") for name in FUNCTIONS)]
    both = [("pow2", f) for f in functions if f[0] in ("ln", "exp", "cos")]
    both += [("mul", f, g) for a, b in combinations(of_each, 2) for f in a for g in b]
    yield [*short, *both, *(linear if d == 2 else [])]
    for group in of_each:
        nested = [(g, f) for f in group for g in FUNCTIONS if g not in OF_FUNCTION.get(f[0], ())]
        yield [*short, *nested]


def of_many(points: np.ndarray, units: Units = ()) -> Iterator[list[Tree]]:
    """Small libraries for many columns: x; ln x; x, x²; m; m of degree three; ln x, x, 1/x; f.

    Logarithms are those of positive columns.
    """
    xs = variables(points.shape[1])
    positive = np.all(points > 0.0, axis=0)
    logs = [("ln", x) if p else x for x, p in zip(xs, positive, strict=True)]
    of_positive = [x for x, p in zip(xs, positive, strict=True) if p]
    yield [ONE, *xs]
    if of_positive:
        yield [ONE, *logs]
    yield [ONE, *xs, *(("pow2", x) for x in xs)]
    yield monomials(len(xs), 2)
    yield monomials(len(xs), 3)
    if of_positive:
        yield [ONE, *logs, *of_positive, *(inverse(x) for x in of_positive)]
    yield [ONE, *xs, *all_functions(points, units)]


def waves(n: int, angles: np.ndarray) -> list[list[Tree]]:
    """Libraries for columns that may be angles θ in radians, marked (n,): monomials and waves.

    For each θ and k = 1, 2: m, m·cos kθ and m·sin kθ with monomials m of the other variables. For
    two or three θ: products of 1, cos θ and sin θ of each, by themselves and times one other
    variable.

    >>> [len(terms) for terms in waves(4, np.array([False, True, False, True]))]
    [30, 30, 30, 30, 27]
    """
    xs, found = variables(n), []
    thetas = [x for x, angle in zip(xs, angles, strict=True) if angle]
    for theta in thetas:
        rest: dict[int, Tree] = dict(enumerate((x for x in xs if x != theta), 1))
        m = [with_variables(tree, rest) for tree in monomials(n - 1, 2)]
        for inside in (theta, ("mul", ("c", 2.0), theta)):
            found.append([*m, *(times(t, (g, inside)) for g in ("cos", "sin") for t in m)])
    for several in (s for k in (2, 3) for s in combinations(thetas, k)):
        of_each = [[ONE, ("cos", theta), ("sin", theta)] for theta in several]
        m = [ONE, *(x for x in xs if x not in several)]
        both = [functools.reduce(times, one) for one in product(*of_each)]
        found.append([times(t, w) for w in both for t in m])
    return found


def long_monomials(d: int) -> list[Tree]:
    """x^4 to x^6, x_i^j·x_k^l, x_i^j/x_k, x_i^j/x_k², products and ratios of three; powers ≤ 6."""
    xs = variables(d)
    found = [power(x, k) for x in xs for k in (4, 5, 6)]
    for a, b in permutations(xs, 2):
        found += [("div", power(a, j), power(b, k)) for j in range(1, 7) for k in (1, 2)]
        if a < b:
            found += [("mul", power(a, j), power(b, k)) for j, k in product(range(1, 7), repeat=2)]
    for a, b, c in permutations(xs, 3):
        if a < b:
            found += [("div", ("mul", a, b), c), ("div", c, ("mul", a, b))]
            found += [("mul", ("mul", a, b), c)] * (b < c)
    return found


def amplitudes(points: np.ndarray) -> list[Tree]:
    """Amplitudes ψ of a function: variables, their squares, roots of positive variables."""
    xs = variables(points.shape[1])
    roots = [("sqrt", x) for x, column in zip(xs, points.T, strict=True) if column.min() > 0]
    return [*xs, *(("pow2", x) for x in xs), *roots]


def insides(points: np.ndarray) -> list[Tree]:
    """Arguments u of a function with an amplitude: simple terms, f of these, x_i ± x_j."""
    d = points.shape[1]
    xs = variables(d)
    short = [*monomials(d, 2)[1:], *(inverse(x) for x in xs), *all_functions(points)]
    short += [("div", a, b) for a, b in permutations(xs, 2)]
    short += [(sign, a, b) for sign in ("add", "sub") for a, b in combinations(xs, 2)]
    names = ("sin", "cos", "exp", "ln", "sqrt")
    return [*short, *((name, term) for name in names for term in short)]


def sums(points: np.ndarray) -> tuple[list[Tree], list[Tree], list[tuple[int, int]]]:
    """Arguments u of a function without an amplitude: terms, functions of terms, and pairs.

    A pair holds the indices of two terms, whose sum and difference are arguments as well.
    """
    d = points.shape[1]
    single, long, xs = products(points), long_monomials(d), variables(d)
    nested = [(name, t) for name in ("exp", "ln", "sin", "cos", "sqrt") for t in single]
    trees = [*single, *long, *xs]
    n, m = len(single), len(single) + len(long)
    return trees, nested, [*combinations(range(n), 2), *product(range(m), range(m, len(trees)))]
