"""What parts of *PIE+* are worth: right answers of methods on problems that may guide choices.

    python tools/worth.py "PIE+" "PIE+ (no price of sheets)" --first 430000

Per method: of the measured tables of the half for choices, how often the textbook's relation is
first and among the answers, and how many tables without one get a law; right skeletons of problems
of 08_plus from another item on (``--first``: take items on which no choice was made), by noise;
of *wild*, recovered without noise, and right skeletons with 1 %. A number is of as many as the
heading says. Answers are kept in build/worth, so that an interrupted run goes on.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from pie.data.benchmarks import Problem, load, noisy
from pie.experiments.evaluation import evaluate
from pie.experiments.fresh import fresh_problems
from pie.experiments.measured import answered, read_tables
from pie.experiments.methods import Setting
from pie.experiments.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent
NOISE = (0.0, 0.01, 0.05)  # of the spread of each column


def on_tables(setting: Setting, method: str, workers: int) -> dict[str, str]:
    """Counts on the measured tables of the half for choices."""
    tables = [replace(t, units=()) for t in read_tables(ROOT / "data/measured")]
    rows = pd.DataFrame(
        Parallel(workers)(
            delayed(answered)(table, setting.weights_plus, setting.plus[method])
            for table in tables if table.half == "choice"
        )
    )  # fmt: skip
    asked, null = rows[rows.law], rows[~rows.law]
    return {
        f"first of {len(asked)}": (asked.place == 0).sum(),
        f"among of {len(asked)}": (asked.place >= 0).sum(),
        f"false of {len(null)}": null.is_law.sum(),
    }


def on_problems(
    setting: Setting, method: str, problems: Sequence[Problem], score: str, name: str, workers: int
) -> dict[str, float]:
    """How many problems have a score."""
    rows = evaluate(setting, [method], problems, workers, ROOT / "build/worth")
    return {f"{name} of {len(rows)}": sum(int(row.score(score)) for row in rows)}


def main() -> None:
    """Search, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("methods", nargs="+", help="as in notebooks/08_plus.ipynb")
    parser.add_argument("--first", type=int, required=True, help="item that begins the problems")
    parser.add_argument("--each", type=int, default=25, help="per corpus, noise and variables")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    settings = load_settings(ROOT / "params.yaml")
    models = ROOT / "data/models"
    setting = Setting(
        models / "pie", models / "pie-plus", settings.inference, settings.inference_plus
    )
    if unknown := [name for name in options.methods if name not in setting.plus]:
        parser.error(f"unknown method {unknown[0]!r}; known are {', '.join(setting.plus)}")
    wild = load(ROOT / "data/benchmarks", "wild")
    asked = [
        (fresh_problems(settings, ROOT / "data/benchmarks", [level], options.each, options.first),
         "skeleton", f"noise {level:g}")
        for level in NOISE
    ]  # fmt: skip
    asked += [
        (wild, "recovered", "wild"), ([noisy(p, 0.01) for p in wild], "skeleton", "wild, noise 0.01")
    ]  # fmt: skip
    for method in options.methods:
        line = {"method": method} | on_tables(setting, method, options.workers)
        for problems, score, name in asked:
            line |= on_problems(setting, method, problems, score, name, options.workers)
        print(", ".join(f"{name} {value}" for name, value in line.items()), flush=True)


if __name__ == "__main__":
    main()
