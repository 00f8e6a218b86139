"""Relations with one number inside of a function, with noise and without."""

import numpy as np
import pytest

from pie.data.sampling import add_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import from_tree, parse
from pie.search import libraries
from pie.search.plus import PlusConfig, discover_plus
from pie.search.price import Prices
from pie.search.proposers.numbers import with_number
from pie.zeroset.metric import errors_of

# (law, number of variables, variable solved for)
LAWS = [
    ("x1*x3 + sin(0.7*x2) - 0.5", 3, 3),  # a frequency
    ("x2 - 2.0*sin(5.3*x1 + 0.4) + 0.3*x1**2", 2, 2),  # and a phase
    ("x1*x2 + exp(1.37*x1) - 2.5", 2, 2),  # a rate
    ("x3 - 0.3*log(x1**2 + 0.45) - 0.2*x2", 3, 3),  # a shift
    ("(x1 - 1.4)*sin(2.5*x2) + 0.4", 2, 1),  # an amplitude
    ("x3*sin(1.7*x1*x2) + 0.6*sin(1.7*x1*x2) - x1 + 0.3", 3, 3),
]


def best_of(model, points):
    """The best of what this proposer finds alone."""
    return discover_plus(model, points, PlusConfig(proposers=("numbers",))).best


@pytest.mark.parametrize("law, d, variable", LAWS, ids=[law for law, _, _ in LAWS])
def test_an_exact_law_is_found(law, d, variable, cloud, tiny_network):
    found = best_of(tiny_network, cloud(law, d, variable))
    assert found.contrast < 1e-8
    assert two_sided(found.expression, parse(law), d, seed=0) > 0.95


def _cooling(n, rng):
    x = rng.uniform(0.0, 30.0, n)
    return np.column_stack([x, 20.0 + 65.0 * np.exp(-0.12 * x)])


def _wave(n, rng):
    x = rng.uniform([0.0, -2.0], [6.0, 2.0], (n, 2))
    return np.column_stack([x, 1.4 * np.sin(2.3 * x[:, 0]) + 0.8 * x[:, 1]])


def _power(n, rng):
    x = rng.uniform(0.5, 4.0, (n, 2))
    return np.column_stack([x, 2.0 * x[:, 0] ** 1.7 * x[:, 1] - 1.0])


@pytest.mark.parametrize(
    "points, law",
    [
        (_cooling, "x2 - 20.0 - 65.0*exp(-0.12*x1)"),
        (_wave, "x3 - 1.4*sin(2.3*x1) - 0.8*x2"),
        (_power, "x3 - 2.0*x1**1.7*x2 + 1.0"),
    ],
)
@pytest.mark.parametrize("units", [1.0, 1e-5, 1e7])
def test_a_noisy_law_is_found_in_any_units(points, law, units, tiny_network, rng):
    noisy = add_noise(points(200, rng), 0.01, rng)
    found = best_of(tiny_network, noisy * units).expression
    exact = points(100, rng)
    left = np.abs(found.values(exact * units)) / np.linalg.norm(
        found.value_and_gradient(exact * units)[1] * exact.std(axis=0) * units, axis=1
    )
    assert np.median(left) < 0.01
    assert len(found.codes) <= len(parse(law).codes) + 2


def test_the_square_of_a_cosine_is_one_term(rng):
    """A constant and a wave of twice the rate are two."""
    x = rng.uniform(0.0, 3.0, 200)
    points = add_noise(np.column_stack([x, 1.7 * np.cos(1.1 * x) ** 2]), 0.01, rng)
    found = with_number(points, errors_of(points), Prices())
    law = canonical(parse("x2 - 1.7*cos(1.1*x1)**2"))
    assert law.codes in {canonical(f).codes for f in found}


@pytest.mark.parametrize("n, d", [(8, 2), (60, 2), (60, 3)])
def test_points_without_a_law_fit_nothing_well(n, d, rng, tiny_network):
    found = best_of(tiny_network, rng.standard_normal((n, d)))
    assert found is None or not found.contrast < 1e-3


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e6, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    points = size * rng.uniform(0.5, 2.0, (60, 2))
    for law in with_number(points, np.full(2, size), Prices()):
        assert np.isfinite(law.constants).all()


def test_every_relation_holds_all_variables(rng):
    points = rng.uniform(0.5, 2.0, (60, 3))
    found = with_number(points, errors_of(points), Prices())
    assert len(found) > 50
    assert {law.variables for law in found} == {(1, 2, 3)}


def test_there_are_no_functions_of_what_takes_few_values(rng):
    """Nine ratios: any function of x1/x2 is as good as any other there."""
    x = rng.uniform(0.5, 2.0, 100)
    points = np.column_stack([x, x * rng.integers(1, 10, 100)])
    grids = [str(from_tree(terms[0])) for terms, _ in libraries.with_number(points)]
    assert grids and not any("x1/x2" in g for g in grids)


def test_an_exponential_of_years_has_rates_that_do_not_overflow(rng):
    """exp(0.05·1950) is no larger than 1e43; only rates that overflow are left out."""
    year = rng.uniform(1900.0, 2000.0, 150)
    (grid,) = (
        grid for (g, *_), grid in libraries.with_number(np.column_stack([year, rng.random(150)]))
        if g == ("exp", ("mul", ("x", 3), ("x", 1)))
    )  # fmt: skip
    assert len(grid) > 20 and np.isfinite(np.exp(np.outer(grid, year))).all()
    assert grid.min() < -0.05 and grid.max() > 0.05


def test_functions_of_a_ratio_do_not_depend_on_the_order_of_the_columns(rng):
    energy, heat = rng.uniform(0.5, 2.0, 200), rng.uniform(0.5, 2.0, 200)
    law = 1.5 * np.exp(-1.7 * energy / heat) + 0.4 * heat
    for first, second in ((energy, heat), (heat, energy)):
        found = [
            terms[0] for terms, _ in libraries.with_number(np.column_stack([first, second, law]))
        ]
        ratios = (("div", ("x", 1), ("x", 2)), ("div", ("x", 2), ("x", 1)))
        assert all(("exp", ("mul", ("x", 4), ratio)) in found for ratio in ratios)
