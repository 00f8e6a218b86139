"""Exact laws with one function of a combination beside simple terms."""

import numpy as np
import pytest

from pie.data.sampling import add_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.cloud import Cloud
from pie.search.plus import PlusConfig, discover_plus
from pie.search.pool import Pool
from pie.search.proposers.inner import Inner, inner, laws

# (law, number of variables, variable solved for)
PLAIN = [
    ("x2 - sin(x1 + x2**2)", 2, 1),  # of a sum
    ("x2*sin(exp(x1)*x1) + x1 - 0.8*x2", 2, 2),  # of a product, over a variable
    ("x3 + 0.3*x1 - exp(x1*x2 - x3)", 3, 2),
    ("sqrt(x2**2 + cos(x1)) + 0.7*x1 - 1.1*x3", 3, 3),
    ("x1 + 0.5*log(x2**2 + x1**2) - 0.2*x2", 2, 1),
    ("x1 - 0.4*sin(x1*x2*x3) + 0.7*x2", 3, 3),
]
AMPLITUDE = [
    ("x2 + 1.6 + (1.2 - 4.2*x1)*cos(exp(x1))", 2, 2),
    ("x1**2 - (0.7 + x2)*sin(x1 - x2) - 0.4", 2, 2),
    ("x3 - (x1 + 2.3)*sin(cos(x2)) + 0.2*x1", 3, 3),
    ("x2 + 0.4*x1**2*cos(log(x1)) - 0.3", 2, 2),  # without a constant
]
LAWS = [*PLAIN, *AMPLITUDE]


def every(points, workers=1):
    """All laws of the points."""
    return [law for found in laws(points, workers) for law in found]


@pytest.mark.parametrize("law, d, variable", LAWS, ids=[law for law, _, _ in LAWS])
def test_an_exact_law_is_found(law, d, variable, cloud):
    found = next((f for f in laws(cloud(law, d, variable)) if f), [])
    scores = [two_sided(canonical(f), parse(law), d, seed=0) for f in found]
    assert max(scores, default=0.0) > 0.95


@pytest.mark.parametrize("n, d", [(5, 2), (12, 2), (20, 2), (60, 2), (200, 3)])
def test_points_without_a_law_have_none(n, d, rng):
    for points in (rng.standard_normal((n, d)), rng.uniform(1.0, 100.0, (n, d))):
        assert every(points) == []


def test_identities_are_no_laws(rng):
    """ln x1 + ln x2 = ln(x1·x2), √x1² = x1 where x1 > 0, x1·(1/x1) = 1."""
    assert every(rng.uniform(0.5, 3.0, (100, 2))) == []
    assert every(-rng.uniform(0.5, 3.0, (100, 2))) == []


def test_rounded_numbers_are_no_law(rng):
    for digits in (1, 2, 3):
        assert every(np.round(rng.standard_normal((200, 2)), digits)) == []


def test_smooth_functions_of_a_short_arc_are_no_law():
    t = np.linspace(0.0, 0.3, 100)
    assert every(np.column_stack([1.0 + t, 2.0 + t + 0.2 * t**2.5])) == []


def test_a_little_noise_hides_them(rng, cloud):
    for law, d, variable in (PLAIN[0], AMPLITUDE[0]):
        assert every(add_noise(cloud(law, d, variable), 1e-6, rng)) == []


def test_where_noise_is_seen_no_exact_law_is_looked_for(rng, cloud):
    exact, pool = cloud("x1**2 + x2**2 - 2", variable=2), Pool(lambda found: (0.0,))
    assert list(inner(Inner(), 90, 1, Cloud.as_given(exact), pool))
    assert not list(inner(Inner(), 90, 1, Cloud.as_given(add_noise(exact, 0.01, rng)), pool))


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e6, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    assert every(size * rng.standard_normal((100, 2))) == []


@pytest.mark.parametrize(
    "law, d, variable", [PLAIN[1], AMPLITUDE[0]], ids=["alone", "with an amplitude"]
)
def test_threads_change_nothing(law, d, variable, cloud):
    points = cloud(law, d, variable)
    assert every(points, workers=2) == every(points) != []


def test_the_search_takes_them_for_what_they_are(tiny_network, cloud):
    law, d, variable = PLAIN[0]
    points = cloud(law, d, variable)
    found, without = (
        discover_plus(tiny_network, points, PlusConfig(beam=2, proposers=proposers))
        for proposers in (("network", "inner"), ("network",))
    )
    assert found.best.proposer == "inner" and found.best.contrast < 1e-8
    assert two_sided(found.best.expression, parse(law), d, seed=0) > 0.95
    assert without.best is None or without.best.contrast > 1e-3
