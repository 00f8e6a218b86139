"""Pictures of points with the zero sets of equations."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..data import sampling
from ..data.corpus import Item
from ..experiments.evaluation import Row
from ..expr.expression import Expression, parse
from .drawing import (
    METHODS,
    clipped,
    draw_zero_set,
    frame,
    math_text,
    panels,
    shrink_titles,
    typeset,
    wrapped,
)


def gallery(items: Sequence[Item]) -> Figure:
    """Training pairs with two variables: the points and the equation they came from."""
    figure, grid = panels((len(items) + 1) // 2, 3.1, rows=2, sharey=False)
    for axes, item in zip(grid.flat, items, strict=False):
        axes.plot(*item.points.T, ".", color="0.25", markersize=2)
        frame(axes, item.points)
        draw_zero_set(axes, item.equation, colors="#0072B2", linewidths=0.8)
        axes.set_title(wrapped(math_text(item.target) + " = 0", 30), fontsize=5)
        axes.tick_params(labelsize=5)
    return figure


_WAYS = {
    "normal": "normal: the paper's",
    "free_box": "free box: y against x",
    "whole": "whole extent",
}


def ways(expression: Expression, box: sampling.Box) -> Figure:
    """A curve in two variables in every way in which points come from a box, then with errors."""
    rng = np.random.default_rng(0)
    clouds = {_WAYS.get(w, w): sampling.drawn(expression, w, 100, box, rng) for w in sampling.WAYS}
    extent = sampling.drawn(expression, "whole", 100, box, rng)
    clouds["noise, 3 % of the spread"] = sampling.add_noise(extent, 0.03, rng)
    clouds["10 % outliers"] = sampling.add_outliers(extent, 0.1, rng)
    figure, grid = panels(4, 3.1, rows=2, sharex=True)
    x_ends, y_ends = 1.25 * np.array([box.low, box.high]).T
    for axes, (title, points) in zip(grid.flat, clouds.items(), strict=True):
        axes.set(xlim=x_ends, ylim=y_ends)
        draw_zero_set(axes, expression, colors="0.8", linewidths=0.8)
        style = ".-" if title == "trajectory" else "."
        axes.plot(*points.T, style, color="#0072B2", markersize=2.5, linewidth=0.3)
        axes.set_title(title, fontsize=6)
        axes.tick_params(labelsize=5)
    return figure


def _answer(axes: Axes, row: Row, cloud: np.ndarray, width: float, **points) -> str:
    """Points and the zero set of the answer to them; the answer as text."""
    axes.plot(*cloud.T, ".", **points)
    frame(axes, cloud)
    if not row.equation:
        return "nothing"
    equation = parse(row.as_returned)
    draw_zero_set(axes, equation, colors=METHODS[row.method][0], linewidths=width)
    return math_text(equation)


_DOMAINS = {  # of the paper's Figure 1
    "relativistic": "particle trajectory",
    "orbit": "celestial motion",
    "gas": "inverse proportion",
}


def contrast(rows: Sequence[Row], points: dict[str, np.ndarray]) -> Figure:
    """Figure 1: the same points in every row, what each method found, degenerate or not.

    ``rows`` are of equations with two variables, ``points`` (N, 2) by equation id.
    """
    names = list(dict.fromkeys(row.method for row in rows))
    ids = list(dict.fromkeys(row.equation_id for row in rows))
    figure, grid = panels(len(names), 0.4 + 1.3 * len(ids), rows=len(ids), sharey=False)
    for row in rows:
        axes = grid[ids.index(row.equation_id), names.index(row.method)]
        found = _answer(axes, row, points[row.equation_id], 1.0, color="0.6", markersize=1.5)
        flaw = row.status.removeprefix("degenerate: ") if row.status != "ok" else ""
        text = f"{wrapped(clipped(found, 100), 20)}\n{flaw}".strip()
        axes.set_xlabel(text, fontsize=4.5, color=METHODS[row.method][0])
        axes.tick_params(labelsize=4, length=1.5, pad=1)
        axes.locator_params(nbins=4)
        if row.equation_id == ids[0]:
            axes.set_title(row.method, fontsize=6)
        if row.method == names[0]:
            letter = "abcdefghijkl"[ids.index(row.equation_id)]
            domain = _DOMAINS.get(row.equation_id, row.equation_id)
            law = wrapped(math_text(parse(row.truth)) + " = 0", 26)
            axes.set_ylabel(f"({letter}) {domain}\n{law}", fontsize=5)
    return figure


def examples(rows: Sequence[Row], points: dict[str, np.ndarray]) -> Figure:
    """As :func:`contrast`, a panel per row: the truth above, the answer below."""
    figure, grid = panels(max(1, len(rows)), 2.1, sharey=False)
    for axes, row in zip(grid, rows, strict=False):
        _answer(axes, row, points[row.equation_id], 1.2, color="0.3", markersize=2.5)
        truth = f"obeys\n{typeset(parse(row.truth))}"
        found = f"found\n{typeset(parse(row.as_returned))}" if row.equation else "found nothing"
        axes.set_title(truth, fontsize=7, color="0.3")
        axes.set_xlabel(found, fontsize=7, color=METHODS[row.method][0])
        axes.tick_params(labelsize=5)
    shrink_titles(figure)
    return figure
