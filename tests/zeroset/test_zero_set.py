import numpy as np
import pytest

from pie.expr.expression import parse
from pie.zeroset.distance import distance_to_zero_set, first_order
from pie.zeroset.roots import points_on_zero_set


@pytest.mark.parametrize(
    "text, variable",
    [
        ("x1*x2 - 0.5", 1), ("x1/x2 - 2", 2), ("3 - x1**2 - x2**2", 1), ("exp(x1) - x2**2 - 1", 1),
        ("log(x1*x2) + 1", 2), ("sin(x1) - 0.3*cos(x2)", 1), ("sqrt(x1) - x2**2", 1),
        ("cos(x1/x2) - 0.2", 2), ("x1**1.5 - exp(x2)", 1), ("x1**5 + x2 + 3", 1),
        ("2 - x1 - x2", 2), ("(1 + x1)/(2 - x2**3) - 0.4", 2), ("x1**4 - 1 - x2**2", 1),
        ("2**x1 - 3 - x2**2", 1),
    ],
)  # fmt: skip
def test_a_variable_that_occurs_once_is_inverted_exactly(text, variable, rng):
    f = parse(text)
    points = points_on_zero_set(f, rng.standard_normal((200, 2)), variable, rng)
    assert len(points) > 40
    np.testing.assert_allclose(f.values(points), 0.0, atol=1e-7)


@pytest.mark.parametrize(
    "text", ["x1**2 + x1*x2 - 1", "x1*exp(x1) - x2**2", "x1 + sin(x1) - x2", "x1**3 - x1 - x2/4"]
)
def test_a_variable_that_occurs_twice_is_bracketed(text, rng):
    f = parse(text)
    points = points_on_zero_set(f, rng.standard_normal((200, 2)), 1, rng)
    assert len(points) > 150
    np.testing.assert_allclose(f.values(points), 0.0, atol=1e-9)


def test_poles_are_not_roots(rng):
    # 1/(x1·x2) + x1²/x1² changes sign at x1 = 0 without a zero there
    f = parse("1/(x1*(x1**2 + 1)) + 0*x2")
    assert len(points_on_zero_set(f, rng.standard_normal((200, 2)), 1, rng)) == 0


@pytest.mark.parametrize("text", ["x1**2 - x2**2 - 1", "x1**2 + 0.001*x1 - x2**2 - 1"],
                         ids=["inverted", "bracketed"])  # fmt: skip
def test_roots_are_spread_over_the_branches(text, rng):
    points = points_on_zero_set(parse(text), rng.standard_normal((400, 2)), 1, rng)
    assert 0.4 < np.mean(points[:, 0] > 0) < 0.6


def test_sine_has_several_branches(rng):
    points = points_on_zero_set(parse("sin(x1) - x2/9"), rng.standard_normal((400, 2)), 1, rng)
    assert len(np.unique(np.round(points[:, 0] / np.pi))) >= 5


def test_no_roots_no_points(rng):
    starts = rng.standard_normal((50, 2))
    assert len(points_on_zero_set(parse("x1**2 + x2**2 + 1"), starts, 1, rng)) == 0
    assert len(points_on_zero_set(parse("x1 + 0*x2 - 1e9"), starts, 1, rng)) == 0  # beyond half


def test_the_distance_to_a_circle_is_exact(rng):
    points = rng.uniform(0.5, 3, (100, 2))
    distance = distance_to_zero_set(parse("x1**2 + x2**2 - 1"), points)
    np.testing.assert_allclose(distance, np.abs(np.linalg.norm(points, axis=1) - 1), atol=1e-6)


@pytest.mark.parametrize("unit", [1e-16, 1e-8, 1e8])
def test_distances_are_alike_in_every_unit(unit, rng):
    points = rng.uniform(0.5, 3.0, (50, 2))
    scaled = distance_to_zero_set(parse(f"x1**2 + x2**2 - {unit**2!r}"), unit * points) / unit
    np.testing.assert_allclose(scaled, np.abs(np.linalg.norm(points, axis=1) - 1.0), atol=1e-6)


def test_an_exploding_gradient_is_not_close():
    # |f|/|∇f| is 1e-3 everywhere, but the nearest zero is far away
    f = parse("exp(1000*x1) - exp(-5000) + 0*x2")
    assert distance_to_zero_set(f, np.array([[0.5, 0.0]]))[0] > 1.0


@pytest.mark.parametrize("text", ["0*x1 + 0*x2", "x1**2 + x2**2 + 1", "log(x1) + x2"],
                         ids=["zero everywhere", "never zero", "undefined"])  # fmt: skip
def test_without_a_zero_the_distance_is_infinite(text):
    assert distance_to_zero_set(parse(text), np.array([[-1.0, 0.5]]))[0] == np.inf


@pytest.mark.parametrize("units", [1.0, (0.3, 20.0, 1.0)], ids=["alike", "of their own"])
@pytest.mark.parametrize("scale", [1.0, -1e200], ids=["as it is", "huge"])
def test_the_first_order_distance_to_a_plane_is_exact(units, scale, rng):
    """Signed, in units of the columns, whatever the scale of f."""
    plane = parse(f"{scale}*(2*x1 - 3*x2 + x3 - 0.7)")
    points, slopes = rng.standard_normal((40, 3)), np.array([2.0, -3.0, 1.0]) * units
    residual, normal = first_order(plane, points, np.array(units))
    expected = (points @ [2.0, -3.0, 1.0] - 0.7) / np.linalg.norm(slopes)
    np.testing.assert_allclose(residual, np.sign(scale) * expected, rtol=1e-9)
    unit = np.sign(scale) * slopes / np.linalg.norm(slopes)
    np.testing.assert_allclose(normal, np.broadcast_to(unit, (40, 3)), rtol=1e-9)
    if units == 1.0 == scale:
        np.testing.assert_allclose(np.abs(residual), distance_to_zero_set(plane, points))


@pytest.mark.parametrize(
    "text, at",
    [("x1*x2", 0.0), ("sqrt(x1) - sqrt(x2)", 0.0), ("log(x1) - x2", -1.0), ("1/x1 - x2", 0.0)],
    ids=["both vanish", "infinite in every column", "undefined", "pole"],
)
def test_without_a_gradient_there_is_no_first_order_distance(text, at):
    """Only there: next to it there is one."""
    near = np.array([[at, 0.0], [1.3, 0.4]])
    residual, normal = first_order(parse(text), near)
    assert np.isnan(residual[0]) and np.isfinite(residual[1]) and np.isfinite(normal[1]).all()


@pytest.mark.parametrize("text", ["x2 - 1.5*sqrt(x1)", "2*x2 - 3*x1**0.3", "x1**0.5/x2 - 0.6"])
def test_where_a_slope_is_infinite_the_distance_is_along_the_other_columns(text):
    """At x1 = 0, where a root is vertical: points on the curve, and 0.2 above it."""
    f, points = parse(text), np.array([[0.0, 0.0], [0.0, 0.2]])
    if "/" in text:  # 0 = 0.6 there, wherever x2 is
        assert np.isnan(first_order(f, points)[0]).all()
        return
    np.testing.assert_allclose(first_order(f, points, np.array([7.0, 0.5]))[0], [0.0, 0.4])
    np.testing.assert_allclose(distance_to_zero_set(f, points), [0.0, 0.2])
