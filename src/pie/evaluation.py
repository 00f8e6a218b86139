"""Every method on every test set: method × problem → rows, resumable row by row."""

import csv
import functools
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import torch
from joblib import Parallel, delayed
from tqdm import tqdm

from .benchmarks import Problem
from .canonical import canonical
from .discovery import Discovery, InferenceConfig, Unusable, discover
from .expression import Expression, parse
from .metrics import RECOVERED, THRESHOLDS, paper_fitness, right_skeleton, two_sided
from .model import load_weights
from .plus import PlusConfig, discover_plus

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
Method = Callable[[np.ndarray], Discovery]


@dataclass(frozen=True)
class Row:
    """One result: a method on a problem. ``equation`` is empty where none was found.

    ``skeleton`` is 1 where it is right (:func:`pie.metrics.right_skeleton`), else 0; ``budget``
    names the search and, for ``wild``, sampling and noise.
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
    def way(self) -> str:
        """How the points of a ``wild`` problem were drawn; empty for other test sets."""
        return self.equation_id.partition("-")[2]


@dataclass(frozen=True)
class Setting:
    """What the methods of this project run with: weights and settings of *PIE* and of *PIE+*."""

    weights: Path
    weights_plus: Path
    inference: InferenceConfig = InferenceConfig()
    inference_plus: PlusConfig = PlusConfig()

    def budget(self, method: str, problem: Problem) -> str:
        """How much a method may search, and how points in a box came."""
        beam = self.inference_plus.beam if method == "PIE+" else self.inference.beam
        return f"beam {beam}" + (f", {problem.sampling}" if problem.box else "")


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


METHODS = ("PIE", "PIE (Vanilla)", "PIE (strict)", "PIE+")


def pie_methods(setting: Setting) -> dict[str, Method]:
    """The paper's two rows, *PIE* (CL-FEM) and *PIE (Vanilla)*, and ours.

    *PIE (strict)* is *PIE* with the highest fitness taken to the last bit: exact fits, which
    differ by rounding only, are then told apart by their rounding. *PIE+* goes beyond the paper,
    with weights of its own.
    """
    config, plus = setting.inference, setting.inference_plus
    strict = replace(config, resolution=0.0)
    model = functools.cache(load_weights)

    def by_the_paper(fitness: str, config: InferenceConfig) -> Method:
        return lambda points: discover(model(setting.weights), points, fitness, config)

    return {
        "PIE": by_the_paper("cl-fem", config),
        "PIE (Vanilla)": by_the_paper("vanilla", config),
        "PIE (strict)": by_the_paper("cl-fem", strict),
        "PIE+": lambda points: discover_plus(model(setting.weights_plus), points, plus),
    }


def _one(setting: Setting, name: str, problem: Problem) -> Row:
    torch.set_num_threads(1)
    seed, budget = setting.inference.seed, setting.budget(name, problem)
    try:
        result = pie_methods(setting)[name](problem.points)
    except Unusable as reason:  # beyond half precision, for the methods that do not rescale
        return score(problem, None, name, 0.0, seed, budget, str(reason))
    best = result.best
    expression, status = None, "no candidate could be fitted"
    if best is not None:
        expression, status = best.expression, best.status
        try:
            expression = canonical(expression)
        except ValueError as reason:  # no zeros by its form, or far too long for one
            status = f"degenerate: {reason}"
    return score(problem, expression, name, result.seconds, seed, budget, status)


def fresh_journal(folder: Path, setting: Setting, problems: Sequence[Problem] = ()) -> Path:
    """The journal that belongs to these weights, settings, sources and points."""
    digest = hashlib.sha256(repr((setting.inference, setting.inference_plus)).encode())
    for problem in problems:
        digest.update(f"{problem.benchmark}/{problem.equation_id}/{problem.truth}".encode())
        digest.update(repr((problem.box, problem.sampling)).encode())
        digest.update(np.ascontiguousarray(problem.points).tobytes())
    shards = [p for w in (setting.weights, setting.weights_plus) for p in Path(w).glob("*.saf*")]
    for path in [*sorted(shards), *_SOURCES]:
        digest.update(path.read_bytes())
    return Path(folder) / f"{digest.hexdigest()[:12]}.jsonl"


def evaluate(
    setting: Setting,
    methods: Sequence[str],
    problems: Sequence[Problem],
    workers: int = 1,
    journal: Path | None = None,
) -> list[Row]:
    """Rows of ``methods`` on ``problems``, in that order.

    Args:
        setting: weights and settings.
        methods: names among :data:`METHODS`.
        problems: equations with their points.
        workers: processes.
        journal: file that receives every row as it is finished; a run that was cut
            goes on from there. Remove it to start again.
    """
    for name in methods:
        if name not in METHODS:
            raise ValueError(f"unknown method {name!r}; known are {', '.join(METHODS)}")
    done: dict[tuple[str, ...], Row] = {}

    def keep(row: Row) -> None:
        done[row.method, row.benchmark, row.equation_id, row.budget] = row

    def key(method: str, problem: Problem) -> tuple[str, ...]:
        budget = setting.budget(method, problem)
        return method, problem.benchmark, problem.equation_id, budget

    if journal and Path(journal).exists():
        for line in Path(journal).read_text().splitlines():
            if line.endswith("}"):  # a line cut by a kill is left out
                keep(Row(**json.loads(line)))
    wanted = [(m, p) for m in methods for p in problems]
    open_jobs = [(m, p) for m, p in wanted if key(m, p) not in done]
    results = Parallel(workers, return_as="generator_unordered")(
        delayed(_one)(setting, m, p) for m, p in open_jobs
    )
    if journal:
        Path(journal).parent.mkdir(parents=True, exist_ok=True)
    with open(journal or os.devnull, "a") as lines:
        for row in tqdm(results, total=len(open_jobs), unit="equation", disable=None):
            keep(row)
            lines.write("\n" * (lines.tell() > 0) + json.dumps(asdict(row)))
            lines.flush()
    return [done[key(m, p)] for m, p in wanted]


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
    rows: Sequence[Row], thresholds: Sequence[float] = THRESHOLDS, resamples: int = 2000
) -> list[dict]:
    """Per method and test set: fitness, Acc at each threshold, two-sided score, recovery, skeleton.

    Each is a mean over problems with its 95 % percentile-bootstrap interval (``…_low``,
    ``…_high``); ``seconds`` is a median.
    A law that is drawn in several ways is resampled with all of them.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.method, row.test_set), []).append(row)
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
