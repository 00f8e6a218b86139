"""Figure 3, from a real run: generation, the network with its tensor shapes, inference.

:func:`framework` draws what :func:`pie.report.trace.trace` found: no number is typed in. Places are
in inches from the lower left corner.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from ..expr.expression import Expression, to_tree
from ..network.config import BITS
from ..network.model import parameter_count
from .drawing import METHODS, WIDTH, clipped, draw_zero_set, frame, math_text, wrapped
from .trace import Trace

_COLOUR = METHODS["PIE"][0]
_INFIX = {"add": "+", "sub": "−", "mul": "×", "div": "÷"}
_HEIGHTS = (1.6, 1.52, 1.42)  # from below: inference, network, generation
_GAP = 0.08


def skeleton_text(expression: Expression) -> str:
    """A skeleton as short plain text, ``C`` for every constant: ``x1^2 - C·x2``."""
    blank = expression.with_constants([np.nan] * len(expression.constants))
    return math_text(blank).replace("nan", "C")


def framework(trace: Trace, shown: int = 5) -> Figure:
    """Figure 3: Parts 1 to 3 of the paper's, a band each; ``shown`` skeletons at most."""
    height = sum(_HEIGHTS) + 4 * _GAP
    figure = plt.figure(figsize=(WIDTH, height))
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(0, height))
    axes.axis("off")
    millions, batch = f"{parameter_count(trace.model) / 1e6:.3g}", trace.shapes["points"][0]
    titles = (
        "3  Inference: from points to equations",
        f"2  Network: {millions} million parameters, a batch of {batch}",
        "1  Generation: an item of the corpus",
    )
    bottoms = _GAP + np.array([0.0, *np.cumsum(np.array(_HEIGHTS[:-1]) + _GAP)])
    for y, band, title in zip(bottoms, _HEIGHTS, titles, strict=True):
        _box(axes, 0.06, y, 5.38, band, "", face="0.97", edge="0.8")
        _write(axes, 2.75, y + band - 0.07, title, va="top", fontsize=7.5, weight="bold")
    _inference(axes, trace, bottoms[0], shown)
    _network(axes, trace, bottoms[1])
    _generation(axes, trace, bottoms[2])
    for x, start in ((0.8, 0.1), (4.72, 0.28)):  # points and target go into the network
        _arrow(axes, (x, bottoms[2] + start), (x, bottoms[1] + 1.38))
    return figure


def _write(axes: Axes, x: float, y: float, text: str, **style) -> None:
    axes.text(x, y, text, **{"ha": "center", "fontsize": 6, **style})


def _box(axes: Axes, x, y, width, height, text, face="white", edge="0.3", fontsize=6.5) -> None:
    style = {"boxstyle": "round,pad=0,rounding_size=0.05", "linewidth": 0.6}
    axes.add_patch(FancyBboxPatch((x, y), width, height, facecolor=face, edgecolor=edge, **style))
    _write(axes, x + width / 2, y + height / 2, text, va="center", fontsize=fontsize)


def _arrow(axes: Axes, start: tuple, end: tuple, above: str = "", below: str = "") -> None:
    style = {"arrowstyle": "-|>", "linewidth": 0.8, "color": "0.3", "mutation_scale": 7}
    axes.annotate("", end, start, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    _write(axes, x, y + 0.05, above, va="bottom")
    _write(axes, x, y - 0.05, below, va="top")


def _cloud(axes: Axes, place: tuple, points: np.ndarray, law: Expression | None = None) -> None:
    """Points in the middle 96 % of each column, in a frame at (x, y, width, height)."""
    inset = axes.inset_axes(place, transform=axes.transData)
    frame(inset, points, 0.02)
    inset.set(xticks=[], yticks=[])
    inset.set_xlabel("x1", fontsize=6)
    inset.set_ylabel("x2", fontsize=6)
    inset.plot(*points.T, ".", color="0.25", markersize=1.5)
    if law is not None:
        draw_zero_set(inset, law, colors=_COLOUR, linewidths=0.9)


def _tree(axes: Axes, expression: Expression, x: float, y: float, width: float, height: float):
    """The expression as a tree inside a rectangle, root on top, leaves side by side."""
    leaves = itertools.count()
    nodes, links = [], []

    def walk(node, depth: int) -> tuple[float, int]:
        if node[0] in ("x", "c"):
            place = (float(next(leaves)), depth)
            label = f"x{node[1]}" if node[0] == "x" else f"{node[1]:.3g}"
        else:
            children = [walk(child, depth + 1) for child in node[1:]]
            place = (float(np.mean([across for across, _ in children])), depth)
            label = _INFIX.get(node[0], node[0])
            links.extend((place, child) for child in children)
        nodes.append((place, label))
        return place

    walk(to_tree(expression), 0)
    scale = np.array([max(next(leaves) - 1, 1), max(1, *(depth for (_, depth), _ in nodes))])

    def at(place: tuple[float, int]) -> np.ndarray:
        across, down = place / scale
        return np.array([x + width * across, y + height * (1 - down)])

    for ends in links:
        axes.plot(*np.transpose([at(end) for end in ends]), color="0.6", linewidth=0.6)
    ground = {"facecolor": "0.97", "edgecolor": "none", "pad": 0.6}
    for place, label in nodes:
        _write(axes, *at(place), label, va="center", bbox=ground)


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))


def _generation(axes: Axes, trace: Trace, y: float) -> None:
    item = trace.item
    _cloud(axes, (0.42, y + 0.28, 0.8, 0.8), item.points)
    _write(axes, 0.82, y + 1.13, f"input: {len(item.points)} points", fontsize=6.5)
    _tree(axes, item.equation, 2.15, y + 0.3, 1.2, 0.78)
    _write(axes, 2.75, y + 0.1, f"f = {clipped(math_text(item.equation), 44)}")
    _arrow(axes, (1.95, y + 0.68), (1.4, y + 0.68), "solve f = 0", "for one xᵢ")
    how = ("constants", "left open") if item.target == item.equation else ("canonical", "form")
    _arrow(axes, (3.5, y + 0.68), (4.05, y + 0.68), *how)
    _write(axes, 4.72, y + 1.13, "target: its skeleton", fontsize=6.5)
    skeleton = clipped(skeleton_text(item.target), 26)
    _box(axes, 4.12, y + 0.5, 1.2, 0.36, skeleton, fontsize=6)
    _write(axes, 4.72, y + 0.36, "C: a constant", color="0.4")


def _network(axes: Axes, trace: Trace, y: float) -> None:
    _bits(axes, trace, 0.2, y + 0.95)
    _tokens(axes, trace, 2.62, y + 0.95)
    config, shapes = trace.model.config, trace.shapes
    stays = config.encoder == "inducing"
    encoder = f"{config.encoder_layers} × {'(MAB(I, X), SAB)' if stays else 'ISAB, PMA'}"
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
    _write(axes, 4.45, y + 0.66, f"{_shape(shapes['prefix'])} prefix", ha="left", va="center")


def _bits(axes: Axes, trace: Trace, x: float, y: float) -> None:
    """The half-precision bits of a coordinate: black is 1."""
    text = f"x1 = {trace.item.points[0, 0]:.4g} of the first point, as bits"
    _write(axes, x, y + 0.3, text, ha="left")
    cell, small = 0.125, {"fontsize": 5.5}
    for place, bit in enumerate(trace.bits):
        left, ground = x + cell * place, "0.15" if bit else "white"
        style = {"facecolor": ground, "edgecolor": "0.4", "linewidth": 0.5}
        axes.add_patch(Rectangle((left, y + 0.1), cell, 0.15, **style))
        ink = "white" if bit else "0.15"
        _write(axes, left + cell / 2, y + 0.17, str(bit), va="center", color=ink, **small)
    for first, last, part in ((0, 1, "sign"), (1, 6, "exponent"), (6, BITS, "mantissa")):
        ends = np.array([x + cell * first + 0.015, x + cell * last - 0.015])
        axes.plot(ends, [y + 0.07] * 2, color="0.4", linewidth=0.7)
        _write(axes, ends.mean(), y + 0.04, part, va="top", **small)


def _tokens(axes: Axes, trace: Trace, x: float, y: float) -> None:
    """The target as tokens, with the probability that the network gives to each of them."""
    names = [*trace.item.target.tokens, "end"]
    chances = [f"{p:.2f}" for p in trace.probabilities]
    if len(names) > 11:
        names, chances = [*names[:10], "…"], [*chances[:10], ""]
    cell = min(0.34, 2.72 / len(names))
    left = x + 2.72 - cell * len(names)
    _write(axes, x + 2.72, y + 0.3, "the target, and p(token | tokens before, points)", ha="right")
    small = {"fontsize": 5.5}
    for place, (name, chance) in enumerate(zip(names, chances, strict=True)):
        _box(axes, left + cell * place + 0.01, y + 0.08, cell - 0.02, 0.17, name, **small)
        middle = left + cell * (place + 0.5)
        _write(axes, middle, y + 0.04, chance, va="top", color=_COLOUR, **small)


def _inference(axes: Axes, trace: Trace, y: float, shown: int) -> None:
    points, ranked = trace.problem.points, trace.candidates
    best = ranked[0]
    rows = sorted(ranked, key=lambda c: -c.log_probability)[:shown]
    if best not in rows:
        rows[-1] = best
    middle = y + 0.78
    _cloud(axes, (0.38, middle - 0.38, 0.75, 0.75), points)
    _write(axes, 0.75, middle + 0.43, _shape(points.shape), fontsize=6.5)
    _arrow(axes, (1.2, middle), (1.62, middle), "network", f"beam {trace.inference.beam}")
    places, sides = (1.94, 2.02, 3.8, 4.1), ("right", "left", "right", "right")
    heads = "log p", "skeleton", "mean square, fitted", "rank"
    for text, x, side in zip(heads, places, sides, strict=True):
        _write(axes, x, y + 1.24, text, color="0.4", ha=side)
    for place, c in enumerate(rows):
        look = {"color": _COLOUR, "weight": "bold"} if c is best else {"color": "0.1"}
        error = f"{-c.fitness:.1e}" if np.isfinite(c.fitness) else "not fitted"
        skeleton, rank = clipped(skeleton_text(c.expression), 25), str(ranked.index(c) + 1)
        cells = f"{c.log_probability:.1f}", skeleton, error, rank
        line = y + 1.12 - 0.8 / max(shown - 1, 1) * place
        for text, x, side in zip(cells, places, sides, strict=True):
            _write(axes, x, line, text, va="center", ha=side, **look)
    note = f"{len(rows)} of {len(ranked)} different skeletons, constants by BFGS with CL-FEM"
    _write(axes, 2.85, y + 0.08, note, color="0.4")
    if np.isfinite(best.fitness):
        _arrow(axes, (4.18, middle), (4.45, middle))
        _cloud(axes, (4.62, middle - 0.38, 0.75, 0.75), points, best.expression)
        found = wrapped(f"{math_text(best.expression)} = 0", 28)
        _write(axes, 4.76, middle + 0.43, found, color=_COLOUR)
