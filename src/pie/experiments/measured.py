"""Measured tables: is the relation that a textbook gives the answer, or among the answers?

The relations of data/measured/tables.csv were written down before any table was searched. A
candidate *is* the textbook's if it has no more constants (:func:`free_constants`) and the form of
one of them but for their values (:func:`pie.experiments.metrics.right_skeleton`), or within the
errors the same zeros in the box of the points. Where it leaves free what the textbook ties, as the
height at 0 of a·(1 − exp(−b·x)), the form is not enough: the zeros must be the same. Half of the
tables, ``choice``, may guide choices, the other half, ``test``, may not.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

from ..data.benchmarks import Problem
from ..data.obvious import LAWS, problems
from ..discovery.certificate import same_zero_set
from ..discovery.laws import discover
from ..discovery.measurements import measurements, read_csv
from ..discovery.pretrained import default_weights, from_pretrained
from ..discovery.result import Law, first_order_distances
from ..expr.canonical import canonical
from ..expr.expression import Expression, parse, to_infix, to_tree
from ..expr.operators import BY_NAME, arity
from ..expr.sympy_bridge import rounded
from ..expr.terms import bare, terms
from ..search.plus import PlusConfig, discover_plus
from ..search.shapes import name_of
from ..zeroset.box import Box
from ..zeroset.metric import Metric
from ..zeroset.spreads import robust_spreads
from .journal import each, of_search
from .metrics import right_skeleton

FORM, WITHIN_ERRORS = "form", "within errors"
_FUNCTIONS = {BY_NAME[name].code for name in ("sqrt", "exp", "ln", "sin", "cos")}
COLUMNS = [
    "table", "half", "units", "law", "rows", "variables", "textbook", "best", "name", "is_law",
    "place", "how", "constants", "textbook_constants", "nested", "sd_ratio", "seconds", "equation",
]  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A measured table; ``relations`` are the textbook's, empty where there is none."""

    name: str
    half: str
    columns: tuple[str, ...]
    units: tuple[str, ...]  # () = not known
    textbook: str
    relations: tuple[Expression, ...]
    certified_sd: float | None
    frame: pd.DataFrame

    @property
    def points(self) -> np.ndarray:
        return measurements(self.frame).points


def read_tables(folder: Path) -> list[Table]:
    """All tables of a folder with ``tables.csv``, in its order."""
    tables = []
    with open(Path(folder) / "tables.csv", newline="") as file:
        for row in csv.DictReader(file):
            frame = read_csv(Path(folder) / f"{row['table']}.csv")
            relations = tuple(parse(text) for text in row["relation"].split(" ; ") if text)
            sd = float(row["certified_sd"]) if row["certified_sd"] else None
            columns, units = tuple(frame.columns), tuple(row["units"].split())
            about = row["table"], row["half"], columns, units, row["textbook"], relations, sd, frame
            tables.append(Table(*about))
    return tables


def free_constants(expression: Expression) -> int:
    """How many numbers are free, as written or in canonical form: not whole, equal ones are one.

    >>> free_constants(parse("x2 - 2.1*(1 - exp(-0.8*x1))"))
    2
    """
    forms = (expression.constants, canonical(expression).constants)
    return min(len({abs(c) for c in form if c % 1.0 or abs(c) > 1e9}) for form in forms)


def _fitted(relation: Expression, points: np.ndarray, units: np.ndarray) -> Expression:
    """The relation with its constants fitted to points (N, D); whole and equal ones stay so."""
    start = np.array(relation.constants)
    free = start != np.round(start)
    sizes, which = np.unique(np.abs(start[free]), return_inverse=True)
    if not free.any() or len(points) <= len(sizes):
        return relation

    def with_free(values: np.ndarray) -> Expression:
        constants = start.copy()
        constants[free] = values[which] * start[free]
        return relation.with_constants(constants)

    def residuals(values: np.ndarray) -> np.ndarray:
        return np.nan_to_num(first_order_distances(with_free(values), points, units), nan=1.0)

    found = least_squares(residuals, np.ones(len(sizes)), loss="soft_l1", f_scale=0.1)
    return with_free(found.x)


def is_textbooks(law: Law, table: Table, points: np.ndarray) -> str:
    """How a candidate is the textbook's: :data:`FORM`, :data:`WITHIN_ERRORS`, or empty."""
    if law.names != table.columns:
        return ""
    box, form = Box(points.min(axis=0), points.max(axis=0)), canonical(law.program)
    wide = tuple(bool(low > 0.0) for low in points.min(axis=0))
    metrics = [Metric.of(points, logs, robust_spreads) for logs in ((), wide)]
    ways = [_fitted(r, points, m.units(points)) for r in table.relations for m in metrics]
    near, free = [], free_constants(law.program)
    for relation in ways:
        theirs, fewer = canonical(relation), free <= free_constants(relation)
        alike = form.codes == theirs.codes or (name_of(form) and name_of(form) == name_of(theirs))
        if fewer and (alike or right_skeleton(form, relation, points.shape[1], 0, box)):
            return FORM
        if fewer or alike:
            near.append(relation)
    return WITHIN_ERRORS if any(same_zero_set(form, r, points) for r in near) else ""


def nested(expression: Expression) -> bool:
    """Whether a function is inside another one."""

    def walk(place: int, inside: bool) -> tuple[int, bool]:
        code = expression.codes[place]
        function = code in _FUNCTIONS
        found, place = function and inside, place + 1
        for _ in range(arity(code)):
            place, below = walk(place, inside or function)
            found = found or below
        return place, found

    return walk(0, False)[1]


def _of_logarithm(table: Table) -> bool:
    """Whether the textbook's relation is one of ln of the last column."""
    last = ("ln", ("x", len(table.columns)))
    return any(bare(term) == last for term in terms(to_tree(table.relations[0])))


def _sd_ratio(law: Law, table: Table, points: np.ndarray) -> float:
    """Residual standard deviation of the last column over the certified one; nan if unknown."""
    if table.certified_sd is None or law.names != table.columns:
        return np.nan
    with np.errstate(all="ignore"):
        value, gradient = law.program.value_and_gradient(points)
        residual = value / gradient[:, -1]  # to first order, along the last column
        if _of_logarithm(table):
            residual = residual / points[:, -1]  # certified is the deviation of its logarithm
    free = len(points) - len(law.program.constants)
    return float(np.sqrt(np.sum(residual**2) / free) / table.certified_sd)


def answered(table: Table, config: PlusConfig = PlusConfig(), seed: int = 0) -> dict:
    """The search's answer to a table, judged: a row of :data:`COLUMNS`."""
    result = discover(
        table.frame, config=config, seed=seed, seconds=np.inf, workers=1, units=table.units or None
    )
    points = table.points
    best = result.best or next(iter(result.candidates), None)
    place, how = -1, ""
    for i, law in enumerate(result.candidates):
        if how := is_textbooks(law, table, points):
            place = i
            break
    alone = {r: replace(table, relations=(r,)) for r in table.relations if how}
    matched = [r for r in alone if is_textbooks(law, alone[r], points) == how]
    return {
        "table": table.name, "half": table.half, "units": bool(table.units),
        "law": bool(table.relations),
        "rows": len(points), "variables": points.shape[1], "textbook": table.textbook,
        "best": "" if best is None else f"{rounded(best.expression)} = 0",
        "name": "" if best is None else name_of(canonical(best.program)),
        "is_law": result.best is not None, "place": place, "how": how,
        "constants": 0 if best is None else free_constants(best.program),
        "textbook_constants": min(map(free_constants, matched or table.relations), default=0),
        "nested": best is not None and nested(best.program),
        "sd_ratio": np.nan if best is None else float(f"{_sd_ratio(best, table, points):.4g}"),
        "seconds": round(result.seconds, 2),
        "equation": "" if best is None or best.names != table.columns else str(best.program),
    }  # fmt: skip


PLAIN = ["law", "noise", "seed", "answer", "name", "plain", "seconds"]


def _plain(problem: Problem, config: PlusConfig) -> dict:
    """The answer of the search to one of the obvious laws: a row of :data:`PLAIN`."""
    found = discover_plus(from_pretrained(None), problem.points, config)
    law, _, seed = problem.equation_id.rpartition("-")
    noise, truth = float(problem.sampling.removeprefix("noise ")), canonical(problem.truth)
    text, name, plain = "", "", False
    if found.best:
        form = found.best.expression
        text, name = to_infix(to_tree(form), 4), name_of(form)
        plain = form.codes == truth.codes or name == name_of(truth) != ""
    row = (law, noise, int(seed), text, name, plain, found.seconds)
    return dict(zip(PLAIN, row, strict=True))


def plain_answers(
    asked: Sequence[Problem],
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """Whether the best answer to each problem of :mod:`pie.data.obvious` is its plain form.

    Plain is the skeleton of the law, or another way to write the curve of the same name. ``folder``
    receives a journal, from which an interrupted run of the same settings and sources continues.
    """

    def content(problem: Problem) -> bytes:
        return f"{problem.equation_id} {problem.sampling}".encode() + problem.points.tobytes()

    run, journal = partial(_plain, config=config), _journal(folder, config)
    rows = each(run, asked, workers, journal, content)
    return pd.DataFrame(rows, columns=PLAIN).round({"seconds": 2})


def same_curve(rows: pd.DataFrame) -> pd.Series:
    """Whether an answer to an obvious law is it in another plain form, as ln y = a − b·x.

    It has no function of a function, no more constants than the law, and with its own constants the
    zeros of the law where the points are (:func:`pie.experiments.metrics.right_skeleton`).
    """
    of_law = {law.name: parse(law.equation) for law in LAWS}
    clean = {p.equation_id: p.points for p in problems([0.0], [0])}
    found = []
    for row in rows.itertuples():
        truth, points, form = of_law[row.law], clean[f"{row.law}-0"], parse(row.answer)
        box = Box(points.min(axis=0), points.max(axis=0))
        simple = len(form.constants) <= len(canonical(truth).constants) and not nested(form)
        found.append(simple and right_skeleton(form, truth, points.shape[1], 0, box))
    return pd.Series(found, rows.index) | rows.plain


def answers(
    tables: Sequence[Table],
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """A row of :data:`COLUMNS` for each table; ``folder`` as in :func:`plain_answers`.

    ``units`` of a table are told to the search.
    """

    def content(table: Table) -> bytes:
        told = replace(table, frame=table.frame.to_csv())
        return repr(told).encode()

    run, journal = partial(answered, config=config), _journal(folder, config)
    return pd.DataFrame(each(run, tables, workers, journal, content), columns=COLUMNS)


def _journal(folder: Path | None, config: PlusConfig) -> Path | None:
    return of_search(folder, default_weights(), config, "experiments.measured")
