"""Neighbours among points, groups of neighbours, and null clouds that are permuted within them."""

import functools

import numpy as np

from .spreads import permuted

MEMBERS = 8  # points of a group of neighbours on average at least
GROUPS, TRACKS = 8, 3  # groups at most, in up to so many columns
LEVELS = 3  # values of a column that was set, in a group on average at least


def squared_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """‖x_n − y_m‖² of points (N, D) and others (M, D), (N, M).

    >>> squared_distances(np.zeros((1, 2)), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    columns = zip(points.T, others.T, strict=True)
    return functools.reduce(np.add, ((x[:, None] - y) ** 2 for x, y in columns))


def ward(points: np.ndarray, groups: int) -> np.ndarray:
    """Groups of least variance among points (N, D), numbers from 1, (N,) (Ward 1963).

    Two groups are joined at a time, those for which |A||B|/(|A| + |B|)·‖mean A − mean B‖² is least,
    along chains of nearest neighbours (Murtagh 1983).

    >>> ward(np.array([[0.0], [5.0], [0.1], [5.1], [5.2]]), 2)
    array([1, 2, 1, 2, 2])
    """
    n = len(points)
    means, sizes = points.astype(np.float64), np.ones(n)
    joined, chain = [], []
    while len(joined) < n - 1:
        chain = chain or [int(np.flatnonzero(sizes)[0])]
        last = chain[-1]
        cost = squared_distances(means[last : last + 1], means)[0]
        cost *= sizes * sizes[last] / (sizes + sizes[last])
        cost[(sizes == 0.0) | (np.arange(n) == last)] = np.inf
        nearest = int(np.argmin(cost))
        if len(chain) == 1 or cost[nearest] < cost[chain[-2]]:
            chain.append(nearest)
            continue
        nearest, chain = chain[-2], chain[:-2]
        joined.append((cost[nearest], last, nearest))
        both = sizes[last] + sizes[nearest]
        means[nearest] += (means[last] - means[nearest]) * (sizes[last] / both)
        sizes[nearest], sizes[last] = both, 0.0
    labels = np.arange(n)
    for _, old, new in sorted(joined, key=lambda join: join[0])[: max(n - groups, 0)]:
        labels[labels == labels[old]] = labels[new]
    return np.unique(labels, return_inverse=True)[1] + 1


def groups_of_neighbours(points: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Numbers, from 1, of groups of neighbours among points (N, D) in comparable units, (N,).

    Clusters of least variance. In more than three columns they are as small as can be,
    since independent random walks follow some equation over an eighth of their length. In fewer, a
    noisy law of points on one track would not be seen within so small ones. ``exact`` (D,) marks
    columns whose values were set: with few of them to a group there is nothing to be seen within
    it. One group if there are too few.
    """
    points = np.asarray(points, np.float64)
    levels = [len(np.unique(column)) // LEVELS for column in points[:, exact].T]
    groups = GROUPS if points.shape[1] <= TRACKS else len(points)
    most = max(min(groups, len(points) // MEMBERS, *levels), 1)
    return np.ones(len(points), int) if most == 1 else _ward(points.tobytes(), points.shape, most)


@functools.lru_cache(maxsize=4)  # for every equation that is judged by the same points
def _ward(points: bytes, shape: tuple[int, int], groups: int) -> np.ndarray:
    return ward(np.frombuffer(points).reshape(shape), groups)


def permuted_among_neighbours(points: np.ndarray, groups: np.ndarray, seed: int) -> np.ndarray:
    """Null cloud of which every group has its own: what holds between groups remains."""
    found = points.copy()
    for group in range(1, groups.max() + 1):
        found[groups == group] = permuted(points[groups == group], seed)
    return found
