"""Test set ``field``: how many laws are found, as a table, a figure and a list of misses."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..data.benchmarks import Problem
from ..data.field import POINTS
from ..experiments.evaluation import Row, grouped
from .drawing import METHODS, intervals, legend_below, panels
from .tables import share, share_of

BANDS = {"noise below 1 %": (0.0, 1.0), "1 to 3 %": (1.0, 3.0), "above 3 %": (3.0, 100.0)}


def _noise(problem: Problem) -> float:
    """In per cent of the spread of each column."""
    return float(problem.sampling.rpartition("noise ")[2].removesuffix(" %"))


def _members(problems: Sequence[Problem]) -> dict[str, set[str]]:
    """Ids of the laws in each group: all, by noise, by way, by number of columns."""
    groups = {"all": problems}
    for name, (low, high) in BANDS.items():
        groups[name] = [p for p in problems if low <= _noise(p) < high]
    groups |= {way: [p for p in problems if p.sampling.startswith(way)] for way in POINTS}
    groups |= {f"{d} columns": [p for p in problems if p.n_variables == d] for d in (2, 3)}
    return {name: {p.equation_id for p in group} for name, group in groups.items()}


def shares(rows: Sequence[Row], problems: Sequence[Problem]) -> pd.DataFrame:
    """Right skeletons of each method with Wilson's 95 % intervals; median and slowest search."""
    table = {}
    for (method,), found in grouped(rows, "method").items():
        cells = {
            name: share([row.skeleton for row in found if row.equation_id in ids])
            for name, ids in _members(problems).items()
        }
        seconds = [row.seconds for row in found]
        times = {"median s": f"{np.median(seconds):.1f}", "slowest s": f"{max(seconds):.1f}"}
        table[method] = cells | times
    return pd.DataFrame(table).rename_axis("laws").reset_index()


def misses(rows: Sequence[Row], problems: Sequence[Problem]) -> pd.DataFrame:
    """Laws that *PIE+* misses: how their points come, the law and the answer."""
    known = {p.equation_id: p for p in problems}
    return pd.DataFrame([
        {"law": row.equation_id, "sampling": known[row.equation_id].sampling,
         "truth": row.truth, "answer": row.equation[:80] or row.status}
        for row in rows if row.method == "PIE+" and not row.skeleton
    ])  # fmt: skip


def by_noise(rows: Sequence[Row], problems: Sequence[Problem]) -> Figure:
    """Share of right skeletons of each method against the noise, in three bands."""
    members = {name: ids for name, ids in _members(problems).items() if name in BANDS and ids}
    figure, (axes,) = panels(1, 2.8)
    for i, ((method,), found) in enumerate(grouped(rows, "method").items()):
        hits = [[r.skeleton for r in found if r.equation_id in ids] for ids in members.values()]
        places = np.arange(len(members)) + 0.05 * (i - 1)
        colour, marker = METHODS[method]
        bars = {"fmt": f"{marker}-", "color": colour, "elinewidth": 0.7, "label": method}
        intervals(axes, places, [share_of(h) for h in hits], "share", **bars)
    axes.set(ylim=(-2, 102), ylabel="right skeletons (%)", xlabel="noise, of each column's spread")
    axes.set_xticks(range(len(members)), [name.removeprefix("noise ") for name in members])
    legend_below(figure, axes)
    return figure
