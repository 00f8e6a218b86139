import pandas as pd
import pytest

from pie.benchmarks import load
from pie.discovery import InferenceConfig
from pie.evaluation import METHODS, evaluate, read_rows, score, summarise, write_rows
from pie.expression import parse
from pie.model import save_weights

COLUMNS = "method,benchmark,equation_id,truth,equation,fitness,two_sided,seconds,seed,budget,status"


@pytest.fixture(scope="module")
def weights(tiny_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    save_weights(tiny_model, folder)
    return folder


@pytest.fixture(scope="module")
def problems(root):
    return load(root / "data/benchmarks", "feynman")[:3]


def test_rows_come_for_every_method_and_problem_and_resume(weights, problems, tmp_path):
    config, methods = InferenceConfig(beam=4), ["PIE", "PIE (Vanilla)"]
    journal = tmp_path / "rows.jsonl"
    first = evaluate(weights, methods[:1], problems, config, journal=journal)
    journal.write_text(journal.read_text()[:-20])  # cut as by a kill
    rows = evaluate(weights, methods, problems, config, journal=journal)
    assert [(r.method, r.equation_id) for r in rows] == [
        (m, p.equation_id) for m in methods for p in problems
    ]
    assert [r.seconds for r in rows[:2]] == [r.seconds for r in first[:2]], (
        "finished rows were run again"
    )
    again = evaluate(weights, methods, problems, config, workers=2)
    assert [(r.equation, r.fitness) for r in again] == [(r.equation, r.fitness) for r in rows]
    with pytest.raises(ValueError, match="unknown method 'GP'"):
        evaluate(weights, ["GP"], problems, config)


def test_csv_round_trip_and_columns(problems, tmp_path):
    rows = [score(problems[0], parse("x1*x2 - 0.564"), "PIE", 0.5, 0, "beam 64", "ok"),
            score(problems[1], None, "PIE", 0.5, 0, "beam 64", "no candidate could be fitted")]  # fmt: skip
    write_rows(rows, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().splitlines()[0] == COLUMNS
    assert read_rows(tmp_path / "rows.csv") == rows
    assert [r.fitness for r in rows] == [1.0, 0.0] and rows[1].two_sided == 0.0


def test_the_summary_counts_and_its_intervals_contain_the_mean(problems):
    right = score(problems[0], parse("x1*x2 - 0.564"), "PIE", 1.0, 0, "", "ok")
    wrong = score(problems[0], parse("x1 + x2"), "PIE", 3.0, 0, "", "ok")
    (entry,) = summarise([right] * 3 + [wrong])
    assert entry["acc_0.99"] == 0.75 and entry["equations"] == 4 and entry["seconds"] == 1.0
    assert entry["fitness_low"] <= entry["fitness"] <= entry["fitness_high"]
    assert entry["recovered"] == 0.75


def test_committed_results_are_complete_and_can_be_scored_again(root):
    """Every row of the released results: a sample is scored again from its equation."""
    rows = read_rows(root / "data/results/evaluation.csv")
    table = pd.read_csv(root / "data/results/evaluation.csv")
    assert ",".join(table.columns) == COLUMNS
    assert table.groupby(["method", "benchmark"]).size().to_dict() == {
        (m, b): n for m in METHODS
        for b, n in (("feynman", 39), ("synthetic", 80), ("synthetic_printed", 50))
    }  # fmt: skip
    problems = {
        p.equation_id: p
        for b in table.benchmark.unique()
        for p in load(root / "data/benchmarks", b)
    }
    for row in rows[::17]:
        found = parse(row.equation) if row.equation else None
        again = score(
            problems[row.equation_id],
            found,
            row.method,
            row.seconds,
            row.seed,
            row.budget,
            row.status,
        )
        assert again.fitness == pytest.approx(row.fitness, abs=1e-3)
        assert again.two_sided == pytest.approx(row.two_sided, abs=1e-2)
