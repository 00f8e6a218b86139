"""Scores of all answers as rows, and their means."""

import functools
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from ..data.benchmarks import Problem
from ..expr.expression import parse
from .answers import Answer, Contest, answers, read_records, write_records
from .journal import in_order
from .metrics import RECOVERED, THRESHOLDS, paper_fitness, right_skeleton, two_sided


@dataclass(frozen=True)
class Row:
    """An :class:`~pie.experiments.answers.Answer` and its scores; ``skeleton`` is 1 if right."""

    method: str
    benchmark: str
    equation_id: str
    truth: str
    equation: str
    fitness: float
    two_sided: float
    skeleton: int
    seconds: float
    seed: int
    budget: str
    status: str
    returned: str = ""

    @property
    def as_returned(self) -> str:
        """The equation as the method gave it; empty if there is none."""
        return self.returned or self.equation

    @property
    def test_set(self) -> str:
        """The test set and its noise, if any: ``wild, noise 1 %``."""
        noise = self.budget.partition(", noise ")[2].partition(", ")[0]
        return f"{self.benchmark}, noise {noise}" if noise else self.benchmark

    @property
    def condition(self) -> str:
        """The last condition of the points (:mod:`pie.data.conditions`): ``noise 0.1``."""
        return self.budget.rpartition(", ")[2]

    @property
    def law(self) -> str:
        """The equation without its way of sampling: ``W01`` of ``W01-patch``."""
        return self.equation_id.partition("-")[0]

    @property
    def way(self) -> str:
        """The way of sampling of a ``wild`` problem; empty for other test sets."""
        return self.equation_id.partition("-")[2]

    def score(self, name: str) -> float:
        """``fitness``, ``two_sided``, ``skeleton``, ``recovered``, ``acc_…``; else ValueError."""
        if name in ("fitness", "two_sided", "skeleton"):
            return float(getattr(self, name))
        if name == "recovered":
            return float(self.two_sided >= RECOVERED)
        if re.fullmatch(r"acc_\d*\.?\d+", name):
            return float(self.fitness >= float(name[4:]))
        raise ValueError(f"score is {name!r}; expected fitness, acc_0.99, recovered or skeleton")


def _compared(problem: Problem, answer: Answer | Row) -> tuple:
    """What the scores compare; the equation is parsed from the text that is written to disk."""
    estimate = parse(answer.equation) if answer.equation else None
    return estimate, problem.truth, problem.n_variables, answer.seed, problem.box


def _fitness(*compared, residual: float = 0.0) -> float:
    return round(paper_fitness(*compared, residual=residual), 6)


def score(problem: Problem, answer: Answer) -> Row:
    """The row of an answer."""
    compared = _compared(problem, answer)
    return Row(
        **asdict(answer),
        fitness=_fitness(*compared),
        two_sided=round(two_sided(*compared), 6),
        skeleton=int(right_skeleton(*compared)),
    )


def asked(found: Sequence[Answer], problems: Sequence[Problem]) -> list[Problem]:
    """The problem of each answer; ValueError quotes an answer to none of them."""
    known = {(p.benchmark, p.equation_id): p for p in problems}
    for answer in found:
        if (answer.benchmark, answer.equation_id) not in known:
            raise ValueError(
                f"an answer to {answer.equation_id!r} of {answer.benchmark!r}; expected one to the "
                f"{len(known)} problems of {', '.join(sorted({b for b, _ in known}))}"
            )
    return [known[answer.benchmark, answer.equation_id] for answer in found]


def scored(found: Sequence[Answer], problems: Sequence[Problem], workers: int = 1) -> list[Row]:
    """Rows of answers to the problems at the same positions."""
    return in_order(score, [*zip(problems, found, strict=True)], workers, "score")


def evaluate(
    contest: Contest,
    methods: Sequence[str],
    problems: Sequence[Problem],
    workers: int = 1,
    folder: Path | None = None,
    cluster: str = "",
) -> list[Row]:
    """Rows of ``methods`` on ``problems``, in that order; scores are always computed anew.

    Arguments are those of :func:`pie.experiments.answers.answers`.
    """
    found = answers(contest, methods, problems, workers, folder, cluster)
    return scored(found, [*problems] * len(methods), workers)


def rescored(found: Sequence[Row], problems: Sequence[Problem], residual: float) -> list[Row]:
    """The rows with the fitness that they have if |f̂| < ``residual`` makes a start a zero.

    See :func:`pie.experiments.metrics.paper_fitness`; other scores stay.
    """
    pairs = zip(asked(found, problems), found, strict=True)
    return [replace(r, fitness=_fitness(*_compared(p, r), residual=residual)) for p, r in pairs]


write_rows = functools.partial(write_records, Row)
read_rows = functools.partial(read_records, Row)


def grouped(rows: Sequence[Row], *by: str) -> dict[tuple, list[Row]]:
    """Rows by the values of some fields or properties, in order of appearance."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in by), []).append(row)
    return groups


def value_of(condition: str, kind: str) -> float | None:
    """32 of ``beam 32`` or ``beam-32`` for the kind ``beam``; None of a condition of another."""
    found = re.fullmatch(rf"{kind}[ -](\S+)", condition)
    return float(found[1]) if found else None


Z = 1.959963984540054  # of 95 % of a normal distribution


def bootstrap(values: Sequence[float], laws: Sequence[str], resamples: int) -> tuple[float, float]:
    """95 % percentile-bootstrap interval of a mean; values of one law are resampled together."""
    _, law = np.unique(laws, return_inverse=True)
    size, total = np.bincount(law), np.bincount(law, weights=values)
    picks = np.random.default_rng(0).integers(len(size), size=(resamples, len(size)))
    low, high = np.quantile(total[picks].sum(1) / size[picks].sum(1), [0.025, 0.975])
    return float(low), float(high)


def interval(values: Sequence[float], laws: Sequence[str], resamples: int) -> tuple[float, float]:
    """95 % interval of the mean of values in [0, 1]: :func:`bootstrap`; nan without values.

    Where all are 0 or all are 1 no resample differs: :func:`wilson`'s for as many laws.

    >>> interval([1.0] * 6, ["a", "b", "c", "d", "d", "e"], 2000)
    (0.565..., 1.0)
    """
    if not len(values):
        return np.nan, np.nan
    if {*values} in ({0.0}, {1.0}):
        return wilson([max(values)] * len({*laws}))
    return bootstrap(values, laws, resamples)


def wilson(hits: Sequence[float]) -> tuple[float, float]:
    """Wilson's 95 % interval of the share of hits, which are 0 or 1.

    >>> wilson([0.0, 0.0, 1.0, 1.0])
    (0.1500..., 0.8499...)
    """
    n, k = len(hits), sum(hits)
    reach = Z * np.sqrt(k * (n - k) / n + Z**2 / 4.0)
    low, missed = ((one + Z**2 / 2.0 - reach) / (n + Z**2) for one in (k, n - k))
    return float(low), float(1.0 - missed)


SCORES = ("fitness", *(f"acc_{t:g}" for t in THRESHOLDS), "two_sided", "recovered", "skeleton")


def summarise(rows: Sequence[Row], by: str = "test_set") -> list[dict]:
    """Means of :data:`SCORES` per method and ``by``, with 95 % intervals (``…_low``, ``…_high``).

    The value of ``by`` is stored as ``benchmark``. ``seconds`` is the median over the searches that
    were run.
    """
    table = []
    for (method, benchmark), members in grouped(rows, "method", by).items():
        entry: dict = {"method": method, "benchmark": benchmark, "equations": len(members)}
        laws = [row.law for row in members]
        for name in SCORES:
            values = np.array([row.score(name) for row in members])
            low, high = interval(values, laws, resamples=2000)
            entry |= {name: values.mean(), f"{name}_low": low, f"{name}_high": high}
        ran = [row.seconds for row in members if row.seconds > 0.0]
        entry["seconds"] = float(np.median(ran)) if ran else np.nan
        table.append(entry)
    return table
