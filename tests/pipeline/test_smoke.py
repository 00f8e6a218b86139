"""The whole pipeline at its smallest, and docs/sweeps.md, command by command, on what it made."""

import json
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from test_pipeline import tool

from pie.experiments.parts import read

pytestmark = pytest.mark.slow  # all look at one run of the whole pipeline


def run(folder, command):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, shell=isinstance(command, str)
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def smoke(root, tmp_path_factory):
    if subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True).returncode:
        pytest.skip("not a git checkout")
    folder = tmp_path_factory.mktemp("smoke")
    run(root, [sys.executable, "tools/smoke.py", str(folder)])
    return folder


def test_every_stage_runs_from_random_weights_to_the_last_table(root, smoke):
    stages = yaml.safe_load((smoke / "dvc.yaml").read_text())["stages"]
    lock = yaml.safe_load((smoke / "dvc.lock").read_text())["stages"]
    assert {name.partition("@")[0] for name in lock} == set(stages)
    config = json.loads((smoke / "data/models/pie/config.json").read_text())
    assert config["width"] == 32, "weights of its own, not the released ones"
    rows = read(smoke / "data/results/evaluation", ["pie", "plus"])
    assert {row.method for row in rows} == {"PIE", "PIE (Vanilla)", "PIE (strict)", "PIE+"}
    assert {row.budget.partition(",")[0] for row in rows} == {"beam 4"}
    claims = pd.read_csv(smoke / "reports/tables/paper/claims.csv")
    assert set(claims.verdict) <= {"confirmed", "refuted", "undecided"}
    assert "<h2>" in (smoke / "reports/index.html").read_text()


def test_nothing_is_left_to_do(smoke):
    assert "up to date" in run(smoke, "dvc status")


def test_the_how_to_of_sweeps_works_as_written(root, smoke, tmp_path):
    folder = tmp_path / "sweep"
    shutil.copytree(smoke, folder)
    (folder / ".dvc/config.local").unlink()
    run(folder, "git init -q && git config user.name me && git config user.email me@here")
    run(folder, "git add -A && git commit -qm start")
    text = (root / "docs/sweeps.md").read_text()
    commands = "".join(re.findall(r"```sh\n(.*?)```", text, re.S)).splitlines()
    assert len(commands) > 8
    said = {command: run(folder, command) for command in commands}
    shown = next(out for command, out in said.items() if command.startswith("dvc exp show"))
    assert re.search(r"inference\.beam", shown) and len(re.findall(r"[├└]──", shown)) == 3
    changed = next(out for command, out in said.items() if command.startswith("dvc params diff"))
    assert re.search(r"inference\.beam\s+4\s+2", changed)
    assert run(folder, "git status --porcelain") == ""


@pytest.fixture(scope="module")
def statuses(smoke):
    """What `dvc status` tells of some values changed in params.yaml, which is as before at last."""
    text = (smoke / "params.yaml").read_text()

    def status_of(changed, value, *stages):
        inner = params = yaml.safe_load(text)
        *sections, key = changed
        for section in sections:
            inner = inner[section]
        inner[key] = value
        (smoke / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
        run(smoke, ["dvc", "repro", "-s", "code", *stages])
        return json.loads(run(smoke, "dvc status --json"))

    yield status_of
    (smoke / "params.yaml").write_text(text)
    run(smoke, "dvc repro -s code variants")
    assert "up to date" in run(smoke, "dvc status")


@pytest.mark.parametrize(
    "changed, value",
    [("inference.beam", 5), ("notebooks.equal_time.every", 79), ("pretraining_small.seed", 9),
     ("baselines.genetic.seed", 9), ("corpus.seed", 9)],
)  # fmt: skip
def test_a_changed_parameter_re_runs_what_the_table_says(root, statuses, changed, value):
    status = statuses(changed.split("."), value)
    stages = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    table = tool(root, "parameters")
    told = {
        name for name, stage in stages.items()
        if any(changed == p or changed.startswith(f"{p}.") for p in table.taken(stage))
    }  # fmt: skip
    assert told and {*status} - {"paper"} == told, "which takes all parameters"
    listed = table.rerun(stages)
    assert told <= {n for s, (users, _) in listed.items() if changed.startswith(s) for n in users}


def test_a_variant_of_the_small_networks_is_alone(statuses):
    keys = ("sensitivity", "variants", "examples-1024", "training", "max_steps")
    status = statuses(keys, 3, "variants")
    changed = {name for name in status if "sensitivity" in name}
    assert changed == {"sensitivity_training@examples-1024"} | {"sensitivity"} & changed


def test_the_table_in_the_how_to_is_that_of_the_pipeline(root):
    text = (root / "docs/sweeps.md").read_text()
    assert tool(root, "parameters").updated(text) == text
