"""Test sets: equations with their points, as tools/draw_test_sets.py drew them.

``feynman`` (Table 7, 39 distinct equations), ``synthetic_printed`` (the 50 of Table 8),
``synthetic`` (80 from our generator), ``wild`` (74 curves and laws in boxes, sampled in five ways).
"""

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..expr.coordinates import substituted
from ..expr.expression import Expression, parse
from ..zeroset.box import Box
from .sampling import Unsampled, add_noise, paper_points

NAMES = ("feynman", "synthetic_printed", "synthetic")
HELD_OUT = (*NAMES, "wild")  # excluded from every training corpus
UNITS = "units"  # as ``free_box``, then a random unit per column
WILD_WAYS = {"whole": 200, "free_box": 100, "patch": 60, "trajectory": 100, UNITS: 200}  # points
WIDE = 30.0  # a positive range of such a factor is drawn by its logarithm


@dataclass(frozen=True)
class Problem:
    """An equation with its points (N, D).

    ``box`` is where they were sampled, None for the paper's normal coordinates; ``sampling`` states
    the scheme and the noise.
    """

    benchmark: str
    equation_id: str
    truth: Expression
    points: np.ndarray
    box: Box | None = None
    sampling: str = "normal"

    @property
    def n_variables(self) -> int:
        return self.points.shape[1]


def read_rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_equations(folder: Path, name: str) -> dict[str, Expression]:
    """Equations of a test set by id; FileNotFoundError if there is no such set."""
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        known = ", ".join(sorted(one.stem for one in Path(folder).glob("*.csv")))
        raise FileNotFoundError(f"no test set {name!r} in {folder}; known are {known}")
    return {row["equation_id"]: parse(row["equation"]) for row in read_rows(path)}


class Law(NamedTuple):
    """A curve or law and the box in which it is observed."""

    law_id: str
    equation: Expression
    box: Box

    @classmethod
    def of(cls, law_id: str, equation: str, low: np.ndarray, high: np.ndarray) -> "Law":
        """From the text of the equation and the ends of the box (D,)."""
        wide = bool(np.all(low > 0.0) and np.any(high / low > WIDE))
        box = Box(np.log(low), np.log(high), True) if wide else Box(low, high)
        return cls(law_id, parse(equation), box)


def read_laws(folder: Path) -> list[Law]:
    """The laws of ``wild``. The CSV gives a box as ``low:high`` per variable."""
    laws = []
    for row in read_rows(Path(folder) / "wild.csv"):
        ends = np.array([side.split(":") for side in row["box"].split(";")], float)
        laws.append(Law.of(row["equation_id"], row["equation"], *ends.T))
    return laws


def load(folder: Path, name: str) -> list[Problem]:
    """Problems in the order of the CSV; of ``wild`` one per law and scheme, as ``W01-whole``."""
    equations = read_equations(folder, name)
    with np.load(Path(folder) / f"{name}.npz") as stored:
        if name == "wild":
            return [_drawn(law, way, stored) for law in read_laws(folder) for way in WILD_WAYS]
        return [Problem(name, key, truth, stored[key]) for key, truth in equations.items()]


def _drawn(law: Law, way: str, stored) -> Problem:
    key = f"{law.law_id}-{way}"
    points, truth, box = stored[key], law.equation, law.box
    if way == UNITS:
        units = stored[f"{key}-scale"]
        truth = substituted(truth, np.zeros(len(units)), units)
        if box.logarithmic:
            box = Box(box.low + np.log(units), box.high + np.log(units), True)
        else:
            box = Box(box.low * units, box.high * units)
    return Problem("wild", key, truth, points, box, f"{way}, {len(points)} points")


def draw_points(equation: Expression, n_points: int, seed: int) -> np.ndarray:
    """Sample as in the paper, (N, D); Unsampled after 100 attempts."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        try:
            return paper_points(equation, n_points, rng, max_trials=50)
        except Unsampled:
            continue
    raise Unsampled(f"{equation} gave no {n_points} points in 100 attempts")


def noise_rng(problem: Problem) -> np.random.Generator:
    """Random generator of a problem, the same at every noise level."""
    return np.random.default_rng([0, *problem.equation_id.encode()])


def noisy(problem: Problem, level: float) -> Problem:
    """Add normal noise to every coordinate, ``level`` standard deviations of its column."""
    points = add_noise(problem.points, level, noise_rng(problem))
    return replace(problem, points=points, sampling=f"{problem.sampling}, noise {100 * level:g} %")
