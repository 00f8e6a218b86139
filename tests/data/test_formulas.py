"""The formulas of science from which the prior on forms is counted."""

import pytest

from pie.data.benchmarks import HELD_OUT, read_equations, read_rows
from pie.data.corpus import HeldOut
from pie.expr.canonical import canonical
from pie.expr.expression import parse


@pytest.fixture(scope="module")
def formulas(root):
    return read_rows(root / "data/prior/formulas.csv")


def test_every_formula_says_what_it_is_and_uses_its_first_variables(formulas):
    assert len(formulas) >= 400
    for row in formulas:
        assert all(row[key].strip() for key in ("name", "field", "equation", "source")), row
        variables = parse(row["equation"]).variables
        assert len(variables) >= 2 and variables == tuple(range(1, len(variables) + 1)), row


def test_every_name_is_given_once(formulas):
    names = [row["name"] for row in formulas]
    assert len(set(names)) == len(names)


def test_formulas_are_of_many_fields(formulas):
    fields = [row["field"] for row in formulas]
    assert len(set(fields)) >= 20 and max(map(fields.count, set(fields))) < 0.25 * len(fields)


def test_no_formula_is_an_equation_of_a_test_set(root, formulas):
    """In the sense of the training corpus: of one form, and constants within one per cent."""
    equations = [
        equation
        for name in HELD_OUT
        for equation in read_equations(root / "data/benchmarks", name).values()
    ]
    held_out = HeldOut(equations)
    assert canonical(equations[0]) in held_out
    assert [row["name"] for row in formulas if canonical(parse(row["equation"])) in held_out] == []
