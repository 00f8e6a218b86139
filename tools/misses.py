"""Why *PIE+* misses problems: not proposed, another law is cheaper, or the points show none.

    python tools/misses.py --first 250000 --each 25
    python tools/misses.py --set wild --noise 0.01

Where the true equation, as it is, has a price above 0, it makes the points no more probable than
no law does: the points are *silent*. So are those at which it is refused as degenerate. Another
problem that is missed is searched again with the true equation as one more draft, its constants
the start of the fit. If that is then the answer, the *search* missed it: it is cheaper, and was
not proposed, or badly fitted. Otherwise it is the *ranking*, or the points do not tell the two
apart (or the truth is too long to be a draft).
Problems are those of notebooks/08_plus.ipynb from another item on, which is from then on used, or
those of a test set, which is from then on a development set.
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

from pie.data.benchmarks import Problem, load, noisy
from pie.discovery.pretrained import from_pretrained
from pie.experiments.metrics import right_skeleton
from pie.experiments.settings import load_settings
from pie.expr.expression import Expression
from pie.search import plus
from pie.search.candidates import Candidate
from pie.search.cloud import Cloud
from pie.search.finish import Judge, in_user_coordinates
from pie.search.plus import PlusConfig
from pie.search.pool import WARM, Batch, Pool, Proposer, new_drafts
from pie.search.price import price_of, with_zeros

ROOT = Path(__file__).resolve().parent.parent
RIGHT, SEARCH, RANKING, SILENT = "right", "search", "ranking", "silent"


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


def is_silent(problem: Problem, config: PlusConfig) -> bool:
    """Whether the true equation costs more than it explains, or is refused as degenerate."""
    prices, points = config.prices, problem.points
    try:
        judge = Judge(prices, config.curved, config.seed)
        fit = in_user_coordinates(problem.truth, points, judge)
    except ValueError:  # too long to be a draft
        return False
    return with_zeros(price_of(fit, len(points), prices), fit, points, prices).total > 0.0


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
    if is_silent(problem, config):
        return named(SILENT, str(problem.truth), first)
    plus.PROPOSERS["truth"] = lambda model, c, workers: _truth(problem.truth, c.max_tokens)
    try:
        second, right = answer(replace(config, proposers=("truth", *config.proposers)))
    finally:
        del plus.PROPOSERS["truth"]
    return named(SEARCH if right else RANKING, str(problem.truth), first, second)


def table(verdicts: list[Verdict]) -> pd.DataFrame:
    """Numbers of problems by noise and verdict."""
    noise = [v.sampling.partition("noise ")[2] or "none" for v in verdicts]
    ended = pd.Categorical([v.verdict for v in verdicts], [RIGHT, SEARCH, RANKING, SILENT])
    return pd.crosstab(pd.Series(noise, name="noise"), ended, colnames=[""], dropna=False)


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


if __name__ == "__main__":
    main()
