"""The paper's methods as the evaluation takes them: *PIE* and *PIE (Vanilla)*; *PIE (strict)*."""

import functools
from dataclasses import dataclass, replace
from pathlib import Path

from ..network.model import PIE, load_weights
from ..search.algorithm2 import InferenceConfig, discover
from ..search.candidates import Method
from ..sources import digest_of


@functools.lru_cache(maxsize=4)
def model_in(folder: Path) -> PIE:
    """The network of a folder, read once."""
    return load_weights(folder)


def shards_in(folder: Path) -> list[Path]:
    """Files with the weights of a folder."""
    return sorted(Path(folder).glob("*.saf*"))


@dataclass(frozen=True)
class PaperMethods:
    """Algorithm 2 with one network."""

    weights: Path
    inference: InferenceConfig = InferenceConfig()

    @property
    def methods(self) -> dict[str, Method]:
        """The paper's two rows, *PIE* (CL-FEM) and *PIE (Vanilla)*, and one of ours.

        *PIE (strict)* is *PIE* with the highest fitness taken to the last bit: exact fits, which
        differ by rounding only, are then told apart by their rounding.
        """
        strict = replace(self.inference, resolution=0.0)

        def search(fitness: str, config: InferenceConfig = self.inference) -> Method:
            return lambda points: discover(model_in(self.weights), points, fitness, config)

        return {
            "PIE": search("cl-fem"),
            "PIE (Vanilla)": search("vanilla"),
            "PIE (strict)": search("cl-fem", strict),
        }

    @property
    def seed(self) -> int:
        """Of the stochastic copies and of the metrics."""
        return self.inference.seed

    def budget(self, method: str) -> str:
        """The width of the beam."""
        return f"beam {self.inference.beam}"

    def digest(self, method: str) -> bytes:
        """Of weights, settings and sources."""
        return digest_of(["experiments.paper_methods"], self.inference, shards_in(self.weights))
