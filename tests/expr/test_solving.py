"""Equations solved for a variable."""

import numpy as np
import pytest

from pie.expr.expression import parse
from pie.expr.solving import Unsolved, implicit, solved_for


@pytest.mark.parametrize(
    "equation, variable",
    [
        ("x1 - 0.3*x2 + 2.1*x1*x2", 1),
        ("x1 - 0.3*x2 + 2.1*x1*x2", 2),
        ("x1 - 3*exp(-2*x2)", 2),
        ("x1*x2 - 8.314*x3*x4", 4),
        ("x1**2*x2 - 1.5", 1),
        ("x1 - 1.5*(x2 + 0.7)**1.7", 2),
        ("x1 - 0.3*ln(x2) - 1.2", 2),
        ("x1 + x2/(0.7 + x3) - 2", 3),
        ("sqrt(x1 + x2) - x3", 1),
        ("3 - 2*x1 - x2**3", 2),
        ("x1 - sqrt(x2/(1.2 - x2))", 2),
        ("x1 - 3*ln((x2 - 0.1)/(2*x2 + 3))", 2),
    ],
)
def test_what_is_found_solves_the_equation(equation, variable):
    law = parse(equation)
    found = solved_for(law, variable)
    assert variable not in found.variables
    points = np.random.default_rng(0).uniform(0.1, 1.0, (50, max(law.variables)))
    with np.errstate(invalid="ignore"):
        points[:, variable - 1] = found.values(points)
        values = law.values(points)
    defined = np.isfinite(values)
    assert defined.sum() > 20
    np.testing.assert_allclose(values[defined], 0.0, atol=1e-9)


@pytest.mark.parametrize(
    "equation, variable, message",
    [
        ("x1 - sin(x2)", 2, "many solutions"),
        ("x1 + exp(x1) - x2", 1, "more than one term"),
        ("x2 - exp(x1*exp(x1))", 1, "more than one place"),
        ("x1 - x2", 3, "x3 is not in"),
        ("x1 - 0*x2", 2, "factor 0"),
        ("x1 - 2**x2", 2, "exponent"),
    ],
)
def test_what_cannot_be_solved_is_said(equation, variable, message):
    with pytest.raises(Unsolved, match=message):
        solved_for(parse(equation), variable)


@pytest.mark.parametrize(
    "equation, unsolved",
    [
        ("x1*x2 - 8.314*x3*x4", set()),
        ("x1**2 + 0.7*x2**2 - 1.5", set()),
        ("x1 - 0.3*x2 + 2.1*x1*x2", set()),  # linear in both
        ("sin(x1) - 1.33*sin(x2)", set()),
        ("x1 - 1.5*exp(-0.7*x2) - 0.3*x2", {2}),
        ("x1**2 - 2.3*x1 - x2", {1}),
        ("x1 - 0.63*x2*ln(5.1 - x1)", {1}),
        ("x1*exp(x1) - x2*exp(x2)", {1, 2}),
    ],
)
def test_columns_in_several_places_are_given_only_implicitly(equation, unsolved):
    assert {*implicit(parse(equation))} == unsolved
