"""Every baseline behind one signature.

The first four rows are the paper's; the others are what a sceptic would try first.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from ..search.candidates import Discovery, Method
from ..sources import digest_of
from .genetic import GeneticConfig, genetic
from .neural_guided import NeuralGuidedConfig, neural_guided
from .null_space import NullSpaceConfig, null_space

GP = ("baselines.genetic", "genetic")
DSO = ("baselines.neural_guided", "neural_guided")
SVD = ("baselines.null_space", "null_space")
# name: (module, section of the parameters), fitness
METHODS = {
    "GP (Vanilla)": (GP, "vanilla"),
    "GP (CL-FEM)": (GP, "cl-fem"),
    "DSO (Vanilla)": (DSO, "vanilla"),
    "DSO (CL-FEM)": (DSO, "cl-fem"),
    "Null space": (SVD, ""),
    "GP (least squares)": (GP, "least squares"),
    "GP (implicit derivatives)": (GP, "implicit derivatives"),
    "GP (Sampson)": (GP, "sampson"),
}


@dataclass(frozen=True)
class BaselinesConfig:
    """Settings of the baselines."""

    genetic: GeneticConfig = GeneticConfig()
    neural_guided: NeuralGuidedConfig = NeuralGuidedConfig()
    null_space: NullSpaceConfig = NullSpaceConfig()


@dataclass(frozen=True)
class Baselines:
    """The baselines as methods of :func:`pie.experiments.evaluation.evaluate`, within their budgets."""

    config: BaselinesConfig = BaselinesConfig()
    seed: int = 0  # of the metrics

    def _search(self, name: str) -> Callable[..., Discovery]:
        (_, section), fitness = METHODS[name]
        config = getattr(self.config, section)
        if section == "null_space":
            return functools.partial(null_space, config=config)
        search = genetic if section == "genetic" else neural_guided
        return functools.partial(search, fitness=fitness, config=config)

    @property
    def methods(self) -> dict[str, Method]:
        """Every baseline by name."""
        return {name: self._search(name) for name in METHODS}

    def budget(self, method: str) -> str:
        """Programs that are evaluated."""
        (_, section), _ = METHODS[method]
        if section == "genetic":
            return f"{self.config.genetic.generations} × {self.config.genetic.population} programs"
        if section == "neural_guided":
            return f"{self.config.neural_guided.samples} samples"
        return "closed form"

    def digest(self, method: str) -> bytes:
        """Of settings and sources."""
        (module, section), fitness = METHODS[method]
        return digest_of([module], (getattr(self.config, section), fitness))
