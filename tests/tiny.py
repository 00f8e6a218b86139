"""The smallest network and search: small enough to train, and to run hundreds of times."""

from pathlib import Path

from pie.network.config import ModelConfig
from pie.params import read_yaml, record
from pie.search.plus import PlusConfig

_SMOKE = read_yaml(Path(__file__).parent.parent / "configs/smoke.yaml")
SMALLEST = record(PlusConfig, _SMOKE["inference_plus"], "inference_plus")

TINY = ModelConfig(width=32, heads=4, dropout=0.0, encoder="inducing", encoder_layers=1,
                   inducing=8, encoder_feed_forward=32, decoder_layers=1, decoder_feed_forward=32)  # fmt: skip
