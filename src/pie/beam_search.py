"""Beam search that only emits well-formed prefixes, over any next-token log-probability."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Step = Callable[[Tensor, int, Any], tuple[Tensor, Any]]
Reorder = Callable[[Any, Tensor], Any]


@dataclass(frozen=True)
class Hypothesis:
    """A complete prefix (tokens without start and end) and its log-probability."""

    tokens: tuple[int, ...]
    log_probability: float


def beam_search(
    step: Step,
    reorder: Reorder,
    state: Any,
    start: int,
    slot_changes: Tensor,
    beam: int,
    max_length: int,
) -> list[Hypothesis]:
    """The ``beam`` most probable well-formed prefixes, best first.

    A prefix is complete when no operand is open; a token that could not be completed
    within ``max_length`` is never taken, so every hypothesis is a tree.

    Args:
        step: ``(tokens (b,), position, state) → (log-probabilities (b, V), state)``.
        reorder: keeps the rows (b',) of a state.
        state: what ``step`` takes first, for one row.
        start: the start token.
        slot_changes: (V,) change of open operands per token; above 2 = never emitted.
        beam: N_BS, at least 1.
        max_length: tokens at most.

    Returns:
        At most ``beam`` hypotheses.
    """
    if beam < 1:
        raise ValueError(f"beam size {beam}; expected at least 1")
    vocabulary = len(slot_changes)
    never = slot_changes > 2
    prefixes = torch.empty(1, 0, dtype=torch.long)
    tokens = torch.tensor([start])
    scores = torch.zeros(1)
    open_slots = torch.ones(1, dtype=torch.long)
    complete: list[Hypothesis] = []
    for position in range(max_length):
        log_probabilities, state = step(tokens, position, state)
        after = open_slots[:, None] + slot_changes[None]  # (b, V)
        total = scores[:, None] + log_probabilities
        total[never.expand_as(after) | (after > max_length - position - 1)] = -torch.inf
        best, flat = total.flatten().topk(min(2 * beam, total.numel()))
        alive = best > -torch.inf
        best, flat = best[alive], flat[alive]
        rows, chosen = flat // vocabulary, flat % vocabulary
        ends = after[rows, chosen] == 0
        for i in torch.nonzero(ends)[:, 0].tolist():
            prefix = (*prefixes[rows[i]].tolist(), int(chosen[i]))
            complete.append(Hypothesis(prefix, float(best[i])))
        complete = sorted(complete, key=lambda h: -h.log_probability)[:beam]
        keep = torch.nonzero(~ends)[:beam, 0]
        if len(complete) == beam:
            keep = keep[best[keep] > complete[-1].log_probability]
        if len(keep) == 0:
            break
        rows, tokens, scores = rows[keep], chosen[keep], best[keep]
        prefixes = torch.cat([prefixes[rows], tokens[:, None]], 1)
        open_slots = after[rows, tokens]
        state = reorder(state, rows)
    return complete
