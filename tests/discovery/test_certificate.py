import numpy as np
import pytest
from scipy.stats import kstest

from pie.data.benchmarks import load
from pie.discovery.certificate import certify
from pie.expr.expression import parse


def split(points, seed=0):
    points = np.random.default_rng(seed).permutation(points)
    held = max(2, int(0.3 * len(points)))
    return points[held:], points[:held]


def curve(n=120, low=0.5, high=2.0, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(low, high, n)
    points = np.column_stack([x, 1.0 / x])
    return points + noise * rng.standard_normal(points.shape)


def test_the_truth_of_every_wild_problem_passes(root):
    for problem in load(root / "data/benchmarks", "wild")[::9]:
        found = certify(problem.truth, *split(problem.points))
        assert found.law, (problem.equation_id, found)
        assert len(found.shares) == problem.n_variables


@pytest.mark.parametrize(
    "text, reason",
    [
        ("x1 - x1 + 0*x2", "degenerate"),
        ("x1 - 1.2 + 0*x2", "degenerate: a variable not used"),
        ("x1**2 + x2**2 + 1", "degenerate: nothing is a zero"),
        ("(x1 + x2)/1e7", "degenerate: g/huge"),
        ("x1 - x2", "held out"),
    ],
)
def test_what_is_no_law_says_why(text, reason):
    found = certify(parse(text), *split(curve()))
    assert not found.law and reason in found.reason


def test_p_is_uniform_without_a_law():
    """An equation that was fixed before the points were seen, on independent columns."""
    rng = np.random.default_rng(0)
    f = parse("x1**2 + x2**2 - 1.5")
    p = [certify(f, *split(rng.standard_normal((60, 2)), k)).p for k in range(150)]
    assert kstest(p, "uniform").pvalue > 0.001
    assert np.mean(np.array(p) < 0.05) < 0.12


def test_noise_raises_the_contrast_and_outliers_do_not():
    law = parse("x1*x2 - 1")
    clean, slight, strong = (certify(law, *split(curve(noise=s))) for s in (0.0, 0.02, 0.1))
    assert clean.contrast < 1e-9 < slight.contrast < strong.contrast and slight.law
    points = curve(noise=0.01)
    points[::12] = np.random.default_rng(1).uniform(0.5, 2.0, points[::12].shape)
    assert certify(law, *split(points)).law


def test_a_fit_that_follows_its_own_points_gains_nothing_on_others():
    fitted, held = split(curve(noise=0.05))
    law = certify(parse("x1*x2 - 1"), fitted, held)
    assert 0.5 < law.gain < 2.0
    own = held.copy()
    own[:, 1] += 0.3
    assert certify(parse("x1*x2 - 1"), fitted, own).gain < 0.5


def test_extrapolation_is_seen():
    """An arc of a circle: most of the circle within the box of the points is covered, or not."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    whole = np.column_stack([np.cos(angle), np.sin(angle)])
    circle = parse("x1**2 + x2**2 - 1")
    assert certify(circle, *split(whole)).covered == 1.0
    arc = whole[(whole[:, 0] < 0.3) | (whole[:, 1] < 0.2)]  # one quarter is missing
    found = certify(circle, *split(arc))
    assert 0.6 < found.covered < 0.95
    (low, high), _ = found.gap
    assert low > 0.0 and high <= 1.0


def test_a_singular_point_on_the_data_has_no_gradient():
    x = np.linspace(-1.0, 1.0, 101)
    cross = np.concatenate([np.column_stack([x, x]), np.column_stack([x, -x])])
    assert certify(parse("x1**2 - x2**2"), *split(cross)).flattest < 1e-9
    assert certify(parse("x1*x2 - 1"), *split(curve())).flattest > 0.1


def test_units_change_nothing():
    law, points = parse("x1*x2 - 1"), curve(noise=0.02)
    small = certify(law, *split(points))
    scaled = certify(parse("x1*x2 - 1e-3"), *split(points * [1e3, 1e-6]))
    assert scaled.contrast == pytest.approx(small.contrast, rel=1e-3)
    assert scaled.p == pytest.approx(small.p, rel=1e-3) and scaled.law == small.law
    np.testing.assert_allclose(scaled.shares, small.shares, rtol=1e-3)


def test_too_few_held_out_points_are_quoted():
    with pytest.raises(ValueError, match="1 points are held out; expected at least 2"):
        certify(parse("x1*x2 - 1"), curve(), curve()[:1])


def test_a_product_shows_which_factor_the_points_obey():
    x = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    cloud = np.column_stack([x, 1.0 / x])
    found = certify(parse("(x1*x2 - 1)*(x1 - x2 + 7)"), cloud[:60], cloud[60:]).factors
    assert [round(factor.share, 2) for factor in found] == [1.0, 0.0]
    assert np.abs(found[0].expression.values(cloud)).max() < 1e-9
    (whole,) = certify(parse("x1*x2 - 1"), cloud[:60], cloud[60:]).factors
    assert whole.expression == parse("x1*x2 - 1") and whole.share == 1.0
