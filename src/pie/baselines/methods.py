"""All baselines with one signature: the paper's four and four others."""

import functools
from dataclasses import dataclass

from ..search.candidates import Method
from ..sources import digest_of
from .config import BaselinesConfig

# module and section of the parameters, fitness
METHODS = {
    "GP (Vanilla)": ("genetic", "vanilla"),
    "GP (CL-FEM)": ("genetic", "cl-fem"),
    "DSO (Vanilla)": ("neural_guided", "vanilla"),
    "DSO (CL-FEM)": ("neural_guided", "cl-fem"),
    "Null space": ("null_space", ""),
    "GP (least squares)": ("genetic", "least squares"),
    "GP (implicit derivatives)": ("genetic", "implicit derivatives"),
    "GP (Sampson)": ("genetic", "sampson"),
}


@dataclass(frozen=True)
class Baselines:
    """The baselines as methods of :func:`pie.experiments.evaluation.evaluate`."""

    config: BaselinesConfig = BaselinesConfig()
    seed: int = 0  # of the metrics

    @property
    def methods(self) -> dict[str, Method]:
        # gplearn, DEAP and PyTorch take a second to import
        from .genetic import genetic
        from .neural_guided import neural_guided
        from .null_space import null_space

        gp = functools.partial(genetic, config=self.config.genetic)
        dso = functools.partial(neural_guided, config=self.config.neural_guided)
        svd = functools.partial(null_space, config=self.config.null_space)
        searches = {"genetic": gp, "neural_guided": dso}
        return {
            name: functools.partial(searches[section], fitness=fitness) if fitness else svd
            for name, (section, fitness) in METHODS.items()
        }

    def budget(self, method: str) -> str:
        """Number of programs evaluated, in words."""
        gp, dso = self.config.genetic, self.config.neural_guided
        return {
            "genetic": f"{gp.generations} × {gp.population} programs",
            "neural_guided": f"{dso.samples} samples",
            "null_space": "closed form",
        }[METHODS[method][0]]

    def digest(self, method: str) -> bytes:
        section, fitness = METHODS[method]
        return digest_of([f"baselines.{section}"], (getattr(self.config, section), fitness))
