"""Algorithm 2, the paper's two fitness functions, and what every search is given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pie.expr import vocabulary
from pie.expr.expression import parse
from pie.fit.constants import Fit, fit
from pie.fit.fitness import cl_fem, stochastic_copies, vanilla
from pie.network.config import HALF_MAX
from pie.network.decoding import Hypothesis
from pie.search.algorithm2 import InferenceConfig, discover, fittest
from pie.search.candidates import check_points
from pie.search.pool import Draft, Found
from pie.search.proposers.network import merged


def test_vanilla_is_minus_the_mean_square():
    assert vanilla(np.array([1.0, -3.0])) == -5.0
    assert vanilla(np.array([1.0, np.nan])) == vanilla(np.array([np.inf])) == -np.inf


def test_copies_differ_in_their_own_coordinate_only(rng):
    points = rng.standard_normal((50, 3))
    copies = stochastic_copies(points, rng)
    for j in range(3):
        assert np.all(np.abs(copies[j][:, j]) <= 1.0) and np.all(copies[j][:, j] != points[:, j])
        np.testing.assert_array_equal(np.delete(copies[j], j, 1), np.delete(points, j, 1))


def test_cl_fem_refuses_a_function_that_ignores_a_coordinate(rng, cloud):
    points = cloud("x1*x2 - 0.5")
    copies = stochastic_copies(points, rng)

    def score(text):
        f = parse(text)
        return cl_fem(f.values(points), np.stack([f.values(c) for c in copies]), 1e-4)

    assert score("x1*x2 - 0.5") == pytest.approx(0.0, abs=1e-20)
    assert score("x1 - x1 + 0*x2") == score("0.0001*(x1*x2 - 0.5)") == -np.inf
    assert score("x2**2 - x2**2 + 0*x1") == -np.inf


@pytest.mark.parametrize(
    "skeleton, truth, constants",
    [
        ("x1*x2 + 1", "x1*x2 - 0.5", [-0.5]),
        ("x1 + 1*x2 + 1", "x1 + 0.7*x2 - 1.2", [0.7, -1.2]),
        ("x1 + 1*exp(x2) + 1", "x1 - 2.5*exp(x2) + 0.3", [-2.5, 0.3]),
        ("x1 + 1*sin(x2) + 1*x2", "x1 + 0.4*sin(x2) - 1.5*x2", [0.4, -1.5]),
    ],
)
@pytest.mark.parametrize("fitness", ["cl-fem", "vanilla"])
def test_bfgs_recovers_constants_without_restarts(skeleton, truth, constants, fitness, rng, cloud):
    points = cloud(truth)
    copies = stochastic_copies(points, rng) if fitness == "cl-fem" else None
    result = fit(parse(skeleton), points, copies)
    assert result.status == "ok"
    np.testing.assert_allclose(result.expression.constants, constants, rtol=1e-4)


def test_the_degenerate_optimum_of_a_homogeneous_skeleton_is_what_cl_fem_is_for(rng, cloud):
    """C1·x1 + C2·x2: vanilla may go to 0·g; CL-FEM keeps d_j above tau (Section 3.4)."""
    points = cloud("x1 - x2**3 - 0.5")  # not a line: the best vanilla constants are 0 and 0
    skeleton = parse("1*x1 + 1*x2")
    degenerate = fit(skeleton, points)
    assert np.abs(degenerate.expression.constants).max() < 1e-6
    copies = stochastic_copies(points, rng)
    guarded = fit(skeleton, points, copies, tau=1e-4)
    assert np.abs(guarded.expression.constants).max() > 1e-3


def test_a_fit_that_fails_says_why(cloud):
    assert "undefined" in fit(parse("log(x1) + 1*x2"), -np.abs(cloud("x1 - x2**2 - 1"))).status


def test_algorithm_2_returns_ranked_candidates(tiny_network, cloud):
    points = cloud("x1*x2 - 0.5")
    result = discover(tiny_network, points, config=InferenceConfig(beam=8))
    fitnesses = [c.fitness for c in result.candidates]
    assert 4 <= len(fitnesses) <= 8 and fitnesses == sorted(fitnesses, reverse=True)
    assert result.seconds > 0
    again = discover(tiny_network, points, config=InferenceConfig(beam=8))
    assert repr(again.candidates) == repr(result.candidates)  # nan is not equal to itself


BAD = {
    "nan": (np.array([[1, 2], [3, np.nan], [5, 6]]), "point 1, x2 is nan"),
    "infinite": (np.array([[1, 2], [3, 4], [-np.inf, 6]]), "point 2, x1 is -inf"),
    "too few": (
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        "2 points in 2 dimensions; expected at least 3",
    ),
    "constant": (np.array([[1, 7], [2, 7], [3, 7.0]]), "x2 is 7 at every point"),
    "duplicate": (np.array([[1, 1], [2, 2], [3, 3.0]]), "x1 and x2 are the same"),
    "beyond half": (np.array([[1, 2], [3, 7e4], [5, 6]]), "x2 is 70000; half precision"),
    "columns": (np.random.default_rng(0).random((9, 4)), "4 columns; expected 2 to 3"),
    "one column": (np.random.default_rng(0).random((9, 1)), "1 columns"),
    "shape": (np.arange(5.0), r"shape \(5,\)"),
    "text": ([["a", "b"], ["c", "d"], ["e", "f"]], "not numbers"),
    "empty": (np.empty((0, 2)), "0 points"),
}


@pytest.mark.parametrize("points, message", BAD.values(), ids=BAD)
def test_bad_points_give_one_clear_error(tiny_network, points, message):
    with pytest.raises(ValueError, match=message):
        check_points(points, 3, HALF_MAX)
    with pytest.raises(ValueError, match=message):
        discover(tiny_network, points)


def test_of_two_exact_fits_the_more_probable_one_wins_unless_asked_to_the_last_bit():
    def found(text, fitness, log_probability):
        draft = Draft(parse(text), "network", log_probability)
        return Found(draft, Fit(draft.expression, fitness, "ok"))

    likely, lucky = found("x1*x2 - 1", -1e-30, -1.0), found("sin(x1*x2)", -1e-31, -9.0)
    worse, failed = found("x1 - x2", -1e-3, -0.1), found("x1", -np.inf, -0.1)

    def order(resolution):
        return sorted([failed, worse, lucky, likely], key=lambda f: fittest(f, resolution))

    assert order(1e-12) == [likely, lucky, worse, failed]
    assert order(0.0) == [lucky, likely, worse, failed]


def test_bad_arguments_are_quoted(tiny_network, cloud):
    with pytest.raises(ValueError, match="fitness is 'clfem'"):
        discover(tiny_network, cloud("x1*x2 - 1"), "clfem")
    with pytest.raises(ValueError, match="inference.beam is 0"):
        InferenceConfig(beam=0)


@given(
    arrays(
        np.float64, st.tuples(st.integers(0, 6), st.integers(0, 5)), elements=st.floats(width=64)
    )
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_array_is_usable_or_one_clear_error(points):
    try:
        checked = check_points(points, 3, HALF_MAX)
    except ValueError as error:
        assert str(error)
    else:
        assert np.all(np.isfinite(checked)) and np.all(np.ptp(checked, axis=0) > 0)


def hypotheses(*texts):
    return [
        Hypothesis(tuple(vocabulary.encode(parse(text).codes)), -float(i))
        for i, text in enumerate(texts)
    ]


def test_skeletons_with_the_same_zero_set_are_fitted_once():
    """Equal after canonical form, with as many constants: the more probable one stays."""
    found = merged(hypotheses("x1*x2 + 1", "x2*x1 + 1", "x1*x2 + x1", "1 + x1*x2", "x2 + 1"))
    assert [str(s) for s, _ in found] == ["x1*x2 + 1.0", "x1*x2 + x1", "x2 + 1.0"]
    assert [p for _, p in found] == [0.0, -2.0, -4.0]


def test_skeletons_that_hold_for_one_sign_only_are_kept_apart():
    """exp(x1·x2) − C has zeros for C > 0 only, x1·x2 + C always."""
    found = merged(hypotheses("exp(x1*x2) - 1", "x1*x2 + 1", "exp(x2*x1) - 1"))
    assert [str(s) for s, _ in found] == ["exp(x1*x2) - 1.0", "x1*x2 + 1.0"]


def test_values_beyond_half_precision_are_for_methods_that_rescale():
    points = np.array([[1.0, 7e4], [2.0, 8e4], [3.0, 5.0]])
    np.testing.assert_array_equal(check_points(points, 3), points)
