"""Which numbers of an equation are fitted."""

import numpy as np
import pytest

from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.expr.known_numbers import free_numbers, known_numbers, parts_of, simpler_values

RATE = np.pi / 180.0


@pytest.mark.parametrize(
    "text, known",
    [
        (f"x1 - 2.5*sin({RATE!r}*x2)", [False, True]),
        (f"x1 - cos({2.0 * RATE!r}*x2 + 0.4)", [True, False]),
        (f"x1 - {RATE!r}*exp(0.5*x2)", [False, False]),
        ("x1 - 2.5*sin(0.01745*x2)", [False, False]),
        ("x1 - 2.5*sin(0.3*x2 + 1.0)", [False, False, False]),
        (f"x1 - 2.5*sin(0.3*x2 + {np.pi / 2.0!r})", [False, False, True]),
        ("x1 - x2/sqrt(1.0 - x2**2)", [True]),
        ("x1 - 1.0*x2 - 1.0", [False, True]),
        ("x1 - x2**2.5 - x2**1.7", [True, False]),
        ("x1 - x2", []),
        ("x1 - 2.5*sqrt(-1.0*x2)", [False, True]),
        ("x1 - ln(-1.0*x2*x3) - 1.5*(-1.0*x2)**1.7", [True, False, True, False]),
        ("x1 - exp(-1.0*x2) - sin(-1.0*x2)", [False, False]),
    ],
)
def test_known_numbers(text, known):
    assert known_numbers(parse(text)).tolist() == known


def test_constants_of_one_magnitude_are_one_number_and_known_ones_none():
    law = canonical(parse("x1**1.7 - 2.3*x1**1.7*x2 + 2.3*sqrt(1 - x2)"))
    moves = free_numbers(law)
    assert moves.shape == (len(law.constants), 2)
    changed = np.array(law.constants) + moves @ [0.1, 0.2]
    assert np.abs(changed - law.constants).round(9).tolist() == [
        0.1 if abs(c) == 1.7 else 0.2 if abs(c) == 2.3 else 0.0 for c in law.constants
    ]
    assert len({*np.abs(changed[np.abs(law.constants) == 2.3]).round(9)}) == 1


def test_the_parts_of_numbers_and_what_they_are_inside_of():
    law = parse("x1**1.5 - 2.0*sin(0.4*exp(1.2*x2) + 0.3) + ln(x2 + 7.0) + 8.0")
    assert parts_of(law.codes) == (
        ("exponent", ""), ("factor", ""), ("factor", "wave"), ("factor", "exp"),
        ("summand", "wave"), ("summand", "ln"), ("summand", ""),
    )  # fmt: skip


def test_simpler_values_are_0_1_known_numbers_and_like_ones_nearby():
    law = parse("x1**1.45 + 2.0*exp(0.7*x2) - 2.1*x2**1.5 + 2.05")
    exponent, factor, rate, other, known, summand = simpler_values(law)
    assert (exponent, known) == ((1.5,), ())
    assert factor == (0.0, 1.0, -1.0, 2.1, 2.05) and other == (0.0, 1.0, -1.0, 2.0, 2.05)
    assert rate == (0.0, 1.0, -1.0) and summand == (0.0, 1.0, -1.0, 2.0, 2.1)


def test_an_amplitude_is_no_rate_and_a_rate_no_phase():
    law = parse("x1 - 0.94*sin(0.93*x1 + 0.95*x2 + 0.92)")
    amplitude, one, other, phase = simpler_values(law)
    assert amplitude == (0.0, 1.0, -1.0) and not {0.93, 0.95, 0.94} & {*phase}
    assert 0.95 in one and 0.93 in other and not {0.94, 0.92} & {*one, *other}
