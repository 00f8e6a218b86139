"""Null clouds (permuted columns) and robust spreads of columns."""

import functools

import numpy as np

MEMBERS = 8  # points of a group of neighbours on average at least
GROUPS, TRACKS = 8, 3  # groups at most, in up to so many columns
LEVELS = 3  # values of a column that was set, in a group on average at least


@functools.lru_cache(maxsize=256)
def _permutations(n_points: int, n_columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    order = np.tile(np.arange(n_points), (n_columns, 1))
    order[1:] = rng.permuted(order[1:], axis=1)
    return order


def permuted(points: np.ndarray, seed: int = 0) -> np.ndarray:
    """Null cloud: every column but the first permuted; spreads remain, a law does not."""
    return np.take_along_axis(points, _permutations(*points.shape, seed).T, axis=0)


def neighbours(points: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Groups of neighbours among points (N, D) in units in which they compare, numbers from 1, (N,).

    Clusters of least variance (Ward 1963). In more than three columns they are as small as can be,
    since independent random walks follow some equation over an eighth of their length. In fewer, a
    noisy law of points on one track would not be seen within so small ones. ``exact`` (D,) marks
    columns whose values were set: with few of them to a group there is nothing to be seen within
    it. One group if there are too few.
    """
    levels = [len(np.unique(column)) // LEVELS for column in points[:, exact].T]
    groups = GROUPS if points.shape[1] <= TRACKS else len(points)
    most = max(min(groups, len(points) // MEMBERS, *levels), 1)
    if most == 1:
        return np.ones(len(points), int)
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import

    return fcluster(linkage(points, "ward"), most, "maxclust")


def permuted_among_neighbours(points: np.ndarray, groups: np.ndarray, seed: int = 0) -> np.ndarray:
    """Null cloud of which every group has its own: what holds between groups remains."""
    found = points.copy()
    for group in range(1, groups.max() + 1):
        found[groups == group] = permuted(points[groups == group], seed)
    return found


def robust_spreads(points: np.ndarray, axis: int = 0) -> np.ndarray:
    """Robust standard deviations (D,): min(std, max(IQR/1.349, 0.02·std)) of each column."""
    low, high = np.quantile(points, [0.25, 0.75], axis=axis)
    deviation = points.std(axis=axis)
    return np.minimum(deviation, np.maximum((high - low) / 1.349, 0.02 * deviation))
