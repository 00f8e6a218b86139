"""Which points are outliers of a zero set."""

import numpy as np

OUTLYING = 8.0  # median distances of an outlier from a zero set; 5.4 normal standard deviations
ROUNDING = 1e-12  # in the same units: what is no distance


def near(distances: np.ndarray) -> np.ndarray:
    """Which distances (N,) are no outliers: at most :data:`OUTLYING` medians. nan is one.

    >>> near(np.array([0.1, -0.2, 0.1, 5.0, np.nan])).tolist()
    [True, True, True, False, False]
    """
    known = np.isfinite(distances)
    middle = float(np.median(np.abs(distances[known]))) if known.any() else 0.0
    return known & (np.abs(np.where(known, distances, 0.0)) <= OUTLYING * middle + ROUNDING)
