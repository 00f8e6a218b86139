"""Exact laws in dictionaries: one linear relation among a few of a hundred terms.

Where there is no noise, a law Σ c_k·φ_k(x) = 0 makes the matrix [φ_k(x_n)] singular to rounding,
however many terms beside its own the dictionary holds. Terms that the null vector lacks are left
out until no more can go.
"""

from collections.abc import Iterator
from itertools import combinations, islice, product

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..expr.terms import monomials, weighted_sum

SINGULAR = 1e-11  # smallest over largest singular value
JUMP = 1e7  # of the smallest singular value, when one term more goes
ABSENT = 1e-7  # of the largest coefficient, of columns of norm 1
MAX_TERMS = 8  # of a law
CONFIRMED = 20  # relations at most of one base with one thing more
LARGEST = 1e100  # value of a term
_FUNCTIONS = ("sqrt", "ln", "exp", "sin", "cos")
_TWICE = {"sqrt": ("sqrt", "ln"), "ln": ("exp", "sqrt"), "exp": ("ln",)}  # no terms of their own


def functions_of(points: np.ndarray, variable: int) -> list[Tree]:
    """Functions of one variable; the logarithm of a product or a square where it must be."""
    x, column = ("x", variable), points[:, variable - 1]
    of_size, roots = ("ln", ("pow2", x)), []
    for other in range(1, variable):
        if np.all(np.sign(column) * np.sign(points[:, other - 1]) > 0.0):
            of_size = ("ln", ("mul", ("x", other), x))
    if np.all(column >= 0.0):
        of_size, roots = ("ln", x), [("sqrt", x)]
    return [*roots, of_size, *((name, x) for name in ("exp", "sin", "cos"))]


def products(points: np.ndarray) -> list[Tree]:
    """Powers and functions of one variable each and products of two of them."""
    d = points.shape[1]
    of_each: list[list[Tree]] = []
    for j in range(1, d + 1):
        x: Tree = ("x", j)
        powers = [x, ("pow2", x), ("pow3", x), ("div", ("c", 1.0), x)]
        of_each.append([*powers, *functions_of(points, j)])
    found = [term for terms in of_each for term in terms]
    found += [("mul", terms[0], f) for terms in of_each for f in terms[4:]]
    for a, b in combinations(of_each, 2):
        if d == 2:
            found += [("mul", f, g) for f in a for g in b]
        else:
            found += [*(("mul", a[0], g) for g in b), *(("mul", f, b[0]) for f in a[1:])]
    return found


def _of_two(a: Tree, b: Tree) -> Iterator[list[Tree]]:
    """Functions of the product, the ratios, the sum and the difference of two variables."""
    of_product = [name for name in _FUNCTIONS if name != "ln"]  # a sum of two others
    yield [(name, ("mul", a, b)) for name in of_product]
    yield [(name, ratio) for ratio in (("div", a, b), ("div", b, a)) for name in of_product]
    yield [(name, (sign, a, b)) for sign in ("add", "sub") for name in _FUNCTIONS]


def dictionaries(points: np.ndarray) -> Iterator[list[Tree]]:
    """Dictionaries for points (N, D), the small ones first, so that multiples come last.

    Monomials and functions of one variable, with: these times monomials; functions of squares and
    of two variables; products of functions; functions of functions. Points of two variables are on
    a curve, where many smooth functions are nearly dependent: hence small ones beside the large.
    None where a column has few different values: functions of it are dependent there.

    >>> points = np.random.default_rng(0).standard_normal((200, 2))
    >>> [len(terms) for terms in dictionaries(points)]
    [14, 18, 22, 22, 34, 58, 20, 18, 22, 24, 52, 31, 31]
    """
    if any(2 * len(np.unique(column)) < len(points) for column in points.T):
        return
    d = points.shape[1]
    variables = [("x", j) for j in range(1, d + 1)]
    of_each = [functions_of(points, j) for j in range(1, d + 1)]
    functions = [f for group in of_each for f in group]
    short, long = [*monomials(d, 2), *functions], [*monomials(d, 3), *functions]
    yield short
    yield long
    linear = [[("mul", x, f) for f in functions] for x in variables]
    for multiples in linear:
        yield [*short, *multiples]
    linear = [f for multiples in linear for f in multiples]
    yield [*long, *linear]
    pairs = list(combinations(variables, 2))
    quadratic = [("mul", ("mul", a, b), f) for a, b in pairs for f in functions]
    squared = [("mul", ("pow2", x), f) for x in variables for f in functions]
    yield [*long, *linear, *quadratic, *squared] if d == 2 else [*short, *quadratic]
    yield [*short, *((name, ("pow2", x)) for x in variables for name in ("exp", "sin", "cos"))]
    for a, b in pairs:
        yield from ([*short, *terms] for terms in _of_two(a, b))
    products = [("pow2", f) for f in functions if f[0] in ("ln", "exp", "cos")]
    products += [("mul", f, g) for a, b in combinations(of_each, 2) for f in a for g in b]
    if d == 2:
        products += linear
    yield [*short, *products]
    for group in of_each:
        nested = [(g, f) for f in group for g in _FUNCTIONS if g not in _TWICE.get(f[0], ())]
        yield [*short, *nested]


@np.errstate(all="ignore")
def exact_relation(terms: list[Tree], points: np.ndarray) -> Expression | None:
    """The sparse linear relation among terms that points (N, D) obey to rounding, if there is one.

    At most N/2 terms are looked at, the first ones that are defined at all points.

    >>> x = np.random.default_rng(0).standard_normal((60, 2))
    >>> x[:, 1] = (0.5 - np.sin(x[:, 0])) / (1.0 + x[:, 0])
    >>> terms = next(dictionaries(x))
    >>> relation = exact_relation(terms, x)
    >>> relation.variables, [round(c, 6) for c in relation.constants]
    ((1, 2), [-0.5, 1.0, 1.0, 1.0])
    """
    columns = np.stack([from_tree(term).values(points) for term in terms], axis=1)
    size = np.median(np.abs(columns), axis=0)
    usable = (size > 1.0 / LARGEST) & (np.abs(columns).max(axis=0) < LARGEST)
    usable = np.flatnonzero(usable)[: len(points) // 2]
    if len(usable) < 2:
        return None
    scaled = columns[:, usable] / size[usable]
    scaled /= np.abs(scaled).max(axis=1, keepdims=True)  # else far points hide all others
    norms = np.linalg.norm(scaled, axis=0)
    triangle = np.linalg.qr(scaled / norms, mode="r")
    alive, found, last = np.arange(len(usable)), None, 0.0
    while len(alive) >= 2:
        _, values, rows = np.linalg.svd(triangle[:, alive])
        if values[-1] > SINGULAR * values[0]:
            if found is not None and values[-1] < JUMP * max(last, 1e-16 * values[0]):
                return None
            break
        found, last = (alive, rows[-1]), values[-1]
        weight = np.abs(rows[-1])
        absent = weight <= max(ABSENT * weight.max(), weight.min())
        alive = alive[~absent]
    if found is None or len(found[0]) > MAX_TERMS:
        return None
    alive, vector = found
    return weighted_sum(
        [terms[usable[i]] for i in alive], vector / norms[alive] / size[usable[alive]]
    )


def exact_relations(
    drafts: list[list[Tree]], base: list[Tree], points: np.ndarray
) -> list[Expression]:
    """The first exact relations of a base and one of the drafts' terms each."""
    defined = (
        new for new in drafts if all(np.isfinite(from_tree(t).values(points)).all() for t in new)
    )
    relations = (exact_relation([*new, *base], points) for new in defined)
    return [*islice((relation for relation in relations if relation is not None), CONFIRMED)]


def bases(points: np.ndarray) -> list[list[Tree]]:
    """Terms that a law may be linear in: monomials with functions of one variable, or with ratios.

    >>> [len(base) for base in bases(np.random.default_rng(0).standard_normal((50, 2)))]
    [14, 16]
    """
    d = points.shape[1]
    variables: list[Tree] = [("x", j) for j in range(1, d + 1)]
    short = monomials(d, 2)
    functions = [f for j in range(1, d + 1) for f in functions_of(points, j)]
    ratios: list[Tree] = [
        ("div", ("c", 1.0), power) for x in variables for power in (x, ("pow2", x))
    ]
    for a, b in product(variables, variables):
        if a != b:
            ratios += [("div", a, b), ("div", ("pow2", a), b)]
    return [[*short, *functions], [*short, *(("pow3", x) for x in variables), *ratios]]
