"""Extract the code cells of every notebook to build/code, one .py each.

Costly stages depend on these files, so that prose in a notebook re-runs nothing.
"""

from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent


def code_of(notebook: Path) -> str:
    """The code cells of a notebook, separated by blank lines."""
    cells = nbformat.read(notebook, 4).cells
    return "\n\n".join(c.source for c in cells if c.cell_type == "code") + "\n"


def main() -> None:
    """Write build/code/*.py."""
    out = ROOT / "build" / "code"
    out.mkdir(parents=True, exist_ok=True)
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        (out / f"{notebook.stem}.py").write_text(code_of(notebook))


if __name__ == "__main__":
    main()
