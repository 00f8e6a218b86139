"""When is an answer to a measured table the textbook's?"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pie.data import obvious
from pie.discovery.certificate import certify
from pie.discovery.result import Law
from pie.experiments.measured import (
    FORM,
    WITHIN_ERRORS,
    MeasuredTable,
    _sd_ratio,
    answers,
    free_constants,
    is_textbooks,
    nested,
    plain_answers,
    read_tables,
    same_curve,
)
from pie.expr.expression import parse
from pie.fit.uncertainty import polished
from pie.report import measured as report
from pie.search.plus import PlusConfig

NAMES = ("concentration", "rate")
QUICK = PlusConfig(proposers=("relations", "shapes"))
TEXTBOOK = "x2 - 200.1*x1/(0.07 + x1)"  # Michaelis and Menten


def points_of(noise=0.02):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.02, 1.1, 60)
    return np.column_stack([x, 200.0 * x / (0.07 + x) * (1.0 + noise * rng.standard_normal(60))])


def law(text, points, names=NAMES):
    program = polished(parse(text), points, points.std(axis=0))
    errors = (0.1,) * len(program.constants)
    return Law(program, names, errors, 0.01, 0.01, certify(program, points))


def table(points, *relations, names=NAMES):
    frame = pd.DataFrame(points, columns=names)
    return MeasuredTable("made", "choice", (), "", tuple(map(parse, relations)), np.nan, frame)


@pytest.fixture(scope="module")
def tables(root):
    return {table.name: table for table in read_tables(root / "data/measured")}


@pytest.mark.parametrize(
    "text, how",
    [
        ("x2 - 190*x1/(0.08 + x1)", FORM),
        ("x2*(0.07 + x1) - 200*x1", FORM),
        ("0.005*x2*x1 + 0.00035*x2 - x1", FORM),
        ("1/x2 - 0.005 - 0.00035/x1", FORM),
        ("x2 - 200*x1/(0.07 + x1 + 0.01*x1**2)", ""),
        ("x2 - 200*(1 - exp(-9*x1))", ""),
        ("x2 - 100*x1 - 100", ""),
    ],
    ids=["other constants", "as a product", "expanded", "Lineweaver–Burk", "longer", "saturation",
         "a line"],
)  # fmt: skip
def test_an_answer_is_the_textbooks_by_its_form_whatever_its_constants(text, how):
    points = points_of()
    assert is_textbooks(law(text, points), table(points, TEXTBOOK), points) == how


@pytest.mark.parametrize(
    "relation, text, how",
    [
        ("x1*x2 - 3.1 - 0.01*x1 - 0.01*x2", "x1*x2 - 3.1", WITHIN_ERRORS),
        ("x1*x2 - 3.1", "x1*x2 - 3.1 - 0.01*x1 - 0.01*x2", ""),
        ("x1*x2 - 3.1", "sin(x1*x2) - 0.2", ""),
        ("x1*x2 - 3.1", "x1 + x2 - 3.6", ""),
    ],
    ids=["shorter", "longer", "further zeros in the box", "other zeros"],
)
def test_another_form_is_the_textbooks_with_the_same_zeros_and_no_more_constants(
    relation, text, how
):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 2.0, 80)
    points = np.column_stack([x, 3.0 / x * (1.0 + 0.02 * rng.standard_normal(80))])
    assert is_textbooks(law(text, points), table(points, relation), points) == how


def test_any_of_several_relations_counts():
    points = points_of()
    both = table(points, "x2 - 100*x1 - 100", TEXTBOOK)
    assert is_textbooks(law(TEXTBOOK, points), both, points) == FORM
    assert is_textbooks(law(TEXTBOOK, points), table(points, "x2 - 100*x1 - 100"), points) == ""
    assert is_textbooks(law(TEXTBOOK, points), table(points), points) == "", "there is no law"


def test_a_law_in_some_of_the_columns_is_not_the_textbooks():
    points = np.column_stack([points_of(), np.random.default_rng(1).random(60)])
    made = table(points, "x2 - 200*x1/(0.07 + x1 + 0.3*x3)", names=(*NAMES, "inhibitor"))
    assert is_textbooks(law(TEXTBOOK, points[:, :2]), made, points) == ""


@pytest.mark.parametrize(
    "text, expected",
    [
        ("x2 - sin(sin(x1))", True),
        ("x2 - exp(0.3 + ln(x1)*x2)", True),
        ("sqrt(x1 + cos(x2)) - 1", True),
        ("sin(x1)*cos(x2) - exp(x1)", False),
        ("x2 - exp(x1**2/x2)", False),
        ("x1 - x2", False),
    ],
)
def test_a_function_inside_another_is_seen(text, expected):
    assert nested(parse(text)) == expected


def test_least_squares_of_a_certified_table_has_the_certified_deviation(tables):
    norris = tables["norris"]
    points = norris.points
    slope, level = np.polyfit(*points.T, 1)
    line = f"x2 - {float(slope)!r}*x1 - {float(level)!r}"
    program, errors = parse(line), (0.1, 0.1)
    best = Law(program, norris.columns, errors, 0.1, 0.1, certify(program, points))
    assert _sd_ratio(best, norris, points) == pytest.approx(1.0, abs=1e-3)
    scaled = replace(best, program=parse(f"7*({line})"))
    assert _sd_ratio(scaled, norris, points) == pytest.approx(1.0, abs=1e-3), "no third constant"
    curved = replace(best, program=parse(f"{line} - 1.5e-20*x1**2"))
    ratio = np.sqrt((len(points) - 2) / (len(points) - 3))
    assert _sd_ratio(curved, norris, points) == pytest.approx(ratio, abs=1e-3)
    worse = replace(best, program=parse(f"x2 - {float(slope)!r}*x1 - {float(level) + 3.0!r}"))
    assert _sd_ratio(worse, norris, points) > 2.0
    assert np.isnan(_sd_ratio(best, replace(norris, certified_sd=np.nan), points))


@pytest.mark.parametrize("name", ["norris", "danwood"])
def test_the_fitted_relation_of_a_certified_table_has_nearly_the_certified_deviation(tables, name):
    """Orthogonal fits are not those along the last column: not by much."""
    table = tables[name]
    best = law(str(table.relations[0]), table.points, table.columns)
    assert _sd_ratio(best, table, table.points) == pytest.approx(1.0, abs=0.05)
    assert is_textbooks(best, table, table.points) == FORM


def test_the_certified_deviation_of_a_logarithm_is_compared_with_that_of_logarithms(tables):
    nelson = tables["nelson"]
    best = law("ln(x3) - 2.5907 + 5.6178e-09*x1*exp(0.057701*x2)", nelson.points, nelson.columns)
    assert _sd_ratio(replace(best, program=nelson.relations[0]), nelson, nelson.points) < 1.1


@pytest.mark.parametrize(
    "start, how", [(0.8, ""), (0.0, WITHIN_ERRORS)], ids=["begins elsewhere", "begins at 0"]
)
def test_a_constant_that_the_textbook_ties_may_be_free_if_it_has_the_tied_value(start, how):
    """a − c·exp(−b·x) for a·(1 − exp(−b·x))."""
    rng = np.random.default_rng(1)
    x = rng.uniform(0.0, 3.0, 80)
    y = 2.0 - (2.0 - start) * np.exp(-0.9 * x) + 0.01 * rng.standard_normal(80)
    points, textbook = np.column_stack([x, y]), "x2 - 2.1*(1 - exp(-0.8*x1))"
    made, answer = table(points, textbook), "x2 - 2.01 + 1.2*exp(-0.9*x1)"
    assert is_textbooks(law(answer, points), made, points) == how
    tied = replace(law(answer, points), program=parse(textbook))
    assert is_textbooks(tied, made, points) == FORM


@pytest.mark.parametrize(
    "text, count",
    [
        ("x2 - 2.1*(1 - exp(-0.8*x1))", 2),
        ("x2 + 2.1*exp(-0.8*x1) - 2.1", 2),
        ("x2 + 2.1*exp(-0.8*x1) - 2.2", 3),
        ("x2 - 0.052*(1 - x1/539.9)**(11/9)", 2),
        ("7.3*(x2 - 2.1*x1)", 1),
        ("x2 - x1**2", 0),
        ("x1**20 - 1e30*x2", 1),
    ],
)
def test_whole_numbers_belong_to_the_relation_and_equal_ones_are_one(text, count):
    assert free_constants(parse(text)) == count


def test_rows_of_answers_judge_the_best_and_say_where_the_textbooks_is():
    made = table(points_of(), "x2 - x1", TEXTBOOK)
    (row,) = answers([made], QUICK).itertuples(index=False)
    assert row._fields == (
        "table", "part", "units", "law", "rows", "variables", "textbook", "best", "name", "is_law",
        "place", "how", "constants", "textbook_constants", "nested", "sd_ratio", "seconds",
        "equation",
    )  # fmt: skip
    assert (row.table, row.part, row.law) == ("made", "choice", True)
    assert (row.rows, row.variables) == (60, 2)
    assert row.is_law and (row.place, row.how, row.name) == (0, FORM, "Michaelis–Menten")
    assert row.constants == row.textbook_constants == 2 and not row.nested
    assert np.isnan(row.sd_ratio) and parse(row.equation).variables == (1, 2)


def test_units_of_the_columns_are_told_to_the_search():
    """y = x² + 3 of kilograms and grams: the 1 of the square is a constant, but not for numbers."""
    x = np.linspace(1.0, 4.0, 60)
    made = table(np.column_stack([x, x**2 + 3.0]), "x2 - x1**2 - 3.1")
    told = replace(made, units=("kg", "g"))
    rows = answers([made, told], QUICK)
    assert rows.units.tolist() == [False, True] and (rows.place == 0).all()
    halves = report.summary(rows)
    assert halves.units.tolist() == ["–", "known"]
    (line,) = report.answers(rows).to_dict("records")
    assert line["textbook's"] == line["textbook's with units"] == "best"


def test_an_interrupted_run_goes_on_from_its_journal(tmp_path, monkeypatch):
    tables = [table(points_of(), "x2 - x1", TEXTBOOK), table(points_of(), "x2 - x1")]
    first = answers(tables[:1], QUICK, folder=tmp_path)
    asked = []
    new = lambda table, *_: asked.append(table) or dict.fromkeys(first.columns, 0)  # noqa: E731
    monkeypatch.setattr("pie.experiments.measured.answered", new)
    again = answers(tables, QUICK, folder=tmp_path)
    assert len(asked) == 1 and asked[0] is tables[1], "other relations are another table"
    pd.testing.assert_frame_equal(again[:1], first, check_dtype=False)
    obvious_ones = [p for p in obvious.problems([0.0, 0.01], [1]) if p.equation_id == "line-1"]
    plain = plain_answers(obvious_ones, QUICK, folder=tmp_path)
    pd.testing.assert_frame_equal(plain_answers(obvious_ones, QUICK, folder=tmp_path), plain)


def test_rows_of_tables_without_a_law_have_none():
    noise = np.random.default_rng(0).standard_normal((60, 2))
    (row,) = answers([table(noise)], QUICK).itertuples(index=False)
    assert not row.law and not row.is_law and (row.place, row.how) == (-1, "")


def test_no_answer_is_no_plain_form():
    """Empty as it is found, nan as it is read."""
    rows = pd.DataFrame({"law": ["line", "line"], "answer": ["", np.nan], "plain": [False, False]})
    assert not same_curve(rows).any()


def test_rows_of_obvious_laws_tell_plain_answers():
    problems = [p for p in obvious.problems([0.0], [1]) if p.equation_id in ("line-1", "circle-1")]
    found = plain_answers(problems, QUICK)
    assert [*found] == ["law", "noise", "seed", "answer", "name", "plain", "seconds"]
    assert found.plain.all()
    assert found.law.tolist() == ["line", "circle"]
    assert found.name.tolist() == ["straight line", "circle"] and (found.noise == 0.0).all()
    (odd,) = (replace(p, truth=parse("x2 - 2.3*x1**1.1 - 1.4")) for p in problems[:1])
    assert not plain_answers([odd], QUICK).plain.any()
