"""Beam search over well-formed prefixes, for many point sets at a time.

A token is forbidden if the prefix could then not be completed within the maximum length. Tensors
are (B, K): K prefixes for each of B sets; finished sets leave the batch.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

Step = Callable[[Tensor, int, Any], tuple[Tensor, Any]]
Reorder = Callable[[Any, Tensor, Tensor], Any]


class Hypothesis(NamedTuple):
    """A complete prefix (tokens without start and end) and its log-probability."""

    tokens: tuple[int, ...]
    log_probability: float


@torch.inference_mode()
def beam_search(
    step: Step,
    reorder: Reorder,
    state: Any,
    start: int,
    slot_changes: Tensor,
    beam: int,
    max_length: int,
) -> list[list[Hypothesis]]:
    """For each set, the ``beam`` (N_BS) best well-formed prefixes found, most probable first.

    Args:
        step: ``(tokens (B, K), position, state) → (log-probabilities (B, K, V), state)``.
        reorder: ``(state, sets (B',), rows (B', K')) → state`` of these rows of these sets.
        state: initial state for ``step``, one row per set.
        start: start token.
        slot_changes: (B, V), change in the number of open operands per token; > 2 forbids it.
        beam: at least 1, else ValueError.
        max_length: in tokens.
    """
    if beam < 1:
        raise ValueError(f"beam size is {beam}; expected at least 1")
    sets, vocabulary = slot_changes.shape
    complete: list[list[Hypothesis]] = [[] for _ in range(sets)]
    unfinished, changes = torch.arange(sets), slot_changes
    tokens = torch.full((sets, 1), start)
    prefixes = torch.empty(sets, 1, 0, dtype=torch.long)
    scores, open_slots = torch.zeros(sets, 1), torch.ones(sets, 1, dtype=torch.long)

    def bar() -> Tensor:
        """Score to exceed, (B, 1): the worst of a full beam, else −inf."""
        full = (complete[i] if len(complete[i]) == beam else None for i in unfinished.tolist())
        return torch.tensor(
            [[found[-1].log_probability if found else -torch.inf] for found in full]
        )

    for position in range(max_length):
        log_probabilities, state = step(tokens, position, state)
        after = open_slots[..., None] + changes[:, None]  # open operands after it, (B, K, V)
        allowed = (changes[:, None] <= 2) & (after <= max_length - position - 1)
        total = (scores[..., None] + log_probabilities).where(allowed, -torch.inf).flatten(1)
        best, flat = total.topk(min(2 * beam, total.shape[1]), dim=1)
        rows, tokens = flat // vocabulary, flat % vocabulary
        after = after.flatten(1).gather(1, flat)
        ends = (after == 0) & (best > bar())
        for b, i in enumerate(unfinished.tolist()):
            m = torch.nonzero(ends[b])[:, 0]
            ended = torch.cat([prefixes[b, rows[b, m]], tokens[b, m, None]], 1).tolist()
            found = map(Hypothesis, map(tuple, ended), best[b, m].tolist())
            ranked = sorted([*complete[i], *found], key=lambda h: -h.log_probability)
            complete[i] = ranked[:beam]
        keep = (after > 0) & (best > bar())
        keep &= keep.cumsum(1) <= beam
        left = torch.nonzero(keep.any(1))[:, 0]
        if len(left) == 0:
            break
        places = torch.argsort(~keep[left], dim=1, stable=True)[:, : int(keep.sum(1).max())]
        rows, tokens, open_slots, scores, kept = (
            values[left].gather(1, places) for values in (rows, tokens, after, best, keep)
        )
        scores = scores.where(kept, -torch.inf)
        prefixes = torch.cat([prefixes[left[:, None], rows], tokens[..., None]], 2)
        unfinished, changes = unfinished[left], changes[left]
        state = reorder(state, left, rows)
    return complete
