"""Why *PIE+* misses problems (:mod:`pie.experiments.misses`), one by one.

    python tools/misses.py --first 250000 --each 25
    python tools/misses.py --set wild --noise 0.01

Problems are those of notebooks/08_plus.ipynb from another item on, which is from then on used, or
those of a test set, which is from then on a development set.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
from pathlib import Path

import pandas as pd
from compare import problems
from joblib import Parallel, delayed
from tqdm import tqdm

from pie.data.benchmarks import Problem, load, noisy
from pie.discovery.pretrained import from_pretrained
from pie.experiments.metrics import right_skeleton
from pie.experiments.misses import RIGHT, Verdict, counts, verdict_of_miss
from pie.experiments.settings import load_settings
from pie.search.candidates import Candidate
from pie.search.plus import PlusConfig, discover_plus

ROOT = Path(__file__).resolve().parent.parent


def judged(problem: Problem, config: PlusConfig) -> tuple[Candidate | None, Verdict]:
    """The answer to a problem, and how it ended."""
    best = discover_plus(from_pretrained(), problem.points, config).best
    found = None if best is None else best.expression
    right = right_skeleton(found, problem.truth, problem.n_variables, config.seed, problem.box)
    return best, Verdict(RIGHT) if right else verdict_of_miss(problem, config)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--first", type=int, help="item that begins the validation problems")
    asked.add_argument("--set", help="a test set of data/benchmarks")
    parser.add_argument("--noise", type=float, default=0.0, help="added to a test set, in spreads")
    parser.add_argument("--each", type=int, default=12, help="per corpus, noise and variables")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    config = load_settings(ROOT / "params.yaml").inference_plus
    if options.set:
        clean = load(ROOT / "data/benchmarks", options.set)
        chosen = [noisy(p, options.noise) for p in clean] if options.noise else clean
    else:
        chosen = [*problems(options.first, options.each).values()]
    found = Parallel(options.workers, return_as="generator")(
        delayed(judged)(problem, config) for problem in chosen
    )
    ended = []
    for problem, (answer, why) in zip(
        chosen, tqdm(found, "search", len(chosen), disable=None), strict=True
    ):
        noise = problem.sampling.partition("noise ")[2] or "none"
        ended.append({"test_set": noise, "verdict": why.verdict})
        if why.verdict != RIGHT:
            print(f"{why.verdict}: {problem.equation_id}, {problem.sampling}")
            print(f"  truth: {problem.truth}")
            for name, candidate in (("answer", answer), ("with the truth", why.with_truth)):
                if candidate is not None:
                    print(f"  {name}: {candidate.expression}\n    {candidate.price}")
    print(counts(pd.DataFrame(ended)).to_string())


if __name__ == "__main__":
    main()
