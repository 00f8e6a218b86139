from dataclasses import replace

import numpy as np
import pytest

from pie.data.benchmarks import load
from pie.data.null_clouds import walk
from pie.discovery.certificate import EVIDENCE, SIGNIFICANT, certify, same_zero_set
from pie.discovery.column_errors import least_errors
from pie.expr.expression import parse
from pie.fit.uncertainty import polished
from pie.zeroset.metric import Metric


def curve(n=120, low=0.5, high=2.0, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(low, high, n)
    points = np.column_stack([x, 1.0 / x])
    return points + noise * rng.standard_normal(points.shape)


def test_the_truth_of_every_wild_problem_passes(root):
    for problem in load(root / "data/benchmarks", "wild")[::9]:
        found = certify(problem.truth, problem.points)
        assert found.law, (problem.equation_id, found)
        assert len(found.shares) == problem.n_variables


@pytest.mark.parametrize(
    "text, reason",
    [
        ("x1 - x1 + 0*x2", "degenerate"),
        ("x1 - 1.2 + 0*x2", "degenerate: a variable not used"),
        ("x1**2 + x2**2 + 1", "degenerate: nothing is a zero"),
        ("(x1 + x2)/1e7", "degenerate: g/huge"),
        ("x1 - x2", "left out lie as far from it as points with permuted"),
        ("x1*x2 - 1.4", "lie 0.71 times as far from it as points with permuted"),
    ],
)
def test_what_is_no_law_says_why(text, reason):
    found = certify(parse(text), curve())
    assert not found.law and reason in found.reason


def test_an_equation_fixed_before_is_rarely_significant_without_a_law():
    """On independent columns, where no constant was fitted: p ≤ 0.005 in one cloud of a hundred."""
    rng = np.random.default_rng(0)
    f = parse("x1**2 + x2**2 - 1.5")
    p = np.array([certify(f, rng.standard_normal((60, 2))).p for _ in range(300)])
    assert np.mean(p <= SIGNIFICANT) < 0.02 and np.mean(p < 0.05) < 0.1
    assert 0.4 < np.median(p) < 0.6


def test_an_equation_through_the_centres_of_clusters_is_no_law():
    """Three clusters on a circle, which tells nothing within them."""
    rng = np.random.default_rng(0)
    angle = rng.choice([0.3, 2.1, 4.4], 150)
    circle, centres = parse("x1**2 + x2**2 - 1"), np.column_stack([np.cos(angle), np.sin(angle)])
    clusters = certify(circle, centres + 0.02 * rng.standard_normal(centres.shape))
    assert clusters.contrast < 0.2 and clusters.evidence > EVIDENCE
    assert not clusters.law and "among neighbours" in clusters.reason
    angle += rng.uniform(-0.3, 0.3, len(angle))  # pieces of the circle
    pieces = np.column_stack([np.cos(angle), np.sin(angle)])
    assert certify(circle, pieces + 0.02 * rng.standard_normal(pieces.shape)).law


def test_an_equation_that_follows_random_walks_is_no_law():
    """What a search found in four of seven independent walks."""
    rng = np.random.default_rng([3, 7, 8])  # a null table of 12_columns
    walks = walk(int(rng.integers(50, 201)), 7, rng)[:, [0, 1, 2, 4]]
    follows = "x4**2 + 0.02382*x1*x3**2 + 1.847*x2*x4 + 0.09106*x3**2*x4"
    found = certify(parse(follows), walks)
    assert found.contrast < 0.2 and found.evidence > EVIDENCE
    assert not found.law and "among neighbours" in found.reason


def test_replicates_at_values_that_were_set_are_no_clusters():
    """Six doses, four responses to each: within a dose there is no law to be seen."""
    rng = np.random.default_rng(0)
    dose = np.repeat([0.5, 1.0, 2.0, 4.0, 8.0, 16.0], 4)
    response = dose / (2.0 + dose) + 0.03 * rng.standard_normal(len(dose))
    assert certify(parse("x2 - x1/(2 + x1)"), np.column_stack([dose, response])).law


def test_noise_raises_the_contrast_and_outliers_do_not():
    law = parse("x1*x2 - 1")
    clean, slight, strong = (certify(law, curve(noise=s)) for s in (0.0, 0.02, 0.1))
    assert clean.contrast < 1e-9 < slight.contrast < strong.contrast and slight.law
    points = curve(noise=0.01)
    points[::12] = np.random.default_rng(1).uniform(0.5, 2.0, points[::12].shape)
    assert certify(law, points).law


def test_the_gain_of_a_fit_is_that_of_its_constants():
    """A polynomial with a constant for every other point follows them; one constant hardly."""
    points = curve(14, noise=0.05)
    slopes = np.polynomial.polynomial.polyfit(*points.T, 6)
    polynomial = parse("x2 - " + " - ".join(f"{c:.12f}*x1**{k}" for k, c in enumerate(slopes)))
    assert certify(polynomial, points).gain < 0.7 < certify(parse("x1*x2 - 1"), points).gain <= 1.0


def test_the_evidence_is_the_gain_in_probability_less_the_price_of_the_form():
    law, points = parse("x1*x2 - 1"), curve(noise=0.02)
    free, paid = certify(law, points), certify(law, points, 12.5)
    assert free.evidence == pytest.approx(-len(points) * np.log(free.contrast))
    assert free.evidence - paid.evidence == pytest.approx(12.5)
    dear = certify(law, points, free.evidence - 0.5 * EVIDENCE)
    assert free.law and not dear.law and "too few or too scattered points" in dear.reason


def test_distances_are_those_of_points_left_out():
    """A line through 0, so flat that distances are residuals of its last column, and its refits."""
    rng = np.random.default_rng(3)
    x = rng.uniform(0.0, 1.0, 9)
    points = np.column_stack([x, 1e-3 * (2.0 * x + 0.1 * rng.standard_normal(9))])
    slope = (x @ points[:, 1]) / (x @ x)
    out = [
        points[n, 1] - x[n] * np.delete(x * points[:, 1], n).sum() / np.delete(x * x, n).sum()
        for n in range(9)
    ]
    metric = Metric(
        (False, False), np.array([1e6, 1e6]), np.zeros(2, bool)
    )  # distances are far below their cap
    found = certify(parse(f"x2 - {float(slope)!r}*x1"), points, 0.0, metric)
    assert certify(parse("x2 - x1"), points, 0.0, metric).gain == 1.0, "nothing was fitted"
    within = np.abs(points[:, 1] - slope * x)
    middle = (9 + 1) // 2  # a constant can pass through a point: it does not count
    expected = np.sort(within)[middle] / np.sort(np.abs(out))[middle]
    assert found.gain == pytest.approx(expected, rel=1e-3)


def test_extrapolation_is_seen():
    """An arc of a circle: most of the circle within the box of the points is covered, or not."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    whole = np.column_stack([np.cos(angle), np.sin(angle)])
    circle = parse("x1**2 + x2**2 - 1")
    assert certify(circle, whole).covered == 1.0
    arc = whole[(whole[:, 0] < 0.3) | (whole[:, 1] < 0.2)]  # one quarter is missing
    found = certify(circle, arc)
    assert 0.6 < found.covered < 0.95


def test_units_change_nothing():
    points = curve(noise=0.02) * [2.0, 1.0]
    small = certify(parse("x1*x2 - 2"), points)
    scaled = certify(parse("x1*x2 - 2e-3"), points * [1e3, 1e-6])
    assert scaled.contrast == pytest.approx(small.contrast, rel=1e-3)
    assert scaled.p == pytest.approx(small.p, rel=1e-3) and scaled.law == small.law
    np.testing.assert_allclose(scaled.shares, small.shares, rtol=1e-3)


def test_a_product_shows_which_factor_the_points_obey():
    x = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    cloud = np.column_stack([x, 1.0 / x])
    found = certify(parse("(x1*x2 - 1)*(x1 - x2 + 7)"), cloud).factors
    assert [round(factor.share, 2) for factor in found] == [1.0, 0.0]
    assert np.abs(found[0].expression.values(cloud)).max() < 1e-9
    (whole,) = certify(parse("x1*x2 - 1"), cloud).factors
    assert whole.expression == parse("x1*x2 - 1") and whole.share == 1.0


def test_a_reason_does_not_contradict_itself():
    """No "0.2 times as far; expected to reach 0.2"."""
    sure = certify(parse("x1*x2 - 1"), curve())
    assert sure.law and "lie 0.203 times" in replace(sure, contrast=0.2031).reason
    assert "is 4.97 nats" in replace(sure, evidence=4.97).reason


def test_equations_far_from_0_are_told_apart():
    """Roots are sought near 0 and 1, in units of the box of the points."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, 2.0 * np.pi, 200)
    points = 150.0 + 10.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    circle = parse("(x1 - 150)**2 + (x2 - 150)**2 - 100")
    hyperbola = parse("(x1 - 150)**2 - (x2 - 150)**2 - 100")
    assert not same_zero_set(circle, hyperbola, points)
    assert same_zero_set(circle, parse("2*(x1 - 150)**2 + 2*(x2 - 150)**2 - 200"), points)
    assert certify(circle, points).covered == 1.0


def test_what_one_column_alone_fulfils_is_no_law(rng):
    group = np.repeat([0.0, 1.0, 2.0], 40)
    height = rng.uniform(1.0, 3.0, 120)
    width = np.where(group > 0.0, 2.0 * height, rng.uniform(1.0, 6.0, 120))
    points = np.column_stack([group, height, width])
    found = certify(parse("x1*(x3 - 2*x2)"), points)
    assert found.reason == "33% of the points lie on a factor that has one column alone"
    assert not found.law and found.alone == pytest.approx(1 / 3)
    rest = certify(parse("x2 - 2*x1"), points[group > 0.0, 1:])
    assert rest.law and rest.alone == 0.0
    assert certify(parse("x1*(x3 - 2*x2)"), points[group > 0.0] + [0.5, 0.0, 0.0]).alone == 0.0


def test_a_column_beside_a_law_of_two_is_idle():
    """A plane through noisy points on a line and any third column, and one that needs all three."""
    rng = np.random.default_rng(0)
    x, z = rng.uniform(0.5, 4.0, 30), rng.integers(1, 6, 30).astype(float)
    y = 3.0 * x + 0.3 * rng.standard_normal(30)
    idle = certify(parse("x2 - 3*x1 - 0.01*x3"), np.column_stack([x, y, z]))
    assert idle.contrast < 0.2 and idle.evidence > EVIDENCE and idle.p < SIGNIFICANT
    assert not idle.law and idle.apart == ((2,),)
    reason = idle.reason_in(["x", "y", "weight"])
    assert "weight may have nothing to do with the other columns" in reason
    assert "column 3 may have nothing to do" in idle.reason
    law = certify(parse("x2 - 3*x1 - x3"), np.column_stack([x, y + z, z]))
    assert law.law and max(law.p_of_parts) < SIGNIFICANT and law.apart == ()


def test_eight_rows_of_a_law_of_three_columns_are_enough():
    law, passed = parse("x1 + 0.5*x2 - x3"), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.uniform(1.0, 4.0, (8, 2))
        points = np.column_stack([x, x[:, 0] + 0.5 * x[:, 1]])
        points += 0.1 * points.std(axis=0) * rng.standard_normal(points.shape)
        passed.append(max(certify(law, points).p_of_parts) <= SIGNIFICANT)
    assert sum(passed) >= 18


def test_two_laws_joined_to_one_are_none():
    """A table with two columns and their logarithms: area·exp(−ln area) = species·exp(−ln species)."""
    rng = np.random.default_rng(0)
    area = np.exp(rng.uniform(2.0, 9.0, 14))
    species = 3.0 * area**0.25 * np.exp(0.3 * rng.standard_normal(14))
    table = np.column_stack([area, species, np.log(area), np.log(species)]).round(5)
    joined = certify(parse("x1*exp(-x3) - x2*exp(-x4)"), table)
    assert joined.contrast < 1e-3 and joined.p < SIGNIFICANT
    assert not joined.law and joined.apart == ((0, 2),)


def test_what_fits_better_than_the_digits_allow_has_no_more_evidence():
    x, y = 2.0 ** np.arange(7.0), np.array([2.06, 2.98, 3.84, 4.81, 5.84, 6.76, 7.62])
    points = np.column_stack([x, y])
    wave = parse("x2 - 1.363*ln(x1) - 0.0627*sin(2.266180070913597*ln(x1) + 1.071) - 2.005")
    fitted = polished(wave, points, points.std(axis=0))
    free = certify(fitted, points, 54.0)
    assert free.law and free.contrast < 1e-6, "by chance the points repeat after four"
    rounded = certify(fitted, points, 54.0, errors=least_errors(points))
    assert not rounded.law and 5e-4 < rounded.contrast < 0.1
