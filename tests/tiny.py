"""A network that is small enough to train in a test."""

from pie.network.config import ModelConfig

TINY = ModelConfig(width=32, heads=4, dropout=0.0, encoder="inducing", encoder_layers=1,
                   inducing=8, encoder_feed_forward=32, decoder_layers=1, decoder_feed_forward=32)  # fmt: skip
