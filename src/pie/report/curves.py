"""Scores against what was varied: seconds, noise, points."""

import re
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ..experiments.comparisons import Difference
from .style import METHODS


def _draw(axes, entries: Sequence[dict], x: np.ndarray, key: str, shift: float) -> None:
    """A score in per cent with its intervals, a little apart from the other methods."""
    colour, marker = METHODS[entries[0]["method"]]
    value = np.array([100 * e[key] for e in entries])
    ends = np.array([[100 * e[f"{key}_{end}"] for e in entries] for end in ("low", "high")])
    axes.errorbar(
        x * 1.05**shift, value, np.abs(ends - value), fmt=f"{marker}-", color=colour,
        elinewidth=0.5, linewidth=0.8, markersize=3, label=entries[0]["method"],
    )  # fmt: skip


def _legend(figure: Figure, axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    columns = 4 if len(labels) == 4 else 3
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=6)


def equal_time(summary: Sequence[dict]) -> Figure:
    """Acc 0.99 and recovery against seconds per equation, a line per method.

    Args:
        summary: entries whose ``benchmark`` is the budget, as ``10 s``.
    """
    figure, grid = plt.subplots(1, 2, sharey=True, figsize=(5.5, 2.8))
    names = list(dict.fromkeys(entry["method"] for entry in summary))
    titles = {"acc_0.99": "Acc 0.99", "recovered": "recovered on both sides"}
    for axes, (key, title) in zip(grid, titles.items(), strict=True):
        for i, name in enumerate(names):
            entries = [e for e in summary if e["method"] == name]
            seconds = np.array([float(e["benchmark"].removesuffix(" s")) for e in entries])
            _draw(axes, entries, seconds, key, i - len(names) / 2)
        axes.set(xscale="log", xlabel="seconds per equation, one thread", title=title)
    grid[0].set(ylabel="% of equations", ylim=(-2, 102))
    _legend(figure, grid[0])
    return figure


_VARIED = {
    "examples": "training examples, K",
    "points": "training points, N",
    "beam": "width of the beam",
    "tau": "tolerance τ of CL-FEM",
}
_SHADES = {  # score: name, grey, line
    "fitness": ("fitness × 100", "0.0", "-"),
    "acc_0.5": ("Acc 0.5", "0.6", ":"),
    "acc_0.9": ("Acc 0.9", "0.45", "--"),
    "acc_0.99": ("Acc 0.99", "0.3", "-."),
}


def sensitivity(summary: Sequence[dict]) -> Figure:
    """Figure 5: several scores of *PIE* against what was varied, a panel for each.

    Args:
        summary: entries whose ``benchmark`` ends in the value: ``beam 16``, ``examples-1024``.
    """
    split = [(e, *re.fullmatch(r"(\w+)[ -](.+)", e["benchmark"]).groups()) for e in summary]
    kinds = [kind for kind in _VARIED if any(k == kind for _, k, _ in split)]
    figure, grid = plt.subplots(1, len(kinds), sharey=True, squeeze=False, figsize=(5.5, 2.3))
    for axes, kind in zip(grid[0], kinds, strict=True):
        entries = [(float(value), e) for e, k, value in split if k == kind]
        entries.sort(key=lambda pair: pair[0])
        x = np.array([value for value, _ in entries])
        for key, (title, grey, line) in _SHADES.items():
            value, low, high = (
                np.array([100 * e[f"{key}{end}"] for _, e in entries])
                for end in ("", "_low", "_high")
            )
            axes.plot(x, value, line, marker="o", markersize=2.5, color=grey, label=title)
            axes.fill_between(x, low, high, color=grey, alpha=0.12, linewidth=0.0)
        axes.set(xscale="log", ylim=(-2, 102))
        if x.max() < 20.0 * x.min():  # less than two decades: the values themselves
            axes.set_xticks(x, [f"{value:g}" for value in x])
            axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel(_VARIED[kind], fontsize=6)
    grid[0, 0].set_ylabel("%")
    _legend(figure, grid[0, 0])
    return figure


def against(found: dict[tuple[str, str], Difference], titles: dict[str, str]) -> Figure:
    """How much each variant scores above or below its reference, with 95 % intervals.

    Args:
        found: by variant and score, from :func:`pie.report.tables.against`.
        titles: the scores to draw, with their names; a panel for each.
    """
    variants = list(dict.fromkeys(variant for variant, _ in found))
    figure, grid = plt.subplots(
        1, len(titles), sharey=True, squeeze=False, figsize=(5.5, 0.7 + 0.18 * len(variants))
    )
    y = np.arange(len(variants))
    for axes, (score, title) in zip(grid[0], titles.items(), strict=True):
        gaps = [found[variant, score] for variant in variants]
        mean, low, high = (
            100 * np.array([getattr(g, end) for g in gaps]) for end in ("mean", "low", "high")
        )
        axes.axvline(0.0, color="0.7", linewidth=0.6)
        axes.errorbar(
            mean, y, xerr=[mean - low, high - mean], fmt="o", color="0.15", markersize=3,
            elinewidth=0.8,
        )  # fmt: skip
        axes.set(xlabel=f"{title}, points above the reference")
    grid[0, 0].set_yticks(y, variants)
    grid[0, 0].invert_yaxis()
    return figure


_AXES = {
    "relative noise": "noise σ, x → x(1 + ζ)",
    "noise": "noise, of the spread of a column",
    "outliers": "share of outliers",
    "points": "points given",
}


def conditions(summary: Sequence[dict], scores: dict[str, str]) -> Figure:
    """Figure 4: scores against noise, outliers or the number of points; a row per score.

    Nothing at all (0) is drawn a third of a decade left of the lowest level.

    Args:
        summary: entries whose ``benchmark`` is the condition, as ``relative noise 0.01``.
        scores: columns of the summary and their names.
    """
    split = [(e, *e["benchmark"].rsplit(" ", 1)) for e in summary]
    kinds = list(dict.fromkeys(kind for _, kind, _ in split))
    names = list(dict.fromkeys(e["method"] for e in summary))
    figure, grid = plt.subplots(
        len(scores), len(kinds), sharey="row", squeeze=False, figsize=(5.5, 0.8 + 1.6 * len(scores))
    )
    for column, kind in enumerate(kinds):
        values = sorted({float(value) for _, k, value in split if k == kind})
        least = min(v for v in values if v > 0.0)
        for axes, (key, title) in zip(grid[:, column], scores.items(), strict=True):
            for i, name in enumerate(names):
                mine = [(float(v), e) for e, k, v in split if k == kind and e["method"] == name]
                if mine:
                    mine.sort(key=lambda pair: pair[0])
                    x = np.array([v if v > 0.0 else 0.4 * least for v, _ in mine])
                    _draw(axes, [e for _, e in mine], x, key, i - len(names) / 2)
            axes.set(xscale="log", ylim=(-2, 102))
            if column == 0:
                axes.set_ylabel(f"{title} (%)")
            if values[0] == 0.0:
                axes.axvline(0.6 * least, color="0.8", linewidth=0.6)
        grid[-1, column].set_xlabel(_AXES[kind])
    _legend(figure, grid[0, 0])
    return figure
