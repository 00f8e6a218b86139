r"""Figure 2, from real equations: where degenerate solutions lie, and what the network proposes.

Random skeletons (Section 3.2) and those of the network's beam are fitted to the same points by
the same BFGS. A candidate is judged twice: how it is degenerate (:mod:`pie.zeroset.degeneracy`),
and whether its zero set is that of the law (:func:`pie.experiments.metrics.two_sided`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from ..data.benchmarks import Problem
from ..data.generator import GeneratorConfig, random_tree
from ..experiments.metrics import RECOVERED, two_sided
from ..expr.canonical import canonical
from ..expr.expression import Expression, from_tree
from ..fit.constants import Fit, fit
from ..fit.fitness import copies_for
from ..network.inference import Network
from ..network.model import PIE
from ..search.algorithm2 import InferenceConfig, discover
from ..search.candidates import Candidate
from ..zeroset.degeneracy import CANCELLED, EVERYTHING, NO_EQUATION, SOUND, ZERO_FACTOR, kind
from .drawing import METHODS, WIDTH, draw_zeros, frame, math_text, values_on_grid, window
from .figures import KINDS

RIGHT, WRONG = METHODS["PIE"][0], METHODS["GP (Sampson)"][0]  # zero sets
LOWEST, HIGHEST, STEP = -30, 4, 2  # log10 of mean squares: what is drawn, and the width of a bar
EXACT = -20  # below, a fit is exact up to rounding
_GREYS = {name: grey for name, (grey, _) in KINDS.items() if name != NO_EQUATION}
_GREYS[SOUND] = "white"
_ZERO_EVERYWHERE = (ZERO_FACTOR, CANCELLED, EVERYTHING)


class Judged(NamedTuple):
    """A fitted equation, its fitness, its :data:`pie.zeroset.degeneracy.KINDS`, whether the law."""

    expression: Expression
    fitness: float
    kind: str
    right: bool


def judged(candidates: Iterable[Candidate | Fit], problem: Problem) -> tuple[Judged, ...]:
    """The candidates with a finite fitness, in their order, judged against the law."""
    found = []
    for c in candidates:
        if not np.isfinite(c.fitness):
            continue
        f, sort = c.expression, kind(c.expression, problem.points)
        right = sort == SOUND and two_sided(f, problem.truth, problem.n_variables, 0) >= RECOVERED
        found.append(Judged(f, c.fitness, sort, right))
    return tuple(found)


def random_search(
    problem: Problem,
    proposals: int = 2000,
    fitness: str = "vanilla",
    generator: GeneratorConfig = GeneratorConfig(),
    config: InferenceConfig = InferenceConfig(),
) -> tuple[Judged, ...]:
    """Random equations in two variables, as the problem, constants fitted by BFGS, fittest first.

    Those of the ``proposals`` that cannot be fitted are left out. ``fitness``: ``vanilla`` (Eq. 2)
    or ``cl-fem`` (Eq. 6). ``config`` has the tolerance, the iterations and the seed.
    """
    points, rng = problem.points, np.random.default_rng(config.seed)
    generator = replace(generator, max_variables=2)
    copies = copies_for(fitness, points, config.seed)
    drawn = (from_tree(random_tree(rng, generator)) for _ in range(proposals))
    fits = [fit(f, points, copies, config.tau, config.max_iterations) for f in drawn]
    return judged(sorted(fits, key=lambda found: -found.fitness), problem)


def network_search(
    model: PIE, problem: Problem, config: InferenceConfig = InferenceConfig()
) -> tuple[Judged, ...]:
    """What Algorithm 2 finds with CL-FEM (*PIE*): the network's beam, fitted, best first."""
    return judged(discover(Network.of(model), problem.points, "cl-fem", config).candidates, problem)


def intuition(
    problem: Problem,
    vanilla: Sequence[Judged],
    cl_fem: Sequence[Judged],
    network: Sequence[Judged],
    side: int = 6,
) -> Figure:
    """Figure 2: errors of all candidates by kind; below, zero sets of the side² best of a search.

    ``vanilla`` and ``cl_fem`` come from :func:`random_search`, ``network`` from
    :func:`network_search`.
    """
    figure = plt.figure(figsize=(WIDTH, 4.6))
    above, below = figure.add_gridspec(2, 1, height_ratios=[1.0, 1.5])
    above = above.subgridspec(1, 2, width_ratios=[1.0, 2.3])
    below = below.subgridspec(1, 3, wspace=0.08)
    _law(figure.add_subplot(above[0]), problem)
    _errors(figure.add_subplot(above[1]), vanilla, network)
    searches = {
        "(c)  random equations,\nleast mean square (Eq. 2)": vanilla,
        "(d)  random equations,\nCL-FEM (Eq. 6)": cl_fem,
        "(e)  the network's beam,\nCL-FEM (PIE)": network,
    }
    for place, (title, found) in zip(below, searches.items(), strict=True):
        axes = figure.add_subplot(place)
        _mosaic(axes, problem.points, found[: side**2], side)
        axes.set_title(title, fontsize=7)
    seen = {c.kind for found in searches.values() for c in found}
    look = {"edgecolor": "0.3", "linewidth": 0.4}
    handles = [Patch(facecolor=_GREYS[k], label=k, **look) for k in _GREYS if k in seen]
    handles += [
        Line2D([], [], color=RIGHT, linewidth=1.6, label="zero set of the law"),
        Line2D([], [], color=WRONG, linewidth=0.8, label="another zero set"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=6)
    return figure


def _law(axes: Axes, problem: Problem) -> None:
    axes.plot(*problem.points.T, ".", color="0.25", markersize=2)
    frame(axes, problem.points, 0.02, 0.2)
    axes.set(xlabel="x1", ylabel="x2", box_aspect=1)
    axes.tick_params(labelsize=6)
    law = math_text(canonical(problem.truth))
    axes.set_title(f"(a)  {len(problem.points)} points of\n{law} = 0", fontsize=7)


def _errors(axes: Axes, random: Sequence[Judged], network: Sequence[Judged]) -> None:
    """Histogram of mean squares by kind; the network's candidates as circles under it."""

    def exponents(found: Iterable[Judged]) -> np.ndarray:
        errors = np.array([-c.fitness for c in found])
        return np.clip(np.log10(np.maximum(errors, 10.0**LOWEST)), LOWEST, HIGHEST)

    edges = np.arange(LOWEST, HIGHEST + STEP, STEP)
    bars = [exponents(c for c in random if c.kind == name) for name in _GREYS]
    style = {"stacked": True, "color": list(_GREYS.values()), "edgecolor": "0.3"}
    height = np.max(axes.hist(bars, edges, linewidth=0.4, **style)[0])
    below = -0.13 * height
    axes.axhline(0.0, color="0.3", linewidth=0.5)
    for x, c in zip(exponents(network), network, strict=True):
        look = {"color": RIGHT} if c.right else {"color": WRONG, "markerfacecolor": "white"}
        axes.plot(x, below, "o", markersize=3.5, markeredgewidth=0.7, **look)
    law = exponents(c for c in network if c.right)
    if len(law):
        style = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 6}
        axes.annotate("the law", (max(law), below), color=RIGHT, **style)
    exact = [c for c in random if -c.fitness < 10.0**EXACT]
    note = f"{len(exact)} fit to rounding error,\n"
    note += f"{sum(c.kind != SOUND for c in exact)} of them degenerate;\n"
    note += f"{sum(c.right for c in random)} of all are the law"
    axes.text(LOWEST, height, note, va="top", fontsize=6.5)
    axes.set(xlim=(LOWEST - 1, HIGHEST), ylim=(-0.25 * height, 1.08 * height))
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= height])
    axes.set_ylabel("equations", fontsize=7)
    axes.set_xlabel("mean square of f at the points, constants fitted", fontsize=7)
    ticks = range(LOWEST, HIGHEST, 10)
    axes.set_xticks(ticks, [f"{'≤ ' * (t == LOWEST)}$10^{{{t}}}$" for t in ticks])
    axes.tick_params(labelsize=6)
    title = f"(b)  {len(random)} random equations by Eq. 2 (bars),\n"
    title += f"{len(network)} of the network's beam by CL-FEM (circles)"
    axes.set_title(title, fontsize=7)


def _mosaic(axes: Axes, points: np.ndarray, found: Sequence[Judged], side: int) -> None:
    """A tile per candidate, best first: its kind the ground, its zero set over the points."""
    axes.set(xlim=(0, side), ylim=(side, 0), aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    low, high = window(points, 0.02, 0.2)
    shown = points[np.all((points > low) & (points < high), axis=1)][::8]
    dots = (0.9 * (shown - low) / (high - low)).T
    u, v = np.meshgrid(*2 * [np.linspace(0.0, 1.0, 100)])
    for place, c in enumerate(found):
        row, column = divmod(place, side)
        left, bottom = column + 0.05, row + 0.95  # y goes down
        colour = (RIGHT if c.right else WRONG) if c.kind == SOUND else "0.3"
        style = {"facecolor": _GREYS[c.kind], "edgecolor": colour}
        style["linewidth"] = 1.2 if c.right else 0.4
        axes.add_patch(Rectangle((left, row + 0.05), 0.9, 0.9, **style))
        if c.kind in _ZERO_EVERYWHERE:
            continue
        if c.kind == SOUND:
            axes.plot(left + dots[0], bottom - dots[1], ".", color="0.75", markersize=1)
        grid = (low[j] + (high - low)[j] * w for j, w in enumerate((u, v)))
        f = values_on_grid(c.expression, *grid)
        ink = colour if c.kind == SOUND else "white"
        draw_zeros(axes, left + 0.9 * u, bottom - 0.9 * v, f, linewidths=0.8, colors=ink)
    degenerate, right = sum(c.kind != SOUND for c in found), sum(c.right for c in found)
    axes.set_xlabel(f"{degenerate} of {len(found)} degenerate,\n{right} the law", fontsize=6.5)
