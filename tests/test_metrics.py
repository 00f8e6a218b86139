import numpy as np
import pytest

from pie.benchmarks import NAMES, load
from pie.canonical import canonical
from pie.expression import parse
from pie.metrics import STARTS, paper_fitness, two_sided, zeros

CIRCLE = parse("x1**2 + x2**2 - 4")


@pytest.mark.parametrize(
    "text", ["x1**2 + x2**2 - 4", "-7*(x1**2 + x2**2 - 4)", "4 - x2**2 - x1**2"]
)
def test_the_same_zero_set_scores_one_on_both(text):
    assert paper_fitness(parse(text), CIRCLE, 2, 0) == pytest.approx(1.0, abs=1e-9)
    assert two_sided(parse(text), CIRCLE, 2, 0) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_every_test_equation_scores_one_against_its_canonical_form(root, name):
    for problem in load(root / "data" / "benchmarks", name):
        form = canonical(problem.truth)
        d = problem.n_variables
        assert paper_fitness(form, problem.truth, d, 0) > 0.999, problem
        # S36, sin((…)²), has double roots that no form removes
        assert two_sided(form, problem.truth, d, 0) > (
            0.9 if problem.equation_id == "S36" else 0.99
        )


def test_a_factor_of_a_product_fools_the_paper_metric_but_not_the_two_sided():
    product, factor = parse("(x1 - x2)*(x1 + x2 - 3)"), parse("x1 - x2")
    assert paper_fitness(factor, product, 2, 0) == pytest.approx(1.0)
    assert two_sided(factor, product, 2, 0) < 0.9


def test_the_whole_product_for_one_factor_fools_neither():
    product, factor = parse("(x1 - x2)*(x1 + x2 - 3)"), parse("x1 - x2")
    assert paper_fitness(product, factor, 2, 0) < 0.9
    assert two_sided(product, factor, 2, 0) < 0.9


@pytest.mark.parametrize(
    "text", ["0*x1 + 0*x2", "x1**2 + x2**2 + 1", "exp(x1 + x2)", "sqrt(-1 - x1**2)*x2"],
    ids=["zero everywhere", "no real zero", "no zero", "undefined"],
)  # fmt: skip
def test_degenerate_answers_have_a_stated_score(text):
    assert two_sided(parse(text), CIRCLE, 2, 0) == 0.0
    assert 0.0 <= paper_fitness(parse(text), CIRCLE, 2, 0) < 0.9


def test_no_equation_scores_zero():
    assert paper_fitness(None, CIRCLE, 2, 0) == two_sided(None, CIRCLE, 2, 0) == 0.0
    assert paper_fitness(parse("3"), CIRCLE, 2, 0) == two_sided(parse("3"), CIRCLE, 2, 0) == 0.0


def test_acc_099_is_a_relative_error_of_one_percent():
    """fitness ≥ 0.99 means NMSE ≤ (1/0.99 − 1)², about 1.02e-4."""
    scores = [
        paper_fitness(parse(f"x1 + x2 - {c}"), parse("x1 + x2 - 1"), 2, 3) for c in (1.001, 1.1)
    ]
    assert scores[0] > 0.99 > scores[1]


def test_scores_fall_as_the_answer_gets_worse():
    answers = [parse(f"x1**2 + {a}*x2**2 - 4") for a in (1.0, 1.02, 1.3, 3.0)]
    for metric in (paper_fitness, two_sided):
        values = [metric(a, CIRCLE, 2, 0) for a in answers]
        assert values == sorted(values, reverse=True) and values[0] > values[-1]


def test_zeros_are_zeros(rng):
    points = zeros(CIRCLE, 2, rng)
    assert len(points) > STARTS // 2
    np.testing.assert_allclose(CIRCLE.values(points), 0.0, atol=1e-9)
