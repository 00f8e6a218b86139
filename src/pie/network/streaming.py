"""The corpus as a stream of training batches, prepared by any number of processes.

The order depends on (seed, epoch) only, not on workers or interruptions. Shards are shuffled, and
the skeletons of a batch have similar lengths.
"""

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from torch.utils.data import DataLoader, Dataset

from ..data.corpus import SHARD_SIZE, Corpus
from ..expr import vocabulary


class Shards(Dataset):
    """Shards of a corpus in training order, indexed by position; ``seed`` determines the order.

    The first K // 2048 shards are used in every epoch (K = ``examples``). Where K < 2048 these are
    the first K items, kept in memory. ``cache`` is a folder of stored shards that receives new
    ones; None = no cache.
    """

    def __init__(self, corpus: Corpus, examples: int, seed: int, cache: Path | None = None):
        self.corpus, self.seed, self.cache = corpus, seed, cache
        self.shards = max(1, examples // SHARD_SIZE)
        self.size = min(SHARD_SIZE, examples)  # items of a shard

    @functools.cached_property
    def few(self) -> dict[str, np.ndarray]:
        """The items of less than a shard."""
        return self.corpus.arrays(0, self.size)

    def __getitem__(self, place: int) -> dict[str, np.ndarray]:
        if self.size < SHARD_SIZE:
            return self.few
        epoch, within = divmod(place, self.shards)
        order = np.random.default_rng([self.seed, epoch]).permutation(self.shards)
        return self.corpus.shard(int(order[within]), self.cache)


def batches(
    shards: Shards, batch_size: int, start: int = 0, workers: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Endless batches from step ``start``; ``workers`` processes prepare shards ahead (0 = none).

    Yields points (B, N, D_max) float16 and tokens (B, L) uint8. Where batches do not divide a
    shard, an epoch leaves out the rest of each, drawn at random. ValueError if a shard is smaller
    than a batch.
    """
    if not 1 <= batch_size <= shards.size:
        raise ValueError(f"batch_size is {batch_size}; expected 1 to {shards.size}, a shard")
    per_shard = shards.size // batch_size
    first, skip = divmod(start, per_shard)
    loader = DataLoader(
        shards, batch_size=None, sampler=itertools.count(first), num_workers=workers,
        collate_fn=dict, multiprocessing_context="spawn" if workers else None,  # no tensors
    )  # fmt: skip
    for place, arrays in enumerate(loader, start=first):
        points, tokens = arrays["points"], arrays["tokens"]
        rng = np.random.default_rng([shards.seed, 1, place])
        lengths = (tokens != vocabulary.PAD).sum(1) + 2.0 * rng.random(len(tokens))
        if rest := len(tokens) % batch_size:
            lengths[rng.choice(len(tokens), rest, replace=False)] = np.inf  # left out
        groups = np.argsort(lengths)[: per_shard * batch_size].reshape(per_shard, -1)
        for group in rng.permutation(groups)[skip:]:
            yield points[group], tokens[group]
        skip = 0
