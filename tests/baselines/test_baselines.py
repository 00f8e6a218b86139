import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from pie.baselines.genetic import GeneticConfig
from pie.baselines.methods import METHODS, Baselines, BaselinesConfig
from pie.baselines.neural_guided import NeuralGuidedConfig
from pie.data.benchmarks import load
from pie.experiments.answers import journal_path
from pie.experiments.equal_time import EqualTime
from pie.experiments.evaluation import evaluate, read_rows
from pie.experiments.methods import Setting
from pie.experiments.settings import load_settings
from pie.expr.expression import parse
from pie.network.model import save_weights
from pie.report import tables
from pie.search.algorithm2 import InferenceConfig
from pie.search.plus import PlusConfig
from pie.sources import digests
from pie.zeroset.degeneracy import KINDS

SMALL = BaselinesConfig(
    genetic=GeneticConfig(population=60, generations=2, tournament=3),
    neural_guided=NeuralGuidedConfig(samples=120, batch=40, population=20),
)


@pytest.fixture(scope="module")
def problems(root):
    return load(root / "data/benchmarks", "feynman")[:2]


@pytest.fixture(scope="module")
def setting(tiny_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    save_weights(tiny_model, folder)
    plus = PlusConfig(beam=2, proposers=("shapes", "network"))
    return Setting(folder, folder, InferenceConfig(beam=2), plus)


@pytest.mark.parametrize("name", METHODS)
def test_every_baseline_has_the_one_signature_and_finds_the_same_again(problems, name):
    once, again = (Baselines(SMALL).methods[name](problems[0].points) for _ in range(2))
    assert once.seconds > 0.0
    fitness = [c.fitness for c in once.candidates]
    assert fitness and not np.isnan(fitness).any()
    assert str(again.candidates) == str(once.candidates)


def test_rows_of_processes_and_of_a_dask_cluster_are_the_same(problems):
    contest, methods = Baselines(SMALL), ["GP (CL-FEM)", "Null space"]
    here = evaluate(contest, methods, problems, workers=2)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        there = evaluate(contest, methods, problems, cluster=cluster.scheduler_address)
    assert [replace(r, seconds=0.0) for r in there] == [replace(r, seconds=0.0) for r in here]


def test_a_change_of_one_baseline_keeps_the_rows_of_the_others(problems, tmp_path):
    contest = Baselines(SMALL)
    evaluate(contest, ["Null space", "GP (Vanilla)"], problems, folder=tmp_path)
    changed = Baselines(replace(SMALL, genetic=replace(SMALL.genetic, seed=1)))
    before, after = (journal_path(tmp_path, c, "Null space") for c in (contest, changed))
    assert before == after and before.exists()
    assert not journal_path(tmp_path, changed, "GP (Vanilla)").exists()
    both = [journal_path(tmp_path, contest, m) for m in ("GP (Vanilla)", "GP (CL-FEM)")]
    assert both[0] != both[1]


def test_a_baseline_depends_on_its_own_modules_only():
    of_svd = {name.rpartition(".")[2] for name in digests(["baselines.null_space"])}
    assert {"null_space", "expression", "kernel"} <= of_svd
    assert not of_svd & {"genetic", "neural_guided", "plus", "pretraining", "figures"}
    assert "derivatives" in of_svd, "what an import imports counts"


def test_a_degenerate_winner_says_how_in_its_row(problems):
    rows = evaluate(Baselines(SMALL), ["GP (Vanilla)"], problems)
    kinds = [row.status.removeprefix("degenerate: ") for row in rows]
    assert all(row.status.startswith("degenerate: ") for row in rows) and set(kinds) <= set(KINDS)
    shares = tables.degenerate(rows)
    assert shares["degenerate"].tolist() == ["100.0 %"]


def test_shares_of_kinds_add_up(problems, scored_answer):
    row = scored_answer(problems[0], parse("x1*x2 - 1"), "GP (Vanilla)", 1.0, 0, "", "ok")
    flaws = ["ok", "degenerate: 0·g", "degenerate: 0·g", "degenerate: g/huge"]
    rows = [replace(row, status=status) for status in flaws]
    (line,) = tables.degenerate(rows).to_dict("records")
    assert line["degenerate"] == "75.0 %" and line["0·g"] == "50.0 %" and line["g/huge"] == "25.0 %"


@pytest.mark.parametrize("name", ["PIE", "PIE+", "GP (CL-FEM)", "DSO (CL-FEM)", "Null space"])
def test_equal_time_is_kept(setting, problems, name):
    # with 60 programs a generation may hold none that is defined with the true operators
    many = replace(SMALL, genetic=replace(SMALL.genetic, population=400))
    contest = EqualTime(setting, Baselines(many), 1.0)
    contest.methods[name](problems[0].points)  # compiled
    began = time.perf_counter()
    found = contest.methods[name](problems[0].points)
    assert time.perf_counter() - began < 2.0
    assert found.candidates and contest.budget(name) == "1 s"


def test_more_time_widens_the_beam(setting, problems):
    short, long = (EqualTime(setting, Baselines(SMALL), s) for s in (1e-3, 3.0))
    points = problems[1].points
    few, many = (len(c.methods["PIE"](points).candidates) for c in (short, long))
    assert few < len(setting.methods["PIE"](points).candidates) < many


def test_what_ends_a_search_tells_its_rows(setting):
    """PIE at equal time ends at the resolution of PIE+."""
    plus = setting.inference_plus
    looser = replace(plus, prices=replace(plus.prices, resolution=1e-3))
    contests = (
        EqualTime(one, Baselines(SMALL), 1.0)
        for one in (setting, replace(setting, inference_plus=looser))
    )
    first, second = (contest.digest("PIE") for contest in contests)
    assert first != second


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_seconds_are_quoted(setting, seconds):
    with pytest.raises(ValueError, match=f"seconds is {seconds}"):
        EqualTime(setting, Baselines(), seconds)


def test_the_parameters_are_those_of_the_paper(root):
    """Tables 5 and 6."""
    settings = load_settings(root / "params.yaml").baselines
    gp = pd.read_csv(root / "data/paper/table5_gp.csv", dtype=str).set_index("parameter").value
    ours = settings.genetic
    assert [float(v) for v in gp] == [
        ours.population, ours.generations, ours.tournament, ours.crossover, ours.subtree_mutation,
    ]  # fmt: skip
    dso = settings.neural_guided
    assert (dso.entropy_weight, dso.epsilon, dso.generations) == (0.03, 0.05, 20)
    assert (dso.crossover, dso.mutation, dso.priority_queue) == (0.5, 0.5, True)
    assert dso.samples == 200_000


def test_committed_rows_are_complete_and_score_again_as_written(root, score_again):
    rows = read_rows(root / "data/results/evaluation/baselines.csv")
    table = pd.DataFrame(rows)
    tests = table[~table.benchmark.isin(["examples", "wild"])]
    assert (table[table.benchmark == "wild"].method == "Null space").sum() == 740
    assert tests.groupby(["method", "benchmark"]).size().to_dict() == {
        (m, b): n
        for m in METHODS
        for b, n in (("feynman", 39), ("synthetic", 80), ("synthetic_printed", 50))
    }
    score_again(rows[::61])


def test_committed_rows_come_again(root):
    """The closed form is run again on some equations."""
    contest = Baselines(load_settings(root / "params.yaml").baselines)
    problems = load(root / "data/benchmarks", "feynman")[::8]
    rows = read_rows(root / "data/results/evaluation/baselines.csv")
    stored = {(row.method, row.equation_id): row for row in rows}
    for row in evaluate(contest, ["Null space"], problems):
        old = stored[row.method, row.equation_id]
        assert (row.status, row.skeleton) == (old.status, old.skeleton)
        assert row.fitness == pytest.approx(old.fitness, abs=1e-3)
