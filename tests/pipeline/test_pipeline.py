"""The pipeline's own promises: notebooks, runner, lock, and what is committed."""

import importlib.util
import re
import subprocess
import sys

import nbformat
import pytest
import yaml

NOTEBOOKS = (
    "00_discover", "01_generation", "02_pretraining", "03_baselines", "04_evaluation",
    "05_robustness", "06_sensitivity", "07_paper", "08_plus", "09_equal_time", "10_no_law",
)  # fmt: skip


def tool(root, name):
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
def test_params_fit_the_notebook(root, name):
    assert tool(root, "notebook").parameters_for(name)


def test_a_parameter_that_the_notebook_does_not_declare_is_refused(root, tmp_path):
    content = yaml.safe_load((root / "params.yaml").read_text())
    content["notebooks"]["01_generation"]["n_equation"] = 3
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(ValueError, match=r"unknown parameter notebooks\.01_generation\.n_equation"):
        tool(root, "notebook").parameters_for("01_generation", tmp_path / "params.yaml")


def test_prose_does_not_change_the_code_that_stages_depend_on(root, tmp_path):
    code_of = tool(root, "notebook_code").code_of
    path = root / "notebooks/04_evaluation.ipynb"
    notebook = nbformat.read(path, 4)
    before = code_of(path)
    next(c for c in notebook.cells if c.cell_type == "markdown").source += " More prose."
    for cell in notebook.cells:
        cell.pop("outputs", None) if cell.cell_type == "markdown" else cell.update(outputs=[])
    nbformat.write(notebook, tmp_path / "other.ipynb")
    assert code_of(tmp_path / "other.ipynb") == before
    next(c for c in notebook.cells if c.cell_type == "code").source += "\nx = 1"
    nbformat.write(notebook, tmp_path / "other.ipynb")
    assert code_of(tmp_path / "other.ipynb") != before


def test_stages_name_files_that_exist_and_costly_ones_depend_on_code_not_prose(root):
    stages = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    assert list(stages)[:3] == ["code", "generation", "pretraining"]
    outs = {next(iter(o)) if isinstance(o, dict) else o for s in stages.values() for o in s["outs"]}
    for name, stage in stages.items():
        for dep in stage["deps"]:
            made = any(dep == o or dep.startswith(f"{o}/") for o in outs)
            assert made or (root / dep).exists(), f"{name} depends on {dep}"
            assert not dep.endswith(".ipynb"), f"{name} depends on the prose of {dep}"


def test_stages_list_the_modules_that_they_import(root):
    """A stage whose listed modules import an unlisted one would miss its changes."""
    from test_floors import FLOOR, imports

    stages = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    for name in ("pretraining", "pretraining_plus", "pretraining_small"):
        listed = {
            d.removeprefix("src/pie/").removesuffix(".py")
            for d in stages[name]["deps"]
            if "src/pie" in d
        }
        needed = set().union(*(imports(root / f"src/pie/{m}.py") for m in listed)) & FLOOR.keys()
        assert needed - listed <= {"params", "benchmarks", "expression"}, (
            f"{name}: {needed - listed}"
        )


def test_stages_list_all_that_their_notebook_runs_on(root):
    """As `python tools/dependencies.py` writes them."""
    dependencies, text = tool(root, "dependencies"), (root / "dvc.yaml").read_text()
    assert dependencies.updated(text) == text
    without = text.replace("      - src/pie/fit/fitness.py\n", "").replace(
        "- src/pie/discovery/laws.py", "- src/pie/discovery/cli.py"
    )
    assert dependencies.updated(without) == text


def test_what_a_notebook_imports_is_found_by_every_way_of_importing(root):
    code = "import pie\nfrom pie.report import tables\nfrom pie.baselines.genetic import x\npie.discover(1)"
    dependencies = tool(root, "dependencies")
    assert dependencies.imported(code) == {"report.tables", "baselines.genetic", "laws"}
    files = dependencies.needed({"report.tables", "kernel"})
    assert "src/pie/report/style.py" not in files and "src/pie/data/corpus.py" not in files
    assert {"src/pie/report/tables.py", "src/pie/expr/vector_math.py"} <= set(files)


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


def test_the_readme_shows_the_table_that_the_pipeline_made(root):
    readme, tables = (root / "README.md").read_text(), tool(root, "readme")
    assert tables.updated(readme, tables.table(root)) == readme


def test_pretraining_says_what_is_wrong_in_one_line(root, tmp_path):
    (tmp_path / "params.yaml").write_text("model: {widht: 3}\n")
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
