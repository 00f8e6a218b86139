"""Algorithm 2: points → beam of skeletons → constants by BFGS → ranked by fitness."""

import time
from dataclasses import dataclass

import numpy as np
import torch

from . import vocabulary
from .beam_search import Hypothesis, beam_search
from .constants import fit
from .expression import Expression
from .fitness import stochastic_copies
from .model import HALF_MAX, PIE, as_network_input

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


@dataclass(frozen=True)
class Candidate:
    """One equation: higher fitness is better; −inf with a reason if it could not be fitted."""

    expression: Expression
    fitness: float
    log_probability: float
    status: str


@dataclass(frozen=True)
class Discovery:
    """Candidates, best first, and the seconds it took."""

    candidates: tuple[Candidate, ...]
    seconds: float

    @property
    def best(self) -> Candidate | None:
        """The fittest candidate; None if no candidate has a finite fitness."""
        first = self.candidates[0] if self.candidates else None
        return first if first and np.isfinite(first.fitness) else None


def check_points(points: np.ndarray, max_variables: int) -> np.ndarray:
    """Points as float64 (N, D), or a ValueError that names what is wrong with them."""
    try:
        points = np.asarray(points, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"points are not numbers: {error}") from None
    if points.ndim != 2:
        raise ValueError(f"points have shape {points.shape}; expected (N, D)")
    n, d = points.shape
    if not 2 <= d <= max_variables:
        raise ValueError(f"points have {d} columns; the network takes 2 to {max_variables}")
    if n < d + 1:
        raise ValueError(f"{n} points in {d} dimensions; expected at least {d + 1}")
    bad = np.argwhere(~np.isfinite(points))
    if len(bad):
        i, j = bad[0]
        raise ValueError(f"point {i}, x{j + 1} is {points[i, j]}; expected finite numbers")
    if np.abs(points).max() > HALF_MAX:
        i, j = np.unravel_index(np.abs(points).argmax(), points.shape)
        raise ValueError(
            f"point {i}, x{j + 1} is {points[i, j]:g}; half precision ends at ±{HALF_MAX:g}, "
            "rescale the column"
        )
    for j in range(d):
        if np.ptp(points[:, j]) == 0.0:
            raise ValueError(f"x{j + 1} is {points[0, j]:g} at every point; leave the column out")
        for k in range(j):
            if np.array_equal(points[:, j], points[:, k]):
                raise ValueError(f"columns x{k + 1} and x{j + 1} are the same; leave one out")
    return points


def skeletons(model: PIE, points: np.ndarray, beam: int) -> list[Hypothesis]:
    """The ``beam`` most probable skeletons for points (N, D), best first."""
    config = model.config
    memory = model.memory(as_network_input(points, config.max_variables))

    def step(tokens, position, cache):
        # the points are encoded once; every beam row looks at the same keys and values
        shared = [tuple(t.expand(len(tokens), -1, -1, -1) for t in pair) for pair in memory]
        logits, cache = model.step(tokens, position, shared, cache)
        return logits.log_softmax(-1), cache

    def reorder(cache, rows):
        return [(k[rows], v[rows]) for k, v in cache]

    changes = torch.from_numpy(vocabulary.slot_changes(points.shape[1]))
    return beam_search(step, reorder, [], vocabulary.START, changes, beam, config.max_tokens)


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
    points = check_points(points, model.config.max_variables)
    began = time.perf_counter()
    hypotheses = skeletons(model, points, config.beam)
    rng = np.random.default_rng(config.seed)
    copies = stochastic_copies(points, rng) if fitness == "cl-fem" else None
    candidates = []
    for hypothesis in hypotheses:
        skeleton = vocabulary.skeleton(hypothesis.tokens)
        result = fit(skeleton, points, copies, config.tau, config.max_iterations)
        candidates.append(
            Candidate(result.expression, result.fitness, hypothesis.log_probability, result.status)
        )
    candidates.sort(key=lambda c: _rank(c, config.resolution))
    return Discovery(tuple(candidates), time.perf_counter() - began)
