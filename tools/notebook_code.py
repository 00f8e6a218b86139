"""What stages depend on: digests of code in build/code, sections of params.yaml in build/settings.

Prose in a notebook re-runs nothing. A file in build/code has a line for the code of a notebook, and
one for each module that it imports, with all that these import. ``NAME`` is of all cells. Where a
cell is tagged ``run``, ``NAME-run`` is of the cells up to it, which is what a stage executes that
trains or searches (tools/notebook.py), and ``NAME-plus`` the same for the rows of that part
(pie.experiments.parts), without other parts' code.

A section that changes re-runs the stages that depend on its file, and no others. Named under
``params``, DVC would copy its values into dvc.lock for each of these stages.
"""

import no_uris  # noqa: F401 - before nbformat

# isort: split
import ast
import hashlib
import json
from pathlib import Path

import nbformat

from pie import HOMES
from pie.experiments.parts import OTHERS
from pie.params import read_yaml
from pie.sources import digests, imports, tree_of

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {"page": "tools/page.py", "sensitivity": "src/pie/experiments/sensitivity.py"}
SETTINGS = {"experiments.settings"}  # stages name the sections of params.yaml that they take
NO_EFFECT = {"workers", "cluster", "results", "out", "recipes"}  # on what a notebook finds


def run_part(cells: list) -> list:
    """Cells up to the one tagged ``run``; none where no cell is."""
    tagged = [i for i, cell in enumerate(cells) if "run" in cell.metadata.get("tags", [])]
    return cells[: tagged[0] + 1] if tagged else []


def code_of(cells: list) -> str:
    """The code among cells, separated by blank lines."""
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")


def listing(code: str, package: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> str:
    """Lines of digest and name: of the code, then of each module that it runs on."""
    tree = tree_of(code)
    modules = imports(tree, package)
    modules |= {
        HOMES[node.attr]
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "pie"
        if node.attr in HOMES
    }
    if modules & SETTINGS:
        modules = modules - SETTINGS | {"params"}
    found = digests(modules, without)
    found["code"] = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return "".join(f"{found[name][:16]} {name}\n" for name in sorted(found))


def sections(params: dict) -> dict[str, str]:
    """Every section as JSON, whatever the order of its keys; of ``notebooks`` each one's own.

    >>> sections({"model": {"width": 8}, "notebooks": {"plus": {"each": 2, "workers": 4}}})
    {'model': '{"width": 8}', 'notebooks.plus': '{"each": 2}'}
    """
    found = {name: values for name, values in params.items() if name != "notebooks"}
    for name, values in params.get("notebooks", {}).items():
        kept = {key: value for key, value in values.items() if key not in NO_EFFECT}
        found[f"notebooks.{name}"] = kept
    return {name: json.dumps(values, sort_keys=True) for name, values in found.items()}


def write(texts: dict[str, str], folder: Path) -> None:
    """A file for each text."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)


def main(root: Path = ROOT) -> None:
    """Write build/code and build/settings."""
    texts = {}
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        cells = nbformat.read(path, 4).cells
        texts[path.stem] = listing(code_of(cells))
        if part := run_part(cells):
            texts[f"{path.stem}-run"] = whole = listing(code_of(part))
            for name, others in OTHERS.items() if "experiments.parts" in whole else ():
                texts[f"{path.stem}-{name}"] = listing(code_of(part), without=others)
    for name, path in COMMANDS.items():
        texts[name] = listing((root / path).read_text(), ("experiments",))
    write(texts, root / "build/code")
    write(sections(read_yaml(root / "params.yaml")), root / "build/settings")


if __name__ == "__main__":
    main()
