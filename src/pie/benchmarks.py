"""Test sets: equations with their points, committed under data/benchmarks.

``feynman`` (Table 7, 39 distinct equations), ``synthetic_printed`` (the 50 of
Table 8), ``synthetic`` (80 from our own generator).
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .expression import Expression, parse
from .sampling import Unsampled, paper_points

NAMES = ("feynman", "synthetic_printed", "synthetic")


@dataclass(frozen=True)
class Problem:
    """One equation to be found, with its points (N, D)."""

    benchmark: str
    equation_id: str
    truth: Expression
    points: np.ndarray

    @property
    def n_variables(self) -> int:
        """D: the columns of the points."""
        return self.points.shape[1]


def read_equations(folder: Path, name: str) -> dict[str, Expression]:
    """Equations of a test set by id."""
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        raise FileNotFoundError(f"no test set {name!r} in {folder}; known are {', '.join(NAMES)}")
    with open(path, newline="") as file:
        return {row["equation_id"]: parse(row["equation"]) for row in csv.DictReader(file)}


def load(folder: Path, name: str) -> list[Problem]:
    """A test set with its committed points, in the order of its CSV."""
    equations = read_equations(folder, name)
    with np.load(Path(folder) / f"{name}.npz") as points:
        return [Problem(name, key, truth, points[key]) for key, truth in equations.items()]


def draw_points(equation: Expression, n_points: int, seed: int) -> np.ndarray:
    """Points the paper's way, redrawing the coordinate until one gives N points."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        try:
            return paper_points(equation, n_points, len(equation.variables), rng, max_trials=50)
        except Unsampled:
            continue
    raise Unsampled(f"{equation} gave no {n_points} points in 100 attempts")


def write_points(folder: Path, name: str, n_points: int = 200, seed: int = 2024) -> None:
    """Draw and store the points of a test set (done once; the file is committed)."""
    equations = read_equations(folder, name)
    points = {
        key: draw_points(equation, n_points, seed + i)
        for i, (key, equation) in enumerate(equations.items())
    }
    np.savez_compressed(Path(folder) / f"{name}.npz", **points)
