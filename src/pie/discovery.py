"""Points → skeletons → constants → ranked equations: Algorithm 2 (*PIE*), and *PIE+* beside it.

*PIE* follows the paper: beam 64, BFGS without restarts, ranked by the fitness. *PIE+* takes a
wider beam, fits Sampson residuals from several starts and ranks by contrast.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from . import vocabulary
from .beam_search import Hypothesis, beam_search, sample
from .canonical import NoZeroSet, canonical
from .constants import fit, fit_sampson
from .expression import Expression
from .fitness import stochastic_copies
from .model import HALF_MAX, PIE, as_network_input, rows_of_state

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
class PlusConfig:
    """Settings of *PIE+*."""

    beam: int = 256
    samples: int = 0  # skeletons drawn at random beside the beam
    starts: int = 48  # constants screened per skeleton
    max_iterations: int = 40  # of each descent
    resolution: float = 1e-9  # contrasts below this are equal: exact fits
    seed: int = 0

    def __post_init__(self):
        for name in ("beam", "samples"):
            if getattr(self, name) < 0:
                raise ValueError(f"inference_plus.{name} is {getattr(self, name)}; expected ≥ 0")
        if self.beam + self.samples < 1:
            raise ValueError("inference_plus.beam and .samples are both 0; nothing to decode")
        if self.starts < 1:
            raise ValueError(f"inference_plus.starts is {self.starts}; expected at least 1")


@dataclass(frozen=True)
class Candidate:
    """One equation: higher fitness is better; −inf with a reason if it could not be fitted.

    ``error`` and ``contrast`` are those of :class:`pie.constants.Fit`, for *PIE+* only.
    """

    expression: Expression
    fitness: float
    log_probability: float
    status: str
    error: float = np.nan
    contrast: float = np.nan


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
    points = check_points(points, model.config.max_variables)
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


def _rank_plus(candidate: Candidate, resolution: float) -> tuple:
    """Usable ones first, then small contrast; of two exact fits the one with fewer constants."""
    if not np.isfinite(candidate.fitness):
        return (1, 0.0, 0, -candidate.log_probability)
    constants = len(candidate.expression.constants)
    return (0, max(candidate.contrast, resolution), constants, -candidate.log_probability)


def discover_plus(
    model: PIE, points: np.ndarray, config: PlusConfig = PlusConfig(), workers: int = 1
) -> Discovery:
    """*PIE+*: a wide beam, Sampson fits from several starts with guards, ranked by contrast.

    Args:
        model: a pre-trained network.
        points: (N, D), D ≤ D_max.
        config: beam, samples and starts.
        workers: threads that fit constants.

    Returns:
        Candidates, best first: small contrast (the error over that on the same points with
        permuted columns), then few constants, then probability. A candidate's fitness is minus its
        orthogonal root mean square error.

    Raises:
        ValueError: points that cannot be used, quoting them.
    """
    points = check_points(points, model.config.max_variables)
    began = time.perf_counter()
    found = skeletons(model, [points], config.beam, config.samples, config.seed)[0]
    kept = merged(found)
    fits = fit_sampson(
        [skeleton for skeleton, _ in kept], points, config.starts, config.max_iterations,
        seed=config.seed, workers=workers,
    )  # fmt: skip
    candidates = [
        Candidate(f.expression, f.fitness, log_probability, f.status, f.error, f.contrast)
        for f, (_, log_probability) in zip(fits, kept, strict=True)
    ]
    candidates.sort(key=lambda c: _rank_plus(c, config.resolution))
    return Discovery(tuple(candidates), time.perf_counter() - began)
