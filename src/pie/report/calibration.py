"""How often a law is found where there is one, and where there is none: figure and tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..data.null_clouds import LAWFUL
from ..experiments.calibration import Rule, rates, roc
from .style import METHODS

_PARTS = {"calibration": ("0.5", "s", "--"), "test": (METHODS["PIE+"][0], "D", "-")}
_ALLOWED = 5.0  # per cent of null clouds


def no_law(table: pd.DataFrame, rule: Rule) -> Figure:
    """ROC over the contrast at the rule's p, and what is taken for lawful by kind of null cloud.

    The rule itself is a marker with its 95 % intervals. The dotted line is at 5 %.

    Args:
        table: from :func:`pie.experiments.calibration.search`.
        rule: its thresholds.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(5.5, 2.7))
    found = rates(table, rule)
    kinds = [k for k in dict.fromkeys(found.kind) if k != LAWFUL]
    for shift, part in zip((-0.15, 0.15), dict.fromkeys(table.part), strict=False):
        colour, marker, line = _PARTS[part]
        curve = roc(table[table.part == part], rule.p)
        left.step(100 * curve.false, 100 * curve.detection, line, where="post", color=colour,
                  linewidth=1.0)  # fmt: skip
        mine = found[found.part == part].set_index("kind")
        x, y = (mine.loc[kind] for kind in ("all null", LAWFUL))
        left.errorbar(100 * x.share, 100 * y.share, _ends([y]), _ends([x]), fmt=marker,
                      color=colour, elinewidth=0.7, label=part)  # fmt: skip
        right.errorbar(100 * mine.share[kinds], np.arange(len(kinds)) + shift,
                       xerr=_ends([mine.loc[k] for k in kinds]), fmt=marker, color=colour,
                       elinewidth=0.7, markersize=3, label=part)  # fmt: skip
    left.set(xlabel="null clouds taken for lawful (%)", ylabel="lawful clouds found (%)",
             xlim=(-1, 31), ylim=(49, 101))  # fmt: skip
    right.set_yticks(range(len(kinds)), kinds)
    right.set(xlabel="taken for lawful (%)", xlim=(-2, None))
    right.invert_yaxis()
    for axes in (left, right):
        axes.axvline(_ALLOWED, color="0.3", linewidth=0.6, linestyle=":")
    left.legend(loc="lower right", title=f"p ≤ {rule.p:g}, contrast ≤ {rule.contrast:g}",
                title_fontsize=7)  # fmt: skip
    return figure


def _ends(lines: list[pd.Series]) -> np.ndarray:
    """Lengths of the intervals to either side in per cent, (2, N)."""
    ends = [(e.share - e.low, e.high - e.share) for e in lines]
    return 100.0 * np.clip(np.array(ends).T, 0.0, None)


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Rates in per cent with their intervals, kinds down, parts across.

    Args:
        found: from :func:`pie.experiments.calibration.rates`.
    """
    share = [
        f"{e.laws} of {e.clouds}: {100 * e.share:.1f} % [{100 * e.low:.0f}, {100 * e.high:.0f}]"
        for e in found.itertuples()
    ]
    wide = found.assign(share=share).pivot(index="kind", columns="part", values="share")
    return wide.loc[list(dict.fromkeys(found.kind))].reset_index().rename_axis(columns=None)
