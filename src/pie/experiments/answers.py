"""Answers of every method to every problem, stored one by one, so that a run can be resumed.

They are scored in :mod:`pie.experiments.evaluation`, which may change without new searches.
"""

import contextlib
import csv
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from ..data.benchmarks import Problem
from ..expr.canonical import canonical
from ..expr.expression import Expression
from ..search.candidates import Method, Unusable
from ..zeroset.degeneracy import SOUND, kind

Record = TypeVar("Record")


@dataclass(frozen=True)
class Answer:
    """A method's equation for a problem, in canonical form; empty if there is none.

    ``budget`` names the effort and, for ``wild``, sampling and noise. ``status`` is ``ok``, a
    degeneracy (:mod:`pie.zeroset.degeneracy`), or the reason why there is no equation.
    """

    method: str
    benchmark: str
    equation_id: str
    truth: str
    equation: str
    seconds: float
    seed: int
    budget: str
    status: str


class Contest(Protocol):
    """Methods with one signature, and their settings."""

    @property
    def methods(self) -> dict[str, Method]:
        """Every method by name: points (N, D) → ranked candidates."""

    @property
    def seed(self) -> int:
        """Seed of the methods and of the metrics."""

    def budget(self, method: str) -> str:
        """The search effort of a method, in words."""

    def digest(self, method: str) -> bytes:
        """Digest of everything that its answers depend on, except the points."""


def _budget(contest: Contest, method: str, problem: Problem) -> str:
    """The search effort, and the sampling if it is not the paper's."""
    sampling = "" if problem.sampling == "normal" else f", {problem.sampling}"
    return contest.budget(method) + sampling


@dataclass(frozen=True)
class _Found:
    """A method's best candidate as a program; None if there is none."""

    codes: tuple[int, ...] | None
    constants: tuple[float, ...]
    seconds: float
    status: str

    @property
    def expression(self) -> Expression | None:
        return None if self.codes is None else Expression(tuple(self.codes), tuple(self.constants))


def _search(contest: Contest, method: str, problem: Problem) -> _Found:
    search = contest.methods[method]
    if torch := sys.modules.get("torch"):  # imported by the methods that need it
        torch.set_num_threads(1)
    try:
        result = search(problem.points)
    except Unusable as reason:  # e.g. beyond half precision
        return _Found(None, (), 0.0, str(reason))
    best = result.best
    if best is None:
        return _Found(None, (), result.seconds, "no candidate could be fitted")
    return _Found(best.expression.codes, best.expression.constants, result.seconds, best.status)


def answer_to(
    problem: Problem,
    equation: Expression | None,
    method: str,
    seconds: float,
    seed: int,
    budget: str,
    status: str,
) -> Answer:
    text = "" if equation is None else str(equation)
    return Answer(
        method, problem.benchmark, problem.equation_id, str(problem.truth), text,
        round(seconds, 3), seed, budget, status,
    )  # fmt: skip


def _written(contest: Contest, method: str, problem: Problem, found: _Found) -> Answer:
    expression, status = found.expression, found.status
    if expression is not None:
        if (how := kind(expression, problem.points)) != SOUND:
            status = f"degenerate: {how}"
        with contextlib.suppress(ValueError):  # no canonical form
            expression = canonical(expression)
    budget = _budget(contest, method, problem)
    return answer_to(problem, expression, method, found.seconds, contest.seed, budget, status)


def _points_key(problem: Problem) -> str:
    return hashlib.sha256(np.ascontiguousarray(problem.points).tobytes()).hexdigest()[:16]


def journal_path(folder: Path, contest: Contest, method: str) -> Path:
    """The journal of a method under its present settings and sources."""
    digest = hashlib.sha256(method.encode() + contest.digest(method))
    return Path(folder) / f"{digest.hexdigest()[:12]}.jsonl"


def _finished(path: Path) -> dict[str, _Found]:
    """Answers of a journal by the key of their points; an incomplete last line is skipped."""
    if not path.exists():
        return {}
    lines = [json.loads(x) for x in path.read_text().splitlines() if x.endswith("}")]
    return {line.pop("points"): _Found(**line) for line in lines}


@contextlib.contextmanager
def _workers(workers: int, cluster: str) -> Iterator[Parallel]:
    """Local processes, or a Dask cluster at the address of its scheduler."""
    if not cluster:
        yield Parallel(workers, return_as="generator_unordered")
        return
    from distributed import Client  # slow import, rarely needed

    with Client(cluster), parallel_config(backend="dask"):
        yield Parallel(-1, return_as="generator_unordered")


def answers(
    contest: Contest,
    methods: Sequence[str],
    problems: Sequence[Problem],
    workers: int = 1,
    folder: Path | None = None,
    cluster: str = "",
) -> list[Answer]:
    """Answers of ``methods`` to ``problems``, in that order.

    Args:
        contest: the methods and their settings.
        methods: names of some of them.
        problems: equations with their points.
        workers: processes.
        folder: for a journal per method and sources, from which an interrupted run continues.
        cluster: address of a Dask scheduler to use instead.

    Raises:
        ValueError: an unknown method, quoted.
    """
    for name in methods:
        if name not in contest.methods:
            raise ValueError(f"unknown method {name!r}; known are {', '.join(contest.methods)}")
    journals = {
        m: journal_path(folder, contest, m) if folder else Path(os.devnull) for m in methods
    }
    done = {m: _finished(path) if folder else {} for m, path in journals.items()}
    jobs = [(m, _points_key(p), p) for m in methods for p in problems]
    open_jobs = [job for job in jobs if job[1] not in done[job[0]]]

    def run(method: str, key: str, problem: Problem) -> tuple[str, str, _Found]:
        return method, key, _search(contest, method, problem)

    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    with _workers(workers, cluster) as parallel:
        results = parallel(delayed(run)(*job) for job in open_jobs)
        for method, key, found in tqdm(results, "search", len(open_jobs), disable=None):
            done[method][key] = found
            with open(journals[method], "a") as lines:
                line = json.dumps({"points": key, **asdict(found)})
                lines.write("\n" * (lines.tell() > 0) + line)
    return Parallel(workers)(
        delayed(_written)(contest, method, problem, done[method][key])
        for method, key, problem in jobs
    )


def write_records(kind_of: type[Record], records: Sequence[Record], path: Path) -> None:
    """Write records of a dataclass of plain values as CSV, atomically."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".tmp")
    with open(partial, "w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(kind_of)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(record) for record in records)
    partial.replace(path)


def read_records(kind_of: type[Record], path: Path) -> list[Record]:
    """Records of a CSV that :func:`write_records` wrote."""
    types = {f.name: f.type for f in fields(kind_of)}
    with open(path, newline="") as file:
        return [kind_of(**{k: types[k](v) for k, v in row.items()}) for row in csv.DictReader(file)]
