"""Figures: functions take rows or objects and return a ``Figure``, saved elsewhere.

A ``summary`` comes from :func:`pie.experiments.evaluation.summarise`; ``reported`` has per test set
the rows of the paper's table, in percent (fitness as a fraction).
"""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .drawing import METHODS, STYLE, distinct, interval_dot, legend_below, panels, percents
from .tables import TITLES

plt.style.use(STYLE)  # of all figures of the notebooks; pictures leave the user's style as it is

_SHOWN = ("fitness", "acc_0.5", "acc_0.7", "acc_0.8", "acc_0.9", "acc_0.99")
_BLUE = METHODS["PIE"][0]


def learning_curve(log: pd.DataFrame) -> Figure:
    """Loss and greedy accuracy of a pre-training log against examples seen."""
    figure, (left, right) = plt.subplots(1, 2)
    thousands = log.examples / 1e3
    left.plot(thousands, log.training_loss, color="0.6", label="training")
    left.plot(thousands, log.validation_loss, "o-", color=_BLUE, label="validation")
    left.set(ylabel="nats per equation", ylim=(0, None))
    left.legend()
    right.plot(thousands, 100 * log.validation_exact, "o-", color=_BLUE)
    right.set(ylabel="skeletons exact, greedy (%)", ylim=(0, 100))
    for axes in (left, right):
        axes.set_xlabel("examples seen (thousands)")
    return figure


# colour, marker and line of each network; pie-plus has a validation set of its own: dashed
_NETWORKS = {
    "pie": ("#0072B2", "o", "-"),
    "pie-small": ("#E69F00", "s", "-"),
    "pie-plus": ("#009E73", "D", "--"),
}


def scaling(logs: dict[str, pd.DataFrame], parameters: dict[str, int]) -> Figure:
    """Validation loss and greedy accuracy against examples seen, a curve per network.

    ``logs`` are pre-training logs, ``parameters`` numbers of trainable ones, both by network.
    """
    figure, (left, right) = panels(2, 2.9, sharey=False)
    for name, log in logs.items():
        colour, marker, line = _NETWORKS[name]
        label = f"{name}, {parameters[name] / 1e6:.1f} M parameters"
        if name == "pie-plus":
            label += " (goes on from pie; its own\nmixture and validation set: not comparable)"
        style = {"color": colour, "marker": marker, "linestyle": line, "markerfacecolor": "white"}
        left.plot(log.examples, log.validation_loss, label=label, **style)
        right.plot(log.examples, 100 * log.validation_exact, **style)
    left.set(ylabel="validation, nats per equation", ylim=(0, None))
    right.set(ylabel="skeletons exact, greedy (%)", ylim=(0, None))
    for axes in (left, right):
        axes.set(xlabel="examples seen", xscale="log")
    figure.legend(loc="outside lower center", ncols=2, handlelength=3.5)
    return figure


def accuracies(summary: Sequence[dict], reported: dict[str, list[dict]]) -> Figure:
    """Fitness and accuracies per test set: ours filled with 95 % intervals, the paper's hollow."""
    sets = distinct(summary, "benchmark")
    figure, grid = panels(len(sets))
    x = np.arange(len(_SHOWN))
    for axes, name in zip(grid, sets, strict=True):
        ours = [entry for entry in summary if entry["benchmark"] == name]
        for i, entry in enumerate(ours):
            colour, marker = METHODS[entry["method"]]
            y, *ends = np.hstack([percents([entry], key) for key in _SHOWN])
            offset = 0.16 * (i - (len(ours) - 1) / 2)
            style = {"fmt": marker, "color": colour, "elinewidth": 0.8}
            axes.errorbar(x + offset, y, np.abs(ends - y), label=entry["method"], **style)
        for row in reported.get(name, []):
            if row["method"] in distinct(ours, "method"):
                colour, marker = METHODS[row["method"]]
                y = [100 * row["fitness"], *(row[key] for key in _SHOWN[1:])]
                style = {"mfc": "none", "color": colour, "markersize": 4, "linestyle": ""}
                axes.plot(x + 0.32, y, marker, label=f"{row['method']}, paper", **style)
        axes.set_xticks(x, ["fitness", *(f"Acc {key[4:]}" for key in _SHOWN[1:])], rotation=45)
        axes.set(title=TITLES.get(name, name), ylim=(-2, 102))
    grid[0].set_ylabel("% (fitness × 100)")
    grid[0].legend(loc="lower left", fontsize=5.5)
    return figure


def ablation(summary: Sequence[dict]) -> Figure:
    """Share of right skeletons with one part of *PIE+* changed, a panel per validation set."""
    sets, names = distinct(summary, "benchmark"), distinct(summary, "method")
    figure, grid = panels(len(sets))
    colour, marker = METHODS["PIE+"]
    for axes, name in zip(grid, sets, strict=True):
        entries = [entry for entry in summary if entry["benchmark"] == name]
        for entry in entries:
            place = names.index(entry["method"])
            interval_dot(axes, entry, "skeleton", place, "0.3" if place else colour, marker)
        axes.axvline(100 * entries[0]["skeleton"], color=colour, linewidth=0.5, linestyle=":")
        axes.set_yticks(range(len(names)), names)
        axes.set(title=name, xlabel="right skeletons (%)")
    grid[0].invert_yaxis()
    return figure


def endings(table: pd.DataFrame) -> Figure:
    """How the problems of each test set end; ``table``: :func:`pie.experiments.misses.counts`."""
    figure, (axes,) = panels(1, 0.8 + 0.25 * len(table))
    left = np.zeros(len(table))
    shades = ("#009E73", "0.25", "0.45", "0.7", "0.88")
    for verdict, shade in zip(table.columns[2:], shades, strict=True):
        width = 100.0 * table[verdict] / table["problems"]
        axes.barh(table["test set"], width, left=left, color=shade, height=0.7, label=verdict)
        left += width
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="problems (%)")
    legend_below(figure, axes)
    return figure


def methods(summary: Sequence[dict], reported: dict[str, list[dict]]) -> Figure:
    """Fitness and Acc 0.99 of many methods, a column per test set; the paper's value hollow."""
    sets, names = distinct(summary, "benchmark"), distinct(summary, "method")
    figure, grid = panels(len(sets), 0.4 + 0.36 * len(names), rows=2, sharex=True)
    titles = {"fitness": "fitness × 100", "acc_0.99": "Acc 0.99 (%); small: the paper's"}
    for column, name in enumerate(sets):
        for axes, (key, title) in zip(grid[:, column], titles.items(), strict=True):
            for entry in (e for e in summary if e["benchmark"] == name):
                method = entry["method"]
                interval_dot(axes, entry, key, names.index(method), *METHODS[method])
            for row in (row for row in reported.get(name, []) if row["method"] in names):
                value = 100 * row[key] if key == "fitness" else row[key]
                colour, marker = METHODS[row["method"]]
                place = names.index(row["method"]) + 0.3
                axes.plot(value, place, marker, mfc="none", color=colour, markersize=3)
            axes.set_yticks(range(len(names)), names, fontsize=6)
            axes.set_xlim(-4, 104)
            axes.set_xlabel(title, fontsize=6)
        grid[0, column].set(title=TITLES.get(name, name))
    grid[0, 0].invert_yaxis()
    return figure


KINDS = {  # grey and hatch
    "0·g": ("0.15", ""),
    "g − g": ("0.35", ""),
    "g/huge": ("0.55", "////"),
    "a variable not used": ("0.75", ""),
    "nothing is a zero": ("0.9", ""),
    "everything is a zero": ("0.9", "...."),
    "no equation": ("1.0", "xxxx"),
}


def degenerate(shares: pd.DataFrame) -> Figure:
    """How the winners of every method are degenerate: stacked shares, a panel per test set.

    ``shares`` come from :func:`pie.report.tables.degenerate`.
    """
    sets, names = list(shares["Test set"].unique()), list(shares["Method"].unique())
    figure, grid = panels(len(sets), 0.9 + 0.17 * len(names))
    for axes, name in zip(grid, sets, strict=True):
        chosen = shares[shares["Test set"] == name].set_index("Method")
        left = np.zeros(len(names))
        for kind, (grey, hatch) in KINDS.items():
            part = chosen[kind].str.rstrip(" %").astype(float).reindex(names).fillna(0.0)
            style = {"color": grey, "hatch": hatch, "edgecolor": "0.2", "linewidth": 0.4}
            axes.barh(names, part, left=left, label=kind, **style)
            left += part.to_numpy()
        axes.set(title=name, xlim=(0, 100), xlabel="degenerate winners (%)")
        axes.tick_params(axis="y", labelsize=6)
    grid[0].invert_yaxis()
    legend_below(figure, grid, columns=4)
    return figure


def save(figure: Figure, stem: Path) -> None:
    """``stem``.png and .svg, the same bytes for the same figure."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(stem.with_suffix(".png"), metadata={"Software": None})
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
