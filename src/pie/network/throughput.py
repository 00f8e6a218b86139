"""Training throughput beside that of a plain matrix product."""

import itertools
import timeit
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from ..data.corpus import Corpus
from .model import PIE, ModelConfig
from .objective import has_bfloat16, loss_of
from .schedule import TrainingConfig
from .streaming import Shards, batches


class Throughput(NamedTuple):
    """Speed of training and of a matrix product, measured in the same process."""

    examples_per_second: float
    gflops: float
    matmul_gflops: float

    @property
    def share(self) -> float:
        return self.gflops / self.matmul_gflops


def _seconds(function, repeats: int) -> float:
    function()
    return float(np.median(timeit.repeat(function, number=1, repeat=repeats)))


def training_throughput(
    model_config: ModelConfig,
    config: TrainingConfig,
    corpus: Corpus,
    steps: int,
    cache: Path | None = None,
) -> Throughput:
    """Median speed of ``steps`` training steps on the CPU; FLOPs as torch counts them."""
    bfloat16 = config.bfloat16 and has_bfloat16("cpu")
    model = PIE(model_config).train()
    optimizer = torch.optim.Adam(model.parameters(), config.learning_rate, fused=True)
    shards = Shards(corpus, config.examples, config.seed, cache)
    source = batches(shards, config.batch_size)
    pool = [[torch.from_numpy(a) for a in next(source)] for _ in range(4)]
    turn = itertools.cycle(pool)

    def step() -> None:
        points, tokens = next(turn)
        losses, _ = loss_of(model, points.float(), tokens, bfloat16)
        optimizer.zero_grad(set_to_none=True)
        losses.mean().backward()
        optimizer.step()

    operations = 0
    for _ in pool:
        with FlopCounterMode(display=False) as counter:
            step()
        operations += counter.get_total_flops() / len(pool)
    dtype = torch.bfloat16 if bfloat16 else torch.float32
    a, b = torch.randn(2048, 2048, dtype=dtype), torch.randn(2048, 2048, dtype=dtype)
    matmul = 2 * 2048**3 / _seconds(lambda: a @ b, 10)
    seconds = _seconds(step, max(steps, 1))
    return Throughput(config.batch_size / seconds, operations / seconds / 1e9, matmul / 1e9)
