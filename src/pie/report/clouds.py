"""Pictures of points with the zero sets of equations."""

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from ..data import sampling
from ..data.corpus import Item
from ..experiments.evaluation import Row
from ..expr.expression import Expression, parse, to_infix, to_tree
from .style import METHODS


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


def contrast(rows: Sequence[Row], points: dict[str, np.ndarray]) -> Figure:
    """Figure 1: the same points in every row, what each method found, degenerate or not.

    Args:
        rows: rows of equations with two variables.
        points: the points (N, 2) by equation id.
    """
    names = list(dict.fromkeys(row.method for row in rows))
    ids = list(dict.fromkeys(row.equation_id for row in rows))
    figure, grid = plt.subplots(
        len(ids), len(names), squeeze=False, figsize=(5.5, 0.4 + 1.3 * len(ids))
    )
    for row in rows:
        axes = grid[ids.index(row.equation_id), names.index(row.method)]
        cloud = points[row.equation_id]
        _window(axes, cloud)
        axes.plot(*cloud.T, ".", color="0.6", markersize=1.5)
        colour = METHODS[row.method][0]
        if row.equation:
            draw_zero_set(axes, parse(row.equation), colors=colour, linewidths=1.0)
        flaw = row.status.removeprefix("degenerate: ") if row.status != "ok" else ""
        found = _wrapped(
            _clipped(math_text(parse(row.equation)) if row.equation else "nothing"), 22
        )
        axes.set_xlabel(f"{found}\n{flaw}".strip(), fontsize=4.5, color=colour)
        axes.tick_params(labelbottom=False, labelleft=False, length=0)
        if row.equation_id == ids[0]:
            axes.set_title(row.method, fontsize=6)
        if row.method == names[0]:
            axes.set_ylabel(_wrapped(math_text(parse(row.truth)) + " = 0", 20), fontsize=5)
    return figure


def _clipped(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


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
