"""Test set ``field``: laws of science as they are measured, each with a noise of its own.

Laws of two or three columns in forms that no other test set has. The way in which points come and
the level of the noise were drawn once for each (tools/draw_test_sets.py). Written before the search
for noisy laws was improved; run when a version is finished, and every run is kept
(docs/results.md).
"""

from pathlib import Path

import numpy as np

from .benchmarks import UNITS, WILD_WAYS, Law, Problem, read_rows

FOLDER = Path("data/field")
POINTS = {way: n for way, n in WILD_WAYS.items() if way != UNITS}


def law_of(row: dict[str, str]) -> Law:
    """The law in a row of field.csv."""
    low, high = (np.array(row[end].split(";"), float) for end in ("low", "high"))
    return Law.of(row["id"], row["equation"], low, high)


def field(folder: Path = FOLDER) -> list[Problem]:
    """The laws with their noisy points, in the order of the file.

    >>> problem = field()[0]
    >>> print(problem.truth, problem.sampling, sep=": ")
    x2 - 2.0 - 9.0*x1**2/(6.0 + x1**2): trajectory, 100 points, noise 2.8 %
    """
    problems = []
    with np.load(Path(folder) / "field.npz") as stored:
        for row in read_rows(Path(folder) / "field.csv"):
            law, points = law_of(row), stored[row["id"]]
            noise = f"noise {100.0 * float(row['noise']):g} %"
            about = f"{row['way']}, {len(points)} points, {noise}"
            problems.append(Problem("field", law.law_id, law.equation, points, law.box, about))
    return problems
