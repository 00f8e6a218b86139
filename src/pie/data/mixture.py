"""Training pairs as people's data come: families of equations × ways of sampling × presentation.

The share of the corpus that is not drawn the paper's way. An equation is drawn from a family, its
points by one of the ways, they may get noise, outliers, or be few; and most items are *presented*
in units of their own, x/s with s from :func:`pie.data.sampling.scales`, equation and points alike,
because that is how points are presented to the network at inference.
"""

from dataclasses import dataclass, field, fields

import numpy as np

from ..expr.expression import Expression, Tree, from_tree, to_tree
from . import families
from .generator import GeneratorConfig
from .sampling import (
    WAYS,
    Unsampled,
    add_noise,
    add_outliers,
    fewer,
    multiply_noise,
    random_box,
    scales,
)


class _Weights:
    """Weights ≥ 0, not all 0, as probabilities by name."""

    def __post_init__(self):
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, weight in named.items():
            if weight < 0.0:
                raise ValueError(f"weight {name} is {weight}; expected at least 0")
        if sum(named.values()) <= 0.0:
            raise ValueError(f"the weights {', '.join(named)} are all 0")

    def choose(self, rng: np.random.Generator) -> str:
        """A name with its probability."""
        names = [f.name for f in fields(self)]
        weights = np.array([getattr(self, name) for name in names])
        return names[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))]


FEWEST = 20  # points of an item


@dataclass(frozen=True)
class FamilyWeights(_Weights):
    """How often each family of :mod:`pie.data.families` is drawn."""

    tree: float = 4.0
    deep_tree: float = 1.0
    sum_of_powers: float = 1.5
    powers: float = 1.0
    ratio: float = 1.0
    separable: float = 1.5
    nested: float = 1.5


@dataclass(frozen=True)
class WayWeights(_Weights):
    """How often each way of :mod:`pie.data.sampling` is taken."""

    normal: float = 2.0
    free_box: float = 3.0
    whole: float = 2.0
    patch: float = 1.0
    clusters: float = 1.0
    trajectory: float = 1.0


@dataclass(frozen=True)
class MixtureConfig:
    """How the share that is not drawn the paper's way comes; ``share`` 0 is the paper alone."""

    share: float = 0.0  # of the items
    scaled: float = 0.75  # of these, presented in units of their own
    level: float = 0.5  # of the trees, a constant such that the zero set passes through the box
    noisy: float = 0.35  # with noise, between 1e-4 and 3e-2 of the spread
    outliers: float = 0.1  # with outliers, between 1 and 10 per cent
    few: float = 0.3  # with fewer points, between FEWEST and N
    families: FamilyWeights = field(default_factory=FamilyWeights)
    ways: WayWeights = field(default_factory=WayWeights)

    def __post_init__(self):
        for name in ("share", "scaled", "level", "noisy", "outliers", "few"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"mixture.{name} is {getattr(self, name)}; expected 0 to 1")


def rescaled(expression: Expression, units: np.ndarray) -> Expression:
    """The same law in other units: f(s₁·x₁, …, s_D·x_D)."""

    values = {j: ("x", j) for j in range(1, len(units) + 1)}
    values |= {j: ("mul", ("c", float(u)), values[j]) for j, u in enumerate(units, 1) if u != 1.0}
    return from_tree(families.with_variables(to_tree(expression), values))


def random_equation(
    rng: np.random.Generator, config: MixtureConfig, generator: GeneratorConfig
) -> tuple[Tree, int, object]:
    """A tree, the number of variables asked for, and the box in which its points should lie."""
    n_variables = 2 + int(rng.integers(generator.max_variables - 1))
    box = random_box(n_variables, rng)
    name = config.families.choose(rng)
    if name in ("tree", "deep_tree"):
        g = getattr(families, name)(rng, n_variables, generator)
        levelled = rng.random() < config.level
    else:
        g = families.FAMILIES[name](rng, n_variables)
        levelled = name not in families.SOLVED
    if levelled:
        g = families.through(g, box.uniform(1, rng)[0])
        if g is None:
            raise Unsampled("too few points: the level is not finite")
    return g, n_variables, box


def random_points(
    expression: Expression, n_points: int, box, rng: np.random.Generator, config: MixtureConfig
) -> np.ndarray:
    """Points of one of the ways, as they are found: noisy, with outliers, or few."""
    way = WAYS[config.ways.choose(rng)]
    points = way(expression, n_points, box, rng)
    if rng.random() < config.noisy:
        level = float(np.exp(rng.uniform(np.log(1e-4), np.log(3e-2))))
        points = (add_noise if rng.random() < 0.7 else multiply_noise)(points, level, rng)
    if rng.random() < config.outliers:
        points = add_outliers(points, float(rng.uniform(0.01, 0.1)), rng)
    if rng.random() < config.few:
        points = fewer(points, int(np.exp(rng.uniform(np.log(FEWEST), np.log(n_points + 1)))))
    return points


def presented(
    expression: Expression, points: np.ndarray, rng: np.random.Generator, config: MixtureConfig
) -> tuple[Expression, np.ndarray]:
    """Equation and points as the network sees them: as they are, or in units of their own."""
    if rng.random() >= config.scaled:
        return expression, points
    units = scales(points)
    if not np.all(units > 0.0):  # the few points that were kept have one value there
        raise Unsampled("a coordinate does not vary")
    return rescaled(expression, units), points / units
