"""Libraries of terms: in which functions a law may be linear, and what a function may be of.

Where points (N, D) are given, terms are those that are defined at all of them. ``x`` is a variable,
``f`` one of √, ln, exp, sin, cos of one variable, ``m`` a monomial of degree at most two.
"""

from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np

from ..expr.expression import Tree, from_tree
from ..expr.terms import monomials

FUNCTIONS = ("sqrt", "ln", "exp", "sin", "cos")
OF_FUNCTION = {"sqrt": ("sqrt", "ln"), "ln": ("exp", "sqrt"), "exp": ("ln",)}  # no new terms
ONE: Tree = ("c", 1.0)
LARGEST = 1e100  # range of what a function may be of
RATES = np.concatenate([-np.geomspace(15.0, 0.3, 14), np.geomspace(0.3, 15.0, 14)])  # numbers
FREQUENCIES = np.arange(0.7, 30.0, 0.8)  # inside, by the range of u; of waves
SHIFTS = np.geomspace(0.01, 10.0, 12)  # of logarithms, roots and poles, beyond the points
EXPONENTS = np.array([t for t in np.arange(-3.0, 4.1, 0.25) if t not in (0.0, 1.0, 2.0)])


def variables(n: int) -> list[Tree]:
    """x1 … xn."""
    return [("x", j) for j in range(1, n + 1)]


def inverse(term: Tree) -> Tree:
    """1/term."""
    return ("div", ONE, term)


def power(x: Tree, exponent: int) -> Tree:
    """x to an exponent between −6 and 6 other than 0."""
    size = abs(exponent)
    tree = x if size == 1 else ("pow2", ("pow3", x)) if size == 6 else (f"pow{size}", x)
    return tree if exponent > 0 else inverse(tree)


def functions_of(points: np.ndarray, variable: int) -> list[Tree]:
    """f of one variable; the logarithm of −x, of a product or of a square where it must be."""
    x, column = ("x", variable), points[:, variable - 1]
    of_size, roots = ("ln", ("pow2", x)), []
    for other in range(1, variable):
        if np.all(np.sign(column) * np.sign(points[:, other - 1]) > 0.0):
            of_size = ("ln", ("mul", ("x", other), x))
    if np.all(column >= 0.0) or np.all(column <= 0.0):
        size: Tree = x if column.max() > 0.0 else ("mul", ("c", -1.0), x)
        of_size, roots = ("ln", size), [("sqrt", size)]
    return [*roots, of_size, *((name, x) for name in ("exp", "sin", "cos"))]


def all_functions(points: np.ndarray) -> list[Tree]:
    """f of every variable."""
    return [f for j in range(1, points.shape[1] + 1) for f in functions_of(points, j)]


def ratios(n: int) -> list[Tree]:
    """1/x, 1/x², and x or x² over another variable."""
    xs = variables(n)
    found = [inverse(p) for x in xs for p in (x, ("pow2", x))]
    for a, b in permutations(xs, 2):
        found += [("div", a, b), ("div", ("pow2", a), b)]
    return found


def bases(points: np.ndarray) -> list[list[Tree]]:
    """Small libraries: monomials m with f, or with cubes and ratios.

    >>> [len(base) for base in bases(np.random.default_rng(0).standard_normal((50, 2)))]
    [14, 16]
    """
    d = points.shape[1]
    cubes = [("pow3", x) for x in variables(d)]
    return [
        [*monomials(d, 2), *all_functions(points)],
        [*monomials(d, 2), *cubes, *ratios(d)],
    ]


def products(points: np.ndarray) -> list[Tree]:
    """Powers and f of one variable each and products of two of them."""
    d = points.shape[1]
    of_each = [
        [x, ("pow2", x), ("pow3", x), inverse(x), *functions_of(points, x[1])] for x in variables(d)
    ]
    found = [term for terms in of_each for term in terms]
    found += [("mul", terms[0], f) for terms in of_each for f in terms[4:]]
    for a, b in combinations(of_each, 2):
        if d == 2:
            found += [("mul", f, g) for f in a for g in b]
        else:
            found += [*(("mul", a[0], g) for g in b), *(("mul", f, b[0]) for f in a[1:])]
    return found


def _of_two(a: Tree, b: Tree) -> Iterator[list[Tree]]:
    """f of the product, the ratios, the sum and the difference of two variables."""
    of_product = [name for name in FUNCTIONS if name != "ln"]  # a sum of two others
    yield [(name, ("mul", a, b)) for name in of_product]
    yield [(name, ratio) for ratio in (("div", a, b), ("div", b, a)) for name in of_product]
    yield [(name, (sign, a, b)) for sign in ("add", "sub") for name in FUNCTIONS]


def with_number(points: np.ndarray) -> Iterator[tuple[list[Tree], np.ndarray]]:
    """g(u; t): its terms with the variable D + 1 in place of t, and a grid of t.

    exp(t·u), ln(t ± u), √(t ± u), 1/(t ± u), u^t, and the wave cos(t·u), sin(t·u), where u is a
    variable, its square, or a product or ratio of two. The grid is in units of the range of u.
    """
    d = points.shape[1]
    xs, t = variables(d), ("x", d + 1)
    of_two = [(name, a, b) for a, b in combinations(xs, 2) for name in ("mul", "div")]
    for u in [*xs, *(("pow2", x) for x in xs), *of_two]:
        with np.errstate(all="ignore"):
            values = from_tree(u).values(points)
        low, high = values.min(), values.max()
        if not 0.0 < high - low < LARGEST:
            continue
        reach = high - low
        if repeats((values / reach)[:, None].round(9)):
            continue
        yield [("exp", ("mul", t, u))], RATES / reach
        yield [(name, ("mul", t, u)) for name in ("cos", "sin")], FREQUENCIES / reach
        for name in ("ln", "sqrt", "div"):
            for shifted, end in ((("add", t, u), -low), (("sub", t, u), high)):
                yield [inverse(shifted) if name == "div" else (name, shifted)], reach * SHIFTS + end
        if low > 0.0 and u[0] != "pow2":
            yield [("pow", u, t)], EXPONENTS


def repeats(points: np.ndarray) -> bool:
    """Whether a column has few different values: functions of it are dependent there."""
    return any(2 * len(np.unique(column)) < len(points) for column in points.T)


def dictionaries(points: np.ndarray) -> Iterator[list[Tree]]:
    """Libraries of up to a hundred terms, the small ones first, so that multiples come last.

    Monomials and f, with: x·f; m·f; f of squares and of two variables; f·g; f of f. Points of two
    variables lie on a curve, where many smooth functions are nearly dependent: hence small
    libraries beside the large ones.

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
    for a, b in pairs:
        yield from ([*short, *terms] for terms in _of_two(a, b))
    both = [("pow2", f) for f in functions if f[0] in ("ln", "exp", "cos")]
    both += [("mul", f, g) for a, b in combinations(of_each, 2) for f in a for g in b]
    yield [*short, *both, *(linear if d == 2 else [])]
    for group in of_each:
        nested = [(g, f) for f in group for g in FUNCTIONS if g not in OF_FUNCTION.get(f[0], ())]
        yield [*short, *nested]


def long_monomials(d: int) -> list[Tree]:
    """Fourth to sixth powers, products of two powers up to the sixth, ratios to a first or second,
    and products or ratios of three variables.
    """
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
    """What a function may be multiplied by: variables, their squares, roots of positive ones."""
    xs = variables(points.shape[1])
    roots = [("sqrt", x) for x, column in zip(xs, points.T, strict=True) if column.min() > 0]
    return [*xs, *(("pow2", x) for x in xs), *roots]


def insides(points: np.ndarray) -> list[Tree]:
    """What a function with an amplitude may be of: simple terms, f of these, sums of two x."""
    d = points.shape[1]
    xs = variables(d)
    short = [*monomials(d, 2)[1:], *(inverse(x) for x in xs), *all_functions(points)]
    short += [("div", a, b) for a, b in permutations(xs, 2)]
    short += [(sign, a, b) for sign in ("add", "sub") for a, b in combinations(xs, 2)]
    names = ("sin", "cos", "exp", "ln", "sqrt")
    return [*short, *((name, term) for name in names for term in short)]


def sums(points: np.ndarray) -> tuple[list[Tree], list[Tree], np.ndarray]:
    """What a function without an amplitude may be of: terms, f of terms, and sums of two.

    Returns:
        Terms with f of them; and pairs of terms as sums and differences, by their places in the
        first list, (2, P), as there are thousands.
    """
    d = points.shape[1]
    single, long, xs = products(points), long_monomials(d), variables(d)
    nested = [(name, t) for name in ("exp", "ln", "sin", "cos", "sqrt") for t in single]
    trees = [*single, *long, *xs]
    n, m = len(single), len(single) + len(long)
    pairs = [*combinations(range(n), 2), *product(range(m), range(m, len(trees)))]
    return trees, nested, np.transpose(pairs)
