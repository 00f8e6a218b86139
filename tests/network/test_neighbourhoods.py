"""What neighbours tell of a point, as inputs of the network."""

import numpy as np
import pytest

from pie.network.config import ModelConfig
from pie.network.neighbourhoods import channels, with_neighbourhoods

SIZES = (6,)
HALF = 0.02  # what half precision does to channels of a few spreads


def told(points, sizes=SIZES):
    """Channels of one cloud (N, D), padded to three columns: (N, C), by name."""
    padded = np.zeros((1, len(points), 3))
    padded[0, :, : points.shape[1]] = points
    found = with_neighbourhoods(padded, sizes)[0].astype(float)
    np.testing.assert_allclose(found[:, :3], padded[0], rtol=1e-6)
    assert found.shape[1] == 3 + channels(3, sizes)
    names = dict(spreads=3, logarithms=3, normal=6, elasticity=3, noise=1, radius=1)
    ends = np.cumsum([3, *names.values()])
    return {name: found[:, a:b] for name, a, b in zip(names, ends, ends[1:], strict=False)}


def test_the_normal_is_that_of_the_zero_set(rng):
    """That of a plane, by singular values; and of a line, with nothing in the padded column."""
    x, y = rng.standard_normal((2, 300))
    plane = np.column_stack([x, y, -(x + y) / np.sqrt(2.0)])
    plane /= plane.std(axis=0)
    normal = np.linalg.svd(plane - plane.mean(axis=0))[2][2]
    expected = 2.0 * np.outer(normal, normal)[np.triu_indices(3)] - 0.5
    np.testing.assert_allclose(told(plane)["normal"], np.tile(expected, (300, 1)), atol=HALF)
    line = np.median(told(np.column_stack([x, 3.0 * x]))["normal"], axis=0)
    np.testing.assert_allclose(line, [0.5, -1.5, -0.5, 0.5, -0.5, -0.5], atol=HALF)


def test_elasticities_of_a_power_law_are_constant(rng):
    """x² y³ = 1 has x ∂f/∂x to y ∂f/∂y as 2 to 3 everywhere."""
    x = np.exp(rng.uniform(-0.5, 0.5, 300))
    found = 3.0 * told(np.column_stack([x, x ** (-2.0 / 3.0)]))["elasticity"]
    assert np.median(found[:, 1] - found[:, 0]) == pytest.approx(np.log(1.5), abs=HALF)
    assert np.ptp(np.quantile(found[:, 1], [0.1, 0.9])) < 3 * HALF


def test_noise_and_density_are_seen(rng):
    t = rng.uniform(0.0, 6.28, 300)
    circle = np.column_stack([np.cos(t), np.sin(t)])
    noisy = circle + 0.05 * rng.standard_normal(circle.shape)
    clean, disturbed = (np.median(told(points)["noise"]) for points in (circle, noisy))
    assert clean < disturbed - 0.3
    few, many = (np.median(told(points)["radius"]) for points in (circle[:50], circle))
    assert many < few - 0.3


def test_repeated_points_and_the_order_of_points_change_nothing(rng):
    points = rng.standard_normal((40, 2))
    order = rng.permutation(np.repeat(np.arange(40), 5))
    once, often = told(points), told(points[order])
    for name, values in once.items():
        np.testing.assert_allclose(often[name], values[order], atol=1e-5, err_msg=name)


def test_a_dense_patch_beside_a_far_point_has_its_normal():
    """Of y = 2x, also where a third column is padding or constant."""
    x = np.append(np.linspace(0.05, 0.1, 199), 3e4)
    line = np.column_stack([x, 2.0 * x])
    for points in (line, np.column_stack([line, np.full(200, 0.1)])):
        normal = np.median(told(points, (24,))["normal"], axis=0)
        np.testing.assert_allclose(normal, [0.5, -1.5, -0.5, 0.5, -0.5, -0.5], atol=HALF)


def test_elasticities_do_not_depend_on_units(rng):
    x = np.exp(rng.uniform(-0.5, 0.5, 100))
    law = np.column_stack([x, x**-2.0])
    once, other = (told(law * units)["elasticity"] for units in ([1, 1], [2.0**-10, 2.0**10]))
    np.testing.assert_allclose(once, other, atol=1e-4)


@pytest.mark.parametrize("points", [np.zeros((5, 2)), np.full((3, 2), 1e9), np.eye(2)])
def test_clouds_without_a_shape_have_finite_inputs(points):
    assert all(np.isfinite(values).all() for values in told(points).values())


@pytest.mark.parametrize("sizes", [(1,), (8, 0), (-3,)])
def test_a_neighbourhood_has_two_points_at_least(sizes):
    with pytest.raises(ValueError, match="neighbourhoods is .*; expected sizes of at least 2"):
        ModelConfig(neighbourhoods=sizes)


def test_without_sizes_points_stay_as_they_are(rng):
    points = rng.standard_normal((2, 5, 3)).astype(np.float32)
    assert with_neighbourhoods(points, ()) is points and channels(3, ()) == 0
