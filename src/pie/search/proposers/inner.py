r"""Exact laws with one function of a combination of variables, as sin(x1 + x2²):

.. math:: \sum_k c_k \varphi_k(x) + (a + b\,\psi(x))\, g(u(x)) = 0.

The φ_k are from a small library, the base. For each of some 65,000 g(u), the column g(u), or the
pair g(u) and ψ·g(u), is tested for linear dependence on the base to rounding
(:mod:`pie.search.span`). Sine and cosine of u are tested together.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from ...expr.elementary import wave_row
from ...expr.expression import Expression, Tree, from_tree
from ...threads import mapped
from .. import libraries
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, new_drafts
from ..relations import columns_of, exact_relation
from ..span import LARGEST, SCREENED, Span, holds, with_perturbed

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
    """cos u and sin u, (2, N·M), of u (N, M)."""
    both = np.stack([u.ravel(), u.ravel()])
    for row, is_cosine in zip(both, (True, False), strict=True):
        wave_row(row, is_cosine)
    return both


class Function(NamedTuple):
    """g: the numbers of its K columns at u (N, M); and its K terms from that of u, in each form."""

    values: Callable[[np.ndarray], np.ndarray]
    terms: Callable[[Tree], list[list[Tree]]]

    def columns(self, u: np.ndarray, factor: np.ndarray | None) -> np.ndarray:
        """g (K, N, M) at u (N, M), and ψ·g if there is a factor ψ (N,)."""
        block = self.values(u).reshape(-1, *u.shape)
        return block if factor is None else np.concatenate([block, block * factor[:, None]])


def _minus(u: Tree) -> Tree:
    return ("sub", ("c", 0.0), u)


PLAIN = (
    Function(_wave, lambda u: [[("sin", u), ("cos", u)]]),
    Function(np.exp, lambda u: [[("exp", u)]]),
    Function(lambda u: np.exp(-u), lambda u: [[("exp", _minus(u))]]),
    Function(
        lambda u: np.log(u * u), lambda u: [[("ln", u)], [("ln", _minus(u))], [("ln", ("pow2", u))]]
    ),
    Function(lambda u: np.sqrt(np.abs(u)), lambda u: [[("sqrt", u)], [("sqrt", _minus(u))]]),
    Function(np.square, lambda u: [[("pow2", u)]]),
    Function(lambda u: u * u * u, lambda u: [[("pow3", u)]]),
    Function(np.reciprocal, lambda u: [[libraries.inverse(u)]]),
)
Insides = tuple[list[Tree], np.ndarray]  # arguments u of a function, and their values (2N, M)


def _usable(trees: list[Tree], values: np.ndarray) -> Insides:
    """Those that vary and stay below LARGEST."""
    kept = (np.abs(values).max(axis=0) < LARGEST) & (np.ptp(values, axis=0) > FLAT)
    return [tree for tree, keep in zip(trees, kept, strict=True) if keep], values[:, kept]


@np.errstate(all="ignore")
def _sums(points: np.ndarray, both: np.ndarray) -> Insides:
    """Terms, functions of terms, sums and differences of two terms."""
    trees, nested, pairs = libraries.sums(points)
    values, (a, b) = columns_of(trees, both), np.transpose(pairs)
    of_pairs = [values[:, a] + values[:, b], values[:, a] - values[:, b]]
    joined = np.concatenate([values, columns_of(nested, both), *of_pairs], axis=1)
    of_two = [(sign, trees[i], trees[j]) for sign in ("add", "sub") for i, j in pairs]
    return _usable([*trees, *nested, *of_two], joined)


@np.errstate(all="ignore")
def _with_amplitude(points: np.ndarray, both: np.ndarray) -> Insides:
    trees = libraries.insides(points)
    return _usable(trees, columns_of(trees, both))


def _dependent(
    here: Span, elsewhere: Span, insides: Insides, factor: np.ndarray | None
) -> Iterator[list[Tree]]:
    """Terms of each g(u) that is linearly dependent on the base, with or without ψ·g."""
    trees, u = insides
    n = len(u) // 2
    near = None if factor is None else factor[:n]
    for function in PLAIN:
        small = [np.empty(0, int)]
        for begin in range(0, u.shape[1], BLOCK):
            block = function.columns(u[:n, begin : begin + BLOCK], near)
            small.append(begin + np.flatnonzero(here.nearly(block) < SCREENED))
        few = np.concatenate(small)
        if len(few):
            for k in few[holds(here, elsewhere, function.columns(u[:, few], factor))]:
                yield from function.terms(trees[k])


def _law(
    new: list[Tree], base: list[Tree], points: np.ndarray, max_terms: int
) -> Expression | None:
    """The exact relation of new terms and the base at all points; None if there is none."""
    terms = [*new, *base]
    columns = columns_of(terms, points)
    if not np.isfinite(columns[:, : len(new)]).all():
        return None
    found = exact_relation(columns, max_terms)
    return found and found.of(terms)


@np.errstate(all="ignore")  # holds for one thread only
def _drawn(
    insides: Insides,
    amplitudes: Sequence[tuple[Tree | None, np.ndarray | None]],
    most: int,
    spans: tuple[Span, Span],
) -> list[list[Tree]]:
    """Terms that are linearly dependent on a base, the shortest first."""
    found = [
        new if psi is None else [*new, *(("mul", psi, g) for g in new)]
        for psi, factor in amplitudes
        for new in _dependent(*spans, insides, factor)
    ]
    return sorted(found, key=lambda new: len(from_tree(new[-1]).codes))[:most]


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
    spans = [
        tuple(Span(base, half, rank) for half in np.split(both, 2))
        for base in libraries.bases(points)
    ]
    psi = libraries.amplitudes(points)
    varying = [*zip(psi, columns_of(psi, both).T, strict=True)]
    for insides, amplitudes in ((_sums, [(None, None)]), (_with_amplitude, varying)):
        drawn = partial(_drawn, insides(points, both), amplitudes, limits.drafts)
        drafts = mapped(drawn, spans, workers)
        confirmed = []
        for (here, _), found in zip(spans, drafts, strict=True):
            exact = (_law(new, here.base, points, limits.max_terms) for new in found)
            confirmed += islice(filter(None, exact), limits.confirmed)
        yield confirmed


def inner(
    limits: Inner, max_tokens: int, workers: int, cloud: Cloud, pool: Pool
) -> Iterator[Batch]:
    """The proposer; nothing is exact under noise."""
    if cloud.n_variables > libraries.FEW_COLUMNS or cloud.noise.seen:
        return
    for found in laws(cloud.points, workers, limits):
        yield Batch(new_drafts(found, cloud, pool, "inner", max_tokens), WARM)
