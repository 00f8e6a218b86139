"""The methods of this project as the evaluation takes them: those of the paper, and *PIE+*."""

from dataclasses import dataclass
from pathlib import Path

from ..search.algorithm2 import InferenceConfig
from ..search.candidates import Method
from ..search.plus import PlusConfig, discover_plus
from ..sources import digest_of
from .paper_methods import PaperMethods, model_in, shards_in

PLUS = "PIE+"


@dataclass(frozen=True)
class Setting:
    """What the methods of this project run with: weights and settings of *PIE* and of *PIE+*."""

    weights: Path
    weights_plus: Path
    inference: InferenceConfig = InferenceConfig()
    inference_plus: PlusConfig = PlusConfig()

    @property
    def paper(self) -> PaperMethods:
        """The rows of the paper."""
        return PaperMethods(self.weights, self.inference)

    @property
    def methods(self) -> dict[str, Method]:
        """Those of :class:`pie.experiments.paper_methods.PaperMethods`, and *PIE+*."""
        config = self.inference_plus
        plus = {PLUS: lambda points: discover_plus(model_in(self.weights_plus), points, config)}
        return self.paper.methods | plus

    @property
    def seed(self) -> int:
        """Of the stochastic copies and of the metrics."""
        return self.inference.seed

    def budget(self, method: str) -> str:
        """The width of the beam."""
        return f"beam {self.inference_plus.beam}" if method == PLUS else self.paper.budget(method)

    def digest(self, method: str) -> bytes:
        """Of weights, settings and sources."""
        if method != PLUS:
            return self.paper.digest(method)
        return digest_of(["experiments.methods"], self.inference_plus, shards_in(self.weights_plus))
