"""Why *PIE+* misses a problem: not proposed, another law is cheaper, or the points cannot tell.

Where the true equation, as it is, has a price above 0, it makes the points no more probable than
no law does: they are *silent*. So are points at which it is refused as degenerate, and points that
no search takes, such as those of two equal columns. Another problem that is missed is searched
again with the true equation as one more draft, its constants the start of the fit. If that is then
the answer, the *search* missed it: it is cheaper, and was not proposed, or badly fitted. Otherwise
another equation is cheaper at these points. Where it fits them as well as the truth with constants
of its own, to :data:`~pie.discovery.result.RIVAL` nats, they are *alike*: nothing in the points
speaks for the truth. What is left is the *ranking* (or the truth is too long to be a draft).

Of a measured table nobody knows the truth: the textbook's relations stand for it, and where one of
them is the first candidate, the answer is right (:func:`pie.experiments.measured.is_textbooks`).
Only those that are refused are silent there: where a column was set, points count their distances
along the others, and permuted points along all columns, so that 0 is not the price without a law.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..data.benchmarks import Problem
from ..discovery.laws import discover, wide_columns
from ..discovery.pretrained import from_pretrained
from ..discovery.result import RIVAL, Law
from ..expr.expression import Expression
from ..search.candidates import Candidate, Unusable
from ..search.cloud import Cloud
from ..search.finish import Judge, in_user_coordinates
from ..search.plus import PROPOSERS, PlusConfig, discover_plus
from ..search.pool import WARM, Batch, Pool, new_drafts
from ..search.price import whole_price
from ..zeroset.metric import Metric, set_columns
from .evaluation import Row, read_rows
from .journal import in_order
from .measured import MeasuredTable, is_textbooks
from .metrics import right_skeleton

VERDICTS = RIGHT, SEARCH, RANKING, ALIKE, SILENT = "right", "search", "ranking", "alike", "silent"
Answer = Candidate | Law


@dataclass(frozen=True)
class Verdict:
    """How a problem ended; the answer with the truth among the drafts, where it was searched."""

    verdict: str
    with_truth: Answer | None = None


def least_price(
    truths: Sequence[Expression],
    points: np.ndarray,
    config: PlusConfig,
    wide: tuple[bool, ...] = (),
) -> float:
    """Of the ``truths`` as they are; inf if all are refused as degenerate, nan if one is too long.

    With errors that are alike everywhere, and with errors that grow with the columns in ``wide``.
    """
    judge = Judge(config.prices, config.curved, config.seed)
    metrics = [Metric.of(points, logs) for logs in {(), wide if any(wide) else ()}]
    try:
        fits = [in_user_coordinates(t, points, judge, m) for t in truths for m in metrics]
    except ValueError:  # too long to be a draft
        return np.nan
    exact = set_columns(points)
    return min(whole_price(fit, points, config.prices, exact=exact).total for fit in fits)


def verdict_of_miss(problem: Problem, config: PlusConfig, weights: Path | None = None) -> Verdict:
    """Why a problem is missed; ``weights`` default to the released ones."""

    def searched(asked: PlusConfig) -> Candidate | None:
        return discover_plus(from_pretrained(weights), problem.points, asked).best

    def right(found: Candidate) -> bool:
        truth, d = problem.truth, problem.n_variables
        return right_skeleton(found.expression, truth, d, config.seed, problem.box)

    if least_price((problem.truth,), problem.points, config) > 0.0:
        return Verdict(SILENT)
    return _searched_again((problem.truth,), searched, right, config)


def verdict_of_table(
    table: MeasuredTable, config: PlusConfig, weights: Path | None = None
) -> Verdict:
    """Why the textbook's relation is not the first candidate for a measured table."""
    points, table = table.points, table.counted

    def searched(asked: PlusConfig) -> Law | None:
        found = discover(
            table.frame, weights, config=asked, seconds=np.inf, workers=1, units=table.units or None
        )
        return next(iter(found.candidates), None)

    def right(found: Law) -> bool:
        return bool(is_textbooks(found, table, points))

    if least_price(table.relations, points, config, wide_columns(points, table.scales)) == np.inf:
        return Verdict(SILENT)
    return _searched_again(table.relations, searched, right, config)


def _searched_again(
    truths: Sequence[Expression],
    searched: Callable[[PlusConfig], Answer | None],
    right: Callable[[Answer], bool],
    config: PlusConfig,
) -> Verdict:
    """Why a search, which is done again with ``truths`` among its drafts, does not find one."""
    columns = max(len(truth.variables) for truth in truths)

    def proposer(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        if cloud.n_variables == columns and not any(cloud.logarithmic):
            forms = map(cloud.into, truths)
            yield Batch(new_drafts(forms, cloud, pool, "truth", config.max_tokens), WARM)

    PROPOSERS["truth"] = lambda *_: proposer
    try:
        best = searched(replace(config, proposers=("truth", *config.proposers)))
        alone = searched(replace(config, proposers=("truth",)))
    except Unusable:  # such as equal columns
        return Verdict(SILENT)
    finally:
        del PROPOSERS["truth"]
    if best is not None and right(best):
        return Verdict(SEARCH, best)
    if best is None or alone is None:
        return Verdict(RANKING, best)
    alike = best.price.misfit - alone.price.misfit <= RIVAL
    return Verdict(ALIKE if alike else RANKING, best)


def rows_of(results: Path, problems: Sequence[Problem]) -> list[Row]:
    """The row of *PIE+* of each problem, of all in ``results``; KeyError where there is none."""
    files = ("evaluation/plus.csv", "ablation.csv", "field/plus.csv")
    rows = [r for name in files for r in read_rows(results / name) if r.method == "PIE+"]
    found = {(r.benchmark, r.equation_id, r.budget.partition(", noise ")[2]): r for r in rows}
    noise = [p.sampling.partition("noise ")[2] for p in problems]
    return [found[p.benchmark, p.equation_id, n] for p, n in zip(problems, noise, strict=True)]


def rows_of_tables(results: Path, tables: Sequence[MeasuredTable]) -> pd.DataFrame:
    """The row of each table, searched without its units; KeyError where there is none."""
    rows = pd.read_csv(results / "measured.csv")
    return rows[~rows.units].set_index("table").loc[[table.name for table in tables]]


def verdicts(
    rows: Sequence[Row],
    problems: Sequence[Problem],
    config: PlusConfig,
    weights: Path | None = None,
    workers: int = 1,
) -> pd.DataFrame:
    """Test set with its noise, equation and verdict of each row, of the problem at its position.

    The laws of *field*, each with a noise of its own, are one test set.
    """
    right = [row.skeleton == 1 for row in rows]
    told = _verdicts(verdict_of_miss, problems, right, (config, weights), workers)
    sets = ["field" if row.benchmark == "field" else row.test_set for row in rows]
    names = [row.equation_id for row in rows]
    return pd.DataFrame({"test_set": sets, "equation_id": names, "verdict": told})


def table_verdicts(
    rows: pd.DataFrame,
    tables: Sequence[MeasuredTable],
    config: PlusConfig,
    weights: Path | None = None,
    workers: int = 1,
) -> pd.DataFrame:
    """The same of measured tables with a textbook's relation; a test set is a part of them."""
    right = [place == 0 for place in rows.place]
    told = _verdicts(verdict_of_table, tables, right, (config, weights), workers)
    sets, names = [f"measured, {t.part}" for t in tables], [t.name for t in tables]
    return pd.DataFrame({"test_set": sets, "equation_id": names, "verdict": told})


def _verdicts(
    verdict_of: Callable[..., Verdict],
    asked: Sequence,
    right: Sequence[bool],
    judges: tuple[PlusConfig, Path | None],
    workers: int,
) -> list[str]:
    """Of each that was ``asked``; only what is not ``right`` is searched again."""
    missed = [(one, *judges) for one, good in zip(asked, right, strict=True) if not good]
    why = iter(in_order(verdict_of, missed, workers, "misses"))
    return [RIGHT if good else next(why).verdict for good in right]


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
