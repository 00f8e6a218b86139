"""Skeletons from the network: a beam of them (Algorithm 2, line 2)."""

import functools
from collections.abc import Iterator, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from ...expr import vocabulary
from ...expr.canonical import NoZeroSet, canonical
from ...expr.expression import Expression
from ...expr.operators import CONSTANT
from ...network.config import padded
from ...network.decoding import Hypothesis, beam_search, log_softmax
from ...network.inference import Network, rows_of_state
from ..cloud import Cloud
from ..pool import Batch, Draft, Effort, Pool

# distinct constants of ordinary size, all positive and of both signs
_GENERIC = (
    [1.234, 0.717, 2.913, 0.389, 1.571, 0.877, 3.307, 0.543, 1.913, 1.117],
    [-1.234, 0.717, -2.913, -0.389, 1.571, -0.877, 3.307, 0.543, -1.913, -1.117],
)


def skeletons(model: Network, points: np.ndarray, beam: int) -> list[Hypothesis]:
    """The ``beam`` most probable skeletons of points (N, D), best first.

    One thread multiplies matrices, so that sums have one order.
    """
    config, changes = model.config, vocabulary.slot_changes(points.shape[1])

    def step(tokens, position, state):
        logits, state = model.step(tokens, position, state)
        return log_softmax(logits), state

    with threadpool_limits(1, user_api="blas"):
        state = (model.memory(padded(points, config.max_variables)), None)
        (found,) = beam_search(step, rows_of_state, state, changes[None], beam, config.max_tokens)
    return found


@functools.lru_cache(maxsize=2**14)
def _zero_set_key(codes: tuple[int, ...]) -> tuple:
    """Equal for skeletons with one canonical form under generic constants of two sign patterns."""
    forms = []
    for generic in _GENERIC:
        constants = (generic[k % 10] * (1 + k // 10) for k in range(codes.count(CONSTANT)))
        try:
            forms.append(canonical(Expression(codes, tuple(constants))).codes)
        except NoZeroSet:
            forms.append(None)
    return tuple(forms) if any(forms) else codes


def merged(hypotheses: Sequence[Hypothesis]) -> list[tuple[Expression, float]]:
    """Skeletons with their log-probabilities, without duplicates.

    Of those with one canonical form and equally many constants, the most probable stays.
    """
    kept: dict[tuple, tuple[Expression, float]] = {}
    for hypothesis in hypotheses:
        skeleton = vocabulary.skeleton(hypothesis.tokens)
        key = (_zero_set_key(skeleton.codes), len(skeleton.constants))
        kept.setdefault(key, (skeleton, hypothesis.log_probability))
    return list(kept.values())


def network(model: Network, beam: int, effort: Effort, cloud: Cloud, pool: Pool) -> Iterator[Batch]:
    """The proposer."""
    if cloud.n_variables > model.config.max_variables:
        return
    found = merged(skeletons(model, cloud.points, beam))
    yield Batch([Draft(skeleton, "network", p) for skeleton, p in found], effort)
