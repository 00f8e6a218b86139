r"""What the neighbours of a point tell of the law, as inputs of the network beside the coordinates.

In columns of mean 0 and spread 1, the k nearest distinct points lie near the tangent plane of the
zero set. With the eigenvalues :math:`\sigma_1^2 \le \sigma_2^2 \le \dots` of their covariance and
the eigenvector n of the least, each point has, for every k,

.. math::
    n n^\top, \quad
    \ln |x_j n_j / s_j| - \text{mean over } j, \quad
    \ln \frac{\sigma_1}{\sigma_2}, \quad \ln r_k

with the spreads s and the distance r of the k-th: the direction of the gradient, the elasticities
:math:`x_j \partial_j f` up to a factor (which are constant in a power law), the noise, and the
density. Beside these stand the coordinates in spreads, and :math:`\ln |x_j|`.
"""

import math
from collections.abc import Sequence

import numba
import numpy as np

from .config import HALF_MAX

FARTHEST = 30.0  # spreads
TINY = 1e-6  # of spreads and ratios, below which logarithms are flat
SMALLEST = 2.0**-24  # of half precision
ABSENT = 1e3  # variance of a column that is padding, so that no normal has it
SWEEPS = 12
ROUNDING = 1e-30  # of squares


def channels(variables: int, sizes: Sequence[int]) -> int:
    """How many inputs a point of so many columns has beside its coordinates.

    >>> channels(3, (8, 24)), channels(3, ())
    (28, 0)
    """
    each = variables * (variables + 1) // 2 + variables + 2
    return 2 * variables + len(sizes) * each if len(sizes) else 0


def with_neighbourhoods(points: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Clouds (B, N, D), zero padded, with the channels of their points, (B, N, D + C) float32.

    The channels are those of the points in half precision, which the network sees: neighbours that
    are nearer than its steps show the steps.
    """
    if not len(sizes):
        return points
    seen = np.clip(points, -HALF_MAX, HALF_MAX).astype(np.float16).astype(np.float64)
    told = [_told(cloud, sizes) for cloud in seen]
    return np.concatenate([points, np.stack(told)], axis=-1, dtype=np.float32)


def _told(points: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Channels of the points (N, D) of one cloud, (N, C)."""
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    mean, spread = distinct.mean(axis=0), distinct.std(axis=0)
    varies = spread > 0.0
    spread = np.where(varies, spread, 1.0)
    z = np.where(varies, np.clip((distinct - mean) / spread, -FARTHEST, FARTHEST), 0.0)
    logarithms = np.where(varies, np.log(np.maximum(np.abs(distinct), SMALLEST)), 0.0)
    normals, shapes = _patches(z, varies, np.array(sizes))
    row, column = np.triu_indices(z.shape[1])
    told = [z, logarithms / 3.0]
    for normal, (least, next_, radius) in zip(normals, shapes.transpose(0, 2, 1), strict=True):
        slopes = np.log(np.abs(normal) + TINY) - np.log(spread)
        elasticity = np.where(varies, slopes + logarithms, 0.0)
        mean = elasticity.sum(axis=1, keepdims=True) / max(int(varies.sum()), 1)
        elasticity = np.where(varies, elasticity - mean, 0.0)
        told += [
            2.0 * normal[:, row] * normal[:, column] - 0.5,
            np.clip(elasticity / 3.0, -3.0, 3.0),
            np.log(np.maximum(least / np.where(next_ > 0.0, next_, 1.0), TINY))[:, None] / 3.0,
            np.log(np.maximum(radius, TINY))[:, None] / 3.0 + 1.0,
        ]
    return np.concatenate(told, axis=1)[place.ravel()]


@numba.njit(cache=True)
def _diagonalised(a, v):
    """Jacobi's method: symmetric a (D, D) becomes diagonal, its eigenvectors the columns of v."""
    d = len(a)
    v[:] = 0.0
    for i in range(d):
        v[i, i] = 1.0
    for _ in range(SWEEPS):
        rest = whole = 0.0
        for i in range(d):
            whole += a[i, i] * a[i, i]
            for j in range(i):
                rest += a[i, j] * a[i, j]
        if rest <= ROUNDING * whole:
            break
        for p in range(d - 1):
            for q in range(p + 1, d):
                if a[p, q] == 0.0:
                    continue
                ratio = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = 1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
                if ratio < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for r in range(d):
                    x, y = a[r, p], a[r, q]
                    a[r, p], a[r, q] = c * x - s * y, s * x + c * y
                for r in range(d):
                    x, y = a[p, r], a[q, r]
                    a[p, r], a[q, r] = c * x - s * y, s * x + c * y
                    x, y = v[r, p], v[r, q]
                    v[r, p], v[r, q] = c * x - s * y, s * x + c * y


@numba.njit(cache=True)
def _patches(z, varies, sizes):
    """Of the nearest points (the point among them) of each of z (N, D), for every size.

    Normals (K, N, D), and σ₁, σ₂ and the distance of the farthest, (K, N, 3).
    """
    n, d = z.shape
    most = min(sizes.max(), n)
    normals, shapes = np.empty((len(sizes), n, d)), np.empty((len(sizes), n, 3))
    away, who = np.empty(most), np.empty(most, np.int64)
    a, v, mean = np.empty((d, d)), np.empty((d, d)), np.empty(d)
    for i in range(n):
        found = 0
        for j in range(n):
            square = 0.0
            for c in range(d):
                square += (z[i, c] - z[j, c]) ** 2
            if found < most or square < away[most - 1]:
                found = min(found + 1, most)
                place = found - 1
                while place > 0 and away[place - 1] > square:
                    away[place], who[place] = away[place - 1], who[place - 1]
                    place -= 1
                away[place], who[place] = square, j
        for size in range(len(sizes)):
            k = min(sizes[size], n)
            for c in range(d):
                mean[c] = 0.0
                for t in range(k):
                    mean[c] += z[who[t], c] / k
            for c in range(d):
                for e in range(c, d):
                    total = 0.0
                    for t in range(k):
                        total += (z[who[t], c] - mean[c]) * (z[who[t], e] - mean[e])
                    a[c, e] = a[e, c] = total / k
            _diagonalised(a, v)
            for c in range(d):
                if not varies[c]:  # an axis of its own: all its covariances are 0
                    a[c, c] = ABSENT
            order = np.argsort(np.diag(a))
            normals[size, i] = v[:, order[0]]
            shapes[size, i, 0] = math.sqrt(max(a[order[0], order[0]], 0.0))
            shapes[size, i, 1] = math.sqrt(max(a[order[1], order[1]], 0.0))
            shapes[size, i, 2] = math.sqrt(away[k - 1])
    return normals, shapes
