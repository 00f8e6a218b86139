"""A package imports from packages before it only; the library knows neither papermill nor dvc."""

import ast
from pathlib import Path

import pytest

# the first five are modules of their own, which know nothing of equations
PACKAGES = [
    "params", "sources", "files", "processor", "threads", "expr", "zeroset", "fit", "data", "network",
    "search", "discovery", "baselines", "experiments", "report",
]  # fmt: skip
SOURCE = Path(__file__).resolve().parents[2] / "src" / "pie"
MODULES = sorted(p for p in SOURCE.rglob("*.py") if p.parent != SOURCE or p.stem in PACKAGES)


def package_of(path: Path) -> str:
    """The first part of a module's name below pie."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imports(text: str, path: Path) -> set[str]:
    """Packages of pie, and others by their own name with a dot in front, that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {f".{alias.name.partition('.')[0]}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(f".{node.module.partition('.')[0]}")
        elif isinstance(node, ast.ImportFrom):
            folder = path.parents[node.level - 1]
            inside = [*folder.relative_to(SOURCE).parts, *(node.module or "").split(".")]
            given = [alias.name for alias in node.names if alias.name != "__version__"]
            names = [inside[0]] if inside[0] else given
            found |= set(names)
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_imports_come_from_packages_before_and_not_from_a_pipeline(path):
    place, found = PACKAGES.index(package_of(path)), imports(path.read_text(), path)
    assert not found & {".papermill", ".dvc", ".pie"}
    for name in found:
        if not name.startswith("."):
            assert PACKAGES.index(name) <= place, f"{path.stem} imports from {name}, which is later"


def test_an_import_from_a_later_package_is_seen():
    text = "from ..experiments import metrics\nfrom .. import sources\nimport dvc.api"
    assert imports(text, SOURCE / "fit/x.py") == {"experiments", "sources", ".dvc"}
