"""The loop of every search, its pool, and the price by which PIE+ ranks."""

from dataclasses import replace

import numpy as np
import pytest

from pie.expr.expression import parse
from pie.fit.constants import Fit
from pie.search.candidates import Price
from pie.search.cloud import Cloud
from pie.search.forms import forms
from pie.search.pool import (
    WARM,
    Batch,
    Draft,
    Found,
    Interrupted,
    Pool,
    TimeIsUp,
    new_drafts,
    reduced,
    search,
    watched,
)
from pie.search.price import (
    Prices,
    few_points,
    form_price,
    of_branch,
    price_of,
    settled,
    whole_price,
)
from pie.zeroset.crossings import sheets

WAVES = 3.0 * forms().cost(parse("sin(cos(x1)) - x2").codes, 2) + 2 / 98
CLOUD = Cloud.as_given(np.random.default_rng(0).standard_normal((20, 2)))


def by_fitness(found):
    return (-found.fit.fitness,)


def fitted(batch, cloud):
    """The longer the better."""
    return [Fit(d.expression, float(len(d.expression.codes)), "ok") for d in batch.drafts]


def says(*texts):
    """A proposer of one batch for each text, which notes how much is in the pool by then."""
    seen = []

    def propose(cloud, pool):
        for text in texts:
            seen.append(len(pool))
            yield Batch([Draft(parse(text), "test")], WARM)

    propose.seen = seen
    return propose


def test_a_proposer_sees_what_became_of_its_last_batch():
    first, second = says("x1", "x1 + x2"), says("x1*x2")
    pool = search(CLOUD, [first, second], fitted, Pool(by_fitness))
    assert first.seen == [0, 1] and second.seen == [2]
    assert [str(found.fit.expression) for found in pool.ranked()][-1] == "x1"


def test_the_best_are_those_of_the_judge_who_is_asked_no_more_than_needed():
    """Fits 0 to 5 rank in their order; the judge adds 10 to the first two."""
    asked = []

    def judge(found):
        asked.append(found.fit.fitness)
        return (found.fit.fitness + (10.0 if found.fit.fitness < 2.0 else 0.0),)

    pool = Pool(lambda found: (found.fit.fitness,), judge)
    for fitness in range(6):
        law = parse("x1" + " + x2" * fitness)
        pool.keep(Found(Draft(law, "test"), Fit(law, float(fitness), "ok")))
    best = pool.best(2)
    assert [one.fit.fitness for one in best] == [2.0, 3.0]
    assert asked == [0.0, 1.0, 2.0, 3.0] and pool.best(2) == best and len(asked) == 4


def test_of_two_fits_of_a_skeleton_the_judge_keeps_one():
    law = parse("x1 + x2")
    worse, better = (Found(Draft(law, "test"), Fit(law, fitness, "ok")) for fitness in (0.0, 1.0))
    pool = Pool(lambda found: (0.0,), lambda found: (-found.fit.fitness,))
    for found in (worse, better, worse):
        pool.keep(found)
    assert pool.ranked() == [better]


def test_a_search_ends_where_it_is_enough():
    first, second = says("x1", "x1 + x2", "x1*x2 + 1"), says("x2")
    pool = search(CLOUD, [first, second], fitted, Pool(by_fitness), lambda pool: len(pool) == 2)
    assert first.seen == [0, 1] and second.seen == [] and len(pool) == 2


def test_an_interrupted_search_gives_what_it_has_found():
    def interrupted(batch, cloud):
        if "sin" in str(batch.drafts[0].expression):
            raise KeyboardInterrupt
        return fitted(batch, cloud)

    with pytest.raises(Interrupted) as stop:
        search(CLOUD, [says("x1", "sin(x1)", "x1*x2")], interrupted, Pool(by_fitness))
    assert [str(found.fit.expression) for found in stop.value.found] == ["x1"]
    assert isinstance(stop.value, KeyboardInterrupt), "else rows of a table were taken for whole"


def test_drafts_are_canonical_new_complete_and_short():
    pool = Pool(by_fitness)
    search(CLOUD, [says("x1 + x2")], fitted, pool)
    texts = ["x2 + x1", "2*x1*x2 - 2", "x1*x2 - 3", "x1 - 1", "exp(x1*x2)", "x1 + sin(x2 + x1**2)"]
    drafts = new_drafts(map(parse, texts), CLOUD, pool, "test", max_tokens=6)
    assert [str(d.expression) for d in drafts] == ["x1*x2 - 1.0"], (
        "known; new; its skeleton again; one variable; no zeros; too long"
    )


@pytest.mark.parametrize(
    "law", ["0.3*x1 + 1.7*x2*x3 - 0.2", "0.3*x1 + 0.4*x1*exp(0.7*x2) - 0.9*x2**1.3"]
)
def test_the_price_of_a_form_is_that_of_a_fit_without_known_numbers(law):
    form = parse(law)
    price = price_of(Fit(form, 0.0, "ok", contrast=1.0), 10**15, Prices())
    assert form_price(form.codes, Prices()) == pytest.approx(price.total, rel=1e-12)


def test_a_fit_that_failed_has_no_price():
    assert price_of(Fit(parse("x1*x2 - 1"), -np.inf, "no zeros"), 200, Prices()).total == np.inf


@pytest.mark.parametrize(
    "text, contrast, prices, expected",
    [
        ("x1 - x2", 0.1, {"form": 0.0}, 100.0 * np.log(0.1) + 3 * 1.0 + 2 / 98),
        ("x1 - 2*x2", 0.1, {"token": 0.0, "form": 0.0}, 100.0 * np.log(0.1) + 5.0 + 6 / 97),
        ("x1 - exp(x2)", 1e-12, {"token": 0.0, "form": 0.0}, 100.0 * np.log(1e-8)),
        ("x1 - 2*x2", 1e-12, {"token": 0.0, "form": 0.0}, 100.0 * np.log(1e-8)),
        ("x1 - 2.1*x2", 1e-12, {"token": 0.0, "form": 0.0}, 100.0 * np.log(1e-8) + 5.0),
        ("sin(cos(x1)) - x2", 0.1, {"token": 0.0, "form": 3.0}, 100.0 * np.log(0.1) + WAVES),
        ("x1 + exp(x1) - x2", 0.1, {"token": 0.0, "form": 0.0}, 100.0 * np.log(0.1) + 0.9 + 2 / 98),
    ],
    ids=["tokens", "constant", "exact", "exact, whole", "exact, not whole", "form", "implicit"],
)
def test_the_price_is_its_formula(text, contrast, prices, expected):
    price = price_of(Fit(parse(text), -1e-3, "ok", 1e-3, contrast), 100, Prices(**prices))
    assert price.total == pytest.approx(expected)
    assert str(price).endswith(f"= {expected:.1f}")


def test_the_price_of_constants_and_form_alone_knows_no_points():
    f = parse("x1 - 2*x2")
    price = price_of(Fit(f, -1e-3, "ok", 1e-3, 0.1), 100, Prices())
    assert form_price(f.codes, Prices()) == pytest.approx(price.total - price.misfit - few_points(1, 100))


def test_a_high_power_is_refused_unless_it_is_exact():
    points = np.linspace(1.0, 2.0, 50)[:, None] ** np.array([1.0, 24.5])
    for text, contrast, refused in [
        ("x2 - x1**24.5", 0.01, True), ("x2 - 3*x1**-24.5", 0.01, True),
        ("x2 - x1**24.5", 1e-12, False), ("x2 - x1**12.5", 0.01, False),
    ]:  # fmt: skip
        price = whole_price(Fit(parse(text), -1e-3, "ok", 1e-3, contrast), points, Prices())
        assert np.isinf(price.total) == refused


def test_numbers_cost_more_where_points_are_few():
    """What other errors cost with the numbers and σ of a fit, less what its own cost, simulated."""
    rng, n, rounds = np.random.default_rng(0), 12, 20000
    for fitted in (1, 4):
        x, noise = rng.standard_normal((n, fitted)), rng.standard_normal((n, rounds))
        left = noise - x @ np.linalg.lstsq(x, noise, rcond=None)[0]
        new = rng.standard_normal((n, rounds)) - (noise - left)  # other errors, the same fit
        variance = np.mean(left**2, axis=0)
        bias = np.mean(np.sum(new**2, axis=0) / variance - n) / 2.0
        k = fitted + 1
        assert k + few_points(fitted, n) == pytest.approx(bias, rel=0.05)
    assert few_points(8, 9) == np.inf


def zeros_priced(text, points, contrast=0.1, **prices):
    fit = Fit(parse(text), -1e-3, "ok", 1e-3, contrast)
    return whole_price(fit, points, Prices(**prices))


def test_zeros_where_no_points_are_and_further_sheets_are_paid(rng):
    x, error = np.linspace(-1.0, 1.0, 60), 0.1 * rng.standard_normal(60)
    near = np.column_stack([x, error])
    plain = zeros_priced("x2", near)
    assert plain.crossings == plain.sheets == pytest.approx(0.0), "one zero on each line, one sheet"
    double = "x2**2 - 0.001 - 0.001*x1**2"  # two sheets within the error
    expected = np.log(sheets(parse(double), near)).sum()
    assert zeros_priced(double, near, crossing=0.0).sheets == pytest.approx(expected)
    assert expected > 30.0 * np.log(2.0)
    crossed = zeros_priced("sin(40*x1) - x2", near, sheet=0.0)
    assert crossed.crossings > 0.0 == crossed.sheets


@pytest.mark.parametrize(
    "text, expected",
    [
        ("x2 - sin(1.5*x1)", 5.0),
        ("x2 - sin(1.6*x1)", 0.0),
        ("x2 - sin(x1)", 0.0),
        ("x2 - sin(1.5*x1)*cos(0.1*x1)", 10.0),
        ("x2 - sin(46*x1)", 0.0),
        ("x2 - sin(49*x1)", np.inf),
    ],
    ids=["an arc", "half a turn", "no rate", "two arcs", "enough points", "too few points"],
)
def test_waves_of_which_too_little_is_seen_are_priced_or_refused(text, expected):
    """60 points over 2, so 2k/π half turns of sin(k·x1)."""
    points = np.column_stack([np.linspace(-1.0, 1.0, 60), np.zeros(60)])
    assert zeros_priced(text, points).waves == expected
    assert zeros_priced(text, points, contrast=1e-9).waves == 0.0, "exact"


SETTLED = Prices(tolerance=0.03)


def misfits(*candidates, n=100):
    """Misfits of candidates (contrast, correlation of neighbours) among each other."""
    priced = [(Price(0.0), *candidate) for candidate in candidates]
    return [price.misfit for price in settled(priced, n, SETTLED)]


def test_residuals_that_follow_one_another_count_as_few_below_the_tolerance_only():
    best, smooth, white = misfits((1e-4, 0.0), (1e-2, 0.6), (1e-2, 0.0))
    assert best == pytest.approx(100.0 * np.log(1e-4))
    assert white == pytest.approx(100.0 * np.log(1e-2)), "noise counts in full"
    assert smooth - best == pytest.approx(25.0 * np.log(1e2)), "(1 − ρ)/(1 + ρ) of them"
    _, at, beyond = misfits((1e-4, 0.0), (0.03, 0.6), (0.3, 0.6))
    assert beyond - at == pytest.approx(100.0 * np.log(10.0)), "in full beyond the tolerance"


def test_errors_above_the_tolerance_and_anticorrelated_ones_count_in_full():
    assert misfits((0.1, 0.9), (0.2, 0.9)) == pytest.approx(100.0 * np.log([0.1, 0.2]))
    assert misfits((1e-3, 0.0), (1e-2, -0.9))[1] == pytest.approx(100.0 * np.log(1e-2))


def test_perfectly_smooth_residuals_are_one_observation_at_least():
    best, smooth = misfits((1e-4, 0.0), (1e-2, 1.0))
    assert smooth - best == pytest.approx(np.log(1e2))
    assert settled([(Price(np.inf), 1.0, 0.0)], 100, SETTLED) == [Price(np.inf)]


def test_what_is_refused_does_not_say_how_small_errors_are():
    """Such as a wave that is too fast, which passes through all points."""
    two = [(Price(0.0), 0.01, 0.9), (Price(0.0), 0.02, 0.9)]
    refused = Price(0.0, waves=np.inf), 1e-9, 0.0
    alone, beside = settled(two, 200, SETTLED), settled([*two, refused], 200, SETTLED)
    assert beside[:2] == alone


def test_a_price_lists_what_it_is_made_of():
    price = Price(-20.0, 8.0, 2.0, tokens=4.0, crossings=1.5)
    assert str(price) == "misfit -20.0, constants 8.0, form 2.0, tokens 4.0, crossings 1.5 = -4.5"
    with pytest.raises(ValueError, match=r"prices.token is -1.0; expected at least 0"):
        Prices(token=-1.0)


@pytest.mark.parametrize(
    "text, nonzero, expected",
    [
        ("x1*x2 - 2*x1**2", {1, 2}, "x1 - 0.5*x2"),
        ("x1**3*x2 + x1**2", {1}, "x1*x2 + 1.0"),
        ("x1*x2 - 2*x1**2", {2}, "x1**2 - 0.5*x1*x2"),
        ("x1*x2", {1, 2}, "x2"),
    ],
    ids=["once", "twice", "points where x1 = 0", "down to one variable"],
)
def test_a_law_times_a_variable_is_the_law_where_the_variable_is_never_0(text, nonzero, expected):
    assert str(reduced(parse(text), nonzero)) == expected


def test_a_watcher_sees_every_batch_and_ends_a_search_and_those_within_it():
    seen = []

    def watch(proposer, cloud, pool):
        seen.append((proposer, len(pool)))
        if len(pool) == 2:
            raise TimeIsUp

    def within(cloud, pool):
        yield from says("x1")(cloud, pool)
        search(CLOUD, [says("x2", "x1*x2", "x1 + x2")], fitted, Pool(by_fitness))
        raise AssertionError("the inner search should have ended this one")

    with watched(watch), pytest.raises(Interrupted) as stop:
        search(CLOUD, [within], fitted, Pool(by_fitness))
    assert [str(found.fit.expression) for found in stop.value.found] == ["x1"]
    assert [held for _, held in seen] == [0, 0, 1, 2] and {name for name, _ in seen} == {"test"}
    search(CLOUD, [says("x1")], fitted, Pool(by_fitness))
    assert len(seen) == 4, "nobody watches any more"


def test_the_price_of_a_branch_is_a_number_where_that_of_the_whole_is_none():
    """With as many numbers as points either is infinite."""
    branch, whole = Price(-9.0, constants=np.inf), Price(-10.0, constants=np.inf)
    assert of_branch(branch, whole, Prices()).total == np.inf
    assert of_branch(branch, replace(whole, constants=5.0), Prices()).total == np.inf


def test_a_pole_beside_noisy_points_is_no_sheet():
    x = np.random.default_rng(0).uniform(0.2, 5.0, 200)
    y = (1.0 + 0.5 / (x - 0.1)) * (1.0 + 0.05 * np.random.default_rng(1).standard_normal(200))
    assert np.array_equal(
        sheets(parse("x2 - 1 - 0.5/(x1 - 0.1)"), np.column_stack([x, y])), np.ones(200)
    )
