"""What every stage runs, as digests in build/code, so that prose re-runs nothing.

A file has a line for the code of a notebook, and one for each module that it imports, with all that
these import. ``NAME`` is of all cells. Where a cell is tagged ``run``, ``NAME-run`` is of the cells
up to it, which is what a stage executes that trains or searches (tools/notebook.py), and
``NAME-plus`` the same for the rows of that part (pie.experiments.parts), without other parts' code.
"""

import ast
import hashlib
from pathlib import Path

import nbformat

from pie import HOMES
from pie.experiments.parts import OTHERS
from pie.sources import digests, imports, tree_of

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {"page": "tools/page.py", "sensitivity": "src/pie/experiments/sensitivity.py"}
SETTINGS = {"experiments.settings"}  # stages name the sections of params.yaml that they take


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


def main(root: Path = ROOT) -> None:
    """Write build/code."""
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
    out = root / "build/code"
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text)


if __name__ == "__main__":
    main()
