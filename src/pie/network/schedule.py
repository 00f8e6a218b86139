"""How long, how fast and on how much a network is trained."""

import math
from dataclasses import dataclass


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
    validate_every: int = 0  # steps; 0 = once in K examples
    patience: int = 1  # validations without improvement before stopping
    gradient_clip: float = 0.0  # largest norm; 0 = none
    bfloat16: bool = True  # autocast, where native
    seed: int = 0
    checkpoint_seconds: int = 120
    initial_weights: str = ""  # folder of weights to start from; "" = random
    optimizer: str = "adam"  # or muon, for matrices

    def __post_init__(self):
        if self.optimizer not in ("adam", "muon"):
            raise ValueError(f"optimizer is {self.optimizer!r}; expected 'adam' or 'muon'")
        for name in ("examples", "validation_examples", "batch_size", "max_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least 1")


def learning_rate(config: TrainingConfig, step: int) -> float:
    """Constant as in the paper, or linear warm-up and cosine decay to 0 at max_steps."""
    rate = config.learning_rate
    if config.warmup_steps:
        rate *= min(1.0, (step + 1) / config.warmup_steps)
    if config.cosine_decay:
        rate *= 0.5 * (1.0 + math.cos(math.pi * min(1.0, step / config.max_steps)))
    return rate
