"""Checkpoints of training: progress, network and optimisers in one file, replaced atomically."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from torch import nn
from torch.optim import Optimizer

from ..files import whole


@dataclass
class Progress:
    """State of a training run; ``stale`` counts validations since the best one."""

    step: int = 0
    seconds: float = 0.0
    best: float = math.inf
    stale: int = 0
    finished: bool = False
    rows: list[dict] = field(default_factory=list)


def save_state(
    path: Path,
    model: nn.Module,
    optimizers: Sequence[Optimizer],
    progress: Progress,
    digest: str,
) -> None:
    """Write a checkpoint atomically; ``digest`` identifies the configuration."""
    stored = {
        "digest": digest,
        "progress": asdict(progress),
        "model": model.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial:
        torch.save(stored, partial)


def load_state(
    path: Path, model: nn.Module, optimizers: Sequence[Optimizer], digest: str
) -> Progress:
    """Restore a checkpoint if there is one; ValueError if its digest is another one."""
    if not path.exists():
        return Progress()
    stored = torch.load(path, map_location="cpu", weights_only=True)
    if stored["digest"] != digest:
        raise ValueError(
            f"{path} belongs to another configuration ({stored['digest']}, not {digest}); "
            "remove it or train elsewhere"
        )
    model.load_state_dict(stored["model"])
    for optimizer, state in zip(optimizers, stored["optimizers"], strict=True):
        optimizer.load_state_dict(state)
    return Progress(**stored["progress"])
