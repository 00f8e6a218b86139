"""Equations as people write them."""

import numpy as np
import pandas as pd
import pytest
import sympy
from sympy.core.parameters import distribute

from pie import discover
from pie.discovery.writing import as_people_write, equation, normalised, usual, without_rounding
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.expr.known_numbers import free_numbers
from pie.expr.solving import solved_for
from pie.expr.sympy_bridge import as_text, named, rounded, to_sympy
from pie.search.shapes import shapes
from pie.zeroset.distance import first_order_distances

NAMES = ("x", "y")


def written(form) -> str:
    with distribute(False):
        f = named(to_sympy(form), NAMES)
    return as_text(equation(rounded(f), form, NAMES))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x1 - 2.5*x2 + 3.75", "y = 0.4*x + 1.5"),
        ("x1*x2 + 0.5*x2 - 1.5*x1", "y = 1.5*x/(x + 0.5)"),
        ("2*x2 + 5*x2*exp(-0.5*x1) - 3", "y = 1.5/(1 + exp(-0.5*(x - 1.833)))"),
        ("x1*x2 - 0.75 - 2.5*x1", "y = 2.5 + 0.75/x"),
        ("x1**2*x2 - 2.5", "x**2*y = 2.500"),
        ("x1 - 0.25*x2", "y = 4*x"),
        ("x2 - 3*(1 - exp(-x1))", "y = 3 - 3*exp(-x)"),
        ("x2 - 3*exp(-x1) - 0.4", "y = 0.4 + 3*exp(-x)"),
        ("x2 + exp(x1) - 7", "y = 7 - exp(x)"),
        ("x2 - 1/(1 + exp(-x1))", "y = 1/(1 + exp(-x))"),
        ("x2 - x1**2", "y = x**2"),
        ("x2 - sqrt(x1)", "y = sqrt(x)"),
        ("x2 - 1 - 3/x1", "y = 1 + 3/x"),
        ("x2 - 1/(1 + exp(-2.5*x1))", "y = 1/(1 + exp(-2.5*x))"),
        ("x2 - 5/(1 + exp(2 - x1))", "y = 5/(exp(2 - x) + 1)"),
        ("x2*exp(1.5*x1) - x2 - 2", "y = 2/(exp(1.5*x) - 1)"),
    ],
)
def test_a_curve_with_a_name_is_written_with_its_constants(given, expected):
    assert written(normalised(canonical(parse(given)))) == expected


@pytest.mark.parametrize("name", sorted({name for name, _ in shapes(2)}))
def test_every_named_curve_keeps_its_zeros_and_its_name(name, rng):
    form = next(form for own, form in shapes(2) if own == name)
    other = normalised(canonical(form))
    points = rng.uniform(0.8, 2.0, (40, 2))
    with np.errstate(all="ignore"):
        away = [np.abs(first_order_distances(f, points)) for f in (form, other)]
        near = away[0] < 1e-2  # where first-order distances hardly depend on the form
    np.testing.assert_allclose(away[0][near], away[1][near], rtol=0.1, atol=1e-3)
    assert usual(other) == usual(canonical(form)) and usual(other).name == name
    f = named(to_sympy(other), NAMES)
    shown = equation(f, other, NAMES)
    at = {sympy.Symbol("x"): 1.3, sympy.Symbol("y"): 0.9}
    assert np.isfinite(float((shown.lhs - shown.rhs).subs(at)))


def test_a_measured_column_is_given_by_one_that_was_set():
    set_first = np.array([True, False])
    logarithm = parse("x1 - 2.5*ln(x2) - 5")
    assert usual(as_people_write(logarithm, set_first)).name == "exponential"
    assert as_people_write(logarithm, set_first[::-1]) == logarithm
    assert usual(as_people_write(logarithm)).variable == 2, "the last, if none is known to be set"
    arrhenius = parse("x1 - 0.04*x1*ln(x2) - 345")
    assert usual(as_people_write(arrhenius, set_first)).name == "Arrhenius law"
    root = as_people_write(parse("x1 - 2.5*x2**2"), set_first)
    assert usual(root).name == "square-root law"
    for text in ("x1 - x2 - 2.5*sin(x2)", "x1 - 2.5*x2**4", "x1**2 - 2.5*x2**3", "x1*x2 - 2.5"):
        same = parse(text)
        assert as_people_write(same, set_first) == same, "not solved, longer, or known so"


def test_a_number_that_the_first_square_uses_up_comes_back_with_the_second():
    law = parse("x1**2 + x2**2 - 4*x1 - 6*x2 + 4")
    assert str(normalised(law)) == "(x1 - 2.0)**2 + (x2 - 3.0)**2 - 9.0"


@pytest.mark.parametrize("lowest", [1.0, 0.0])
def test_a_parabola_far_from_zero_is_written_by_its_vertex(lowest):
    x = np.linspace(50.0, 51.0, 60)
    law = discover({"x": x, "y": 3.0 * (x - 50.3) ** 2 + lowest}).best
    assert "(x - 50.3)**2" in repr(law)
    assert len(law.program.constants) == 2 + (lowest > 0.0)


def test_no_branch_is_lost_by_it():
    x = np.repeat(np.arange(1.0, 13.0), 2)  # set values, each with both roots
    y = np.sqrt(x) * np.tile([1.0, -1.0], 12)
    best = discover({"x": x, "y": y}).best
    assert np.abs(best.distance({"x": x, "y": y})).max() < 1e-6


def test_a_parabola_is_called_so_about_its_vertex_as_well():
    for text in ("x2 - 0.3*(x1 - 1.7)**2 - 0.4", "x2 - 0.3*x1**2 - 1.7*x1 - 0.4"):
        assert usual(parse(text)).name == "parabola"


def test_what_is_subtracted_is_on_the_right_side_in_latex_as_well():
    x, y = np.random.default_rng(0).uniform(0.5, 2.0, (2, 60))
    table = {"x": x, "y": y, "z": 1.5 * x**2 + 2.5 * x * y + 3.5}
    assert "- (" not in discover(table).best.latex


@pytest.mark.parametrize(
    "text, middle",
    [
        ("x2 + 5*x2*exp(-1.6*x1) - 3", True),
        ("x2 + 5*x2*exp(-1.6*x1) - 3 - 7.5*exp(-1.6*x1)", True),
        ("x2 + 5*x2*exp(1.6*x1) - 3", True),
        ("x2 - 5*x2*exp(1.6*x1) - 3", False),  # a pole
        ("x2 - 5*exp(-1.6*x1) - 3", False),  # a factor with the unit of x2
    ],
)
def test_a_logistic_curve_is_written_by_its_middle(text, middle):
    expression = parse(text)
    form = normalised(expression)
    points = np.random.default_rng(0).uniform(0.5, 2.0, (20, 2))
    assert form.values(points) == pytest.approx(expression.values(points))
    assert usual(form) == usual(expression)
    assert free_numbers(form).shape[1] == free_numbers(expression).shape[1]
    assert (form != expression) == middle


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_rate_of_one_is_a_rate(noise, rng):
    t = np.linspace(0.1, 4.0, 60)
    charge = 3.0 * (1.0 - np.exp(-t)) + noise * rng.normal(size=t.size)
    law = discover(pd.DataFrame({"t": t, "q": charge})).best
    assert law.name == "exponential with offset"
    assert law.equation.lhs == sympy.Symbol("q") and law.equation.rhs.has(sympy.exp)
    q = law.equation.rhs.subs({sympy.Symbol("t"): 2.0})
    assert float(q) == pytest.approx(3.0 * (1.0 - np.exp(-2.0)), abs=0.02)


def test_rows_that_mirror_each_other_are_no_replicates():
    x = np.arange(-19.75, 20.0, 0.5)
    assert discover(pd.DataFrame({"x": x, "y": x**2})).noise.level < 0.1


@pytest.mark.parametrize(
    "text, centred",
    [
        ("x1**2 + x2**2 - 6*x1 - 8*x2 + 24", "(x1 - 3.0)**2 + (x2 - 4.0)**2 - 1.0"),
        ("x1**2 + 4*x2**2 + 32*x2 + 60", "x1**2 + 4.0*(x2 + 4.0)**2 - 4.0"),
        ("x1**2 + x2**2 - 2*x1", "x1**2 + x2**2 - 2.0*x1"),  # through the origin: one more number
        ("x1**2 + x2**2 - x1*x2 - x1 - 1", "x1**2 + x2**2 - x1*x2 - x1 - 1.0"),
        ("x1**2 + x2**2 - x1**3 - x1 - 1", "x1**2 + x2**2 - x1**3 - x1 - 1.0"),
        ("x2 - x1**2 + 6*x1 - 3", "x2 - x1**2 + 6.0*x1 - 3.0"),
    ],
)
def test_a_conic_is_written_by_its_centre(text, centred):
    assert str(normalised(parse(text))) == centred


@pytest.mark.parametrize(
    "text, name, shown",
    [
        ("x2*exp(x1) - x1", "Ricker curve", "y = x*exp(-x)"),
        ("x1 - sqrt(x2/(1 - x2))", "Hill equation", "y = x**2/(x**2 + 1)"),
        ("x1**2 + 2*ln(x2)", "Gaussian", "y = exp(-0.5*x**2)"),
        ("x1 - exp(x2)", "logarithm", "y = ln(x)"),
        ("x2 + 3*exp(-2*x1) - 3", "saturating exponential", "y = 3 - 3*exp(-2*x)"),
        ("x1*x2 - 10*x1 - 10*x2", "sum of reciprocals", "y = 10*x/(x - 10)"),
        ("x1**3 - 2*x2**4", "power law", "x**3 = 2*y**4"),
        ("x1 + 0.5 - sqrt(x2 - 0.75)", "parabola", "y = (x + 0.5)**2 + 0.75"),
        ("(x1 - 3)**2 + (x2 - 4)**2 - 1", "circle about a point", "(x - 3)**2 + (y - 4)**2 = 1"),
    ],
)
def test_an_exact_curve_without_fitted_numbers_has_its_name_and_form(text, name, shown):
    form = as_people_write(parse(text))
    assert usual(form).name == name
    assert written(form) == shown


@pytest.mark.parametrize(
    "text, shown",
    [
        ("x2 + 0.5*x2*cos(x1) - 3", "y = 3/(0.5*cos(x) + 1)"),
        ("x2*sqrt(x1**4 - 2*x1**2 + 3) - 5", "y = 5/sqrt(x**4 + 3 - 2*x**2)"),
        ("x1**3 + 5*x2 - 2*x1", "x**3 + 5*y = 2*x"),
        ("x1*x2 - sin(x1*x2) - 2", "x*y = sin(x*y) + 2"),
        ("x1*x2 - 2*x1**2 - 3*x2**2", "x*y = 2*x**2 + 3*y**2"),
    ],
)
def test_a_law_is_solved_for_the_only_column_in_which_it_is_linear(text, shown):
    assert written(parse(text)) == shown


def test_a_constant_that_is_not_round_keeps_its_digits():
    third = parse("x2 - 0.3333333333333333*x1 - 1.2345678901")
    assert without_rounding(third) == third


def test_a_lorentzian_line_is_written_by_its_centre_and_height(rng):
    line = parse("x2 + 4*x1*(x2 - 0.2)*(x1 - 0.9) - 0.3")
    form = normalised(line)
    assert usual(form).name == "Lorentzian with offset"
    points = rng.uniform(0.0, 1.0, (40, 2))
    points[:, 1] = solved_for(form, 2).values(points)
    np.testing.assert_allclose(line.values(points), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "x2*x1**2 - 2*x2*x1 - 3",  # poles
        "x2 + 0.3*x2*x1**2 - 1.5 - 0.2*x1",  # a quotient of others
        "x2 + 0.3*x2*x1**3 - 1.5",
        "x2*x3 + 0.3*x2*x1**2 - 1.5",
    ],
)
def test_other_quotients_stay_as_they_are(text):
    assert normalised(parse(text)) == parse(text)
