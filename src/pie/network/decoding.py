"""Decoding that only emits well-formed prefixes: beam search and sampling, many sets at a time.

A prefix is complete when no operand is open; a token after which it could not be completed
within the length allowed is never taken, so every hypothesis is a tree. Rows are arranged as
(B, K): K prefixes for each of B sets; a set that is finished leaves the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Step = Callable[[Tensor, int, Any], tuple[Tensor, Any]]
Reorder = Callable[[Any, Tensor, Tensor], Any]


@dataclass(frozen=True)
class Hypothesis:
    """A complete prefix (tokens without start and end) and its log-probability."""

    tokens: tuple[int, ...]
    log_probability: float


class _Rows:
    """Unfinished prefixes of the sets that are still in the batch."""

    def __init__(self, slot_changes: Tensor, start: int, max_length: int):
        sets = len(slot_changes)
        self.sets = torch.arange(sets)  # which set each batch row belongs to
        self.changes = slot_changes  # (B, V)
        self.tokens = torch.full((sets, 1), start)
        self.prefixes = torch.empty(sets, 1, 0, dtype=torch.long)
        self.scores = torch.zeros(sets, 1)
        self.open_slots = torch.ones(sets, 1, dtype=torch.long)
        self.max_length = max_length

    def allowed(self) -> tuple[Tensor, Tensor]:
        """Open operands after each token (B, K, V), and whether the token may be taken."""
        after = self.open_slots[..., None] + self.changes[:, None]
        left = self.max_length - self.prefixes.shape[2] - 1
        return after, (self.changes[:, None] <= 2) & (after <= left)

    def continue_with(self, keep: Tensor, rows: Tensor, chosen: Tensor, after: Tensor, scores):
        """Keep the continuations marked in ``keep`` (B, M), padded; what ``reorder`` needs.

        Returns:
            batch rows (B',) and rows (B', K') of the state; None if nothing is left.
        """
        counts = keep.sum(1)
        sets = torch.nonzero(counts)[:, 0]
        if len(sets) == 0:
            return None
        places = torch.argsort(~keep[sets], dim=1, stable=True)[:, : int(counts.max())]
        kept = keep[sets].gather(1, places)

        def pick(values):
            return values[sets].gather(1, places)

        rows = pick(rows)
        self.tokens, self.open_slots = pick(chosen), pick(after)
        self.scores = torch.where(kept, pick(scores), -torch.inf)
        before = self.prefixes[sets[:, None], rows]
        self.prefixes = torch.cat([before, self.tokens[..., None]], 2)
        self.sets, self.changes = self.sets[sets], self.changes[sets]
        return sets, rows


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
    """For each set, the ``beam`` most probable well-formed prefixes, best first.

    Args:
        step: ``(tokens (B, K), position, state) → (log-probabilities (B, K, V), state)``.
        reorder: ``(state, sets (B',), rows (B', K')) → state`` of these rows of these sets.
        state: what ``step`` takes first, for B sets with one row each.
        start: the start token.
        slot_changes: (B, V) change of open operands per token; above 2 = never emitted.
        beam: N_BS, at least 1.
        max_length: tokens at most.
    """
    if beam < 1:
        raise ValueError(f"beam size is {beam}; expected at least 1")
    rows_of = _Rows(slot_changes, start, max_length)
    complete: list[list[Hypothesis]] = [[] for _ in slot_changes]
    for position in range(max_length):
        log_probabilities, state = step(rows_of.tokens, position, state)
        after, allowed = rows_of.allowed()
        total = rows_of.scores[..., None] + log_probabilities
        total = torch.where(allowed, total, -torch.inf).flatten(1)
        best, flat = total.topk(min(2 * beam, total.shape[1]), dim=1)
        vocabulary = slot_changes.shape[1]
        rows, chosen = flat // vocabulary, flat % vocabulary
        after = after.flatten(1).gather(1, flat)
        bar = torch.full((len(best), 1), -torch.inf)
        for b, i in enumerate(rows_of.sets.tolist()):
            if len(complete[i]) == beam:
                bar[b] = complete[i][-1].log_probability
        ends = (after == 0) & (best > bar)
        for b, i in enumerate(rows_of.sets.tolist()):
            m = torch.nonzero(ends[b])[:, 0]
            prefixes = torch.cat([rows_of.prefixes[b, rows[b, m]], chosen[b, m, None]], 1)
            found = zip(prefixes.tolist(), best[b, m].tolist(), strict=True)
            complete[i] += [Hypothesis(tuple(prefix), score) for prefix, score in found]
            complete[i] = sorted(complete[i], key=lambda h: -h.log_probability)[:beam]
            if len(complete[i]) == beam:
                bar[b] = complete[i][-1].log_probability
        keep = (after > 0) & (best > bar)
        keep &= keep.cumsum(1) <= beam
        kept = rows_of.continue_with(keep, rows, chosen, after, best)
        if kept is None:
            break
        state = reorder(state, *kept)
    return complete


@torch.inference_mode()
def sample(
    step: Step,
    reorder: Reorder,
    state: Any,
    start: int,
    slot_changes: Tensor,
    samples: int,
    max_length: int,
    generator: torch.Generator,
    temperature: float = 1.0,
) -> list[list[Hypothesis]]:
    """For each set, the different prefixes among ``samples`` random ones, most probable first.

    Arguments as in :func:`beam_search`; ``temperature`` divides the log-probabilities that are
    drawn from, not the ones that are returned.
    """
    if samples < 1:
        raise ValueError(f"number of samples is {samples}; expected at least 1")
    if not temperature > 0.0:
        raise ValueError(f"temperature is {temperature}; expected a positive number")
    rows_of = _Rows(slot_changes, start, max_length)
    complete: list[dict[tuple[int, ...], float]] = [{} for _ in slot_changes]
    sets = len(slot_changes)
    first = torch.zeros(sets, samples, dtype=torch.long)
    state = reorder(state, torch.arange(sets), first)
    rows_of.tokens = rows_of.tokens.expand(-1, samples)
    rows_of.prefixes = rows_of.prefixes.expand(-1, samples, -1)
    rows_of.scores, rows_of.open_slots = (
        t.expand(-1, samples) for t in (rows_of.scores, rows_of.open_slots)
    )
    for position in range(max_length):
        log_probabilities, state = step(rows_of.tokens, position, state)
        after, allowed = rows_of.allowed()
        alive = rows_of.scores > -torch.inf
        weights = torch.where(allowed, log_probabilities / temperature, -torch.inf).softmax(-1)
        flat = torch.multinomial(weights.flatten(0, 1), 1, generator=generator)
        chosen = flat.view(alive.shape)
        picked = log_probabilities.gather(2, chosen[..., None])[..., 0]
        scores = rows_of.scores + picked
        after = after.gather(2, chosen[..., None])[..., 0]
        ends = (after == 0) & alive
        for b, i in enumerate(rows_of.sets.tolist()):
            m = torch.nonzero(ends[b])[:, 0]
            prefixes = torch.cat([rows_of.prefixes[b, m], chosen[b, m, None]], 1)
            complete[i] |= zip(map(tuple, prefixes.tolist()), scores[b, m].tolist(), strict=True)
        rows = torch.arange(alive.shape[1]).expand_as(alive)
        kept = rows_of.continue_with(alive & ~ends, rows, chosen, after, scores)
        if kept is None:
            break
        state = reorder(state, *kept)
    return [
        sorted((Hypothesis(t, p) for t, p in found.items()), key=lambda h: -h.log_probability)
        for found in complete
    ]
