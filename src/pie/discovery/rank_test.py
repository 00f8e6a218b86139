"""Rank tests: of two sets of values (Mann and Whitney 1947), and within blocks (Friedman 1937)."""

import math

import numpy as np

FEW = 8  # values, up to which the distribution is counted out


def rank_test(low: np.ndarray, high: np.ndarray) -> float:
    """p of the hypothesis that values ``low`` (N,) are no smaller than ``high`` (M,).

    U counts the pairs in which ``low`` is the smaller one, ties half. Without a difference its mean
    is NM/2 and its variance NM/12·(N + M + 1 − Σ(t³ − t)/((N + M)(N + M − 1))) with t equal values.
    1 if a value is not a number.

    >>> float(rank_test(np.arange(4.0), np.arange(4.0, 8.0)))  # 1 of the 70 orders
    0.014285714285714285
    """
    n, m = len(low), len(high)
    values, place, times = np.unique(
        np.concatenate([low, high]), return_inverse=True, return_counts=True
    )
    if np.isnan(values[-1]):
        return 1.0
    ranks = np.cumsum(times) - 0.5 * (times - 1)
    u = n * m + 0.5 * n * (n + 1) - np.sum(ranks[place[:n]])
    if min(n, m) <= FEW and times.max() == 1:
        orders = _orders(min(n, m), max(n, m))
        return float(orders[round(u) :].sum() / orders.sum())
    ties = np.sum(times.astype(float) ** 3 - times) / ((n + m) * (n + m - 1))
    deviation = math.sqrt(n * m / 12.0 * (n + m + 1 - ties))
    if deviation == 0.0:
        return 1.0
    return 0.5 * math.erfc((u - 0.5 * n * m - 0.5) / deviation / math.sqrt(2.0))


def rank_test_in_blocks(low: np.ndarray, high: np.ndarray) -> float:
    """p of the hypothesis that each value ``low`` (N,) may have any place among ``high`` (M, N).

    The places, 0 to M, ties half, have the mean M/2 and the variance ((M + 1)² − 1)/12; their sum
    is taken for normal. 1 if a value is not a number.

    >>> rank_test_in_blocks(np.zeros(6), np.ones((20, 6))) < 1e-4
    True
    """
    m, n = high.shape
    if np.isnan(low).any() or np.isnan(high).any():
        return 1.0
    places = np.sum((high < low) + 0.5 * (high == low), axis=0)
    deviation = math.sqrt(n * ((m + 1) ** 2 - 1) / 12.0)
    return 0.5 * math.erfc((0.5 * n * m - places.sum()) / deviation / math.sqrt(2.0))


def _orders(n: int, m: int) -> np.ndarray:
    """In how many orders of n and m values U is 0, 1, …, nm: Π_i (1 − q^(m+i))/(1 − q^i)."""
    counts = np.zeros(n * m + 1)
    counts[0] = 1.0
    for i in range(1, n + 1):
        counts[m + i :] -= counts[: -(m + i)]
        for k in range(i, len(counts)):
            counts[k] += counts[k - i]
    return counts
