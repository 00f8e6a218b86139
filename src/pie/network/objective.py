"""The objective of Algorithm 1: cross-entropy of skeletons given points."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from ..data.corpus import Corpus
from ..expr import vocabulary

BATCH_SIZE = 256  # of validation


def loss_of(
    model: nn.Module, points: Tensor, tokens: Tensor, bfloat16: bool
) -> tuple[Tensor, Tensor]:
    """Loss of each equation, and whether every token is predicted correctly (teacher forcing).

    ``points`` is (B, N, D_max); ``tokens`` (B, L) is padded, without start and end. Returns the
    cross-entropy summed over tokens, (B,) in nats per equation, and (B,) bool.
    """
    lengths = (tokens != vocabulary.PAD).sum(1)
    width = int(lengths.max()) + 1
    target = torch.zeros(len(tokens), width, dtype=torch.long, device=tokens.device)
    target[:, : width - 1] = tokens[:, : width - 1]
    target.scatter_(1, lengths[:, None], vocabulary.END)
    prefix = torch.roll(target, 1, 1)
    prefix[prefix == vocabulary.END] = vocabulary.PAD
    prefix[:, 0] = vocabulary.START
    with torch.autocast(points.device.type, torch.bfloat16, enabled=bfloat16):
        logits = model(points, prefix)
    losses = torch.nn.functional.cross_entropy(
        logits.float().transpose(1, 2), target, ignore_index=vocabulary.PAD, reduction="none"
    )
    right = (logits.argmax(-1) == target) | (target == vocabulary.PAD)
    return losses.sum(1), right.all(1)


@torch.no_grad()
def validate(
    model: nn.Module, corpus: Corpus, examples: int, bfloat16: bool = False
) -> dict[str, float]:
    """Mean loss (nats per equation), and share of skeletons that greedy decoding recovers."""
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    total = exact = 0.0
    for start in range(0, examples, BATCH_SIZE):
        arrays = corpus.arrays(start, min(start + BATCH_SIZE, examples))
        points, tokens = (torch.from_numpy(arrays[k]).to(device) for k in ("points", "tokens"))
        losses, right = loss_of(model, points.float(), tokens, bfloat16)
        total += float(losses.sum())
        exact += float(right.sum())
    model.train(was_training)
    return {"validation_loss": total / examples, "validation_exact": exact / examples}


def exact_by_noise(
    model: nn.Module, validation: Corpus, levels: Sequence[float], examples: int
) -> dict[float, float]:
    """Share of skeletons that greedy decoding recovers, by the noise of all points.

    The equations are the first ``examples`` of the corpus's mixture, the same at every level but
    for about one in a hundred, whose first candidate is dropped under some noise. A level is in
    spreads of the columns, or in three tenths of the items relative to the values. All points are
    in units of their own, without outliers.
    """
    found = {}
    for level in levels:
        changes = {"noisy": 1.0, "noise": (level, level)} if level else {"noisy": 0.0}
        alike = {"share": 1.0, "outliers": 0.0, "few": 0.0, "scaled": 1.0}
        mixture = replace(validation.config.mixture, **alike, **changes)
        corpus = Corpus(replace(validation.config, mixture=mixture), validation.held_out)
        found[level] = validate(model, corpus, examples)["validation_exact"]
    return found


def has_bfloat16(device: str) -> bool:
    """Whether bfloat16 products are native; emulated ones are slower than float32."""
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
