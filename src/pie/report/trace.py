"""What goes through a real network: shapes, bits, probabilities and candidates, for Figure 3."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ..data.benchmarks import Problem
from ..data.corpus import Item
from ..expr import vocabulary
from ..network.model import BITS, PIE, ModelConfig, as_network_input, half_bits, parameter_count
from ..search.algorithm2 import InferenceConfig, discover
from ..search.candidates import Candidate


@dataclass(frozen=True)
class Trace:
    """What went through a network with so many ``parameters``.

    ``item`` is the first of the batch, ``value`` its first coordinate, ``bits`` what the network
    reads for it, and ``probabilities`` those of each token of its target and of the end, given the
    tokens before. ``shapes`` are of ``points``, ``bits``, ``embedded``, ``latent``, ``prefix`` and
    ``logits``, for the whole batch. ``candidates`` are what Algorithm 2 found for the ``problem``.
    """

    config: ModelConfig
    parameters: int
    item: Item
    value: float
    bits: tuple[int, ...]
    shapes: dict[str, tuple[int, ...]]
    probabilities: tuple[float, ...]
    problem: Problem
    inference: InferenceConfig
    candidates: tuple[Candidate, ...]


@torch.no_grad()
def trace(
    model: PIE,
    items: Sequence[Item],
    problem: Problem,
    inference: InferenceConfig = InferenceConfig(),
) -> Trace:
    """Run a network on a batch of training pairs, and Algorithm 2 on the points of a law.

    Raises:
        ValueError: different numbers of points, or what is shown has other than two variables.
    """
    sizes = {len(item.points) for item in items}
    if len(sizes) != 1:
        raise ValueError(f"the items have {sorted(sizes)} points; expected equally many")
    for shown in (items[0].points, problem.points):
        if shown.shape[1] != 2:
            raise ValueError(f"points of shape {shown.shape} cannot be drawn; expected (N, 2)")
    shapes: dict[str, tuple[int, ...]] = {}

    def keep(before: str, after: str):
        def hook(module, inputs, output):
            shapes.update({before: tuple(inputs[0].shape), after: tuple(output.shape)})

        return hook

    hooks = [
        model.encoder.register_forward_hook(keep("points", "latent")),
        model.encoder.embed.register_forward_hook(keep("bits", "embedded")),
        model.tokens.register_forward_hook(keep("prefix", "tokens")),
        model.output.register_forward_hook(keep("decoded", "logits")),
    ]
    points = torch.cat([as_network_input(i.points, model.config.max_variables) for i in items])
    targets = [[*vocabulary.encode(i.target.codes), vocabulary.END] for i in items]
    prefix = torch.full((len(items), max(map(len, targets))), vocabulary.PAD)
    for row, target in enumerate(targets):
        prefix[row, : len(target)] = torch.tensor([vocabulary.START, *target[:-1]])
    logits = model(points, prefix)
    for hook in hooks:
        hook.remove()
    target = torch.tensor(targets[0])
    chosen = logits[0, : len(target)].softmax(-1).gather(1, target[:, None])[:, 0]
    bits = (half_bits(points[0, 0])[:BITS] > 0).int()
    return Trace(
        config=model.config,
        parameters=parameter_count(model),
        item=items[0],
        value=float(points[0, 0, 0]),
        bits=tuple(bits.tolist()),
        shapes=shapes,
        probabilities=tuple(chosen.tolist()),
        problem=problem,
        inference=inference,
        candidates=discover(model, problem.points, "cl-fem", inference).candidates,
    )
