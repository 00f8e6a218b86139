r"""The pre-trained network in NumPy, for inference: a search needs no PyTorch.

The same function as :class:`pie.network.model.PIE` in evaluation mode, in single precision (a test
compares them), one token at a time with cached keys and values.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .config import BITS, HALF_MAX, ModelConfig, read_weights

Pair = tuple[np.ndarray, np.ndarray]  # keys and values


def half_bits(points: np.ndarray) -> np.ndarray:
    """IEEE-754 half-precision bits as ±1, sign first: (…, D) → (…, 16·D); clamped to ±65504."""
    half = np.clip(points, -HALF_MAX, HALF_MAX).astype(np.float16)
    bits = (half.view(np.uint16)[..., None] >> np.arange(BITS - 1, -1, -1, dtype=np.uint16)) & 1
    return (2.0 * bits.astype(np.float32) - 1.0).reshape(*points.shape[:-1], -1)


def attend(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Scaled dot-product attention, (…, Lq, E)."""
    scores = (query @ key.swapaxes(-1, -2)) * np.float32(1.0 / math.sqrt(query.shape[-1]))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (scores / scores.sum(axis=-1, keepdims=True)) @ value


@dataclass(frozen=True)
class Network:
    """p(next token | prefix, points), from weights by the names that they have in PyTorch."""

    config: ModelConfig
    weights: dict[str, np.ndarray]

    @classmethod
    def load(cls, folder: Path) -> "Network":
        """The network of a folder; errors of :func:`~pie.network.config.read_weights`.

        ValueError if the weights are not of the sizes of ``config.json``.
        """
        network = cls(*read_weights(folder))
        used: dict[str, np.ndarray] = _Used(network.weights)
        try:
            trial = cls(network.config, used)
            memory = trial.memory(np.zeros((1, 2, network.config.max_variables), np.float32))
            logits, _ = trial.step(np.ones((1, 1), int), network.config.max_tokens, (memory, None))
            rows = {"tokens": logits.shape[-1], "positions": network.config.max_tokens + 1}
            for name, n in rows.items():
                if (shape := trial.weights[f"{name}.weight"].shape) != (n, network.config.width):
                    raise ValueError(f"{name} are {shape}; expected {n, network.config.width}")
        except (KeyError, ValueError, IndexError) as error:
            raise ValueError(f"weights in {folder} do not fit its config.json: {error}") from None
        if left := sorted(set(network.weights) - used.names):
            raise ValueError(f"weights in {folder} do not fit its config.json: {left[0]} is left")
        return network

    @classmethod
    def of(cls, model) -> "Network":
        """Of a network in PyTorch."""
        state = model.state_dict().items()
        return cls(model.config, {name: values.float().cpu().numpy() for name, values in state})

    def memory(self, points: np.ndarray) -> list[Pair]:
        """Keys and values of the encoded points (B, N, D_max) for every decoder layer."""
        z = self._encoded(points)
        layers = range(self.config.decoder_layers)
        return [self._keys_and_values(f"layers.{i}.cross_attention", z) for i in layers]

    def step(self, tokens: np.ndarray, position: int, state) -> tuple[np.ndarray, tuple]:
        """Logits (B, K, 60) after one more token (B, K) of each prefix, and the next state.

        ``state`` is ``(memory, cache)``; begin with ``(memory(points), None)``. The K prefixes of a
        set share its memory; the cache holds keys and values (B, K, H, L, E) of earlier tokens.
        """
        memory, cache = state
        x = self.weights["tokens.weight"][tokens] + self.weights["positions.weight"][position]
        extended = []
        for i in range(self.config.decoder_layers):
            name = f"layers.{i}"
            parts = (self._linear(f"{name}.self_attention.{part}", x) for part in _PROJECTIONS)
            query, *new = (p.reshape(*x.shape[:2], self.config.heads, 1, -1) for p in parts)
            if cache is not None:
                new = [np.concatenate(pair, 3) for pair in zip(cache[i], new, strict=True)]
            extended.append(new)
            mixed = attend(query, *new).reshape(x.shape)
            x = self._norm(f"{name}.norms.0", x + self._linear(f"{name}.self_attention.out", mixed))
            other = self._multihead(f"{name}.cross_attention", x, memory[i])
            x = self._norm(f"{name}.norms.1", x + other)
            x = self._norm(f"{name}.norms.2", x + self._feed_forward(f"{name}.feed_forward", x))
        return self._linear("output", x), (memory, extended)

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        weight = self.weights[f"{name}.weight"]
        flat = x.reshape(-1, x.shape[-1]) @ weight.T + self.weights[f"{name}.bias"]
        return flat.reshape(*x.shape[:-1], len(weight))

    def _norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        size = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        return centred / size * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _feed_forward(self, name: str, x: np.ndarray) -> np.ndarray:
        """rFF of :mod:`pie.network.set_transformer`: one layer and ReLU, or two layers."""
        hidden = np.maximum(self._linear(f"{name}.0", x), 0.0)
        return self._linear(f"{name}.2", hidden) if f"{name}.2.weight" in self.weights else hidden

    def _split(self, x: np.ndarray) -> np.ndarray:
        """(B, L, W) → (B, heads, L, W / heads)."""
        return x.reshape(*x.shape[:2], self.config.heads, -1).swapaxes(1, 2)

    def _keys_and_values(self, name: str, y: np.ndarray) -> Pair:
        key, value = (self._split(self._linear(f"{name}.{part}", y)) for part in _PROJECTIONS[1:])
        return key, value

    def _multihead(self, name: str, x: np.ndarray, pair: Pair) -> np.ndarray:
        mixed = attend(self._split(self._linear(f"{name}.query", x)), *pair)
        mixed = mixed.swapaxes(1, 2).reshape(*x.shape)
        return self._linear(f"{name}.out", mixed) if f"{name}.out.weight" in self.weights else mixed

    def _mab(self, name: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Multihead Attention Block: X attends to Y."""
        pair = self._keys_and_values(f"{name}.attention", y)
        mixed = self._multihead(f"{name}.attention", x, pair)
        h = self._norm(f"{name}.norm_attention", x + mixed)
        return self._norm(f"{name}.norm_rff", h + self._feed_forward(f"{name}.rff", h))

    def _learned(self, name: str, sets: int, size: int) -> np.ndarray:
        return np.broadcast_to(self.weights[name], (sets, size, self.config.width))

    def _encoded(self, points: np.ndarray) -> np.ndarray:
        """Points (B, N, D_max) → latent set (B, k, W)."""
        x = self._feed_forward("encoder.embed", half_bits(points))
        layers, size = range(self.config.encoder_layers), self.config.inducing
        if self.config.encoder == "inducing":
            z = self._learned("encoder.inducing", len(x), size)
            for i in layers:
                z = self._mab(f"encoder.reads.{i}", z, x)
                z = self._mab(f"encoder.mixes.{i}", z, z)
            return z
        for i in layers:
            name = f"encoder.isabs.{i}"
            read = self._mab(f"{name}.read", self._learned(f"{name}.inducing", len(x), size), x)
            x = self._mab(f"{name}.write", x, read)
        seeds = self._learned("encoder.pma.seeds", len(x), self.config.pma_features)
        return self._mab("encoder.pma.mab", seeds, self._feed_forward("encoder.pma.rff", x))


_PROJECTIONS = ("query", "key", "value")


class _Used(dict):
    """Weights that remember which of them were used."""

    def __init__(self, weights: dict[str, np.ndarray]):
        super().__init__(weights)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> np.ndarray:
        self.names.add(name)
        return super().__getitem__(name)


def rows_of_state(state, sets: np.ndarray, rows: np.ndarray):
    """The state of :meth:`Network.step` for ``rows`` (B', K') of ``sets`` (B',)."""
    memory, cache = state
    if len(sets) < len(memory[0][0]):
        memory = [tuple(values[sets] for values in pair) for pair in memory]
    return memory, [tuple(v[sets[:, None], rows] for v in own) for own in cache or []] or None
