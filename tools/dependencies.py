"""Keep dvc.yaml's lists of modules as the imports of notebooks and of `pie.experiments.sensitivity` say.

    python tools/dependencies.py

rewrites the `src/pie/...` entries of every stage that runs a notebook, or a module by `python -m`.
A notebook's stage depends on the modules that it imports and on all that these import; of
`pie.report`, which computes nothing, on the modules for drawing only; not on `pie.experiments.settings`, since
stages name their sections of params.yaml.
"""

import ast
import re
from pathlib import Path

import nbformat

from pie import HOMES
from pie.sources import sources

ROOT = Path(__file__).resolve().parent.parent
APART = {"settings", "params"}
STYLE = "src/pie/report/pie.mplstyle"


def imported(code: str) -> set[str]:
    """Modules of pie that a notebook's code imports, as ``report.tables``."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pie":
            inside = node.module.partition(".")[2]
            named = [alias.name for alias in node.names]
            whole = not inside or (ROOT / "src/pie" / inside.replace(".", "/")).is_dir()
            found |= {f"{inside}.{n}".strip(".") for n in named} if whole else {inside}
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "pie":
            found.add(HOMES[node.attr])
    return found - APART


def needed(modules: set[str]) -> list[str]:
    """Files that these modules depend on, from the project's root."""
    drawing = {m for m in modules if m.startswith("report.")}
    files = [path.relative_to(ROOT).as_posix() for path in sources(sorted(modules - drawing))]
    of_report = [path.relative_to(ROOT).as_posix() for path in sources(sorted(drawing))]
    files += [name for name in of_report if name.startswith("src/pie/report/")]
    return sorted(set(files) | ({STYLE} if drawing else set()))


def modules_of(stage: str) -> set[str] | None:
    """What a stage of dvc.yaml imports, from its text; None where it runs no notebook or module."""
    if found := re.search(r"build/code/(\w+)\.py", stage):
        cells = nbformat.read(ROOT / f"notebooks/{found[1]}.ipynb", 4).cells
        return imported("\n".join(c.source for c in cells if c.cell_type == "code"))
    if found := re.search(r"cmd: python -m pie\.(sensitivity) ", stage):
        return {found[1]}
    return None


def updated(text: str) -> str:
    """The text of dvc.yaml with the lists as they should be."""
    parts = re.split(r"(?m)^(?=  \w+:$)", text)
    for i, part in enumerate(parts):
        modules = modules_of(part)
        if modules:
            lines = [f"      - {name}\n" for name in needed(modules)]
            kept = re.sub(r"(?m)^      - src/pie/.*\n", "", part)
            end = re.search(r"    deps:\n(?:      - .*\n)+", kept).end()
            parts[i] = kept[:end] + "".join(lines) + kept[end:]
    return "".join(parts)


if __name__ == "__main__":
    path = ROOT / "dvc.yaml"
    path.write_text(updated(path.read_text()))
