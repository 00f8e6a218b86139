"""The obvious laws: fifteen that everybody knows, each to be found in its plain form.

Curves y = g(x) and surfaces have errors in their last column, closed curves in both, as a share of
the spread of the column.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..expr.expression import parse
from .benchmarks import Problem
from .sampling import add_noise

POINTS = 100


class Obvious(NamedTuple):
    """A law that is linear in its last variable, the others uniform between ``ends``.

    Closed curves a·x1² + b·x2² = c have no ends.
    """

    name: str
    equation: str
    ends: tuple[float, float] | None


LAWS = (
    Obvious("proportionality", "x2 - 3.7*x1", (0.5, 9.0)),
    Obvious("line", "x2 - 2.3*x1 - 1.4", (-2.0, 3.0)),
    Obvious("plane", "x3 - 1.3*x1 + 2.4*x2 - 0.8", (-2.0, 2.0)),
    Obvious("gas", "x3 - 0.12*x1*x2", (1.0, 4.0)),
    Obvious("power", "x2 - 1.7*x1**1.5", (0.3, 6.0)),
    Obvious("hyperbola", "x1*x2 - 1.8", (0.4, 5.0)),
    Obvious("inverse square", "x1**2*x2 - 2.6", (0.6, 4.0)),
    Obvious("parabola", "x2 - 0.7*x1**2 + 1.2*x1 - 2.1", (-2.0, 4.0)),
    Obvious("circle", "x1**2 + x2**2 - 6.2", None),
    Obvious("ellipse", "x1**2 + 2.7*x2**2 - 5.3", None),
    Obvious("exponential", "x2 - 3.2*exp(-0.6*x1)", (0.0, 6.0)),
    Obvious("logarithm", "x2 - 1.6*ln(x1) - 0.9", (0.3, 12.0)),
    Obvious("sine", "x2 - 2.4*sin(1.3*x1)", (-4.0, 4.0)),
    Obvious("logistic", "x2 - 3.6/(1 + 4.2*exp(-1.4*x1))", (-3.0, 5.0)),
    Obvious("gaussian", "x2 - 2.9*exp(-(x1 - 1.1)**2/1.7)", (-2.0, 4.0)),
)


def _drawn(law: Obvious, noise: float, rng: np.random.Generator) -> np.ndarray:
    equation = parse(law.equation)
    if law.ends is None:
        first, second, level = (
            float(equation.values(np.array([p]))[0]) for p in ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
        )
        radii = np.sqrt(-level / np.array([first - level, second - level]))
        angle = rng.uniform(0.0, 2.0 * np.pi, POINTS)
        points = radii * np.column_stack([np.cos(angle), np.sin(angle)])
        wrong = np.ones(2)
    else:
        d = max(equation.variables)
        inputs = rng.uniform(*law.ends, (POINTS, d - 1))
        at_0, at_1 = (
            equation.values(np.column_stack([inputs, np.full(POINTS, y)])) for y in (0.0, 1.0)
        )
        points = np.column_stack([inputs, at_0 / (at_0 - at_1)])
        wrong = np.eye(d)[-1]
    return add_noise(points, noise * wrong, rng)


def problems(noise: Iterable[float], seeds: Iterable[int]) -> list[Problem]:
    """Every law under every level of noise with every seed, as ``line-3`` with ``noise 0.01``."""
    seeds = list(seeds)
    return [
        Problem(
            "obvious", f"{law.name}-{seed}", parse(law.equation),
            _drawn(law, level, np.random.default_rng([place, seed])), sampling=f"noise {level:g}",
        )
        for level in noise
        for place, law in enumerate(LAWS)
        for seed in seeds
    ]  # fmt: skip
