"""Measured tables: is the relation that a textbook gives the answer, or among the answers?

The relations of data/measured/tables.csv were written down before any table was searched. A
candidate *is* the textbook's if it has no more constants (:func:`free_constants`) and the form of
one of them but for their values (:func:`pie.experiments.metrics.right_skeleton`), or within the
errors the same zeros in the box of the points. Where it leaves free what the textbook ties, as the
height at 0 of a·(1 − exp(−b·x)), the form is not enough: the zeros must be the same. The tables of
one part, ``choice``, may guide choices, those of the other, ``test``, may not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

from ..data.benchmarks import Problem, read_rows
from ..data.obvious import LAWS, problems
from ..discovery.certificate import same_zero_set
from ..discovery.laws import discover
from ..discovery.measurements import measurements, read_csv
from ..discovery.pretrained import default_weights, from_pretrained
from ..discovery.result import Law
from ..discovery.scales import Scale
from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.dimensions import Dimensions
from ..expr.expression import Expression, parse, to_infix, to_tree
from ..expr.sympy_bridge import rounded
from ..expr.terms import scaled, subtrees, terms
from ..search.libraries import FUNCTIONS
from ..search.plus import PlusConfig, discover_plus
from ..search.shapes import name_of
from ..zeroset.box import Box
from ..zeroset.distance import first_order_distances
from ..zeroset.metric import Metric
from ..zeroset.spreads import robust_spreads
from .journal import search_all
from .metrics import right_skeleton

FORM, WITHIN_ERRORS = "form", "within errors"
MODULE = "experiments.measured"  # its code is what journals depend on


@dataclass(frozen=True)
class MeasuredTable:
    """A measured table; ``relations`` are the textbook's, empty where there is none."""

    name: str
    part: str
    units: tuple[str, ...]  # () = not known
    textbook: str
    relations: tuple[Expression, ...]
    certified_sd: float  # of the last column, or its logarithm; nan = not known
    frame: pd.DataFrame

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @property
    def points(self) -> np.ndarray:
        return measurements(self.frame).points

    @property
    def scales(self) -> tuple[Scale, ...]:
        return measurements(self.frame).scales

    @property
    def counted(self) -> "MeasuredTable":
        """With relations in columns as they are counted in ``points``, years from a decade."""
        origins = np.array([scale.origin for scale in self.scales])
        if not origins.any():
            return self
        ones = np.ones(len(origins))
        return replace(self, relations=tuple(in_units(r, origins, ones) for r in self.relations))


def read_tables(folder: Path) -> list[MeasuredTable]:
    """All tables of a folder with ``tables.csv``, in its order."""
    return [
        MeasuredTable(
            row["table"], row["part"], tuple(row["units"].split()), row["textbook"],
            tuple(parse(text) for text in row["relation"].split(" ; ") if text),
            float(row["certified_sd"] or "nan"),
            read_csv(Path(folder) / f"{row['table']}.csv"),
        )
        for row in read_rows(Path(folder) / "tables.csv")
    ]  # fmt: skip


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


def is_textbooks(law: Law, table: MeasuredTable, points: np.ndarray) -> str:
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
    functions = (tree for tree in subtrees(to_tree(expression)) if tree[0] in FUNCTIONS)
    return any(inner[0] in FUNCTIONS for tree in functions for inner in subtrees(tree[1]))


def _sd_ratio(law: Law, table: MeasuredTable, points: np.ndarray) -> float:
    """Residual standard deviation of the last column over the certified one; nan if unknown."""
    if np.isnan(table.certified_sd) or law.names != table.columns:
        return np.nan
    log_of_last = ("ln", ("x", len(table.columns)))
    with np.errstate(all="ignore"):
        value, gradient = law.program.value_and_gradient(points)
        residual = value / gradient[:, -1]  # to first order, along the last column
        if log_of_last in [scaled(term)[1] for term in terms(to_tree(table.relations[0]))]:
            residual = residual / points[:, -1]  # certified is the deviation of its logarithm
    free = len(points) - free_constants(law.program)
    return float(np.sqrt(np.sum(residual**2) / free) / table.certified_sd)


def answered(table: MeasuredTable, weights: Path, config: PlusConfig) -> dict:
    """The search's answer to a table, judged: a row."""
    units, table = table.units or None, table.counted
    result = discover(table.frame, weights, config=config, seconds=np.inf, workers=1, units=units)
    points, candidates = table.points, result.candidates
    hows = ((i, is_textbooks(law, table, points)) for i, law in enumerate(candidates))
    place, how = next(((i, how) for i, how in hows if how), (-1, ""))
    matched = [
        r for r in (table.relations if how else ())
        if is_textbooks(candidates[place], replace(table, relations=(r,)), points) == how
    ]  # fmt: skip
    row = {
        "table": table.name, "part": table.part, "units": bool(table.units),
        "law": bool(table.relations), "rows": len(points), "variables": points.shape[1],
        "textbook": table.textbook, "best": "", "name": "", "is_law": result.best is not None,
        "place": place, "how": how, "constants": 0,
        "textbook_constants": min(map(free_constants, matched or table.relations), default=0),
        "nested": False, "sd_ratio": np.nan, "seconds": round(result.seconds, 2), "equation": "",
    }  # fmt: skip
    best = result.best or next(iter(candidates), None)
    if best is None:
        return row
    return row | {
        "best": f"{rounded(best.expression)} = 0", "name": name_of(canonical(best.program)),
        "constants": free_constants(best.program), "nested": nested(best.program),
        "sd_ratio": float(f"{_sd_ratio(best, table, points):.4g}"),
        "equation": str(best.program) if best.names == table.columns else "",
    }  # fmt: skip


def _plain(problem: Problem, weights: Path, config: PlusConfig) -> dict:
    """The answer of the search to one of the obvious laws, as a table without units: a row."""
    dimensions = Dimensions.assumed(problem.n_variables)
    model = from_pretrained(weights)
    found = discover_plus(model, problem.points, config, dimensions=dimensions)
    law, _, seed = problem.equation_id.rpartition("-")
    row = {
        "law": law, "noise": float(problem.sampling.removeprefix("noise ")), "seed": int(seed),
        "answer": "", "name": "", "plain": False, "seconds": round(found.seconds, 2),
    }  # fmt: skip
    if found.best is None:
        return row
    form, truth = found.best.expression, canonical(problem.truth)
    name = name_of(form)
    plain = form.codes == truth.codes or name == name_of(truth) != ""
    return row | {"answer": to_infix(to_tree(form), 4), "name": name, "plain": plain}


def plain_answers(
    asked: Sequence[Problem],
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """Whether the best answer to each problem of :mod:`pie.data.obvious` is its plain form.

    Plain is the skeleton of the law, or another way to write the curve of the same name. ``folder``
    is for a journal (:func:`pie.experiments.journal.search_all`).
    """

    def content(problem: Problem) -> bytes:
        return f"{problem.equation_id} {problem.sampling}".encode() + problem.points.tobytes()

    weights = default_weights()
    return pd.DataFrame(
        search_all(_plain, asked, weights, config, workers, folder, MODULE, content)
    )


def same_curve(rows: pd.DataFrame) -> pd.Series:
    """Whether an answer to an obvious law is it in another plain form, as ln y = a − b·x.

    It has no function of a function, no more constants than the law, and with its own constants the
    zeros of the law where the points are (:func:`pie.experiments.metrics.right_skeleton`).
    """
    of_law = {law.name: parse(law.equation) for law in LAWS}
    clean = {p.equation_id: p.points for p in problems([0.0], [0])}
    found = []
    for row in rows.fillna({"answer": ""}).itertuples():
        if not row.answer:  # none was found
            found.append(False)
            continue
        truth, points, form = of_law[row.law], clean[f"{row.law}-0"], parse(row.answer)
        box = Box(points.min(axis=0), points.max(axis=0))
        simple = len(form.constants) <= len(canonical(truth).constants) and not nested(form)
        found.append(simple and right_skeleton(form, truth, points.shape[1], 0, box))
    return pd.Series(found, rows.index) | rows.plain


def answers(
    tables: Sequence[MeasuredTable],
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """A row for each table; the search knows its units. ``folder`` as in :func:`plain_answers`."""

    def content(table: MeasuredTable) -> bytes:
        return repr(replace(table, frame=table.frame.to_csv())).encode()

    weights = default_weights()
    return pd.DataFrame(
        search_all(answered, tables, weights, config, workers, folder, MODULE, content)
    )
