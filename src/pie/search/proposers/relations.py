"""Linear relations among library terms: exact ones, and noisy ones ranked by √λ.

The engine is :mod:`pie.search.relations`; the terms are from :mod:`pie.search.libraries`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...expr.expression import Expression, Tree, from_tree
from ...fit.sampson import LARGEST
from ...threads import mapped
from ...zeroset.metric import errors_of, without_logarithms
from .. import libraries
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, new_drafts
from ..price import Prices, cheapest
from ..relations import (
    Moments,
    Relation,
    columns_of,
    covering,
    eliminated,
    exact_relation,
    nearest,
    smallest,
    subsets,
    terms_at,
    with_distances,
)

NEARLY_EXACT = 1e-5  # subsets with √λ below this are tested for exactness
HALF_INTEGER = 0.1  # tolerance of a half-integer exponent

Prepared = tuple[list[Tree], Moments, np.ndarray, np.ndarray]  # usable terms, values, gradients


@dataclass(frozen=True)
class Relations:
    """Limits of this proposer."""

    exact_terms: int = 8  # of an exact relation, if its library has functions
    exact_monomials: int = 13  # of an exact relation among monomials
    sizes: tuple[int, ...] = (2, 3, 4, 5)  # numbers of terms of a noisy relation
    work: int = 20_000_000  # sum of K³ of subsets of K terms; if more, those with a constant term
    screened: int = 10_000  # of each library and size, by √λ
    kept: int = 100  # of these, by error
    fitted: int = 25  # of each size, by error and form
    best: int = 12  # subsets fitted per library and size, of many columns and of exact relations
    max_subsets: int = 40_000  # of these, sizes with more subsets are left out
    batch: int = 24  # exact relations of libraries of up to so many terms are compared
    waves: int = 4  # libraries of waves of angles, of more than three columns


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
    moments = Moments.of(*terms_at(terms, points, errors_of(points)))
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
    asked: Sequence[Sequence[Tree]],
    points: np.ndarray,
    errors: np.ndarray,
    prices: Prices,
    limits: Relations = Relations(),
    workers: int = 1,
) -> list[Expression]:
    """The cheapest relations of each size in libraries of terms at points (N, D), by their errors.

    They are unfitted: the error of the relation of smallest λ stands for the contrast. Each size
    in a library has a thread of its own, up to ``workers`` threads.
    """

    def prepared(terms: Sequence[Tree]) -> Prepared:
        columns, slopes = terms_at(terms, points, errors)
        moments = Moments.of(columns, slopes)
        usable = moments.usable
        return [terms[i] for i in usable], moments, columns[0][:, usable], slopes[0][:, :, usable]

    def of_size(one: tuple[int, Prepared]) -> list[Relation]:
        size, (terms, *values) = one
        chosen = subsets(terms, size, most=limits.work // size**3)
        return nearest(*values, chosen, limits.screened, limits.kept)

    ready, laws = mapped(prepared, asked, workers), []
    sizes = [size for size in limits.sizes if 3 * size <= len(points)]
    each = [(size, one) for size in sizes for one in ready if size < len(one[0])]
    found = mapped(of_size, each, workers, cost=lambda one: len(one[1][0]) ** one[0])
    for size in sizes:
        both = [
            (relation, terms)
            for (k, (terms, *_)), near in zip(each, found, strict=True)
            for relation in near
            if k == size
        ]
        these = cheapest(both, len(points), prices, limits.fitted)
        laws += [both[k][0].of(both[k][1]) for k in these]
    return laws


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
    terms: Sequence[Tree], points: np.ndarray, errors: np.ndarray, limits: Relations = Relations()
) -> list[Expression]:
    """Relations at points (N, D) of many columns among terms, of subsets that hold them all.

    Logarithms give products of powers and exponentials, where these can be fitted.
    """
    d, found = points.shape[1], exact(terms, points, limits)
    moments = Moments.of(*terms_at(terms, points, errors))
    usable = [terms[i] for i in moments.usable]
    sizes = sorted({*limits.sizes, d, d + 1})
    for size in [k for k in sizes if k <= len(usable) and 3 * k <= len(points)]:
        chosen = covering(usable, size, limits.max_subsets)
        found += [r.of(terms) for _, r in smallest(moments, chosen, limits.best)]
    return [_in_powers(law) for law in found]


def _in_powers(law: Expression) -> Expression:
    """Without logarithms, unless it then has a constant that no fit takes, as e^1000."""
    found = without_logarithms(law)
    return found if all(abs(c) <= LARGEST for c in found.constants) else law


@np.errstate(all="ignore")
def closest(
    asked: Sequence[Sequence[Tree]], points: np.ndarray, errors: np.ndarray, most: int
) -> list[Sequence[Tree]]:
    """The libraries with the least N ln σ + ½ M ln N of the relation of all their M terms."""
    scores = []
    for terms in asked:
        _, _, away = with_distances(*terms_at(terms, points, errors))
        free = len(points) - len(terms)
        size = np.sqrt(np.sum(away**2) / free) if free > 0 else np.inf
        score = len(points) * np.log(size) + 0.5 * len(terms) * np.log(len(points))
        scores.append(round(float(score), 6))
    return [asked[k] for k in np.argsort(scores, kind="stable")[:most] if np.isfinite(scores[k])]


def relations(
    limits: Relations, prices: Prices, max_tokens: int, workers: int, cloud: Cloud, pool: Pool
) -> Iterator[Batch]:
    """The proposer."""

    def batch(found: Iterable[Expression]) -> Batch:
        return Batch(new_drafts(found, cloud, pool, "relations", max_tokens), WARM)

    points, errors = cloud.points, cloud.errors
    powers = product_of_powers(points)
    plain = [] if powers is None else [powers]
    waves = libraries.waves(cloud.n_variables, cloud.angles)
    if cloud.n_variables > libraries.FEW_COLUMNS:
        yield batch(plain)
        for terms in libraries.of_many(points, cloud.units):
            yield batch(of_many(terms, points, errors, limits))
        for terms in closest(waves, points, errors, limits.waves):
            yield batch(of_many(terms, points, errors, limits))
        return
    ranked = sorted([] if cloud.noise.seen else libraries.dictionaries(points), key=len)
    small = [terms for terms in ranked if len(terms) <= limits.batch]
    yield batch([*(f for terms in small for f in exact(terms, points, limits)), *plain])
    for terms in ranked[len(small) :]:
        yield batch(exact(terms, points, limits))
    noisy = [*libraries.noisy(points, cloud.units), *waves]
    yield batch(among(noisy, points, errors, prices, limits, workers))
