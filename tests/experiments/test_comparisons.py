import math

import numpy as np
import pytest
from scipy import stats

from pie.experiments.comparisons import (
    CONFIRMED,
    HIGHER,
    REFUTED,
    UNDECIDED,
    Difference,
    difference,
    equal,
    within,
)
from pie.experiments.evaluation import Row


def rows(fitness, names=None):
    names = names or [f"E{i:03d}" for i in range(len(fitness))]
    return [
        Row("A", "b", name, "x1", "x1", f, 0.0, 0, 1.0, 0, "", "ok")
        for name, f in zip(names, fitness, strict=True)
    ]


def test_pairs_are_sharper_than_two_intervals():
    """Equations differ far more than the settings do: only the pairs can tell."""
    rng = np.random.default_rng(0)
    easy = rng.uniform(0.1, 0.8, 60)
    ours = easy + rng.uniform(0.02, 0.06, 60)
    found = difference(rows(ours), rows(easy), "fitness")
    assert 0.02 < found.low < found.mean < found.high < 0.06
    apart = stats.ttest_ind(ours, easy).pvalue
    assert apart > 0.05


def test_the_interval_is_that_of_the_paired_t_test():
    rng = np.random.default_rng(1)
    first, second = rng.uniform(0, 1, (2, 200))
    found = difference(rows(first), rows(second), "fitness")
    expected = stats.ttest_rel(first, second).confidence_interval()
    np.testing.assert_allclose([found.low, found.high], expected, atol=0.012)


def test_only_common_equations_count():
    first, second = rows([0.9, 0.8, 0.1]), rows([0.5, 0.4], ["E000", "E001"])
    found = difference(first, second, "fitness")
    assert found.equations == 2 and found.mean == pytest.approx(0.4)


def test_a_law_drawn_in_several_ways_is_one_draw():
    names = [f"W{i}-{way}" for i in range(4) for way in ("whole", "patch", "track", "units")]
    gaps = np.repeat([1.0, 0.0, 1.0, 0.0], 4)
    several = difference(rows(gaps, names), rows(0 * gaps, names), "fitness")
    apart = difference(rows(gaps), rows(0 * gaps), "fitness")
    assert several.high - several.low > 1.5 * (apart.high - apart.low)


def test_scores_and_thresholds():
    (row,) = rows([0.95])
    assert row.score("acc_0.9") == 1.0 and row.score("acc_0.99") == 0.0
    assert row.score("fitness") == 0.95 and row.score("recovered") == 0.0
    for name in ("r2", "acc_x"):
        with pytest.raises(ValueError, match=f"score is '{name}'; expected fitness"):
            row.score(name)


@pytest.mark.parametrize(
    "theirs, message",
    [(["F001"], "no equation in common"), (["E000", "E000"], "b, E000 stands twice")],
    ids=["none", "twice"],
)
def test_what_cannot_be_compared_is_said(theirs, message):
    with pytest.raises(ValueError, match=message):
        difference(rows([0.5]), rows([0.5] * len(theirs), theirs), "fitness")


def test_of_one_law_no_interval_is_told():
    found = difference(rows([1.0]), rows([0.9]), "fitness")
    assert np.isnan([found.low, found.high]).all() and found.mean == pytest.approx(0.1)
    assert [rule.verdict([found]) for rule in (HIGHER, within(-0.2, 0.2), equal(0.5))] == [UNDECIDED] * 3
    assert HIGHER.verdict([]) == UNDECIDED


ABOVE, ACROSS, BELOW = (Difference(m, m - 0.1, m + 0.1, 9) for m in (0.2, 0.05, -0.2))


@pytest.mark.parametrize(
    "found, higher, unchanged, no_higher",
    [
        ([ABOVE], CONFIRMED, REFUTED, REFUTED),
        ([ACROSS], UNDECIDED, UNDECIDED, UNDECIDED),
        ([BELOW], REFUTED, REFUTED, CONFIRMED),
        ([ABOVE, BELOW], REFUTED, REFUTED, REFUTED),
        ([Difference(0.0, -0.01, 0.01, 9)], UNDECIDED, CONFIRMED, CONFIRMED),
    ],
    ids=["above", "across", "below", "both", "none"],
)
def test_verdicts(found, higher, unchanged, no_higher):
    assert HIGHER.verdict(found) == higher
    assert within(-0.08, 0.08).verdict(found) == unchanged
    assert within(-math.inf, 0.08).verdict(found) == no_higher
