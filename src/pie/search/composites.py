r"""Exact laws that are linear in simple terms and in one function more: Σ c_k·φ_k(x) + g(u(x)) = 0.

Dictionaries (:mod:`pie.search.dictionary`) hold a hundred terms, too few for functions of combinations
such as sin(x1 + x2²), or with a number inside such as exp(0.3·x1). But where the other terms of a
law are among a few dozen, one look tells: what these leave of the column g(u) is rounding. So eight
thousand u are tried in each of eight functions, and a number inside is found by variable projection
(Golub and Pereyra 1973; Kaufman 1975): steps of Gauss and Newton on what is left.

A wave is the complex column exp(iu), whose real part is taken at the phase that leaves least.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..expr.terms import monomials
from .dictionary import bases, exact_relations, products
from .spans import Span, columns_of, turned, turning, usable

FEW = 48  # points that are looked at, all of them where a law is confirmed
NOTHING = 1e-7  # what is left of a column of norm 1
NEARLY = 1e-6  # nothing, as far as Pythagoras tells
SHAKEN = 1e-3  # relative change of the points, by which laws break and identities do not
WIDE = 30.0  # range of a sum's first term, beyond which its second's weight is not looked for
STEPS = 12  # of Gauss and Newton
DROPPED = 5  # the step before which what is not nearly solved by now is dropped
CLOSE = 1e-2  # what is left where it is
STARTS = 5  # of them, the deepest of a grid
DRAFTS = 400  # at most of each base, the shortest
LEAST = 12  # points
BLOCK = 512  # columns that are looked at together: what a processor's cache holds
MANY = 2048  # where there is more to do for each, so that threads need not wait for each other

_ONE: Tree = ("c", 1.0)


def _power(variable: int, exponent: int) -> Tree:
    x: Tree = ("x", variable)
    if abs(exponent) == 6:
        tree: Tree = ("pow2", ("pow3", x))
    else:
        tree = x if abs(exponent) == 1 else (f"pow{abs(exponent)}", x)
    return tree if exponent > 0 else ("div", _ONE, tree)


def _monomials(d: int) -> list[Tree]:
    """Powers of D variables up to the sixth, products of two, and ratios to a first or second;
    products of three variables or their inverses.
    """
    powers = {j: [_power(j, k) for k in range(1, 7)] for j in range(1, d + 1)}
    found = [power for of_one in powers.values() for power in of_one[3:]]
    for i, j in permutations(powers, 2):
        found += [("div", a, _power(j, k)) for a in powers[i] for k in (1, 2)]
        if i < j:
            found += [("mul", a, b) for a in powers[i] for b in powers[j]]
    for i, j, k in permutations(powers, 3):
        if i < j:
            found += [("div", ("mul", ("x", i), ("x", j)), ("x", k))]
            found += [("div", ("x", k), ("mul", ("x", i), ("x", j)))]
            found += [("mul", ("mul", ("x", i), ("x", j)), ("x", k))] * (j < k)
    return found


def _combinations(few: np.ndarray) -> tuple[list[Tree], np.ndarray]:
    """What a function may be of, and its values (N, M) at points (N, D).

    Terms, functions of one, and sums and differences of two.
    """
    d = few.shape[1]
    single, long = products(few), _monomials(d)
    nested = [(name, t) for name in ("exp", "ln", "sin", "cos", "sqrt") for t in single]
    trees = [*single, *long, *(("x", j) for j in range(1, d + 1))]
    values = columns_of(trees, few)
    ends = [len(single), len(single) + len(long), len(trees)]
    pairs = [*combinations(range(ends[0]), 2), *product(range(*ends[:2]), range(*ends[1:]))]
    a, b = np.transpose(pairs)
    both = [(sign, trees[i], trees[j]) for sign in ("add", "sub") for i, j in pairs]
    columns = [values[:, : ends[1]], columns_of(nested, few)]
    columns += [values[:, a] + values[:, b], values[:, a] - values[:, b]]
    return [*trees[: ends[1]], *nested, *both], np.concatenate(columns, axis=1)


@dataclass(frozen=True)
class _Function:
    """g(u) with a number t in it: its values and slopes in t (N, M) at u (N, M) and t (M,)."""

    values: Callable[[np.ndarray, np.ndarray], np.ndarray]
    slopes: Callable[[np.ndarray, np.ndarray], np.ndarray]
    grid: np.ndarray  # numbers to begin at, where u has the range 1 and the middle 0
    drafts: Callable[[float, Tree, float, float], list[list[Tree]]]  # of t, φ, its range and middle


def _minus(u: Tree) -> Tree:
    return ("sub", ("c", 0.0), u)


def _wave(u: Tree) -> list[list[Tree]]:
    """One draft: both terms of a wave."""
    return [[("sin", u), ("cos", u)]]


def _logarithms(u: Tree) -> list[list[Tree]]:
    """ln|u| as it may be written: without a square where u has one sign."""
    return [[("ln", u)], [("ln", _minus(u))], [("ln", ("pow2", u))]]


def _scaled(t: float, u: Tree, reach: float) -> Tree:
    return ("mul", ("c", t / reach), u)


def _shifted(t: float, u: Tree, reach: float, middle: float, sign: float) -> Tree:
    """ln of a half and exp(t) more than ±u."""
    number: Tree = ("c", (0.5 + float(np.exp(t))) * reach - sign * middle)
    return ("ln", ("add", u, number) if sign > 0.0 else ("sub", number, u))


def _of_exponent(sign: float) -> _Function:
    """exp(±exp(t)·u), which is 1 at most: a few u may be far out."""

    def exponent(t: np.ndarray, u: np.ndarray) -> np.ndarray:
        v = sign * np.exp(t) * u
        return v - v.max(axis=0)

    return _Function(
        lambda t, u: np.exp(exponent(t, u)),
        lambda t, u: exponent(t, u) * np.exp(exponent(t, u)),
        np.concatenate([np.arange(-1.2, 3.0, 0.07), np.arange(3.0, 8.0, 0.2)]),
        lambda t, u, reach, _: [[("exp", _scaled(sign * float(np.exp(t)), u, reach))]],
    )


def _of_shift(sign: float) -> _Function:
    return _Function(
        lambda t, u: np.log(0.5 + np.exp(t) + sign * u),
        lambda t, u: np.exp(t) / (0.5 + np.exp(t) + sign * u),
        np.linspace(-6.0, 4.0, 40),
        lambda t, u, reach, middle: [[_shifted(t, u, reach, middle, sign)]],
    )


_WITH_NUMBERS = (
    _Function(
        lambda t, u: turning(t * u),
        lambda t, u: 1j * u * turning(t * u),
        np.arange(0.5, 80.0, 0.4),
        lambda t, u, reach, _: _wave(_scaled(t, u, reach)),
    ),
    _of_exponent(1.0),
    _of_exponent(-1.0),
    _of_shift(1.0),
    _of_shift(-1.0),
)

_WEIGHTS = np.arange(-6.0, 6.0, 0.1)
_OF_TWO = (
    _Function(
        lambda t, u: turning(u[0] + t * u[1]),
        lambda t, u: 1j * u[1] * turning(u[0] + t * u[1]),
        _WEIGHTS,
        lambda t, u, *_: _wave(u),
    ),
    _Function(
        lambda t, u: np.log(np.abs(u[0] + t * u[1])),
        lambda t, u: u[1] / (u[0] + t * u[1]),
        _WEIGHTS,
        lambda t, u, *_: _logarithms(u),
    ),
)

# without a number: the values, and drafts, those that are not defined at all points in vain
_PLAIN: tuple[
    tuple[Callable[[np.ndarray], np.ndarray], Callable[[Tree], list[list[Tree]]]], ...
] = (
    (lambda u: turning(u), lambda u: _wave(u)),
    (np.exp, lambda u: [[("exp", u)]]),
    (lambda u: np.exp(-u), lambda u: [[("exp", _minus(u))]]),
    (lambda u: np.log(u * u), lambda u: _logarithms(u)),
    (lambda u: np.sqrt(np.abs(u)), lambda u: [[("sqrt", u)], [("sqrt", _minus(u))]]),
    (np.square, lambda u: [[("pow2", u)]]),
    (lambda u: u * u * u, lambda u: [[("pow3", u)]]),
    (np.reciprocal, lambda u: [[("div", _ONE, u)]]),
)


Halves = tuple[np.ndarray, np.ndarray]  # values (N, M) at some points, and where these are shaken


@dataclass(frozen=True)
class _Base:
    """The span of a base at some points, and where these are shaken."""

    here: Span
    elsewhere: Span

    def laws(self, columns: np.ndarray, shaken: np.ndarray) -> np.ndarray:
        """Of which columns (N, M) the span leaves next to nothing, but not where shaken."""
        identities = self.elsewhere.least(shaken) < NOTHING
        return (self.here.least(columns) < NOTHING) & ~identities


def _halves(values: np.ndarray) -> Halves:
    return values[: len(values) // 2], values[len(values) // 2 :]


def _without_numbers(base: _Base, trees: list[Tree], values: np.ndarray) -> Iterator[list[Tree]]:
    """Terms g(u) of which the span leaves next to nothing."""
    few, shaken = _halves(values)
    blocks = [
        np.ascontiguousarray(few[:, k : k + BLOCK]) for k in range(0, max(1, len(trees)), BLOCK)
    ]
    for function, drafts in _PLAIN:
        nearly = np.concatenate([base.here.nearly(function(block)) for block in blocks]) < NEARLY
        short = np.flatnonzero(nearly)
        for k in short[base.laws(function(few[:, short]), function(shaken[:, short]))]:
            yield from drafts(trees[k])


def _grid(span: Span, function: _Function, u: np.ndarray) -> np.ndarray:
    """What is left (T, M) of the functions of u (…, N, M) with each number of the grid."""
    m = u.shape[-1]
    together = max(1, MANY // m)
    repeated = np.tile(u, together)
    rest = []
    for k in range(0, len(function.grid), together):
        t = np.repeat(function.grid[k : k + together], m)
        rest.append(span.nearly(function.values(t, repeated[..., : len(t)])).reshape(-1, m))
    return np.concatenate(rest)


def _solved(base: _Base, function: _Function, u: Halves) -> Iterator[tuple[int, float]]:
    """Places in u (…, N, M) of which a number leaves next to nothing, and the numbers."""
    few, _ = u
    if not few.shape[-1]:
        return
    rest = _grid(base.here, function, few)
    low = (rest[1:-1] <= rest[:-2]) & (rest[1:-1] <= rest[2:]) & np.isfinite(rest[1:-1])
    order = np.argsort(np.where(low, rest[1:-1], np.inf), axis=0)[:STARTS]
    begin, which = np.nonzero(np.take_along_axis(low, order, axis=0))
    t = function.grid[order[begin, which] + 1]
    for step in range(STEPS):
        if step == DROPPED:
            near = base.here.nearly(function.values(t, few[..., which])) < CLOSE
            t, which = t[near], which[near]
        t = t - _step(base.here, function, t, few[..., which])
    columns, others = (function.values(t, part[..., which]) for part in u)
    for k in np.flatnonzero(base.laws(columns, others)):
        yield int(which[k]), float(t[k])


def _with_numbers(base: _Base, trees: list[Tree], values: np.ndarray) -> Iterator[list[Tree]]:
    """Terms g(u) with a number, of which the span leaves next to nothing."""
    low, high = values.min(axis=0), values.max(axis=0)
    reach, middle = high - low, 0.5 * (low + high)
    unit = _halves((values - middle) / reach)
    for function in _WITH_NUMBERS:
        for j, t in _solved(base, function, unit):
            yield from function.drafts(t, trees[j], float(reach[j]), float(middle[j]))


def _weighted(base: _Base, trees: list[Tree], values: np.ndarray) -> Iterator[list[Tree]]:
    """Terms g(u + c·v) of which the span leaves next to nothing."""
    if len(trees) < 2:
        return
    first, second = np.transpose([*permutations(range(len(trees)), 2)])
    reach = np.ptp(values, axis=0)
    near = reach[first] < WIDE
    first, second = first[near], second[near]
    u = np.stack([values[:, first], values[:, second] * (reach[first] / reach[second])])
    n = len(values) // 2
    for function in _OF_TWO:
        for k, t in _solved(base, function, (u[:, :n], u[:, n:])):
            i, j = first[k], second[k]
            weight: Tree = ("c", float(t * reach[i] / reach[j]))
            inside: Tree = ("add", trees[i], ("mul", weight, trees[j]))
            yield from function.drafts(t, inside, 0.0, 0.0)


def _step(span: Span, function: _Function, t: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Gauss and Newton's step (M,) in the numbers, the phase of a wave being free."""
    left, slopes = span.left(function.values(t, u)), span.left(function.slopes(t, u))
    rest, turn = turned(left)
    slope = (slopes * turn).real
    if np.iscomplexobj(left):
        other = (left * turn).imag
        other = other / np.linalg.norm(other, axis=0)
        slope = slope - other * (other * slope).sum(axis=0)
    step = (slope * rest).sum(axis=0) / (slope * slope).sum(axis=0)
    return np.clip(step, -0.5, 0.5)


@np.errstate(all="ignore")
def composites(points: np.ndarray, numbers: bool = True, workers: int = 1) -> list[Expression]:
    """Exact laws of points (N, D) with one function beside a base; with a number inside, if none
    without is found and ``numbers`` are asked for. The shortest first, for each base.

    ``workers`` threads, of which one for each base is used.

    >>> x = np.random.default_rng(0).standard_normal((80, 2))
    >>> x[:, 0] = 0.5 - np.sin(2.3 * x[:, 1]) * 2.0
    >>> law = composites(x)[0]
    >>> law.variables, [round(c, 6) for c in law.constants]
    ((1, 2), [1.0, 2.3, -0.25, 0.5])
    """
    if len(points) < LEAST or any(2 * len(np.unique(c)) < len(points) for c in points.T):
        return []
    d = points.shape[1]
    rng = np.random.default_rng(0)
    few = points[rng.permutation(len(points))[:FEW]]
    others = few * np.exp(SHAKEN * rng.standard_normal(few.shape))
    most = len(points) // 2 - 2  # terms beside the function's, of which a relation is confirmed
    spans = [_Base(Span(base, few, most), Span(base, others, most)) for base in bases(points)]
    both = np.concatenate([few, others])

    def laws(drafts: Callable[[_Base], Iterable[list[Tree]]]) -> list[Expression]:
        def drawn(base: _Base) -> list[list[Tree]]:
            with np.errstate(all="ignore"):  # holds for one thread only
                return sorted(drafts(base), key=lambda new: len(from_tree(new[0]).codes))[:DRAFTS]

        with ThreadPoolExecutor(workers) as pool:
            return [
                relation
                for base, new in zip(spans, pool.map(drawn, spans), strict=True)
                for relation in exact_relations(new, base.here.base, points)
            ]

    of_any = usable(*_combinations(both))
    found = laws(lambda base: _without_numbers(base, *of_any))
    if found or not numbers:
        return found
    one = [*products(points), *_monomials(d)]
    two = [*monomials(d, 2)[1:], *(_power(j, -1) for j in range(1, d + 1))]
    of_one, of_two = (usable(trees, columns_of(trees, both)) for trees in (one, two))
    return laws(lambda base: chain(_with_numbers(base, *of_one), _weighted(base, *of_two)))
