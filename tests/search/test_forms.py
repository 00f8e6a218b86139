"""The prior on forms: probabilities, and the counts of the formulas of science."""

import csv
import importlib.util
import json

import numpy as np
import pytest

from pie.expr.canonical import canonical
from pie.expr.expression import parse, to_tree
from pie.expr.solving import implicit
from pie.fit.constants import Fit
from pie.search.forms import COUNTS, NODES, Forms, forms, nodes
from pie.search.price import Prices, has_high_power, price_of
from pie.search.shapes import Usual, shapes


def cost(text, n_variables=2, prior=None):
    return (prior or forms()).cost(canonical(parse(text)).codes, n_variables)


def test_the_probabilities_of_all_nodes_in_a_context_sum_to_one():
    """In every context of the counts, and in one that was never seen."""
    prior = forms()
    contexts = [tuple(key.split("|")) if key else () for key in prior.counts]
    for context in [*contexts, ("sin 0", "sqrt"), ("pow5 0", "cos")]:
        total = sum(np.exp(-prior.node_cost(node, context)) for node in NODES)
        assert total == pytest.approx(1.0, abs=1e-12), context


def test_a_context_that_was_never_seen_is_as_the_shorter_one():
    prior = forms()
    assert "pow5 0|cos" not in prior.counts
    assert prior.node_cost("x", ("pow5 0", "cos")) == prior.node_cost("x", ("pow5 0",))


@pytest.fixture(scope="module")
def tool(root):
    spec = importlib.util.spec_from_file_location("forms", root / "tools/forms.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


@pytest.fixture(scope="module")
def formulas(tool, root):
    return tool.formulas(root / "data/prior/formulas.csv")


@pytest.fixture(scope="module")
def two(tool):
    return Forms(**tool.prior([parse("x1 - x2"), parse("x1 - x2**2")]))


def test_the_counts_are_those_of_the_formulas(tool, formulas):
    assert json.loads(COUNTS.read_text()) == tool.prior(formulas), "run python tools/forms.py"


def test_no_formula_of_science_has_a_power_that_is_refused(root):
    lines = (root / "data/prior/formulas.csv").read_text().splitlines()
    laws = [parse(row["equation"]) for row in csv.DictReader(lines)]
    assert len(laws) == 966 and not any(map(has_high_power, laws))
    assert has_high_power(parse("x2 - 3*x1**72.9"))


def test_the_price_of_an_implicit_column_is_its_odds_in_the_formulas(formulas):
    unsolved = sum(len(implicit(canonical(law))) for law in formulas)
    columns, prices = sum(len(law.variables) for law in formulas), Prices()
    assert prices.implicit == round(prices.form * np.log(columns / unsolved - 1.0), 1)


def test_nodes_know_where_they_are():
    tree = ("mul", ("c", 2.0), ("sin", ("x", 1)))
    assert list(nodes(tree)) == [
        ("mul", ("root", "root")), ("c", ("mul 0", "root")), ("sin", ("mul 1", "root")),
        ("x", ("sin 0", "mul")),
    ]  # fmt: skip


def test_two_formulas_give_their_probabilities_by_hand(two):
    """x1 − x2 and x1 − x2²: an x and a square in the second place, four x among seven nodes."""
    kinds = 3  # sub, x, pow2
    of_all = (4 + kinds / len(NODES)) / (7 + kinds)
    at_place = (1 + 2 * of_all) / (2 + 2)
    assert np.exp(-two.node_cost("x", ("sub 1",))) == pytest.approx(at_place)


def test_the_root_has_a_context_of_its_own(two):
    """Both are differences, and only one node of seven is."""
    assert two.counts["root"] == {"sub": 2} and sum(two.counts[""].values()) == 7
    assert np.exp(-two.node_cost("sub", ("root",))) > 0.7 > np.exp(-two.node_cost("sub", ()))


@pytest.mark.parametrize(
    "plain, odd",
    [
        ("x2 - 0.7*x1 - 1.3", "x2 - sin(sin(1.3*x1))"),
        ("x2 - 0.7*exp(1.3*x1)", "x2 - 0.7*exp(exp(1.3*x1))"),
        ("x1*x2 - 1.3", "cos(x1)*cos(x2) - 1.3"),
        ("x2 - 0.7*x1**2", "x2**5 - 0.7*x1**5"),
        ("x3 - 0.7*x1*x2", "x3 - 0.7*ln(x1)*sin(x2)"),
    ],
    ids=["line", "exponential", "hyperbola", "parabola", "product"],
)
def test_what_science_does_not_write_costs_more(plain, odd):
    assert cost(odd, 3) > cost(plain, 3) + 5.0


def test_numbers_do_not_matter_and_each_variable_is_one_of_all():
    assert cost("x2 - 0.7*x1**3 + x1*sin(x1)") == cost("x2 - 9.1*x1**3 + x1*sin(x1)")
    odd = "x2*sin(x1) - cos(x1*x2)"  # 4 variables, no name, and in no formula
    assert cost(odd, 6) - cost(odd, 5) == pytest.approx(4 * np.log(6 / 5))


@pytest.fixture(scope="module")
def whole(root):
    """The prior without slices: trees and names."""
    return Forms(json.loads(COUNTS.read_text())["counts"], {})


def test_a_name_makes_a_form_cheaper_and_all_forms_of_a_name_alike(monkeypatch, whole):
    """P = P(drawn)/2 + 1/(2·shapes), so that a named one costs ln(2·shapes) at most."""
    texts = ["x2 - 1.5*exp(-2.3*exp(-0.7*x1))", "x2 - 1.5/(1 + 0.7*(x1 - 0.3)**2)", "x2 - 1.5*x1"]
    named = [cost(text, prior=whole) for text in texts]
    assert max(named) <= np.log(2.0 * len(shapes(2))) + 1e-9
    monkeypatch.setattr("pie.search.forms.usual_form", lambda form: Usual())
    unnamed = Forms(whole.counts, {})  # which remembers no cost
    drawn = [cost(text, prior=unnamed) for text in texts]
    shared = np.log(2.0) - np.log(np.exp(-np.array(drawn) + np.log(2.0)) + 1.0 / len(shapes(2)))
    assert named == pytest.approx(shared) and all(np.array(named) < drawn)


def test_a_form_without_a_name_has_half_of_its_probability_as_a_tree(whole):
    form = canonical(parse("x2*sin(x1) - cos(x1*x2)"))
    drawn = sum(forms().node_cost(*node) for node in nodes(to_tree(form))) + 4 * np.log(2.0)
    assert whole.cost(form.codes, 2) == pytest.approx(drawn + np.log(2.0))


def test_slices_hold_the_quantity_that_a_formula_gives(tool):
    """E = ½·m·v² with m or v held: y = c·x² and y = c·x, with y in either place."""
    found = tool.slices([parse("x1 - 0.5*x2*x3**2")], 2)
    line, square = (" ".join(canonical(parse(t)).tokens) for t in ("x1 - 2*x2", "x1 - 2*x2**2"))
    assert found["1"] == {line: 0.5, square: 0.5}
    turned = " ".join(canonical(parse("x2 - 2*x1**2")).tokens)
    assert found["2"] == {line: 0.5, turned: 0.5}


def test_a_formula_with_products_first_gives_each_of_their_variables(tool):
    """p·V = n·R·T: p or V is in every slice, and n against T is none."""
    found = tool.slices([parse("x1*x2 - 8.314*x3*x4")], 2)
    line, hyperbola = (" ".join(canonical(parse(t)).tokens) for t in ("x1 - 2*x2", "x1*x2 - 2"))
    assert found["1"] == pytest.approx({line: 2 / 3, hyperbola: 1 / 3}, abs=1e-5)


def test_the_probability_of_a_form_that_formulas_have_by_hand(two):
    """Of x1 − x2 and x1 − x2² one is a square of x2, in two kinds of forms."""
    form = canonical(parse("x1 - 2*x2**2"))
    assert " ".join(form.tokens) not in two.slices[2][1].counts  # where the number is 1
    square = canonical(parse("x1 - x2**2"))
    shorter = Forms(two.counts, {}).cost(square.codes, 2)
    assert np.exp(-two.cost(square.codes, 2, (1,))) == pytest.approx(
        (1 + 2 * np.exp(-shorter)) / (2 + 2)
    )
    assert np.exp(-two.cost(square.codes, 2, (2,))) == pytest.approx(2 * np.exp(-shorter) / (2 + 2))


@pytest.mark.parametrize(
    "law",
    ["x2 - 1.5*exp(-0.7*x1)", "x2 - 1.5/(1 + 2.3*exp(-0.7*x1))", "x2 - 1.5*ln(x1) - 0.7"],
    ids=["exponential", "logistic", "logarithm"],
)
def test_what_was_measured_is_given_by_what_was_set(law):
    """A response of a dose, and not a dose of a response; where nothing was set, either."""
    codes = canonical(parse(law)).codes
    of_response, of_dose = (forms().cost(codes, 2, (place,)) for place in (2, 1))
    assert of_dose > of_response + 1.0
    assert of_response < forms().cost(codes, 2) < of_dose


def test_the_price_knows_which_columns_were_set():
    fit = Fit(canonical(parse("x2 - 1.5*exp(-0.7*x1)")), -0.01, "ok", contrast=0.01)
    dose_set, response_set, none_set, both_set = (
        price_of(fit, 50, Prices(), exact=exact).form
        for exact in ((True, False), (False, True), (), (True, True))
    )
    assert dose_set < none_set == both_set < response_set
