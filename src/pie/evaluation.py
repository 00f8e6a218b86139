"""Every method on every test set: method × problem → rows, resumable row by row."""

import contextlib
import csv
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from .benchmarks import Problem
from .candidates import Discovery, Unusable
from .canonical import canonical
from .degeneracy import SOUND, kind
from .expression import Expression, parse
from .metrics import RECOVERED, THRESHOLDS, paper_fitness, right_skeleton, two_sided
from .sources import sources

Method = Callable[[np.ndarray], Discovery]


@dataclass(frozen=True)
class Row:
    """One result: a method on a problem. ``equation`` is empty where none was found.

    ``skeleton`` is 1 where it is right (:func:`pie.metrics.right_skeleton`), else 0; ``budget``
    names the search and, for ``wild``, sampling and noise; ``status`` is ``ok``, or how the answer
    is degenerate (:mod:`pie.degeneracy`), or why there is none.
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
        """The last thing done to the points (:mod:`pie.conditions`): ``relative noise 0.1``."""
        return self.budget.rpartition(", ")[2]

    @property
    def way(self) -> str:
        """How the points of a ``wild`` problem were drawn; empty for other test sets."""
        return self.equation_id.partition("-")[2]


class Contest(Protocol):
    """Methods behind one signature, with what they run with."""

    @property
    def methods(self) -> dict[str, Method]:
        """Every method by name: points (N, D) → ranked candidates."""

    @property
    def seed(self) -> int:
        """Of the methods and of the metrics."""

    def budget(self, method: str) -> str:
        """How much a method may search, in words."""

    def digest(self, method: str) -> bytes:
        """Of everything but the points that its answers depend on."""


def digest_of(modules: Iterable[str], settings: object, files: Iterable[Path] = ()) -> bytes:
    """Digest of settings, files, and the named modules with all that they import."""
    found = hashlib.sha256(repr(settings).encode())
    for path in [*files, *sources(modules)]:
        found.update(path.read_bytes())
    return found.digest()


def score(
    problem: Problem,
    found: Expression | None,
    method: str,
    seconds: float,
    seed: int,
    budget: str,
    status: str,
) -> Row:
    """The row of an equation that a method found, with both metrics.

    The equation is written and read back before it is scored: what is scored is what is written.
    """
    text = str(found) if found is not None else ""
    estimate = parse(text) if text else None
    arguments = (estimate, problem.truth, problem.n_variables, seed, problem.box)
    return Row(
        method, problem.benchmark, problem.equation_id, str(problem.truth), text,
        round(paper_fitness(*arguments), 6), round(two_sided(*arguments), 6),
        int(right_skeleton(*arguments)), round(seconds, 3), seed, budget, status,
    )  # fmt: skip


def _budget(contest: Contest, method: str, problem: Problem) -> str:
    """How much a method may search, and how the points came if not the paper's way."""
    sampling = "" if problem.sampling == "normal" else f", {problem.sampling}"
    return contest.budget(method) + sampling


@dataclass(frozen=True)
class Answer:
    """What a method found, before it is scored: its winner as a program, None if there is none."""

    codes: tuple[int, ...] | None
    constants: tuple[float, ...]
    seconds: float
    status: str

    @property
    def expression(self) -> Expression | None:
        """The winner."""
        return None if self.codes is None else Expression(tuple(self.codes), tuple(self.constants))


def _answer(contest: Contest, method: str, problem: Problem) -> Answer:
    torch.set_num_threads(1)
    try:
        result = contest.methods[method](problem.points)
    except Unusable as reason:  # beyond half precision, for the methods that do not rescale
        return Answer(None, (), 0.0, str(reason))
    best = result.best
    if best is None:
        return Answer(None, (), result.seconds, "no candidate could be fitted")
    return Answer(best.expression.codes, best.expression.constants, result.seconds, best.status)


def _row(contest: Contest, method: str, problem: Problem, answer: Answer) -> Row:
    expression, status = answer.expression, answer.status
    if expression is not None:
        if (found := kind(expression, problem.points)) != SOUND:
            status = f"degenerate: {found}"
        with contextlib.suppress(ValueError):  # no zeros by its form, or far too long for one
            expression = canonical(expression)
    budget = _budget(contest, method, problem)
    return score(problem, expression, method, answer.seconds, contest.seed, budget, status)


def _points_key(problem: Problem) -> str:
    """Digest of all that a method is given."""
    return hashlib.sha256(np.ascontiguousarray(problem.points).tobytes()).hexdigest()[:16]


def journal_path(folder: Path, contest: Contest, method: str) -> Path:
    """Where the answers of a method are kept, under its present settings and sources."""
    digest = hashlib.sha256(method.encode() + contest.digest(method))
    return Path(folder) / f"{digest.hexdigest()[:12]}.jsonl"


def _finished(path: Path) -> dict[str, Answer]:
    """Answers of a journal by the key of their points; a line cut by a kill is left out."""
    if not path.exists():
        return {}
    lines = [json.loads(x) for x in path.read_text().splitlines() if x.endswith("}")]
    return {line.pop("points"): Answer(**line) for line in lines}


@contextlib.contextmanager
def _workers(workers: int, cluster: str) -> Iterator[Parallel]:
    """Processes here, or a Dask cluster by the address of its scheduler."""
    if not cluster:
        yield Parallel(workers, return_as="generator_unordered")
        return
    from distributed import Client  # heavy, and most runs need none

    with Client(cluster), parallel_config(backend="dask"):
        yield Parallel(-1, return_as="generator_unordered")


def evaluate(
    contest: Contest,
    methods: Sequence[str],
    problems: Sequence[Problem],
    workers: int = 1,
    folder: Path | None = None,
    cluster: str = "",
) -> list[Row]:
    """Rows of ``methods`` on ``problems``, in that order.

    Args:
        contest: the methods with their settings.
        methods: names among those of ``contest``.
        problems: equations with their points.
        workers: processes.
        folder: receives every answer as it is found, in a journal per method; a run that was cut
            goes on from there. A change of settings or sources begins another journal. Scores
            are computed from the answers each time.
        cluster: address of a Dask scheduler, whose workers are used instead.

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

    def run(method: str, key: str, problem: Problem) -> tuple[str, str, Answer]:
        return method, key, _answer(contest, method, problem)

    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    with _workers(workers, cluster) as parallel:
        results = parallel(delayed(run)(*job) for job in open_jobs)
        for method, key, answer in tqdm(results, "search", len(open_jobs), disable=None):
            done[method][key] = answer
            with open(journals[method], "a") as lines:
                line = json.dumps({"points": key, **asdict(answer)})
                lines.write("\n" * (lines.tell() > 0) + line)
    scored = Parallel(workers, return_as="generator")(
        delayed(_row)(contest, method, problem, done[method][key]) for method, key, problem in jobs
    )
    return list(tqdm(scored, "score", len(jobs), disable=None))


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Rows as tidy CSV, the file whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".tmp")
    with open(partial, "w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    partial.replace(path)


def read_rows(path: Path) -> list[Row]:
    """Rows from a CSV that :func:`write_rows` wrote."""
    types = {f.name: f.type for f in fields(Row)}
    with open(path, newline="") as file:
        return [Row(**{k: types[k](v) for k, v in row.items()}) for row in csv.DictReader(file)]


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
