"""The methods of this project for the evaluation: the paper's, and *PIE+*, whole and in parts."""

from dataclasses import dataclass, replace
from pathlib import Path

from ..discovery.pretrained import from_pretrained
from ..search.algorithm2 import InferenceConfig
from ..search.candidates import Method
from ..search.plus import PlusConfig, discover_plus
from ..sources import digest_of
from .paper_methods import PaperMethods, shards_in


def in_parts(config: PlusConfig) -> dict[str, PlusConfig]:
    """*PIE+*, its network alone, and *PIE+* without one proposer at a time, by name.

    >>> [*in_parts(PlusConfig(proposers=("relations", "network")))][:4]
    ['PIE+', 'PIE+ (network alone)', 'PIE+ (no relations)', 'PIE+ (no network)']
    """
    found = {"": config, " (network alone)": replace(config, proposers=("network",))}
    for part in config.proposers:
        if kept := tuple(name for name in config.proposers if name != part):
            found[f" (no {part})"] = replace(config, proposers=kept)
    return {f"PIE+{part}": changed for part, changed in found.items()}


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
    def plus(self) -> dict[str, PlusConfig]:
        return in_parts(self.inference_plus)

    @property
    def methods(self) -> dict[str, Method]:
        def search(config: PlusConfig) -> Method:
            return lambda points: discover_plus(from_pretrained(self.weights_plus), points, config)

        return self.paper.methods | {name: search(config) for name, config in self.plus.items()}

    @property
    def seed(self) -> int:
        return self.inference.seed

    def budget(self, method: str) -> str:
        if method in self.plus:
            return f"beam {self.inference_plus.beam}"
        return self.paper.budget(method)

    def digest(self, method: str) -> bytes:
        if method not in self.plus:
            return self.paper.digest(method)
        config = self.plus[method]
        weights = shards_in(self.weights_plus) if "network" in config.proposers else []
        return digest_of(["experiments.methods"], config, weights)
