"""The coordinates in which points are searched."""

import numpy as np
import pytest

from pie.data.columns import column_laws
from pie.data.columns import points as points_of
from pie.data.sampling import add_noise
from pie.expr.expression import parse
from pie.network.inference import Network
from pie.expr.dimensions import Dimensions
from pie.search.cloud import Cloud, clouds, may_be_degrees
from pie.search.plus import PlusConfig, discover_plus


def none(points):
    return np.zeros(points.shape[1], bool)


def test_a_law_in_units_of_its_own_and_back_is_the_same_law(items):
    rng = np.random.default_rng(2)
    for item in items[:40]:
        d = item.points.shape[1]
        cloud = Cloud(item.points, np.exp(rng.normal(size=d)), *2 * [none(item.points)])
        value = cloud.back(item.target).values(item.points)
        there = item.target.values(cloud.points)
        known = np.isfinite(there) & np.isfinite(value) & (np.abs(there) < 1e6)
        np.testing.assert_allclose(value[known], there[known], rtol=1e-6, atol=1e-7)
        assert np.mean(np.isfinite(there) == np.isfinite(value)) > 0.95
        again = cloud.into(cloud.back(item.target)).values(cloud.points)
        np.testing.assert_allclose(again[known], there[known], rtol=1e-6, atol=1e-7)


def test_even_units_do_not_depend_on_the_users(rng):
    points = rng.standard_normal((100, 2)) * [1.0, 2.0] + 5.0
    np.testing.assert_array_equal(Cloud.even(points, none(points)).points, points)
    one, other = (Cloud.even(points * units, none(points)) for units in ([1e-3, 1e4], [1e9, 0.03]))
    np.testing.assert_allclose(one.points, other.points, rtol=1e-12)
    assert np.all((one.points.std(axis=0) > 0.9) & (one.points.std(axis=0) < 1.2))
    np.testing.assert_array_equal(Cloud.as_given(1e9 * points).points, 1e9 * points)


def test_a_few_far_points_do_not_set_the_unit(rng):
    points = rng.standard_normal((200, 2))
    points[:5, 1] = 1e4
    assert Cloud.even(points, none(points)).units[1] < 0.1 * points[:, 1].std()


@pytest.mark.parametrize(
    "low, high, may",
    [(0.0, 90.0, True), (-180.0, 180.0, True), (20.0, 70.0, True),
     (0.0, 6.0, False), (0.0, 1000.0, False), (40.0, 60.0, False)],
)  # fmt: skip
def test_columns_that_may_be_degrees_are_seen_in_radians(low, high, may, rng):
    points = np.column_stack([rng.uniform(low, high, 100), rng.standard_normal(100)])
    assert may_be_degrees(points).tolist() == [may, False]
    even = Cloud.even(points, none(points))
    if may:
        np.testing.assert_allclose(even.points[:, 0], np.radians(points[:, 0]))
        there = even.back(parse("x2 - sin(x1)")).values(points)
        np.testing.assert_allclose(there, points[:, 1] - np.sin(np.radians(points[:, 0])))


def test_a_column_with_far_values_is_no_angle(rng):
    points = rng.uniform(-40.0, 40.0, (300, 2))
    points[0, 0] = 300.0
    assert may_be_degrees(points).tolist() == [False, True]


def test_noise_is_searched_in_even_units_alone_and_exact_points_in_the_users_first(rng, cloud):
    alike = cloud("x1**2 + x2**2 - 2", variable=2)
    uneven = alike * [1.0, 1e4]
    assert [c.units.tolist() for c in clouds(alike, none(alike))] == [[1.0, 1.0]]
    first, second = clouds(uneven, none(uneven))
    assert first.units.tolist() == [1.0, 1.0] and second.units[1] > 1e3
    (only,) = clouds(add_noise(uneven, 0.01, rng), none(uneven))
    assert only.noise.seen and only.units[1] > 1e3


def test_logarithms_of_wide_columns_come_last_and_are_written_back(rng):
    x = np.exp(rng.uniform(0.0, 5.0, 60))
    points = np.column_stack([x, 2.0 * x**1.5])
    *_, last = clouds(points, none(points), (True, True))
    np.testing.assert_allclose(last.points, np.log(points))
    law = last.back(parse(f"x2 - 1.5*x1 - {np.log(2.0)}"))
    np.testing.assert_allclose(law.values(points), 0.0, atol=1e-9 * points.max())


@pytest.mark.parametrize("law_id", ["D23", "D30"])
def test_a_law_about_degrees_is_found_under_noise(law_id, root):
    law = next(
        one for one in column_laws("development", root / "data/columns") if one.law_id == law_id
    )
    model = Network.load(root / "data/models/pie-plus")
    asked = PlusConfig(proposers=("relations",))
    best = discover_plus(model, points_of(law, 200, 0.01, 0), asked).best.expression
    assert np.any(np.isclose(best.constants, np.pi / 180.0, rtol=1e-12))
    clean = points_of(law, 200, 0.0, 0)
    assert np.median(np.abs(best.values(clean))) < 0.05 * clean[:, -1].std()


def test_columns_beside_logarithms_are_in_even_units(rng):
    x = np.exp(rng.uniform(0.0, 5.0, 60))
    points = np.column_stack([x, 1e5 * rng.uniform(0.0, 1.0, 60), 2.0 * x**1.5])
    *_, last = clouds(points, none(points), (True, False, True))
    assert last.units[0] == last.units[2] == 1.0 and 1e4 < last.units[1] < 1e5
    law = last.back(parse(f"x3 - 1.5*x1 - {np.log(2.0)}"))
    np.testing.assert_allclose(law.values(points), 0.0, atol=1e-9 * points.max())


@pytest.mark.parametrize(
    "told, seen", [((True, False), [True, True]), ((False, False), [False, True]), ((), [False, True])]
)
def test_a_column_whose_unit_says_so_is_in_degrees_whatever_its_values(told, seen, rng):
    """Turns of up to 720° are angles then; what runs from 20 to 90 may be one."""
    points = np.column_stack([rng.uniform(0.0, 720.0, 80), rng.uniform(20.0, 90.0, 80)])
    dimensions = Dimensions(np.zeros((2, 0)), degrees=told)
    even = clouds(points, np.zeros(2, bool), (), dimensions)[-1]
    assert even.angles.tolist() == seen
    assert np.isclose(even.units, 180.0 / np.pi).tolist() == seen
