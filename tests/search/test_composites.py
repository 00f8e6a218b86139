"""Exact laws of one function beside a few dozen simple terms."""

import numpy as np
import pytest

from pie.data.sampling import add_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.composites import composites
from pie.search.plus import discover_plus
from pie.search.search import PlusConfig


def scores(points, law):
    """Two-sided score of every law that is found."""
    d = points.shape[1]
    return [two_sided(canonical(found), parse(law), d, seed=0) for found in composites(points)]


# (law, number of variables, variable solved for)
LAWS = [
    ("x2 - sin(x1 + x2**2)", 2, 1),  # of a sum
    ("x2*sin(exp(x1)*x1) + x1 - 0.8*x2", 2, 2),  # of a product, over a variable
    ("x3 + 0.3*x1 - exp(x1*x2 - x3)", 3, 2),
    ("sqrt(x2**2 + cos(x1)) + 0.7*x1 - 1.1*x3", 3, 3),
    ("x1 + 0.5*log(x2**2 + x1**2) - 0.2*x2", 2, 1),
    ("x1*x3 + sin(0.7*x2) - 0.5", 3, 3),  # a frequency
    ("x2 - 2.0*sin(5.3*x1 + 0.4) + 0.3*x1**2", 2, 2),  # and a phase
    ("x1*x2 + exp(1.37*x1) - 2.5", 2, 2),
    ("x3 - 0.3*log(x1**2 + 0.45) - 0.2*x2", 3, 3),  # a shift
    ("x2 - 1.2*sin(x1**2 - 1.6*x1)", 2, 2),  # a weight
    ("x3**2 + 0.2 - exp(-0.6*x1*x3/x2)", 3, 1),  # three variables
    ("x1 - 0.4*sin(x1*x2*x3) + 0.7*x2", 3, 3),
]


@pytest.mark.parametrize("law, d, variable", LAWS, ids=[law for law, _, _ in LAWS])
def test_a_law_with_one_function_beside_simple_terms_is_found(law, d, variable, cloud):
    assert max(scores(cloud(law, d, variable), law), default=0.0) > 0.95


def test_a_wave_with_a_phase_is_found_at_once(cloud):
    """Sine and cosine of one frequency, in one relation."""
    found = composites(cloud("x2 - 2.0*sin(5.3*x1 + 0.4) + 0.3*x1**2", variable=2))
    assert any(len(law.constants) == 6 and "sin" in str(law) and "cos" in str(law) for law in found)


@pytest.mark.parametrize("n, d", [(5, 2), (12, 2), (20, 2), (60, 2), (200, 3)])
def test_points_without_a_law_have_none(n, d, rng):
    for points in (rng.standard_normal((n, d)), rng.uniform(1.0, 100.0, (n, d))):
        assert composites(points) == []


def test_identities_are_no_laws(rng):
    """log(x1) + log(x2) = log(x1·x2), and sqrt(x1²) = x1 where x1 > 0."""
    assert composites(rng.uniform(0.5, 3.0, (100, 2))) == []
    assert composites(-rng.uniform(0.5, 3.0, (100, 2))) == []


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_rounded_numbers_are_no_law(digits, rng):
    assert composites(np.round(rng.standard_normal((200, 2)), digits)) == []


def test_smooth_functions_of_a_short_arc_are_no_law():
    t = np.linspace(0.0, 0.3, 100)
    assert composites(np.column_stack([1.0 + t, 2.0 + t + 0.2 * t**2.5])) == []


def test_a_little_noise_hides_them(rng, cloud):
    assert composites(add_noise(cloud(LAWS[0][0]), 1e-6, rng)) == []


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    assert composites(size * rng.standard_normal((100, 2))) == []


def test_large_values_leave_few_terms_and_no_pair_of_them(rng):
    assert composites(rng.uniform(1e6, 5e6, (100, 2))) == []


def test_the_same_points_have_the_same_laws(cloud):
    points = cloud(LAWS[0][0])
    assert composites(points) == composites(points.copy())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("law, d, variable", [LAWS[1], LAWS[5]], ids=["without", "a number"])
def test_threads_change_nothing(law, d, variable, cloud):
    points = cloud(law, d, variable)
    assert composites(points, workers=2) == composites(points) != []


def test_numbers_inside_are_looked_for_where_they_are_asked_for(cloud):
    assert composites(cloud(LAWS[5][0], 3, 3), numbers=False) == []
    assert composites(cloud(LAWS[0][0]), numbers=False)


def test_composites_are_what_the_search_takes_them_for(tiny_model, cloud):
    law = "x2 - sin(x1 + x2**2)"
    points = cloud(law)
    few = PlusConfig(beam=2, rounds=0, degree=2)
    best = discover_plus(tiny_model, points, few).best
    assert best.contrast < 1e-8 and two_sided(best.expression, parse(law), 2, seed=0) > 0.95
    without = PlusConfig(beam=2, rounds=0, degree=2, composites=False)
    assert discover_plus(tiny_model, points, without).candidates[0].contrast > 1e-3
