r"""Exact laws with one function of a combination of variables, as sin(x1 + x2²):

.. math:: \sum_k c_k \varphi_k(x) + (a + b\,\psi(x))\, g(u(x)) = 0.

The φ_k are from a small library, the base. For each of some 65,000 g(u), the column g(u), or the
pair g(u) and ψ·g(u), is tested for linear dependence on the base to rounding
(:mod:`pie.search.span`). Sine and cosine of u are tested together.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ...expr.expression import Expression, Tree, from_tree
from ...expr.elementary import wave_row
from .. import libraries
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, Proposer, new_drafts
from ..relations import columns_of, exact_relation
from ..span import LARGEST, SCREENED, Base, with_perturbed

FEWEST_POINTS = 12
FLAT = 1e-6  # smallest range of a usable argument u
BLOCK = 2048  # columns per matrix product


@dataclass(frozen=True)
class Inner:
    """Limits of this proposer."""

    points: int = 40  # of the screening; relations are confirmed at all points
    drafts: int = 400  # to confirm per base, the shortest first
    confirmed: int = 20  # relations kept per base
    max_terms: int = 8  # of a relation


def _wave(u: np.ndarray) -> np.ndarray:
    """cos u and sin u, (2, N, M), of u (N, M)."""
    cosine, sine = u.flatten(), u.flatten()
    wave_row(cosine, True)
    wave_row(sine, False)
    return np.stack([cosine.reshape(u.shape), sine.reshape(u.shape)])


@dataclass(frozen=True)
class Function:
    """g: its columns (K, N, M) at u (N, M), and its terms from the tree of u, in each form."""

    values: Callable[[np.ndarray], np.ndarray]
    terms: Callable[[Tree], list[list[Tree]]]


def _minus(u: Tree) -> Tree:
    return ("sub", ("c", 0.0), u)


def _logarithms(u: Tree) -> list[list[Tree]]:
    """The forms of ln|u|: ln(u), ln(−u), ln(u²)."""
    return [[("ln", u)], [("ln", _minus(u))], [("ln", ("pow2", u))]]


def _one(values: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda u: values(u)[None]


PLAIN = (
    Function(_wave, lambda u: [[("sin", u), ("cos", u)]]),
    Function(_one(np.exp), lambda u: [[("exp", u)]]),
    Function(_one(lambda u: np.exp(-u)), lambda u: [[("exp", _minus(u))]]),
    Function(_one(lambda u: np.log(u * u)), _logarithms),
    Function(_one(lambda u: np.sqrt(np.abs(u))), lambda u: [[("sqrt", u)], [("sqrt", _minus(u))]]),
    Function(_one(np.square), lambda u: [[("pow2", u)]]),
    Function(_one(lambda u: u * u * u), lambda u: [[("pow3", u)]]),
    Function(_one(np.reciprocal), lambda u: [[libraries.inverse(u)]]),
)


def _usable(values: np.ndarray) -> np.ndarray:
    """Indices of the columns (2N, M) that vary and stay below LARGEST."""
    return np.flatnonzero((np.abs(values).max(axis=0) < LARGEST) & (np.ptp(values, axis=0) > FLAT))


@dataclass(frozen=True)
class _Insides:
    """Arguments u of a function: values (2N, M) at points and perturbed points, and trees."""

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
        """Terms, functions of terms, sums and differences of two terms."""
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
    """Columns g (K, N, M), with ψ·g added if there is a factor ψ (N,)."""
    return block if factor is None else np.concatenate([block, block * factor[:, None]])


def _plain(base: Base, insides: _Insides, factor: np.ndarray | None) -> Iterator[list[Tree]]:
    """Terms of each g(u) that is linearly dependent on the base, with or without ψ·g."""
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


def _confirmed(
    drafts: list[list[Tree]], base: list[Tree], points: np.ndarray, limits: Inner
) -> list[Expression]:
    """The first exact relations, at all points, of the base and the terms of one draft each."""

    def relations() -> Iterator[Expression]:
        for new in drafts:
            terms = [*new, *base]
            columns = columns_of(terms, points)
            if np.isfinite(columns[:, : len(new)]).all():
                found = exact_relation(columns, limits.max_terms)
                if found is not None:
                    yield found.of(terms)

    return [*islice(relations(), limits.confirmed)]


def laws(
    points: np.ndarray, workers: int = 1, limits: Inner = Inner()
) -> Iterator[list[Expression]]:
    """Exact laws of points (N, D): those without an amplitude ψ, then those with one.

    Each base has a thread of its own, up to ``workers`` threads.
    """
    if len(points) < FEWEST_POINTS or libraries.repeats(points):
        return
    both = with_perturbed(points, limits.points)
    rank = len(points) // 2 - 4  # a relation is confirmed with at most N/2 terms
    bases = [Base.of(base, both, rank) for base in libraries.bases(points)]
    factors = libraries.amplitudes(points)
    psi = columns_of(factors, both).T

    def confirmed(drafts: Callable[[Base, np.ndarray | None], Iterator[list[Tree]]], of: list):
        def drawn(base: Base) -> list[list[Tree]]:
            with np.errstate(all="ignore"):  # holds for this thread only
                found = [
                    new if factor is None else [*new, *(("mul", factor, g) for g in new)]
                    for factor, column in of
                    for new in drafts(base, column)
                ]
                return sorted(found, key=lambda new: len(from_tree(new[-1]).codes))[: limits.drafts]

        with ThreadPoolExecutor(workers) as pool:
            pairs = zip(bases, pool.map(drawn, bases), strict=True)
            return [
                law
                for base, new in pairs
                for law in _confirmed(new, base.here.base, points, limits)
            ]

    alone, varying = [(None, None)], [*zip(factors, psi, strict=True)]
    of_sums = _Insides.sums(points, both)
    yield confirmed(lambda base, column: _plain(base, of_sums, column), alone)
    simple = _Insides.of(libraries.insides(points), both)
    yield confirmed(lambda base, column: _plain(base, simple, column), varying)


def inner(limits: Inner, max_tokens: int, workers: int = 1) -> Proposer:
    """The proposer; nothing is exact under noise."""

    def propose(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        if cloud.n_variables > libraries.FEW_COLUMNS or cloud.noise.seen:
            return
        for found in laws(cloud.points, workers, limits):
            yield Batch(new_drafts(found, cloud, pool, "inner", max_tokens), WARM)

    return propose
