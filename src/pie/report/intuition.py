r"""Figure 2, from real equations: where degenerate solutions lie, and what the network proposes.

Random skeletons (Section 3.2) and those of the network's beam are fitted to the same points by
the same BFGS. A candidate is judged twice: how it is degenerate (:mod:`pie.zeroset.degeneracy`), and
whether its zero set is that of the law (:func:`pie.experiments.metrics.two_sided`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
from ..fit.constants import fit
from ..fit.fitness import stochastic_copies
from ..network.model import PIE
from ..search.algorithm2 import InferenceConfig, discover
from ..search.candidates import Candidate
from ..zeroset.degeneracy import CANCELLED, EVERYTHING, NO_EQUATION, SOUND, ZERO_FACTOR, kind
from .clouds import math_text
from .figures import KINDS
from .style import METHODS

RIGHT, WRONG = METHODS["PIE"][0], METHODS["GP (Sampson)"][0]  # zero sets
LEAST, MOST, STEP = -30, 4, 2  # log10 of mean squares: what is drawn, and the width of a bar
EXACT = -20  # below, a fit is exact up to rounding
_GREYS = {
    name: grey for name, (grey, _) in {**KINDS, SOUND: ("white", "")}.items() if name != NO_EQUATION
}
_PLANE = (ZERO_FACTOR, CANCELLED, EVERYTHING)  # f ≡ 0: every point is a zero
_GRID = 100  # points along the side of a tile


@dataclass(frozen=True)
class Judged:
    """A fitted equation, its fitness, which of :data:`pie.zeroset.degeneracy.KINDS`, whether the law."""

    expression: Expression
    fitness: float
    kind: str
    right: bool


def judged(candidates: Iterable[Candidate], problem: Problem) -> tuple[Judged, ...]:
    """The candidates with a finite fitness, in their order, judged against the law."""
    found = []
    for c in (c for c in candidates if np.isfinite(c.fitness)):
        sort = kind(c.expression, problem.points)
        score = 0.0
        if sort == SOUND:
            score = two_sided(c.expression, problem.truth, problem.n_variables, seed=0)
        found.append(Judged(c.expression, c.fitness, sort, score >= RECOVERED))
    return tuple(found)


def random_search(
    problem: Problem,
    proposals: int = 2000,
    fitness: str = "vanilla",
    generator: GeneratorConfig = GeneratorConfig(),
    config: InferenceConfig = InferenceConfig(),
) -> tuple[Judged, ...]:
    """Random equations of the corpus's generator, constants fitted by BFGS, fittest first.

    Args:
        problem: points (N, D) and the law that they obey.
        proposals: equations drawn, in D variables; those that cannot be fitted are left out.
        fitness: ``vanilla`` (Eq. 2) or ``cl-fem`` (Eq. 6).
        generator: how they are drawn; its ``max_variables`` gives way to D = 2.
        config: tolerance, iterations and seed, as the network's candidates are fitted with.

    Raises:
        ValueError: the law has other than two variables, which is what can be drawn.
    """
    if problem.n_variables != 2:
        raise ValueError(f"{problem.equation_id} has {problem.n_variables} variables; expected 2")
    rng = np.random.default_rng(config.seed)
    generator = GeneratorConfig(**{**vars(generator), "max_variables": 2})
    copies = stochastic_copies(problem.points, np.random.default_rng(config.seed))
    candidates = []
    for _ in range(proposals):
        result = fit(
            from_tree(random_tree(rng, generator)), problem.points,
            copies if fitness == "cl-fem" else None, config.tau, config.max_iterations,
        )  # fmt: skip
        candidates.append(Candidate(result.expression, result.fitness, np.nan, result.status))
    return judged(sorted(candidates, key=lambda c: -c.fitness), problem)


def network_search(
    model: PIE, problem: Problem, config: InferenceConfig = InferenceConfig()
) -> tuple[Judged, ...]:
    """What Algorithm 2 finds with CL-FEM (*PIE*): the network's beam, fitted, best first."""
    return judged(discover(model, problem.points, "cl-fem", config).candidates, problem)


def intuition(
    problem: Problem,
    vanilla: Sequence[Judged],
    cl_fem: Sequence[Judged],
    network: Sequence[Judged],
    side: int = 6,
) -> Figure:
    """Figure 2: errors of all candidates by kind; below, the zero sets of the best of each search.

    Args:
        problem: in two variables.
        vanilla, cl_fem: from :func:`random_search` with either fitness.
        network: from :func:`network_search`.
        side: side² of the best candidates of each are drawn.
    """
    figure = plt.figure(figsize=(5.5, 4.6))
    above, below = figure.add_gridspec(2, 1, height_ratios=[1.0, 1.5])
    above = above.subgridspec(1, 2, width_ratios=[1.0, 2.3])
    below = below.subgridspec(1, 3, wspace=0.08)
    _law(figure.add_subplot(above[0]), problem)
    _errors(figure.add_subplot(above[1]), vanilla, network)
    searches = {
        "random equations,\nleast mean square (Eq. 2)": vanilla,
        "random equations,\nCL-FEM (Eq. 6)": cl_fem,
        "the network's beam,\nCL-FEM (PIE)": network,
    }
    for place, (title, found) in enumerate(searches.items()):
        axes = figure.add_subplot(below[place])
        _mosaic(axes, problem.points, found[: side**2], side)
        axes.set_title(f"({'cde'[place]})  {title}", fontsize=7)
    handles = [
        Patch(facecolor=grey, edgecolor="0.3", linewidth=0.4, label=name)
        for name, grey in _GREYS.items()
        if any(c.kind == name for found in searches.values() for c in found)
    ]
    handles += [
        Line2D([], [], color=RIGHT, linewidth=1.6, label="zero set of the law"),
        Line2D([], [], color=WRONG, linewidth=0.8, label="another zero set"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=6)
    return figure


def _law(axes: Axes, problem: Problem) -> None:
    (left, bottom), (right, top) = _window(problem.points)
    axes.plot(*problem.points.T, ".", color="0.25", markersize=2)
    axes.set(xlim=(left, right), ylim=(bottom, top), xlabel="x1", ylabel="x2")
    axes.set_box_aspect(1)
    axes.tick_params(labelsize=6)
    law = math_text(canonical(problem.truth))
    axes.set_title(f"(a)  {len(problem.points)} points of\n{law} = 0", fontsize=7)


def _window(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners (2,) of what is shown: the middle 96 % of each column and a margin."""
    low, high = np.quantile(points, [0.02, 0.98], axis=0)
    return low - 0.2 * (high - low), high + 0.2 * (high - low)


def _errors(axes: Axes, random: Sequence[Judged], network: Sequence[Judged]) -> None:
    """Histogram of mean squares by kind; the network's candidates as circles under it."""

    def exponents(found: Iterable[Judged]) -> np.ndarray:
        errors = np.array([-c.fitness for c in found])
        return np.clip(np.log10(np.maximum(errors, 10.0**LEAST)), LEAST, MOST)

    edges = np.arange(LEAST, MOST + STEP, STEP)
    kinds = [exponents(c for c in random if c.kind == name) for name in _GREYS]
    counts, _, _ = axes.hist(kinds, edges, stacked=True, color=list(_GREYS.values()),
                             edgecolor="0.3", linewidth=0.4)  # fmt: skip
    height = np.max(counts)
    axes.axhline(0.0, color="0.3", linewidth=0.5)
    for x, c in zip(exponents(network), network, strict=True):
        look = {"color": RIGHT} if c.right else {"color": WRONG, "markerfacecolor": "white"}
        axes.plot(x, -0.13 * height, "o", markersize=3.5, markeredgewidth=0.7, **look)
    law = [x for x, c in zip(exponents(network), network, strict=True) if c.right]
    if law:
        axes.annotate("the law", (max(law), -0.13 * height), xytext=(4, 0), va="center", fontsize=6,
                      textcoords="offset points", color=RIGHT)  # fmt: skip
    exact = [c for c in random if -c.fitness < 10.0**EXACT]
    flawed = sum(c.kind != SOUND for c in exact)
    note = f"{len(exact)} fit to rounding error,\n{flawed} of them degenerate;\n"
    note += f"{sum(c.right for c in random)} of all are the law"
    axes.text(LEAST, height, note, va="top", fontsize=6.5)
    axes.set(xlim=(LEAST - 1, MOST), ylim=(-0.25 * height, 1.08 * height))
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= height])
    axes.set_ylabel("equations", fontsize=7)
    axes.set_xlabel("mean square of f at the points, constants fitted", fontsize=7)
    ticks = range(LEAST, MOST, 10)
    axes.set_xticks(ticks, [f"{'≤ ' * (t == LEAST)}$10^{{{t}}}$" for t in ticks])
    axes.tick_params(labelsize=6)
    title = f"(b)  {len(random)} random equations by Eq. 2 (bars),\n"
    title += f"{len(network)} of the network's beam by CL-FEM (circles)"
    axes.set_title(title, fontsize=7)


def _mosaic(axes: Axes, points: np.ndarray, found: Sequence[Judged], side: int) -> None:
    """A tile per candidate, best first: its kind the ground, its zero set over the points."""
    axes.set(xlim=(0, side), ylim=(side, 0), aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    low, high = _window(points)
    shown = points[np.all((points > low) & (points < high), axis=1)]
    place_of = (shown[::8] - low) / (high - low)
    for place, c in enumerate(found):
        y, x = divmod(place, side)
        colour = (RIGHT if c.right else WRONG) if c.kind == SOUND else "0.3"
        axes.add_patch(
            Rectangle(
                (x + 0.05, y + 0.05),
                0.9,
                0.9,
                facecolor=_GREYS[c.kind],
                edgecolor=colour,
                linewidth=1.2 if c.right else 0.4,
            )  # fmt: skip
        )
        if c.kind in _PLANE:
            continue
        if c.kind == SOUND:
            axes.plot(x + 0.05 + 0.9 * place_of[:, 0], y + 0.95 - 0.9 * place_of[:, 1], ".",
                      color="0.75", markersize=1)  # fmt: skip
        u, v, f = _values(c.expression, low, high)
        if np.any(f < 0) and np.any(f > 0):
            axes.contour(x + 0.05 + 0.9 * u, y + 0.95 - 0.9 * v, f, levels=[0.0], linewidths=0.8,
                         colors=colour if c.kind == SOUND else "white")  # fmt: skip
    degenerate, right = sum(c.kind != SOUND for c in found), sum(c.right for c in found)
    axes.set_xlabel(f"{degenerate} of {len(found)} degenerate,\n{right} the law", fontsize=6.5)


@np.errstate(all="ignore")
def _values(expression: Expression, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, ...]:
    """f on a grid between two corners, poles left out; with the grid in the unit square."""
    u, v = np.meshgrid(*2 * [np.linspace(0.0, 1.0, _GRID)])
    places = low + (high - low) * np.column_stack([u.ravel(), v.ravel()])
    f = expression.values(places).reshape(u.shape)
    known = np.abs(f[np.isfinite(f)])
    return u, v, np.where(np.abs(f) < 50.0 * np.median(known), f, np.nan) if len(known) else f
