import numpy as np
import pytest

from pie.data.benchmarks import load, noisy
from pie.discovery.subsets import NEARBY, evidence, ranked


def test_laws_have_evidence_and_independent_columns_have_none(root):
    wild = load(root / "data/benchmarks", "wild")[::6]
    lawful = np.array([evidence(p.points) for p in wild])
    slight = np.array([evidence(noisy(p, 0.05).points) for p in wild])
    rng = np.random.default_rng(0)
    null = [evidence(rng.standard_normal((n, d))) for n in (60, 200) for d in (2, 3)
            for _ in range(20)]  # fmt: skip
    assert min(null) > -1.0
    assert (lawful < -2.0).mean() > 0.95 and (slight < -2.0).mean() > 0.8


def test_correlation_is_no_law():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 2))
    assert evidence(np.column_stack([x[:, 0], x[:, 0] + x[:, 1]])) > -2.0


def test_units_change_nothing():
    x = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    points = np.column_stack([x, 1.0 / x + 0.05 * np.random.default_rng(1).standard_normal(80)])
    assert evidence(points * [1e6, 1e-9]) == pytest.approx(evidence(points), abs=1e-6)


@pytest.mark.parametrize("size", [2, 3])
def test_every_subset_comes_once_those_with_most_evidence_first(size):
    found = ranked(np.random.default_rng(0).random((50, 5)), size)
    assert len({columns for _, columns in found}) == len(found) == 10
    assert {len(columns) for _, columns in found} == {size} and found == sorted(found)


def test_columns_without_spread_and_few_points_are_no_error():
    assert np.isfinite(evidence(np.column_stack([np.zeros(9), np.arange(9.0)])))
    assert np.isfinite(evidence(np.arange(8.0).reshape(4, 2)))


def test_clusters_have_no_evidence_within_them_and_pieces_of_a_curve_have():
    rng = np.random.default_rng(0)
    centres = rng.choice([-1.0, 0.2, 1.5], 120)
    spread, noise = 0.15 * rng.standard_normal((2, 120))
    pieces = np.column_stack([centres + spread, (centres + spread) ** 2 + 0.02 * noise])
    clusters = np.column_stack([centres + spread, centres**2 + noise])
    assert evidence(pieces) < -1.0 < NEARBY < evidence(clusters)
