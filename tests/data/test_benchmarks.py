"""The timings are not tested; that the command runs and writes what it should, is."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

VECTORS = ("AVX-512", "AVX2", "none")
ITEMS = ("corpus_per_core", "million_minutes", "fits_per_core", "pie_seconds",
         "pie_plus_seconds", "second_core")  # fmt: skip


def check(results):
    assert tuple(results["items"]) == ITEMS
    for entry in results["items"].values():
        assert all(entry[key] > 0 for key in ("value", "reference", "ratio")) and entry["unit"]
    assert len(results["searches"]) == 4
    for of in results["searches"].values():
        assert 0.0 < of["median"] <= of["slowest"] and 0 <= of["above_3_s"] <= of["searches"]
    assert results["machine"]["cores"] >= 1 and results["machine"]["vectors"] in VECTORS
    assert {"python", "numpy", "torch", "numba"} <= results["versions"].keys()


def tiny(script, folder, drawn=(".png", ".svg")):
    """What a script writes at its smallest size: its JSON, and what it prints."""
    command = [sys.executable, script, "--tiny", "--out", folder]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    (written,) = folder.glob("*.json")
    assert {p.suffix for p in folder.iterdir()} == {".json", *drawn}
    return json.loads(written.read_text()), done.stdout


@pytest.mark.slow
def test_the_benchmarks_run_at_a_tiny_size(root, tmp_path):
    results, printed = tiny(root / "benchmarks/run.py", tmp_path, (".md", ".png", ".svg"))
    (run,) = results["runs"]
    check(run)
    assert printed.strip() == (tmp_path / "speed.md").read_text().strip()
    assert printed.count("\n") > len(ITEMS) + len(run["searches"])


def test_the_committed_results_are_those_of_a_full_run(root):
    runs = json.loads((root / "benchmarks/results.json").read_text())["runs"]
    for run in runs:
        check(run)
        assert run["items"]["million_minutes"]["equations_made"] == 1_000_000
    machines = [tuple(run["machine"].values()) for run in runs]
    assert len(set(machines)) == len(machines) >= 1


def test_the_committed_table_is_that_of_the_committed_runs(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    from figure import table

    runs = json.loads((root / "benchmarks/results.json").read_text())["runs"]
    assert table(runs) == (root / "benchmarks/speed.md").read_text()


def test_runs_of_other_machines_stay_and_one_of_the_same_is_replaced(root, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    from run import beside

    path = tmp_path / "results.json"
    for name, number in (("a", 1), ("b", 2), ("a", 3)):
        path.write_text(json.dumps(beside({"machine": {"processor": name}, "items": number}, path)))
    runs = json.loads(path.read_text())["runs"]
    assert [(run["machine"]["processor"], run["items"]) for run in runs] == [("a", 3), ("b", 2)]


@pytest.mark.slow
def test_cost_against_size_runs_with_one_search(root, tmp_path):
    (found,) = tiny(root / "benchmarks/size.py", tmp_path)[0]["measured"]
    assert found["rows"] == 20 and found["seconds"] > 0.0 and 0.05 < found["gigabytes"] < 4.0


@pytest.mark.slow
def test_cost_of_corpora_and_training_runs_with_one_of_each(root, tmp_path):
    found, _ = tiny(root / "benchmarks/scale.py", tmp_path)
    assert [one["equations"] for one in found["corpus"]] == [100]
    (network,) = found["training"]
    assert 2e6 < network["parameters"] < 3e6 and 0.0 < network["share_of_matmul"] < 1.5
    assert network["examples_per_second"] > 0.0


@pytest.mark.slow
def test_shares_of_the_time_add_up(root, tmp_path):
    found, printed = tiny(root / "benchmarks/shares.py", tmp_path, (".md",))
    for work in ("corpus", "fits"):
        assert all(0.0 <= share <= 1.0 for share in found[work].values())
        assert sum(found[work].values()) == pytest.approx(1.0)
    assert printed.strip() == (tmp_path / "shares.md").read_text().strip()


def test_the_committed_costs_have_every_size(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    from size import USUAL, VALUES

    measured = json.loads((root / "benchmarks/size.json").read_text())["measured"]
    asked = [USUAL | {name: value} for name, values in VALUES.items() for value in values]
    assert [{name: m[name] for name in USUAL} for m in measured] == asked


def test_the_committed_costs_of_corpora_and_training_have_every_size(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    from scale import EQUATIONS, NETWORKS, WORKERS

    found = json.loads((root / "benchmarks/scale.json").read_text())
    asked = [(workers, equations) for workers in WORKERS for equations in EQUATIONS]
    assert [(one["workers"], one["equations"]) for one in found["corpus"]] == asked
    assert [one["network"] for one in found["training"]] == [*NETWORKS]


def test_the_committed_peers_had_the_same_problems(root):
    rows = pd.read_csv(root / "benchmarks/peers.csv")
    runs = [found for _, found in rows.groupby(["method", "limit"])]
    asked = {frozenset(zip(run.problem, run.noise, strict=True)) for run in runs}
    assert len(asked) == 1 and len(*asked) >= 60 and len(set(rows.method)) == 4
    assert rows.recovered.isin([0.0, 1.0]).all() and rows.skeleton.isin([0.0, 1.0]).all()


@pytest.fixture
def reference(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import reference

    return reference


def test_the_reference_path_does_the_same_work(reference):
    """Its points lie on its equation, its fits find the constants."""
    from pie.data.corpus import CorpusConfig
    from pie.expr.expression import parse
    from pie.zeroset.roots import points_on_zero_set

    points = reference.corpus_item(np.random.default_rng(3), CorpusConfig(n_points=20))
    assert points.shape[0] == 20 and np.isfinite(points).all()
    rng = np.random.default_rng(0)
    cloud = points_on_zero_set(parse("x1 + 0.7*x2**2 - 1.2"), rng.standard_normal((60, 2)), 1, rng)
    copies = np.repeat(cloud[None], 2, 0) + 0.3
    skeleton = parse("x1 + 1*x2**2 + 1")
    assert reference.fit_sampson(skeleton, cloud) < 1e-8
    assert reference.fit_bfgs(skeleton, cloud, copies, 1e-4) > -1e-8
