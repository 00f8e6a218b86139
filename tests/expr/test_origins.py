"""Whether a form depends on where columns have their zero."""

import numpy as np
import pytest

from pie.expr.coordinates import substituted
from pie.expr.expression import parse
from pie.expr.origins import far_from_zero, hidden_origins

BOTH = np.array([True, True])


@pytest.mark.parametrize(
    ("equation", "hidden"),
    [
        ("x2 - 1.7*x1 - 0.4", 0),
        ("x2 - 1.7*x1", 1),
        ("x2 - 0.3*x1**2 - 1.7*x1 - 0.4", 0),
        ("x2 - 0.3*x1**2 - 0.4", 1),
        ("x2 - 0.3*(x1 - 1.7)**2 - 0.4", 0),
        ("x2 - 1.7*exp(-0.3*x1) - 0.4", 0),
        ("x2 - 1.7/(1 + 2.3*exp(-0.7*x1)) - 0.3", 0),
        ("x2 - 1.7/(1 + 2.3*exp(-0.7*x1))", 1),
        ("x2 - 1.7*sin(0.7*x1 + 0.3) - 0.3", 0),
        ("x2 - 1.7*sin(0.7*x1) - 0.3", 1),
        ("x2 - 1.7*x1**1.3", 2),
        ("x1*x2 - 1.7", 2),
        ("x1**2 + x2**2 - 1.7", 2),
        ("x1**2 + x2**2 - 1.7*x1 - 0.4*x2 - 2.3", 0),
    ],
)
def test_hidden_zeros_are_the_shifts_that_other_constants_do_not_take_up(equation, hidden, rng):
    points = rng.uniform(1.0, 3.0, (40, 2))
    assert hidden_origins(parse(equation), points, BOTH) == hidden
    shifted = substituted(parse(equation), np.array([0.37, -0.21]), np.ones(2))
    assert hidden_origins(shifted, points + [0.37, -0.21], BOTH) == 0, "its zeros are constants now"


def test_only_the_columns_that_are_asked_for_count(rng):
    points = rng.uniform(1.0, 3.0, (40, 2))
    law = parse("x2 - 1.7*x1**1.3")
    asked = [np.array(marked) for marked in ([True, False], [False, True], [False, False])]
    assert [hidden_origins(law, points, one) for one in asked] == [1, 1, 0]
    assert hidden_origins(parse("x2 - 1.7"), points, np.array([True, False])) == 0


def test_units_of_the_columns_do_not_matter(rng):
    points = rng.uniform(1.0, 3.0, (40, 2)) * [1e5, 1e-7]
    law = parse("x2 - 1.7e-12*x1 - 4.1e-8")
    assert hidden_origins(law, points, BOTH) == 0
    assert hidden_origins(parse("x2 - 1.7e-12*x1"), points, BOTH) == 1


def test_columns_are_far_from_zero_by_their_range():
    years = np.linspace(1790.0, 2000.0, 22)
    kelvin = np.linspace(273.0, 373.0, 22)
    assert far_from_zero(np.column_stack([years, -years, kelvin])).tolist() == [True, True, False]
