"""Exact laws among the terms of dictionaries."""

import numpy as np
import pytest

from pie.data.sampling import add_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import from_tree, parse
from pie.search.dictionary import dictionaries, exact_relation
from pie.search.plus import discover_plus
from pie.search.search import PlusConfig
from pie.zeroset.roots import points_on_zero_set


def cloud(text, d=2, variable=1, n=200, seed=0):
    rng = np.random.default_rng(seed)
    return points_on_zero_set(parse(text), rng.standard_normal((n, d)), variable, rng)


def found(points):
    """The first relation of the dictionaries that has all the variables."""
    for terms in dictionaries(points):
        relation = exact_relation(terms, points)
        if relation is not None and len(relation.variables) == points.shape[1]:
            return canonical(relation)
    return None


# (law, number of variables, variable solved for), one at least per dictionary
LAWS = [
    ("x1 + 0.7*sin(x2) + x1*x2 - 0.4", 2, 1),
    ("x1**2*x2 - 1.3*cos(x1) + 0.2*x2 - 0.9", 2, 2),
    ("x1 + x2 + x1*x3 + x3*sin(x3) - 0.5", 3, 1),
    ("(x1 + 1.1)*(x1 - x2)*log(x1**2) + 1.6", 2, 2),
    ("sqrt(x2) - 0.5*sin(x1**2) - 0.5*x1", 2, 2),
    ("x3 - x1**2 - 0.6*sin(x1 - x2) + 0.3", 3, 3),
    ("cos(x1)**2 - 2*x2*cos(x1) + x2**2 - 0.4", 2, 2),
    ("x2 - 1.5*exp(sin(x1)) + 0.7*x1", 2, 2),
    ("x2**2 + x2*log(x1*x2) - 0.46", 2, 1),
    ("x3 - 4.3*x1*x2*cos(x3) - x2 - 0.12", 3, 2),
]


@pytest.mark.parametrize("law, d, variable", LAWS, ids=[law for law, _, _ in LAWS])
def test_an_exact_law_is_looked_up(law, d, variable):
    points = cloud(law, d, variable)
    relation = found(points)
    assert relation is not None
    assert two_sided(relation, parse(law), d, seed=0) > 0.95


def test_terms_of_a_dictionary_are_different_and_have_no_relation_of_their_own(rng):
    """Else every cloud would have a law: sin² + cos² = 1, log(x²) = 2·log(x), √x² = x."""
    for points in (rng.standard_normal((2000, 2)), rng.uniform(0.5, 2.0, (2000, 3))):
        for terms in dictionaries(points):
            assert len({from_tree(t).codes for t in terms}) == len(terms)
            assert exact_relation(terms, points) is None, [str(from_tree(t)) for t in terms]


@pytest.mark.parametrize("n, d", [(20, 2), (60, 2), (200, 3)])
def test_points_without_a_law_have_none(n, d, rng):
    for points in (rng.standard_normal((n, d)), rng.uniform(1.0, 100.0, (n, d))):
        assert found(points) is None


def test_smooth_functions_of_a_short_arc_are_no_law():
    """They depend on each other to 1e-11 by themselves; a law's terms do to rounding only."""
    t = np.linspace(0.0, 0.3, 100)
    arc = np.column_stack([1.0 + t, 2.0 + t + 0.2 * t**2.5])
    assert found(arc) is None
    law = np.column_stack([1.0 + t, 0.3 + np.sin(1.0 + t) - 0.2 * (1.0 + t) ** 2])
    assert found(law) is not None


def test_a_column_of_few_values_has_no_law_of_its_own(rng):
    points = np.column_stack([rng.integers(0, 6, 200), rng.standard_normal(200)]).astype(float)
    assert not list(dictionaries(points))
    points[:, 0] += 1e-3 * rng.standard_normal(200)
    assert list(dictionaries(points)) and found(points) is None


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    points = size * rng.standard_normal((100, 2))
    for terms in dictionaries(points):
        relation = exact_relation(terms, points)
        assert relation is None or np.all(np.isfinite(relation.constants))


def test_a_little_noise_hides_it(rng):
    points = add_noise(cloud(LAWS[0][0]), 1e-6, rng)
    assert found(points) is None


def test_few_points_are_not_enough_for_many_terms():
    points = cloud(LAWS[0][0])
    assert found(points[:40]) is not None
    assert found(points[:12]) is None, "half as many terms as points at most"


@pytest.mark.parametrize("size", [1e-3, 1e4])
def test_logarithms_and_powers_do_not_depend_on_the_unit(tiny_model, size):
    law = "x2**2 + 1.1*x2 + x2*log(x1**2) - 0.5"
    points = cloud(law, variable=1) * [size, 1.0]
    best = discover_plus(tiny_model, points, PlusConfig(beam=2, rounds=0)).best
    without = PlusConfig(beam=2, rounds=0, dictionaries=False, composites=False)
    assert best.contrast < 1e-8 < discover_plus(tiny_model, points, without).candidates[0].contrast
