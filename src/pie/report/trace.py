"""What goes through a real network: shapes, bits, probabilities and candidates, for Figure 3."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from ..data.benchmarks import Problem
from ..data.corpus import Item
from ..expr import vocabulary
from ..network.config import padded
from ..network.inference import Network
from ..network.model import PIE, half_bits
from ..search.algorithm2 import InferenceConfig, discover
from ..search.candidates import Candidate


@dataclass(frozen=True)
class Trace:
    """What went through a network, and what Algorithm 2 found with it."""

    model: PIE
    item: Item  # the first of the batch
    bits: tuple[int, ...]  # of its first coordinate
    shapes: dict[str, tuple[int, ...]]  # of points, bits, embedded, latent, prefix, logits
    probabilities: tuple[float, ...]  # of each token of the target and the end, given those before
    problem: Problem
    inference: InferenceConfig
    candidates: tuple[Candidate, ...]  # for the problem


@torch.no_grad()
def trace(
    model: PIE,
    items: Sequence[Item],
    problem: Problem,
    inference: InferenceConfig = InferenceConfig(),
) -> Trace:
    """Run a network on a batch of training pairs, and Algorithm 2 on the points of a law.

    The items have equally many points. ValueError if the first one is not in two variables.
    """
    if items[0].points.shape[1] != 2:
        shape = items[0].points.shape
        raise ValueError(f"points of shape {shape} cannot be drawn; expected (N, 2)")
    shapes: dict[str, tuple[int, ...]] = {}

    def keep(before: str, after: str):
        return lambda module, inputs, output: shapes.update(
            {before: tuple(inputs[0].shape), after: tuple(output.shape)}
        )

    hooks = [
        model.encoder.register_forward_hook(keep("points", "latent")),
        model.encoder.embed.register_forward_hook(keep("bits", "embedded")),
        model.tokens.register_forward_hook(keep("prefix", "tokens")),
        model.output.register_forward_hook(keep("decoded", "logits")),
    ]
    inputs = [padded(i.points, model.config.max_variables) for i in items]
    points = torch.from_numpy(np.concatenate(inputs))
    targets = [[*vocabulary.encode(i.target.codes), vocabulary.END] for i in items]
    prefixes = [torch.tensor([vocabulary.START, *target[:-1]]) for target in targets]
    logits = model(points, pad_sequence(prefixes, True, vocabulary.PAD))
    for hook in hooks:
        hook.remove()
    target = torch.tensor(targets[0])
    chosen = logits[0, : len(target)].softmax(-1).gather(1, target[:, None])[:, 0]
    bits = (half_bits(points[0, 0, :1]) > 0).int().tolist()
    ranked = discover(Network.of(model), problem.points, "cl-fem", inference).candidates
    probabilities = tuple(chosen.tolist())
    return Trace(model, items[0], tuple(bits), shapes, probabilities, problem, inference, ranked)
