"""Sizes of a network, and its files: what training and inference share."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from ..params import record
from ..zeroset.roots import HALF_MAX

BITS = 16


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


def read_weights(folder: Path) -> tuple[ModelConfig, dict[str, np.ndarray]]:
    """Sizes and float32 weights by name, from a folder written by ``save_weights``.

    Raises FileNotFoundError if ``config.json`` or a shard is missing, ValueError if a file is
    damaged.
    """
    folder = Path(folder)
    if not (folder / "config.json").exists():
        raise FileNotFoundError(f"no weights in {folder}: config.json is missing")
    try:
        config = record(ModelConfig, json.loads((folder / "config.json").read_text()), "config")
    except ValueError as error:  # not JSON, or other fields
        raise ValueError(f"{folder / 'config.json'} is damaged: {error}") from None
    shards = sorted(folder.glob("weights-*-of-*.safetensors"))
    expected = int(shards[0].stem.rsplit("-", 1)[1]) if shards else 1
    if len(shards) != expected:
        raise FileNotFoundError(f"{len(shards)} of {expected} weight shards are in {folder}")
    weights: dict[str, np.ndarray] = {}
    for path in shards:
        try:
            weights |= load_file(path)
        except Exception as error:  # safetensors has an exception type per kind of damage
            raise ValueError(f"{path} is damaged: {error}") from None
    return config, {name: values.astype(np.float32) for name, values in weights.items()}


def padded(points: np.ndarray, max_variables: int) -> np.ndarray:
    """Points (N, D) as (1, N, D_max) float32, zero padded and clamped (Section 3.2)."""
    found = np.zeros((1, len(points), max_variables), np.float32)
    found[0, :, : points.shape[1]] = np.clip(points, -HALF_MAX, HALF_MAX)
    return found
