"""Pictures of a law over its data, one call each: zero set, residuals, error against complexity."""

import base64
import io
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..discovery.result import Law, Result
from ..expr.sympy_bridge import rounded
from .clouds import draw_zero_set
from .style import METHODS

_COLOUR = METHODS["PIE+"][0]
_LEVELS = 14  # planes that cut a surface
_MARGIN = 0.12  # around the data
_SCREEN = 90  # dots per inch


def _columns(law: Law, data: pd.DataFrame | np.ndarray | Sequence) -> np.ndarray:
    """The points in the columns of the law, (N, 2) or (N, 3).

    Raises:
        ValueError: the data lack a column of the law, quoted.
    """
    if isinstance(data, pd.DataFrame):
        missing = [name for name in law.names if name not in data.columns]
        if missing:
            raise ValueError(
                f"the data have no column {missing[0]!r}; known are {', '.join(map(str, data))}"
            )
        return data[list(law.names)].to_numpy(np.float64)
    points = np.asarray(data, np.float64)
    if points.ndim != 2:
        raise ValueError(f"the data have shape {points.shape}; expected (N, D)")
    if points.shape[1] == len(law.names):
        return points
    places = [int(name[1:]) - 1 if name[:1] == "x" and name[1:].isdigit() else -1
              for name in law.names]  # fmt: skip
    if min(places) < 0 or max(places) >= points.shape[1]:
        raise ValueError(f"the data have {points.shape[1]} columns; expected {len(law.names)}")
    return points[:, places]


def _limits(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = points.min(axis=0), points.max(axis=0)
    pad = _MARGIN * np.where(high > low, high - low, 1.0)
    return low - pad, high + pad


def zero_set(law: Law, data: pd.DataFrame | np.ndarray | Sequence) -> Figure:
    """The points and the curve, or the surface cut by planes, on which f = 0.

    Args:
        law: in two or three columns.
        data: with these columns.
    """
    points = _columns(law, data)
    low, high = _limits(points)
    if len(law.names) == 2:
        figure, axes = plt.subplots(figsize=(3.4, 2.8))
        axes.plot(*points.T, ".", color="0.35", markersize=3)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        draw_zero_set(axes, law.program, colors=_COLOUR, linewidths=1.3)
        if 0.5 < np.divide(*(high - low)) < 2.0:  # columns of one kind, as coordinates
            axes.set_aspect("equal")
    else:
        figure = plt.figure(figsize=(3.8, 3.4))
        axes = figure.add_subplot(projection="3d")
        axes.scatter(*points.T, s=4, color="0.35", depthshade=False)
        _draw_surface(axes, law, low, high)
        axes.set_zlabel(law.names[2])
    axes.set(xlabel=law.names[0], ylabel=law.names[1])
    axes.set_title(_title(law), fontsize=7)
    return figure


def turntable(law: Law, data: pd.DataFrame | np.ndarray | Sequence, frames: int = 18) -> str:
    """The surface and its points seen from all around, as HTML with a slider, loading nothing.

    Args:
        law: in three columns.
        data: with these columns.
        frames: pictures, at equal angles.

    Raises:
        ValueError: the law has two columns, or there are no frames.
    """
    if len(law.names) != 3:
        raise ValueError(f"the law has {len(law.names)} columns; expected 3")
    if frames < 1:
        raise ValueError(f"frames is {frames}; expected at least 1")
    figure = zero_set(law, data)
    axes, pictures = figure.axes[0], []
    for i in range(frames):
        axes.view_init(elev=22.0, azim=360.0 * i / frames - 60.0)
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=_SCREEN)
        pictures.append(base64.b64encode(content.getvalue()).decode())
    plt.close(figure)
    shown = "".join(
        f'<img src="data:image/png;base64,{picture}" alt="view {i + 1}"{" hidden" if i else ""}>'
        for i, picture in enumerate(pictures)
    )
    turn = "[...this.previousSibling.children].forEach((e, i) => { e.hidden = i != this.value })"
    slider = f'<input type="range" min="0" max="{frames - 1}" value="0" oninput="{turn}">'
    return f"<div><div>{shown}</div>{slider}</div>"


def _title(law: Law) -> str:
    text = f"{rounded(law.expression)} = 0"
    return text if len(text) <= 70 else text[:69] + "…"


def _draw_surface(axes, law: Law, low: np.ndarray, high: np.ndarray) -> None:
    """Curves f = 0 in planes across the third column."""
    x, y = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80))
    for z in np.linspace(low[2], high[2], _LEVELS):
        plane = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, z)])
        with np.errstate(all="ignore"):
            f = law.program.values(plane).reshape(x.shape)
            scale = np.nanmedian(np.abs(f[np.isfinite(f)])) if np.isfinite(f).any() else 1.0
        f = np.where(np.abs(f) < 50.0 * scale, f, np.nan)  # poles change the sign without a zero
        if np.isfinite(f).any() and np.nanmin(f) < 0.0 < np.nanmax(f):
            axes.contour(x, y, f, levels=[0.0], zdir="z", offset=z, colors=_COLOUR, linewidths=0.8)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))


def overview(results: dict[str, Result]) -> pd.DataFrame:
    """What was found in several tables: every law, or that there is none; with the simplest rival.

    *Simplest* is the shortest equation of the same columns that passes for a law, too.
    """
    lines = []
    for name, result in results.items():
        about = {"table": name, "points": result.points}
        for law in result.laws:
            rivals = [c for c in result.candidates if c.names == law.names and c.certificate.law]
            simplest = min(rivals, key=lambda c: c.complexity)
            lines.append(
                about
                | {"law": _title(law), "rms / spread": f"{law.relative_rms:.2g}"}
                | {"simplest": _title(simplest), "its rms": f"{simplest.relative_rms:.2g}"}
            )
        if not result.law:
            lines.append(about | dict.fromkeys(("law", "simplest"), "no law found"))
    return pd.DataFrame(lines).fillna("–")


def residuals(law: Law, data: pd.DataFrame | np.ndarray | Sequence) -> Figure:
    """Where points lie off: signed distance against each column, and how it is distributed.

    Args:
        law: in two or three columns.
        data: with these columns.
    """
    points = _columns(law, data)
    distance = law.distance(points)
    n = len(law.names)
    figure, grid = plt.subplots(1, n + 1, sharey=True, figsize=(5.5, 1.9))
    for j, axes in enumerate(grid[:n]):
        axes.axhline(0.0, color="0.7", linewidth=0.8)
        axes.plot(points[:, j], distance, ".", color=_COLOUR, markersize=3)
        axes.set_xlabel(law.names[j])
    finite = distance[np.isfinite(distance)]
    grid[n].hist(finite, bins=30, orientation="horizontal", color="0.6")
    grid[n].set_xlabel("points")
    grid[0].set_ylabel("signed distance")
    return figure


def front(result: Result) -> Figure:
    """Error against complexity: filled what passed for a law, joined what nothing beats.

    Raises:
        ValueError: there are no candidates.
    """
    if not result.candidates:
        raise ValueError("the result has no candidates; there is nothing to draw")
    figure, axes = plt.subplots(figsize=(3.8, 2.6))
    least = 1e-16
    for law in result.candidates:
        axes.plot(
            law.complexity, max(law.relative_rms, least), "o", markersize=4, color=_COLOUR,
            markerfacecolor=_COLOUR if law.certificate.law else "white",
        )  # fmt: skip
    best = result.front
    axes.plot(
        [law.complexity for law in best], [max(law.relative_rms, least) for law in best],
        "-", color=_COLOUR, linewidth=0.8, zorder=0,
    )  # fmt: skip
    axes.set(yscale="log", xlabel="complexity", ylabel="rms distance / spread")
    return figure
