"""The rank test beside SciPy's."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from pie.discovery.rank_test import rank_test


@pytest.mark.parametrize("n, m", [(1, 4), (8, 32), (9, 36), (40, 7), (200, 800)])
@pytest.mark.parametrize("decimals", [8, 1])
def test_p_is_that_of_scipy(rng, n, m, decimals):
    low = np.round(rng.standard_normal(n) - 0.3, decimals)
    high = np.round(rng.standard_normal(m), decimals)
    expected = mannwhitneyu(low, high, alternative="less").pvalue
    assert rank_test(low, high) == pytest.approx(expected, rel=1e-9)


def test_equal_values_and_such_that_are_no_numbers_tell_nothing():
    assert rank_test(np.ones(9), np.ones(20)) == 1.0
    assert rank_test(np.array([np.nan, *np.zeros(9)]), np.ones(20)) == 1.0
