r"""*DSO*: neural-guided genetic programming, NGGP (Mundhenk et al. 2021).

Written anew, since the public code needs TensorFlow 1. One iteration:

1. The policy (:mod:`pie.baselines.policy`) samples a batch of programs.
2. Some of them seed genetic programming (:func:`pie.baselines.programs.evolve`).
3. The constants of every program are fitted to the fitness by BFGS, starting at 1.
4. The best programs of all generations join the batch. The policy learns from those with reward R
   of at least the (1 − ε) quantile R_ε (risk-seeking policy gradient, Petersen et al. 2021), from
   the k best programs so far (priority queue training), and from an entropy bonus:

.. math:: -\frac1B \sum_i \bigl[(R_i - R_ε) \log p(\tau_i) + λ_H H(\tau_i)\bigr]
    - w \log p(\tau_{queue})

Public DSO's reward divides by the standard deviation of y. Here y = 0 and R = 1 / (1 + √m) with the
mean square m of the paper's fitness (Eq. 2 or 6), or 0 where that is −∞.

Operators are the paper's (Appendix B) except neg, which a fitted factor replaces. They are not
protected: a program undefined at a point has fitness −∞.
"""

import contextlib
import heapq
import math
import time
from collections.abc import Sequence

import numpy as np
import torch

from ..expr.expression import Expression
from ..expr.operators import CONSTANT, MAX_VARIABLES
from ..fit.constants import Fit, fit
from ..fit.fitness import copies_for
from ..search.candidates import Candidate, Discovery, check_points
from .config import NeuralGuidedConfig
from .policy import Policy
from .programs import Codes, Grammar, evolve

RETURNED = 20  # candidates


class _Finished(Exception):
    """Time or samples are used up, or a fit is exact."""


class _Judge:
    """Fits programs, caches their rewards, and raises _Finished to end the search."""

    def __init__(self, points, copies, config: NeuralGuidedConfig, deadline: float):
        self.points, self.copies, self.config, self.deadline = points, copies, config, deadline
        self.left = config.samples
        self.rewards: dict[Codes, float] = {}
        self.best: list[tuple[float, int, int, Fit]] = []  # min-heap of the best fits

    def __call__(self, programs: Sequence[Codes]) -> np.ndarray:
        """Rewards (B,); every program counts as a sample, cached or not."""
        wanted = programs[: self.left]
        for codes in dict.fromkeys(wanted):
            if time.perf_counter() >= self.deadline:
                raise _Finished
            if codes not in self.rewards:
                self._remember(codes, self._fit(codes))
        self.left -= len(wanted)
        if self.left == 0:
            raise _Finished
        return np.array([self.rewards[codes] for codes in programs])

    def _fit(self, codes: Codes) -> Fit:
        expression = Expression(codes, (1.0,) * codes.count(CONSTANT))
        # without x_j, d_j = 0 for all constants: nothing to fit
        if self.copies is not None and len(expression.variables) < self.points.shape[1]:
            return Fit(expression, -np.inf, "a variable does not occur: its d_j is 0")
        config = self.config
        return fit(expression, self.points, self.copies, config.tau, config.constant_iterations)

    def _remember(self, codes: Codes, found: Fit) -> None:
        error = math.sqrt(-found.fitness)
        reward = 1.0 / (1.0 + error)
        self.rewards[codes] = reward
        # ties: the shorter program first, then the earlier
        entry = (reward, -len(codes), -len(self.rewards), found)
        (heapq.heappush if len(self.best) < RETURNED else heapq.heappushpop)(self.best, entry)
        if reward > 0.0 and error <= self.config.exact:
            raise _Finished

    def candidates(self) -> tuple[Candidate, ...]:
        fits = [fit for *_, fit in sorted(self.best, reverse=True)]
        return tuple(Candidate(f.expression, f.fitness, math.nan, f.status) for f in fits)


def learn(
    policy: Policy,
    optimiser: torch.optim.Optimizer,
    programs: Sequence[Codes],
    rewards: np.ndarray,
    queue: Sequence[Codes],
) -> None:
    """One gradient step of the policy on a batch with rewards (B,) and on queue programs."""
    config = policy.config
    quantile = np.quantile(rewards, 1.0 - config.epsilon, method="higher")
    kept = np.flatnonzero(rewards >= quantile)
    scores = policy.score([*(programs[i] for i in kept), *queue])
    n = len(kept)
    loss = -config.entropy_weight * scores.entropy[:n].mean()
    if config.policy_gradient:
        advantage = torch.from_numpy(rewards[kept] - quantile).float()
        loss = loss - (advantage * scores.log_probability[:n]).mean()
    if queue:
        loss = loss - config.queue_weight * scores.log_probability[n:].mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def _search(grammar: Grammar, judge: _Judge) -> None:
    """Iterate until ``judge`` raises _Finished."""
    config = judge.config
    rng = np.random.default_rng(config.seed)
    generator = torch.Generator().manual_seed(config.seed)
    policy = Policy(grammar, generator)
    optimiser = torch.optim.Adam(policy.parameters(), config.learning_rate)
    queue: dict[Codes, float] = {}
    while True:
        programs = policy.sample(config.batch, generator)
        rewards = judge(programs)
        if config.generations:
            seeds = rng.choice(len(programs), config.population, replace=False)
            parents = [programs[i] for i in seeds]
            bred, bred_rewards = evolve(parents, rewards[seeds], judge, grammar, rng)
            programs, rewards = programs + bred, np.concatenate([rewards, bred_rewards])
        drawn: list[Codes] = []
        if config.priority_queue:
            queue |= zip(programs, rewards.tolist(), strict=True)
            queue = dict(heapq.nlargest(config.queue_size, queue.items(), key=lambda q: q[1]))
            known = list(queue)
            drawn = [known[i] for i in rng.integers(len(known), size=config.queue_batch)]
        learn(policy, optimiser, programs, rewards, drawn)


def neural_guided(
    points: np.ndarray,
    fitness: str = "cl-fem",
    config: NeuralGuidedConfig = NeuralGuidedConfig(),
    seconds: float = math.inf,
) -> Discovery:
    """Equations from points (N, D), 2 ≤ D ≤ 9, by neural-guided genetic programming.

    ``fitness`` is ``cl-fem`` (Eq. 6) or ``vanilla`` (Eq. 2), whose answers are mostly degenerate,
    as C·(x1 − x1). Stops after ``config.samples`` programs, at an exact fit, or after ``seconds``.
    As in public DSO, repeated programs count as well. ValueError for an unknown fitness or unusable
    points.
    """
    began = time.perf_counter()
    points = check_points(points, MAX_VARIABLES)
    copies = copies_for(fitness, points, config.seed)
    judge = _Judge(points, copies, config, began + seconds)
    with contextlib.suppress(_Finished):
        _search(Grammar(points.shape[1], config), judge)
    return Discovery(judge.candidates(), time.perf_counter() - began)
