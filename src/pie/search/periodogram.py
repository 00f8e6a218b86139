"""Rates of waves, seen without a fit (Lomb 1976; Scargle 1982)."""

import numpy as np

SLOWEST, STEP = 3.0, 0.8  # in radians over the range of x
FASTEST = 0.5 * np.pi  # the same per point: a turn in four
SINGULAR = 1e-9  # of the sum of squares of a wave that is constant


def rates(x: np.ndarray, others: np.ndarray) -> np.ndarray:
    r"""The rate t at which a wave of x, (N,), tells most of each of the ``others``, (N, K): (K,).

    It is where a + b·cos(t·x) + c·sin(t·x), fitted to y by least squares, leaves least of it. The
    rates are those between half a turn over the range of x and one turn in four points; none where
    there are too few points.

    >>> x = np.linspace(0.0, 20.0, 240)
    >>> rates(x, np.sin(2.0 * np.pi * x + 0.3)[:, None]).round(1)
    array([6.3])
    """
    steps = np.arange(SLOWEST, FASTEST * len(x), STEP)
    if not len(steps):
        return np.empty(0)
    reach = np.ptp(x)
    turned = steps[:, None] * (x - x.min()) / reach
    waves = np.stack([np.cos(turned), np.sin(turned)], axis=1)  # (T, 2, N)
    waves -= waves.mean(axis=2, keepdims=True)
    onto = waves @ (others - others.mean(axis=0))  # (T, 2, K)
    gram = waves @ waves.swapaxes(1, 2) + SINGULAR * len(x) * np.eye(2)
    told = np.sum(onto * np.linalg.solve(gram, onto), axis=1)
    return steps[told.argmax(axis=0)] / reach
