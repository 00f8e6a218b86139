from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pie.data.benchmarks import load, noisy
from pie.experiments.answers import journal_path
from pie.experiments.evaluation import evaluate, read_rows, summarise, write_rows
from pie.experiments.journal import resumed
from pie.experiments.methods import Setting
from pie.experiments.metrics import RECOVERED
from pie.experiments.parts import read
from pie.expr.expression import parse
from pie.network.model import save_weights
from pie.search.algorithm2 import InferenceConfig
from pie.search.plus import PlusConfig

COLUMNS = "method,benchmark,equation_id,truth,equation,fitness,two_sided,skeleton,seconds,seed,budget,status"


@pytest.fixture(scope="module")
def setting(tiny_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    save_weights(tiny_model, folder)
    plus = PlusConfig(beam=4, proposers=("shapes", "network"))
    return Setting(folder, folder, InferenceConfig(beam=4), plus)


@pytest.fixture(scope="module")
def problems(root):
    return load(root / "data/benchmarks", "feynman")[:3]


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_line_that_was_cut_is_found_again(cut, tmp_path):
    """Also after the first of two brackets, where it ends as a whole line does."""
    journal, jobs = tmp_path / "j.jsonl", [("a", 1, b"one"), ("a", 2, b"two")]
    asked = []

    def run(name, item):
        asked.append(item)
        return {"found": {"x": item}}

    first = resumed(run, jobs, {"a": journal})
    journal.write_text(journal.read_text()[:-cut])
    assert resumed(run, jobs, {"a": journal}) == first and asked == [1, 2, 2]


def test_rows_come_for_every_method_and_problem_and_resume(setting, problems, tmp_path):
    methods = ["PIE", "PIE (Vanilla)", "PIE+ (no network)"]
    first = evaluate(setting, methods[:1], problems, folder=tmp_path)
    journal = journal_path(tmp_path, setting, "PIE")
    journal.write_text(journal.read_text()[:-20])  # cut as by a kill
    rows = evaluate(setting, methods, problems, folder=tmp_path)
    assert [(r.method, r.equation_id) for r in rows] == [
        (m, p.equation_id) for m in methods for p in problems
    ]
    assert rows[:2] == first[:2], "finished rows were run again"
    assert evaluate(setting, methods, problems, folder=tmp_path) == rows
    again = evaluate(setting, methods, problems, workers=2)
    assert [replace(r, seconds=0.0) for r in again] == [replace(r, seconds=0.0) for r in rows]
    with pytest.raises(ValueError, match=r"unknown method 'PIE\+ \(no soup\)'; known are PIE"):
        evaluate(setting, ["PIE+ (no soup)"], problems)


def test_rows_of_wild_name_sampling_and_noise_and_stay_apart(setting, root, tmp_path):
    clean = load(root / "data/benchmarks", "wild")[:2]
    problems = [*clean, *(noisy(p, 0.01) for p in clean)]
    rows = evaluate(setting, ["PIE+"], problems, folder=tmp_path)
    assert [r.budget for r in rows] == [
        "beam 4, whole, 200 points", "beam 4, free_box, 100 points",
        "beam 4, whole, 200 points, noise 1 %", "beam 4, free_box, 100 points, noise 1 %",
    ]  # fmt: skip
    assert [r.test_set for r in rows] == ["wild"] * 2 + ["wild, noise 1 %"] * 2
    assert [r.way for r in rows] == ["whole", "free_box"] * 2
    assert [e["benchmark"] for e in summarise(rows)] == ["wild", "wild, noise 1 %"]
    assert evaluate(setting, ["PIE+"], problems, folder=tmp_path) == rows, "rows were mixed up"


def test_each_method_runs_on_its_own_weights(setting, tmp_path):
    elsewhere = replace(setting, weights_plus=tmp_path / "none")
    x = np.random.default_rng(0).uniform(1.0, 2.0, 50)
    points = np.column_stack([x, 1.0 / x])
    assert elsewhere.methods["PIE"](points).seconds > 0.0
    with pytest.raises(FileNotFoundError, match="none"):
        elsewhere.methods["PIE+"](points)


def test_points_that_a_method_does_not_take_give_a_row_that_says_so(setting, problems):
    large = replace(problems[0], points=problems[0].points * 1e7)
    (row,) = evaluate(setting, ["PIE"], [large])
    assert row.fitness == 0.0 and not row.equation and "half precision" in row.status


def test_csv_round_trip_and_columns(problems, tmp_path, scored_answer):
    nothing = "no candidate could be fitted"
    rows = [scored_answer(problems[0], parse("x1*x2 - 0.564"), "PIE", 0.5, 0, "beam 64", "ok"),
            scored_answer(problems[1], None, "PIE", 0.5, 0, "beam 64", nothing)]  # fmt: skip
    write_rows(rows, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().splitlines()[0] == COLUMNS
    assert read_rows(tmp_path / "rows.csv") == rows
    assert [r.fitness for r in rows] == [1.0, 0.0] and rows[1].two_sided == 0.0


def test_a_row_has_the_equation_as_it_was_returned_if_that_is_another(
    problems, tmp_path, scored_answer
):
    rows = [scored_answer(problems[0], parse(text), "GP", 0.5, 0, "", "ok")
            for text in ("x1*x2 - 0.564", "x3 - x3 + 2.0*(x1*x2 - 0.564)")]  # fmt: skip
    assert {row.equation for row in rows} == {"x1*x2 - 0.564"}
    assert not rows[0].returned and parse(rows[1].returned).variables == (1, 2, 3)
    assert [row.as_returned for row in rows] == [rows[0].equation, rows[1].returned]
    write_rows(rows, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().splitlines()[0] == f"{COLUMNS},returned"
    assert read_rows(tmp_path / "rows.csv") == rows


def test_the_summary_counts_and_its_intervals_contain_the_mean(problems, scored_answer):
    right = scored_answer(problems[0], parse("x1*x2 - 0.564"), "PIE", 1.0, 0, "", "ok")
    wrong = scored_answer(problems[0], parse("x1 + x2"), "PIE", 3.0, 0, "", "ok")
    rows = [replace(r, equation_id=f"F{i:02d}") for i, r in enumerate([right] * 3 + [wrong])]
    (entry,) = summarise(rows)
    assert entry["acc_0.99"] == 0.75 and entry["equations"] == 4 and entry["seconds"] == 1.0
    assert entry["fitness_low"] < entry["fitness"] < entry["fitness_high"]
    assert entry["recovered"] == entry["skeleton"] == 0.75


def test_the_ways_of_one_law_are_resampled_together(problems, scored_answer):
    """Five ways of one law that fall and stand together widen the interval as one law would."""
    row = scored_answer(problems[0], parse("x1*x2 - 0.564"), "PIE+", 1.0, 0, "", "ok")
    rows = [
        replace(row, equation_id=f"W{law:02d}-{way}", two_sided=float(law % 2))
        for law in range(8)
        for way in "abcde"
    ]
    alone = [replace(row, equation_id=row.equation_id.replace("-", "")) for row in rows]
    (together,), (apart,) = summarise(rows), summarise(alone)
    assert together["recovered"] == apart["recovered"] == 0.5
    low, high = together["recovered_low"], together["recovered_high"]
    assert high - low > 1.6 * (apart["recovered_high"] - apart["recovered_low"])


def test_committed_results_are_complete_and_can_be_scored_again(root, score_again):
    """Every row of the released results: a sample is scored again from its equation."""
    rows = read(root / "data/results/evaluation", ["pie", "plus"])
    table = pd.DataFrame(rows)
    assert ",".join(table.columns) == f"{COLUMNS},returned"
    counts = table.groupby(["method", "benchmark"]).size().to_dict()
    plus = ("PIE+", "PIE+ (no network)", "PIE+ (network alone)")
    assert counts == {
        (m, b): n for m in ("PIE", "PIE (Vanilla)", "PIE (strict)", *plus)
        for b, n in (("feynman", 39), ("synthetic", 80), ("synthetic_printed", 50))
    } | {(m, "wild"): 740 for m in ("PIE", *plus)} | {("PIE", "examples"): 3}  # fmt: skip
    score_again(rows[::37])


def test_no_row_of_the_truth_misses(root, scored_answer):
    """The truth of every problem of wild is recovered, in its box and units."""
    for problem in load(root / "data/benchmarks", "wild")[::7]:
        row = scored_answer(problem, problem.truth, "truth", 0.0, 0, "", "ok")
        assert row.fitness > 0.999 and row.two_sided >= RECOVERED and row.skeleton, problem
