"""Linear relations among library terms: exact ones, and noisy ones ranked by √λ.

The engine is :mod:`pie.search.relations`; the terms are from :mod:`pie.search.libraries`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...expr.expression import Expression, Tree, from_tree
from ...expr.terms import monomials
from ...zeroset.metric import errors_of, without_logarithms
from .. import libraries
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, Proposer, new_drafts
from ..relations import (
    columns_of,
    covering,
    eliminated,
    exact_relation,
    moments_of,
    smallest,
    subsets,
)

NEARLY_EXACT = 1e-5  # subsets with √λ below this are tested for exactness
HALF_INTEGER = 0.1  # tolerance of a half-integer exponent


@dataclass(frozen=True)
class Relations:
    """Limits of this proposer."""

    exact_terms: int = 8  # of an exact relation, if its library has functions
    exact_monomials: int = 13  # of an exact relation among monomials
    sizes: tuple[int, ...] = (2, 3, 4, 5)  # numbers of terms of a noisy relation
    best: int = 12  # subsets fitted per library and size
    max_subsets: int = 40_000  # sizes with more subsets are left out
    batch: int = 24  # exact relations of libraries of up to so many terms are compared


@np.errstate(all="ignore")
def exact(
    terms: Sequence[Tree], points: np.ndarray, limits: Relations = Relations()
) -> list[Expression]:
    """Relations among terms that points (N, D) obey to rounding, the sparsest ones.

    A library that holds a law often holds multiples of it, whose combinations are exact as well.
    So the exact subsets of the smallest size are returned before the relation found first.
    """
    polynomial = all(term[0] not in libraries.FUNCTIONS for term in terms)
    most = limits.exact_monomials if polynomial else limits.exact_terms
    columns = columns_of(terms, points)
    first = exact_relation(columns, most)
    if first is None:
        return []
    moments = moments_of(terms, points, errors_of(points))
    usable = [terms[i] for i in moments.usable]
    for size in range(2, len(first.indices) + 1):
        if math.comb(len(usable), size) <= limits.max_subsets:
            ranked = smallest(moments, subsets(usable, size), limits.best)
            near = [r for _, r in ranked if r.size <= NEARLY_EXACT]
            sparse = [r for r in near if exact_relation(columns[:, r.indices], size) is not None]
            if sparse:
                return [r.of(terms) for r in [*sparse, first]]
    return [first.of(terms)]


@np.errstate(all="ignore")
def among(
    terms: Sequence[Tree],
    points: np.ndarray,
    limits: Relations = Relations(),
    errors: np.ndarray | None = None,
) -> list[Expression]:
    """The best relations of each size among few terms by √λ at points (N, D)."""
    errors = errors_of(points) if errors is None else errors
    moments = moments_of(terms, points, errors)
    usable = [terms[i] for i in moments.usable]
    sizes = [k for k in limits.sizes if k < len(usable) and 3 * k <= len(points)]
    return [
        relation.of(terms)
        for k in sizes
        if math.comb(len(usable), k) <= limits.max_subsets
        for _, relation in smallest(moments, subsets(usable, k), limits.best)
    ]


@np.errstate(all="ignore")
def product_of_powers(points: np.ndarray) -> Expression | None:
    """Π x_j^e_j = c with half-integer e_j, from a linear relation of the ln|x_j|; or None.

    Exponents are doubled if the product is undefined for negative x_j or has both signs.
    """
    if np.any(points == 0.0):
        return None
    columns = np.column_stack([np.ones(len(points)), np.log(np.abs(points))])
    first = next(eliminated(columns), None)
    if first is None or len(first.indices) < columns.shape[1]:
        return None
    weights = first.coefficients[1:]
    unit = weights[np.abs(weights).argmin()]
    if abs(unit) <= 1e-3 * np.abs(weights).max():
        return None
    exponents = np.round(2.0 * weights / unit) / 2.0
    if np.abs(weights / unit - exponents).max() > HALF_INTEGER:
        return None
    if np.any((exponents != np.round(exponents)) & np.any(points < 0.0, axis=0)):
        exponents *= 2.0
    if len(np.unique(np.sign(np.prod(np.sign(points) ** exponents, axis=1)))) > 1:
        exponents *= 2.0
    values = np.prod(np.sign(points) ** exponents, axis=1) * np.exp(columns[:, 1:] @ exponents)
    product: Tree = libraries.ONE
    for j, exponent in enumerate(exponents, start=1):
        product = ("mul", product, ("pow", ("x", j), ("c", float(exponent))))
    return from_tree(("sub", product, ("c", float(np.median(values)))))


@np.errstate(all="ignore")
def of_many(
    points: np.ndarray, errors: np.ndarray, limits: Relations = Relations()
) -> Iterator[list[Expression]]:
    """Relations at points (N, D) of many columns, in small libraries, subsets that hold them all.

    The libraries are those of :func:`pie.search.libraries.of_many`; those with logarithms give
    products of powers and exponentials.
    """
    d = points.shape[1]
    for terms in libraries.of_many(points):
        found = exact(terms, points, limits)
        moments = moments_of(terms, points, errors)
        usable = [terms[i] for i in moments.usable]
        for size in [
            k for k in (*limits.sizes, d, d + 1) if k <= len(usable) and 3 * k <= len(points)
        ]:
            chosen = covering(usable, size, limits.max_subsets)
            found += [r.of(terms) for _, r in smallest(moments, chosen, limits.best)]
        yield [without_logarithms(law) for law in found]


def relations(limits: Relations, max_tokens: int) -> Proposer:
    """The proposer, in the user's units and those of the cloud."""

    def propose(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        def batch(found: Iterable[Expression]) -> Batch:
            return Batch(new_drafts(found, cloud, pool, "relations", max_tokens), WARM)

        if cloud.n_variables > libraries.FEW_COLUMNS:
            for points, into in cloud.frames:
                powers = product_of_powers(points)
                yield batch([] if powers is None else [into(powers)])
                for found in of_many(points, errors_of(points, cloud.exact), limits):
                    yield batch(map(into, found))
            return
        for points, into in cloud.frames:
            powers = product_of_powers(points)
            exactly = () if cloud.noise.seen else libraries.dictionaries(points)
            ranked = sorted(exactly, key=len)
            small = [terms for terms in ranked if len(terms) <= limits.batch]
            found = [f for terms in small for f in exact(terms, points, limits)]
            yield batch(map(into, [*found, *([] if powers is None else [powers])]))
            for terms in ranked[len(small) :]:
                yield batch(map(into, exact(terms, points, limits)))
        (given, into), *others = cloud.frames
        small = [*libraries.bases(given), monomials(cloud.n_variables, 3)]
        noisy = [(given, into, terms) for terms in small]
        noisy += [(points, into, libraries.bases(points)[0]) for points, into in others]
        for points, into, terms in noisy:
            found = among(terms, points, limits, errors_of(points, cloud.exact))
            yield batch(map(into, found))

    return propose
