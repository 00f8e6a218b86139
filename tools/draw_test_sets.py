"""Draw the points of the test sets from their equations (done once; the files are committed).

    python tools/draw_test_sets.py feynman synthetic_printed synthetic wild field

Writes NAME.npz beside NAME.csv, and for ``field`` the way and the noise of each law into the CSV.
The committed points are the test sets. This overwrites them, and the engine has changed since: 3 of
the 80 clouds of ``synthetic`` come out otherwise.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from pie.data.benchmarks import (
    NAMES,
    UNITS,
    WILD_WAYS,
    Law,
    draw_points,
    read_equations,
    read_laws,
    read_rows,
)
from pie.data.field import POINTS, law_of
from pie.data.sampling import WAYS, Unsampled, add_noise

DATA = Path(__file__).resolve().parent.parent / "data"
DECADES = 3.0  # units are log-uniform in 1e-3 to 1e3
NOISE = 0.003, 0.1  # least and greatest, of each column's standard deviation; log-uniform


def write_points(folder: Path, name: str, n_points: int = 200, seed: int = 2024) -> None:
    """Points of a test set of :data:`pie.data.benchmarks.NAMES`, as in the paper."""
    equations = read_equations(folder, name).items()
    points = {key: draw_points(f, n_points, seed + i) for i, (key, f) in enumerate(equations)}
    np.savez_compressed(folder / f"{name}.npz", **points)


def draw_wild(law: Law, way: str, n_points: int, rng: np.random.Generator) -> np.ndarray:
    """Sample a law inside its box by a scheme of :mod:`pie.data.sampling`, (N, D).

    ``patch`` and ``trajectory`` may return as few as N/2 points. Unsampled after 60 attempts.
    """
    found = np.empty((0, len(law.box.low)))
    whole = way in ("patch", "trajectory")  # they must come from a single draw
    for _ in range(60):
        try:
            points = WAYS[way](law.equation, n_points, law.box, rng)
        except Unsampled:
            continue
        points = points[law.box.contains(points)]
        found = points if whole else np.concatenate([found, points])
        if len(found) >= (n_points // 2 if whole else n_points):
            return found[:n_points]
    raise Unsampled(f"{law.law_id} cannot be drawn as {way}")


def write_wild(folder: Path, seed: int = 2025) -> None:
    stored = {}
    for i, law in enumerate(read_laws(folder)):
        for k, (way, n_points) in enumerate(WILD_WAYS.items()):
            rng = np.random.default_rng([seed, i, k])
            points = draw_wild(law, "free_box" if way == UNITS else way, n_points, rng)
            if way == UNITS:
                units = 10.0 ** rng.uniform(-DECADES, DECADES, points.shape[1])
                stored[f"{law.law_id}-{way}-scale"] = units
                points = points * units
            stored[f"{law.law_id}-{way}"] = points
    np.savez_compressed(folder / "wild.npz", **stored)


def write_field(folder: Path, seed: int = 2026) -> None:
    rows, stored = read_rows(folder / "field.csv"), {}
    least, greatest = np.log(NOISE)
    for i, row in enumerate(rows):
        rng = np.random.default_rng([seed, i])
        row["way"] = str(rng.choice([*POINTS]))
        row["noise"] = f"{np.exp(rng.uniform(least, greatest)):.2g}"
        points = draw_wild(law_of(row), row["way"], POINTS[row["way"]], rng)
        stored[row["id"]] = add_noise(points, float(row["noise"]), rng)
    pd.DataFrame(rows).to_csv(folder / "field.csv", index=False, lineterminator="\n")
    np.savez_compressed(folder / "field.npz", **stored)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="+", choices=[*NAMES, "wild", "field"])
    for name in parser.parse_args().names:
        if name == "field":
            write_field(DATA / "field")
        elif name == "wild":
            write_wild(DATA / "benchmarks")
        else:
            write_points(DATA / "benchmarks", name)


if __name__ == "__main__":
    main()
