"""The curves and surfaces that people fit: their names, and that they are found."""

from itertools import permutations

import numpy as np
import pytest

from pie.expr.canonical import canonical
from pie.expr.coordinates import in_units
from pie.expr.expression import from_tree, parse, to_tree, with_variables
from pie.fit.sampson_fits import fit_sampson
from pie.fit.uncertainty import rms_distance
from pie.search import periodogram
from pie.search.cloud import Cloud
from pie.search.pool import Pool
from pie.search.price import Prices
from pie.search.proposers.shapes import Shapes, near_best, numbers_of
from pie.search.proposers.shapes import shapes as proposer
from pie.search.shapes import CURVES, SURFACES, name_of, shapes
from pie.zeroset.metric import errors_of

FOUND = (
    "straight line", "inverse-square law", "cubic", "power law", "shifted power law", "logarithm",
    "exponential", "two exponentials", "Michaelis–Menten", "Hill equation", "rational, 2 over 1",
    "logistic", "Gompertz curve", "Gaussian", "wave with offset", "Planck curve",
    "Weibull growth", "gamma curve", "stretched exponential", "log-normal peak", "Richards curve",
    "Gaussian with offset", "Lorentzian", "damped wave",
    "plane", "product of powers", "product over a sum", "rate with temperature", "logistic share",
)  # fmt: skip
EQUATIONS = dict(reversed((*CURVES, *SURFACES)))
ARRHENIUS = canonical(parse(EQUATIONS["Arrhenius law"]))


def drawn(equation, noise=0.01, n=100, seed=0):
    """Points of an equation that is linear in its last variable, noise in that one only."""
    rng, d = np.random.default_rng(seed), max(equation.variables)
    inputs = rng.uniform(0.5, 4.0, (n, d - 1))
    at_0, at_1 = (equation.values(np.column_stack([inputs, np.full(n, y)])) for y in (0.0, 1.0))
    output = at_0 / (at_0 - at_1)
    return np.column_stack([inputs, output + noise * output.std() * rng.standard_normal(n)])


def test_every_shape_uses_all_its_variables_and_no_form_comes_twice():
    for d, listed in ((2, CURVES), (3, SURFACES)):
        forms = shapes(d)
        assert len({canonical(form).codes for _, form in forms}) == len(forms) > len(listed)
        assert all(form.variables == tuple(range(1, d + 1)) for _, form in forms)
        assert {name for name, _ in forms} <= dict(listed).keys()
    assert shapes(4) == ()


def started(form, points, limits=Shapes()):
    """The start of the fit, and its error; None if there is none."""
    units = errors_of(points)
    points = np.random.default_rng(0).permutation(points)[: limits.points]
    if found := numbers_of(form, points, units, limits, {}):
        found = near_best(found, points, units, limits)
        return found.best(points.shape[1]), found.error
    return None


@pytest.mark.parametrize("name", FOUND)
def test_a_shape_is_found_from_points_with_noise(name):
    """One descent from the best draw fits as well as the law does whose points these are."""
    truth = canonical(parse(EQUATIONS[name]))
    points = drawn(truth)
    spreads = points.std(axis=0)
    seen = points / spreads
    start, size = started(truth, seen)
    (fit,) = fit_sampson([canonical(start)], seen, n_starts=1, descents=1, warm=True)
    law = in_units(truth, np.zeros(len(spreads)), spreads)
    assert fit.error < 1.15 * rms_distance(law, seen, np.ones(len(spreads)))
    assert size < 0.3


QUOTIENTS = ("Arrhenius law", "rate with temperature", "Vogel–Fulcher–Tammann, Antoine")


@pytest.mark.parametrize("name", [*FOUND[:3], "Gaussian", *QUOTIENTS])
def test_other_units_change_nothing(name):
    points = drawn(canonical(parse(EQUATIONS[name])))
    form, units = parse(EQUATIONS[name]), np.geomspace(300.0, 1e-3, points.shape[1])
    assert started(form, points * units)[1] == pytest.approx(started(form, points)[1], rel=1e-6)


@pytest.mark.parametrize("kelvin", [(3.0, 4.0), (280.0, 400.0)], ids=["near 0", "room"])
def test_an_arrhenius_law_is_found_at_any_temperature(kelvin):
    rng = np.random.default_rng(0)
    temperature = rng.uniform(*kelvin, 100)
    energy = 12.0 * kelvin[1]
    rate = np.exp(energy / kelvin[1] - energy / temperature)
    points = np.column_stack([temperature, rate * (1.0 + 0.01 * rng.standard_normal(100))])
    assert started(ARRHENIUS, points / points.std(axis=0))[1] < 0.1


def test_points_of_another_shape_have_a_larger_size():
    line, wave = (drawn(parse(f)) for f in ("x2 - 1.5*x1 - 0.7", "x2 - 1.5*sin(2.2*x1) - 2.3"))
    form = parse(EQUATIONS["straight line"])
    assert started(form, line)[1] < 0.02 and started(form, wave)[1] > 0.2


def test_a_shape_that_is_not_defined_at_the_points_is_not_started():
    negative = drawn(parse("x2 + 1.5*x1 + 0.7")) * [-1.0, 1.0]
    for name in ("logarithm", "square-root law", "log-normal peak"):
        assert started(parse(EQUATIONS[name]), negative) is None
    few = drawn(parse("x2 - 1.5*x1"))[:4]
    assert started(parse(EQUATIONS["cubic"]), few) is None, "fewer points than numbers"


@pytest.mark.parametrize(
    "name, signs",
    [
        ("Gaussian", (-1, -1)),  # exp(a·(x1 + b)²), its centre among the points
        ("Gompertz curve", (-1, 0)),  # exp(a·exp(b·x1))
        ("Weibull growth", (-1, 0)),  # exp(a·x1^b)
        ("exponential", (0,)),
    ],
)
def test_a_factor_of_something_of_one_sign_keeps_its_sign(name, signs):
    """With the other one a bell is a bowl; other numbers are drawn with both signs."""
    form = parse(EQUATIONS[name])
    points = drawn(canonical(form))
    units = errors_of(points)
    found = numbers_of(form, points, units, Shapes(), {})
    assert found.numbers.shape == (Shapes().draws * len(signs), len(signs))
    for numbers, sign in zip(found.numbers.T, signs, strict=True):
        assert set(np.sign(numbers)) == ({sign} if sign else {-1, 1})
    near = near_best(found, points, units, Shapes()).numbers.T[0]
    assert not signs[0] or set(np.sign(near)) == {signs[0]}


def test_a_factor_of_a_term_is_no_number_inside_it():
    for name, inside in (("power law", 1), ("gamma curve", 2), ("product of powers", 2)):
        form = parse(EQUATIONS[name])
        points = drawn(canonical(form))
        found = numbers_of(form, points, errors_of(points), Shapes(), {})
        assert found.numbers.shape[1] == inside


def test_a_whole_number_belongs_to_the_shape():
    form = parse(EQUATIONS["Lennard-Jones potential"])
    distance = np.random.default_rng(0).uniform(0.95, 2.2, 100)
    points = np.column_stack([distance, 4.0 * (distance**-12 - distance**-6)])
    found = numbers_of(form, points, errors_of(points), Shapes(), {})
    assert found.numbers.shape[1] == 0 and found.error < 1e-6


@pytest.mark.parametrize("rate", [0.9, 2.0])
def test_a_narrow_peak_is_found_and_one_in_a_certain_year(rate):
    rng = np.random.default_rng(0)
    form = parse(EQUATIONS["Gaussian with offset"])
    for shift, scale in ((4.3, 1.0), (1950.0, 10.0)):
        x = rng.uniform(0.0, 10.0, 150)
        y = 1.5 * np.exp(-rate * (x - 4.3) ** 2) + 0.5
        points = np.column_stack([shift + scale * x, y + 0.005 * rng.standard_normal(150)])
        start, _ = started(form, points / points.std(axis=0))
        (fit,) = fit_sampson(
            [start], points / points.std(axis=0), n_starts=1, descents=1, warm=True
        )
        assert fit.error < 0.015


def test_draws_near_the_best_come_closer():
    """The best of all draws stays; a shape without numbers inside has nothing to draw."""
    for name in ("gamma curve", "Gompertz curve", "log-normal peak"):
        form = parse(EQUATIONS[name])
        points = drawn(canonical(form))
        units = errors_of(points)
        found = numbers_of(form, points, units, Shapes(), {})
        near = near_best(found, points, units, Shapes())
        np.testing.assert_array_equal(near.errors[: len(found.errors)], found.errors)
        assert near.error < 0.5 * found.error
    found = numbers_of(parse("x2 - 1.5*x1 - 0.7"), points, units, Shapes(), {})
    assert near_best(found, points, units, Shapes()) is found


@pytest.mark.parametrize("shape", FOUND)
def test_a_name_does_not_depend_on_numbers_or_on_how_variables_are_numbered(shape):
    form = parse(EQUATIONS[shape])
    for order in permutations(form.variables):
        places = {k: ("x", v) for k, v in enumerate(order, 1)}
        other = canonical(from_tree(with_variables(to_tree(form), places)))
        assert name_of(other) == shape
        assert name_of(other.with_constants(1.1 * np.array(other.constants))) == shape


def test_a_name_does_not_depend_on_the_signs_of_numbers(rng):
    """Though a form without denominators does: x2 = a·x1^−b is x1^b·x2 = a."""
    for name, form in 2 * (shapes(2) + shapes(3)):
        whole = np.equal(form.constants, np.round(form.constants))
        signs = np.where(whole, 1.0, rng.choice([-1.0, 1.0], len(whole)))
        other = name_of(canonical(form.with_constants(signs * form.constants)))
        assert other in (name, "")  # no name: a pole that the shape lacks


@pytest.mark.parametrize(
    "text, name",
    [
        ("x2 - 3*x1**2.5", "power law"),
        ("x1**0.7*x2 - 3.3", "power law"),
        ("x1**1.7*x2**0.6*x3 - 1.5", "product of powers"),
        ("x1**1.2*(x2 - 0.4) - 1.5", "power law with offset"),
        ("x2 - 2.1*exp(0.3*x1)", "exponential"),
        ("x1 - 3*x2**2.5", "power law"),
        ("ln(x1) + 1.7*ln(x2) - 0.3", "power law"),
        ("x2 - 2.1*exp(0 - 0.3*x1)", "exponential"),
        ("x2*(0.7 + x1) - 1.9*x1", "Michaelis–Menten"),
        ("2*x1**2 + 2*x2**2 - 7", "circle"),
        ("x1 - 0.3*x2*x3", "product"),
        ("sin(x1*x2) - 0.3*x2", ""),
        ("x1**3 + x2**3 - 1.7", ""),
        ("x2 - 2.5/(2.3*exp(0.7*x1) - 1)", ""),  # it has a pole
        ("x2 - 2.5/(1 - 0.7*(x1 - 0.3)**2)", ""),
        ("x2 - 2.5/(2.3*exp(0.7*x1) + 1)", "logistic"),
    ],
)
def test_a_form_has_the_name_that_people_use(text, name):
    assert name_of(canonical(parse(text))) == name


def test_the_proposer_drafts_the_law_among_others_and_no_more_than_it_may():
    points = drawn(parse(EQUATIONS["logistic"]))
    cloud, pool = Cloud.as_given(points), Pool(lambda found: (0.0,))
    batches = list(proposer(Shapes(), Prices(), 90, cloud, pool))
    home = {canonical(draft.expression).codes for draft in batches[0].drafts}
    assert canonical(parse(EQUATIONS["logistic"])).codes in home
    fewer = proposer(Shapes(fitted=9), Prices(), 90, cloud, pool)
    assert all(0 < len(batch.drafts) <= 9 for batch in fewer)
    assert all(draft.proposer == "shapes" for batch in batches for draft in batch.drafts)


@pytest.mark.parametrize("n, kept", [(300, 300), (1000, 400)])
def test_waves_are_looked_for_in_some_of_many_points_in_their_order(n, kept, rng, monkeypatch):
    seen, points = [], np.column_stack([np.arange(n), rng.standard_normal(n)])
    rates = periodogram.rates
    monkeypatch.setattr(periodogram, "rates", lambda *xy: seen.append(xy[0]) or rates(*xy))
    cloud = Cloud.as_given(points)
    next(proposer(Shapes(draws=2, fitted=1), Prices(), 90, cloud, Pool(lambda f: ())))
    assert len(seen[0]) == kept and np.all(np.diff(seen[0]) > 0.0)


@pytest.mark.parametrize("turns", [3, 12, 30])
def test_a_wave_of_many_turns_is_found_by_its_periodogram(turns, rng):
    t = rng.uniform(0.0, turns, 200)
    y = 5.0 + 2.0 * np.sin(2.0 * np.pi * t + 1.3)
    cloud = Cloud.even(np.column_stack([t, y + 0.1 * rng.standard_normal(200)]), np.zeros(2, bool))
    (batch,) = proposer(Shapes(), Prices(), 60, cloud, Pool(lambda f: (0.0, 0.0)))
    named = [d.expression for d in batch.drafts if name_of(d.expression) == "wave with offset"]
    effort = batch.effort
    fits = fit_sampson(named, cloud.points, effort.starts, descents=effort.descents, warm=True)
    left = [np.std(fit.expression.values(cloud.points)) for fit in fits]  # y has the coefficient 1
    assert min(left) < 2.0 * 0.1 / cloud.units[1], "without a wave of this rate it is 14 times"
