"""A module imports from lower floors only, and the library knows neither papermill nor dvc."""

import ast
from pathlib import Path

import pytest

FLOORS = [
    {"operators", "vector_math", "set_transformer", "beam_search", "fitness", "params",
     "checkpoint", "distributed", "sources", "spreads"},
    {"kernel"},
    {"derivatives"},
    {"expression", "bfgs"},
    {"refinement", "zero_set", "distance", "linear_form", "sympy_bridge", "vocabulary", "generator",
     "coordinates", "completion", "candidates", "measurements", "sampson", "crossings", "spans",
     "constants"},
    {"guards", "canonical", "sampling", "families", "model", "factors", "column_errors",
     "branches", "planes", "dictionary"},
    {"sampson_fits", "level_sets", "composites", "amplitudes", "benchmarks", "mixture", "views",
     "uncertainty"},
    {"corpus", "discovery", "search", "metrics", "degeneracy", "conditions", "null_clouds"},
    {"streaming", "plus", "answers", "validation", "objective", "certificate", "subsets"},
    {"pretraining", "evaluation", "result"},
    {"throughput", "paper_methods", "comparisons", "laws"},
    {"methods", "sensitivity", "cli", "regressor", "calibration"},
    {"ablation", "baselines"},
    {"settings"},
    {"report"},
]
FLOOR = {name: i for i, names in enumerate(FLOORS) for name in names}
SOURCE = Path(__file__).resolve().parent.parent / "src" / "pie"


def imports(path: Path) -> set[str]:
    """Modules of pie, and top-level packages, that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            inside = node.module.split(".")[0] if node.module else None
            found |= {inside} if inside else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.stem)
def test_imports_go_down_only(path):
    name = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if name == "__init__":
        assert not imports(path) & FLOOR.keys(), "what it offers is imported when asked for"
        return
    assert name in FLOOR, f"{name} stands on no floor"
    for other in imports(path) & FLOOR.keys() - {name}:
        assert FLOOR[other] < FLOOR[name], f"{name} (floor {FLOOR[name]}) imports {other}"
    assert not imports(path) & {"papermill", "dvc", "pydantic"}


def test_every_module_named_on_a_floor_exists():
    assert all((SOURCE / f"{n}.py").exists() or (SOURCE / n).is_dir() for n in FLOOR)
