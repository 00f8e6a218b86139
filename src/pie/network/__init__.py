"""The set-to-sequence Transformer: layers, decoding, pre-training, weights."""
