"""The timings are not tested; that the command runs and writes what it should, is."""

import json
import subprocess
import sys

import numpy as np
import pytest

ITEMS = ("corpus_per_core", "million_minutes", "fits_per_core", "pie_seconds",
         "pie_plus_seconds", "second_core")  # fmt: skip


def check(results):
    assert tuple(results["items"]) == ITEMS
    for entry in results["items"].values():
        assert all(entry[key] > 0 for key in ("value", "reference", "ratio")) and entry["unit"]
    assert len(results["searches"]) == 4
    for of in results["searches"].values():
        assert 0.0 < of["median"] <= of["slowest"] and 0 <= of["above_3_s"] <= of["searches"]
    assert results["machine"]["cores"] >= 1 and results["machine_of_searches"]["cores"] >= 1
    assert {"python", "numpy", "torch", "numba"} <= results["versions"].keys()


@pytest.mark.slow
def test_the_benchmarks_run_at_a_tiny_size(root, tmp_path):
    command = [sys.executable, root / "benchmarks/run.py", "--tiny", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    check(json.loads((tmp_path / "results.json").read_text()))
    assert {p.name for p in tmp_path.iterdir()} == {"results.json", "speed.png", "speed.svg"}
    assert all(name in done.stdout for name in ITEMS)


def test_the_committed_results_are_those_of_a_full_run(root):
    results = json.loads((root / "benchmarks/results.json").read_text())
    check(results)
    assert results["items"]["million_minutes"]["equations_made"] == 1_000_000


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
