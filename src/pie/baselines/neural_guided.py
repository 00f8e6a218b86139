r"""*DSO*: genetic programming that a neural policy seeds, NGGP (Mundhenk et al. 2021).

The public implementation needs TensorFlow 1, so this is a new one. One iteration:

1. the policy (:mod:`pie.baselines.policy`) samples a batch of programs;
2. some of them seed a population, which breeds for some generations (tournaments, one-point
   crossover, one of four mutations);
3. the constants of every program are fitted by BFGS to the fitness, from ones;
4. the best programs of all generations join the batch, and the policy learns from those whose
   reward R reaches the (1 − ε) quantile R_ε (the risk-seeking gradient of Petersen et al. 2021),
   from the k best programs so far (priority queue training) and from an entropy bonus:

.. math:: -\frac1B \sum_i \bigl[(R_i - R_ε) \log p(\tau_i) + λ_H H(\tau_i)\bigr]
    - w \log p(\tau_{queue})

Public DSO's reward divides by the standard deviation of y. Here y = 0, so the paper's
fitness takes its place (Eq. 2 or 6, a mean square m): R = 1 / (1 + √m), and 0 where it is −∞.

The operators are the paper's (Appendix B) but neg, which is a factor whose constant is fitted.
All are the true ones: a program that is undefined at a point has fitness −∞.
"""

import contextlib
import heapq
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..expr.expression import MAX_LENGTH, Expression
from ..expr.operators import BY_NAME, CONSTANT, MAX_VARIABLES
from ..fit.constants import Fit, fit
from ..fit.fitness import stochastic_copies
from ..search.candidates import Candidate, Discovery, check_points
from .policy import Policy
from .programs import Breeding, Codes, Grammar, evolve

RETURNED = 20  # candidates


@dataclass(frozen=True)
class NeuralGuidedConfig(Breeding):
    """Settings, those of genetic programming included.

    "public" is public DSO's ``config_regression_gp`` and what it inherits.
    """

    samples: int = 200_000  # programs evaluated; paper
    entropy_weight: float = 0.03  # λ_H; paper
    epsilon: float = 0.05  # ε; paper
    priority_queue: bool = True  # paper
    policy_gradient: bool = True  # public: the queue replaces it; the paper reports its ε
    queue_size: int = 10  # k; public
    queue_batch: int = 1  # programs drawn from the queue per iteration; public
    queue_weight: float = 200.0  # w; public
    batch: int = 500  # programs of the policy per iteration; public
    population: int = 100  # of genetic programming, drawn from the batch; public
    learning_rate: float = 2.5e-3  # of Adam; public
    units: int = 32  # of the LSTM; public
    entropy_gamma: float = 0.7  # public
    min_length: int = 4  # public
    max_length: int = 64  # public
    length: float = 10.0  # ℓ of the soft prior on lengths; public
    length_scale: float = 5.0  # its s; public
    max_constants: int = 3  # public
    operators: tuple[str, ...] = (  # paper
        "add", "sub", "mul", "div", "pow", "sqrt", "exp", "ln", "sin", "cos",
    )  # fmt: skip
    tau: float = 1e-4  # tolerance of CL-FEM; paper
    constant_iterations: int = 200  # of BFGS
    exact: float = 1e-8  # √m that ends the search, negative = none; public: 1e-12
    seed: int = 0

    def __post_init__(self):
        for name in ("samples", "constant_iterations", "queue_size", "queue_batch", "hall_of_fame"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least 1")
        if not 2 <= self.population <= self.batch:
            raise ValueError(
                f"population is {self.population}; expected 2 to the batch, {self.batch}"
            )
        if not 0.0 < self.epsilon <= 1.0:
            raise ValueError(f"epsilon is {self.epsilon}; expected more than 0, at most 1")
        if self.max_length > MAX_LENGTH:
            raise ValueError(f"max_length is {self.max_length}; expected at most {MAX_LENGTH}")
        for name in self.operators:
            if name not in BY_NAME:
                raise ValueError(f"unknown operator {name!r}; known are {', '.join(BY_NAME)}")

    def grammar(self, n_variables: int) -> Grammar:
        """The programs that the search may reach."""
        operators = tuple(BY_NAME[name].code for name in self.operators)
        return Grammar(n_variables, operators, self.min_length, self.max_length, self.max_constants)


class _Finished(Exception):
    """Time or samples are used up, or a program is exact."""


class _Judge:
    """Fits and remembers programs; ends the search from wherever it is."""

    def __init__(self, points, copies, config: NeuralGuidedConfig, deadline: float):
        self.points, self.copies, self.config, self.deadline = points, copies, config, deadline
        self.left = config.samples
        self.rewards: dict[Codes, float] = {}
        self.best: list[tuple[float, int, int, Fit]] = []  # a heap of the best

    def __call__(self, programs: Sequence[Codes]) -> np.ndarray:
        """Rewards (B,); every program counts as a sample, fitted before or not."""
        wanted = list(map(tuple, programs[: self.left]))  # plain ones, also of genetic programming
        for codes in dict.fromkeys(wanted):
            if codes in self.rewards:
                continue
            if time.perf_counter() >= self.deadline:
                raise _Finished
            self._remember(codes, self._fit(codes))
        self.left -= len(wanted)
        if self.left == 0 or time.perf_counter() >= self.deadline:
            raise _Finished
        return np.array([self.rewards[codes] for codes in programs])

    def _fit(self, codes: Codes) -> Fit:
        expression = Expression(codes, (1.0,) * codes.count(CONSTANT))
        # d_j is 0 without x_j, whatever the constants: nothing to fit
        if self.copies is not None and len(expression.variables) < self.points.shape[1]:
            return Fit(expression, -np.inf, "a variable does not occur: its d_j is 0")
        config = self.config
        return fit(expression, self.points, self.copies, config.tau, config.constant_iterations)

    def _remember(self, codes: Codes, found: Fit) -> None:
        error = math.sqrt(-found.fitness)
        reward = 1.0 / (1.0 + error)
        self.rewards[codes] = reward
        # of equally good ones the shorter is better, then the earlier
        entry = (reward, -len(codes), -len(self.rewards), found)
        (heapq.heappush if len(self.best) < RETURNED else heapq.heappushpop)(self.best, entry)
        if reward > 0.0 and error <= self.config.exact:
            raise _Finished

    def candidates(self) -> tuple[Candidate, ...]:
        """The best programs, best first."""
        fits = [fit for *_, fit in sorted(self.best, reverse=True)]
        return tuple(Candidate(f.expression, f.fitness, math.nan, f.status) for f in fits)


def learn(
    policy: Policy,
    optimiser: torch.optim.Optimizer,
    programs: Sequence[Codes],
    rewards: np.ndarray,
    queue: Sequence[Codes],
    config: NeuralGuidedConfig,
) -> None:
    """One step of the policy on a batch (B programs, rewards (B,)) and on some of the queue."""
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
    """Iterations until ``judge`` ends them."""
    config = judge.config
    rng = np.random.default_rng(config.seed)
    generator = torch.Generator().manual_seed(config.seed)
    policy = Policy(
        grammar, generator, config.units, config.entropy_gamma, config.length, config.length_scale
    )
    optimiser = torch.optim.Adam(policy.parameters(), config.learning_rate)
    queue: dict[Codes, float] = {}
    while True:
        programs, _ = policy.sample(config.batch, generator)
        rewards = judge(programs)
        if config.generations:
            seeds = rng.choice(len(programs), config.population, replace=False)
            bred, bred_rewards = evolve(
                [programs[i] for i in seeds], rewards[seeds], judge, grammar, config, rng
            )
            programs, rewards = programs + bred, np.concatenate([rewards, bred_rewards])
        drawn: list[Codes] = []
        if config.priority_queue:
            queue |= zip(programs, rewards.tolist(), strict=True)
            queue = dict(heapq.nlargest(config.queue_size, queue.items(), key=lambda q: q[1]))
            known = list(queue)
            drawn = [known[i] for i in rng.integers(len(known), size=config.queue_batch)]
        learn(policy, optimiser, programs, rewards, drawn, config)


def neural_guided(
    points: np.ndarray,
    fitness: str = "cl-fem",
    config: NeuralGuidedConfig = NeuralGuidedConfig(),
    seconds: float = math.inf,
) -> Discovery:
    """Equations from points by neural-guided genetic programming.

    It ends after ``config.samples`` programs, at an exact one, or when time is up. Every program
    counts that the policy samples or that is in a generation of the population, as in public
    DSO, even where its constants are known already.

    Args:
        points: (N, D), 2 ≤ D ≤ 9.
        fitness: ``cl-fem`` (Eq. 6) or ``vanilla`` (Eq. 2), with which answers are degenerate more
            often than not: C·(x1 − x1) is exact.
        config: settings.
        seconds: wall-clock limit.

    Raises:
        ValueError: points or arguments that cannot be used, quoting them.
    """
    began = time.perf_counter()
    if fitness not in ("cl-fem", "vanilla"):
        raise ValueError(f"fitness is {fitness!r}; expected cl-fem or vanilla")
    points = check_points(points, MAX_VARIABLES)
    copies = None
    if fitness == "cl-fem":
        copies = stochastic_copies(points, np.random.default_rng(config.seed))
    judge = _Judge(points, copies, config, began + seconds)
    with contextlib.suppress(_Finished):
        _search(config.grammar(points.shape[1]), judge)
    return Discovery(judge.candidates(), time.perf_counter() - began)
