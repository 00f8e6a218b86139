"""Laws of four columns or more: how many are found, as a table, a figure and a list of misses."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..data.columns import KINDS
from ..data.null_clouds import LAWFUL
from ..experiments.many_columns import TOO_WIDE
from .drawing import METHODS, intervals, legend_below, panels
from .tables import share, share_of

_STYLES = {0: (METHODS["PIE+"][0], "D-"), 1: ("0.5", "s--")}  # without and with noise


def shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Right answers of each set under each noise: all, by kind, by number of columns; seconds."""
    widths, table = sorted({*rows.width[rows.status != TOO_WIDE]}), {}
    for (name, level), every in rows.groupby(["set", "noise"], sort=False):
        g = every[every.status != TOO_WIDE]
        cells = {"all": share(g.right)} | {kind: share(g.right[g.kind == kind]) for kind in KINDS}
        cells |= {f"{d} columns": share(g.right[g.width == d]) for d in widths}
        cells |= {"all, exact": share(g.exact[g.noise == 0.0]), "all, a law": share(g.law)}
        cells |= {"median s": f"{g.seconds.median():.1f}", "slowest s": f"{g.seconds.max():.1f}"}
        table[f"{name}, noise {100 * level:g} %"] = cells | {"too wide": str(len(every) - len(g))}
    return pd.DataFrame(table).rename_axis("laws").reset_index()


def settings(rows: pd.DataFrame) -> pd.DataFrame:
    """Right answers of each set by what the search is given: more points, units of the columns."""
    table = []
    by = ["set", "points", "units", "noise"]
    for (name, n, units, level), every in rows.groupby(by, sort=False):
        g = every[every.status != TOO_WIDE]
        table.append({
            "laws": name, "points": n, "units": "known" if units else "–",
            "noise": f"{100 * level:g} %", "right": share(g.right),
            "products": share(g.right[g.kind == KINDS[0]]),
            "exact": share(g.exact[g.noise == 0.0]), "a law": share(g.law),
            "median s": f"{g.seconds.median():.1f}", "slowest s": f"{g.seconds.max():.1f}",
        })  # fmt: skip
    return pd.DataFrame(table)


def misses(rows: pd.DataFrame) -> pd.DataFrame:
    """Laws that were searched and are not the best answer, with that answer."""
    wrong = rows[~rows.right & (rows.status != TOO_WIDE)].reset_index(drop=True)
    answer = wrong.answer.str.slice(0, 80).where(wrong.answer != "", wrong.status)
    return wrong.assign(answer=answer)[["set", "law_id", "name", "noise", "truth", "answer", "law"]]


def claimed(rows: pd.DataFrame) -> pd.DataFrame:
    """How often a law is claimed that does not hold: of a part of the columns, or of no law at all.

    ``rows`` are from :func:`pie.experiments.many_columns.claims`.
    """
    table = []
    for (of, null), g in rows.groupby(["of", rows.kind != LAWFUL], sort=False):
        said = g.laws != ""
        false = said if null else g.part
        cells = {"tables": of, "number": len(g), "a law": share(said), "a false law": share(false)}
        seconds = g.groupby("width").seconds
        cells |= {f"s, {d} columns": f"{s:.1f}" for d, s in seconds.median().items()}
        table.append(cells | {"slowest s": f"{g.seconds.max():.1f}"})
    return pd.DataFrame(table).fillna("–")


def beside(rows: pd.DataFrame) -> pd.DataFrame:
    """Right answers and seconds of each method of benchmarks/peers_columns.py, a line each."""
    both = pd.concat([rows, rows.assign(set="all")]).groupby(["method", "set", "noise"], sort=False)
    table = both.right.agg(share).unstack(["set", "noise"], sort=False)
    table.columns = [f"{name}, noise {100 * level:g} %" for name, level in table.columns]
    table["median s"] = rows.groupby("method").seconds.median().map("{:.1f}".format)
    return table.rename_axis("Method").reset_index()


def by_width(rows: pd.DataFrame) -> Figure:
    """Share of right answers against the number of columns: a panel per set, a line per noise."""
    figure, grid = panels(rows.set.nunique(), 2.6)
    searched = rows[rows.status != TOO_WIDE].groupby(["set", "noise"], sort=False)
    for (name, level), laws in searched:
        axes, (colour, style) = grid[[*rows.set.unique()].index(name)], _STYLES[level > 0.0]
        widths, groups = zip(*laws.groupby("width"), strict=True)
        label = f"noise {100 * level:g} %"
        bars = {"fmt": style, "color": colour, "elinewidth": 0.7, "label": label}
        places = np.array(widths) + 0.1 * (level > 0.0)
        intervals(axes, places, [share_of(g.right) for g in groups], "share", **bars)
        axes.set(title=name, xlabel="columns", ylim=(-2, 102), xticks=widths)
    grid[0].set_ylabel("right answers (%)")
    legend_below(figure, grid)
    return figure
