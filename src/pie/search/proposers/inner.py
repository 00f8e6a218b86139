r"""Exact laws with one function of a combination:
:math:`\sum_k c_k \varphi_k(x) + (a + b\,\psi(x))\, g(u(x); t) = 0`.

Dictionaries hold a hundred terms, too few for functions of combinations such as sin(x1 + x2²), or
with a number t inside such as exp(0.3·x1). But where the other terms of a law are in a small
library, one look tells: what these leave of g(u), or of the two columns g(u) and ψ·g(u), is
rounding (:mod:`pie.search.span`). So some 65,000 g(u) are tried, and a number inside is found from
the minima of a grid by Gauss–Newton steps. A wave is the two columns cos u and sin u.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, permutations

import numpy as np

from ...expr.expression import Expression, Tree, from_tree
from ...expr.terms import monomials
from ...expr.vector_math import cos_row, sin_row
from .. import libraries
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, Proposer, new_drafts
from ..relations import columns_of, exact_relation
from ..span import LARGEST, SCREENED, Base, with_perturbed

POINTS = 40  # that are looked at; all of them where a law is confirmed
FEWEST_POINTS = 12
FLAT = 1e-6  # range of a term that is as good as none
STARTS = 5  # minima of a grid, the deepest, from which numbers are refined
STEPS = 12  # of Gauss–Newton, at most 0.5 each
PROMISING = 1e-2  # singular value after five steps, of those that go on
FIRST_STEPS = 5
WIDE = 30.0  # range of the first of two terms, beyond which the weight of the second is not sought
DRAFTS = 400  # of each base, the shortest, that are confirmed
CONFIRMED = 20  # relations of each base
MAX_TERMS = 8  # of a relation
BLOCK = 2048  # columns that are looked at together


def _wave(u: np.ndarray) -> np.ndarray:
    """cos u and sin u of (N, M), (2, N, M)."""
    cosine, sine = u.flatten(), u.flatten()
    cos_row(cosine)
    sin_row(sine)
    return np.stack([cosine.reshape(u.shape), sine.reshape(u.shape)])


@dataclass(frozen=True)
class Function:
    """g(u; t): columns (K, N, M) at u (N, M), t (M,); their slopes in t; a grid of t; its terms.

    Where there is a number, u has the range 1 and the middle 0, and ``terms`` takes t, the tree of
    u, and its range and middle.
    """

    values: Callable[..., np.ndarray]
    terms: Callable[..., list[list[Tree]]]
    slopes: Callable[..., np.ndarray] | None = None
    grid: np.ndarray | None = None


def _minus(u: Tree) -> Tree:
    return ("sub", ("c", 0.0), u)


def _wave_terms(u: Tree) -> list[list[Tree]]:
    return [[("sin", u), ("cos", u)]]


def _logarithms(u: Tree) -> list[list[Tree]]:
    """ln|u| as it may be written: without a square where u has one sign."""
    return [[("ln", u)], [("ln", _minus(u))], [("ln", ("pow2", u))]]


def _one(values: Callable) -> Callable:
    return lambda *arguments: values(*arguments)[None]


PLAIN = (
    Function(_wave, _wave_terms),
    Function(_one(np.exp), lambda u: [[("exp", u)]]),
    Function(_one(lambda u: np.exp(-u)), lambda u: [[("exp", _minus(u))]]),
    Function(_one(lambda u: np.log(u * u)), _logarithms),
    Function(_one(lambda u: np.sqrt(np.abs(u))), lambda u: [[("sqrt", u)], [("sqrt", _minus(u))]]),
    Function(_one(np.square), lambda u: [[("pow2", u)]]),
    Function(_one(lambda u: u * u * u), lambda u: [[("pow3", u)]]),
    Function(_one(np.reciprocal), lambda u: [[libraries.inverse(u)]]),
)


def _scaled(t: float, u: Tree, reach: float) -> Tree:
    return ("mul", ("c", t / reach), u)


def _turned(u: np.ndarray, wave: np.ndarray) -> np.ndarray:
    """Slopes of cos(t·u) and sin(t·u) in t."""
    return np.stack([-u * wave[1], u * wave[0]])


def _exponential(sign: float) -> Function:
    """exp(±e^t·u), at most 1: a few u may be far out."""

    def exponent(u: np.ndarray, t: np.ndarray) -> np.ndarray:
        v = sign * np.exp(t) * u
        return v - v.max(axis=0)

    return Function(
        _one(lambda u, t: np.exp(exponent(u, t))),
        lambda t, u, reach, _: [[("exp", _scaled(sign * float(np.exp(t)), u, reach))]],
        _one(lambda u, t: exponent(u, t) * np.exp(exponent(u, t))),
        np.concatenate([np.arange(-1.2, 3.0, 0.07), np.arange(3.0, 8.0, 0.2)]),
    )


def _shifted_logarithm(sign: float) -> Function:
    """ln(1/2 + e^t ± u)."""

    def terms(t: float, u: Tree, reach: float, middle: float) -> list[list[Tree]]:
        number: Tree = ("c", (0.5 + float(np.exp(t))) * reach - sign * middle)
        return [[("ln", ("add" if sign > 0.0 else "sub", number, u))]]

    return Function(
        _one(lambda u, t: np.log(0.5 + np.exp(t) + sign * u)),
        terms,
        _one(lambda u, t: np.exp(t) / (0.5 + np.exp(t) + sign * u)),
        np.linspace(-6.0, 4.0, 40),
    )


FREQUENCY = Function(
    lambda u, t: _wave(t * u),
    lambda t, u, reach, _: _wave_terms(_scaled(t, u, reach)),
    lambda u, t: _turned(u, _wave(t * u)),
    np.arange(0.5, 80.0, 0.4),
)
WITH_NUMBER = (
    FREQUENCY, _exponential(1.0), _exponential(-1.0),
    _shifted_logarithm(1.0), _shifted_logarithm(-1.0),
)  # fmt: skip

_WEIGHTS = np.arange(-6.0, 6.0, 0.1)
OF_TWO = (  # of u + t·v, u stacked as (2, N, M)
    Function(
        lambda u, t: _wave(u[0] + t * u[1]),
        lambda t, u, *_: _wave_terms(u),
        lambda u, t: _turned(u[1], _wave(u[0] + t * u[1])),
        _WEIGHTS,
    ),
    Function(
        _one(lambda u, t: np.log(np.abs(u[0] + t * u[1]))),
        lambda t, u, *_: _logarithms(u),
        _one(lambda u, t: u[1] / (u[0] + t * u[1])),
        _WEIGHTS,
    ),
)


def _usable(values: np.ndarray) -> np.ndarray:
    """Which columns (2N, M) vary and are not too large."""
    return np.flatnonzero((np.abs(values).max(axis=0) < LARGEST) & (np.ptp(values, axis=0) > FLAT))


@dataclass(frozen=True)
class _Insides:
    """Values (2N, M) of what a function may be of, at points and perturbed ones; their trees."""

    values: np.ndarray
    tree: Callable[[int], Tree]

    @classmethod
    @np.errstate(all="ignore")
    def of(cls, trees: list[Tree], both: np.ndarray) -> "_Insides":
        values = columns_of(trees, both)
        usable = _usable(values)
        return cls(values[:, usable], lambda k: trees[usable[k]])

    @classmethod
    @np.errstate(all="ignore")
    def sums(cls, points: np.ndarray, both: np.ndarray) -> "_Insides":
        """Terms, functions of terms, and sums and differences of two terms."""
        trees, nested, (a, b) = libraries.sums(points)
        values, single = columns_of(trees, both), [*trees, *nested]
        parts = [values, columns_of(nested, both), values[:, a] + values[:, b]]
        parts.append(values[:, a] - values[:, b])
        joined = np.concatenate(parts, axis=1)
        usable = _usable(joined)

        def tree(k: int) -> Tree:
            place = int(usable[k]) - len(single)
            if place < 0:
                return single[place]
            sign, i = ("add", "sub")[place // len(a)], place % len(a)
            return (sign, trees[a[i]], trees[b[i]])

        return cls(joined[:, usable], tree)


def _with_factor(block: np.ndarray, factor: np.ndarray | None) -> np.ndarray:
    """Columns g (K, N, M), and ψ·g if there is a factor ψ (N,)."""
    return block if factor is None else np.concatenate([block, block * factor[:, None]])


def _plain(base: Base, insides: _Insides, factor: np.ndarray | None) -> Iterator[list[Tree]]:
    """Terms of g(u) of which the base leaves rounding."""
    u, n = insides.values, len(insides.values) // 2
    near = None if factor is None else factor[:n]
    for function in PLAIN:
        small = []
        for begin in range(0, u.shape[1], BLOCK):
            block = function.values(u[:n, begin : begin + BLOCK])
            left = base.here.nearly(_with_factor(block, near))
            small.append(begin + np.flatnonzero(left < SCREENED))
        few = np.concatenate([np.empty(0, int), *small])
        if len(few):
            holds = base.holds(_with_factor(function.values(u[:, few]), factor))
            for k in few[holds]:
                yield from function.terms(insides.tree(int(k)))


def _numbers(
    base: Base, function: Function, u: np.ndarray, factor: np.ndarray | None
) -> Iterator[tuple[int, float]]:
    """Places in u (…, 2N, M) and numbers t, for which the base leaves rounding of g(u; t)."""
    m, n = u.shape[-1], u.shape[-2] // 2
    if not m:
        return
    here, near, grid = u[..., :n, :], None if factor is None else factor[:n], function.grid

    def block(t: np.ndarray, at: np.ndarray, psi: np.ndarray | None) -> np.ndarray:
        return _with_factor(function.values(at, t), psi)

    together = max(1, BLOCK // m)
    rest = np.concatenate(
        [
            base.here.nearly(block(np.repeat(some, m), np.tile(here, len(some)), near))
            for k in range(0, len(grid), together)
            for some in [grid[k : k + together]]
        ]
    ).reshape(-1, m)
    low = (rest[1:-1] <= rest[:-2]) & (rest[1:-1] <= rest[2:]) & np.isfinite(rest[1:-1])
    order = np.argsort(np.where(low, rest[1:-1], np.inf), axis=0, kind="stable")[:STARTS]
    begin, which = np.nonzero(np.take_along_axis(low, order, axis=0))
    t = grid[order[begin, which] + 1]
    for step in range(STEPS):
        at = here[..., which]
        if step == FIRST_STEPS:
            promising = base.here.nearly(block(t, at, near)) < PROMISING
            t, which = t[promising], which[promising]
            at = here[..., which]
        slopes = _with_factor(function.slopes(at, t), near)
        t = t - np.clip(base.here.step(block(t, at, near), slopes), -0.5, 0.5)
    for k in np.flatnonzero(base.holds(block(t, u[..., which], factor))):
        yield int(which[k]), float(t[k])


def _with_numbers(
    base: Base, functions: tuple[Function, ...], insides: _Insides, factor: np.ndarray | None
) -> Iterator[list[Tree]]:
    low, high = np.quantile(insides.values, [0.0, 1.0], axis=0)
    reach, middle = high - low, 0.5 * (low + high)
    unit = (insides.values - middle) / reach
    for function in functions:
        for j, t in _numbers(base, function, unit, factor):
            yield from function.terms(t, insides.tree(j), float(reach[j]), float(middle[j]))


def _weighted(base: Base, insides: _Insides) -> Iterator[list[Tree]]:
    """Terms of g(u + c·v)."""
    values = insides.values
    pairs = np.array([*permutations(range(values.shape[1]), 2)], int).reshape(-1, 2)
    first, second = pairs.T
    reach = np.ptp(values, axis=0)
    narrow = reach[first] < WIDE
    first, second = first[narrow], second[narrow]
    u = np.stack([values[:, first], values[:, second] * (reach[first] / reach[second])])
    for function in OF_TWO:
        for k, t in _numbers(base, function, u, None):
            i, j = int(first[k]), int(second[k])
            weight: Tree = ("c", float(t * reach[i] / reach[j]))
            inside: Tree = ("add", insides.tree(i), ("mul", weight, insides.tree(j)))
            yield from function.terms(t, inside)


def _confirmed(drafts: list[list[Tree]], base: list[Tree], points: np.ndarray) -> list[Expression]:
    """The first exact relations of a base and one of the drafts' terms each."""

    def relations() -> Iterator[Expression]:
        for new in drafts:
            terms = [*new, *base]
            columns = columns_of(terms, points)
            if np.isfinite(columns[:, : len(new)]).all():
                found = exact_relation(columns, MAX_TERMS)
                if found is not None:
                    yield found.of(terms)

    return [*islice(relations(), CONFIRMED)]


def laws(points: np.ndarray, numbers: bool = True, workers: int = 1) -> Iterator[list[Expression]]:
    """Exact laws of points (N, D) with one function beside a base: four lists, one after another.

    Without and with an amplitude ψ; then, if ``numbers`` are asked for, the same with a number
    inside. ``workers`` threads, of which one for each base is used.

    >>> x = np.random.default_rng(0).standard_normal((80, 2))
    >>> x[:, 0] = 0.5 - np.sin(2.3 * x[:, 1]) * 2.0
    >>> law = next(found for found in laws(x) if found)[0]
    >>> law.variables, [round(c, 6) for c in law.constants]
    ((1, 2), [1.0, 2.3, -0.25, 0.5])
    """
    if len(points) < FEWEST_POINTS or libraries.repeats(points):
        return
    both = with_perturbed(points, POINTS)
    rank = len(points) // 2 - 4  # a relation is confirmed with at most N/2 terms
    bases = [Base.of(base, both, rank) for base in libraries.bases(points)]
    factors = libraries.amplitudes(points)
    psi = columns_of(factors, both).T

    def confirmed(drafts: Callable[[Base, np.ndarray | None], Iterator[list[Tree]]], of: list):
        def drawn(base: Base) -> list[list[Tree]]:
            with np.errstate(all="ignore"):  # holds for one thread only
                found = [
                    new if factor is None else [*new, *(("mul", factor, g) for g in new)]
                    for factor, column in of
                    for new in drafts(base, column)
                ]
                return sorted(found, key=lambda new: len(from_tree(new[-1]).codes))[:DRAFTS]

        with ThreadPoolExecutor(workers) as pool:
            pairs = zip(bases, pool.map(drawn, bases), strict=True)
            return [f for base, new in pairs for f in _confirmed(new, base.here.base, points)]

    alone, varying = [(None, None)], [*zip(factors, psi, strict=True)]
    of_sums = _Insides.sums(points, both)
    yield confirmed(lambda base, column: _plain(base, of_sums, column), alone)
    simple = _Insides.of(libraries.insides(points), both)
    yield confirmed(lambda base, column: _plain(base, simple, column), varying)
    if not numbers:
        return
    d = points.shape[1]
    one = _Insides.of([*libraries.products(points), *libraries.long_monomials(d)], both)
    inverses = [libraries.inverse(x) for x in libraries.variables(d)]
    two = _Insides.of([*monomials(d, 2)[1:], *inverses], both)

    def with_number(base: Base, column: np.ndarray | None) -> Iterator[list[Tree]]:
        yield from _with_numbers(base, WITH_NUMBER, one, column)
        yield from _weighted(base, two)

    yield confirmed(with_number, alone)
    short = _Insides.of(monomials(d, 2)[1:], both)
    yield confirmed(lambda base, column: _with_numbers(base, (FREQUENCY,), short, column), varying)


def inner(max_tokens: int, workers: int = 1) -> Proposer:
    """The proposer: laws in the user's units, then without numbers in those of the home view.

    Other units change the numbers inside of a function, not whether there are any.
    """

    def propose(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        for frame in cloud.frames:
            user = frame.name == "user"
            for found in laws(frame.of(cloud.points), user, workers):
                at_home = [cloud.home.into(law) if user else law for law in found]
                yield Batch(new_drafts(at_home, cloud, cloud.home, pool, "inner", max_tokens), WARM)

    return propose
