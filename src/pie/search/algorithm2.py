"""Algorithm 2: points → beam of skeletons → constants by BFGS → ranked by fitness.

What goes beyond the paper is in :mod:`pie.search.plus`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..expr import vocabulary
from ..expr.canonical import NoZeroSet, canonical
from ..expr.expression import Expression
from ..fit.constants import fit
from ..fit.fitness import stochastic_copies
from ..network.decoding import Hypothesis, beam_search, sample
from ..network.model import HALF_MAX, PIE, as_network_input, rows_of_state
from .candidates import Candidate, Discovery, check_points

FITNESS_FUNCTIONS = ("cl-fem", "vanilla")


@dataclass(frozen=True)
class InferenceConfig:
    """Inference settings; the defaults are the paper's (Table 4)."""

    beam: int = 64  # N_BS
    tau: float = 1e-4  # tolerance of CL-FEM
    max_iterations: int = 200  # of BFGS
    resolution: float = 1e-12  # mean squares closer than this are equal; 0 = to the last bit
    seed: int = 0

    def __post_init__(self):
        if self.beam < 1:
            raise ValueError(f"inference.beam is {self.beam}; expected at least 1")


def skeletons(
    model: PIE, point_sets: Sequence[np.ndarray], beam: int, samples: int = 0, seed: int = 0
) -> list[list[Hypothesis]]:
    """For each point set (N, D) the most probable skeletons, best first.

    Sets with equally many points are encoded and decoded together.

    Args:
        beam: N_BS; 0 = no beam search.
        samples: skeletons drawn at random in addition; those the beam lacks join it.
        seed: of the samples.
    """
    config = model.config
    found: list[list[Hypothesis]] = [[] for _ in point_sets]
    sizes: dict[int, list[int]] = {}
    for i, points in enumerate(point_sets):
        sizes.setdefault(len(points), []).append(i)

    def step(tokens, position, state):
        logits, state = model.step(tokens, position, state)
        return logits.log_softmax(-1), state

    for members in sizes.values():
        inputs = [as_network_input(point_sets[i], config.max_variables) for i in members]
        state = (model.memory(torch.cat(inputs)), None)
        widths = [point_sets[i].shape[1] for i in members]
        changes = torch.from_numpy(np.stack([vocabulary.slot_changes(d) for d in widths]))
        arguments = (step, rows_of_state, state, vocabulary.START, changes)
        runs = [beam_search(*arguments, beam, config.max_tokens)] if beam else []
        if samples:
            generator = torch.Generator().manual_seed(seed)
            runs.append(sample(*arguments, samples, config.max_tokens, generator))
        for place, i in enumerate(members):
            joined = {h.tokens: h for run in reversed(runs) for h in run[place]}
            found[i] = sorted(joined.values(), key=lambda h: -h.log_probability)
    return found


_GENERIC = (
    [1.234, 0.717, 2.913, 0.389, 1.571, 0.877, 3.307, 0.543, 1.913, 1.117],
    [-1.234, 0.717, -2.913, -0.389, 1.571, -0.877, 3.307, 0.543, -1.913, -1.117],
)


def _zero_set_key(skeleton: Expression) -> tuple:
    """Equal for skeletons with the same canonical form under generic constants of two signs."""
    forms = []
    for generic in _GENERIC:
        constants = [generic[k % 10] * (1 + k // 10) for k in range(len(skeleton.constants))]
        try:
            forms.append(canonical(skeleton.with_constants(constants)).codes)
        except NoZeroSet:
            forms.append(None)
    return tuple(forms) if any(forms) else skeleton.codes


def merged(hypotheses: Sequence[Hypothesis]) -> list[tuple[Expression, float]]:
    """Skeletons with their log-probabilities, duplicates after canonical form left out.

    Of several with the same form and equally many constants the most probable one stays.
    """
    kept: dict[tuple, tuple[Expression, float]] = {}
    for hypothesis in hypotheses:
        skeleton = vocabulary.skeleton(hypothesis.tokens)
        key = (_zero_set_key(skeleton), len(skeleton.constants))
        kept.setdefault(key, (skeleton, hypothesis.log_probability))
    return list(kept.values())


def _rank(candidate: Candidate, resolution: float) -> tuple[float, float]:
    """Fittest first; of two exact fits, which differ by rounding only, the more probable one."""
    error = -candidate.fitness
    if resolution > 0.0 and np.isfinite(error):
        error = np.floor(error / resolution)
    return error, -candidate.log_probability


def discover(
    model: PIE,
    points: np.ndarray,
    fitness: str = "cl-fem",
    config: InferenceConfig = InferenceConfig(),
) -> Discovery:
    """Algorithm 2 with one of the paper's two fitness functions.

    Args:
        model: a pre-trained network.
        points: (N, D), D ≤ D_max.
        fitness: ``cl-fem`` (*PIE*) or ``vanilla`` (*PIE (Vanilla)*).
        config: beam size, tolerance and seed of the stochastic copies.

    Raises:
        ValueError: points or arguments that cannot be used, quoting them.
    """
    if fitness not in FITNESS_FUNCTIONS:
        raise ValueError(f"fitness is {fitness!r}; expected one of {', '.join(FITNESS_FUNCTIONS)}")
    points = check_points(points, model.config.max_variables, HALF_MAX)
    began = time.perf_counter()
    hypotheses = skeletons(model, [points], config.beam)[0]
    rng = np.random.default_rng(config.seed)
    copies = stochastic_copies(points, rng) if fitness == "cl-fem" else None
    candidates = []
    for skeleton, log_probability in merged(hypotheses):
        result = fit(skeleton, points, copies, config.tau, config.max_iterations)
        candidates.append(
            Candidate(result.expression, result.fitness, log_probability, result.status)
        )
    candidates.sort(key=lambda c: _rank(c, config.resolution))
    return Discovery(tuple(candidates), time.perf_counter() - began)
