"""The methods of this project as the evaluation takes them: *PIE*, its variants, and *PIE+*."""

import functools
from dataclasses import dataclass, replace
from pathlib import Path

from .discovery import InferenceConfig, discover
from .evaluation import Method, digest_of
from .model import PIE, load_weights
from .plus import PlusConfig, discover_plus


@functools.lru_cache(maxsize=4)
def _model(folder: Path) -> PIE:
    return load_weights(folder)


@dataclass(frozen=True)
class Setting:
    """What the methods of this project run with: weights and settings of *PIE* and of *PIE+*."""

    weights: Path
    weights_plus: Path
    inference: InferenceConfig = InferenceConfig()
    inference_plus: PlusConfig = PlusConfig()

    @property
    def methods(self) -> dict[str, Method]:
        """The paper's two rows, *PIE* (CL-FEM) and *PIE (Vanilla)*, and ours.

        *PIE (strict)* is *PIE* with the highest fitness taken to the last bit: exact fits, which
        differ by rounding only, are then told apart by their rounding. *PIE+* goes beyond the
        paper, with weights of its own.
        """
        config, plus = self.inference, self.inference_plus
        strict = replace(config, resolution=0.0)

        def by_the_paper(fitness: str, config: InferenceConfig) -> Method:
            return lambda points: discover(_model(self.weights), points, fitness, config)

        return {
            "PIE": by_the_paper("cl-fem", config),
            "PIE (Vanilla)": by_the_paper("vanilla", config),
            "PIE (strict)": by_the_paper("cl-fem", strict),
            "PIE+": lambda points: discover_plus(_model(self.weights_plus), points, plus),
        }

    @property
    def seed(self) -> int:
        """Of the stochastic copies and of the metrics."""
        return self.inference.seed

    def budget(self, method: str) -> str:
        """The width of the beam."""
        return f"beam {self.inference_plus.beam if method == 'PIE+' else self.inference.beam}"

    def digest(self, method: str) -> bytes:
        """Of weights, settings and sources."""
        plus = method == "PIE+"
        settings = self.inference_plus if plus else self.inference
        shards = sorted(Path(self.weights_plus if plus else self.weights).glob("*.saf*"))
        return digest_of(["plus" if plus else "discovery"], settings, shards)
