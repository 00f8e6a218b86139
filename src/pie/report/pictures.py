"""Pictures of a law over its data, one call each: zero set, residuals, error against complexity."""

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..discovery.measurements import Table
from ..discovery.result import Law, Result
from ..discovery.scales import KNOWN, Scale
from .drawing import (
    METHODS,
    STYLE,
    clipped,
    draw_zero_set,
    draw_zeros,
    panels,
    values_on_grid,
    window,
)

_COLOUR = METHODS["PIE+"][0]
_PLANES = 14  # that cut a surface


def plot(found: Law | Result, data: Table) -> Figure:
    """A law, or the best one of a result, over its data; see :func:`zero_set`.

    ValueError where no law was found, or where it has more than three columns: then
    :func:`residuals` shows how far each row lies off.

    >>> import pie
    >>> x = np.linspace(0.5, 2.0, 40)
    >>> points = np.column_stack([x, 1.0 / x])
    >>> pie.plot(pie.discover(points), points).axes[0].get_xlabel()
    'x1'
    """
    law = found.best if isinstance(found, Result) else found
    if law is None:
        raise ValueError("no law was found; there is nothing to draw")
    if len(law.names) > 3:
        raise ValueError(f"the law has {len(law.names)} columns; expected 2 or 3 to draw its zeros")
    return zero_set(law, data)


@plt.style.context(STYLE)
def zero_set(law: Law, data: Table) -> Figure:
    """The points and the curve, or the surface cut by planes, on which f = 0.

    Rows with missing values are not drawn.
    """
    points = law.points_in(data)
    points = points[np.isfinite(points).all(axis=1)]
    low, high = window(points, 0.0, 0.12)
    least = points.min(axis=0)
    begin = np.where(least > 0.0, np.maximum(low, 0.5 * least), low)  # there may be a logarithm
    if len(law.names) == 2:
        figure, axes = plt.subplots(figsize=(3.4, 2.8))
        axes.plot(*points.T, ".", color="0.35", markersize=3)
        axes.set(xlim=(begin[0], high[0]), ylim=(begin[1], high[1]))
        draw_zero_set(axes, law.program, colors=_COLOUR, linewidths=1.3)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        if 0.5 < np.divide(*(high - low)) < 2.0:  # columns of one kind, as coordinates
            axes.set_aspect("equal")
    else:
        figure = plt.figure(figsize=(3.8, 3.4))
        axes = figure.add_subplot(projection="3d")
        axes.scatter(*points.T, s=4, color="0.35", depthshade=False)
        x, y = np.meshgrid(*(np.linspace(begin[j], high[j], 80) for j in (0, 1)))
        style = {"zdir": "z", "colors": _COLOUR, "linewidths": 0.8}
        for z in np.linspace(begin[2], high[2], _PLANES):
            f = values_on_grid(law.program, x, y, np.full_like(x, z))
            draw_zeros(axes, x, y, f, offset=z, **style)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        axes.set_box_aspect(None, zoom=0.85)  # with room for the third label
    for place, name in enumerate("xyz"[: len(law.names)]):
        _label(getattr(axes, f"{name}axis"), law, place)
    axes.set_title(_title(law), fontsize=7, parse_math=False)
    return figure


def _label(axis: Axis, law: Law, place: int) -> None:
    """The column along an axis: what is counted from 1970 is drawn as years."""
    scale = law.scales[place] if law.scales else Scale()
    if scale.origin:
        axis.set_major_locator(MaxNLocator(4))  # of long numbers
        axis.set_major_formatter(lambda value, _: f"{value + scale.origin:.{KNOWN}g}")
    axis.set_label_text(scale.label(law.names[place]), parse_math=False)  # $ is a dollar


@plt.style.context(STYLE)
def turntable(law: Law, data: Table, frames: int = 18) -> str:
    """The surface and its points from ``frames`` equal angles: HTML with a slider, loading nothing.

    ValueError if the law has two columns, or there are no frames.
    """
    if len(law.names) != 3:
        raise ValueError(f"the law has {len(law.names)} columns; expected 3")
    if frames < 1:
        raise ValueError(f"frames is {frames}; expected at least 1")
    figure = zero_set(law, data)
    shown = ""
    for i in range(frames):
        figure.axes[0].view_init(elev=22.0, azim=360.0 * i / frames - 60.0)
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=90)  # of a screen
        source = f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"
        shown += f'<img src="{source}" alt="view {i + 1}"{" hidden" if i else ""}>'
    plt.close(figure)
    turn = "[...this.previousSibling.children].forEach((e, i) => { e.hidden = i != this.value })"
    slider = f'<input type="range" min="0" max="{frames - 1}" value="0" oninput="{turn}">'
    return f"<div><div>{shown}</div>{slider}</div>"


def _title(law: Law) -> str:
    return clipped(repr(law), 70)


def overview(results: dict[str, Result]) -> pd.DataFrame:
    """Every law of several tables, with the shortest law of the same columns; or that none is."""
    lines = []
    for name, result in results.items():
        about = {"table": name, "points": result.points}
        for law in result.laws:
            rivals = [c for c in result.candidates if c.names == law.names and c.certificate.law]
            simplest = min(rivals, key=lambda c: c.complexity)
            line = about | {"law": _title(law), "rms / spread": f"{law.relative_rms:.2g}"}
            line |= {"simplest": _title(simplest), "its rms": f"{simplest.relative_rms:.2g}"}
            lines.append(line)
        if not result.law:
            lines.append(about | dict.fromkeys(("law", "simplest"), "no law found"))
    return pd.DataFrame(lines).fillna("–")


@plt.style.context(STYLE)
def residuals(law: Law, data: Table) -> Figure:
    """Where points lie off: signed distance against each column, and how it is distributed."""
    points, distance = law.points_in(data), law.distance(data)
    figure, (*grid, last) = panels(len(law.names) + 1, 1.9)
    for place, (axes, column) in enumerate(zip(grid, points.T, strict=True)):
        axes.axhline(0.0, color="0.7", linewidth=0.8)
        axes.plot(column, distance, ".", color=_COLOUR, markersize=3)
        _label(axes.xaxis, law, place)
    usual = distance[np.isfinite(distance)]
    alike = np.ptp(usual) <= 1e-9 * np.abs(usual).max() if len(usual) else True
    last.hist(usual, bins=1 if alike else 30, orientation="horizontal", color="0.6")
    last.set_xlabel("points")
    grid[0].set_ylabel("signed distance")
    return figure


@plt.style.context(STYLE)
def front(result: Result) -> Figure:
    """Error against complexity: filled what passed for a law, joined what nothing beats."""
    if not result.candidates:
        raise ValueError("the result has no candidates; there is nothing to draw")
    figure, axes = plt.subplots(figsize=(3.8, 2.6))
    for law in result.candidates:
        fill = _COLOUR if law.certificate.law else "white"
        style = {"markersize": 4, "color": _COLOUR, "markerfacecolor": fill}
        axes.plot(law.complexity, max(law.relative_rms, 1e-16), "o", **style)
    x, y = np.transpose([(law.complexity, max(law.relative_rms, 1e-16)) for law in result.front])
    axes.plot(x, y, "-", color=_COLOUR, linewidth=0.8, zorder=0)
    axes.set(yscale="log", xlabel="complexity", ylabel="rms distance / spread")
    return figure
