"""Exact laws of one function whose amplitude varies."""

import numpy as np
import pytest

from pie.data.sampling import add_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.amplitudes import modulated
from pie.search.plus import discover_plus
from pie.search.search import PlusConfig

# (law, number of variables, variable solved for)
LAWS = [
    ("x2 + 1.6 + (1.2 - 4.2*x1)*cos(exp(x1))", 2, 2),
    ("x1**2 - (0.7 + x2)*sin(x1 - x2) - 0.4", 2, 2),
    ("x3 - (x1 + 2.3)*sin(cos(x2)) + 0.2*x1", 3, 3),
    ("x2 + 0.4*x1**2*cos(log(x1)) - 0.3", 2, 2),  # a factor that varies, without a constant
    ("(x1 - 1.4)*sin(2.5*x2) + 0.4", 2, 1),  # a frequency
    ("cos(2.9*x2)*(0.5 + sqrt(x1)) - 1.2", 2, 1),
    ("x2 - (1.3 + x1**2)*cos(3.1*x1 + 0.4)", 2, 2),  # and a phase
    ("x3*sin(1.7*x1*x2) + 0.6*sin(1.7*x1*x2) - x1 + 0.3", 3, 3),
]


@pytest.mark.parametrize("law, d, variable", LAWS, ids=[law for law, _, _ in LAWS])
def test_a_law_with_an_amplitude_is_found(law, d, variable, cloud):
    found = modulated(cloud(law, d, variable))
    assert max(two_sided(canonical(f), parse(law), d, seed=0) for f in found) > 0.95


@pytest.mark.parametrize("n, d", [(5, 2), (12, 2), (20, 2), (60, 2), (200, 3)])
def test_points_without_a_law_have_none(n, d, rng):
    for points in (rng.standard_normal((n, d)), rng.uniform(1.0, 100.0, (n, d))):
        assert modulated(points) == []


def test_identities_are_no_laws(rng):
    """x1·(1/x1) = 1, and ln(x1²·x2²) = ln(x1²) + ln(x2²)."""
    assert modulated(rng.uniform(0.5, 3.0, (100, 2))) == []
    assert modulated(-rng.uniform(0.5, 3.0, (100, 2))) == []


def test_neither_a_little_noise_nor_a_short_arc_has_one(rng, cloud):
    assert modulated(add_noise(cloud(LAWS[0][0], 2, 2), 1e-6, rng)) == []
    t = np.linspace(0.0, 0.3, 100)
    assert modulated(np.column_stack([1.0 + t, 2.0 + t + 0.2 * t**2.5])) == []


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    assert modulated(size * rng.standard_normal((100, 2))) == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("law, d, variable", [LAWS[0], LAWS[4]], ids=["without", "a frequency"])
def test_threads_change_nothing(law, d, variable, cloud):
    points = cloud(law, d, variable)
    assert modulated(points, workers=2) == modulated(points) != []


def test_frequencies_are_looked_for_where_they_are_asked_for(cloud):
    assert modulated(cloud(LAWS[4][0]), numbers=False) == []


def test_they_are_what_the_search_takes_them_for(tiny_model, cloud):
    law, _, variable = LAWS[0]
    points = cloud(law, 2, variable)
    best = discover_plus(tiny_model, points, PlusConfig(beam=2, rounds=0, degree=2)).best
    assert best.contrast < 1e-8 and two_sided(best.expression, parse(law), 2, seed=0) > 0.95
