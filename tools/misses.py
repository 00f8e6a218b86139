"""Why *PIE+* misses validation problems: the law was never proposed, or another one is cheaper.

    python tools/misses.py --first 180000 --each 12

A problem that is missed is searched again with the true equation as one more draft, its constants
the start of the fit. If that is then the answer, the *search* missed it: it is cheaper, and was not
proposed, or badly fitted. Otherwise it is the *ranking*, or the points do not tell the two apart;
so counts a truth that is too long to be a draft.
Problems are those of notebooks/08_plus.ipynb from another item on, which is from then on used.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd
from compare import problems
from joblib import Parallel, delayed
from tqdm import tqdm

from pie.data.benchmarks import Problem
from pie.discovery.pretrained import from_pretrained
from pie.experiments.metrics import right_skeleton
from pie.experiments.settings import load_settings
from pie.expr.expression import Expression
from pie.search import plus
from pie.search.candidates import Candidate
from pie.search.cloud import Cloud
from pie.search.plus import PlusConfig
from pie.search.pool import WARM, Batch, Pool, Proposer, new_drafts

ROOT = Path(__file__).resolve().parent.parent
RIGHT, SEARCH, RANKING = "right", "search", "ranking"


@dataclass(frozen=True)
class Verdict:
    """How a problem ended, the answer, and the answer with the truth among the drafts."""

    problem: str
    sampling: str
    verdict: str
    truth: str
    answer: Candidate | None
    with_truth: Candidate | None = None


def _truth(law: Expression, max_tokens: int) -> Proposer:
    def propose(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        drafts = new_drafts([cloud.into(law)], cloud, pool, "truth", max_tokens)
        yield Batch(drafts, WARM)

    return propose


def verdict_of(problem: Problem, config: PlusConfig) -> Verdict:
    """Search a problem, and again with the truth if it is missed."""

    def answer(settings: PlusConfig) -> tuple[Candidate | None, bool]:
        best = plus.discover_plus(from_pretrained(), problem.points, settings).best
        found = None if best is None else best.expression
        right = right_skeleton(found, problem.truth, problem.n_variables, config.seed, problem.box)
        return best, right

    named = partial(Verdict, problem.equation_id, problem.sampling)
    first, right = answer(config)
    if right:
        return named(RIGHT, str(problem.truth), first)
    plus.PROPOSERS["truth"] = lambda model, c, workers: _truth(problem.truth, c.max_tokens)
    try:
        second, right = answer(replace(config, proposers=("truth", *config.proposers)))
    finally:
        del plus.PROPOSERS["truth"]
    return named(SEARCH if right else RANKING, str(problem.truth), first, second)


def table(verdicts: list[Verdict]) -> pd.DataFrame:
    """Numbers of problems by noise and verdict."""
    noise = [v.sampling.partition("noise ")[2] or "none" for v in verdicts]
    ended = pd.Categorical([v.verdict for v in verdicts], [RIGHT, SEARCH, RANKING])
    return pd.crosstab(pd.Series(noise, name="noise"), ended, colnames=[""], dropna=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--first", type=int, required=True, help="item that begins the problems")
    parser.add_argument("--each", type=int, default=12, help="per corpus, noise and variables")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    config = load_settings(ROOT / "params.yaml").inference_plus
    chosen = problems(options.first, options.each).values()
    found = Parallel(options.workers, return_as="generator")(
        delayed(verdict_of)(problem, config) for problem in chosen
    )
    verdicts = [*tqdm(found, "search", len(chosen), disable=None)]
    for one in verdicts:
        if one.verdict != RIGHT:
            print(f"{one.verdict}: {one.problem}, {one.sampling}\n  truth: {one.truth}")
            for name, candidate in (("answer", one.answer), ("with the truth", one.with_truth)):
                if candidate is not None:
                    print(f"  {name}: {candidate.expression}\n    {candidate.price}")
    print(table(verdicts).to_string())
    far = sum(v.verdict == RANKING and v.answer.price.misfit > 0.0 for v in verdicts if v.answer)
    print(f"ranking, and the answer is as far from the points as from permuted ones: {far}")


if __name__ == "__main__":
    main()
