"""Every method on every test set: method × problem → rows, resumable row by row."""

import csv
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
from .canonical import NoZeroSet, canonical
from .discovery import Discovery, InferenceConfig, discover
from .expression import Expression, parse
from .metrics import THRESHOLDS, paper_fitness, two_sided
from .model import load_weights
from .plus import PlusConfig, discover_plus

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
Method = Callable[[np.ndarray], Discovery]


@dataclass(frozen=True)
class Row:
    """One result: a method on a problem. ``equation`` is empty where none was found."""

    method: str
    benchmark: str
    equation_id: str
    truth: str
    equation: str
    fitness: float
    two_sided: float
    seconds: float
    seed: int
    budget: str
    status: str


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
    arguments = (estimate, problem.truth, problem.n_variables, seed)
    return Row(
        method, problem.benchmark, problem.equation_id, str(problem.truth), text,
        round(paper_fitness(*arguments), 6), round(two_sided(*arguments), 6),
        round(seconds, 3), seed, budget, status,
    )  # fmt: skip


METHODS = ("PIE", "PIE (Vanilla)", "PIE (strict)", "PIE+")


def pie_methods(
    weights: Path, config: InferenceConfig, plus: PlusConfig = PlusConfig()
) -> dict[str, Method]:
    """The paper's two rows, *PIE* (CL-FEM) and *PIE (Vanilla)*, and ours, from the same weights.

    *PIE (strict)* is *PIE* with the highest fitness taken to the last bit: exact fits, which
    differ by rounding only, are then told apart by their rounding. *PIE+* goes beyond the paper.
    """
    model = load_weights(weights)
    strict = replace(config, resolution=0.0)
    return {
        "PIE": lambda points: discover(model, points, "cl-fem", config),
        "PIE (Vanilla)": lambda points: discover(model, points, "vanilla", config),
        "PIE (strict)": lambda points: discover(model, points, "cl-fem", strict),
        "PIE+": lambda points: discover_plus(model, points, plus),
    }


def _one(
    weights: Path, config: InferenceConfig, plus: PlusConfig, name: str, problem: Problem
) -> Row:
    torch.set_num_threads(1)
    result = pie_methods(weights, config, plus)[name](problem.points)
    best = result.best
    expression, status = None, "no candidate could be fitted"
    if best is not None:
        expression, status = best.expression, best.status
        try:
            expression = canonical(expression)
        except NoZeroSet as reason:
            status = f"degenerate: {reason}"
    budget = f"beam {plus.beam if name == 'PIE+' else config.beam}"
    return score(problem, expression, name, result.seconds, config.seed, budget, status)


def fresh_journal(
    folder: Path,
    weights: Path,
    config: InferenceConfig,
    plus: PlusConfig = PlusConfig(),
    problems: Sequence[Problem] = (),
) -> Path:
    """The journal that belongs to these weights, settings, sources and points."""
    digest = hashlib.sha256(repr((config, plus)).encode())
    for problem in problems:
        digest.update(f"{problem.benchmark}/{problem.equation_id}/{problem.truth}".encode())
        digest.update(np.ascontiguousarray(problem.points).tobytes())
    for path in [*sorted(Path(weights).glob("*.safetensors")), *_SOURCES]:
        digest.update(path.read_bytes())
    return Path(folder) / f"{digest.hexdigest()[:12]}.jsonl"


def evaluate(
    weights: Path,
    methods: Sequence[str],
    problems: Sequence[Problem],
    config: InferenceConfig = InferenceConfig(),
    workers: int = 1,
    journal: Path | None = None,
    plus: PlusConfig = PlusConfig(),
) -> list[Row]:
    """Rows of ``methods`` on ``problems``, in that order.

    Args:
        weights: folder of the network.
        methods: names among :data:`METHODS`.
        problems: equations with their points.
        config: inference settings.
        workers: processes.
        journal: file that receives every row as it is finished; a run that was cut
            goes on from there. Remove it to start again.
        plus: settings of *PIE+*.
    """
    for name in methods:
        if name not in METHODS:
            raise ValueError(f"unknown method {name!r}; known are {', '.join(METHODS)}")
    done: dict[tuple[str, str, str], Row] = {}
    if journal and Path(journal).exists():
        for line in Path(journal).read_text().splitlines():
            if line.endswith("}"):  # a line cut by a kill is left out
                row = Row(**json.loads(line))
                done[row.method, row.benchmark, row.equation_id] = row
    wanted = [(m, p) for m in methods for p in problems]
    key = lambda m, p: (m, p.benchmark, p.equation_id)  # noqa: E731
    open_jobs = [(m, p) for m, p in wanted if key(m, p) not in done]
    results = Parallel(workers, return_as="generator_unordered")(
        delayed(_one)(weights, config, plus, m, p) for m, p in open_jobs
    )
    if journal:
        Path(journal).parent.mkdir(parents=True, exist_ok=True)
    with open(journal or os.devnull, "a") as lines:
        for row in tqdm(results, total=len(open_jobs), unit="equation", disable=None):
            done[row.method, row.benchmark, row.equation_id] = row
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
    """Per method and test set: mean fitness, Acc at each threshold, two-sided recovery, seconds.

    Each comes with its 95 % percentile-bootstrap interval over equations (``…_low``, ``…_high``).
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.method, row.benchmark), []).append(row)
    table = []
    for (method, benchmark), members in groups.items():
        fit = np.array([r.fitness for r in members])
        both = np.array([r.two_sided for r in members])
        columns = {"fitness": fit}
        columns |= {f"acc_{t:g}": (fit >= t).astype(float) for t in thresholds}
        columns |= {"two_sided": both, "recovered": (both >= 0.99).astype(float)}
        picks = np.random.default_rng(0).integers(len(members), size=(resamples, len(members)))
        entry: dict = {"method": method, "benchmark": benchmark, "equations": len(members)}
        for name, values in columns.items():
            low, high = np.quantile(values[picks].mean(1), [0.025, 0.975])
            entry |= {name: values.mean(), f"{name}_low": low, f"{name}_high": high}
        entry["seconds"] = float(np.median([r.seconds for r in members]))
        table.append(entry)
    return table
