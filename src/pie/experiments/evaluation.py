"""Every method on every test set: answers are scored and become rows, which are summed up."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from ..data.benchmarks import Problem
from ..expr.expression import parse
from .answers import Answer, Contest, answers, read_records, write_records
from .metrics import RECOVERED, THRESHOLDS, paper_fitness, right_skeleton, two_sided


@dataclass(frozen=True)
class Row:
    """One result: an :class:`~pie.experiments.answers.Answer` with its scores.

    ``skeleton`` is 1 where it is right (:func:`pie.experiments.metrics.right_skeleton`), else 0.
    """

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

    @property
    def test_set(self) -> str:
        """The test set, with its noise where there is some: ``wild, noise 1 %``."""
        noise = self.budget.partition(", noise ")[2]
        return f"{self.benchmark}, noise {noise}" if noise else self.benchmark

    @property
    def condition(self) -> str:
        """The last thing done to the points (:mod:`pie.data.conditions`): ``relative noise 0.1``."""
        return self.budget.rpartition(", ")[2]

    @property
    def way(self) -> str:
        """How the points of a ``wild`` problem were drawn; empty for other test sets."""
        return self.equation_id.partition("-")[2]


def score(problem: Problem, answer: Answer) -> Row:
    """The row of an answer, with both metrics.

    The equation is read back from its text: what is scored is what is written.
    """
    estimate = parse(answer.equation) if answer.equation else None
    arguments = (estimate, problem.truth, problem.n_variables, answer.seed, problem.box)
    return Row(
        **asdict(answer),
        fitness=round(paper_fitness(*arguments), 6),
        two_sided=round(two_sided(*arguments), 6),
        skeleton=int(right_skeleton(*arguments)),
    )


def asked(found: Sequence[Answer], problems: Sequence[Problem]) -> list[Problem]:
    """The problem of each answer, known by test set and name.

    Raises:
        ValueError: an answer to none of the problems, quoted.
    """
    known = {(p.benchmark, p.equation_id): p for p in problems}
    for answer in found:
        if (answer.benchmark, answer.equation_id) not in known:
            raise ValueError(
                f"an answer to {answer.equation_id!r} of {answer.benchmark!r}; expected one to the "
                f"{len(known)} problems of {', '.join(sorted({b for b, _ in known}))}"
            )
    return [known[answer.benchmark, answer.equation_id] for answer in found]


def scored(found: Sequence[Answer], problems: Sequence[Problem], workers: int = 1) -> list[Row]:
    """Rows of answers to the problems beside them, in their order."""
    rows = Parallel(workers, return_as="generator")(
        delayed(score)(problem, answer) for problem, answer in zip(problems, found, strict=True)
    )
    return list(tqdm(rows, "score", len(found), disable=None))


def evaluate(
    contest: Contest,
    methods: Sequence[str],
    problems: Sequence[Problem],
    workers: int = 1,
    folder: Path | None = None,
    cluster: str = "",
) -> list[Row]:
    """Rows of ``methods`` on ``problems``, in that order; arguments of :func:`pie.experiments.answers.answers`.

    Scores are computed from the answers each time.
    """
    found = answers(contest, methods, problems, workers, folder, cluster)
    return scored(found, [*problems] * len(methods), workers)


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Rows as tidy CSV, the file whole or not at all."""
    write_records(Row, rows, path)


def read_rows(path: Path) -> list[Row]:
    """Rows from a CSV that :func:`write_rows` wrote."""
    return read_records(Row, path)


def summarise(
    rows: Sequence[Row],
    thresholds: Sequence[float] = THRESHOLDS,
    resamples: int = 2000,
    by: str = "test_set",
) -> list[dict]:
    """Per method and test set: fitness, Acc at each threshold, two-sided score, recovery, skeleton.

    ``by="budget"`` has all test sets together, apart by budget, which stands as ``benchmark``.

    Each is a mean over problems with its 95 % percentile-bootstrap interval (``…_low``,
    ``…_high``); ``seconds`` is a median.
    A law that is drawn in several ways is resampled with all of them.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.method, getattr(row, by)), []).append(row)
    table = []
    for (method, benchmark), members in groups.items():
        fit = np.array([r.fitness for r in members])
        both = np.array([r.two_sided for r in members])
        columns = {"fitness": fit}
        columns |= {f"acc_{t:g}": (fit >= t).astype(float) for t in thresholds}
        columns |= {"two_sided": both, "recovered": (both >= RECOVERED).astype(float)}
        columns["skeleton"] = np.array([float(r.skeleton) for r in members])
        laws = [r.equation_id.partition("-")[0] for r in members]
        _, law = np.unique(laws, return_inverse=True)
        size = np.bincount(law)
        picks = np.random.default_rng(0).integers(len(size), size=(resamples, len(size)))
        entry: dict = {"method": method, "benchmark": benchmark, "equations": len(members)}
        for name, values in columns.items():
            total = np.bincount(law, weights=values)
            means = total[picks].sum(1) / size[picks].sum(1)
            low, high = np.quantile(means, [0.025, 0.975])
            entry |= {name: values.mean(), f"{name}_low": low, f"{name}_high": high}
        ran = [r.seconds for r in members if r.seconds > 0.0]  # points were not refused
        entry["seconds"] = float(np.median(ran)) if ran else np.nan
        table.append(entry)
    return table
