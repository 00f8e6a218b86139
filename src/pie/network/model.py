"""The network (Section 3.3): half-precision bits → MLP → set encoder → Transformer decoder."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from ..expr import vocabulary
from .set_transformer import ISAB, MAB, PMA, SAB, Multihead, attend, feed_forward, learned_set

BITS = 16
HALF_MAX = 65504.0
SHARD_BYTES = 15_000_000


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the network; the defaults are Table 4's (about 33M parameters).

    ``encoder`` ``isab`` is the paper's stack of ISABs and a PMA. In ``inducing`` (ours) the latent
    set is inducing points, which attend to the points and to each other. ``encoder_feed_forward`` 0
    is a one-layer rFF.
    """

    max_variables: int = 3
    max_tokens: int = 40
    width: int = 512
    heads: int = 16
    dropout: float = 0.1
    encoder: str = "isab"
    encoder_layers: int = 5
    inducing: int = 50
    pma_features: int = 10
    encoder_feed_forward: int = 0
    decoder_layers: int = 8
    decoder_feed_forward: int = 512

    def __post_init__(self):
        if self.encoder not in ("isab", "inducing"):
            raise ValueError(f"model.encoder is {self.encoder!r}; expected 'isab' or 'inducing'")


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
            self.mixes = nn.ModuleList(SAB(*block) for _ in range(config.encoder_layers))
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
            return self.pma(x)  # (B, 10, W)
        z = self.inducing.to(x.dtype).expand(len(x), -1, -1)
        for read, mix in zip(self.reads, self.mixes, strict=True):
            z = mix(read(z, x))  # (B, inducing, W)
        return z


class DecoderLayer(nn.Module):
    """Post-norm Transformer decoder layer with an explicit key–value cache."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.self_attention = Multihead(config.width, config.heads)
        self.cross_attention = Multihead(config.width, config.heads)
        self.feed_forward = feed_forward(config.width, config.decoder_feed_forward)
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(3))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x, own, memory, mask=None):
        """x (B, L, W); ``own`` and ``memory`` are key–value pairs."""
        x = self.norms[0](x + self.dropout(self.self_attention(x, own, mask)))
        x = self.norms[1](x + self.dropout(self.cross_attention(x, memory)))
        return self.norms[2](x + self.dropout(self.feed_forward(x)))

    def step(self, x, own, memory):
        """One token per prefix, x (B, K, W); the K prefixes of a set share its ``memory``.

        ``own`` is keys and values (B, K, H, L, E) of earlier tokens, or None; returned with the new
        ones.
        """
        attention = self.self_attention
        query, *new = (
            layer(x).unflatten(-1, (attention.heads, 1, -1))  # (B, K, H, 1, E)
            for layer in (attention.query, attention.key, attention.value)
        )
        own = new if own is None else [torch.cat(pair, 3) for pair in zip(own, new, strict=True)]
        x = self.norms[0](x + attention.out(attend(query, *own).flatten(2)))
        x = self.norms[1](x + self.cross_attention(x, memory))
        return self.norms[2](x + self.feed_forward(x)), own


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
            own = layer.self_attention.keys_and_values(x)
            x = layer(x, own, layer.cross_attention.keys_and_values(z), mask)
        return self.output(x)

    @torch.inference_mode()
    def memory(self, points: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Keys and values of the encoded points for every decoder layer."""
        z = self.encoder(points)
        return [layer.cross_attention.keys_and_values(z) for layer in self.layers]

    @torch.inference_mode()
    def step(self, tokens: Tensor, position: int, state) -> tuple[Tensor, tuple]:
        """Logits (B, K, 60) after one more token (B, K) of each prefix, and the next state.

        ``state`` is ``(memory, cache)``; begin with ``(memory(points), None)``.
        """
        memory, cache = state
        x = self.tokens(tokens) + self.positions.weight[position]  # (B, K, W)
        extended = []
        for i, layer in enumerate(self.layers):
            x, own = layer.step(x, cache and cache[i], memory[i])
            extended.append(own)
        return self.output(x), (memory, extended)


def rows_of_state(state, sets: Tensor, rows: Tensor):
    """The state of :meth:`PIE.step` for ``rows`` (B', K') of ``sets`` (B',)."""
    memory, cache = state
    if len(sets) < len(memory[0][0]):
        memory = [tuple(t[sets] for t in pair) for pair in memory]
    return memory, [tuple(t[sets[:, None], rows] for t in own) for own in cache or []] or None


def parameter_count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def save_weights(model: PIE, folder: Path, dtype: torch.dtype = torch.float16) -> None:
    """Write ``config.json`` and safetensors shards of at most 15 MB."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shards: list[dict[str, Tensor]] = [{}]
    for name, tensor in model.state_dict().items():
        stored = tensor.detach().to("cpu", dtype).contiguous()
        if shards[-1] and sum(t.nbytes for t in (*shards[-1].values(), stored)) > SHARD_BYTES:
            shards.append({})
        shards[-1][name] = stored
    names = [f"weights-{i + 1}-of-{len(shards)}.safetensors" for i in range(len(shards))]
    for name, shard in zip(names, shards, strict=True):
        save_file(shard, folder / f"{name}.tmp")
    for old in folder.glob("weights-*.safetensors"):
        old.unlink()
    for name in names:
        (folder / f"{name}.tmp").replace(folder / name)
    (folder / "config.json").write_text(json.dumps(asdict(model.config), indent=2) + "\n")


def load_weights(folder: Path) -> PIE:
    """A network in evaluation mode, from a folder written by :func:`save_weights`.

    Raises FileNotFoundError if ``config.json`` or a shard is missing, ValueError if a file is
    damaged or the shards do not match ``config.json``.
    """
    folder = Path(folder)
    if not (folder / "config.json").exists():
        raise FileNotFoundError(f"no weights in {folder}: config.json is missing")
    try:
        config = ModelConfig(**json.loads((folder / "config.json").read_text()))
    except (ValueError, TypeError) as error:  # not JSON, or other fields
        raise ValueError(f"{folder / 'config.json'} is damaged: {error}") from None
    model = PIE(config)
    shards = sorted(folder.glob("weights-*-of-*.safetensors"))
    expected = int(shards[0].stem.rsplit("-", 1)[1]) if shards else 1
    if len(shards) != expected:
        raise FileNotFoundError(f"{len(shards)} of {expected} weight shards are in {folder}")
    state: dict[str, Tensor] = {}
    for path in shards:
        try:
            state.update(load_file(path))
        except Exception as error:  # safetensors has an exception type per kind of damage
            raise ValueError(f"{path} is damaged: {error}") from None
    try:
        model.load_state_dict({name: tensor.float() for name, tensor in state.items()})
    except RuntimeError as error:
        raise ValueError(f"weights in {folder} do not fit its config.json: {error}") from None
    return model.eval()


def as_network_input(points: np.ndarray, max_variables: int) -> Tensor:
    """Points (N, D) as (1, N, D_max) float32, zero padded and clamped (Section 3.2)."""
    padded = np.zeros((1, len(points), max_variables), np.float32)
    padded[0, :, : points.shape[1]] = np.clip(points, -HALF_MAX, HALF_MAX)
    return torch.from_numpy(padded)
