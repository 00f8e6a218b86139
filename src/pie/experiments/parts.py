"""Result rows in three files: *PIE*, *PIE+*, baselines.

A change of the settings or the code of one part leaves the rows of the others valid.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..data.benchmarks import Problem
from .answers import Contest
from .evaluation import Row, evaluate, read_rows, write_rows

# by part: modules that only the other parts depend on
OTHERS = {
    "pie": ("search.plus", "baselines.methods"),
    "plus": ("baselines.methods",),
    "baselines": ("search.plus", "search.algorithm2"),
}


def part_of(method: str) -> str:
    """The part of a method.

    >>> [part_of(method) for method in ("PIE (Vanilla)", "PIE+ (no network)", "Null space")]
    ['pie', 'plus', 'baselines']
    """
    if method.startswith("PIE+"):
        return "plus"
    return "pie" if method.startswith("PIE") else "baselines"


@dataclass(frozen=True)
class Task:
    """Methods and their problems; ``label`` is appended to the ``budget`` of the rows."""

    contest: Contest
    methods: Sequence[str]
    problems: Sequence[Problem]
    label: str = ""


def find(
    folder: Path,
    parts: Iterable[str],
    tasks: Sequence[Task],
    workers: int = 1,
    journals: Path | None = None,
    cluster: str = "",
) -> None:
    """Write ``folder/PART.csv`` with the rows of each part; ValueError quotes an unknown part."""
    for part in parts:
        if part not in OTHERS:
            raise ValueError(f"unknown part {part!r} of rows; known are {', '.join(OTHERS)}")
        rows = []
        for task in tasks:
            methods = [method for method in task.methods if part_of(method) == part]
            found = evaluate(task.contest, methods, task.problems, workers, journals, cluster)
            end = f", {task.label}" if task.label else ""
            rows += [replace(row, budget=row.budget + end) for row in found]
        write_rows(rows, Path(folder) / f"{part}.csv")


def read(folder: Path, parts: Iterable[str] = OTHERS) -> list[Row]:
    """Rows of those parts that the folder has, in the order of ``parts``."""
    paths = [Path(folder) / f"{part}.csv" for part in parts]
    return [row for path in paths if path.exists() for row in read_rows(path)]
