"""How often a law is found where there is one, and where there is none: figure and tables."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..data.null_clouds import LAWFUL
from ..experiments.calibration import Rule, rates, roc
from .drawing import METHODS, panels

_PARTS = {"calibration": ("0.5", "s", "--"), "test": (METHODS["PIE+"][0], "D", "-")}
_ALLOWED = 5.0  # per cent of null clouds


def no_law(table: pd.DataFrame, rule: Rule) -> Figure:
    """ROC over the contrast at the rule's p, and what is taken for lawful by kind of null cloud.

    ``table`` comes from :func:`pie.experiments.calibration.search`. The rule is a marker with its
    95 % intervals.
    """
    figure, (left, right) = panels(2, 2.7, sharey=False)
    found = rates(table, rule)
    kinds = [kind for kind in found.kind.unique() if kind != LAWFUL]
    for shift, part in zip((-0.15, 0.15), table.part.unique(), strict=False):
        colour, marker, line = _PARTS[part]
        style = {"fmt": marker, "color": colour, "elinewidth": 0.7, "label": part}
        curve = 100 * roc(table[table.part == part], rule.p)
        left.step(curve.false, curve.detection, line, where="post", color=colour, linewidth=1.0)
        mine = found[found.part == part].set_index("kind")
        x, x_ends = _percents(mine.loc[["all null"]])
        y, y_ends = _percents(mine.loc[[LAWFUL]])
        left.errorbar(x, y, y_ends, x_ends, **style)
        x, x_ends = _percents(mine.loc[kinds])
        right.errorbar(x, np.arange(len(kinds)) + shift, xerr=x_ends, markersize=3, **style)
    left.set(xlabel="null clouds taken for lawful (%)", xlim=(-1, 31))
    left.set(ylabel="lawful clouds found (%)", ylim=(49, 101))
    right.set_yticks(range(len(kinds)), kinds)
    right.set(xlabel="taken for lawful (%)", xlim=(-2, None))
    right.invert_yaxis()
    for axes in (left, right):
        axes.axvline(_ALLOWED, color="0.3", linewidth=0.6, linestyle=":")
    title = f"p ≤ {rule.p:g}, contrast ≤ {rule.contrast:g}"
    left.legend(loc="lower right", title=title, title_fontsize=7)
    return figure


def _percents(lines: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Shares (N,) and the lengths of their intervals to either side (2, N), in per cent."""
    ends = np.stack([lines.share - lines.low, lines.high - lines.share])
    return 100 * lines.share.to_numpy(), 100 * ends.clip(0.0)


def table(found: pd.DataFrame) -> pd.DataFrame:
    """:func:`pie.experiments.calibration.rates` in per cent, kinds down, parts across."""
    share = [
        f"{e.laws} of {e.clouds}: {100 * e.share:.1f} % [{100 * e.low:.0f}, {100 * e.high:.0f}]"
        for e in found.itertuples()
    ]
    wide = found.assign(share=share).pivot(index="kind", columns="part", values="share")
    return wide.loc[found.kind.unique()].reset_index().rename_axis(columns=None)
