"""Laws of many columns: made-up ones only, as the test sets are searched once."""

import numpy as np
import pandas as pd
import pytest

from pie.data.columns import ColumnLaw, points
from pie.data.null_clouds import LAWFUL, Cloud
from pie.discovery.pretrained import default_weights
from pie.experiments import many_columns
from pie.experiments.many_columns import FOUND, TOO_WIDE, answers, claims
from pie.expr.expression import parse
from pie.report import many_columns as report
from pie.search.plus import PlusConfig

QUICK = PlusConfig(proposers=("relations",))


def law(law_id, d, formula, high=3.0):
    names = tuple(f"x{j + 1}" for j in range(d))
    low, high = np.full(d - 1, 1.0), np.full(d - 1, high)
    equation = parse(f"x{d} - ({formula})")
    return ColumnLaw(law_id, "product", law_id, names, equation, low, high, parse(formula))


SETS = {
    "made": [law("M1", 4, "x1*x2/x3"), law("M2", 5, "2.5*x1*x2*x3/x4")],
    "wide": [law("M3", 9, "x1*x2*x3*x4*x5*x6*x7*x8")],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("journal")


@pytest.fixture(scope="module")
def rows(folder):
    return answers(SETS, [0.0, 0.01], 60, default_weights(), QUICK, folder=folder)


def test_every_law_has_a_row_under_every_noise(rows):
    asked = [(name, m.law_id, e) for name, laws in SETS.items() for m in laws for e in (0.0, 0.01)]
    assert [*rows[["set", "law_id", "noise"]].itertuples(index=False, name=None)] == asked


def test_easy_laws_are_right_and_exact_without_noise_only(rows):
    made = rows[rows.set == "made"]
    assert (made.status == FOUND).all() and made.right.all() and made.law.all()
    assert made.exact.tolist() == [True, False, True, False]
    assert (made.points == 60).all() and not made.units.any()
    assert made.width.tolist() == [4, 4, 5, 5] and (made.proposer == "relations").all()
    assert (parse(made.answer[0]).variables, made.seconds.min() > 0.0) == ((1, 2, 3, 4), True)


def test_a_law_of_too_many_columns_is_left_out_and_says_so(rows):
    wide = rows[rows.set == "wide"]
    assert (wide.status == TOO_WIDE).all() and (wide.answer == "").all()
    assert not wide.right.any() and (wide.seconds == 0.0).all()


def test_an_interrupted_run_continues_from_its_journal(rows, folder, monkeypatch):
    (journal,) = folder.glob("*.jsonl")
    lines = journal.read_text().splitlines()
    assert len(lines) == 6
    journal.write_text(
        "\n".join([*lines[:3], lines[3][:9], *lines[4:]])
    )  # cut in the middle of a line
    asked, search = [], many_columns._searched
    monkeypatch.setattr(
        many_columns, "_searched", lambda *a, **k: asked.append(a[0]) or search(*a, **k)
    )
    again = answers(SETS, [0.0, 0.01], 60, default_weights(), QUICK, folder=folder)
    assert len(asked) == 1
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), rows.drop(columns="seconds"))


def test_another_law_with_the_same_points_is_not_right(rows):
    """Judged by zeros in the box, not by the points alone."""
    found = {"status": FOUND, "seconds": 0.1, "proposer": "made up", "contrast": 0.0, "form": 1.0}
    made, other = SETS["made"][0], parse("x4 - x1*x2*x3")
    found |= {"codes": [*other.codes], "constants": [], "logarithmic": [False] * 4}
    row = many_columns._judged("made", made, 0.0, 60, found, QUICK)
    assert not row["right"] and not row["law"]


def test_laws_of_a_part_and_of_nothing_are_counted(tmp_path):
    """x1·x2 = 3 and two columns of noise: a law of a part, which holds; noise alone: none."""
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(0.5, 2.0, 60), rng.standard_normal((60, 4))
    hidden = np.column_stack([x, 3.0 / x, noise[:, :2]])
    whole = points(SETS["made"][0], 60, 0.0, 0)
    clouds = [Cloud("made", LAWFUL, "hidden", hidden), Cloud("made", LAWFUL, "whole", whole)]
    clouds += [Cloud("null", "normal", "normal", noise)]
    rows = claims(clouds, default_weights(), QUICK, folder=tmp_path)
    assert rows.laws.tolist() == ["2", "4", ""] and rows.part.tolist() == [True, False, False]
    assert parse(rows["first"][0]).variables == (1, 2) and rows["first"][2] == ""
    table = report.claimed(rows)
    assert table["a false law"].str.startswith(("50.0 %", "0.0 %")).all() and len(table) == 2
