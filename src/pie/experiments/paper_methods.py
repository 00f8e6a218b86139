"""The paper's methods for the evaluation: *PIE*, *PIE (Vanilla)*, and *PIE (strict)*."""

from dataclasses import dataclass, replace
from pathlib import Path

from ..discovery.pretrained import from_pretrained
from ..search.algorithm2 import InferenceConfig, discover
from ..search.candidates import Method
from ..sources import digest_of


def shards_in(folder: Path) -> list[Path]:
    """Weight files of a folder."""
    return sorted(Path(folder).glob("*.safetensors"))


@dataclass(frozen=True)
class PaperMethods:
    """Algorithm 2 with one network: a :class:`~pie.experiments.answers.Contest`."""

    weights: Path
    inference: InferenceConfig = InferenceConfig()

    @property
    def methods(self) -> dict[str, Method]:
        """*PIE* (CL-FEM), *PIE (Vanilla)*; *PIE (strict)* ranks by fitness to the last bit."""
        strict = replace(self.inference, resolution=0.0)

        def search(fitness: str, config: InferenceConfig = self.inference) -> Method:
            return lambda points: discover(from_pretrained(self.weights), points, fitness, config)

        return {
            "PIE": search("cl-fem"),
            "PIE (Vanilla)": search("vanilla"),
            "PIE (strict)": search("cl-fem", strict),
        }

    @property
    def seed(self) -> int:
        return self.inference.seed

    def budget(self, method: str) -> str:
        return f"beam {self.inference.beam}"

    def digest(self, method: str) -> bytes:
        return digest_of(["experiments.paper_methods"], self.inference, shards_in(self.weights))
