"""Checkpoints of training: progress, network and optimiser in one file, replaced atomically."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.optim import Optimizer

from ..files import whole


@dataclass
class Progress:
    """State of a training run; ``stale`` counts validations since the best one.

    ``running`` is the sum of the training losses of the ``seen`` steps since the last validation,
    of the process that saves.
    """

    step: int = 0
    seconds: float = 0.0
    best: float = math.inf
    stale: int = 0
    finished: bool = False
    running: float = 0.0
    seen: int = 0
    rows: list[dict] = field(default_factory=list)


def save_state(
    path: Path,
    model: nn.Module,
    optimizers: Sequence[Optimizer],
    progress: Progress,
    digest: str,
) -> None:
    """Write a checkpoint atomically; ``digest`` identifies the configuration."""
    tensors = {f"model.{k}": v for k, v in model.state_dict().items()}
    for place, optimizer in enumerate(optimizers):
        for i, state in optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{place}.{i}.{k}": v for k, v in state.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"progress": json.dumps(asdict(progress)), "digest": digest}
    with whole(path) as partial:
        save_file({k: v.contiguous() for k, v in tensors.items()}, partial, metadata)


def load_state(
    path: Path, model: nn.Module, optimizers: Sequence[Optimizer], digest: str
) -> Progress:
    """Restore a checkpoint if there is one; ValueError if its digest is another one."""
    if not path.exists():
        return Progress()
    with safe_open(path, "pt") as stored:
        metadata = stored.metadata()
        if metadata["digest"] != digest:
            raise ValueError(
                f"{path} belongs to another configuration ({metadata['digest']}, not {digest}); "
                "remove it or train elsewhere"
            )
        tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    model.load_state_dict({k[6:]: v for k, v in tensors.items() if k.startswith("model.")})
    states: list[dict[int, dict]] = [{} for _ in optimizers]
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, place, i, key = name.split(".")
            states[int(place)].setdefault(int(i), {})[key] = tensor
    for optimizer, state in zip(optimizers, states, strict=True):
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})
    return Progress(**json.loads(metadata["progress"]))
