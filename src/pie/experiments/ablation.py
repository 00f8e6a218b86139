"""What each choice of *PIE+* is worth on the validation split: the search, one thing changed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..data.benchmarks import Problem
from .evaluation import Row, evaluate
from .methods import Setting

PARTS = {
    "PIE+": {},
    "one view: as given or scaled": {"views": ("as_given",)},
    "beam 32": {"beam": 32},
    "beam 32 and 96 samples": {"beam": 32, "samples": 96},
    "8 starts of the constants": {"starts": 8},
    "plain least squares": {"far": float("inf")},
    "no completion before refinement": {"degree": 0},
    "no dictionaries": {"dictionaries": False},
    "no composites": {"composites": False},
    "no level sets": {"level_sets": False},
    "no refinement": {"rounds": 0},
    "neither": {"degree": 0, "rounds": 0},
    "refinement up to 40 tokens": {"longest": 40},
    "3000 fits": {"fits": 3000},
    "complexity has no price": {"constant_cost": 0.0, "token_cost": 0.0},
    "whole numbers have a price": {"whole_numbers": False},
    "close sheets have no price": {"sheet_cost": 0.0},
    "zeros elsewhere have no price": {"crossing_cost": 0.0},
    "no single branches": {"branch_cost": float("inf")},
    "coordinate planes are not set aside": {"planes": False},
}
PAPER_WEIGHTS = "weights of pie"


def ablate(
    setting: Setting,
    problems: Sequence[Problem],
    parts: Sequence[str] = (*PARTS, PAPER_WEIGHTS),
    workers: int = 1,
    folder: Path | None = None,
) -> list[Row]:
    """Rows of *PIE+* with one thing changed at a time; ``method`` names the change.

    Args:
        setting: weights and settings.
        problems: of the validation split (:mod:`pie.data.validation`).
        parts: names in :data:`PARTS`, or :data:`PAPER_WEIGHTS` for the network of the paper's way.
        workers: processes.
        folder: receives a journal per part; a run that was cut goes on from there.

    Raises:
        ValueError: an unknown part, quoted.
    """
    rows = []
    for part in parts:
        if part not in PARTS and part != PAPER_WEIGHTS:
            known = ", ".join([*PARTS, PAPER_WEIGHTS])
            raise ValueError(f"unknown part {part!r}; known are {known}")
        changed = replace(
            setting, inference_plus=replace(setting.inference_plus, **PARTS.get(part, {}))
        )
        if part == PAPER_WEIGHTS:
            changed = replace(changed, weights_plus=setting.weights)
        found = evaluate(changed, ["PIE+"], problems, workers, folder)
        rows += [replace(row, method=part) for row in found]
    return rows
