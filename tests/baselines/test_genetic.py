import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import gplearn.genetic
import numpy as np
import pytest

from pie.baselines.genetic import GeneticConfig, _estimator, _fit, genetic, to_expression
from pie.baselines.objectives import OBJECTIVES, WORST, normals
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.fit.fitness import cl_fem, stochastic_copies, vanilla
from pie.zeroset.degeneracy import SOUND, kind
from pie.zeroset.distance import distance_to_zero_set

SMALL = GeneticConfig(population=200, generations=3, tournament=5)


@pytest.fixture
def circle():
    angle = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 150)
    return np.column_stack([np.cos(angle), np.sin(angle)])


@pytest.fixture
def product():
    x = np.random.default_rng(1).uniform(0.5, 2.0, (150, 1))
    return np.column_stack([x, 1.0 / x])


def objective(name, points):
    return OBJECTIVES[name](points, 0, 1e-4)


def programs(points):
    """Random programs of gplearn."""
    rows = objective("vanilla", points)
    found = _estimator(GeneticConfig(population=300, tournament=2), rows)
    _fit(found, rows)
    return found._programs[-1]


def test_a_program_becomes_the_expression_with_the_same_values():
    """Where no operator needs protection: all intermediate values beyond its reach."""
    points = np.random.default_rng(0).uniform(1.5, 3.0, (40, 3))
    agree = 0
    for program in programs(points):
        expression = to_expression(program.program)
        assert len(expression.codes) >= len(program.program)
        with np.errstate(all="ignore"):
            ours, theirs = expression.values(points), program.execute(points)
        agree += np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert agree > 150


def test_protected_operators_are_not_in_what_is_returned(circle):
    """sqrt(|x|) and ln(|x|) let gplearn pass where the true operators are undefined."""
    found = genetic(circle, "cl-fem", SMALL)
    assert found.candidates
    for candidate in found.candidates:
        values = candidate.expression.values(circle)
        assert np.isfinite(values).all()
        assert candidate.fitness == pytest.approx(vanilla(values))


def test_cl_fem_is_equation_6(circle):
    f, rows = parse("x1 + 0.3*x2**2 - 0.2"), objective("cl-fem", circle)
    copies = stochastic_copies(circle, np.random.default_rng(0))
    expected = cl_fem(f.values(circle), np.stack([f.values(c) for c in copies]), 1e-4)
    assert rows.score(f.values(rows.rows)) == pytest.approx(expected)
    without = parse("x1*0.3 - 0.2")
    assert rows.score(without.values(rows.rows)) == WORST, "x2 plays no part: d_2 = 0"


@pytest.mark.parametrize("name", OBJECTIVES)
def test_undefined_programs_are_worst(circle, name):
    rows = objective(name, circle)
    assert rows.score(np.full(len(rows.rows), np.nan)) == WORST
    assert rows.score(np.where(np.arange(len(rows.rows)) == 0, np.nan, 1.0)) == WORST


def test_the_sampson_objective_is_a_distance(circle):
    """Close to the zero set it is the distance to it, over that of permuted points."""
    f, near = parse("x1**2 + x2**2 - 1"), circle * 1.001
    rows = objective("sampson", near)
    spread = near.std(0)
    assert np.allclose(spread, spread[0], rtol=0.1)
    null = rows.rows[3 * len(near) :][: len(near) // 2]
    exact = np.median(np.minimum(distance_to_zero_set(f, null), spread[0]))
    assert rows.score(f.values(rows.rows)) == pytest.approx(-0.001 / exact, rel=0.2)


@pytest.mark.parametrize("scale", [1e-6, -1.0, 1e6], ids=["tiny", "negated", "huge"])
@pytest.mark.parametrize("name", ["sampson", "implicit derivatives", "least squares"])
def test_ours_ignore_the_scale_of_a_program(circle, name, scale):
    f, rows = parse("x1**2 + x2**2*1.3 - 1"), objective(name, circle)
    values = f.values(rows.rows)
    assert rows.score(scale * values) == pytest.approx(rows.score(values), rel=1e-3)


@pytest.mark.parametrize("name", ["sampson", "implicit derivatives", "least squares"])
def test_ours_prefer_the_law_to_degenerate_answers(circle, name):
    rows = objective(name, circle)
    # least squares has its level from elsewhere
    law = rows.score(parse("x1**2 + x2**2 - 0.3").values(rows.rows))
    if name == "sampson":
        law = rows.score(parse("x1**2 + x2**2 - 1").values(rows.rows))
    for text in ("x1 - x1", "0*x2", "(x1 + x2)/1e9", "x1", "exp(0 - 50 - x1 - x2)"):
        assert rows.score(parse(text).values(rows.rows)) < law - 0.01, text


def test_normals_of_a_sphere_point_to_its_centre():
    x = np.random.default_rng(0).standard_normal((400, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    along = np.abs(np.sum(normals(x) * x, axis=1))
    assert np.quantile(along, 0.1) > 0.98


def test_the_level_comes_with_implicit_derivatives(circle):
    rows = objective("implicit derivatives", circle)
    (finished,) = rows.finish([parse("x1**2 + x2**2")])
    assert two_sided(finished, parse("x1**2 + x2**2 - 1"), 2, seed=0) == 1.0


def test_least_squares_finds_the_coefficients_and_refuses_identities(product):
    rows = objective("least squares", product)
    (finished,) = rows.finish([parse("x1*x2")])
    truth = parse("x1*x2 - 1")
    assert two_sided(canonical(finished), truth, 2, seed=0) == 1.0
    assert rows.score_finished(finished.values(rows.rows)) > -1e-9
    identity = parse("x1 + 2*x2")  # a combination of the other columns
    assert rows.score(identity.values(rows.rows)) == WORST


def test_vanilla_falls_for_degenerate_answers_and_least_squares_does_not(product):
    fallen = genetic(product, "vanilla", GeneticConfig(generations=3)).best
    assert fallen.fitness > -1e-20 and kind(fallen.expression, product) != SOUND
    law = genetic(product, "least squares", SMALL).best
    assert kind(law.expression, product) == SOUND
    assert two_sided(canonical(law.expression), parse("x1*x2 - 1"), 2, seed=0) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sampson", "implicit derivatives", "least squares"])
def test_a_hyperbola_is_found_from_scratch(product, name):
    config = GeneticConfig(population=500, generations=8, tournament=10)
    law = genetic(product, name, config).best
    assert two_sided(canonical(law.expression), parse("x1*x2 - 1"), 2, seed=0) == 1.0


@pytest.mark.slow
def test_a_circle_is_found_from_scratch(circle):
    config = GeneticConfig(population=1000, generations=10, tournament=10, seed=3)
    law = genetic(circle, "least squares", config).best
    assert two_sided(canonical(law.expression), parse("x1**2 + x2**2 - 1"), 2, seed=0) == 1.0


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_fittest_comes_first(product, name):
    found = genetic(product, name, SMALL).candidates
    price = 0.0 if objective(name, product).as_in_paper else SMALL.parsimony
    costs = [price * len(c.expression.codes) - c.fitness for c in found]
    assert costs == sorted(costs) and len(set(found)) == len(found)


def test_generations_one_by_one_are_those_of_one_run_of_gplearn(circle):
    """Also without its draw of all samples from all."""
    rows = objective("cl-fem", circle)
    at_once = _estimator(SMALL, rows)
    at_once.set_params(generations=SMALL.generations, warm_start=False)
    with np.errstate(all="ignore"):
        at_once.fit(rows.rows, np.zeros(len(rows.rows)))
    expected = [str(program) for program in at_once._programs[-1]]
    one_by_one = _estimator(SMALL, rows)
    for generation in range(1, SMALL.generations + 1):
        one_by_one.set_params(generations=generation)
        _fit(one_by_one, rows)
    quick = one_by_one._programs[-1]
    assert [str(program) for program in quick] == expected
    assert type(quick[0]) is not type(at_once._programs[-1][0]), "the shortcut was not taken"


def test_time_is_a_limit(circle):
    began = time.perf_counter()
    found = genetic(circle, "cl-fem", GeneticConfig(generations=10**9), seconds=2.0)
    assert found.candidates and time.perf_counter() - began < 4.0


def test_arguments_are_quoted(circle):
    with pytest.raises(ValueError, match="fitness is 'mse'"):
        genetic(circle, "mse")
    with pytest.raises(ValueError, match="population 10, tournament 20"):
        GeneticConfig(population=10)
    with pytest.raises(ValueError, match="3 points|2 points"):
        genetic(circle[:2], "vanilla")
    assert math.isnan(genetic(circle, "vanilla", SMALL).best.log_probability)


def test_threads_leave_gplearn_as_it_is(circle):
    own = gplearn.genetic._Program
    with ThreadPoolExecutor(3) as pool:
        seeds = [replace(SMALL, seed=seed) for seed in range(3)]
        found = list(pool.map(lambda config: genetic(circle, "vanilla", config), seeds))
    assert gplearn.genetic._Program is own
    assert found[0].best == genetic(circle, "vanilla", replace(SMALL, seed=0)).best


@pytest.mark.parametrize("name", ["implicit derivatives", "least squares"])
def test_a_program_that_becomes_too_long_is_left_out(circle, name):
    long = parse("+".join(["x1"] * 127) + "+x2")
    short = parse("x1**2 + x2**2")
    (found,) = objective(name, circle).finish([long, short])
    assert found.codes.count(1) < 5
