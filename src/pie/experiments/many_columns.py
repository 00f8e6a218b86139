"""Tables of four columns or more: is their law the best answer, and what else is claimed of them?

An answer is *right* if it is the law but for the values of its constants (in the box of noise-free
points), *exact* if it fits these to rounding, a *law* if it passes for one in :func:`pie.discover`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..data.columns import ColumnLaw, points
from ..data.null_clouds import Cloud
from ..discovery.certificate import certify
from ..discovery.laws import discover, wide_columns
from ..discovery.pretrained import from_pretrained
from ..discovery.units import Units
from ..expr.dimensions import Dimensions
from ..expr.expression import Expression, to_infix, to_tree
from ..fit.uncertainty import polished
from ..search.candidates import Unusable
from ..search.plus import MOST_COLUMNS, PlusConfig, discover_plus
from ..zeroset.box import Box
from ..zeroset.metric import Metric
from ..zeroset.spreads import robust_spreads
from .journal import in_order, search_all
from .metrics import right_skeleton

FOUND, TOO_WIDE = "ok", f"more than {MOST_COLUMNS} columns"
SEED, DIGITS = 0, 4  # of points and metric; significant ones of constants in rows
Asked = tuple[np.ndarray, tuple[str, ...]]  # points, and the units of their columns; () = unknown


def _searched(asked: Asked, weights: Path, config: PlusConfig) -> dict:
    """The best answer as plain values, for the journal; ``form`` is the price of its form."""
    drawn, units = asked
    if drawn.shape[1] > MOST_COLUMNS:
        return {"status": TOO_WIDE, "seconds": 0.0}
    try:
        given = Units.of(units, units) if units else None
        dimensions = given and Dimensions(given.dimensions, True, given.offset, given.degrees)
        model, wide = from_pretrained(weights), wide_columns(drawn)
        found = discover_plus(model, drawn, config, 1, None, wide, dimensions)
    except Unusable as reason:
        return {"status": str(reason), "seconds": 0.0}
    if (best := found.best) is None:
        return {"status": "no candidate", "seconds": found.seconds}
    form = best.price.total - best.price.misfit if best.price else 0.0
    return {
        "status": FOUND, "seconds": found.seconds, "proposer": best.proposer,
        "codes": best.expression.codes, "constants": best.expression.constants,
        "contrast": float(best.contrast), "form": float(np.nan_to_num(form, nan=np.inf)),
        "logarithmic": found.logarithmic,
    }  # fmt: skip


def _judged(of: str, law: ColumnLaw, noise: float, n: int, found: dict, config: PlusConfig) -> dict:
    """A row: what was asked, and how the answer compares with the law."""
    row = {
        "set": of, "law_id": law.law_id, "name": law.name, "kind": law.kind, "points": n,
        "width": len(law.columns), "noise": noise, "status": found["status"], "right": False,
        "exact": False, "law": False, "contrast": np.inf, "seconds": round(found["seconds"], 2),
        "proposer": "", "answer": "", "truth": to_infix(to_tree(law.equation), DIGITS),
    }  # fmt: skip
    if found["status"] != FOUND:
        return row
    answer = Expression(tuple(found["codes"]), tuple(found["constants"]))
    clean, drawn = (points(law, n, level, SEED) for level in (0.0, noise))
    box = Box(clean.min(axis=0), clean.max(axis=0))
    metric = Metric.of(drawn, tuple(found["logarithmic"]), robust_spreads)
    final = polished(answer, drawn, metric.units(drawn))
    return row | {
        "right": right_skeleton(answer, law.equation, drawn.shape[1], SEED, box),
        "exact": noise == 0.0 and found["contrast"] <= config.prices.resolution,
        "law": certify(final, drawn, found["form"], metric).law,
        "contrast": float(f"{found['contrast']:.3g}"), "proposer": found["proposer"],
        "answer": to_infix(to_tree(answer), DIGITS),
    }  # fmt: skip


def answers(
    sets: Mapping[str, Sequence[ColumnLaw]],
    noise: Sequence[float],
    n: int,
    weights: Path,
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
    with_units: bool = False,
) -> pd.DataFrame:
    """A row for each law of the sets under each noise, n points each; too wide ones say so.

    ``with_units``: the search knows the units of the columns. ``folder`` is for a journal
    (:func:`pie.experiments.journal.search_all`).
    """

    def content(item: Asked) -> bytes:
        return item[0].tobytes() + " ".join(item[1]).encode()

    asked = [(name, law, level) for name, laws in sets.items() for law in laws for level in noise]
    items = [(points(law, n, e, SEED), law.units if with_units else ()) for _, law, e in asked]
    found = search_all(_searched, items, weights, config, workers, folder, content=content)
    jobs = [(*a, n, f, config) for a, f in zip(asked, found, strict=True)]
    rows = pd.DataFrame(in_order(_judged, jobs, workers, "judge"))
    rows.insert(rows.columns.get_loc("points"), "units", with_units)
    return rows


def _claimed(points: np.ndarray, weights: Path, config: PlusConfig) -> dict:
    """The laws that are claimed of a table: their numbers of columns, and the first one."""
    result = discover(points, weights, config=config, seconds=np.inf, workers=1)
    first = "" if result.best is None else to_infix(to_tree(result.best.program), DIGITS)
    laws = [len(law.names) for law in result.laws]
    approximate = [len(law.names) for law, _ in result.approximate]
    return {"widths": [laws, approximate], "first": first, "seconds": result.seconds}


def claims(
    clouds: Sequence[Cloud],
    weights: Path,
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """What :func:`pie.discover` claims of each cloud: a row with the number of columns of its laws.

    Those of ``laws`` hold for themselves, those of ``approximate`` leave out a column that matters.
    ``part`` is whether a law of fewer columns than the table is claimed.
    """
    tables = [cloud.points for cloud in clouds]
    found = search_all(_claimed, tables, weights, config, workers, folder)
    return pd.DataFrame(
        {
            "of": cloud.part, "kind": cloud.kind, "cloud": cloud.name, "points": len(cloud.points),
            "width": cloud.points.shape[1], "laws": " ".join(map(str, laws)),
            "approximate": " ".join(map(str, approximate)),
            "part": any(width < cloud.points.shape[1] for width in laws),
            "first": one["first"], "seconds": round(one["seconds"], 2),
        }
        for cloud, one in zip(clouds, found, strict=True)
        for laws, approximate in [one["widths"]]
    )  # fmt: skip
