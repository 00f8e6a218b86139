r"""The noise of a cloud before any law is known: how far points lie from local quadratic patches.

The k nearest neighbours of a point, itself among them, lie near a piece of the zero set. With h
their coordinate along the principal axis of least variance and t those along the others,

.. math::
    h = a + b \cdot t + t^\top C\, t + \varepsilon, \qquad
    \sigma_k^2 = \operatorname{median} \frac{\sum \varepsilon^2}{k - M}
    \Big/ \Big(1 - \frac{2}{9 (k - M)}\Big)^3,

with M coefficients; the last factor is the median of :math:`\chi^2_\nu / \nu`. A patch that is
hardly wider than the noise has no direction, so k is the smallest for which patches are ``WIDE``
times wider than :math:`\sigma_k` in every direction of t. From there to larger patches
:math:`\sigma_k` stays as it is under noise, and grows at least as a power of their width without.

Where most rows are replicates, equal to others but for one column, neighbours lie on a line, as if
they were exact; there the noise is that column's standard deviation within the groups of equal rows.
"""

from dataclasses import dataclass

import numpy as np

from .neighbours import squared_distances

PATCHES = 400  # at most; neighbours are from all points
FEWEST = 4  # degrees of freedom of a patch
RUNGS = 1.22  # ratio of successive k
BEYOND = 3  # rungs from k to the larger patches
WIDE = 4.0  # least standard deviation along t, in σ
RISE = 1.4  # of σ from k to the larger patches, up to which it is noise
LEAST = 1e-8  # a σ below this is rounding
ALIKE = 0.3  # of the spread: what replicates differ by at most


@dataclass(frozen=True)
class Noise:
    """Standard deviation of errors in units of the columns' spreads, and an interval of 95 %.

    ``low`` is 0 where no noise is seen: there is at most ``high``. All three are nan where the
    points are too few for the shape that they have.
    """

    level: float
    low: float
    high: float

    @property
    def seen(self) -> bool:
        """Whether the points show noise."""
        return self.low > 0.0

    def __str__(self) -> str:
        if np.isnan(self.level):
            return "not known: the points are too few for the shape that they have"
        if not self.seen:
            return f"at most {self.high:.2g} of the spread"
        return f"{self.level:.2g} of the spread ({self.low:.2g} to {self.high:.2g})"


UNKNOWN = Noise(np.nan, np.nan, np.nan)


def noise_of(points: np.ndarray) -> Noise:
    """The noise of points (N, D) in units in which it is alike in all columns.

    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0.0, 6.0, 300)
    >>> circle = np.column_stack([np.cos(t), np.sin(t)])
    >>> noise_of(circle).seen
    False
    >>> print(noise_of(circle + 0.01 * rng.standard_normal((300, 2))))
    0.0097 of the spread (0.0085 to 0.011)
    """
    n, m = len(points), points.shape[1] * (points.shape[1] + 1) // 2
    away = squared_distances(points[:: -(-n // PATCHES)], points)
    near = points[np.argsort(away, axis=1, kind="stable")[:, : n // 2 + 1]]
    k = m + FEWEST
    while k * RUNGS**BEYOND <= n / 2:
        level, width = _patches(near[:, :k])
        if level < LEAST:
            return Noise(level, 0.0, LEAST)
        if width >= WIDE * level:
            rise = _patches(near[:, : round(k * RUNGS**BEYOND)])[0] / level
            error = float(np.exp(2.0 * np.sqrt(np.pi / 4.0 * k / (k - m) / n)))  # of a median
            low = level / error / max(rise, 1.0) if rise < RISE else 0.0
            return Noise(level, low, level * error)
        k = round(k * RUNGS + 0.5)
    return UNKNOWN


def noise_of_replicates(points: np.ndarray) -> Noise | None:
    """The smallest of the columns' noises among replicates, where these are half of the rows.

    Points (N, D) are in units of the spreads.

    >>> x = np.repeat([1.0, 2.0, 3.0], 20)
    >>> y = x + 0.1 * np.random.default_rng(0).standard_normal(60)
    >>> print(noise_of_replicates(np.column_stack([x, y])))
    0.089 of the spread (0.074 to 0.11)
    """
    found = []
    for j in range(points.shape[1]):
        others = np.delete(points, j, axis=1)
        _, group, count = np.unique(others, axis=0, return_inverse=True, return_counts=True)
        group = group.ravel()
        if (freedom := len(points) - len(count)) < len(points) / 2:
            continue
        mean = np.bincount(group, points[:, j]) / count
        level = float(np.sqrt(np.sum((points[:, j] - mean[group]) ** 2) / freedom))
        error = float(np.exp(2.0 / np.sqrt(2.0 * freedom)))  # of a standard deviation
        if LEAST <= level <= ALIKE:  # else rows stand there twice, or ±x of one y
            found.append(Noise(level, level / error, level * error))
    return min(found, key=lambda noise: noise.level, default=None)


def _patches(near: np.ndarray) -> tuple[float, float]:
    """σ_k, and the median width in the narrowest direction of t, of patches (M, k, D)."""
    _, k, d = near.shape
    near = near - near.mean(axis=1, keepdims=True)
    variances, axes = np.linalg.eigh(np.einsum("nki,nkj->nij", near, near) / k)
    along = near @ axes
    sizes = np.sqrt(np.maximum(variances[:, None, 1:], 0.0))
    h, t = along[..., 0], along[..., 1:] / np.where(sizes > 0.0, sizes, 1.0)
    i, j = np.triu_indices(d - 1)
    columns = np.concatenate([np.ones((*h.shape, 1)), t, t[..., i] * t[..., j]], axis=-1)
    basis = np.linalg.qr(columns)[0]
    away = h - np.einsum("nkm,nm->nk", basis, np.einsum("nkm,nk->nm", basis, h))
    freedom = k - columns.shape[-1]
    middle = np.median(np.sum(away**2, axis=1)) / freedom / (1.0 - 2.0 / (9.0 * freedom)) ** 3
    return float(np.sqrt(middle)), float(np.sqrt(np.median(variances[:, 1])))
