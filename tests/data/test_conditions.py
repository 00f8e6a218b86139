import numpy as np
import pytest

from pie.data.benchmarks import load, noisy
from pie.data.conditions import CONDITIONS, under


@pytest.fixture(scope="module")
def problem(root):
    return load(root / "data/benchmarks", "synthetic")[0]


@pytest.fixture(scope="module")
def wild(root):
    return load(root / "data/benchmarks", "wild")[0]


def test_relative_noise_is_that_of_section_4_3(problem):
    """x → x(1 + ζ): the relative change has the deviation σ whatever the size of x."""
    changed = under(problem, "relative noise", 0.03)
    zeta = changed.points / problem.points - 1.0
    assert zeta.std() == pytest.approx(0.03, rel=0.1) and abs(zeta.mean()) < 0.005
    large = np.abs(problem.points) > np.median(np.abs(problem.points))
    assert zeta[large].std() == pytest.approx(zeta[~large].std(), rel=0.2)


def test_additive_noise_is_that_of_the_spread_of_a_column(wild):
    changed = under(wild, "noise", 0.05)
    ratio = (changed.points - wild.points).std(0) / wild.points.std(0)
    np.testing.assert_allclose(ratio, 0.05, rtol=0.2)
    same = noisy(wild, 0.05)
    np.testing.assert_array_equal(same.points, changed.points)
    assert same.sampling == f"{wild.sampling}, noise 5 %" and same.truth == wild.truth


def test_outliers_are_a_share_of_the_points_inside_the_range(wild):
    changed = under(wild, "outliers", 0.1)
    hit = (changed.points != wild.points).any(1)
    assert 0.04 < hit.mean() < 0.17
    assert (changed.points >= wild.points.min(0)).all()
    assert (changed.points <= wild.points.max(0)).all()


@pytest.mark.parametrize("n", [10, 200, 1000])
def test_the_number_of_points_is_as_asked_and_they_obey_the_law(problem, n):
    changed = under(problem, "points", n)
    assert changed.points.shape == (n, problem.n_variables)
    scale = np.abs(problem.truth.values(np.random.default_rng(0).normal(size=(500, 3))))
    assert np.abs(problem.truth.values(changed.points)).max() < 1e-6 * np.nanmedian(scale)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_levels_share_their_random_numbers_and_their_names_tell_them_apart(problem, condition):
    low, high = (0.1, 0.2) if condition != "points" else (250, 400)
    once, again = (under(problem, condition, low) for _ in range(2))
    other = under(problem, condition, high)
    np.testing.assert_array_equal(once.points, again.points)
    assert once.sampling == f"normal, {condition} {low:g}" != other.sampling
    if "noise" in condition:
        np.testing.assert_allclose(
            other.points - problem.points, 2 * (once.points - problem.points)
        )


@pytest.mark.parametrize("condition", ["relative noise", "noise", "outliers"])
def test_none_of_it_changes_nothing(problem, condition):
    np.testing.assert_array_equal(under(problem, condition, 0.0).points, problem.points)


def test_what_cannot_be_done_is_quoted(problem, wild):
    with pytest.raises(ValueError, match="condition is 'heat'; expected one of relative noise"):
        under(problem, "heat", 1.0)
    with pytest.raises(ValueError, match="1000 points of W01-whole; expected at most 200"):
        under(wild, "points", 1000)


@pytest.mark.parametrize(
    "condition, value, expected",
    [
        ("noise", -0.1, "noise is -0.1; expected a number, at least 0"),
        ("relative noise", np.nan, "relative noise is nan; expected a number, at least 0"),
        ("outliers", 1.5, "outliers is 1.5; expected a number, 0 to 1"),
        ("points", 0.5, "points is 0.5; expected a whole number, at least 1"),
    ],
)
def test_a_value_that_a_condition_cannot_have_is_quoted(condition, value, expected, problem):
    with pytest.raises(ValueError, match=expected):
        under(problem, condition, value)
