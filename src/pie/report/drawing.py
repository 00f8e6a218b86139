"""What figures share: print width, one colour and marker per method, intervals, zero sets."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..expr.expression import Expression, to_infix, to_tree
from ..expr.sympy_bridge import balanced, rounded, to_latex, to_sympy

STYLE = Path(__file__).with_name("pie.mplstyle")
WIDTH = 5.5  # inches

# One colour and one marker per method, everywhere; told apart in black and white by the marker.
METHODS = {
    "PIE": ("#0072B2", "o"),
    "PIE (Vanilla)": ("#E69F00", "s"),
    "PIE (strict)": ("#56B4E9", "P"),
    "PIE+": ("#009E73", "D"),
    "PIE+ (no network)": ("#009E73", "1"),
    "PIE+ (network alone)": ("#009E73", "2"),
    "GP (Vanilla)": ("#CC79A7", "^"),
    "GP (CL-FEM)": ("#CC79A7", "v"),
    "DSO (Vanilla)": ("#999999", "<"),
    "DSO (CL-FEM)": ("#999999", ">"),
    "Null space": ("#000000", "X"),
    "GP (least squares)": ("#D55E00", "p"),
    "GP (implicit derivatives)": ("#D55E00", "d"),
    "GP (Sampson)": ("#D55E00", "h"),
}


def distinct(entries: Sequence[dict], key: str) -> list[str]:
    """The values of a key, in the order of their appearance."""
    return list(dict.fromkeys(entry[key] for entry in entries))


def panels(
    columns: int, height: float = 2.4, rows: int | None = None, **share
) -> tuple[Figure, np.ndarray]:
    """A figure of print width and its axes, (columns,) or (rows, columns); y is shared."""
    share = {"sharey": True, **share}
    figure, grid = plt.subplots(rows or 1, columns, squeeze=False, figsize=(WIDTH, height), **share)
    return figure, grid if rows else grid[0]


def legend_below(figure: Figure, axes, columns: int = 0, title: str | None = None) -> None:
    """One legend for all panels, under them, of what is in any of ``axes``."""
    named: dict = {}
    for one in np.ravel(axes):
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    columns = columns or (4 if len(named) == 4 else 3)
    style = {"fontsize": 6, "title": title, "title_fontsize": 6}
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=columns, **style)


def percents(entries: Sequence[dict], key: str) -> np.ndarray:
    """Values, lower and upper ends of a score in per cent, (3, entries)."""
    return np.array([[100 * e[f"{key}{end}"] for e in entries] for end in ("", "_low", "_high")])


def intervals(axes: Axes, x, entries: Sequence[dict], key: str, **style) -> None:
    """A score in per cent along y at the places ``x``, with its intervals."""
    value, *ends = percents(entries, key)
    axes.errorbar(x, value, np.abs(ends - value), **style)


def interval_dot(axes: Axes, entry: dict, key: str, place: float, colour: str, marker: str) -> None:
    """A score in per cent along x, on its interval."""
    value, low, high = percents([entry], key)[:, 0]
    axes.plot([low, high], [place, place], color="0.6", linewidth=0.8)
    axes.plot(value, place, marker, color=colour)


def window(points: np.ndarray, outside: float, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners (D,) of the points but for a share ``outside`` at either end, with a margin."""
    low, high = np.quantile(points, [outside, 1.0 - outside], axis=0)
    margins = margin * np.where(high > low, high - low, 1.0)
    return low - margins, high + margins


def frame(axes: Axes, points: np.ndarray, outside: float = 0.03, margin: float = 0.15) -> None:
    """The limits of a panel: the :func:`window` of the points (N, 2)."""
    (left, bottom), (right, top) = window(points, outside, margin)
    axes.set(xlim=(left, right), ylim=(bottom, top))


@np.errstate(all="ignore")
def values_on_grid(expression: Expression, *columns: np.ndarray) -> np.ndarray:
    """f on a grid, large values undefined: at poles the sign changes without a zero."""
    points = np.column_stack([column.ravel() for column in columns])
    f = expression.values(points).reshape(columns[0].shape)
    known = np.abs(f[np.isfinite(f)])
    return np.where(np.abs(f) < 50.0 * np.median(known), f, np.nan) if len(known) else f


def draw_zeros(axes: Axes, x: np.ndarray, y: np.ndarray, f: np.ndarray, **style) -> None:
    """The contour f = 0 on a grid, if f changes its sign there."""
    if np.any(f < 0.0) and np.any(f > 0.0):
        axes.contour(x, y, f, levels=[0.0], **style)


def draw_zero_set(axes: Axes, expression: Expression, **style) -> None:
    """The curve f(x1, x2) = 0 inside the present limits."""
    x, y = np.meshgrid(*(np.linspace(*ends, 400) for ends in (axes.get_xlim(), axes.get_ylim())))
    draw_zeros(axes, x, y, values_on_grid(expression, x, y), **style)


def math_text(expression: Expression) -> str:
    """An equation as short plain text, constants to three significant digits."""
    return to_infix(to_tree(expression), 3).replace("**", "^").replace("*", "·")


def typeset(expression: Expression) -> str:
    """f = 0 in Matplotlib's mathtext, what is subtracted on its right side, to three digits.

    >>> from pie.expr.expression import parse
    >>> typeset(parse("x1**2 - 2.5*x2"))
    '$x_{1}^{2} = 2.5 x_{2}$'
    """
    return f"${to_latex(balanced(rounded(to_sympy(expression), 3)))}$"


def shrink_titles(figure: Figure) -> None:
    """Smaller letters where a title or the label below is wider than its panel."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        for text in (axes.title, axes.xaxis.label):
            wide = text.get_window_extent().width / axes.get_window_extent().width
            text.set_fontsize(text.get_fontsize() / max(1.0, wide))


def clipped(text: str, length: int) -> str:
    """The text with an ellipsis in place of what is too long."""
    return text if len(text) <= length else text[: length - 1] + "…"


def wrapped(text: str, width: int) -> str:
    """Lines of about ``width`` characters; broken after a blank, a factor or a bracket."""
    lines = [""]
    for piece in re.findall(r"[^\s·/(]*[\s·/(]*", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.strip() for line in lines)


def lettered(grid: Iterable[Axes]) -> None:
    """(a), (b), … at the upper left of the panels."""
    for axes, letter in zip(grid, "abcdefghijkl", strict=False):
        axes.set_title(f"({letter})", loc="left", fontsize=7)
