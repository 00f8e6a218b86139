"""Figure 3, from a real run: generation, the network with its tensor shapes, inference.

Nothing in the picture is typed in: :func:`pie.report.trace.trace` runs the network on items of the
corpus and on the points of a law; :func:`framework` draws what went through it.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from ..expr.expression import Expression, to_tree
from ..network.model import BITS
from .clouds import draw_zero_set, math_text
from .style import METHODS
from .trace import Trace

_COLOUR = METHODS["PIE"][0]
_INFIX = {"add": "+", "sub": "−", "mul": "×", "div": "÷"}
_BANDS = (1.6, 1.52, 1.42)  # heights in inches, from below: inference, network, generation
_GAP = 0.08


def skeleton_text(expression: Expression) -> str:
    """A skeleton as short plain text, ``C`` for every constant.

    >>> from pie.expr.expression import parse
    >>> skeleton_text(parse("x1**2 - 3*x2"))
    'x1^2 - C·x2'
    """
    blank = expression.with_constants([np.nan] * len(expression.constants))
    return math_text(blank).replace("nan", "C")


def framework(trace: Trace, shown: int = 5) -> Figure:
    """Figure 3: Parts 1 to 3 of the paper's, a band each.

    Args:
        trace: from :func:`pie.report.trace.trace`.
        shown: skeletons of the beam, at most.
    """
    height = sum(_BANDS) + 4 * _GAP
    figure = plt.figure(figsize=(5.5, height))
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 5.5), ylim=(0, height))  # inches
    axes.axis("off")
    bottoms = _GAP + np.array([0.0, *np.cumsum(np.array(_BANDS[:-1]) + _GAP)])
    titles = (
        "3  Inference: from points to equations",
        f"2  Network: {trace.parameters / 1e6:.3g} million parameters, "
        f"a batch of {trace.shapes['points'][0]}",
        "1  Generation: an item of the corpus",
    )
    for y, band, title in zip(bottoms, _BANDS, titles, strict=True):
        _box(axes, 0.06, y, 5.38, band, "", face="0.97", edge="0.8")
        axes.text(2.75, y + band - 0.07, title, ha="center", va="top", fontsize=7.5, weight="bold")
    _inference(axes, trace, bottoms[0], shown)
    _network(axes, trace, bottoms[1])
    _generation(axes, trace, bottoms[2])
    for x, start in ((0.8, 0.1), (4.72, 0.28)):  # points and target go into the network
        _arrow(axes, (x, bottoms[2] + start), (x, bottoms[1] + 1.38))
    return figure


def _box(axes: Axes, x, y, width, height, text, face="white", edge="0.3", **font) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.05",
            facecolor=face,
            edgecolor=edge,
            linewidth=0.6,
        )  # fmt: skip
    )
    font = {"fontsize": 6.5, **font}
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", **font)


def _arrow(axes: Axes, start: tuple, end: tuple, above: str = "", below: str = "") -> None:
    style = {"arrowstyle": "-|>", "linewidth": 0.8, "color": "0.3", "mutation_scale": 7,
             "shrinkA": 0, "shrinkB": 0}  # fmt: skip
    axes.annotate("", end, start, arrowprops=style)
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    axes.text(x, y + 0.05, above, ha="center", va="bottom", fontsize=6)
    axes.text(x, y - 0.05, below, ha="center", va="top", fontsize=6)


def _cloud(axes: Axes, place: tuple, points: np.ndarray, law: Expression | None = None) -> None:
    """Points in the middle 96 % of each column, in a frame at (x, y, width, height)."""
    frame = axes.inset_axes(place, transform=axes.transData)
    low, high = np.quantile(points, [0.02, 0.98], axis=0)
    pad = 0.15 * (high - low)
    frame.set(xlim=(low[0] - pad[0], high[0] + pad[0]), ylim=(low[1] - pad[1], high[1] + pad[1]))
    frame.set(xticks=[], yticks=[], xlabel="x1", ylabel="x2")
    frame.xaxis.label.set(fontsize=6), frame.yaxis.label.set(fontsize=6)
    frame.plot(*points.T, ".", color="0.25", markersize=1.5)
    if law is not None:
        draw_zero_set(frame, law, colors=_COLOUR, linewidths=0.9)


def _tree(axes: Axes, expression: Expression, x: float, y: float, width: float, height: float):
    """The expression as a tree inside a rectangle, root on top, leaves side by side."""
    places: list[tuple[float, int, str]] = []
    links: list[tuple[tuple[float, int], tuple[float, int]]] = []
    leaves = 0

    def walk(node, depth: int) -> float:
        nonlocal leaves
        if node[0] in ("x", "c"):
            at, leaves = float(leaves), leaves + 1
            label = f"x{node[1]}" if node[0] == "x" else f"{node[1]:.3g}"
        else:
            children = [walk(child, depth + 1) for child in node[1:]]
            at, label = float(np.mean(children)), _INFIX.get(node[0], node[0])
            links.extend(((at, depth), (child, depth + 1)) for child in children)
        places.append((at, depth, label))
        return at

    walk(to_tree(expression), 0)
    across, down = max(leaves - 1, 1), max(max(depth for _, depth, _ in places), 1)

    def place(at: float, depth: int) -> tuple[float, float]:
        return x + width * at / across, y + height * (1 - depth / down)

    for ends in links:
        axes.plot(*zip(*(place(*end) for end in ends), strict=True), color="0.6", linewidth=0.6)
    for at, depth, label in places:
        axes.text(*place(at, depth), label, ha="center", va="center", fontsize=6,
                  bbox={"facecolor": "0.97", "edgecolor": "none", "pad": 0.6})  # fmt: skip


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))


def _generation(axes: Axes, trace: Trace, y: float) -> None:
    item = trace.item
    _cloud(axes, (0.42, y + 0.28, 0.8, 0.8), item.points)
    axes.text(0.82, y + 1.13, f"input: {len(item.points)} points", ha="center", fontsize=6.5)
    _tree(axes, item.equation, 2.15, y + 0.3, 1.2, 0.78)
    law = f"f = {_clipped(math_text(item.equation), 44)}"
    axes.text(2.75, y + 0.1, law, ha="center", fontsize=6)
    _arrow(axes, (1.95, y + 0.68), (1.4, y + 0.68), "solve f = 0", "for one xᵢ")
    how = ("constants", "left open") if item.target == item.equation else ("canonical", "form")
    _arrow(axes, (3.5, y + 0.68), (4.05, y + 0.68), *how)
    axes.text(4.72, y + 1.13, "target: its skeleton", ha="center", fontsize=6.5)
    skeleton = _clipped(skeleton_text(item.target), 26)
    _box(axes, 4.12, y + 0.5, 1.2, 0.36, skeleton, fontsize=6)
    axes.text(4.72, y + 0.36, "C: a constant", ha="center", fontsize=6, color="0.4")


def _network(axes: Axes, trace: Trace, y: float) -> None:
    _bits(axes, trace, 0.2, y + 0.95)
    _tokens(axes, trace, 2.62, y + 0.95)
    config, shapes = trace.config, trace.shapes
    if config.encoder == "inducing":
        encoder = f"{config.encoder_layers} × (MAB(I, X), SAB)"
    else:
        encoder = f"{config.encoder_layers} × ISAB, PMA"
    boxes = {
        "bits": (0.64, 0.36, "bits"),
        "embedded": (1.56, 0.38, "MLP"),
        "latent": (2.52, 0.97, f"set encoder\n{encoder}"),
        "logits": (4.04, 0.7, f"decoder\n{config.decoder_layers} layers"),
    }
    x, name, middle = 0.12, "points", y + 0.32
    for then, (left, width, text) in boxes.items():
        _arrow(axes, (x, middle), (left, middle), _shape(shapes[name]), name)
        _box(axes, left, middle - 0.2, width, 0.4, text, face="#DCEBF5", edge=_COLOUR, fontsize=6)
        x, name = left + width, then
    _arrow(axes, (x, middle), (5.38, middle), _shape(shapes[name]), name)
    _arrow(axes, (4.39, y + 0.82), (4.39, middle + 0.2))
    axes.text(4.45, y + 0.66, f"{_shape(shapes['prefix'])} prefix", fontsize=6, va="center")


def _bits(axes: Axes, trace: Trace, x: float, y: float) -> None:
    """The half-precision bits of a coordinate: black is 1."""
    axes.text(x, y + 0.3, f"x1 = {trace.value:.4g} of the first point, as bits", fontsize=6)
    cell = 0.125
    for place, bit in enumerate(trace.bits):
        axes.add_patch(
            Rectangle(
                (x + cell * place, y + 0.1),
                cell,
                0.15,
                facecolor="0.15" if bit else "white",
                edgecolor="0.4",
                linewidth=0.5,
            )  # fmt: skip
        )
        axes.text(x + cell * (place + 0.5), y + 0.17, str(bit), ha="center", va="center",
                  fontsize=5.5, color="white" if bit else "0.15")  # fmt: skip
    for first, last, part in ((0, 1, "sign"), (1, 6, "exponent"), (6, BITS, "mantissa")):
        ends = np.array([x + cell * first + 0.015, x + cell * last - 0.015])
        axes.plot(ends, [y + 0.07] * 2, color="0.4", linewidth=0.7)
        axes.text(ends.mean(), y + 0.04, part, ha="center", va="top", fontsize=5.5)


def _tokens(axes: Axes, trace: Trace, x: float, y: float, width: float = 2.72) -> None:
    """The target as tokens, with the probability that the network gives to each of them."""
    names = [*trace.item.target.tokens, "end"]
    chances = [f"{p:.2f}" for p in trace.probabilities]
    if len(names) > 11:
        names, chances = [*names[:10], "…"], [*chances[:10], ""]
    cell = min(0.34, width / len(names))
    left = x + width - cell * len(names)
    axes.text(x + width, y + 0.3, "the target, and p(token | tokens before, points)", ha="right",
              fontsize=6)  # fmt: skip
    for place, (name, chance) in enumerate(zip(names, chances, strict=True)):
        _box(axes, left + cell * place + 0.01, y + 0.08, cell - 0.02, 0.17, name, fontsize=5.5)
        axes.text(left + cell * (place + 0.5), y + 0.04, chance, ha="center", va="top",
                  fontsize=5.5, color=_COLOUR)  # fmt: skip


def _inference(axes: Axes, trace: Trace, y: float, shown: int) -> None:
    points, ranked = trace.problem.points, trace.candidates
    best = ranked[0]
    rows = sorted(ranked, key=lambda c: -c.log_probability)[:shown]
    if best not in rows:
        rows[-1] = best
    middle = y + 0.78
    _cloud(axes, (0.38, middle - 0.38, 0.75, 0.75), points)
    axes.text(0.75, middle + 0.43, _shape(points.shape), ha="center", fontsize=6.5)
    _arrow(axes, (1.2, middle), (1.62, middle), "network", f"beam {trace.inference.beam}")
    columns = {"log p": 1.94, "skeleton": 2.02, "mean square, fitted": 3.8, "rank": 4.1}
    for name, x in columns.items():
        align = "left" if name == "skeleton" else "right"
        axes.text(x, y + 1.24, name, ha=align, fontsize=6, color="0.4")
    for place, c in enumerate(rows):
        look = {"fontsize": 6, "va": "center", "color": _COLOUR if c is best else "0.1"}
        look["weight"] = "bold" if c is best else "normal"
        line = y + 1.12 - 0.8 / max(shown - 1, 1) * place
        error = f"{-c.fitness:.1e}" if np.isfinite(c.fitness) else "not fitted"
        axes.text(columns["log p"], line, f"{c.log_probability:.1f}", ha="right", **look)
        axes.text(columns["skeleton"], line, _clipped(skeleton_text(c.expression), 25), **look)
        axes.text(columns["mean square, fitted"], line, error, ha="right", **look)
        axes.text(columns["rank"], line, str(ranked.index(c) + 1), ha="right", **look)
    note = f"{len(rows)} of {len(ranked)} different skeletons, constants by BFGS with CL-FEM"
    axes.text(2.85, y + 0.08, note, ha="center", fontsize=6, color="0.4")
    if np.isfinite(best.fitness):
        _arrow(axes, (4.18, middle), (4.45, middle))
        _cloud(axes, (4.62, middle - 0.38, 0.75, 0.75), points, best.expression)
        found = textwrap.fill(f"{math_text(best.expression)} = 0", 28)
        axes.text(4.76, middle + 0.43, found, ha="center", fontsize=6, color=_COLOUR)
