"""Answers of every method to every problem, stored one by one, so that a run can be resumed.

They are scored in :mod:`pie.experiments.evaluation`, which may change without new searches.
"""

import contextlib
import functools
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Protocol, TypeVar

import pandas as pd
from joblib import Parallel, delayed, parallel_config

from ..data.benchmarks import Problem, read_rows
from ..expr.canonical import canonical
from ..expr.expression import Expression
from ..search.candidates import Method, Unusable
from ..zeroset.degeneracy import SOUND, kind
from .journal import resumed, write_table

Record = TypeVar("Record")


@dataclass(frozen=True)
class Answer:
    """A method's equation for a problem, in canonical form; empty if there is none.

    ``budget`` names the effort and, for ``wild``, sampling and noise. ``status`` is ``ok``, a
    degeneracy (:mod:`pie.zeroset.degeneracy`), or the reason why there is no equation.
    ``returned`` is the equation as the method gave it, where that is another text.
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
    returned: str = ""


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


def _search(contest: Contest, method: str, problem: Problem) -> dict:
    """A method's best candidate as plain values; ``codes`` is None if there is none."""
    search = contest.methods[method]
    if torch := sys.modules.get("torch"):  # imported by the methods that need it
        torch.set_num_threads(1)
    nothing = {"codes": None, "constants": ()}
    try:
        result = search(problem.points)
    except Unusable as reason:  # e.g. beyond half precision
        return nothing | {"seconds": 0.0, "status": str(reason)}
    if (best := result.best) is None:
        return nothing | {"seconds": result.seconds, "status": "no candidate could be fitted"}
    return {
        "codes": best.expression.codes, "constants": best.expression.constants,
        "seconds": result.seconds, "status": best.status,
    }  # fmt: skip


def answer_to(
    problem: Problem,
    equation: Expression | None,
    method: str,
    seconds: float,
    seed: int,
    budget: str,
    status: str,
) -> Answer:
    """An answer with its equation in canonical form, if it has one."""
    text = given = "" if equation is None else str(equation)
    if equation is not None:
        with contextlib.suppress(ValueError):  # no canonical form
            text = str(canonical(equation))
    return Answer(
        method, problem.benchmark, problem.equation_id, str(problem.truth), text,
        round(seconds, 3), seed, budget, status, given if given != text else "",
    )  # fmt: skip


def _written(contest: Contest, method: str, problem: Problem, found: dict) -> Answer:
    """What was found, judged on the points; ``budget`` names the sampling if not the paper's."""
    equation, status = None, found["status"]
    if found["codes"] is not None:
        equation = Expression(tuple(found["codes"]), tuple(found["constants"]))
        if (how := kind(equation, problem.points)) != SOUND:
            status = f"degenerate: {how}"
    sampling = "" if problem.sampling == "normal" else f", {problem.sampling}"
    budget = contest.budget(method) + sampling
    return answer_to(problem, equation, method, found["seconds"], contest.seed, budget, status)


def journal_path(folder: Path, contest: Contest, method: str) -> Path:
    """The journal of a method under its present settings and sources."""
    digest = hashlib.sha256(method.encode() + contest.digest(method))
    return Path(folder) / f"{digest.hexdigest()[:12]}.jsonl"


def answers(
    contest: Contest,
    methods: Sequence[str],
    problems: Sequence[Problem],
    workers: int = 1,
    folder: Path | None = None,
    cluster: str = "",
) -> list[Answer]:
    """Answers of ``methods`` to ``problems``, in that order; ValueError quotes an unknown method.

    ``workers`` are processes; ``cluster`` is the address of a Dask scheduler to use instead.
    ``folder`` is for a journal per method and sources, from which an interrupted run continues.
    """
    for name in methods:
        if name not in contest.methods:
            raise ValueError(f"unknown method {name!r}; known are {', '.join(contest.methods)}")
    journals = {m: journal_path(folder, contest, m) if folder else None for m in methods}
    jobs = [(m, p, p.points.tobytes()) for m in methods for p in problems]
    search = functools.partial(_search, contest)
    if cluster:
        from distributed import Client  # slow import, rarely needed

        with Client(cluster), parallel_config(backend="dask"):
            found = resumed(search, jobs, journals, -1)
    else:
        found = resumed(search, jobs, journals, workers)
    return Parallel(workers)(
        delayed(_written)(contest, method, problem, one)
        for (method, problem, _), one in zip(jobs, found, strict=True)
    )


def write_records(kind_of: type[Record], records: Sequence[Record], path: Path) -> None:
    """Write records of a dataclass of plain values as CSV, atomically.

    A field that has its default in every record is left out.
    """
    names = [
        f.name for f in fields(kind_of)
        if f.default is MISSING or any(getattr(r, f.name) != f.default for r in records)
    ]  # fmt: skip
    write_table(pd.DataFrame([asdict(r) for r in records], columns=names), path)


def read_records(kind_of: type[Record], path: Path) -> list[Record]:
    """Records of a CSV that :func:`write_records` wrote."""
    types = {f.name: f.type for f in fields(kind_of)}
    return [kind_of(**{k: types[k](v) for k, v in row.items()}) for row in read_rows(path)]
