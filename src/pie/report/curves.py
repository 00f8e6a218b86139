"""Scores against what was varied: seconds, noise, points.

A ``summary`` comes from :func:`pie.experiments.evaluation.summarise`; its ``benchmark`` is what was
varied, with the value: ``10 s``, ``relative noise 0.01``, ``beam 16``, ``examples-1024``.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ..experiments.comparisons import Difference
from ..experiments.evaluation import value_of
from .drawing import METHODS, distinct, intervals, legend_below, lettered, panels, percents

Varied = list[tuple[float, dict]]  # values of a setting, and their entries of the summary


def _draw(
    axes: Axes, names: Sequence[str], varied: Varied, key: str, labels: Mapping[str, str] = {}
) -> None:
    """A score of every method, methods a little apart, with their names or ``labels``."""
    for i, name in enumerate(names):
        mine = [(x, entry) for x, entry in varied if entry["method"] == name]
        if mine:
            x, entries = zip(*mine, strict=True)
            colour, marker = METHODS[name]
            style = {"color": colour, "elinewidth": 0.5, "linewidth": 0.8, "markersize": 3}
            line = "--" if "Vanilla" in name else "-"
            style |= {"fmt": f"{marker}{line}", "label": labels.get(name, name)}
            shifted = np.array(x) * 1.05 ** (i - len(names) / 2)
            intervals(axes, shifted, entries, key, **style)


def _varied(summary: Sequence[dict], kind: str) -> Varied:
    """Values of one kind of setting, ascending."""
    found = [(value_of(entry["benchmark"], kind), entry) for entry in summary]
    return sorted((pair for pair in found if pair[0] is not None), key=lambda pair: pair[0])


def equal_time(summary: Sequence[dict]) -> Figure:
    """Acc 0.99 and recovery against seconds per equation, a line per method."""
    figure, grid = panels(2, 2.8)
    seconds = [(float(entry["benchmark"].removesuffix(" s")), entry) for entry in summary]
    titles = {"acc_0.99": "Acc 0.99", "recovered": "recovered on both sides"}
    for axes, (key, title) in zip(grid, titles.items(), strict=True):
        _draw(axes, distinct(summary, "method"), seconds, key)
        axes.set(xscale="log", xlabel="seconds per equation, one thread", title=title)
    grid[0].set(ylabel="% of equations", ylim=(-2, 102))
    legend_below(figure, grid)
    return figure


_SETTINGS = {
    "examples": "training examples, K\n({small:.1f} M parameters)",
    "points": "training points, N\n({small:.1f} M parameters)",
    "beam": "width of the beam\n({released:.1f} M parameters)",
    "tau": "tolerance τ of CL-FEM\n({released:.1f} M parameters)",
}
_SHADES = {  # score: name, grey, line
    "fitness": ("fitness × 100", "0.0", "-"),
    "acc_0.5": ("Acc 0.5", "0.6", ":"),
    "acc_0.9": ("Acc 0.9", "0.45", "--"),
    "acc_0.99": ("Acc 0.99", "0.3", "-."),
}


def sensitivity(
    summary: Sequence[dict], usual: dict[str, float], parameters: dict[str, int]
) -> Figure:
    """Figure 5: several scores of *PIE* against what was varied, a panel for each.

    ``usual``: the value elsewhere, by what is varied; a vertical line marks it. ``parameters``: of
    the networks, ``small`` and ``released``.
    """
    kinds = [kind for kind in _SETTINGS if _varied(summary, kind)]
    figure, grid = panels(len(kinds), 2.3)
    for axes, kind in zip(grid, kinds, strict=True):
        x, entries = zip(*_varied(summary, kind), strict=True)
        for key, (title, grey, line) in _SHADES.items():
            value, low, high = percents(entries, key)
            axes.plot(x, value, line, marker="o", markersize=2.5, color=grey, label=title)
            axes.fill_between(x, low, high, color=grey, alpha=0.12, linewidth=0.0)
        axes.axvline(usual[kind], color="0.8", linewidth=2.0, zorder=0)
        axes.set(xscale="log", ylim=(-2, 102))
        if x[-1] < 20.0 * x[0]:  # few ticks of a logarithmic axis: the values themselves
            axes.set_xticks(x, [f"{value:g}" for value in x])
            axes.xaxis.set_minor_locator(NullLocator())
        millions = {name: count / 1e6 for name, count in parameters.items()}
        axes.set_xlabel(_SETTINGS[kind].format(**millions), fontsize=6)
    grid[0].set_ylabel("%")
    lettered(grid)
    legend_below(figure, grid)
    return figure


def against(found: dict[tuple[str, str], Difference], titles: dict[str, str]) -> Figure:
    """How much each variant scores above its reference, with 95 % intervals; a panel per score.

    ``found`` comes from :func:`pie.report.tables.against`, ``titles`` are names of scores to draw.
    """
    variants = list(dict.fromkeys(variant for variant, _ in found))
    figure, grid = panels(len(titles), 0.7 + 0.18 * len(variants))
    y = np.arange(len(variants))
    for axes, (score, title) in zip(grid, titles.items(), strict=True):
        mean, low, high = 100 * np.array([found[variant, score][:3] for variant in variants]).T
        axes.axvline(0.0, color="0.7", linewidth=0.6)
        style = {"fmt": "o", "color": "0.15", "markersize": 3, "elinewidth": 0.8}
        axes.errorbar(mean, y, xerr=[mean - low, high - mean], **style)
        axes.set(title=title, xlabel="points above the reference")
    grid[0].set_yticks(y, variants)
    grid[0].invert_yaxis()
    return figure


_CONDITIONS = {
    "relative noise": "noise σ, x → x(1 + ζ)",
    "noise": "noise, of the spread of a column",
    "outliers": "share of outliers",
    "points": "points given",
}


def conditions(summary: Sequence[dict], scores: dict[str, str]) -> Figure:
    """Figure 4: ``scores``, by key with their names, against noise, outliers or numbers of points.

    0 is drawn a third of a decade left of the lowest level. The legend has the number of equations.
    """
    kinds = list(dict.fromkeys(e["benchmark"].rpartition(" ")[0] for e in summary))
    names = distinct(summary, "method")
    labels = {name: f"{name}, {_counted(summary, name)}" for name in names}
    figure, grid = panels(len(kinds), 0.8 + 1.6 * len(scores), rows=len(scores), sharey="row")
    for column, kind in enumerate(kinds):
        varied = _varied(summary, kind)
        lowest = min(value for value, _ in varied if value > 0.0)
        shown = [(value or 0.4 * lowest, entry) for value, entry in varied]
        for axes, (key, title) in zip(grid[:, column], scores.items(), strict=True):
            _draw(axes, names, shown, key, labels)
            axes.set(xscale="log", ylim=(-2, 102))
            if column == 0:
                axes.set_ylabel(f"{title} (%)")
            if varied[0][0] == 0.0:
                axes.axvline(0.6 * lowest, color="0.8", linewidth=0.6)
                tens = 10.0 ** np.arange(np.ceil(np.log10(lowest)), 0.0)
                axes.set_xticks([0.4 * lowest, *tens], ["0", *(f"{level:g}" for level in tens)])
        grid[-1, column].set_xlabel(_CONDITIONS[kind])
    lettered(grid.flat)
    legend_below(figure, grid, title="method, number of equations")
    return figure


def _counted(summary: Sequence[dict], name: str) -> str:
    """The number of equations of a method in every condition: ``80``, or ``7 to 80``."""
    counts = sorted({e["equations"] for e in summary if e["method"] == name})
    return f"{counts[0]:g}" if len(counts) == 1 else f"{counts[0]:g} to {counts[-1]:g}"
