"""The closed-form baseline: products of powers, polynomials, and no law in noise."""

import numpy as np
import pytest

from pie.baselines.null_space import NullSpaceConfig, null_space
from pie.data.benchmarks import load
from pie.experiments.metrics import RECOVERED, two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse, to_tree
from pie.expr.terms import terms
from pie.params import record
from pie.zeroset.box import Box
from pie.zeroset.roots import points_on_zero_set


def cloud(law: str, n: int = 200, seed: int = 0) -> np.ndarray:
    """Points of a law whose x1 is solved for, the others standard normal."""
    rng = np.random.default_rng(seed)
    starts = rng.standard_normal((4 * n, len(parse(law).variables)))
    return points_on_zero_set(parse(law), starts, 1, rng)[:n]


def assert_found(points: np.ndarray, law: str, box: Box | None = None):
    """The same zeros, and no term more than the law has."""
    found, truth = canonical(null_space(points).best.expression), parse(law)
    assert two_sided(found, truth, points.shape[1], 0, box) >= RECOVERED
    assert len(terms(to_tree(found))) == len(terms(to_tree(canonical(truth))))


@pytest.mark.parametrize(
    "law",
    ["x1*x2*x3**2 - 1.454", "x1*x2**2 + 0.7", "x1/x2 - 2", "x1*x2**2/x3 - 2", "x1**3*x2**4 - 2"],
)
def test_a_product_of_powers_is_found_with_negative_coordinates(law):
    points = cloud(law)
    assert points.min() < 0.0
    assert_found(points, law)


@pytest.mark.parametrize("law", ["x1*x2**1.4 - 5", "x1**1.974/x2 - 0.612", "x1 - 3.4*x2**0.43"])
def test_exponents_need_not_be_integers(law):
    points = cloud(law)
    best = null_space(points).best.expression
    np.testing.assert_allclose(best.values(points), 0.0, atol=1e-7)
    assert two_sided(best, parse(law), 2, 0) >= RECOVERED


def test_a_product_of_unknown_sign_is_written_so_that_it_is_defined():
    """|x1|·|x2|^1.4 = 5 in all four quadrants."""
    rng = np.random.default_rng(3)
    x2 = rng.standard_normal(200)
    points = np.column_stack([5.0 / np.abs(x2) ** 1.4, x2]) * rng.choice([-1.0, 1.0], (200, 2))
    best = null_space(points).best.expression
    assert np.abs(best.values(points)).max() < 1e-7 * abs(best.constants[-1])


@pytest.mark.parametrize(
    "law",
    ["x1**2/9 + x2**2/4 - 1", "x1**2 - x2**2 - 1", "x1**2/4 + x2**2 + x3**2/9 - 1",
     "x1*x2 + x1*x3 - x2*x3", "x1 + x2**3 - 2*x2 + 0.3"],
    ids=["ellipse", "hyperbola", "ellipsoid", "lens", "cubic"],
)  # fmt: skip
def test_a_polynomial_is_found_with_its_axes(law):
    assert_found(cloud(law), law)


@pytest.mark.parametrize("units", [(1e3, 1e-3), (1e-6, 1e6)])
def test_units_do_not_matter(units):
    points = cloud("x1**2/9 + x2**2/4 - 1") * units
    box = Box(points.min(axis=0), points.max(axis=0))
    assert_found(points, f"x1**2/{9 * units[0] ** 2} + x2**2/{4 * units[1] ** 2} - 1", box)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("d", [2, 3])
def test_no_law_is_found_in_noise(d, seed):
    points = np.random.default_rng(seed).standard_normal((200, d))
    discovery = null_space(points)
    assert discovery.best is None and discovery.candidates
    assert all("no law" in c.status and c.fitness == -np.inf for c in discovery.candidates)


def test_an_ellipse_and_not_its_square_is_found_under_noise():
    points = cloud("x1**2/9 + x2**2/4 - 1")
    points += np.random.default_rng(0).normal(0.0, 0.01, points.shape)
    found, expected = null_space(points).best.expression, canonical(parse("x1**2 + 2.25*x2**2 - 9"))
    assert canonical(found).codes == expected.codes
    np.testing.assert_allclose(canonical(found).constants, expected.constants, rtol=0.03)


def test_the_fitness_is_the_papers_and_refused_candidates_come_last():
    points = cloud("x1*x2 - 0.564")
    candidates = null_space(points).candidates
    values = candidates[0].expression.values(points)
    assert candidates[0].fitness == -np.mean(values**2) and candidates[0].status == "ok"
    ok = [c.status == "ok" for c in candidates]
    assert ok == sorted(ok, reverse=True)
    assert len({c.expression.codes for c in candidates}) == len(candidates)


def test_a_few_points_are_enough_or_refused():
    points = cloud("x1*x2 - 0.564")
    assert null_space(points[:3]).candidates == ()
    assert_found(points[:8], "x1*x2 - 0.564")
    with pytest.raises(ValueError, match="2 points in 2 dimensions"):
        null_space(points[:2])


def test_settings_come_from_yaml_and_are_checked():
    assert record(NullSpaceConfig, {"degree": 5, "factor": 3}, "null_space").factor == 3.0
    with pytest.raises(ValueError, match="degree is 9; expected 2 to 5"):
        NullSpaceConfig(degree=9)


@pytest.mark.parametrize(
    "name, at_least", [("feynman", 29), ("synthetic_printed", 24), ("synthetic", 29)]
)
def test_how_many_problems_need_no_search(root, name, at_least):
    """Of 39, 50 and 80: what a learned method has to beat."""
    recovered = 0
    for problem in load(root / "data" / "benchmarks", name):
        best = null_space(problem.points).best
        estimate = best.expression if best else None
        recovered += two_sided(estimate, problem.truth, problem.n_variables, 0) >= RECOVERED
    assert recovered >= at_least


@pytest.mark.parametrize("seed", range(20))
def test_tables_of_zeros_end_without_an_error(seed):
    rng = np.random.default_rng(seed)
    points = np.zeros((60, 3))
    for column in points.T:
        column[rng.integers(0, 60, 3)] = rng.normal(size=3)
    assert all(np.isfinite(c.expression.constants).all() for c in null_space(points).candidates)


def test_a_factor_that_leaves_no_relation_is_refused():
    with pytest.raises(ValueError, match="null_space.factor is 0.5; expected at least 1"):
        NullSpaceConfig(factor=0.5)
