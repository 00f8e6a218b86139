r"""Relations with one number t inside a function, with noise or without:

.. math:: \sum_k c_k\, \varphi_k(x) + (a + b\, x_i)\, g(u(x); t) = 0.

The φ_k are monomials up to degree two; g, u and grids of t are those of
:func:`pie.search.libraries.with_number`. For every subset of two to four terms that has g or x_i·g,
λ (:mod:`pie.search.relations`) is computed at each t of the grid and its minimum taken. For each g
and size the ``best`` subsets are kept; of these, the ``fitted`` of each size with the smallest

.. math:: N \ln \sqrt{\lambda} + price(form)

are fitted from there, t included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ...expr.expression import Expression, Tree, from_tree, to_tree
from ...expr.terms import monomials
from ...threads import mapped
from .. import libraries
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, new_drafts
from ..price import Prices, cheapest
from ..relations import Moments, Relation, numbered, smallest, subsets, terms_at

Near = tuple[Relation, list[Tree], float]  # with the terms of its library, and t


@dataclass(frozen=True)
class Numbers:
    """Limits of this proposer."""

    sizes: tuple[int, ...] = (2, 3, 4)  # numbers of terms of a relation
    best: int = 4  # subsets kept per function g and size
    # per size, because longer relations look better than the law where its t is off the grid
    fitted: int = 50


def _multiplied(
    values: np.ndarray, slopes: np.ndarray, points: np.ndarray, spreads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each g, with values (T, N, K) and slopes (T, D, N, K), followed by all x_j·g."""
    factors = np.column_stack([np.ones(len(points)), points])[:, None]
    columns, slopes = values[..., None] * factors, slopes[..., None] * factors
    for j, spread in enumerate(spreads):
        slopes[:, j, ..., 1 + j] += values * spread
    return tuple(both.reshape(*both.shape[:-2], -1) for both in (columns, slopes))


@np.errstate(all="ignore")
def with_number(
    points: np.ndarray,
    errors: np.ndarray,
    prices: Prices,
    limits: Numbers = Numbers(),
    workers: int = 1,
) -> list[Expression]:
    """The cheapest relations at points (N, D), unfitted: √λ stands for the contrast.

    Each library has a thread of its own, up to ``workers`` threads.
    """
    n, d = points.shape
    fixed, xs = monomials(d, 2), libraries.variables(d)
    m = len(fixed)
    of_fixed = terms_at(fixed, points, errors)
    sizes = [size for size in limits.sizes if 3 * size <= n]

    def of(library: tuple[list[Tree], np.ndarray]) -> list[list[Near]]:
        """Those of each size in a library."""
        functions, grid = library
        new = _multiplied(*terms_at(functions, points, errors, grid[:, None]), points, errors)
        moments = Moments.of(*new, of_fixed)
        usable = moments.usable
        terms = [*fixed, *(t for g in functions for t in (g, *(("mul", x, g) for x in xs)))]
        here = [numbered(terms[i], d, [1.0]) for i in usable]
        found = []
        for size in sizes:
            chosen = subsets(here, size)
            chosen = chosen[usable[chosen[:, -1]] >= m]  # with g or x_i·g
            if size > 3 and d > 2:  # else too many: φ up to degree one only
                simple = (usable <= d) | (usable >= m)
                chosen = chosen[simple[chosen].all(axis=1)]
            best = smallest(moments, chosen, limits.best)
            found.append([(relation, terms, float(grid[t])) for t, relation in best])
        return found

    laws = []
    for those in zip(*mapped(of, libraries.with_number(points), workers), strict=True):
        relations = [*chain.from_iterable(those)]
        for k in cheapest([(r, terms) for r, terms, _ in relations], n, prices, limits.fitted):
            relation, terms, t = relations[k]
            laws.append(from_tree(numbered(to_tree(relation.of(terms)), d, [t])))
    return laws


def numbers(
    limits: Numbers, prices: Prices, max_tokens: int, workers: int, cloud: Cloud, pool: Pool
) -> Iterator[Batch]:
    """The proposer, of up to three columns."""
    if cloud.n_variables > libraries.FEW_COLUMNS:
        return
    found = with_number(cloud.points, cloud.errors, prices, limits, workers)
    yield Batch(new_drafts(found, cloud, pool, "numbers", max_tokens), WARM)
