"""Laws of points on many level sets of one function."""

import numpy as np
import pytest

from pie.data.sampling import add_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.level_sets import laws, level_sets, progression
from pie.search.plus import discover_plus
from pie.search.search import PlusConfig


def scores(points, law):
    """Two-sided score of every law that is found."""
    d = points.shape[1]
    return [two_sided(canonical(found), parse(law), d, seed=0) for found in laws(points)]


# (law, number of variables, variable solved for)
LAWS = [
    ("sin(x1**2 + 0.8*x2) - 0.4", 2, 2),  # two levels in a turn
    ("sin(3*x1*x2 + 0.5)", 2, 2),  # equal steps
    ("cos(2*x1/x2) - 0.3", 2, 1),
    ("sin(x1*x2**2 + x2*cos(x2)) - 0.6", 2, 1),
    ("sin((log(x2) + 0.98)/x1)", 2, 1),
    ("cos(x1*x2 - 1.7*x3) - 0.2", 3, 3),
    ("(x1*exp(x2) - 0.5)*(x1*exp(x2) + 1.3)", 2, 1),  # two levels
    ("x1**2*sin(x2) - 0.7*x1*x2 + 0.2", 2, 2),  # one level
]


@pytest.mark.parametrize("law, d, variable", LAWS, ids=[law for law, _, _ in LAWS])
def test_a_law_of_many_levels_is_found(law, d, variable, cloud):
    assert max(scores(cloud(law, d, variable), law), default=0.0) > 0.95


def test_levels_may_have_their_period_in_a_function_of_them(rng):
    law = "cos(3*exp(x1 - 0.5*x2)) + 0.1"
    angle = np.arccos(-0.1) + np.array([[0.0], [2.0 * np.pi]]) * np.arange(6)
    level = np.log(
        np.concatenate([angle[1], 2.0 * np.pi * np.arange(1, 7) - np.arccos(-0.1)]) / 3.0
    )
    x2 = rng.standard_normal(200)
    points = np.column_stack([rng.choice(level, 200) + 0.5 * x2, x2])
    assert max(scores(points, law), default=0.0) > 0.95


@pytest.mark.parametrize("n, d", [(6, 2), (20, 2), (60, 2), (200, 3)])
def test_points_without_a_law_lie_on_no_level_sets(n, d, rng):
    for points in (rng.standard_normal((n, d)), rng.uniform(1.0, 100.0, (n, d))):
        assert level_sets(points) == []


@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_rounded_numbers_are_no_law(digits, rng):
    """Their differences recur by themselves: sin(100π·(x1 − x2)) = 0 for two digits."""
    assert level_sets(np.round(10.0 * rng.standard_normal((200, 2)), digits)) == []


def test_equal_steps_in_time_are_no_law(rng):
    points = np.column_stack([np.linspace(0.0, 9.0, 100), rng.standard_normal(100)])
    assert level_sets(points) == []


def test_a_little_noise_hides_them(rng, cloud):
    assert level_sets(add_noise(cloud(LAWS[0][0], variable=2), 1e-6, rng)) == []


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    assert level_sets(size * rng.standard_normal((100, 2))) == []


def test_the_longest_period_is_told():
    k = np.array([0, 1, 2, 4, 7])
    both = np.concatenate([2.0 + 5.0 * k, 3.5 + 5.0 * k])
    period, centre, half = progression(both)
    assert period == pytest.approx(5.0) and min(half, 2.5 - half) == pytest.approx(0.75)
    assert abs(np.cos(2.0 * np.pi / 5.0 * (2.75 - centre))) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "levels", [[0.0, 1.0, 2.0], [0.0, 1.0, 2.7, 3.9, 8.2], [1.0, 2.3, 4.9, 8.1, 16.1]]
)
def test_few_levels_or_such_without_a_period_have_none(levels):
    assert progression(np.array(levels)) is None


def test_levels_are_what_the_search_takes_them_for(tiny_model, cloud):
    law = "sin(x1*x2**2 + x2*cos(x2)) - 0.6"
    points = cloud(law) * [1000.0, 1.0]
    few = PlusConfig(beam=2, rounds=0, degree=2)
    best = discover_plus(tiny_model, points, few).best
    assert best.contrast < 1e-8 and "sin" in str(best.expression)
    without = PlusConfig(beam=2, rounds=0, degree=2, level_sets=False)
    assert discover_plus(tiny_model, points, without).candidates[0].contrast > 1e-3
