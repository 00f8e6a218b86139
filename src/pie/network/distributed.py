"""Training in several processes, as PyTorch's own launcher starts them; nothing in one process.

Every process takes its rows of every batch and steps with the mean of all gradients, so the run
is the one that a single process with the whole batch would make::

    torchrun --nproc-per-node 8 -m pie.network.pretraining --params params.yaml

All processes have to see the folders --state and --cache, and fill the cache together. With
--stream each of them makes the whole stream to take its rows: right, but costly.
"""

import os
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

PATIENCE = timedelta(hours=1)  # the others wait while rank 0 validates or fills its cache


@dataclass(frozen=True)
class Group:
    """This process among those of one training; rank 0 validates, writes and decides.

    >>> Group(rank=1, world=4).share(list(range(8)))
    [1, 5]
    """

    rank: int = 0
    world: int = 1
    local_rank: int = 0  # on this machine
    local_world: int = 1

    @classmethod
    def of_environment(cls) -> "Group":
        """The group that torchrun describes, or this process alone.

        Raises:
            ValueError: there should be several processes, but it is not said which one this is.
        """
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
        """Whether this process validates, writes and decides."""
        return self.rank == 0

    def join(self, device: str) -> str:
        """Wait for the others; the device of this process, one GPU each."""
        if self.world == 1:
            return device
        if torch.device(device).type != "cuda":
            dist.init_process_group("gloo", timeout=PATIENCE)
            return device
        torch.cuda.set_device(self.local_rank)
        # gradients by nccl; decisions by gloo, so that no step waits for its own GPU
        dist.init_process_group("cpu:gloo,cuda:nccl", timeout=PATIENCE)
        return f"cuda:{self.local_rank}"

    def leave(self) -> None:
        """The end of a run without error; after an error torchrun ends all processes."""
        if self.world > 1:
            dist.destroy_process_group()

    def share(self, rows):
        """Every ``world``-th row (of an array, a range, …), beginning with ``rank``."""
        return rows[self.rank :: self.world]

    def wrap(self, model: nn.Module) -> nn.Module:
        """The module to call in training: its gradients are means over all processes."""
        return model if self.world == 1 else DistributedDataParallel(model)

    def mean(self, value: Tensor) -> Tensor:
        """Mean over the processes, the same in each."""
        if self.world == 1:
            return value
        total = value.clone()
        dist.all_reduce(total)
        return total / self.world

    def of_first(self, *values: int) -> tuple[int, ...]:
        """Whole numbers or flags as rank 0 has them, the same in each process."""
        if self.world == 1:
            return values
        numbers = torch.tensor(values, dtype=torch.int64)
        dist.broadcast(numbers, 0)
        return tuple(numbers.tolist())
