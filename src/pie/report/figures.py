"""Figures: functions take rows or objects and return a ``Figure``; only notebooks save."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .style import METHODS
from .tables import TITLES

_SHOWN = ("fitness", "acc_0.5", "acc_0.7", "acc_0.8", "acc_0.9", "acc_0.99")


def learning_curve(log) -> Figure:
    """Loss and greedy accuracy of a pre-training log (a data frame) against examples seen."""
    figure, (left, right) = plt.subplots(1, 2)
    thousands = log.examples / 1e3
    left.plot(thousands, log.training_loss, color="0.6", label="training")
    left.plot(thousands, log.validation_loss, "o-", color="#0072B2", label="validation")
    left.set(xlabel="examples seen (thousands)", ylabel="nats per equation", ylim=(0, None))
    left.legend()
    right.plot(thousands, 100 * log.validation_exact, "o-", color="#0072B2")
    right.set(
        xlabel="examples seen (thousands)", ylabel="skeletons exact, greedy (%)", ylim=(0, 100)
    )
    return figure


# colour, marker and line of each network; pie-plus has a validation set of its own: dashed
_NETWORKS = {
    "pie": ("#0072B2", "o", "-"),
    "pie-small": ("#E69F00", "s", "-"),
    "pie-plus": ("#009E73", "D", "--"),
}


def scaling(logs: dict, parameters: dict[str, int]) -> Figure:
    """Validation loss and greedy accuracy against examples seen, a curve per network.

    Args:
        logs: pre-training log (a data frame) by network: pie, pie-small, pie-plus.
        parameters: trainable parameters by network.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(5.5, 2.9))
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
    """Fitness and accuracies per test set: ours filled with 95 % intervals, the paper's hollow.

    Args:
        summary: from :func:`pie.experiments.evaluation.summarise`.
        reported: per test set, rows of the paper's table in percent (fitness as a fraction).
    """
    sets = list(dict.fromkeys(entry["benchmark"] for entry in summary))
    figure, grid = plt.subplots(1, len(sets), sharey=True, squeeze=False, figsize=(5.5, 2.4))
    x = np.arange(len(_SHOWN))
    for axes, name in zip(grid[0], sets, strict=True):
        ours = [entry for entry in summary if entry["benchmark"] == name]
        for i, entry in enumerate(ours):
            colour, marker = METHODS[entry["method"]]
            y = np.array([100 * entry[key] for key in _SHOWN])
            span = np.array(
                [[100 * entry[f"{key}_{end}"] for key in _SHOWN] for end in ("low", "high")]
            )
            offset = 0.16 * (i - (len(ours) - 1) / 2)
            axes.errorbar(
                x + offset, y, np.abs(span - y), fmt=marker, color=colour, elinewidth=0.8,
                label=entry["method"],
            )  # fmt: skip
        for row in reported.get(name, []):
            if row["method"] in {entry["method"] for entry in ours}:
                colour, marker = METHODS[row["method"]]
                y = [100 * row["fitness"], *(row[key] for key in _SHOWN[1:])]
                axes.plot(
                    x + 0.32, y, marker, mfc="none", color=colour, markersize=4, linestyle="",
                    label=f"{row['method']}, paper",
                )  # fmt: skip
        axes.set_xticks(x, ["fitness", *(f"Acc {key[4:]}" for key in _SHOWN[1:])], rotation=45)
        axes.set(title=TITLES.get(name, name), ylim=(-2, 102))
    grid[0, 0].set_ylabel("% (fitness × 100)")
    grid[0, 0].legend(loc="lower left", fontsize=5.5)
    return figure


def ablation(summary: Sequence[dict]) -> Figure:
    """Share of right skeletons with one part of *PIE+* changed, a panel per validation set."""
    sets = list(dict.fromkeys(entry["benchmark"] for entry in summary))
    figure, grid = plt.subplots(1, len(sets), sharey=True, squeeze=False, figsize=(5.5, 2.4))
    colour, marker = METHODS["PIE+"]
    for axes, name in zip(grid[0], sets, strict=True):
        entries = [entry for entry in summary if entry["benchmark"] == name]
        for place, entry in enumerate(entries):
            value, low, high = (100 * entry[f"skeleton{end}"] for end in ("", "_low", "_high"))
            axes.plot([low, high], [place, place], color="0.6", linewidth=0.8)
            axes.plot(value, place, marker, color=colour if place == 0 else "0.3")
        axes.axvline(100 * entries[0]["skeleton"], color=colour, linewidth=0.5, linestyle=":")
        axes.set_yticks(range(len(entries)), [entry["method"] for entry in entries])
        axes.set(title=name, xlabel="right skeletons (%)")
    grid[0, 0].invert_yaxis()
    return figure


def methods(summary: Sequence[dict], reported: dict[str, list[dict]]) -> Figure:
    """Fitness and Acc 0.99 of many methods, a column per test set; the paper's value hollow.

    Args:
        summary: from :func:`pie.experiments.evaluation.summarise`.
        reported: per test set, rows of the paper's table in percent (fitness as a fraction).
    """
    sets = list(dict.fromkeys(entry["benchmark"] for entry in summary))
    names = list(dict.fromkeys(entry["method"] for entry in summary))
    figure, grid = plt.subplots(
        2,
        len(sets),
        sharey=True,
        sharex=True,
        squeeze=False,
        figsize=(5.5, 0.4 + 0.36 * len(names)),
    )
    for column, name in enumerate(sets):
        for axes, key in zip(grid[:, column], ("fitness", "acc_0.99"), strict=True):
            for entry in (e for e in summary if e["benchmark"] == name):
                place, (colour, marker) = names.index(entry["method"]), METHODS[entry["method"]]
                low, high = (100 * entry[f"{key}_{end}"] for end in ("low", "high"))
                axes.plot([low, high], [place, place], color="0.6", linewidth=0.8)
                axes.plot(100 * entry[key], place, marker, color=colour)
            for row in reported.get(name, []):
                if row["method"] in names:
                    value = 100 * row[key] if key == "fitness" else row[key]
                    colour, marker = METHODS[row["method"]]
                    place = names.index(row["method"]) + 0.3
                    axes.plot(value, place, marker, mfc="none", color=colour, markersize=3)
            axes.set_yticks(range(len(names)), names, fontsize=6)
            axes.set_xlim(-4, 104)
        grid[0, column].set(title=TITLES.get(name, name))
        grid[0, column].set_xlabel("fitness × 100", fontsize=6)
        grid[1, column].set_xlabel("Acc 0.99 (%); small: the paper's", fontsize=6)
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

    Args:
        shares: from :func:`pie.report.tables.degenerate`.
    """
    sets = list(dict.fromkeys(shares["Test set"]))
    names = list(dict.fromkeys(shares["Method"]))
    figure, grid = plt.subplots(
        1, len(sets), sharey=True, squeeze=False, figsize=(5.5, 0.9 + 0.17 * len(names))
    )
    for axes, name in zip(grid[0], sets, strict=True):
        chosen = shares[shares["Test set"] == name].set_index("Method")
        left = np.zeros(len(names))
        for kind, (grey, hatch) in KINDS.items():
            part = chosen[kind].str.rstrip(" %").astype(float).reindex(names).fillna(0.0)
            axes.barh(names, part, left=left, color=grey, hatch=hatch, edgecolor="0.2",
                      linewidth=0.4, label=kind)  # fmt: skip
            left += part.to_numpy()
        axes.set(title=name, xlim=(0, 100), xlabel="degenerate winners (%)")
        axes.tick_params(axis="y", labelsize=6)
    grid[0, 0].invert_yaxis()
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=6)
    return figure


_SPEED = {
    "corpus_per_core": "equations with 200 points,\nper second and core",
    "million_minutes": "minutes for a million equations",
    "fits_per_core": "skeletons fitted,\nper second and core",
    "pie_seconds": "PIE, seconds per equation",
    "pie_plus_seconds": "PIE+, seconds per equation",
}


def speed(results: dict) -> Figure:
    """Measured speed beside the reference path (``benchmarks/results.json``), log scale."""
    items = [(label, results["items"][name]) for name, label in _SPEED.items()]
    figure, axes = plt.subplots(figsize=(5.5, 2.6))
    for place, (_, entry) in enumerate(items):
        ends = sorted((entry["value"], entry["reference"]))
        axes.plot(ends, [place, place], color="0.75", zorder=1)
        axes.plot(entry["value"], place, "o", color=METHODS["PIE"][0], zorder=2)
        axes.plot(entry["reference"], place, "s", color="0.4", markerfacecolor="white", zorder=2)
        middle = np.sqrt(entry["value"] * entry["reference"])
        axes.annotate(f"{entry['ratio']:.0f}×", (middle, place), xytext=(0, 3),
                      textcoords="offset points", ha="center", fontsize=7)  # fmt: skip
    axes.plot([], [], "o", color=METHODS["PIE"][0], label="this library")
    axes.plot([], [], "s", color="0.4", markerfacecolor="white", label="SymPy and SciPy, plainly")
    axes.set_xscale("log")
    axes.set_yticks(range(len(items)), [label for label, _ in items])
    axes.invert_yaxis()
    axes.margins(y=0.15)
    axes.legend(loc="lower right")
    where = results["machine"]
    axes.set_title(f"{where['processor']}, {where['cores']} cores", fontsize=6, color="0.4")
    return figure


def save(figure: Figure, stem: Path) -> None:
    """``stem``.png and .svg, the same bytes for the same figure."""
    stem = Path(stem)
    stem.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(stem.with_suffix(".png"), metadata={"Software": None})
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
