"""The network (Section 3.3): half-precision bits → MLP → set encoder → Transformer decoder."""

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from ..expr import vocabulary
from ..files import whole
from .config import BITS, HALF_MAX, ModelConfig, read_weights
from .set_transformer import ISAB, MAB, PMA, Multihead, feed_forward, learned_set

SHARD_BYTES = 15_000_000


def half_bits(points: Tensor) -> Tensor:
    """IEEE-754 half-precision bits as ±1, sign first: (…, D) → (…, 16·D); clamped to ±65504."""
    half = points.clamp(-HALF_MAX, HALF_MAX).to(torch.float16)
    shifts = torch.arange(BITS - 1, -1, -1, device=points.device, dtype=torch.int16)
    bits = (half.view(torch.int16).unsqueeze(-1) >> shifts) & 1
    return (bits.to(torch.float32) * 2.0 - 1.0).flatten(-2)


class SetEncoder(nn.Module):
    """Points (B, N, D) → latent set (B, k, W)."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        width = config.width
        block = (width, config.heads, config.encoder_feed_forward, config.dropout)
        self.embed = nn.Sequential(
            nn.Linear(BITS * config.max_variables, width), nn.ReLU(), nn.Linear(width, width)
        )
        self.stays = config.encoder == "inducing"
        if self.stays:
            self.inducing = learned_set(config.inducing, width)
            self.reads = nn.ModuleList(MAB(*block) for _ in range(config.encoder_layers))
            self.mixes = nn.ModuleList(MAB(*block) for _ in range(config.encoder_layers))
        else:
            self.isabs = nn.ModuleList(
                ISAB(*block, config.inducing) for _ in range(config.encoder_layers)
            )
            self.pma = PMA(*block, config.pma_features)

    def forward(self, points: Tensor) -> Tensor:
        x = self.embed(half_bits(points))  # (B, N, W)
        if not self.stays:
            for isab in self.isabs:
                x = isab(x)
            return self.pma(x)  # (B, k, W)
        z = self.inducing.to(x.dtype).expand(len(x), -1, -1)
        for read, mix in zip(self.reads, self.mixes, strict=True):
            z = read(z, x)  # (B, inducing, W)
            z = mix(z, z)
        return z


class DecoderLayer(nn.Module):
    """Post-norm Transformer decoder layer."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.self_attention = Multihead(config.width, config.heads)
        self.cross_attention = Multihead(config.width, config.heads)
        self.feed_forward = feed_forward(config.width, config.decoder_feed_forward)
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(3))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, z: Tensor, mask: Tensor) -> Tensor:
        """Tokens x (B, L, W) attend to themselves under ``mask`` (L, L), then to z (B, k, W)."""
        x = self.norms[0](x + self.dropout(self.self_attention(x, x, mask)))
        x = self.norms[1](x + self.dropout(self.cross_attention(x, z)))
        return self.norms[2](x + self.dropout(self.feed_forward(x)))


class PIE(nn.Module):
    """The set-to-sequence Transformer: p(next token | prefix, points).

    >>> tiny = ModelConfig(width=32, heads=4, encoder_layers=1, decoder_layers=1)
    >>> PIE(tiny)(torch.zeros(2, 10, 3), torch.ones(2, 5, dtype=torch.long)).shape
    torch.Size([2, 5, 60])
    """

    def __init__(self, config: ModelConfig = ModelConfig()):
        super().__init__()
        self.config = config
        self.encoder = SetEncoder(config)
        self.tokens = nn.Embedding(vocabulary.SIZE, config.width)
        self.positions = nn.Embedding(config.max_tokens + 1, config.width)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.output = nn.Linear(config.width, vocabulary.SIZE)
        nn.init.normal_(self.tokens.weight, std=0.05)
        nn.init.normal_(self.positions.weight, std=0.05)

    def forward(self, points: Tensor, prefix: Tensor) -> Tensor:
        """Logits (B, L, 60) for points (B, N, D) and prefixes (B, L) that begin with START."""
        z = self.encoder(points)
        length = prefix.shape[1]
        x = (self.tokens(prefix) + self.positions.weight[:length]).to(z.dtype)
        mask = torch.full((length, length), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        for layer in self.layers:
            x = layer(x, z, mask)
        return self.output(x)


def parameter_count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def save_weights(model: PIE, folder: Path) -> None:
    """Write ``config.json`` and float16 safetensors shards of at most 15 MB.

    What the folder holds is replaced when all is written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shards: list[dict[str, Tensor]] = [{}]
    for name, tensor in model.state_dict().items():
        stored = tensor.detach().to("cpu", torch.float16).contiguous()
        if shards[-1] and sum(t.nbytes for t in (*shards[-1].values(), stored)) > SHARD_BYTES:
            shards.append({})
        shards[-1][name] = stored
    names = [f"weights-{i + 1}-of-{len(shards)}.safetensors" for i in range(len(shards))]
    with contextlib.ExitStack() as written:
        for name, shard in zip(names, shards, strict=True):
            save_file(shard, written.enter_context(whole(folder / name)))
        config = written.enter_context(whole(folder / "config.json"))
        config.write_text(json.dumps(asdict(model.config), indent=2) + "\n")
    for path in folder.glob("weights-*.safetensors"):
        if path.name not in names:
            path.unlink()


def load_weights(folder: Path) -> PIE:
    """A network in evaluation mode, from a folder written by :func:`save_weights`.

    Errors of :func:`pie.network.config.read_weights`, and ValueError if the shards do not match
    ``config.json``.
    """
    config, weights = read_weights(folder)
    model = PIE(config)
    try:
        model.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    except RuntimeError as error:
        raise ValueError(f"weights in {folder} do not fit its config.json: {error}") from None
    return model.eval()
