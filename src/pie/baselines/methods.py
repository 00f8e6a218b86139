"""All baselines with one signature: the paper's four and four others."""

import functools
from dataclasses import dataclass

from ..search.candidates import Method
from ..sources import digest_of
from .config import BaselinesConfig

# module and section of the parameters, further arguments
METHODS = {
    "GP (Vanilla)": ("genetic", {"fitness": "vanilla"}),
    "GP (CL-FEM)": ("genetic", {"fitness": "cl-fem"}),
    "DSO (Vanilla)": ("neural_guided", {"fitness": "vanilla"}),
    "DSO (CL-FEM)": ("neural_guided", {"fitness": "cl-fem"}),
    "Null space": ("null_space", {}),
    "GP (least squares)": ("genetic", {"fitness": "least squares"}),
    "GP (implicit derivatives)": ("genetic", {"fitness": "implicit derivatives"}),
    "GP (Sampson)": ("genetic", {"fitness": "sampson"}),
}


@dataclass(frozen=True)
class Baselines:
    """The baselines as methods of :func:`pie.experiments.evaluation.evaluate`."""

    config: BaselinesConfig = BaselinesConfig()
    seed: int = 0  # of the metrics

    @property
    def methods(self) -> dict[str, Method]:
        # gplearn and PyTorch take a second to import
        from .genetic import genetic
        from .neural_guided import neural_guided
        from .null_space import null_space

        searches = {"genetic": genetic, "neural_guided": neural_guided, "null_space": null_space}
        return {
            name: functools.partial(searches[of], config=getattr(self.config, of), **arguments)
            for name, (of, arguments) in METHODS.items()
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
        section, arguments = METHODS[method]
        return digest_of([f"baselines.{section}"], (getattr(self.config, section), arguments))
