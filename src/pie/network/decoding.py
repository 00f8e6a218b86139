"""Beam search over well-formed prefixes, for many point sets at a time.

A token is forbidden if the prefix could then not be completed within the maximum length. Arrays
are (B, K): K prefixes for each of B sets; finished sets leave the batch.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..expr.vocabulary import START


class Hypothesis(NamedTuple):
    """A complete prefix (tokens without start and end) and its log-probability."""

    tokens: tuple[int, ...]
    log_probability: float


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Along the last axis, in double precision."""
    shifted = logits - logits.max(axis=-1, keepdims=True).astype(float)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def beam_search(
    step: Callable[[np.ndarray, int, Any], tuple[np.ndarray, Any]],
    reorder: Callable[[Any, np.ndarray, np.ndarray], Any],
    state: Any,
    slot_changes: np.ndarray,
    beam: int,
    max_length: int,
) -> list[list[Hypothesis]]:
    """For each set, the ``beam`` (N_BS) best well-formed prefixes found, most probable first.

    Args:
        step: ``(tokens (B, K), position, state) → (log-probabilities (B, K, V), state)``.
        reorder: ``(state, sets (B',), rows (B', K')) → state`` of these rows of these sets.
        state: initial state for ``step``, one row per set.
        slot_changes: (B, V), change in the number of open operands per token; > 2 forbids it.
        beam: at least 1, else ValueError.
        max_length: in tokens.
    """
    if beam < 1:
        raise ValueError(f"beam size is {beam}; expected at least 1")
    sets, vocabulary = slot_changes.shape
    complete: list[list[Hypothesis]] = [[] for _ in range(sets)]
    unfinished, changes = np.arange(sets), slot_changes
    tokens = np.full((sets, 1), START)
    prefixes = np.empty((sets, 1, 0), int)
    scores, open_slots = np.zeros((sets, 1)), np.ones((sets, 1), int)

    def bar() -> np.ndarray:
        """Score to exceed, (B, 1): the worst of a full beam, else −inf."""
        full = (complete[i] if len(complete[i]) == beam else None for i in unfinished)
        return np.array([[found[-1].log_probability if found else -np.inf] for found in full])

    for position in range(max_length):
        log_probabilities, state = step(tokens, position, state)
        after = open_slots[..., None] + changes[:, None]  # open operands after it, (B, K, V)
        allowed = (changes[:, None] <= 2) & (after <= max_length - position - 1)
        total = np.where(allowed, scores[..., None] + log_probabilities, -np.inf)
        total = total.reshape(len(total), -1)
        flat = np.argsort(-total, axis=1, kind="stable")[:, : 2 * beam]
        best = np.take_along_axis(total, flat, 1)
        rows, tokens = flat // vocabulary, flat % vocabulary
        after = np.take_along_axis(after.reshape(len(total), -1), flat, 1)
        ends = (after == 0) & (best > bar())
        for b, i in enumerate(unfinished):
            m = np.flatnonzero(ends[b])
            ended = np.column_stack([prefixes[b, rows[b, m]], tokens[b, m]]).tolist()
            found = map(Hypothesis, map(tuple, ended), best[b, m].tolist())
            ranked = sorted([*complete[i], *found], key=lambda h: -h.log_probability)
            complete[i] = ranked[:beam]
        keep = (after > 0) & (best > bar())
        keep &= keep.cumsum(axis=1) <= beam
        left = np.flatnonzero(keep.any(axis=1))
        if len(left) == 0:
            break
        most = int(keep.sum(axis=1).max())
        places = np.argsort(~keep[left], axis=1, kind="stable")[:, :most]
        rows, tokens, open_slots, scores, kept = (
            np.take_along_axis(values[left], places, 1)
            for values in (rows, tokens, after, best, keep)
        )
        scores = np.where(kept, scores, -np.inf)
        prefixes = np.concatenate([prefixes[left[:, None], rows], tokens[..., None]], axis=2)
        unfinished, changes = unfinished[left], changes[left]
        state = reorder(state, left, rows)
    return complete
