"""Measured tables and obvious laws: what was answered, as tables and pictures."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ..experiments.measured import MeasuredTable
from ..expr.expression import parse
from .drawing import METHODS, draw_zero_set, frame

_FOUND, _OTHER = METHODS["PIE+"][0], "0.55"
_LONGEST = 60  # characters of an equation in a table


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Of :func:`pie.experiments.measured.answers`: a line per part, without units and with them.

    With units a table of which none are known counts with its answer without.
    """
    told = rows.sort_values("units", kind="stable").drop_duplicates("table", keep="last")
    return pd.DataFrame(
        {"part": part, "units": units} | _told_of(group)
        for units, these in {"–": rows[~rows.units], "known": told}.items()
        for part, group in these.groupby("part")
    )


def _told_of(group: pd.DataFrame) -> dict:
    lawful, others = group[group.law], group[~group.law]
    known = lawful[lawful.sd_ratio.notna()]
    good = (known.sd_ratio <= 1.1) & (known.constants <= known.textbook_constants)
    return {
        "tables with a textbook relation": len(lawful),
        "it is the best answer": _share(lawful.place == 0),
        "and it is called a law": _share((lawful.place == 0) & lawful.is_law),
        "it is among the answers": _share(lawful.place >= 0),
        "function of a function": _share(lawful.nested),
        "certified sd reached": f"{good.sum()} of {len(known)}",
        "no textbook relation, yet a law": f"{others.is_law.sum()} of {len(others)}",
        "median s": f"{group.seconds.median():.1f}",
    }


def _share(which: pd.Series) -> str:
    return f"{which.sum()} ({100 * which.mean():.0f} %)" if len(which) else "–"


def answers(rows: pd.DataFrame) -> pd.DataFrame:
    """What was answered to each table, and where the textbook's relation stands."""
    places = rows.place.map(lambda place: "absent" if place < 0 else "best" if place == 0 else "on")
    rows = rows.assign(stands=places.where(rows.law, ""))
    told, rows = rows[rows.units].set_index("table"), rows[~rows.units]
    return pd.DataFrame(
        {
            "table": rows.table,
            "part": rows.part,
            "rows": rows.rows,
            "textbook": rows.textbook.fillna("").str.partition(" ; ")[0].str.slice(0, 2 * _LONGEST),
            "answer": rows.best.str.slice(0, _LONGEST),
            "called": rows.name.fillna(""),
            "a law": rows.is_law.map({True: "yes", False: "no"}),
            "textbook's": rows.stands,
            "answer with units": rows.table.map(told.best.str.slice(0, _LONGEST)).fillna("–"),
            "textbook's with units": rows.table.map(told.stands).fillna("–"),
        }
    )


def plain(rows: pd.DataFrame) -> pd.DataFrame:
    """Share of seeds, in per cent, with which each obvious law is answered in its plain form."""
    table = 100 * rows.pivot_table("plain", "law", "noise", aggfunc="mean", sort=False)
    table.loc["all"] = 100 * rows.groupby("noise").plain.mean()
    table.columns = [f"noise {100 * level:g} %" for level in table.columns]
    return table.round(0).astype(int).reset_index()


def gallery(rows: pd.DataFrame, tables: Sequence[MeasuredTable], part: str) -> Figure:
    """The first tables of two columns of a part with a textbook relation, and the best answers."""
    known = {table.name: table for table in tables}
    chosen = rows[(rows.part == part) & rows.law & (rows.variables == 2)]
    figure, grid = plt.subplots(4, 4, figsize=(6.8, 6.6))
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, row in zip(grid.flat, chosen.dropna(subset=["equation"]).itertuples(), strict=False):
        axes.set_axis_on()
        points = known[row.table].points
        axes.plot(*points.T, ".", color="0.35", markersize=2.5)
        frame(axes, points, 0.0, 0.06)
        colour = _FOUND if row.place == 0 else _OTHER
        draw_zero_set(axes, parse(row.equation), colors=colour, linewidths=1.3)
        called = f": {row.name}" if isinstance(row.name, str) else ""
        axes.set_title(row.table + called, fontsize=6)
        axes.tick_params(labelsize=5)
    return figure
