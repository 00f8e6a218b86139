"""Null clouds (permuted columns) and robust spreads of columns."""

import functools

import numpy as np


@functools.lru_cache(maxsize=256)
def _permutations(n_points: int, n_columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    order = np.tile(np.arange(n_points), (n_columns, 1))
    order[1:] = rng.permuted(order[1:], axis=1)
    return order


def permuted(points: np.ndarray, seed: int = 0) -> np.ndarray:
    """Null cloud: every column but the first permuted; spreads remain, a law does not."""
    return np.take_along_axis(points, _permutations(*points.shape, seed).T, axis=0)


def robust_spreads(points: np.ndarray, axis: int = 0) -> np.ndarray:
    """Robust standard deviations (D,): min(std, max(IQR/1.349, 0.02·std)) of each column."""
    low, high = np.quantile(points, [0.25, 0.75], axis=axis)
    deviation = points.std(axis=axis)
    return np.minimum(deviation, np.maximum((high - low) / 1.349, 0.02 * deviation))
