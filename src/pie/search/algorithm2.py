"""Algorithm 2: points → beam of skeletons → constants by BFGS → candidates ranked by fitness.

It is the loop of :mod:`pie.search.pool` with the network as its only proposer.
"""

import time
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..fit.constants import Fit, fit
from ..fit.fitness import copies_for
from ..network.config import HALF_MAX
from ..network.inference import Network
from .candidates import Candidate, Discovery, check_points
from .cloud import Cloud
from .pool import Batch, Effort, Found, Pool, search
from .proposers.network import network


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


def fittest(found: Found, resolution: float) -> tuple[float, float]:
    """Sort key: fittest first; of fits within ``resolution``, the more probable skeleton first."""
    error = -found.fit.fitness
    if resolution > 0.0 and np.isfinite(error):
        error = np.floor(error / resolution)
    return error, -found.draft.log_probability


def discover(
    model: Network,
    points: np.ndarray,
    fitness: str = "cl-fem",
    config: InferenceConfig = InferenceConfig(),
) -> Discovery:
    """Algorithm 2 at points (N, D), D ≤ D_max.

    ``fitness`` is ``cl-fem`` (Eq. 6: *PIE*) or ``vanilla`` (Eq. 2: *PIE (Vanilla)*).

    Raises:
        ValueError: points or arguments that cannot be used, quoting them.
    """
    points = check_points(points, model.config.max_variables, HALF_MAX)
    began = time.perf_counter()
    copies = copies_for(fitness, points, config.seed)

    def fits(batch: Batch, cloud: Cloud) -> list[Fit]:
        return [
            fit(draft.expression, cloud.points, copies, config.tau, config.max_iterations)
            for draft in batch.drafts
        ]

    pool = Pool(lambda found: fittest(found, config.resolution))
    proposer = partial(network, model, config.beam, Effort(1, 1))
    search(Cloud.as_given(points), [proposer], fits, pool)
    candidates = [
        Candidate(f.fit.expression, f.fit.fitness, f.draft.log_probability, f.fit.status)
        for f in pool.ranked()
    ]
    return Discovery(tuple(candidates), time.perf_counter() - began)
