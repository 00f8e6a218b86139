"""Which columns have errors, and coordinates in which these are alike: logarithms of columns."""

import numpy as np
import pytest

from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.zeroset.metric import (
    SET,
    Metric,
    errors_of,
    logarithms,
    of_logarithms,
    set_columns,
    without_logarithms,
)
from pie.zeroset.spreads import robust_spreads

CASES = pytest.mark.parametrize(
    "logarithmic",
    [(False, False), (True, False), (False, True), (True, True)],
    ids=["none", "first", "last", "both"],
)


@pytest.fixture
def points(rng):
    return np.exp(rng.normal(1.0, 0.7, (40, 2)))


RANDOM = np.random.default_rng(3).uniform(0.1, 9.0, 30)
COLUMNS = {
    "few values": (np.repeat([0.0, 1.0, 2.5, 7.0], 8), True),
    "replicates, three of each": (np.repeat(RANDOM[:10], 3), True),
    "pairs": (np.repeat(RANDOM[:15], 2), False),
    "rounded": (np.round(np.sort(RANDOM) ** 1.3 / 4.0), False),
    "equal steps": (0.1 * np.arange(30) - 1.7, True),
    "equal ratios": (0.02 * 1.3 ** np.arange(30), True),
    "equal steps with replicates": (np.repeat(0.3 * np.arange(20), 2), True),
    "four equal steps": (np.arange(5.0), True),
    "three equal steps": (np.arange(4.0), False),
    "steps equal to 1e-4": (np.arange(30) + 1e-4 * RANDOM, False),
    "squares": (np.arange(30.0) ** 2, False),
    "random": (RANDOM, False),
}


@pytest.mark.parametrize("column, expected", COLUMNS.values(), ids=COLUMNS)
def test_few_values_and_equal_steps_or_ratios_were_set(column, expected, rng):
    """Whatever the units and the order of the rows."""
    points = np.column_stack([rng.standard_normal(len(column)), column])
    for seen in (points, rng.permutation(points), points * [-3.0, 0.3]):
        np.testing.assert_array_equal(set_columns(seen), [False, expected])


def test_columns_that_all_look_set_were_measured():
    """A line without noise, a time series of counts: something has to have the errors."""
    steps = np.arange(30.0)
    assert not set_columns(np.column_stack([steps, 2.0 * steps + 1.0])).any()
    assert not set_columns(np.column_stack([steps, np.repeat([1.0, 2.0, 5.0], 10)])).any()


def test_a_column_that_was_set_has_a_thousandth_of_the_errors(rng):
    points = np.column_stack([np.linspace(1.0, 4.0, 40), np.exp(rng.standard_normal(40))])
    np.testing.assert_array_equal(errors_of(points), robust_spreads(points) * [SET, 1.0])
    own = errors_of(points, np.array([False, True]))
    np.testing.assert_array_equal(own, robust_spreads(points) * [1.0, SET])
    for logarithmic in ((False, False), (True, True)):
        metric = Metric.of(points, logarithmic)
        sizes = np.where(logarithmic, points, 1.0) * metric.scale * [SET, 1.0]
        np.testing.assert_allclose(np.broadcast_to(metric.units(points), (40, 2)), sizes)


@CASES
def test_units_are_the_derivative_of_points_by_their_coordinates(points, logarithmic):
    """dx/dz of finite differences, in every column."""
    metric, step = Metric.of(points, logarithmic), 1e-6
    units = np.broadcast_to(metric.units(points), points.shape)
    there = metric.coordinates(points * (1.0 + step)) - metric.coordinates(points * (1.0 - step))
    np.testing.assert_allclose(2.0 * step * points / there, units, rtol=1e-6)


SOLVED = {
    "x1*x2 - 3.1": lambda x: 3.1 / x,
    "x2 - 1.3*x1**0.7": lambda x: 1.3 * x**0.7,
    "x2 - 0.4*x1 - exp(0 - x1)": lambda x: 0.4 * x + np.exp(-x),
    "x2**2 - x1**2 - 1": lambda x: np.sqrt(1.0 + x**2),
}


@CASES
@pytest.mark.parametrize("text", SOLVED)
def test_an_equation_holds_in_coordinates_where_it_holds_for_points(points, logarithmic, text):
    f, metric = parse(text), Metric.of(points, logarithmic)
    inside, x = metric.equation(f), points[:, 0]
    zeros = np.column_stack([x, SOLVED[text](x)])
    assert np.abs(inside.values(metric.coordinates(zeros))).max() < 1e-9
    others = inside.values(metric.coordinates(zeros * [1.0, 1.1]))
    assert np.abs(others).min() > 1e-3 and len(set(np.sign(others))) == 1


@CASES
@pytest.mark.parametrize("text", SOLVED)
def test_distances_in_coordinates_are_first_order_distances_in_units(points, logarithmic, text):
    f, metric = parse(text), Metric.of(points, logarithmic)
    x = points[:, 0]
    near = np.column_stack([x, SOLVED[text](x) * 1.0001])
    sizes = [
        np.abs(value) / np.linalg.norm(slopes * units, axis=1)
        for (value, slopes), units in (
            (f.value_and_gradient(near), metric.units(near)),
            (metric.equation(f).value_and_gradient(metric.coordinates(near)), 1.0),
        )
    ]
    np.testing.assert_allclose(*sizes, rtol=1e-3)


@pytest.mark.parametrize(
    "text, logarithmic, elsewhere",
    [("x1 + 2*x2", (True, True), [2.0, 1.0]), ("x2 - x1", (False, True), [-3.0, 3.0])],
    ids=["a sum of positive terms", "a column of both signs"],
)
def test_no_zero_is_added(points, text, logarithmic, elsewhere):
    f, metric = parse(text), Metric.of(points, logarithmic)
    assert f.values(np.array([elsewhere]))[0] != 0.0
    assert abs(metric.equation(f).values(metric.coordinates(np.array([elsewhere])))[0]) > 1e-6


@CASES
def test_coordinates_have_unit_spread(points, logarithmic):
    for spread in (np.std, robust_spreads):
        at = Metric.of(points, logarithmic, spread).coordinates(points)
        np.testing.assert_allclose(spread(at, axis=0), 1.0)


def test_a_column_that_does_not_vary_has_a_scale():
    metric = Metric.of(np.column_stack([np.full(9, 4.0), np.arange(1.0, 10.0)]))
    assert metric.scale[0] == 1.0 and metric.coordinates(np.full((1, 2), 4.0))[0, 0] == 4.0


def test_errors_of_a_share_of_the_value_are_alike_in_logarithms(rng):
    """A power law over four decades: residuals of the first and last hundred points."""
    x = np.sort(np.exp(rng.uniform(0.0, np.log(1e4), 400)))
    points = np.column_stack([x, 2.3 * x**1.6 * np.exp(0.1 * rng.standard_normal(400))])
    ratios = []
    for logarithmic in ((True, True), (False, False)):
        metric = Metric.of(points, logarithmic)
        value, slopes = parse("x2 - 2.3*x1**1.6").value_and_gradient(points)
        residual = value / np.linalg.norm(slopes * metric.units(points), axis=1)
        ratios.append(np.std(residual[-100:]) / np.std(residual[:100]))
    assert ratios[0] == pytest.approx(1.0, abs=0.3) and ratios[1] > 100.0


def test_a_product_of_powers_is_a_plane_in_logarithms(points):
    """Its gradient in these coordinates is the same everywhere."""
    metric = Metric.of(points, (True, True))
    plane = metric.equation(parse("x1**1.6*x2**0.7 - 3.1"))
    gradient = plane.value_and_gradient(metric.coordinates(points))[1]
    np.testing.assert_allclose(gradient, np.broadcast_to(gradient[0], gradient.shape), rtol=1e-9)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("x2 - 1.6*x1 - 0.8", "x2 - 2.225540928492468*x1**1.6"),
        ("x1 + x2 - 0.5", "x1*x2 - 1.6487212707001282"),
        ("2*x2 - x1", "x2 - sqrt(x1)"),
        ("x2 - 0.7*x3 - 0.5*x1", "x2 - sqrt(x1)*exp(0.7*x3)"),
        ("x2 - sin(x1)", "ln(x2) - sin(ln(x1))"),
        ("x2 - x1**2 - 0.4", "ln(x2) - ln(x1)**2 - 0.4"),
        ("x1*x2 - 1.3", "ln(x1)*ln(x2) - 1.3"),
    ],
    ids=["power", "product", "root", "exponential", "sine", "parabola", "hyperbola"],
)
def test_an_equation_in_logarithms_is_written_without_them_where_it_can_be(text, expected):
    logarithmic = (True, True, False) if "x3" in text else (True, True)
    found, other = of_logarithms(parse(text), logarithmic), canonical(parse(expected))
    assert canonical(found).codes == other.codes
    np.testing.assert_allclose(canonical(found).constants, other.constants, rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["x2 - 1.6*x1 - 0.8", "x2 - sin(x1)", "x1**2 + x2**2 - 1", "x1*x2 - x1 - 0.3"]
)
@pytest.mark.parametrize("logarithmic", [(True, True), (True, False), (False, True)], ids=str)
def test_there_and_back_is_the_same_law(points, text, logarithmic):
    """Zeros of f(z) are those of the equation in x: values have equal signs on both sides."""
    f = parse(text)
    written = of_logarithms(f, logarithmic)
    with np.errstate(all="ignore"):
        inside, outside = f.values(logarithms(points, logarithmic)), written.values(points)
    known = np.isfinite(inside) & np.isfinite(outside)
    assert known.all()
    signs = np.sign(inside) * np.sign(outside)
    assert abs(signs.sum()) == len(points), "one sign for all, as f and −f have the same zeros"


def test_columns_that_are_not_logarithmic_may_be_negative():
    points = np.array([[1.0, -2.0], [np.e, 0.0]])
    np.testing.assert_allclose(logarithms(points, (True, False)), [[0.0, -2.0], [1.0, 0.0]])
    assert logarithms(points, (False, False)) is points


def test_logarithms_of_one_column_add_up():
    assert str(canonical(without_logarithms(parse("ln(x2) + ln(x2) - x1")))) == "x2 - exp(0.5*x1)"
    gone = parse("ln(x2) - ln(x2) + x1 - 1")
    assert without_logarithms(gone) == gone
