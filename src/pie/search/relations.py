r"""Linear relations among terms, :math:`\sum_k c_k \varphi_k(x) = 0`, that points obey.

With the values :math:`\Phi` (N, M) of the terms and their gradients, the coefficients minimise the
first-order orthogonal distance of the points from the zero set (Taubin, 1991),

.. math:: \lambda = \min_c \frac{c^T A\, c}{c^T G\, c}, \qquad
          A = \sum_n w_n \varphi(x_n)\varphi(x_n)^T, \quad
          G = \sum_n w_n \nabla\varphi(x_n)\, \Sigma_x\, \nabla\varphi(x_n)^T .

It does not depend on the scale of a term, and :math:`\sqrt\lambda` is the noise in units of the
columns' spreads. The weights :math:`w_n` are one over the mean squared gradient of the terms at a
point, each in units of its median: else a few points next to a pole decide.

* :func:`smallest` ranks *all* subsets of a few terms by λ: what survives noise.
* :func:`exact_relation` leaves out terms one after the other while a relation holds to rounding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..expr.terms import weighted_sum

SINGULAR = 1e-11  # smallest over largest singular value of an exact relation
JUMP = 1e7  # by which it rises when a term of an exact relation is left out
NEGLIGIBLE = 1e-7  # contribution of a term, relative to the largest, that is rounding
LARGEST = 1e100  # value of a term
BATCH = 4096  # subsets that are solved together


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
    """A and G of terms (M, M), of which ``usable`` ones are defined, in units ``scale`` (M,)."""

    a: np.ndarray
    g: np.ndarray
    scale: np.ndarray
    usable: np.ndarray

    @classmethod
    @np.errstate(all="ignore")
    def of(cls, terms: Sequence[Tree], points: np.ndarray, spreads: np.ndarray) -> "Moments":
        """Of terms at points (N, D) with spreads (D,)."""
        columns, slopes = columns_of(terms, points), slopes_of(terms, points, spreads)
        steepness = np.linalg.norm(slopes, axis=0)  # (N, M)
        finite = np.isfinite(columns).all(axis=0) & np.isfinite(steepness).all(axis=0)
        if not finite.any():
            return cls(np.empty((0, 0)), np.empty((0, 0)), np.empty(0), np.empty(0, int))
        usual = np.median(steepness[:, finite], axis=0)
        usual[usual == 0.0] = 1.0
        weights = 1.0 / np.sqrt(np.mean((steepness[:, finite] / usual) ** 2, axis=1))
        columns, slopes = columns[:, finite] * weights[:, None], slopes[..., finite]
        slopes = (slopes * weights[:, None]).reshape(-1, columns.shape[1])
        scale = np.linalg.norm(columns, axis=0)
        varied = np.isfinite(scale) & (scale > 0.0)
        columns, slopes = columns[:, varied] / scale[varied], slopes[:, varied] / scale[varied]
        usable = np.flatnonzero(finite)[varied]
        return cls(columns.T @ columns, slopes.T @ slopes, scale[varied], usable)


def _solved(moments: Moments, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """√λ (S,) and coefficients (S, K) of subsets (S, K) of the usable terms.

    With A = LLᵀ, 1/λ is the largest eigenvalue of L⁻¹ G L⁻ᵀ: G may be singular, as for constants.
    """
    rows, columns = chosen[:, :, None], chosen[:, None, :]
    k = chosen.shape[1]
    lower = np.linalg.cholesky(moments.a[rows, columns] + 1e-13 * k * np.eye(k))
    half = np.linalg.solve(lower, moments.g[rows, columns])
    both = np.linalg.solve(lower, half.swapaxes(1, 2))
    values, vectors = np.linalg.eigh(0.5 * (both + both.swapaxes(1, 2)))
    weights = np.linalg.solve(lower.swapaxes(1, 2), vectors[:, :, -1:])[..., 0]
    return 1.0 / np.sqrt(np.maximum(values[:, -1], 1e-300)), weights / moments.scale[chosen]


def smallest(moments: Moments, size: int, best: int) -> list[Relation]:
    """The ``best`` subsets of ``size`` terms by √λ, the smallest first.

    >>> from pie.expr.terms import monomials
    >>> angle = np.random.default_rng(0).uniform(0.0, 6.3, 200)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> circle += 0.01 * np.random.default_rng(1).standard_normal((200, 2))
    >>> terms = monomials(2, 2)
    >>> found = smallest(Moments.of(terms, circle, circle.std(axis=0)), 3, 1)[0]
    >>> [terms[i] for i in found.indices]
    [('c', 1.0), ('pow2', ('x', 1)), ('pow2', ('x', 2))]
    """
    every = np.array(list(combinations(range(len(moments.usable)), size)), int).reshape(-1, size)
    if not len(every):
        return []
    solved = [_solved(moments, every[k : k + BATCH]) for k in range(0, len(every), BATCH)]
    sizes = np.concatenate([s for s, _ in solved])
    weights = np.concatenate([w for _, w in solved])
    order = np.argsort(np.round(np.log(sizes), 6), kind="stable")[:best]
    return [Relation(moments.usable[every[i]], weights[i], float(sizes[i])) for i in order]
