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
from typing import NamedTuple

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
from ..zeroset.metric import Metric
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
    return min(whole_price(fit, points, config.prices).total for fit in fits)


class Question(NamedTuple):
    """What is asked of a problem or of a measured table: whether its ``truths`` are ``silent``, what
    a search finds, and whether that is ``right``."""

    truths: Sequence[Expression]
    silent: Callable[[], bool]
    searched: Callable[[PlusConfig], Answer | None]
    right: Callable[[Answer], bool]

    @classmethod
    def of(
        cls, asked: Problem | MeasuredTable, config: PlusConfig, weights: Path | None = None
    ) -> "Question":
        """``weights`` default to the released ones."""
        points = asked.points
        if isinstance(asked, Problem):
            truths, about = (asked.truth,), (asked.n_variables, config.seed, asked.box)
            return cls(
                truths,
                lambda: least_price(truths, points, config) > 0.0,
                lambda how: discover_plus(from_pretrained(weights), points, how).best,
                lambda found: right_skeleton(found.expression, asked.truth, *about),
            )
        table, wide = asked.counted, wide_columns(points, asked.scales)

        def searched(how: PlusConfig) -> Law | None:
            given = {"seconds": np.inf, "workers": 1, "units": table.units or None}
            return next(iter(discover(table.frame, weights, config=how, **given).candidates), None)

        return cls(
            table.relations,
            lambda: least_price(table.relations, points, config, wide) == np.inf,
            searched,
            lambda found: bool(is_textbooks(found, table, points)),
        )


def verdict_of(
    asked: Problem | MeasuredTable, config: PlusConfig, weights: Path | None = None
) -> Verdict:
    """Why a problem, or the textbook's relation of a measured table, is missed."""
    question = Question.of(asked, config, weights)
    return Verdict(SILENT) if question.silent() else _searched_again(question, config)


def _searched_again(question: Question, config: PlusConfig) -> Verdict:
    """Why a search, which is done again with the truths among its drafts, does not find one."""
    truths, _, searched, right = question
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
    rows: Sequence[Row] | pd.DataFrame,
    asked: Sequence[Problem] | Sequence[MeasuredTable],
    config: PlusConfig,
    weights: Path | None = None,
    workers: int = 1,
) -> pd.DataFrame:
    """Test set, name and verdict of each row, of the problem or table at its position.

    A test set has its noise in its name; the laws of *field*, each with a noise of its own, are one
    test set, and so is a part of the measured tables. Only what is missed is searched again.
    """
    if isinstance(rows, pd.DataFrame):
        right, names = [place == 0 for place in rows.place], [table.name for table in asked]
        sets = [f"measured, {table.part}" for table in asked]
    else:
        right, names = [row.skeleton == 1 for row in rows], [row.equation_id for row in rows]
        sets = ["field" if row.benchmark == "field" else row.test_set for row in rows]
    missed = [(one, config, weights) for one, good in zip(asked, right, strict=True) if not good]
    why = iter(in_order(verdict_of, missed, workers, "misses"))
    told = [RIGHT if good else next(why).verdict for good in right]
    return pd.DataFrame({"test_set": sets, "equation_id": names, "verdict": told})


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
