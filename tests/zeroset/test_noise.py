"""The noise of a cloud without a law: its level is found, and none is seen where there is none."""

import numpy as np
import pytest

from pie.zeroset.noise import noise_of, noise_of_replicates


def circle(rng, n):
    t = rng.uniform(0.0, 2.0 * np.pi, n)
    return np.column_stack([np.cos(t), np.sin(t)])


def wave(rng, n):
    x = rng.uniform(-3.0, 3.0, n)
    return np.column_stack([x, np.sin(1.5 * x)])


def saddle(rng, n):
    x, y = rng.uniform(-1.0, 1.0, (2, n))
    return np.column_stack([x, y, x * y])


def sphere(rng, n):
    points = rng.standard_normal((n, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


CLOUDS = [circle, wave, saddle, sphere]


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("level", [0.001, 0.01, 0.05])
def test_the_level_of_noise_is_found(cloud, level):
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        points = cloud(rng, 300)
        found.append(noise_of(points + level * rng.standard_normal(points.shape)))
    seen = [noise for noise in found if noise.seen]
    if cloud is sphere and level == 0.001:  # 300 points are too few to tell it from curvature
        assert all(noise.high > level for noise in found)
        return
    assert len(seen) >= 16
    covered = [noise.low <= level <= noise.high for noise in seen]
    assert np.mean(covered) >= 0.85
    assert np.median([noise.level for noise in seen]) == pytest.approx(level, rel=0.1)
    assert all(noise.high < 2.0 * noise.low for noise in seen)


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("n", [40, 300, 2000])
def test_exact_points_have_none(cloud, n, rng):
    noise = noise_of(cloud(rng, n))
    assert not noise.seen
    assert np.isnan(noise.level) or 0.0 == noise.low < noise.high < 0.1
    assert str(noise).startswith(("at most", "not known"))


def test_a_line_is_exact_to_rounding(rng):
    x = rng.uniform(0.0, 1.0, 100)
    noise = noise_of(np.column_stack([x, 3.0 * x + 1.0]))
    assert noise.low == 0.0 and noise.high == 1e-8


def test_a_tenth_of_outliers_changes_little(rng):
    points = circle(rng, 300) + 0.01 * rng.standard_normal((300, 2))
    points[::10] = rng.uniform(-2.0, 2.0, (30, 2))
    noise = noise_of(points)
    assert noise.seen and noise.level == pytest.approx(0.01, rel=0.3)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_points_without_a_law_have_an_unknown_noise(d, rng):
    noise = noise_of(rng.standard_normal((200, d)))
    assert np.isnan(noise.level) and not noise.seen
    assert str(noise).startswith("not known")


@pytest.mark.parametrize("n", [3, 6, 12])
def test_few_points_tell_nothing(n, rng):
    assert np.isnan(noise_of(circle(rng, n)).level)


def test_many_points_cost_little_more(rng):
    points = circle(rng, 20_000) + 0.01 * rng.standard_normal((20_000, 2))
    noise = noise_of(points)
    assert noise.low <= 0.01 <= noise.high


@pytest.mark.parametrize("replicates, seen", [(1, True), (2, True), (20, False)])
def test_errors_in_one_column_beside_a_column_that_was_set(replicates, seen, rng):
    """In units of a thousandth of the spread of x; of 20 replicates no patch has an extent in x."""
    x = np.repeat(np.linspace(0.0, 1.0, 200 // replicates), replicates)
    points = np.column_stack([1000.0 * x, np.exp(x) + 0.05 * rng.standard_normal(200)])
    noise = noise_of(points)
    assert noise.seen == seen
    assert not seen or noise.low < 0.05 < noise.high


@pytest.mark.parametrize("replicates", [2, 6, 20])
def test_replicates_scatter_by_their_errors(replicates, rng):
    x = np.repeat(np.linspace(0.0, 1.0, 200 // replicates), replicates)
    y = np.exp(x) + 0.05 * rng.standard_normal(len(x))
    noise = noise_of_replicates(np.column_stack([1000.0 * x, y]))
    assert noise.seen and noise.low < 0.05 < noise.high


def test_whole_numbers_in_a_column_are_no_sign_of_exact_points(rng):
    x = rng.integers(0, 20, 400)
    points = np.column_stack([x, np.sin(0.15 * x) + 0.05 * rng.standard_normal(400)])
    noise = noise_of_replicates(points)
    assert noise.low < 0.05 < noise.high


def test_rows_that_stand_there_twice_are_no_replicates(rng):
    points = np.repeat(circle(rng, 100), 2, axis=0)
    assert noise_of_replicates(points) is None and noise_of_replicates(circle(rng, 100)) is None


def test_mirrored_rows_are_no_replicates():
    x = np.linspace(0.1, 1.0, 30)
    x = np.concatenate([-x, x])
    assert noise_of_replicates(np.column_stack([x, x**2])) is None
