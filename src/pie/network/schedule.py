"""How long, how fast and on how much a network is trained."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TrainingConfig:
    """Training settings; the defaults are the paper's (Table 4, Appendix B)."""

    examples: int = 1_000_000  # K
    validation_examples: int = 10_000
    batch_size: int = 64
    learning_rate: float = 1e-4
    warmup_steps: int = 0
    cosine_decay: bool = False  # to 0 at max_steps
    max_steps: int = 1_000_000
    validate_every: int = 0  # steps; 0 = once per epoch
    patience: int = 1  # validations without improvement before stopping
    gradient_clip: float = 0.0  # largest norm; 0 = none
    bfloat16: bool = True  # autocast, where native
    seed: int = 0
    checkpoint_seconds: int = 120
    initial_weights: str = ""  # folder of weights to start from; "" = random
    optimizer: str = "adam"  # or muon, for matrices
    early_points: int = 0  # of each cloud that the steps before ``all_points`` take; 0 = all
    all_points: float = 0.75  # share of max_steps from which on steps take all points

    def __post_init__(self):
        if self.optimizer not in ("adam", "muon"):
            raise ValueError(f"optimizer is {self.optimizer!r}; expected 'adam' or 'muon'")


def learning_rate(config: TrainingConfig, step: int) -> float:
    """Constant as in the paper, or linear warm-up and cosine decay to 0 at max_steps."""
    rate = config.learning_rate
    if config.warmup_steps:
        rate *= min(1.0, (step + 1) / config.warmup_steps)
    if config.cosine_decay:
        rate *= 0.5 * (1.0 + math.cos(math.pi * min(1.0, step / config.max_steps)))
    return rate


def chosen_points(config: TrainingConfig, step: int, n_points: int) -> np.ndarray | slice:
    """Which points of its clouds a step takes, by (seed, step): a few cost less, and teach nearly as
    much (Figure 5 b); the last steps take all.
    """
    few = config.early_points
    if not few or few >= n_points or step >= config.all_points * config.max_steps:
        return slice(None)
    return np.random.default_rng([config.seed, 2, step]).choice(n_points, few, replace=False)
