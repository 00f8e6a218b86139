"""The methods of this project for the evaluation: the paper's, and *PIE+*."""

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
    """Weights and settings of *PIE* and *PIE+*: a :class:`~pie.experiments.answers.Contest`."""

    weights: Path
    weights_plus: Path
    inference: InferenceConfig = InferenceConfig()
    inference_plus: PlusConfig = PlusConfig()

    @property
    def paper(self) -> PaperMethods:
        return PaperMethods(self.weights, self.inference)

    @property
    def methods(self) -> dict[str, Method]:
        config = self.inference_plus
        plus = {PLUS: lambda points: discover_plus(model_in(self.weights_plus), points, config)}
        return self.paper.methods | plus

    @property
    def seed(self) -> int:
        return self.inference.seed

    def budget(self, method: str) -> str:
        return f"beam {self.inference_plus.beam}" if method == PLUS else self.paper.budget(method)

    def digest(self, method: str) -> bytes:
        if method != PLUS:
            return self.paper.digest(method)
        return digest_of(["experiments.methods"], self.inference_plus, shards_in(self.weights_plus))
