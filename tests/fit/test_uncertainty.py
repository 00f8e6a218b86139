"""Standard errors of constants, and which constants the points do not ask for."""

import numpy as np
import pandas as pd
import pytest

from pie.data.sampling import add_noise, add_outliers, drawn
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.expr.known_numbers import free_numbers, known_numbers
from pie.fit.sampson_fits import fit_sampson
from pie.fit.uncertainty import (
    expected_residual,
    leverages,
    neighbours_correlation,
    polished,
    rms_distance,
    simplified,
    standard_errors,
    usual_points,
    with_whole_numbers,
)
from pie.zeroset.box import Box

ELLIPSE = "x1**2 + 2.3*x2**2 - 4"
BOX = Box(np.array([-3.0, -3.0]), np.array([3.0, 3.0]))


def five(equation):
    """Nats of the numbers of an equation, 5 for each that is fitted."""
    return 5.0 * free_numbers(equation).shape[1]


def noisy(text, level, seed, n=200):
    rng = np.random.default_rng(seed)
    return add_noise(drawn(parse(text), "whole", n, BOX, rng), level, rng)


def test_errors_are_of_all_points_where_a_third_would_be_outliers(root):
    """Kepler's law of nine planets: heavy ones are off by their masses, which are no blunders."""
    planets = pd.read_csv(root / "data/real/planets.csv")[["axis", "period"]].to_numpy()
    (error,) = standard_errors(parse("x2 - x1**1.49982"), planets, planets.std(axis=0))
    assert 1e-6 < error < 1e-4, "without Jupiter, Saturn and Uranus it is 1.3e-7"


@pytest.mark.parametrize("level", [0.003, 0.02])
@pytest.mark.parametrize(
    "text", [ELLIPSE, "x1*x2 - 1.7", "x2 - 0.8*exp(0.6*x1)", "x2 - 0.9*sin(x1)"]
)
def test_intervals_hold_the_truth_as_often_as_they_say(text, level):
    """95 % intervals: 1.96 standard errors around the constants of 200 noisy fits."""
    truth = canonical(parse(text))
    held = []
    for seed in range(200):
        points = noisy(text, level, seed, n=100)
        units = points.std(axis=0)
        found = polished(truth, points, units)
        off = np.abs(np.array(found.constants) - truth.constants)
        held.append(off <= 1.96 * standard_errors(found, points, units))
    assert 0.90 <= np.mean(held) <= 0.98, np.mean(held, axis=0)


def test_errors_follow_the_noise_and_the_number_of_points():
    truth = canonical(parse(ELLIPSE))

    def error(level, n):
        points = noisy(ELLIPSE, level, 3, n)
        return standard_errors(truth, points, points.std(axis=0))

    assert error(0.02, 200) / error(0.01, 200) == pytest.approx([2.0, 2.0], rel=0.3)
    assert error(0.01, 100) / error(0.01, 400) == pytest.approx([2.0, 2.0], rel=0.3)


def test_errors_are_in_the_units_of_their_constants():
    """The same ellipse in millimetres: its axis ratio has the same error, its size 10⁶ times it."""
    points = noisy(ELLIPSE, 0.01, 3)
    metres = standard_errors(canonical(parse(ELLIPSE)), points, points.std(axis=0))
    law, points = canonical(parse("x1**2 + 2.3*x2**2 - 4e6")), 1e3 * points
    millimetres = standard_errors(law, points, points.std(axis=0))
    np.testing.assert_allclose(millimetres, metres * [1.0, 1e6], rtol=1e-6)


def test_a_constant_that_nothing_determines_has_an_infinite_error():
    points = noisy("x1**2 + x2**2 - 4", 0.01, 0)
    twice = parse("x1**2 + 1*x2**2 - 1.6*2.5")  # only the product matters
    assert np.all(np.isinf(standard_errors(twice, points, points.std(axis=0))))


@pytest.mark.parametrize("skeleton", ["x2 - 1.0*x1**0.7 - 1.0", "x2 - 1.0*sqrt(x1) - 1.0"])
def test_a_root_is_fitted_with_rows_at_0(skeleton, rng):
    """Where it is vertical, a row tells what the other column is; without it errors are larger."""
    x = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 7.0, 11.0, 16.0])
    points = np.column_stack([x, 2.0 * np.sqrt(x) + 3.0 + 0.05 * rng.standard_normal(len(x))])
    (found,) = fit_sampson([parse(skeleton)], points)
    law, units = polished(found.expression, points, np.ones(2)), np.ones(2)
    np.testing.assert_allclose(law.values(points), 0.0, atol=0.2)
    assert usual_points(law, points, units).all()
    errors, without = (standard_errors(law, p, units) for p in (points, points[3:]))
    assert np.all(errors[-1] < 0.7 * without[-1])


def test_errors_are_known_where_squares_of_gradients_overflow(rng):
    x = rng.uniform(1.0, 2.0, 40)
    points = np.column_stack([1.5 * x + 0.01 * rng.standard_normal(40), x, np.ones(40)])
    law, units = parse("exp(x3)*(x1 - 1.5*x2)"), np.ones(3)
    errors = [standard_errors(law, points * [1.0, 1.0, k], units) for k in (100.0, 370.0)]
    np.testing.assert_allclose(*errors, rtol=1e-3)
    assert np.isfinite(errors).all()


def test_a_constant_may_change_its_sign(rng):
    x = rng.uniform(-1.0, 1.0, 50)
    points = np.column_stack([x, np.exp(0.7 * x) - 0.3])
    found = polished(parse("x2 - exp(0.9*x1) - 0.2"), points, np.ones(2))
    assert found.constants == pytest.approx((0.7, -0.3), abs=1e-9)


def test_outliers_do_not_move_a_polished_fit(rng):
    points = add_outliers(noisy(ELLIPSE, 0.001, 1), 0.05, rng)
    near = parse("x1**2 + 2.32*x2**2 - 4.05")
    found = polished(near, points, points.std(axis=0))
    np.testing.assert_allclose(np.abs(found.constants), (2.3, 4.0), rtol=5e-3)
    assert rms_distance(found, points, points.std(axis=0)) < 0.01


@pytest.mark.parametrize(
    "law, overfitted",
    [
        ("x1**2 + x2**2 - 4", "x1**2 + 1.01*x2**2 - 4"),
        ("x1**2 + x2**2 - 4", "x1**2 + 1*x2**2 + 0.01*x1 + 0.01*x2 - 4"),
        ("x1 - x2**2 + 2", "x1 - 1*x2**2.02 + 2"),
        ("x1*x2 - 1", "x1*x2 + 0.01*x2 - 1.01"),
    ],
)  # fmt: skip
def test_constants_within_their_error_of_0_1_or_a_half_integer_are_dropped(law, overfitted):
    rng = np.random.default_rng(5)
    box = BOX if "2.02" not in overfitted else Box(np.array([-3.0, 0.1]), np.array([3.0, 3.0]))
    points = add_noise(drawn(parse(law), "whole", 200, box, rng), 0.01, rng)
    units = points.std(axis=0)
    (fit,) = fit_sampson([canonical(parse(overfitted))], points, warm=True)
    found = simplified(canonical(fit.expression), points, units, five)
    assert found.codes == canonical(parse(law)).codes, str(found)


def test_constants_that_are_1_together_are_dropped_together():
    """Each is five standard errors from 1 when the other is not: errors of x move both."""
    law = parse("x1 + x2**3 - x1*exp(x2)")
    box = Box(np.array([0.05, 0.2]), np.array([1.5, 4.0]))
    rng = np.random.default_rng(3)
    points = add_noise(drawn(law, "free_box", 100, box, rng), 0.01, rng)
    units = points.std(axis=0)
    (fit,) = fit_sampson([parse("x1 + 0.9*x2**3 - 0.9*x1*exp(x2)")], points, warm=True)
    assert all(c != 1.0 and abs(c - 1.0) < 0.1 for c in fit.expression.constants)
    assert simplified(canonical(fit.expression), points, units, five).codes == canonical(law).codes


def free_points(law, box, level, n=200):
    rng = np.random.default_rng(4)
    return add_noise(drawn(law, "free_box", n, box, rng), level, rng)


def factored(text, start):
    """Points of a law with 1 % of noise, a fit of another form, and that form simplified."""
    rng, box = np.random.default_rng(1), Box(np.full(3, 0.5), np.full(3, 3.0))
    points = add_noise(drawn(parse(text), "free_box", 150, box, rng), 0.01, rng)
    (fit,) = fit_sampson([parse(start)], points, warm=True)
    form = canonical(fit.expression)
    return form, simplified(form, points, points.std(axis=0), five)


@pytest.mark.parametrize(
    "product, expanded",
    [("(x1*x2**2 + 3)*(x2 - 1/3) - 2.67*x2**2*x3",
      "x1*x2**3 - 0.33*x1*x2**2 + 3.05*x2 - 1.02 - 2.67*x2**2*x3"),
     ("x3**2 - 1.6*(x1 + 0.5)*(x2 - 0.7)", "x3**2 - 1.6*x1*x2 + 1.1*x1 - 0.8*x2 + 0.55")],
)  # fmt: skip
def test_four_terms_that_are_a_product_have_a_constant_less(product, expanded):
    form, found = factored(product, expanded)
    assert found.codes == canonical(parse(product)).codes
    assert len(found.constants) == len(form.constants) - 1


@pytest.mark.parametrize(
    "law, fitted",
    [
        ("x1 - 2.3*sqrt(1 - x2**2)", 1),
        ("x1 - 2.3*(1 - exp(-0.8*x2))", 2),
        ("x1 - 2.3*x2**1.5 - 0.4", 2),
        ("x1 - 2.3*cos(2.6*x2)", 2),
        ("x1 - 2.3*x2**1.7/(0.6 + x2**1.7)", 3),
    ],
)
def test_known_and_equal_numbers_are_not_fitted(law, fitted):
    """From a fit in which every constant is a number of its own."""
    truth, box = canonical(parse(law)), Box(np.array([-9.0, 0.1]), np.array([9.0, 0.9]))
    if "cos" in law:
        truth = canonical(parse("x1 - 2.3*sin(2.6*x2 + 1.55)"))
    points = free_points(parse(law), box, 0.005)
    (fit,) = fit_sampson([truth], points, warm=True)
    assert free_numbers(fit.expression).shape[1] > fitted
    found = simplified(canonical(fit.expression), points, points.std(axis=0), five)
    assert free_numbers(found).shape[1] == fitted, str(found)


def test_numbers_that_are_not_quite_equal_stay():
    law = canonical(parse("x1 - 2.3 + 2.6*exp(-0.8*x2)"))
    points = free_points(law, Box(np.array([-9.0, 0.1]), np.array([9.0, 0.9])), 0.005)
    assert free_numbers(simplified(law, points, points.std(axis=0), five)).shape[1] == 3


def test_equal_numbers_are_fitted_and_err_together():
    law = canonical(parse("x1 - 2.3*(1 - exp(-0.8*x2))"))
    points = free_points(law, Box(np.array([-9.0, 0.1]), np.array([9.0, 0.9])), 0.005)
    found = polished(law.with_constants([2.4, -0.7, -2.4]), points, points.std(axis=0))
    assert found.constants[0] == -found.constants[2] == pytest.approx(2.3, abs=0.2)
    errors = standard_errors(found, points, points.std(axis=0))
    assert errors[0] == errors[2] > 0.0


def test_a_product_is_found_where_a_term_is_0_at_some_points():
    """Six values of x1, one of them 0: the ratio of the terms is 0/0 there."""
    rng = np.random.default_rng(0)
    x, z = np.repeat(np.arange(6) * 0.5, 30), rng.uniform(0.5, 3.0, 180)
    y = (1.3 + 0.7 * x) * (2.1 + 0.9 * z)
    points = add_noise(np.column_stack([x, z, y]), 0.01, rng)
    (fit,) = fit_sampson([parse("x3 - 0.63*x1*x2 - 1.47*x1 - 1.17*x2 - 2.73")], points, warm=True)
    found = simplified(canonical(fit.expression), points, points.std(axis=0), five)
    assert found.codes == canonical(parse("x3 - 0.6*(x1 + 1.8)*(x2 + 2.3)")).codes


def test_four_terms_that_are_nearly_a_product_stay():
    law = "x3**2 - 1.6*x1*x2 + 1.12*x1 - 0.8*x2 + 0.49"  # 0.56 would make it one
    form, found = factored(law, law)
    assert found.codes == form.codes


def test_a_small_constant_of_large_numbers_stays():
    """Planck's law: without its cube all distances are next to nothing, as exp is steep."""
    rng = np.random.default_rng(2)
    x = rng.uniform(10.0, 650.0, 150)
    law = canonical(parse("x1 + 1.3e-8*x2**3 - x1*exp(0.0145*x2)"))
    points = np.column_stack([1.3e-8 * x**3 / np.expm1(0.0145 * x), x])
    points = add_noise(points, 0.01, rng)
    assert simplified(law, points, points.std(axis=0), five).codes == law.codes


def test_constants_that_matter_stay():
    points = noisy(ELLIPSE, 0.001, 2)
    truth = canonical(parse(ELLIPSE))
    assert simplified(truth, points, points.std(axis=0), five).codes == truth.codes


def test_an_equation_without_constants_is_left_as_it_is():
    points = noisy("x1 - x2", 0.01, 0)
    assert simplified(parse("x1 - x2"), points, points.std(axis=0), five) == parse("x1 - x2")


def test_points_on_a_plane_say_nothing_of_the_other_constants():
    """x1·(x2 − 0.8·x1 − 1.3) = 0, noisy but for its points with x1 = 0, which are exact."""
    line = noisy("x2 - 0.8*x1 - 1.3", 0.02, 0, n=80)
    plane = np.column_stack([np.zeros(120), np.linspace(-3.0, 3.0, 120)])
    every, units = np.concatenate([line, plane]), line.std(axis=0)
    law, product = parse("x2 - 0.8*x1 - 1.3"), parse("x1*x2 - 0.8*x1**2 - 1.3*x1")
    assert usual_points(product, every, units).sum() > 195
    alone, together = standard_errors(law, line, units), standard_errors(product, every, units)
    np.testing.assert_allclose(together, alone, rtol=0.05)
    fits = polished(law, line, units), polished(product, every, units)
    np.testing.assert_allclose(*(np.abs(f.constants) for f in fits), rtol=2e-3)


def test_whole_numbers_are_exact_where_the_fit_is():
    angle = np.linspace(0.0, 6.0, 50)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    nearly = parse("x1**2 + 0.99999999999*x2**2 - 1.00000000002")
    assert with_whole_numbers(nearly, circle, np.ones(2)).constants == (1.0, 1.0)
    noisy_circle = circle + 1e-3 * np.random.default_rng(0).standard_normal(circle.shape)
    assert with_whole_numbers(nearly, noisy_circle, np.ones(2)) == nearly
    wrong = parse("x1**2 + x2**2 - 1.00001")
    assert with_whole_numbers(wrong, circle, np.ones(2)) == wrong


# ---- leverages, expected residuals, neighbours ----

FLAT = np.array([1e4, 1.0])  # units in which distances are along the last column


@pytest.fixture
def line(rng):
    x = rng.uniform(-1.0, 3.0, 14)
    points = np.column_stack([x, 0.7 * x + 1.3 + 0.1 * rng.standard_normal(14)])
    points[0] = 9.0, 8.0  # a lever
    return points


def least_squares(points):
    slope, level = np.polyfit(*points.T, 1)
    return parse(f"x2 - {slope:.15g}*x1 - {level:.15g}")


def test_leverages_are_those_of_refits_without_each_point(line):
    """r/(1 − h) is the distance from the line of all other points, exactly, as it is linear."""
    h = leverages(least_squares(line), line, np.array([1e-6, 1.0]))
    own = least_squares(line).values(line)
    others = [least_squares(np.delete(line, n, 0)) for n in range(len(line))]
    out = [f.values(point[None])[0] for f, point in zip(others, line, strict=True)]
    np.testing.assert_allclose(own / (1.0 - h), out, rtol=1e-6)
    assert h.sum() == pytest.approx(2.0), "as many as there are constants"
    assert h.argmax() == 0 and h[0] > 0.5


def test_leverages_of_orthogonal_distances_are_nearly_those_of_refits():
    """A small ellipse: both constants are fitted again without each point."""
    points = noisy(ELLIPSE, 0.02, 4, n=25)
    units = points.std(axis=0)
    whole = polished(canonical(parse(ELLIPSE)), points, units)

    def residual(f, points):
        value, slopes = f.value_and_gradient(points)
        return value / np.linalg.norm(slopes * units, axis=1)

    out = [
        residual(polished(whole, np.delete(points, n, 0), units), points[n : n + 1])[0]
        for n in range(len(points))
    ]
    h, own = leverages(whole, points, units), residual(whole, points)
    assert h.sum() == pytest.approx(2.0)
    first_order = np.abs(own / (1.0 - h) - out)
    assert np.median(first_order) < 0.1 * np.median(np.abs(own - out)), "h explains nearly all"


def test_nothing_fitted_has_no_leverage_and_constants_that_count_once_do(line):
    assert not leverages(parse("x2 - x1"), line, np.ones(2)).any()
    once, twice = parse("x2 - 0.7*x1"), parse("x2 - 0.7*1.2*x1")
    np.testing.assert_allclose(leverages(once, line, FLAT), leverages(twice, line, FLAT))


def test_points_where_f_is_not_defined_have_no_leverage(line):
    h = leverages(parse("x2 - 0.7*ln(x1)"), line, np.ones(2))
    assert np.array_equal(h > 0.0, line[:, 0] > 0.0) and h.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["x2 - 0.7*x1 - 1.3", "x1*x2 - 1.7", "x2 - 0.8*exp(0.6*x1)"])
@pytest.mark.parametrize("errors", [(0.003, 0.0), (0.0, 0.003), (0.002, 0.004)], ids=str)
def test_the_expected_residual_is_that_of_points_with_such_errors(text, errors):
    rng, f = np.random.default_rng(0), parse(text)
    points = drawn(f, "whole", 4000, Box(np.array([0.5, 0.5]), np.array([3.0, 3.0])), rng)
    units = points.std(axis=0)
    off = points + np.array(errors) * rng.standard_normal(points.shape)
    expected = expected_residual(f, points, units, np.array(errors))
    assert expected == pytest.approx(rms_distance(f, off, units, np.ones(4000, bool)), rel=0.05)


def test_expected_residuals_are_of_points_where_f_is_defined():
    points = np.array([[-1.0, 0.0], [1.0, 1.0], [4.0, 2.0]])
    f, errors = parse("x2 - sqrt(x1)"), np.array([0.0, 0.01])
    both = expected_residual(f, points[1:], np.ones(2), errors)
    assert expected_residual(f, points, np.ones(2), errors) == pytest.approx(both, abs=0.0)
    assert both > expected_residual(f, points[:1], np.ones(2), errors) == 0.0


def test_neighbours_of_noise_are_uncorrelated_and_those_of_a_wrong_law_are_alike(rng):
    x = rng.uniform(0.0, 6.0, 400)
    white = np.column_stack([x, 0.01 * rng.standard_normal(400)])
    smooth = np.column_stack([x, 0.01 * np.sin(3.0 * x)])
    half = np.column_stack([x, white[:, 1] + np.sqrt(2.0) * smooth[:, 1]])
    found = [neighbours_correlation(parse("x2 + 0*x1"), p) for p in (white, half, smooth)]
    assert found[0] == pytest.approx(0.0, abs=0.15) and found[2] > 0.98
    assert found[1] == pytest.approx(0.5, abs=0.15), "half of the variance is smooth"


def test_neighbours_are_those_along_the_zero_set(rng):
    """A circle that is 1 % too large on its right: the order of the rows says nothing."""
    angle = rng.permutation(np.linspace(0.0, 2.0 * np.pi, 300))
    radius = 1.0 + 0.01 * np.cos(angle)
    circle, f = np.column_stack([np.cos(angle), np.sin(angle)]), parse("x1**2 + x2**2 - 1")
    assert neighbours_correlation(f, radius[:, None] * circle) > 0.98
    noise = 1.0 + 0.01 * rng.standard_normal((300, 1))
    assert abs(neighbours_correlation(f, noise * circle)) < 0.2


def test_one_outlier_does_not_make_neighbours_alike(rng):
    white = np.column_stack([np.linspace(0.0, 1.0, 200), 0.01 * rng.standard_normal(200)])
    white[100:102, 1] = 9.0  # two that are alike
    assert abs(neighbours_correlation(parse("x2 + 0*x1"), white)) < 0.3


def test_points_whose_feet_are_beyond_all_bounds_have_no_neighbours(rng):
    points = rng.standard_normal((50, 2))
    assert neighbours_correlation(parse("1 + 1e-160*x1 + 0*x2"), points) == 0.0
    assert abs(neighbours_correlation(parse("x1 - exp(1000*x2)"), points)) <= 1.0


def test_an_exact_fit_and_two_points_have_no_correlation():
    points = np.column_stack([np.arange(5.0), np.arange(5.0)])
    assert neighbours_correlation(parse("x1 - x2"), points) == 0.0
    assert neighbours_correlation(parse("x1 - x2 - 1"), points[:2]) == 0.0


RATE = np.pi / 180.0


def angles(rng, n=200):
    theta = rng.uniform(5.0, 85.0, n)
    return add_noise(np.column_stack([2.5 * np.sin(RATE * theta), theta]), 0.01, rng)


def test_known_rates_are_not_fitted_and_have_no_error(rng):
    points = angles(rng)
    units = points.std(axis=0)
    found = polished(parse(f"x1 - 2*sin({RATE!r}*x2)"), points, units)
    assert found.constants[1] == RATE and found.constants[0] == pytest.approx(2.5, abs=0.05)
    error, none = standard_errors(found, points, units)
    assert 0.0 < error < 0.05 and none == 0.0


def test_a_rate_near_that_of_degrees_becomes_it(rng):
    points = angles(rng)
    units = points.std(axis=0)
    near = polished(canonical(parse("x1 - 2.4*sin(0.0176*x2)")), points, units)
    assert not known_numbers(near).any()
    assert RATE in simplified(near, points, units, five).constants
    points[:, 1] *= 1.1
    far = polished(canonical(parse("x1 - 2.4*sin(0.0158*x2)")), points, units)
    assert not known_numbers(simplified(far, points, units, five)).any()


def test_a_function_that_is_a_factor_of_all_terms_is_left_out_with_equal_numbers(rng):
    """With rates of 0.101 and 0.1, which may be one, the form is a cosine times a line."""
    y = rng.uniform(0.0, 3.0, 200)
    points = np.column_stack([2.0 - 0.5 * y, y]) + 0.02 * rng.standard_normal((200, 2))
    form = canonical(parse("x1*cos(0.101*x2) + 0.5*x2*cos(0.1*x2) - 2*cos(0.1*x2)"))
    found = simplified(form, points, points.std(axis=0), five)
    assert found.codes == canonical(parse("x1 + 0.5*x2 - 2")).codes


@pytest.mark.parametrize("tiny", ["1.2e-30", "2e-11"])
def test_a_constant_that_changes_an_exact_law_by_rounding_is_dropped(tiny):
    x = np.linspace(0.5, 3.0, 40)
    points = np.column_stack([x, np.sqrt(x**2 + float(tiny))])
    law = canonical(parse(f"x2 - sqrt(x1**2 + {tiny})"))
    found = simplified(law, points, points.std(axis=0), five)
    assert not found.constants or np.abs(found.constants).min() > 1e-3, str(found)
