"""What the span of a few terms leaves of other columns: rounding, where a law is linear in them."""

import numpy as np

from ..expr.expression import Tree, from_tree
from ..expr.vector_math import cos_row, sin_row

LARGEST = 1e8  # value of a term
FLAT = 1e-6  # range of a term that is as good as none


def columns_of(trees: list[Tree], few: np.ndarray) -> np.ndarray:
    """Values (N, M) of terms at points (N, D)."""
    return np.stack([from_tree(tree).values(few) for tree in trees], axis=1)


def usable(trees: list[Tree], values: np.ndarray) -> tuple[list[Tree], np.ndarray]:
    """Terms that vary and are not too large, and their values (N, M)."""
    usable = (np.abs(values).max(axis=0) < LARGEST) & (np.ptp(values, axis=0) > FLAT)
    return [tree for tree, use in zip(trees, usable, strict=True) if use], values[:, usable]


def turning(u: np.ndarray) -> np.ndarray:
    """exp(iu)."""
    wave, cosine, sine = np.empty(u.shape, complex), u.flatten(), u.flatten()
    cos_row(cosine)
    sin_row(sine)
    wave.real, wave.imag = cosine.reshape(u.shape), sine.reshape(u.shape)
    return wave


def turned(left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Real columns (N, M) of waves, turned to the phase that leaves least, and the turns (M,)."""
    if not np.iscomplexobj(left):
        return left, np.ones(left.shape[1])
    turn = np.exp(0.5j * (np.pi - np.angle((left * left).sum(axis=0))))
    return (left * turn).real, turn


class Span:
    """The span of a base at a few points; rows over their largest term, else it hides others."""

    def __init__(self, base: list[Tree], few: np.ndarray, most: int):
        columns = columns_of(base, few)
        size = np.median(np.abs(columns), axis=0)
        usable = (size > 1.0 / LARGEST) & (np.abs(columns).max(axis=0) < LARGEST)
        chosen = np.flatnonzero(usable)[: min(most, 2 * len(few) // 3)]
        scaled = columns[:, chosen] / size[chosen]
        self.base = [base[k] for k in chosen]
        self.weights = 1.0 / np.abs(scaled).max(axis=1, keepdims=True)
        self.q = np.linalg.qr(scaled * self.weights)[0]

    def left(self, columns: np.ndarray) -> np.ndarray:
        """What the span leaves of columns (N, M), weighted."""
        weighted = np.ascontiguousarray(columns * self.weights)
        parts = weighted.view(float)  # the real and the imaginary part of a wave side by side
        return (parts - self.q @ (self.q.T @ parts)).view(weighted.dtype)

    def size(self, columns: np.ndarray) -> np.ndarray:
        """Norms (M,) of columns (N, M), weighted."""
        return np.linalg.norm(columns * self.weights, axis=0)

    def least(self, columns: np.ndarray) -> np.ndarray:
        """Norms (M,) of what is left, relative to the columns; of waves at the best phase."""
        left = turned(self.left(columns))[0]
        found = np.linalg.norm(left, axis=0) / self.size(columns)
        return np.where(np.isfinite(found), found, np.inf)

    def nearly(self, columns: np.ndarray) -> np.ndarray:
        """As :meth:`least`, to 1e-7: what is left by Pythagoras, in a fraction of the time."""
        weighted = np.ascontiguousarray(columns * self.weights)
        inside = (self.q.T @ weighted.view(float)).view(weighted.dtype)
        size, taken = (np.einsum("nm,nm->m", c, c.conj()).real for c in (weighted, inside))
        left = size - taken
        if np.iscomplexobj(columns):
            turns = (np.einsum("nm,nm->m", c, c) for c in (weighted, inside))
            left = 0.5 * (left - np.abs(np.subtract(*turns)))
        found = np.sqrt(np.maximum(left, 0.0) / size)
        return np.where(np.isfinite(found), found, np.inf)
