"""Laws of two columns, in a table with a third one: is the law the answer, and what of the third?

    python tools/idle_columns.py
    python tools/idle_columns.py --truths

A table has 15 to 60 rows of one of six laws, with noise of 3, 6 or 12 % of the spread of y, and a
column z that has nothing to do with it: a category from 1 to 5, measurements, or the order of the
rows. *held*: some equation with z passes for a law; *shown*: it is printed as one.
With ``--truths``: of the problems of *wild* with three columns, how many true equations pass for a
law, by rows and noise, and how many would without the test that each column plays a part.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse

import numpy as np
import pandas as pd

from pie.data.benchmarks import load
from pie.discovery.certificate import certify
from pie.discovery.laws import discover
from pie.experiments.journal import in_order
from pie.experiments.settings import project_root

LAWS = {
    "y = 3x": lambda x: 3.0 * x,
    "y = 2x + 1": lambda x: 2.0 * x + 1.0,
    "y = x^1.5": lambda x: x**1.5,
    "y = exp(0.7x)": lambda x: np.exp(0.7 * x),
    "y = 4/x": lambda x: 4.0 / x,
    "y = 5x/(1 + x)": lambda x: 5.0 * x / (1.0 + x),
}
IDLE = {
    "category": lambda n, rng: rng.integers(1, 6, n).astype(float),
    "measured": lambda n, rng: rng.uniform(0.0, 10.0, n).round(2),
    "order": lambda n, rng: np.arange(1.0, n + 1.0),
}
NOISE = (0.03, 0.06, 0.12)  # of the spread of y


def answer(seed: int) -> dict:
    """A row: what was drawn, whether the best law is of x and y, and whether some law holds z."""
    rng = np.random.default_rng([77, seed])
    law, idle = [*LAWS][seed % len(LAWS)], [*IDLE][seed // len(LAWS) % len(IDLE)]
    n, noise = int(rng.integers(15, 61)), float(rng.choice(NOISE))
    x = rng.uniform(0.5, 4.0, n)
    y = LAWS[law](x)
    y = y + noise * np.std(y) * rng.standard_normal(n)
    table = {"x": x.round(3), "y": y.round(3), "z": IDLE[idle](n, rng)}
    found = discover(table, workers=1, seconds=np.inf)
    best = found.best
    return {
        "law": law, "idle": idle, "rows": n, "noise": noise, "seed": seed, "best": repr(best),
        "two": best is not None and best.names == ("x", "y"),
        "held": any("z" in one.names and one.certificate.law for one in found.candidates),
        "shown": any("z" in one.names for one in found.laws),
    }  # fmt: skip


def truths() -> pd.DataFrame:
    """Certificates of true equations at some of their points with noise, a row for each."""
    rows = []
    problems = load(project_root() / "data/benchmarks", "wild")
    for problem in (p for p in problems if p.n_variables == 3):
        for n in (8, 12, 20, 30, 200):
            for noise in (0.0, 0.01, 0.05, 0.1):
                rng = np.random.default_rng(5)
                points = problem.points[rng.permutation(len(problem.points))[:n]]
                points = points + noise * points.std(axis=0) * rng.standard_normal(points.shape)
                found = certify(problem.truth, points)
                without = found.law or bool(found.apart)
                rows.append({"rows": n, "noise": noise, "law": found.law, "without": without})
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 36), help="first, and one after")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--truths", action="store_true")
    options = parser.parse_args()
    if options.truths:
        rows = truths()
        print(rows.groupby(["rows", "noise"])[["law", "without"]].sum().to_string())
        return
    jobs = [(seed,) for seed in range(*options.seeds)]
    rows = pd.DataFrame(in_order(answer, jobs, options.workers, "tables"))
    for row in rows[~rows.two].itertuples():
        print(f"seed {row.seed}, {row.law}, {row.rows} rows, noise {row.noise:g}: {row.best}")
    print(rows.groupby("idle")[["two", "held", "shown"]].sum().to_string())
    two, held, shown = rows[["two", "held", "shown"]].sum()
    print(f"{len(rows)} tables: {two} with a law of x and y first, z held in {held}, shown in {shown}")


if __name__ == "__main__":
    main()
