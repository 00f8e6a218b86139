"""PIE+: the search, ranked by price."""

from dataclasses import fields, replace

import numpy as np
import pytest

from pie.data.sampling import multiply_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.expr.operators import BY_NAME, MAX_VARIABLES, codes_of
from pie.network.inference import Network
from pie.search import plus
from pie.search.candidates import Candidate
from pie.search.cloud import Cloud
from pie.search.finish import Judge, in_user_coordinates
from pie.search.plus import PlusConfig, discover_plus, without_outliers
from pie.search.pool import Draft, Interrupted
from pie.search.price import Prices
from pie.search.proposers.relations import Relations
from pie.zeroset.metric import Metric

FAST = PlusConfig(beam=24)


@pytest.fixture(scope="module")
def model(root):
    return Network.load(root / "data/models/pie")


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e-3, 1e6), (1e9, 0.2)], ids=str)
@pytest.mark.parametrize("proposers", [("relations",), ("network",)], ids="-".join)
def test_a_law_is_found_in_any_units(model, cloud, units, proposers):
    points = cloud("x1*x2**2 - 0.5") * units
    result = discover_plus(model, points, replace(FAST, proposers=proposers))
    expected = canonical(parse("x1*x2**2 - 0.5"))
    form = canonical(result.best.expression)
    assert form.codes == expected.codes
    level = -0.5 * units[0] * units[1] ** 2
    assert form.constants[-1] == pytest.approx(level, rel=1e-6)


def test_candidates_come_cheapest_first_and_repeat(model, cloud, rng):
    points = multiply_noise(cloud("x2 - exp(1.5*x1) + 0.3", variable=2), 0.01, rng)
    result = discover_plus(model, points, FAST)
    assert np.isfinite(result.best.contrast) and result.best.status == "ok" and result.seconds > 0.0
    totals = [c.price.total for c in result.candidates]
    falls = [i for i in range(1, len(totals)) if totals[i] < totals[i - 1]]
    assert totals[0] == min(totals) and len(falls) <= 1, "the front comes last, in order itself"
    assert {c.proposer for c in result.candidates} <= set(FAST.proposers)
    again = discover_plus(model, points, FAST, workers=2)
    assert [c.expression for c in again.candidates] == [c.expression for c in result.candidates]


@pytest.mark.parametrize(
    "text, variable",
    [
        ("x1**2 + x2**2 - 1", 1),
        ("x2*sin(x1) - 0.5", 2),
    ],
    ids=["fits", "branches"],
)  # fmt: skip
def test_failed_fits_are_no_candidates(model, cloud, text, variable, rng):
    points = multiply_noise(cloud(text, variable=variable, n=80), 0.1, rng)
    config = replace(FAST, proposers=("relations",), returned=40)
    found = discover_plus(model, points, config).candidates
    assert len(found) > 15
    assert {candidate.status for candidate in found} == {"ok"}
    assert np.isfinite([candidate.price.total for candidate in found]).all()


def test_of_equal_prices_the_shortest_comes_first(model, cloud):
    """Nothing has a price, and a contrast below 10 is exact."""
    free = {field.name: 0.0 for field in fields(FAST.prices)} | {"resolution": 10.0}
    config = replace(FAST, prices=replace(FAST.prices, **free), proposers=("relations",))
    found = discover_plus(model, cloud("x1**2 + x2**2 - 1"), config).candidates
    lengths = [len(candidate.expression.codes) for candidate in found]
    assert np.ptp([candidate.price.total for candidate in found]) < 1e-6
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1]


def test_prices_that_are_left_out_change_who_wins(model, cloud, rng):
    """Without a price of length the longest of the candidates that fit is the best."""
    points = multiply_noise(cloud("x1 + x2**2 - 1.3"), 0.03, rng)
    free = replace(FAST.prices, token=0.0, constant=0.0, form=0.0, sheet=0.0)
    priced, unpriced = (
        discover_plus(model, points, replace(FAST, prices=prices)).best
        for prices in (FAST.prices, free)
    )
    assert unpriced.contrast <= priced.contrast
    assert len(unpriced.expression.codes) > len(priced.expression.codes)


@pytest.mark.parametrize("text", ["x1*x2 - 5.488", "x1 + 0.65*x2 - 0.58"])
def test_noise_is_not_fitted_by_oscillation(model, text, rng, cloud):
    """Of x1·x2 = c even sin(exp(exp(x1·x2))) is a function, with zeros next to every point."""
    points = multiply_noise(cloud(text, seed=1), 1e-3, rng)
    best = discover_plus(model, points, PlusConfig(beam=24)).best.expression
    assert two_sided(best, parse(text), 2, seed=0, tolerance=0.02) > 0.9


def test_an_arc_gives_the_whole_curve(model):
    """Where all coordinates are positive nothing tells that the others could not be."""
    angle = np.linspace(0.2, 1.3, 150)
    arc = np.column_stack([2.0 * np.cos(angle), np.sin(angle)])
    best = discover_plus(model, arc, FAST).best.expression
    assert canonical(best).codes == canonical(parse("x1**2 + 4*x2**2 - 4")).codes


def test_constants_that_are_one_or_zero_by_rounding_are_dropped(cloud):
    points = cloud("x1 + exp(x2) - 4")
    scaled = replace(Cloud.as_given(points), units=np.array([2.0, 1 / 3]))
    seen = canonical(parse("x1*2 + exp(x2/3)*(1 + 1e-12) - 4"))
    found = in_user_coordinates(
        scaled.back(seen), points, Judge(curved=0.25), Metric.of(points)
    ).expression
    assert str(found) == "x1 + exp(x2) - 4.0"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: PlusConfig(beam=0), "inference_plus.beam is 0; expected at least 1"),
        (lambda: PlusConfig(starts=0), "inference_plus.starts is 0"),
        (lambda: PlusConfig(far=0.0), "inference_plus.far is 0.0"),
        (lambda: PlusConfig(outliers=0.6), "inference_plus.outliers is 0.6; expected 0 to below"),
        (lambda: PlusConfig(proposers=("guess",)), "proposers holds 'guess'; known are relations"),
        (lambda: PlusConfig(proposers=()), "inference_plus.proposers is empty"),
        (
            lambda: PlusConfig(relations=Relations(sizes=(2, 0))),
            "inference_plus.relations.sizes is 0; expected at least 1",
        ),
    ],
)
def test_settings_are_checked(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_whole_number_may_stand_for_any_other():
    config = PlusConfig(outliers=0, prices=Prices(sheet=0))
    assert config.outliers == config.prices.sheet == 0


@pytest.mark.parametrize("operators", [("*",), ("sin", "/"), ("^", "log")], ids=" ".join)
def test_no_candidate_has_a_function_that_may_not_be_in_it(model, operators):
    """Points of an exponential, which polynomials, waves and powers fit nearly."""
    x = np.linspace(0.5, 3.0, 60)
    points = np.column_stack([x, np.exp(0.5 * x)])
    config = replace(FAST, proposers=("relations", "shapes"))
    free = discover_plus(model, points, config).candidates
    bound = discover_plus(model, points, replace(config, operators=operators)).candidates
    used = {code for c in bound for code in c.expression.codes if code > MAX_VARIABLES}
    assert bound and used <= codes_of(operators)
    assert {BY_NAME["exp"].code, BY_NAME["ln"].code} & {*free[0].expression.codes}


def test_what_may_not_be_an_answer_decides_nothing_but_may_have_branches():
    """Of x2² = √x1 the branch x2 = x1^0.25 has no root; beside it a cubic is far off."""
    x = np.linspace(0.5, 3.0, 60)
    points = np.column_stack([x, x**0.25])
    points[:, 1] += 1e-4 * np.random.default_rng(0).standard_normal(60)
    cubic = "x1**3 - 7.84*x1**2 + 27.81*x1 - 58.84*x2 + 37.76"

    def ranked(operators, *texts):
        chosen = [(Draft(parse(text), "test"), parse(text)) for text in texts]
        config = replace(FAST, operators=operators)
        return plus._ranked(chosen, points, config, (), None, None)[0]

    assert ranked(("*",), "x2**2 - sqrt(x1)", cubic) == ranked(("*",), cubic) != []
    (branch,) = ranked(("^",), "x2**2 - sqrt(x1)")
    assert str(branch.expression) == "x1**0.25 - x2"


def test_an_unknown_operator_is_refused_with_those_that_are_known():
    with pytest.raises(
        ValueError, match=r"unknown operator 'tan'; known beside \+, - and \* are /"
    ):
        PlusConfig(operators=("tan",))


def test_a_law_is_found_behind_outliers(model, rng):
    angle = rng.uniform(0.0, 2.0 * np.pi, 200)
    x, y = np.cos(angle), np.sin(angle)
    points = np.column_stack([np.sign(x) * np.sqrt(np.abs(x)), np.sign(y) * np.sqrt(np.abs(y))])
    points[:40] = rng.uniform(-3.0, 3.0, (40, 2))
    twice = replace(FAST, proposers=("relations",))
    once = replace(twice, outliers=0.0)
    law = canonical(parse("x1**4 + x2**4 - 1"))
    found = [
        discover_plus(model, points, c).best.expression.codes == law.codes for c in (once, twice)
    ]
    assert found == [False, True]


def test_outliers_are_some_points_far_from_an_equation_that_is_near_the_others(rng):
    x = rng.uniform(0.0, 1.0, 100)
    line = np.column_stack([x, x + 0.01 * rng.standard_normal(100)])
    best = Candidate(parse("x1 - x2"), -0.01, 0.0, "ok", contrast=0.01)
    assert without_outliers(best, line, (), FAST) is None, "errors are normal"
    far = line.copy()
    far[:30, 1] += 1.0
    np.testing.assert_array_equal(without_outliers(best, far, (), FAST), far[30:])
    assert without_outliers(replace(best, contrast=0.0), far, (), FAST) is None, "it is exact"
    near = line.copy()
    near[:4, 1] += 1.0
    assert without_outliers(best, near, (), FAST) is None, "four of a hundred hide nothing"
    far[30:40, 1] += 1.0
    assert without_outliers(best, far, (), FAST) is None, "two fifths are no few"
    assert without_outliers(best, far[38:58], (), FAST) is None, "18 do not tell that two are"
    np.testing.assert_array_equal(without_outliers(best, far[38:60], (), FAST), far[40:60])


def test_a_zero_without_a_gradient_is_no_outlier(rng):
    """At x1 = x2 = 0 the first-order distance of x1² − x2² would be 0/0."""
    x = rng.uniform(0.5, 1.0, 90)
    points = np.vstack(
        [np.column_stack([x, x + 0.01 * rng.standard_normal(90)]), np.zeros((10, 2))]
    )
    best = Candidate(parse("x1**2 - x2**2"), -0.01, 0.0, "ok", contrast=0.01)
    assert without_outliers(best, points, (), FAST) is None


@pytest.mark.parametrize("call", [1, 2])
def test_what_was_found_is_there_where_the_end_is_interrupted(model, cloud, call, monkeypatch, rng):
    """While the candidates are made ready the first time, or after a search without outliers."""
    ranked, calls = plus._ranked, []

    def stopped(*given):
        calls.append(given)
        if len(calls) == call:
            raise KeyboardInterrupt
        return ranked(*given)

    points = cloud("x1*x2**2 - 0.5")
    points += 0.01 * rng.standard_normal(points.shape)
    points[:30] += rng.uniform(0.5, 1.5, (30, 2))
    monkeypatch.setattr(plus, "_ranked", stopped)
    with pytest.raises(Interrupted) as stop:
        discover_plus(model, points, replace(FAST, proposers=("relations",)))
    assert stop.value.found.candidates and len(calls) == 2
