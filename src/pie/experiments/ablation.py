"""The ablation of *PIE+*: its search with one part left out at a time."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from ..data.benchmarks import Problem
from ..search.plus import PlusConfig
from ..search.price import Prices
from .evaluation import Row, evaluate
from .methods import Setting

WHOLE = "PIE+"
PAPER_WEIGHTS = "weights of pie"


def parts_of(config: PlusConfig) -> dict[str, PlusConfig]:
    """Settings by name: the full search, and without one proposer or price at a time."""
    found = {WHOLE: config, "network alone": replace(config, proposers=("network",))}
    for part in config.proposers:
        kept = tuple(name for name in config.proposers if name != part)
        found[f"no {part}"] = replace(config, proposers=kept)
    for part in fields(Prices):
        if part.name != "resolution":
            prices = replace(config.prices, **{part.name: 0.0})
            found[f"no price of {part.name}s"] = replace(config, prices=prices)
    return found | {"plain least squares": replace(config, far=float("inf"))}


def ablate(
    setting: Setting,
    problems: Sequence[Problem],
    parts: Sequence[str] = (),
    workers: int = 1,
    folder: Path | None = None,
) -> list[Row]:
    """Rows of *PIE+* with one part left out at a time; ``method`` is the name of that part.

    ``parts`` are names in :func:`parts_of` or :data:`PAPER_WEIGHTS` (the paper's network); none =
    all. ValueError quotes an unknown one. Other arguments are those of
    :func:`pie.experiments.answers.answers`.
    """
    known = parts_of(setting.inference_plus)
    rows = []
    for part in parts or (*known, PAPER_WEIGHTS):
        if part not in known and part != PAPER_WEIGHTS:
            raise ValueError(
                f"unknown part {part!r}; known are {', '.join([*known, PAPER_WEIGHTS])}"
            )
        changed = replace(setting, inference_plus=known.get(part, setting.inference_plus))
        if part == PAPER_WEIGHTS:
            changed = replace(changed, weights_plus=setting.weights)
        found = evaluate(changed, [WHOLE], problems, workers, folder)
        rows += [replace(row, method=part) for row in found]
    return rows
