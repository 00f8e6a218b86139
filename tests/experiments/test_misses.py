"""Why *PIE+* misses a problem."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pie.data.benchmarks import Problem
from pie.experiments import misses
from pie.experiments.measured import MeasuredTable, read_tables
from pie.experiments.metrics import right_skeleton
from pie.expr.expression import parse
from pie.network.inference import Network
from pie.search.plus import PlusConfig, discover_plus


def hardly_bent(x):
    """By less than what looks like noise."""
    return 0.5 * np.exp(0.02 * x) + 0.5 + 0.002 * np.sin(50.0 * x)


def noisy_parabola(x):
    """With errors that hide its smaller terms nearly, but not quite."""
    y = x**2 + 0.3 * x + 0.2
    return y + 0.06 * y.std() * np.random.default_rng(1).standard_normal(x.shape)


MISSES = {
    "search": ("x2 - sin(1.3*exp(x1))", lambda t: (t / 3.0, np.sin(1.3 * np.exp(t / 3.0)))),
    "silent": ("x1**2 + x2**2 - 1", lambda t: (t, 1.7 * t + 0.3)),  # on a line instead
    "alike": ("x2 - 0.5*exp(0.02*x1) - 0.5", lambda t: (t, hardly_bent(t))),
    "ranking": ("x2 - x1**2 - 0.3*x1 - 0.2", lambda t: (t, noisy_parabola(t))),
}
RELATIONS = PlusConfig(proposers=("relations",))


def missed(verdict):
    """The truth of a problem that is missed, and its points."""
    truth, points = MISSES[verdict]
    return parse(truth), np.column_stack(points(np.random.default_rng(0).uniform(0.0, 6.0, 60)))


def as_table(points, relation):
    frame = pd.DataFrame(points, columns=["time", "height"])
    return MeasuredTable("own", "choice", (), "", (relation,), np.nan, frame)


@pytest.mark.parametrize("verdict", MISSES)
def test_a_miss_is_of_the_search_or_the_ranking_or_the_points(root, verdict):
    truth, points = missed(verdict)
    best = discover_plus(Network.load(root / "data/models/pie-plus"), points, RELATIONS).best
    assert not right_skeleton(best.expression, truth, 2, 0, None), "no miss"
    problem = Problem("own", "1", truth, points, None, "noise 0")
    assert misses.verdict_of(problem, RELATIONS).verdict == verdict


@pytest.mark.parametrize("verdict", ["search", "silent", "ranking"])
def test_a_textbook_is_missed_for_the_same_reasons(verdict):
    truth, points = missed(verdict)
    assert misses.verdict_of(as_table(points, truth), RELATIONS).verdict == verdict


def test_a_relation_that_another_one_fits_better_is_alike():
    t = np.linspace(0.5, 2.0, 200)
    fallen = 4.9 * t**2 + 0.01 * np.random.default_rng(0).standard_normal(len(t))
    table = as_table(np.column_stack([t, fallen]), parse("x2 - 3.23*x1 - 1.72*x1**3"))
    config = PlusConfig(proposers=("shapes",))
    assert misses.verdict_of(table, config).verdict == "alike"


def test_a_textbooks_price_above_0_says_nothing_where_a_column_was_set(root):
    tables = {table.name: table for table in read_tables(root / "data/measured")}
    table = replace(tables["boxbod"], units=())  # days that were chosen, and their demand
    assert misses.least_price(table.relations, table.points, RELATIONS) > 0.0
    assert misses.verdict_of(table, RELATIONS).verdict == "alike"


def test_verdicts_of_tables_are_of_their_rows_without_units(tmp_path):
    truth, points = missed("silent")
    table = as_table(points, truth)
    known, not_first = replace(table, name="known"), replace(table, name="not first")
    names, units = ["not first", "known", "known"], [False, True, False]
    rows = pd.DataFrame({"table": names, "units": units, "place": [1, -1, 0]})
    rows.to_csv(tmp_path / "measured.csv")
    asked = [known, not_first]
    found = misses.verdicts(misses.rows_of_tables(tmp_path, asked), asked, RELATIONS)
    of = "measured, choice"
    assert found.values.tolist() == [[of, "known", "right"], [of, "not first", "silent"]]
    with pytest.raises(KeyError, match="other"):
        misses.rows_of_tables(tmp_path, [replace(table, name="other")])


def test_verdicts_are_of_the_rows_of_the_problems(root, tmp_path, scored_answer):
    points = np.column_stack([np.linspace(0.0, 1.0, 40), np.linspace(0.0, 2.0, 40)])
    problem = Problem("wild", "W1", parse("x2 - 2*x1"), points, None, "whole, noise 1 %")
    answers = {"right": "x2 - 2*x1", "search": "x2 - 2*x1**2"}
    rows = [
        scored_answer(problem, parse(text), "PIE+", 0.1, 0, "beam 64, whole, noise 1 %", "ok")
        for text in answers.values()
    ]
    found = misses.verdicts(rows, [problem, problem], RELATIONS)
    assert [*found.verdict] == [*answers] and {*found.test_set} == {"wild, noise 1 %"}
    with pytest.raises(FileNotFoundError):
        misses.rows_of(tmp_path, [problem])
