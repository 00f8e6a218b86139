"""Training pairs like measured data: equation families × sampling schemes × perturbations.

They make up a share of the corpus; the rest follows the paper. Most are rescaled, x/s with s from
:func:`pie.data.sampling.scales`, equation and points alike. A search asks in the user's units, or
divides columns by their spreads (:func:`pie.search.cloud.clouds`).
"""

from dataclasses import asdict, dataclass, field

import numpy as np

from ..expr.expression import Expression, from_tree, to_tree, with_variables
from ..zeroset.box import Box
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
    """Relative frequencies by name; ValueError if one is negative or all are 0."""

    def __post_init__(self):
        named = asdict(self)
        for name, weight in named.items():
            if weight < 0.0:
                raise ValueError(f"weight {name} is {weight}; expected at least 0")
        if sum(named.values()) <= 0.0:
            raise ValueError(f"the weights {', '.join(named)} are all 0")

    def choose(self, rng: np.random.Generator) -> str:
        """A name, drawn with probability proportional to its weight."""
        names, weights = [*asdict(self)], np.array([*asdict(self).values()])
        return names[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))]


FEWEST = 20  # least number of distinct points of an item


@dataclass(frozen=True)
class FamilyWeights(_Weights):
    """Weights of the families (:mod:`pie.data.families`)."""

    tree: float = 4.0
    deep_tree: float = 1.0
    sum_of_powers: float = 1.5
    powers: float = 1.0
    ratio: float = 1.0
    separable: float = 1.5
    nested: float = 1.5


@dataclass(frozen=True)
class WayWeights(_Weights):
    """Weights of the sampling schemes (:mod:`pie.data.sampling`)."""

    normal: float = 2.0
    free_box: float = 3.0
    whole: float = 2.0
    patch: float = 1.0
    clusters: float = 1.0
    trajectory: float = 1.0


@dataclass(frozen=True)
class MixtureConfig:
    """Probabilities of the mixture; ``share`` 0 gives the paper's corpus."""

    share: float = 0.0  # of all items
    scaled: float = 0.75  # of these, rescaled to unit size
    level: float = 0.5  # of the trees, f = g(x) − g(x₀) with x₀ in the box
    noisy: float = 0.35  # with noise
    noise: tuple[float, ...] = (1e-4, 3e-2)  # its least and greatest level, log-uniform between
    outliers: float = 0.1  # with 1 to 10 % outliers
    few: float = 0.3  # with FEWEST to N distinct points, repeated up to N
    families: FamilyWeights = field(default_factory=FamilyWeights)
    ways: WayWeights = field(default_factory=WayWeights)

    def __post_init__(self):
        for name in ("share", "scaled", "level", "noisy", "outliers", "few"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"mixture.{name} is {getattr(self, name)}; expected 0 to 1")
        if len(self.noise) != 2 or not 0.0 < self.noise[0] <= self.noise[1]:
            raise ValueError(
                f"mixture.noise is {self.noise}; expected two levels, 0 < least <= most"
            )


def rescaled(expression: Expression, units: np.ndarray) -> Expression:
    """The same law in other units: f(s₁·x₁, …, s_D·x_D)."""
    scaled = {j: ("mul", ("c", float(u)), ("x", j)) for j, u in enumerate(units, 1) if u != 1.0}
    return from_tree(with_variables(to_tree(expression), scaled))


def random_equation(
    rng: np.random.Generator, config: MixtureConfig, generator: GeneratorConfig
) -> tuple[Expression, Box]:
    """An equation and the box in which it is sampled; Unsampled if g(x₀) is unusable."""
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
    return from_tree(g), box


def random_points(
    expression: Expression,
    n_points: int,
    box: Box,
    rng: np.random.Generator,
    config: MixtureConfig,
) -> np.ndarray:
    """Points (N, D) by a random scheme, possibly with noise, outliers, or repeated."""
    points = WAYS[config.ways.choose(rng)](expression, n_points, box, rng)
    if rng.random() < config.noisy:
        level = float(np.exp(rng.uniform(*np.log(config.noise))))
        points = (add_noise if rng.random() < 0.7 else multiply_noise)(points, level, rng)
    if rng.random() < config.outliers:
        points = add_outliers(points, float(rng.uniform(0.01, 0.1)), rng)
    if rng.random() < config.few:
        points = fewer(points, int(np.exp(rng.uniform(np.log(FEWEST), np.log(n_points + 1)))))
    return points


def presented(
    expression: Expression, points: np.ndarray, rng: np.random.Generator, config: MixtureConfig
) -> tuple[Expression, np.ndarray]:
    """Equation and points, rescaled with probability ``config.scaled``."""
    if rng.random() >= config.scaled:
        return expression, points
    units = scales(points)
    if not np.all(units > 0.0):  # possible where few points are kept
        raise Unsampled("a coordinate does not vary")
    return rescaled(expression, units), points / units
