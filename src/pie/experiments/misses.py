"""Why *PIE+* misses a problem: not proposed, another law is cheaper, or the points cannot tell.

Where the true equation, as it is, has a price above 0, it makes the points no more probable than
no law does: they are *silent*. So are points at which it is refused as degenerate, and points that
no search takes, such as those of two equal columns. Another problem that is missed is searched
again with the true equation as one more draft, its constants the start of the fit. If that is then
the answer, the *search* missed it: it is cheaper, and was not proposed, or badly fitted. Otherwise
another equation is cheaper at these points. Where it fits them as well as the truth with constants
of its own, to :data:`~pie.discovery.result.RIVAL` nats, they are *alike*: nothing in the points
speaks for the truth. What is left is the *ranking* (or the truth is too long to be a draft).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..data.benchmarks import Problem
from ..discovery.pretrained import from_pretrained
from ..discovery.result import RIVAL
from ..search.candidates import Candidate, Unusable
from ..search.cloud import Cloud
from ..search.finish import Judge, in_user_coordinates
from ..search.plus import PROPOSERS, PlusConfig, discover_plus
from ..search.pool import WARM, Batch, Pool, new_drafts
from ..search.price import whole_price
from .evaluation import Row, read_rows
from .journal import in_order
from .metrics import right_skeleton

VERDICTS = RIGHT, SEARCH, RANKING, ALIKE, SILENT = "right", "search", "ranking", "alike", "silent"


@dataclass(frozen=True)
class Verdict:
    """How a problem ended; the answer with the truth among the drafts, where it was searched."""

    verdict: str
    with_truth: Candidate | None = None


def is_silent(problem: Problem, config: PlusConfig) -> bool:
    """Whether the true equation costs more than it explains, or is refused as degenerate."""
    prices, points = config.prices, problem.points
    try:
        fit = in_user_coordinates(problem.truth, points, Judge(prices, config.curved, config.seed))
    except ValueError:  # too long to be a draft
        return False
    return whole_price(fit, points, prices).total > 0.0


def verdict_of_miss(problem: Problem, config: PlusConfig, weights: Path | None = None) -> Verdict:
    """Why a problem is missed: one more search, with the truth among the drafts."""
    if is_silent(problem, config):
        return Verdict(SILENT)

    def truth(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        draft = cloud.into(problem.truth)
        yield Batch(new_drafts([draft], cloud, pool, "truth", config.max_tokens), WARM)

    def searched(*proposers: str) -> Candidate | None:
        asked = replace(config, proposers=("truth", *proposers))
        return discover_plus(from_pretrained(weights), problem.points, asked).best

    PROPOSERS["truth"] = lambda *_: truth
    try:
        best, alone = searched(*config.proposers), searched()
    except Unusable:  # such as equal columns
        return Verdict(SILENT)
    finally:
        del PROPOSERS["truth"]
    found = None if best is None else best.expression
    if right_skeleton(found, problem.truth, problem.n_variables, config.seed, problem.box):
        return Verdict(SEARCH, best)
    if best is None or alone is None:
        return Verdict(RANKING, best)
    away = np.maximum([best.contrast, alone.contrast], config.prices.resolution)
    alike = len(problem.points) * np.log(away[0] / away[1]) <= RIVAL
    return Verdict(ALIKE if alike else RANKING, best)


def rows_of(results: Path, problems: Sequence[Problem]) -> list[Row]:
    """The row of *PIE+* of each problem, of all in ``results``; KeyError where there is none."""
    files = ("evaluation/plus.csv", "ablation.csv", "field/plus.csv")
    rows = [r for name in files for r in read_rows(results / name) if r.method == "PIE+"]
    found = {(r.benchmark, r.equation_id, r.budget.partition(", noise ")[2]): r for r in rows}
    noise = [p.sampling.partition("noise ")[2] for p in problems]
    return [found[p.benchmark, p.equation_id, n] for p, n in zip(problems, noise, strict=True)]


def verdicts(
    rows: Sequence[Row],
    problems: Sequence[Problem],
    config: PlusConfig,
    weights: Path | None = None,
    workers: int = 1,
) -> pd.DataFrame:
    """Test set with its noise, equation and verdict of each row, of the problem at its position.

    The laws of *field* have each a noise of its own, and are one test set.
    """
    missed = [p for row, p in zip(rows, problems, strict=True) if not row.skeleton]
    jobs = [(problem, config, weights) for problem in missed]
    why = iter(in_order(verdict_of_miss, jobs, workers, "misses"))
    return pd.DataFrame(
        {
            "test_set": "field" if row.benchmark == "field" else row.test_set,
            "equation_id": row.equation_id,
            "verdict": RIGHT if row.skeleton else next(why).verdict,
        }
        for row in rows
    )


def counts(found: pd.DataFrame) -> pd.DataFrame:
    """Problems by test set and verdict.

    >>> told = pd.DataFrame({"test_set": ["a", "a", "b"], "verdict": [RIGHT, SEARCH, RIGHT]})
    >>> counts(told).values.tolist()
    [['a', 2, 1, 1, 0, 0, 0], ['b', 1, 1, 0, 0, 0, 0]]
    """
    ended = pd.Categorical(found.verdict, VERDICTS)
    sets = pd.Categorical(found.test_set, [*dict.fromkeys(found.test_set)])
    table = pd.crosstab(sets, ended, dropna=False)
    table.insert(0, "problems", table.sum(axis=1))
    table.columns = [*table.columns]
    return table.rename_axis("test set").reset_index()
