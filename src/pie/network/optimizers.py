r"""Adam as in the paper, or Muon for matrices (ours).

Muon (Jordan et al. 2024): where the momentum of a matrix is U S V^T, its step is U V^T times the
learning rate times 0.2 sqrt(max(rows, columns)), so that its root mean square is like that of
Adam's steps. The tables of tokens and positions, the output, and all that is no matrix go on with
Adam.
"""

from collections.abc import Sequence

import torch
from torch.optim import Optimizer

from .model import PIE
from .schedule import TrainingConfig

TABLES = ("tokens.weight", "positions.weight", "output.weight")  # a row per token or place


def optimizers_of(model: PIE, config: TrainingConfig) -> list[Optimizer]:
    """Of all parameters, each in one of them."""
    matrices, others = [], []
    for name, values in model.named_parameters():
        muon = config.optimizer == "muon" and values.ndim == 2 and name not in TABLES
        (matrices if muon else others).append(values)
    found: list[Optimizer] = [torch.optim.Adam(others, config.learning_rate, fused=True)]
    if matrices:
        found.append(
            torch.optim.Muon(
                matrices, config.learning_rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"
            )
        )
    return found


def set_rate(optimizers: Sequence[Optimizer], rate: float) -> None:
    """The learning rate of all."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = rate
