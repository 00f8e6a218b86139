r"""Set Transformer blocks (Lee et al. 2019), as in Section 2.3 of the paper.

.. math::
    H &= \mathrm{LayerNorm}(X + \mathrm{Multihead}(X, Y, Y)) \\
    \mathrm{MAB}(X, Y) &= \mathrm{LayerNorm}(H + \mathrm{rFF}(H)), \quad
    \mathrm{SAB}(X) = \mathrm{MAB}(X, X) \\
    \mathrm{ISAB}(X) &= \mathrm{MAB}(X, \mathrm{MAB}(I, X)), \quad
    \mathrm{PMA}_k(Z) = \mathrm{MAB}(S, \mathrm{rFF}(Z))

Attention is written out: for sets this small that is faster on a CPU than the fused kernel.
"""

import math

import torch
from torch import Tensor, nn


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """Scaled dot-product attention, (B, H, Lq, E); ``mask`` (Lq, Lk) is added to the scores."""
    scores = torch.matmul(query, key.transpose(-1, -2)) * (1.0 / math.sqrt(query.shape[-1]))
    if mask is not None:
        scores = scores + mask
    return torch.matmul(scores.softmax(-1).to(value.dtype), value)


class Multihead(nn.Module):
    """Multi-head attention; the public Set Transformer code has no output projection."""

    def __init__(self, width: int, heads: int, output_projection: bool = True):
        super().__init__()
        if width % heads:
            raise ValueError(f"width {width} is not a multiple of heads {heads}")
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width) if output_projection else nn.Identity()

    def split(self, x: Tensor) -> Tensor:
        """(B, L, W) → (B, heads, L, W / heads)."""
        b, length, width = x.shape
        return x.view(b, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x: Tensor, y: Tensor, mask: Tensor | None = None) -> Tensor:
        """X (B, n, W) attends to Y (B, m, W)."""
        key, value = self.split(self.key(y)), self.split(self.value(y))
        mixed = attend(self.split(self.query(x)), key, value, mask)  # (B, H, n, E)
        return self.out(mixed.transpose(1, 2).flatten(2))


def feed_forward(width: int, hidden: int) -> nn.Module:
    """rFF: one linear layer with ReLU if ``hidden`` is 0 (the public code), else two."""
    if hidden == 0:
        return nn.Sequential(nn.Linear(width, width), nn.ReLU())
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))


class MAB(nn.Module):
    """Multihead Attention Block: X (B, n, W) attends to Y (B, m, W).

    ``hidden`` 0 follows the public code: no output projection, one-layer rFF.
    """

    def __init__(self, width: int, heads: int, hidden: int, dropout: float):
        super().__init__()
        self.attention = Multihead(width, heads, output_projection=hidden > 0)
        self.rff = feed_forward(width, hidden)
        self.norm_attention = nn.LayerNorm(width)
        self.norm_rff = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = self.norm_attention(x + self.dropout(self.attention(x, y)))
        return self.norm_rff(h + self.dropout(self.rff(h)))


def learned_set(size: int, width: int) -> nn.Parameter:
    """Inducing points or seeds, (1, size, W)."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(1, size, width)))


class ISAB(nn.Module):
    """Induced Set Attention Block: the set attends to itself through inducing points."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, inducing: int):
        super().__init__()
        self.inducing = learned_set(inducing, width)
        self.read = MAB(width, heads, hidden, dropout)
        self.write = MAB(width, heads, hidden, dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.write(x, self.read(self.inducing.to(x.dtype).expand(len(x), -1, -1), x))


class PMA(nn.Module):
    """Pooling by Multihead Attention with k = ``features`` seeds: (B, n, W) → (B, k, W)."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, features: int):
        super().__init__()
        self.seeds = learned_set(features, width)
        self.rff = feed_forward(width, hidden)
        self.mab = MAB(width, heads, hidden, dropout)

    def forward(self, z: Tensor) -> Tensor:
        return self.mab(self.seeds.to(z.dtype).expand(len(z), -1, -1), self.rff(z))
