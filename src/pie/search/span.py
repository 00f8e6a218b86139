"""Which of thousands of columns depend linearly on the values of a few base terms, to rounding.

With an orthonormal basis Q (N, R) of the base terms, the residual of K columns B (N, K) of norm 1
has the Gram matrix :math:`P = B^T B - (Q^T B)^T (Q^T B)`. Its smallest eigenvalue is 0 where a
combination of the columns lies in the span. The root of that eigenvalue is accurate to 1e-8 only,
so columns that pass are tested again by the singular values of :math:`B - QQ^TB`.
"""

from itertools import combinations_with_replacement

import numpy as np

from ..expr.expression import Tree
from .relations import columns_of, of_like_size

LARGEST = 1e8  # usable terms are smaller than this, and larger than its inverse
SCREENED = 1e-6  # singular values by P below this are tested again
ROUNDING = 3e-9  # singular values below this are rounding
PERTURBED = 1e-3  # relative perturbation of the points: a law breaks, an identity does not


def _smallest_eigenvalues(gram: np.ndarray) -> np.ndarray:
    """Of symmetric matrices (K, K, M), (M,)."""
    if len(gram) == 1:
        return gram[0, 0]
    if len(gram) == 2:
        half = 0.5 * (gram[0, 0] - gram[1, 1])
        return 0.5 * (gram[0, 0] + gram[1, 1]) - np.hypot(half, gram[0, 1])
    return np.linalg.eigvalsh(gram.transpose(2, 0, 1))[:, 0]


class Span:
    """Span of at most ``rank`` (and 2N/3) usable base terms at points (N, D).

    Rows are divided by their largest entry, else far points dominate.
    """

    @np.errstate(all="ignore")
    def __init__(self, base: list[Tree], points: np.ndarray, rank: int):
        most = min(rank, 2 * len(points) // 3)
        chosen, _, scaled = of_like_size(columns_of(base, points), most, LARGEST)
        self.base = [base[k] for k in chosen]
        self.weights = 1.0 / np.abs(scaled).max(axis=1, keepdims=True)
        self.q = np.linalg.qr(scaled * self.weights)[0]

    def _scaled(self, block: np.ndarray) -> np.ndarray:
        """Columns (K, N, M), weighted and of norm 1."""
        weighted = block * self.weights
        return weighted / np.sqrt(np.einsum("knm,knm->km", weighted, weighted))[:, None]

    def nearly(self, block: np.ndarray) -> np.ndarray:
        """Smallest singular value (M,) of each residual of blocks (K, N, M), by P: to 1e-8."""
        scaled = self._scaled(block)
        inside = np.matmul(self.q.T, scaled)
        k, _, m = scaled.shape
        gram = np.empty((k, k, m))
        for i, j in combinations_with_replacement(range(k), 2):
            both = np.einsum("nm,nm->m", scaled[i], scaled[j])
            gram[i, j] = gram[j, i] = both - np.einsum("rm,rm->m", inside[i], inside[j])
        known = np.isfinite(gram).all(axis=(0, 1))
        values = _smallest_eigenvalues(np.where(known, gram, 0.0))
        return np.where(known, np.sqrt(np.maximum(values, 0.0)), np.inf)

    def exactly(self, block: np.ndarray) -> np.ndarray:
        """The same by the residuals themselves: to rounding."""
        scaled = self._scaled(block)
        left = scaled - np.matmul(self.q, np.matmul(self.q.T, scaled))
        known = np.isfinite(left).all(axis=(0, 1))
        parts = np.where(known, left, 0.0).transpose(2, 1, 0)
        values = np.linalg.svd(parts, compute_uv=False)[:, -1]
        return np.where(known, values, np.inf)


def holds(here: Span, elsewhere: Span, block: np.ndarray) -> np.ndarray:
    """Mask (M,) of blocks (K, 2N, M) with a relation at N points but not at the N perturbed ones.

    The spans are those of one base at the points, and at the perturbed points.
    """
    n = block.shape[1] // 2
    exact = here.exactly(block[:, :n]) < ROUNDING
    return exact & ~(elsewhere.exactly(block[:, n:]) < ROUNDING)


@np.errstate(all="ignore")
def with_perturbed(points: np.ndarray, n: int) -> np.ndarray:
    """n of the points and the same n perturbed, (2n, D)."""
    rng = np.random.default_rng(0)
    few = points[rng.permutation(len(points))[:n]]
    return np.concatenate([few, few * np.exp(PERTURBED * rng.standard_normal(few.shape))])
