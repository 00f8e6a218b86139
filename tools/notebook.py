"""Run one notebook with papermill and the parameters of params.yaml.

    python tools/notebook.py 04_evaluation           # look at the rows that are there
    python tools/notebook.py 04_evaluation pie plus  # find these parts of the rows
    python tools/notebook.py --show 04_evaluation …  # the outputs that notebooks/ shows, again

The section ``notebooks.evaluation`` of params.yaml (the name without its number) goes into the
notebook's parameters cell, whole. A parameter that the notebook does not declare is refused. With
parts, the parameter ``run`` is these, and the cells after the one tagged ``run`` are left out. The
executed copy goes to reports/notebooks, stripped of times and ids so that the same
run gives the same bytes.
"""

import no_uris  # noqa: F401 - before nbformat

# isort: split
import ast
import logging
import os
import sys
import uuid
from pathlib import Path

import nbformat
import papermill
from nbclient import NotebookClient
from notebook_code import run_part

from pie.experiments.settings import load_settings
from pie.files import whole
from pie.params import read_yaml

ROOT = Path(__file__).resolve().parent.parent
OUT = Path("reports/notebooks")


def parameters_for(name: str, params: Path = ROOT / "params.yaml") -> dict:
    """The notebook's section of params.yaml, checked against what the notebook declares."""
    section = name.partition("_")[2]
    given = read_yaml(params).get("notebooks", {}).get(section, {})
    declared = papermill.inspect_notebook(str(ROOT / "notebooks" / f"{name}.ipynb"))
    for key in given:
        if key not in declared:
            raise ValueError(
                f"unknown parameter notebooks.{section}.{key}; the notebook declares "
                f"{', '.join(declared)}"
            )
        usual = ast.literal_eval(declared[key]["default"])
        kinds = (int, float) if isinstance(usual, float) else (type(usual),)
        if type(given[key]) not in kinds:
            raise ValueError(
                f"notebooks.{section}.{key} is {given[key]!r}; expected {type(usual).__name__}"
            )
    return given


def strip(path: Path) -> None:
    """Remove what differs between two equal runs: ids, times, versions, papermill's own metadata.

    Also what a cell says about speed: its outputs are not compared by nbval either.
    """
    notebook = nbformat.read(path, 4)
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for i, cell in enumerate(notebook.cells):
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []
        cell["id"] = uuid.uuid5(uuid.NAMESPACE_OID, f"{path.stem}-{i}").hex[:8]
    nbformat.write(notebook, path)


def execute(name: str, parts: list[str]) -> None:
    """Run all of a notebook, or what finds some parts of its results."""
    source, copy, parameters = Path(f"notebooks/{name}.ipynb"), name, parameters_for(name)
    if parts:
        copy, parameters = "-".join([name, *parts]), {**parameters, "run": parts}
        notebook = nbformat.read(source, 4)
        notebook.cells = run_part(notebook.cells)
        source = OUT / f".{copy}-source.ipynb"
        nbformat.write(notebook, source)
    partial = OUT / f".{copy}.ipynb"
    papermill.execute_notebook(
        str(source), str(partial), parameters=parameters,
        kernel_name="python3", cwd=".", progress_bar=sys.stderr.isatty(),
        stderr_file=sys.stderr if parts else None,
    )  # fmt: skip
    strip(partial)
    partial.replace(OUT / f"{copy}.ipynb")


def show(name: str) -> None:
    """Run a notebook with its own parameters, in its place, without the times of its cells."""
    path = ROOT / "notebooks" / f"{name}.ipynb"
    notebook = nbformat.read(path, 4)
    NotebookClient(notebook, kernel_name="python3", record_timing=False).execute(cwd=str(ROOT))
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    with whole(path) as made:
        nbformat.write(notebook, made)


def main() -> None:
    """Run the notebook named on the command line."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.chdir(ROOT)
    if sys.argv[1] == "--show":
        for name in sys.argv[2:]:
            show(name)
        return
    logging.getLogger("papermill").setLevel(logging.WARNING)
    try:  # before a notebook starts, which takes longer
        load_settings(ROOT / "params.yaml")
        parameters_for(sys.argv[1])
    except ValueError as error:
        sys.exit(f"error: params.yaml: {error}")
    OUT.mkdir(parents=True, exist_ok=True)
    execute(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    main()
