"""Data-parallel training under torchrun; it does nothing in a single process.

Each process takes its rows of every batch, and gradients are averaged, so a run without dropout,
whose masks differ between processes, equals that of one process with the whole batch::

    torchrun --nproc-per-node 8 -m pie.network.pretraining --params params.yaml

All processes must see the folders --state and --cache; they fill the cache together. With --stream
each of them makes all items and keeps its share, which is correct but costly.
"""

import os
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

PATIENCE = timedelta(hours=1)  # timeout while rank 0 validates or fills its cache


@dataclass(frozen=True)
class Group:
    """This process among those of a training run; rank 0 validates, writes and decides."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0  # within this machine
    local_world: int = 1

    @classmethod
    def of_environment(cls) -> "Group":
        """The group torchrun describes; ValueError if its variables are incomplete."""
        if int(os.environ.get("WORLD_SIZE", 1)) == 1:
            return cls()
        names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
        missing = [name for name in names if name not in os.environ]
        if missing:
            raise ValueError(
                f"WORLD_SIZE is {os.environ['WORLD_SIZE']} but {', '.join(missing)} is not set; "
                "start several processes with torchrun"
            )
        return cls(*(int(os.environ[name]) for name in names))

    @property
    def first(self) -> bool:
        return self.rank == 0

    def join(self, device: str) -> str:
        """Initialise the process group; returns the device of this process, one GPU each."""
        if self.world == 1:
            return device
        if torch.device(device).type != "cuda":
            dist.init_process_group("gloo", timeout=PATIENCE)
            return device
        torch.cuda.set_device(self.local_rank)
        # gradients by NCCL; flags by Gloo, so that no step synchronises with its GPU
        dist.init_process_group("cpu:gloo,cuda:nccl", timeout=PATIENCE)
        return f"cuda:{self.local_rank}"

    def leave(self) -> None:
        """Close the process group; after an error torchrun ends all processes."""
        if self.world > 1:
            dist.destroy_process_group()

    def share(self, rows):
        """Every ``world``-th row of an array or range, from ``rank`` on."""
        return rows[self.rank :: self.world]

    def wrap(self, model: nn.Module) -> nn.Module:
        """The module to train, its gradients averaged over processes."""
        return model if self.world == 1 else DistributedDataParallel(model)

    def mean(self, value: Tensor) -> Tensor:
        """Mean over processes, the same in each."""
        if self.world == 1:
            return value
        total = value.clone()
        dist.all_reduce(total)
        return total / self.world

    def of_first(self, *values: int) -> tuple[int, ...]:
        """Integers or flags of rank 0, broadcast to every process."""
        if self.world == 1:
            return values
        numbers = torch.tensor(values, dtype=torch.int64)
        dist.broadcast(numbers, 0)
        return tuple(numbers.tolist())
