"""The pipeline's own promises: notebooks, runner, lock, and what is committed."""

import ast
import importlib.util
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import PurePath
from types import SimpleNamespace

import nbformat
import numpy as np
import pandas as pd
import papermill
import pytest
import yaml

from pie.data.recipe import corpora, first_skeletons
from pie.experiments.evaluation import Row, read_rows, write_rows
from pie.experiments.parts import Task
from pie.experiments.settings import load_settings
from pie.network.runs import RUNS
from pie.params import read_yaml
from pie.search.plus import PlusConfig

NOTEBOOKS = (
    "00_discover", "01_generation", "02_pretraining", "03_baselines", "04_evaluation",
    "05_robustness", "06_sensitivity", "07_paper", "08_plus", "09_equal_time", "10_no_law",
    "11_measured", "12_columns", "13_field", "14_misses",
)  # fmt: skip


def tool(root, name):
    """A module of tools/, which import each other as scripts do."""
    if str(root / "tools") not in sys.path:
        sys.path.append(str(root / "tools"))
    spec = importlib.util.spec_from_file_location(name, root / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_code_cell_was_executed(root, name):
    """nbval compares nothing in a cell that never ran."""
    cells = nbformat.read(root / f"notebooks/{name}.ipynb", 4).cells
    code = [c for c in cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == list(range(1, len(code) + 1))
    assert sum("parameters" in c.metadata.get("tags", []) for c in code) == 1
    assert not any(re.search(r"^\s*(def|for|while) ", c.source, re.M) for c in code), (
        "notebooks are thin"
    )
    assert not any(o.get("name") == "stderr" for c in code for o in c.outputs)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_opened_by_hand_shows_what_the_pipeline_shows(root, name):
    """Its own parameters are those of params.yaml, so that what it holds is of full size."""
    declared = papermill.inspect_notebook(str(root / f"notebooks/{name}.ipynb"))
    given = tool(root, "notebook").parameters_for(name)
    assert given, "no section of params.yaml"
    for key in given.keys() - {"out", "recipes", "workers"}:
        assert ast.literal_eval(declared[key]["default"]) == given[key], key


@pytest.mark.parametrize(
    "section, key, value, message",
    [("generation", "n_equation", 3, r"unknown parameter notebooks\.generation\.n_equation"),
     ("generation", "n_equations", "many", r"notebooks\.generation\.n_equations is 'many'; exp.* int"),
     ("evaluation", "methods", "PIE", r"notebooks\.evaluation\.methods is 'PIE'; expected list")],
    ids=["not declared", "text for a number", "text for a list"],
)  # fmt: skip
def test_a_parameter_that_the_notebook_does_not_take_is_refused(
    root, tmp_path, section, key, value, message
):
    content = yaml.safe_load((root / "params.yaml").read_text())
    content["notebooks"][section][key] = value
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
    name = next(name for name in NOTEBOOKS if name.endswith(section))
    with pytest.raises(ValueError, match=message):
        tool(root, "notebook").parameters_for(name, tmp_path / "params.yaml")


def test_prose_does_not_change_the_code_that_stages_depend_on(root):
    code = tool(root, "notebook_code")
    cells = nbformat.read(root / "notebooks/04_evaluation.ipynb", 4).cells
    before = code.listing(code.code_of(cells))
    next(c for c in cells if c.cell_type == "markdown").source += " More prose."
    last = [c for c in cells if c.cell_type == "code"][-1]
    last.source += "\n\n# and a comment"
    assert code.listing(code.code_of(cells)) == before
    run = code.listing(code.code_of(code.run_part(cells)))
    last.source += "\nx = 1"
    assert code.listing(code.code_of(cells)) != before
    assert code.listing(code.code_of(code.run_part(cells))) == run, "drawing finds no row again"


def test_what_a_notebook_runs_on_is_found(root):
    code = "import pie\nfrom pie.experiments.settings import load_settings\npie.discover(1)"
    names = [line.split()[1] for line in tool(root, "notebook_code").listing(code).splitlines()]
    assert {"code", "params", "discovery.laws", "expr.kernel"} <= {*names}
    assert "experiments.settings" not in names, "stages name their sections of params.yaml"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_searches_or_trains_does_not_depend_on_drawing(root, name):
    code = tool(root, "notebook_code")
    part = code.run_part(nbformat.read(root / f"notebooks/{name}.ipynb", 4).cells)
    assert bool(part) == (name not in ("00_discover", "01_generation", "07_paper"))
    assert " report" not in code.listing(code.code_of(part))


def stages_of(root):
    return yaml.safe_load((root / "dvc.yaml").read_text())["stages"]


def test_stages_name_files_that_exist_and_depend_on_code_not_prose(root):
    stages = stages_of(root)
    outs = {next(iter(o)) for s in stages.values() for o in s["outs"]}
    for name, stage in stages.items():
        for dep in stage["deps"]:
            made = any(dep == o or dep.startswith(f"{o}/") for o in outs)
            assert made or (root / dep).exists(), f"{name} depends on {dep}"
            assert not dep.endswith((".ipynb", ".py")) or dep.startswith("tools/"), f"{name}: {dep}"
        code = ("build/code/", "build/variants/")
        assert name == "code" or any(d.startswith(code) for d in stage["deps"]), name


def test_every_digest_and_section_that_a_stage_depends_on_is_written(root):
    tool(root, "notebook_code").main()
    made = ("build/code/", "build/settings/")
    for name, stage in stages_of(root).items():
        for dep in stage["deps"]:
            assert not dep.startswith(made) or (root / dep).exists(), f"{name}: {dep}"
        for part in stage.get("params", []):
            file = f"build/settings/{part}"
            assert not (root / file).exists(), f"{name}: a whole section, which is {file}"


@pytest.mark.parametrize(
    "path, value, changed",
    [("inference_plus.beam", 32, {"inference_plus"}),
     ("corpus.generator.max_variables", 2, {"corpus"}),
     ("notebooks.evaluation.n_wild", 3, {"notebooks.evaluation"}),
     ("notebooks.field.workers", 9, set())],
)  # fmt: skip
def test_a_changed_value_is_in_the_file_of_its_section_alone(root, path, value, changed):
    code, params = tool(root, "notebook_code"), read_yaml(root / "params.yaml")
    before = code.sections(params)
    inner = params
    *parts, key = path.split(".")
    for part in parts:
        inner = inner[part]
    inner[key] = value
    after = code.sections(params)
    assert {name for name in before if before[name] != after[name]} == changed


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_stages_name_the_settings_that_their_notebook_takes(root, name):
    """All sections of params.yaml and all parameters, in one of the stages that run a notebook."""
    code = tool(root, "notebook_code")
    cells = nbformat.read(root / f"notebooks/{name}.ipynb", 4).cells
    taken = set(re.findall(r"settings\.(\w+)", code.code_of(cells)))
    stages = [s for s in stages_of(root).values() if f"notebook.py {name}" in str(s["cmd"])]
    if any("params.yaml" in s["deps"] for s in stages):
        return
    named = {p for s in stages for p in tool(root, "parameters").taken(s)}
    named |= {PurePath(d).stem for s in stages for d in s["deps"] if d.startswith("data/corpus/")}
    if name == "02_pretraining":
        taken |= {section for run in RUNS.values() for section in run[:3]}
    assert taken <= {p.partition(".")[0] for p in named}
    section = f"notebooks.{name.partition('_')[2]}"
    given = tool(root, "notebook").parameters_for(name).keys() - code.NO_EFFECT
    assert section in named or {f"{section}.{key}" for key in given} <= named


def test_what_is_kept_in_git_only_depends_on_what_is(root):
    """A fresh clone skips what trains or searches: neither its outputs nor its data are ignored."""
    for name, stage in stages_of(root).items():
        outs = [next(iter(o)) for o in stage["outs"]]
        if any(o.startswith(("data/models", "data/results")) for o in outs):
            assert all(o.startswith("data/") for o in outs), name
            assert not any(d.startswith("reports/") for d in stage["deps"]), name


@pytest.mark.parametrize(
    "section, spared",
    [
        ("inference", ("pretraining", "pretraining_plus", "pretraining_small", "baselines",
                       "robustness_baselines", "equal_time_baselines", "sensitivity_training",
                       "sensitivity_ours")),
        ("inference_plus", ("evaluation", "robustness", "baselines", "pretraining_plus")),
        ("baselines", ("evaluation", "evaluation_plus", "robustness", "equal_time", "ablation")),
    ],
    ids=["paper's beam", "PIE+", "baselines"],
)  # fmt: skip
def test_a_change_spares_what_does_not_depend_on_it(root, section, spared):
    told, later = tool(root, "parameters").rerun(stages_of(root))[section]
    assert not {*told, *later} & {*spared}


def test_generation_comes_before_training(root):
    after = tool(root, "parameters").graph(stages_of(root))["generation"]
    assert {"pretraining", "pretraining_plus", "pretraining_small"} <= after


def test_the_corpus_is_the_one_that_generation_wrote_down(root):
    for section in ("corpus", "corpus_plus"):
        config = getattr(load_settings(root / "params.yaml"), section)
        corpus, _ = corpora(config, root / "data/benchmarks")
        first = (root / f"data/corpus/{section}.txt").read_text().splitlines()
        assert first_skeletons(corpus) == first


def test_the_pipeline_stays_small(root):
    assert len((root / "dvc.yaml").read_text().splitlines()) <= 350
    assert (root / "dvc.lock").stat().st_size <= 60 * 1024


def test_the_rows_of_one_method_are_found_again_in_their_places(root, tmp_path, monkeypatch):
    carry = tool(root, "carry_over")
    row = Row("PIE", "feynman", "F01", "x1", "x1 - 1", 0.4, 0.4, 0, 0.1, 0, "beam 64", "ok")
    other = replace(row, method="Null space")
    kept = [other, row, replace(row, equation_id="F02"), replace(row, budget="beam 64, wide")]
    kept += [replace(row, equation_id="F03")]
    write_rows(kept, tmp_path / "rows.csv")

    changes = {"F01": {"fitness": 0.9}, "F02": {}, "F03": {"returned": "x1 + 0 - 1"}}

    def found(contest, methods, problems, workers, journals):
        assert methods == ["PIE"]
        return [replace(row, equation_id=p, seconds=7.0, **changes[p]) for p in problems]

    monkeypatch.setattr(carry, "evaluate", found)
    tasks = [Task(None, ["PIE"], [*changes]), Task(None, ["PIE"], ["F01"], "wide")]
    places = {carry.key(r): (tasks[r.budget.endswith("wide")], r.equation_id) for r in kept}
    carry.find_again(kept[1:], places, [tmp_path / "rows.csv"])
    again = read_rows(tmp_path / "rows.csv")
    assert [carry.key(r) for r in again] == [carry.key(r) for r in kept]
    assert [r.fitness for r in again] == [0.4, 0.9, 0.4, 0.9, 0.4]
    assert [r.seconds for r in again] == [0.1, 7.0, 0.1, 7.0, 0.1], "the same keeps its seconds"
    assert [r.returned for r in again] == ["", "", "", "", "x1 + 0 - 1"]


def test_rows_that_a_file_lacks_are_found_and_stand_in_the_order_of_the_tasks(
    root, tmp_path, monkeypatch
):
    carry = tool(root, "carry_over")
    rows = {
        e: Row("PIE", "feynman", e, "x1", "x1 - 1", 0.4, 0.4, 0, 0.1, 0, "beam 64", "ok")
        for e in ("F01", "F02", "F03")
    }
    write_rows([rows["F03"]], tmp_path / "pie.csv")

    def found(contest, methods, problems, workers, journals):
        assert (methods, problems) == (["PIE"], ["F01", "F02"]), "what is there is not found again"
        return [rows[p] for p in problems]

    monkeypatch.setattr(carry, "evaluate", found)
    task, plus = Task(None, ["PIE"], [*rows]), Task(None, ["PIE+"], ["F01"])
    places = {carry.key(row): (task, e) for e, row in rows.items()}
    places["PIE+", "feynman", "F01", "beam 64"] = plus, "F01"  # of another file
    carry.find_missing(places, tmp_path / "pie.csv")
    assert read_rows(tmp_path / "pie.csv") == [*rows.values()]


@pytest.fixture
def carried(root, tmp_path, monkeypatch):
    """tools/carry_over.py with ``--holding=sqrt`` in an empty project, of which notebooks have
    ``names``; and the folder of its rows.
    """
    carry, folder = tool(root, "carry_over"), tmp_path / "data/results"
    folder.mkdir(parents=True)
    monkeypatch.setattr(carry, "ROOT", tmp_path)
    monkeypatch.setattr(carry, "CLOUDS", 3)
    monkeypatch.setattr(carry.sys, "argv", ["carry_over", "--holding=sqrt"])
    names = {"weights": None, "workers": 1, "noise": [0.0], "n_points": [200]}
    names["settings"] = SimpleNamespace(inference_plus=None)
    monkeypatch.setattr(carry, "set_up", lambda notebook: names)
    return carry, names, folder


def test_no_equation_holds_a_text_that_is_not_given(carried, monkeypatch):
    carry, equations = carried[0], pd.Series(["x1 - sqrt(x2)", "x1"])
    assert [*carry.holds(equations)] == [True, False]
    monkeypatch.setattr(carry.sys, "argv", ["carry_over"])
    assert not carry.holds(equations).any()


@pytest.mark.parametrize("other", ["x1 - x2", "2*x1 - x2"], ids=["the sample agrees", "not"])
def test_claims_with_roots_are_made_again_where_the_others_come_out_the_same(carried, other):
    carry, names, folder = carried
    """And where a table with a law had none claimed."""
    said = {"a": "x1 - sqrt(x2)", "b": "x1 - x2", "c": "x1 - sqrt(2*x2)", "d": ""}
    again = {"a": "x1**2 - x2", "b": other, "c": "x1 - sqrt(2*x2)", "d": "x1*x2 - 1"}

    def claims(clouds, weights, config, workers):
        rows = {"of": "laws", "cloud": clouds, "width": 2, "laws": "2", "seconds": 7.0}
        return pd.DataFrame(rows).assign(first=[again[cloud] for cloud in clouds])[columns]

    columns = ["of", "cloud", "width", "laws", "first", "seconds"]
    names |= {"clouds": [*said], "claims": claims}
    old = pd.DataFrame({"of": "laws", "cloud": [*said], "width": 2, "laws": "2", "seconds": 1.0})
    old.assign(first=[*said.values()])[columns].to_csv(folder / "columns_claims.csv", index=False)
    same = other == said["b"]
    assert carry.claims_agree() == same
    rows = pd.read_csv(folder / "columns_claims.csv", keep_default_na=False)
    new = again if same else said
    assert [*rows["first"]] == [new["a"], said["b"], said["c"], new["d"]]
    assert [*rows.seconds] == [7.0 if same else 1.0, 1.0, 1.0, 7.0 if same else 1.0]


@pytest.mark.parametrize("other", ["x1 - x2", "2*x1 - x2"], ids=["the sample agrees", "not"])
def test_laws_of_columns_with_roots_are_searched_again(carried, other):
    carry, names, folder = carried
    again = {"A": other, "B": "x1**2 - x2", "C": "x1 - x2"}

    def answers(sets, noise, n, weights, config, workers, with_units):
        ((name, laws),) = sets.items()
        asked = {"set": name, "law_id": [law.law_id for law in laws], "units": with_units}
        rows = pd.DataFrame({**asked, "points": n, "noise": noise[0], "seconds": 7.0})
        return rows.assign(answer=[again[law_id] for law_id in rows.law_id])

    laws = [SimpleNamespace(law_id=law_id) for law_id in "ABC"]
    names |= {"sets": {"books": laws}, "answers": answers}
    rows = pd.DataFrame({"set": "books", "law_id": [*"ABC"] * 2, "units": [False] * 3 + [True] * 3})
    rows = rows.assign(points=200, noise=0.0, seconds=1.0)
    rows["answer"] = ["x1 - x2", "x1 - sqrt(x2)", "x1 - x2"] + ["x1 - x2"] * 3
    rows.to_csv(folder / "columns.csv", index=False)
    same = other == "x1 - x2"
    assert carry.columns_agree() == same
    found = pd.read_csv(folder / "columns.csv")
    assert [*found.answer[:3]] == ["x1 - x2", again["B"] if same else "x1 - sqrt(x2)", "x1 - x2"]
    assert [*found.seconds] == [1.0, 7.0 if same else 1.0, 1.0, 1.0, 1.0, 1.0]


def test_rows_of_other_code_are_not_carried_over(root, monkeypatch):
    carry = tool(root, "carry_over")
    old = Row("PIE", "feynman", "F01", "x1", "x1 - 1", 1.0, 1.0, 1, 0.1, 0, "beam 64", "ok")
    assert carry.agrees(old, replace(old, fitness=0.9995, seconds=3.0), False)
    others = {"fitness": 0.9, "two_sided": 0.9, "skeleton": 0, "status": "none"}
    for name, value in others.items():
        assert not carry.agrees(old, replace(old, **{name: value}), False), name
    assert carry.agrees(old, replace(old, fitness=0.9), True)
    assert carry.agrees(old, replace(old, returned="x1"), False), "the row is older"
    assert not carry.agrees(replace(old, returned="x1"), old, False)
    monkeypatch.setattr("sys.argv", ["carry_over.py", "--again", "baselines"])
    assert not carry.agrees(old, replace(old, returned="x1"), False)


def test_parts_of_the_search_are_left_out_by_their_names(root):
    worth, config = tool(root, "worth"), PlusConfig()
    left = worth.without(config, "numbers+sheet")
    assert {*config.proposers} - {*left.proposers} == {"numbers"}
    assert left.prices == replace(config.prices, sheet=0.0)
    assert worth.without(config, "nothing") == config
    assert worth.without(config, "shapes+outliers").outliers == 0.0
    with pytest.raises(ValueError, match="'resolution' is no part of the search; known are relat"):
        worth.without(config, "resolution")


def test_two_revisions_are_compared_by_what_each_finds(root):
    compare = tool(root, "compare")
    with pytest.raises(ValueError, match="unknown revision 'no such one'"):
        compare.exported("no such one")
    way = "9 points, noise 0.05"
    right = Row("a", "validation", "V1", "x1", "x1", 1.0, 1.0, 1, 0.2, 0, way, "ok")
    wrong = replace(right, two_sided=0.5, skeleton=0, seconds=0.4)
    (line,) = compare.table([right, wrong, wrong], [right, right, right], "old").to_dict("records")
    assert line["noise"] == "0.05" and line["problems"] == 3
    assert line["skeleton %, old"] == "33.3" and line["skeleton %, here"] == "100.0"
    assert line["skeleton, gained, lost"] == line["two-sided, gained, lost"] == "+2 −0"
    assert line["median CPU s, old"] == "0.40"


def test_a_comparison_asks_nothing_that_was_answered(root, tmp_path):
    journal = tmp_path / "answers.jsonl"
    journal.write_text('{"points": "a"}\n{"points": "b"}\n{"poin')
    np.savez(tmp_path / "points.npz", a=np.ones((9, 2)), b=np.ones((9, 2)))
    search = tool(root, "compare_search").main
    search(tmp_path / "points.npz", "no weights", journal, "here", "0")
    assert journal.read_text().endswith('{"poin')


def test_environment_yml_is_the_lock(root):
    content = yaml.safe_load((root / "environment.yml").read_text())
    assert content["dependencies"][-1]["pip"][0] == "-r requirements.lock"
    lock = (root / "requirements.lock").read_text()
    pinned = dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", lock, re.M | re.I))
    direct = re.findall(r"^([a-z0-9._-]+)", (root / "requirements.in").read_text(), re.M | re.I)
    assert {d.lower() for d in direct} <= {p.lower() for p in pinned} and "torch" in pinned
    assert "python=3.11" in content["dependencies"]


def test_the_installed_packages_are_those_of_the_lock(root):
    from importlib.metadata import version

    pinned = dict(
        re.findall(r"^([a-z0-9._-]+)==(\S+)", (root / "requirements.lock").read_text(), re.M | re.I)
    )
    for name in ("numpy", "scipy", "torch", "numba", "dvc", "papermill", "nbval", "pandas"):
        assert version(name).split("+")[0] == pinned[name], name


def test_no_committed_file_is_large_or_pickled(root):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.splitlines():
        path = root / name
        assert not path.exists() or path.stat().st_size < 16 * 2**20, name
        assert path.suffix not in (".pkl", ".pickle", ".pt", ".pth"), name


def test_the_documents_show_the_tables_that_the_pipeline_made(root):
    tables = tool(root, "readme")
    for name, block, table in tables.BLOCKS:
        text = (root / name).read_text()
        assert tables.updated(text, table(root=root), block) == text, (name, block)


def test_the_headline_of_the_readme_has_a_number_wherever_the_full_tables_have_one(root):
    lines = tool(root, "readme").headline(root).splitlines()[2:]
    cells = {name.strip(): values for _, name, *values, _ in (line.split("|") for line in lines)}
    missing = {name: sum(v.strip() == "–" for v in values) for name, values in cells.items()}
    ours = dict.fromkeys(("PIE+", "PIE+ (no network)", "PIE+ (network alone)"), 0)
    expected = {"PIE (paper's value)": 3, "PIE (strict)": 3, "Null space": 1} | ours
    assert missing == expected


def test_pretraining_says_what_is_wrong_in_one_line(root, tmp_path):
    (tmp_path / "params.yaml").write_text("corpus: {}\nmodel: {widht: 3}\npretraining: {}\n")
    command = [
        sys.executable,
        "-m",
        "pie.network.pretraining",
        "--params",
        tmp_path / "params.yaml",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert done.returncode == 1
    assert done.stderr.strip().startswith("error: unknown parameter model.widht; known are")


@pytest.mark.parametrize(
    "text, other",
    [("x1 - 0.9*exp(x2) + 0.3", False), ("x1 - 1.002*exp(x2) + 0.3", True), ("", False)],
)
def test_rows_that_would_be_written_otherwise_are_told(root, rng, text, other):
    """The points obey the first equation but for its factor in the second, which is 1 there."""
    x = rng.uniform(0.0, 2.0, 200)
    factor = 0.9 if "0.9" in text else 1.0
    cloud = np.column_stack([factor * np.exp(x) - 0.3, x]) + 0.01 * rng.standard_normal((200, 2))
    assert tool(root, "carry_over").rewritten(text, cloud) == other
