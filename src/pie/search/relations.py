r"""Linear relations among terms, :math:`\sum_k c_k \varphi_k(x) = 0`, that points obey.

With the values :math:`\Phi` (N, M) of the terms and their gradients, the coefficients minimise the
first-order orthogonal distance of the points from the zero set (Taubin, 1991),

.. math:: \lambda = \min_c \frac{c^T A\, c}{c^T G\, c}, \qquad
          A = \sum_n w_n \varphi(x_n)\varphi(x_n)^T, \quad
          G = \sum_n w_n \nabla\varphi(x_n)\, \Sigma_x\, \nabla\varphi(x_n)^T .

It does not depend on the scale of a term, and :math:`\sqrt\lambda` is the noise in units of the
columns' spreads. The weights :math:`w_n` are one over the mean squared gradient of the terms at a
point, each in units of its median: else a few points next to a pole decide.

* :func:`smallest` ranks *all* subsets of a few terms by λ: what survives noise. Where terms have a
  number t inside, there is a set of terms for each t of a grid.
* :func:`exact_relation` leaves out terms one after the other while a relation holds to rounding.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..expr.terms import weighted_sum
from ..expr.vector_math import jit

SINGULAR = 1e-11  # smallest over largest singular value of an exact relation
JUMP = 1e7  # by which it rises when a term of an exact relation is left out
NEGLIGIBLE = 1e-7  # contribution of a term, relative to the largest, that is rounding
LARGEST = 1e100  # value of a term
JITTER = 1e-13  # added to A, whose terms have norm 1
SQUARINGS = 3  # of a matrix, whose largest eigenvalue is sought


@dataclass(frozen=True)
class Relation:
    """Coefficients (K,) of the terms ``indices`` (K,); ``size`` is how far it is from exact.

    That is √λ, or for :func:`eliminated` the smallest over the largest singular value.
    """

    indices: np.ndarray
    coefficients: np.ndarray
    size: float

    def of(self, terms: Sequence[Tree]) -> Expression:
        """Σ c_k·φ_k for the terms from which the columns were made."""
        return weighted_sum([terms[i] for i in self.indices], self.coefficients)


@np.errstate(all="ignore")
def columns_of(terms: Sequence[Tree], points: np.ndarray) -> np.ndarray:
    """Values (N, M) of terms at points (N, D)."""
    return np.stack([from_tree(term).values(points) for term in terms], axis=1)


@np.errstate(all="ignore")
def slopes_of(terms: Sequence[Tree], points: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Gradients of terms at points (N, D), times the spreads (D,) of the columns: (D, N, M)."""
    found = [from_tree(term).value_and_gradient(points)[1] * spreads for term in terms]
    return np.stack(found, axis=2).swapaxes(0, 1)


@np.errstate(all="ignore")
def eliminated(columns: np.ndarray, negligible: float = 0.0) -> Iterator[Relation]:
    """Null vectors of ever fewer columns (N, M) of norm 1, the least contribution left out first.

    Args:
        columns: values of the terms; those that are not finite, or 0, are left out at once.
        negligible: contributions below this share of the largest are left out together.
    """
    norms = np.linalg.norm(columns, axis=0)
    alive = np.flatnonzero(np.isfinite(norms) & (norms > 0.0))
    while len(alive) >= 2:
        scaled = columns[:, alive] / norms[alive]
        # Householder first: the singular vectors of the small triangle are those of the whole
        triangle = np.linalg.qr(scaled, mode="r") if len(scaled) > len(alive) else scaled
        _, values, rows = np.linalg.svd(triangle)
        smallest = values[-1] if len(values) == len(alive) else 0.0
        yield Relation(alive, rows[-1] / norms[alive], float(smallest / values[0]))
        weight = np.abs(rows[-1])
        absent = np.flatnonzero(weight < negligible * weight.max())
        alive = np.delete(alive, absent if len(absent) else weight.argmin())


def exact_relation(columns: np.ndarray, max_terms: int) -> Relation | None:
    """The sparsest relation that columns (N, M) obey to rounding; None if there is none.

    At most N/2 terms are looked at, the first ones that are defined at all points.
    """
    with np.errstate(all="ignore"):
        size = np.median(np.abs(columns), axis=0)
        usable = (size > 1.0 / LARGEST) & (np.abs(columns).max(axis=0) < LARGEST)
    usable = np.flatnonzero(usable)[: len(columns) // 2]
    if len(usable) < 2:
        return None
    scaled = columns[:, usable] / size[usable]
    scaled /= np.abs(scaled).max(axis=1, keepdims=True)  # else far points hide all others
    found = None
    for relation in eliminated(scaled, NEGLIGIBLE):
        if relation.size > SINGULAR:
            if found is not None and relation.size < JUMP * max(found.size, 1e-16):
                return None
            break
        found = relation
    if found is None or len(found.indices) > max_terms:
        return None
    indices = usable[found.indices]
    return Relation(indices, found.coefficients / size[indices], found.size)


@dataclass(frozen=True)
class Moments:
    """A and G of terms, (B, M, M) for each of B sets of M terms, in units ``scale`` (B, M).

    ``usable`` (M,) are the places of the terms that are defined at all points.
    """

    a: np.ndarray
    g: np.ndarray
    scale: np.ndarray
    usable: np.ndarray

    @classmethod
    @np.errstate(all="ignore")
    def of(cls, columns: np.ndarray, slopes: np.ndarray) -> "Moments":
        """Of values (B, N, M) and gradients in units of the spreads, (B, D, N, M)."""
        steepness = np.sqrt(np.einsum("bdnm,bdnm->bnm", slopes, slopes))
        size = np.abs(columns).max(axis=(0, 1))
        usable = (size > 1.0 / LARGEST) & (size < LARGEST) & np.isfinite(steepness).all(axis=(0, 1))
        if not usable.any():
            return cls(*np.empty((2, 0, 0, 0)), np.empty((0, 0)), np.empty(0, int))
        if not usable.all():
            columns, slopes, steepness = (m[..., usable] for m in (columns, slopes, steepness))
        usual = np.median(steepness, axis=1, keepdims=True)
        usual[usual == 0.0] = 1.0
        steepness /= usual
        steep = np.sqrt(np.mean(np.square(steepness), axis=2, keepdims=True))
        steep[steep == 0.0] = 1.0
        columns = columns / steep
        scale = np.sqrt(np.einsum("bnm,bnm->bm", columns, columns))[:, None]
        columns /= scale
        slopes = slopes / steep[:, None]
        slopes /= scale[:, None]
        flat = slopes.reshape(len(slopes), -1, slopes.shape[-1])
        a, g = (np.matmul(m.swapaxes(1, 2), m) for m in (columns, flat))
        return cls(a, g, scale[:, 0], np.flatnonzero(usable))

    def at(self, chosen: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """√λ (S,) and coefficients (S, K) of subsets (S, K), each in the set of terms ``which``.

        With A = LLᵀ, 1/λ is the largest eigenvalue of L⁻¹ G L⁻ᵀ: G may be singular, as for
        constants.
        """
        places = which[:, None, None], chosen[:, :, None], chosen[:, None, :]
        k = chosen.shape[1]
        lower = np.linalg.cholesky(self.a[places] + JITTER * k * np.eye(k))
        half = np.linalg.solve(lower, self.g[places])
        both = np.linalg.solve(lower, half.swapaxes(1, 2))
        values, vectors = np.linalg.eigh(0.5 * (both + both.swapaxes(1, 2)))
        weights = np.linalg.solve(lower.swapaxes(1, 2), vectors[:, :, -1:])[..., 0]
        weights /= self.scale[which[:, None], chosen]
        return 1.0 / np.sqrt(np.maximum(values[:, -1], 1e-300)), weights


@jit
def _sizes(a, g, chosen):
    """√λ (B, S) of subsets (S, K), nearly: power iteration by squaring L⁻¹ G L⁻ᵀ."""
    sets, subsets, k = a.shape[0], chosen.shape[0], chosen.shape[1]
    found = np.empty((sets, subsets))
    lower, m, square = np.zeros((k, k)), np.empty((k, k)), np.empty((k, k))
    for b in range(sets):
        for s in range(subsets):
            for i in range(k):
                for j in range(i + 1):
                    total = a[b, chosen[s, i], chosen[s, j]] + (JITTER * k if i == j else 0.0)
                    for h in range(j):
                        total -= lower[i, h] * lower[j, h]
                    if i == j:
                        lower[i, i] = np.sqrt(max(total, JITTER))
                    else:
                        lower[i, j] = total / lower[j, j]
                for j in range(k):
                    m[i, j] = g[b, chosen[s, i], chosen[s, j]]
            for _ in range(2):  # L⁻¹ from the left, transposed, and once more
                for j in range(k):
                    for i in range(k):
                        total = m[i, j]
                        for h in range(i):
                            total -= lower[i, h] * square[h, j]
                        square[i, j] = total / lower[i, i]
                for i in range(k):
                    for j in range(k):
                        m[i, j] = square[j, i]
            power = m.copy()
            for _ in range(SQUARINGS):
                trace = 0.0
                for i in range(k):
                    trace += power[i, i]
                if not trace > 0.0:
                    break
                for i in range(k):
                    for j in range(k):
                        total = 0.0
                        for h in range(k):
                            total += power[i, h] * power[h, j]
                        square[i, j] = total / (trace * trace)
                power, square = square, power
            best = 0  # column of the power: nearly the eigenvector
            for i in range(k):
                if power[i, i] > power[best, best]:
                    best = i
            above, below = 0.0, 0.0
            for i in range(k):
                total = 0.0
                for j in range(k):
                    total += m[i, j] * power[j, best]
                above += total * power[i, best]
                below += power[i, best] * power[i, best]
            largest = above / below if below > 0.0 else 0.0
            found[b, s] = 1.0 / np.sqrt(max(largest, 1e-300))
    return found


def subsets(terms: Sequence[Tree], size: int, first: int = 0) -> np.ndarray:
    """Places (S, size) of terms that together hold every variable of all terms.

    Args:
        terms: M of them.
        size: of a subset.
        first: one of the terms from this place on must be among them.
    """
    return _covering(tuple(from_tree(term).variables for term in terms), size, first)


@functools.lru_cache(maxsize=256)
def _covering(held: tuple[tuple[int, ...], ...], size: int, first: int) -> np.ndarray:
    found = [s for s in combinations(range(len(held)), size) if s[-1] >= first]
    chosen = np.array(found, int).reshape(-1, size)
    if not len(chosen):
        return chosen
    every = sorted({v for variables in held for v in variables})
    holds = np.array([[v in variables for v in every] for variables in held])
    return chosen[holds[chosen].any(axis=1).all(axis=1)]


def smallest(moments: Moments, chosen: np.ndarray, best: int) -> list[tuple[int, Relation]]:
    """The ``best`` of the subsets (S, K) by √λ, the smallest first, each with its set of terms.

    A subset counts once, for the set of terms in which it is best.

    >>> from pie.expr.terms import monomials
    >>> angle = np.random.default_rng(0).uniform(0.0, 6.3, 200)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> circle += 0.01 * np.random.default_rng(1).standard_normal((200, 2))
    >>> terms = monomials(2, 2)
    >>> moments = moments_of(terms, circle, circle.std(axis=0))
    >>> ((_, found),) = smallest(moments, subsets(terms, 3), 1)
    >>> [terms[i] for i in found.indices]
    [('c', 1.0), ('pow2', ('x', 1)), ('pow2', ('x', 2))]
    """
    if not len(chosen) or not len(moments.a):
        return []
    sizes = _sizes(moments.a, moments.g, chosen)
    which = sizes.argmin(axis=0)
    few = np.argsort(sizes.min(axis=0), kind="stable")[: 2 * best]
    exact, weights = moments.at(chosen[few], which[few])
    order = np.argsort(np.round(np.log(exact), 6), kind="stable")[:best]
    usable = moments.usable
    return [
        (int(which[few[i]]), Relation(usable[chosen[few[i]]], weights[i], float(exact[i])))
        for i in order
    ]


def moments_of(terms: Sequence[Tree], points: np.ndarray, spreads: np.ndarray) -> Moments:
    """Of one set of terms at points (N, D) with spreads (D,)."""
    return Moments.of(columns_of(terms, points)[None], slopes_of(terms, points, spreads)[None])
