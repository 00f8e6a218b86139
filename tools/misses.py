"""Why *PIE+* misses problems (:mod:`pie.experiments.misses`), one by one.

    python tools/misses.py --first 250000 --each 25
    python tools/misses.py --set wild --noise 0.01
    python tools/misses.py --tables

Problems are those of notebooks/08_plus.ipynb from another item on, which is from then on used, or
those of a test set, which is from then on a development set, or the measured tables that may guide
choices, without their units.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from compare import problems
from joblib import Parallel, delayed
from tqdm import tqdm

from pie import discover
from pie.data.benchmarks import Problem, load, noisy
from pie.discovery.pretrained import from_pretrained
from pie.experiments.measured import MeasuredTable, is_textbooks, read_tables
from pie.experiments.metrics import right_skeleton
from pie.experiments.misses import (
    RIGHT,
    Answer,
    Verdict,
    counts,
    verdict_of_miss,
    verdict_of_table,
)
from pie.experiments.settings import load_settings
from pie.search.plus import PlusConfig, discover_plus

ROOT = Path(__file__).resolve().parent.parent


def judged(asked: Problem | MeasuredTable, config: PlusConfig) -> tuple[Answer | None, Verdict]:
    """The answer to a problem or a table, and how it ended."""
    if isinstance(asked, MeasuredTable):
        found = discover(asked.frame, config=config, seconds=np.inf, workers=1).candidates
        first = next(iter(found), None)
        right = first is not None and is_textbooks(first, asked.counted, asked.points)
        return first, Verdict(RIGHT) if right else verdict_of_table(asked, config)
    best = discover_plus(from_pretrained(), asked.points, config).best
    found = None if best is None else best.expression
    right = right_skeleton(found, asked.truth, asked.n_variables, config.seed, asked.box)
    return best, Verdict(RIGHT) if right else verdict_of_miss(asked, config)


def described(asked: Problem | MeasuredTable) -> tuple[str, str, str]:
    """What a count is of, the name of a problem or a table, and its truth."""
    if isinstance(asked, MeasuredTable):
        return f"measured, {asked.part}", asked.name, " ; ".join(map(str, asked.relations))
    noise = asked.sampling.partition("noise ")[2] or "none"
    return noise, f"{asked.equation_id}, {asked.sampling}", str(asked.truth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--first", type=int, help="item that begins the validation problems")
    asked.add_argument("--set", help="a test set of data/benchmarks")
    asked.add_argument("--tables", action="store_true", help="measured tables of the part choice")
    parser.add_argument("--noise", type=float, default=0.0, help="added to a test set, in spreads")
    parser.add_argument("--each", type=int, default=12, help="per corpus, noise and variables")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    config = load_settings(ROOT / "params.yaml").inference_plus
    if options.set:
        clean = load(ROOT / "data/benchmarks", options.set)
        chosen = [noisy(p, options.noise) for p in clean] if options.noise else clean
    elif options.tables:
        tables = [t for t in read_tables(ROOT / "data/measured") if t.part == "choice"]
        chosen = [replace(table, units=()) for table in tables if table.relations]
    else:
        chosen = [*problems(options.first, options.each).values()]
    found = Parallel(options.workers, return_as="generator")(
        delayed(judged)(problem, config) for problem in chosen
    )
    ended = []
    for problem, (answer, why) in zip(
        chosen, tqdm(found, "search", len(chosen), disable=None), strict=True
    ):
        of, name, truth = described(problem)
        ended.append({"test_set": of, "verdict": why.verdict})
        if why.verdict != RIGHT:
            print(f"{why.verdict}: {name}\n  truth: {truth}")
            for which, candidate in (("answer", answer), ("with the truth", why.with_truth)):
                if candidate is not None:
                    print(f"  {which}: {candidate.expression}\n    {candidate.price}")
    print(counts(pd.DataFrame(ended)).to_string())


if __name__ == "__main__":
    main()
