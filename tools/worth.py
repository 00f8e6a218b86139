"""What parts of *PIE+* are worth: right answers without them, on problems that may guide choices.

    python tools/worth.py nothing numbers sheet crossing+sheet --first 430000
    python tools/worth.py nothing outliers --first 450000 --outliers 0.2

What is left out is named as in params.yaml (``inference_plus.proposers`` and ``.prices``, or
``outliers``: the second search without them), several at once with a plus between. Per search: of
the measured tables for choices, how often the textbook's relation is first and among
the answers, and how many tables without one get a law; right skeletons of problems of 08_plus from
another item on (``--first``: take items on which no choice was made), by noise, and of the same
with a share of outliers (``--outliers``); of *wild*, recovered without noise, and right skeletons
with 1 %. Answers are kept in build/worth, so that an interrupted run goes on.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from pie.data.benchmarks import Problem, load, noisy
from pie.data.conditions import under
from pie.experiments.evaluation import evaluate
from pie.experiments.fresh import fresh_problems
from pie.experiments.measured import answered, read_tables
from pie.experiments.methods import Setting
from pie.experiments.settings import load_settings
from pie.search.plus import PlusConfig
from pie.search.price import Prices

ROOT = Path(__file__).resolve().parent.parent
NOISE = (0.0, 0.01, 0.05)  # of the spread of each column
OUTLIERS = "outliers"
PRICES = [field.name for field in fields(Prices) if field.name != "resolution"]


def without(config: PlusConfig, names: str) -> PlusConfig:
    """The search without some proposers or prices, as ``numbers`` or ``crossing+sheet``."""
    for name in names.split("+") if names != "nothing" else ():
        if name in config.proposers:
            config = replace(config, proposers=tuple(p for p in config.proposers if p != name))
        elif name in PRICES:
            config = replace(config, prices=replace(config.prices, **{name: 0.0}))
        elif name == OUTLIERS:
            config = replace(config, outliers=0.0)
        else:
            known = ", ".join((*config.proposers, *PRICES, OUTLIERS))
            raise ValueError(f"{name!r} is no part of the search; known are {known}")
    return config


def on_tables(setting: Setting, workers: int) -> dict[str, int]:
    """Counts on the measured tables for choices."""
    tables = [replace(t, units=()) for t in read_tables(ROOT / "data/measured")]
    rows = pd.DataFrame(
        Parallel(workers)(
            delayed(answered)(table, setting.weights_plus, setting.inference_plus)
            for table in tables if table.part == "choice"
        )
    )  # fmt: skip
    asked, null = rows[rows.law], rows[~rows.law]
    return {
        f"first of {len(asked)}": (asked.place == 0).sum(),
        f"among of {len(asked)}": (asked.place >= 0).sum(),
        f"false of {len(null)}": null.is_law.sum(),
    }


def on_problems(
    setting: Setting, problems: Sequence[Problem], score: str, name: str, workers: int
) -> dict[str, int]:
    """How many problems have a score."""
    rows = evaluate(setting, ["PIE+"], problems, workers, ROOT / "build/worth")
    return {f"{name} of {len(rows)}": sum(int(row.score(score)) for row in rows)}


def main() -> None:
    """Search, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="+", help="what is left out, each in a search of its own")
    parser.add_argument("--first", type=int, required=True, help="item that begins the problems")
    parser.add_argument("--each", type=int, default=25, help="per corpus, noise and variables")
    parser.add_argument(
        "--outliers", type=float, default=0.0, help="share of these problems' points"
    )
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    settings, models = load_settings(ROOT / "params.yaml"), ROOT / "data/models"
    try:
        searches = {names: without(settings.inference_plus, names) for names in options.parts}
    except ValueError as error:
        parser.error(str(error))
    benchmarks = ROOT / "data/benchmarks"
    fresh = fresh_problems(settings, benchmarks, NOISE, options.each, options.first)
    levels = [problem.sampling.partition("noise ")[2] for problem in fresh]
    asked = [
        ([p for p, of in zip(fresh, levels, strict=True) if of == level], "skeleton",
         f"noise {level or 0}")
        for level in dict.fromkeys(levels)
    ]  # fmt: skip
    if options.outliers:
        asked += [
            ([under(p, OUTLIERS, options.outliers) for p in these], score, f"{name}, outliers")
            for these, score, name in asked
        ]
    wild = load(benchmarks, "wild")
    asked.append((wild, "recovered", "wild"))
    asked.append(([noisy(p, 0.01) for p in wild], "skeleton", "wild, noise 0.01"))
    for names, config in searches.items():
        setting = Setting(models / "pie", models / "pie-plus", settings.inference, config)
        line = on_tables(setting, options.workers)
        for problems, score, name in asked:
            line |= on_problems(setting, problems, score, name, options.workers)
        counts = ", ".join(f"{name} {value}" for name, value in line.items())
        print(f"without {names}: {counts}", flush=True)


if __name__ == "__main__":
    main()
