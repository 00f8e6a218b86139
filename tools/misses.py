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

import pandas as pd
from compare import problems

from pie.data.benchmarks import Problem, load, noisy
from pie.experiments.journal import in_order
from pie.experiments.measured import MeasuredTable, read_tables
from pie.experiments.misses import RIGHT, Answer, Question, Verdict, counts, verdict_of
from pie.experiments.settings import load_settings
from pie.search.plus import PlusConfig

ROOT = Path(__file__).resolve().parent.parent


def judged(asked: Problem | MeasuredTable, config: PlusConfig) -> tuple[Answer | None, Verdict]:
    """The answer to a problem or a table, and how it ended."""
    question = Question.of(asked, config)
    found = question.searched(config)
    right = found is not None and question.right(found)
    return found, Verdict(RIGHT) if right else verdict_of(asked, config)


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
    found = in_order(judged, [(problem, config) for problem in chosen], options.workers, "search")
    ended = []
    for problem, (answer, why) in zip(chosen, found, strict=True):
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
