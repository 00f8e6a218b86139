"""Figures: functions take rows or objects and return a ``Figure``; only notebooks save."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .. import sampling
from ..corpus import Item
from ..evaluation import Row
from ..expression import Expression, parse, to_infix, to_tree
from .tables import TITLES

plt.style.use(Path(__file__).with_name("pie.mplstyle"))

# One colour and one marker per method, everywhere; told apart in black and white by the marker.
METHODS = {
    "PIE": ("#0072B2", "o"),
    "PIE (Vanilla)": ("#E69F00", "s"),
    "PIE (strict)": ("#56B4E9", "P"),
    "PIE+": ("#009E73", "D"),
    "GP (Vanilla)": ("#CC79A7", "^"),
    "GP (CL-FEM)": ("#CC79A7", "v"),
    "DSO (Vanilla)": ("#999999", "<"),
    "DSO (CL-FEM)": ("#999999", ">"),
}
_SHOWN = ("fitness", "acc_0.5", "acc_0.7", "acc_0.8", "acc_0.9", "acc_0.99")


def math_text(expression: Expression, digits: int = 3) -> str:
    """An equation as short plain text, constants to ``digits`` significant ones."""
    return to_infix(to_tree(expression), digits).replace("**", "^").replace("*", "·")


def draw_zero_set(axes, expression: Expression, **style) -> None:
    """The curve f(x1, x2) = 0 inside the present limits; poles are left out."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    x, y = np.meshgrid(np.linspace(left, right, 400), np.linspace(low, high, 400))
    with np.errstate(all="ignore"):
        f = expression.values(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
        scale = np.nanmedian(np.abs(f[np.isfinite(f)])) if np.isfinite(f).any() else 1.0
        f = np.where(np.abs(f) < 50 * scale, f, np.nan)
    if np.nanmin(f) < 0 < np.nanmax(f):
        axes.contour(x, y, f, levels=[0.0], **style)


def _wrapped(text: str, width: int = 30) -> str:
    return textwrap.fill(text, width)


def _window(axes, points: np.ndarray) -> None:
    low, high = np.quantile(points, [0.03, 0.97], axis=0)
    pad = 0.15 * (high - low)
    axes.set_xlim(low[0] - pad[0], high[0] + pad[0])
    axes.set_ylim(low[1] - pad[1], high[1] + pad[1])


def gallery(items: Sequence[Item]) -> Figure:
    """Training pairs with two variables: the points and the equation they came from."""
    figure, grid = plt.subplots(2, (len(items) + 1) // 2, figsize=(5.5, 3.1))
    for axes, item in zip(grid.flat, items, strict=False):
        axes.plot(*item.points.T, ".", color="0.25", markersize=2)
        _window(axes, item.points)
        draw_zero_set(axes, item.equation, colors="#0072B2", linewidths=0.8)
        axes.set_title(_wrapped(math_text(item.target) + " = 0"), fontsize=5)
        axes.tick_params(labelsize=5)
    return figure


_WAYS = {
    "normal": "normal: the paper's",
    "free_box": "free box: y against x",
    "whole": "whole extent",
    "patch": "patch",
    "clusters": "clusters",
    "trajectory": "trajectory",
}


def ways(expression: Expression, box: sampling.Box, seed: int = 0) -> Figure:
    """One curve drawn in every way in which points come, and what may happen to points then.

    Args:
        expression: in two variables.
        box: where it is observed.
        seed: of the points.
    """
    rng = np.random.default_rng(seed)
    clouds = {}
    for way, title in _WAYS.items():
        clouds[title] = sampling.drawn(expression, way, 100, box, rng)
    extent = sampling.drawn(expression, "whole", 100, box, rng)
    clouds["noise, 3 % of the spread"] = sampling.add_noise(extent, 0.03, rng)
    clouds["10 % outliers"] = sampling.add_outliers(extent, 0.1, rng)
    figure, grid = plt.subplots(2, 4, figsize=(5.5, 3.1), sharex=True, sharey=True)
    for axes, (title, points) in zip(grid.flat, clouds.items(), strict=True):
        axes.set(xlim=1.25 * np.array([box.low[0], box.high[0]]),
                 ylim=1.25 * np.array([box.low[1], box.high[1]]))  # fmt: skip
        draw_zero_set(axes, expression, colors="0.8", linewidths=0.8)
        style = ".-" if title == "trajectory" else "."
        axes.plot(*points.T, style, color="#0072B2", markersize=2.5, linewidth=0.3)
        axes.set_title(title, fontsize=6)
        axes.tick_params(labelsize=5)
    return figure


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
        summary: from :func:`pie.evaluation.summarise`.
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


def examples(rows: Sequence[Row], points: dict[str, np.ndarray]) -> Figure:
    """What was found: points, the zero set of the equation found, truth above and answer below.

    Args:
        rows: rows of equations with two variables.
        points: the points (N, 2) by equation id.
    """
    panels = max(1, len(rows))
    figure, grid = plt.subplots(1, panels, squeeze=False, figsize=(5.5, 2.1))
    width = min(40, 105 // panels)  # characters
    for axes, row in zip(grid[0], rows, strict=False):
        cloud = points[row.equation_id]
        axes.plot(*cloud.T, ".", color="0.3", markersize=2.5)
        _window(axes, cloud)
        if row.equation:
            colour = METHODS[row.method][0]
            draw_zero_set(axes, parse(row.equation), colors=colour, linewidths=1.2)
            found = math_text(parse(row.equation))
        else:
            found = "nothing"
        title = f"obeys  {math_text(parse(row.truth))} = 0"
        axes.set_title(_wrapped(title, width), fontsize=6, color="0.3")
        axes.set_xlabel(
            _wrapped(f"found  {found} = 0", width), fontsize=6, color=METHODS[row.method][0]
        )
        axes.tick_params(labelsize=5)
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
