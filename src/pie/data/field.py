"""Test set ``field``: laws of science as they are measured, each with a noise of its own.

Laws of two or three columns in forms that no other test set has. The way in which points come and
the level of the noise were drawn once for each. Written before the search for noisy laws was
improved; run when a version is finished, and every run is kept (docs/results.md).
"""

import csv
from pathlib import Path

import numpy as np

from .benchmarks import UNITS, WILD_WAYS, Law, Problem, draw_wild, read_rows
from .sampling import add_noise

FOLDER = Path("data/field")
NAME = "field"
POINTS = {way: n for way, n in WILD_WAYS.items() if way != UNITS}
NOISE = 0.003, 0.1  # least and greatest, of each column's standard deviation; log-uniform


def _law(row: dict[str, str]) -> Law:
    low, high = (np.array(row[end].split(";"), float) for end in ("low", "high"))
    return Law.of(row["id"], low, high, row)


def field(folder: Path = FOLDER) -> list[Problem]:
    """The laws with their noisy points, in the order of the file.

    >>> problem = field()[0]
    >>> print(problem.truth, problem.sampling, sep=": ")
    x2 - 2.0 - 9.0*x1**2/(6.0 + x1**2): trajectory, 100 points, noise 2.8 %
    """
    problems = []
    with np.load(Path(folder) / "field.npz") as stored:
        for row in read_rows(Path(folder) / "field.csv"):
            law, points = _law(row), stored[row["id"]]
            noise = f"noise {100.0 * float(row['noise']):g} %"
            about = f"{row['way']}, {len(points)} points, {noise}"
            problems.append(Problem(NAME, law.law_id, law.equation, points, law.box, about))
    return problems


def write_field(folder: Path, seed: int = 2026) -> None:
    """Draw the way, the noise and the points of each law (run once; the files are committed)."""
    rows, stored = read_rows(Path(folder) / "field.csv"), {}
    least, greatest = np.log(NOISE)
    for i, row in enumerate(rows):
        rng = np.random.default_rng([seed, i])
        row["way"] = str(rng.choice([*POINTS]))
        row["noise"] = f"{np.exp(rng.uniform(least, greatest)):.2g}"
        points = draw_wild(_law(row), row["way"], POINTS[row["way"]], rng)
        stored[row["id"]] = add_noise(points, float(row["noise"]), rng)
    with open(Path(folder) / "field.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    np.savez_compressed(Path(folder) / "field.npz", **stored)
