"""Settings of the baselines, without the libraries that they need."""

from dataclasses import dataclass

from ..expr.expression import MAX_LENGTH
from ..expr.operators import BY_NAME


@dataclass(frozen=True)
class GeneticConfig:
    """Settings; those not marked ``paper`` are gplearn's defaults."""

    population: int = 2000  # paper
    generations: int = 20  # paper
    tournament: int = 20  # paper
    crossover: float = 0.9  # paper
    subtree_mutation: float = 0.01  # paper
    hoist_mutation: float = 0.01
    point_mutation: float = 0.01
    point_replace: float = 0.05
    parsimony: float = 0.001
    constants_up_to: float = 1.0  # c of U(−c, c)
    min_depth: int = 2  # of trees in the first generation
    max_depth: int = 6
    tau: float = 1e-4  # tolerance of CL-FEM
    seed: int = 0

    def __post_init__(self):
        if self.population < self.tournament or self.generations < 1:
            raise ValueError(
                f"population {self.population}, tournament {self.tournament}, generations "
                f"{self.generations}; expected population >= tournament and generations >= 1"
            )


@dataclass(frozen=True)
class NeuralGuidedConfig:
    """Settings; those not marked are public DSO's (``config_regression_gp`` with its parents)."""

    samples: int = 200_000  # programs evaluated; paper
    entropy_weight: float = 0.03  # λ_H; paper
    epsilon: float = 0.05  # ε; paper
    priority_queue: bool = True  # paper
    generations: int = 20  # of genetic programming per iteration, 0 = policy alone; paper
    crossover: float = 0.5  # probability; paper
    mutation: float = 0.5  # probability; paper
    policy_gradient: bool = True  # ours: the paper reports ε; in public DSO the queue replaces it
    queue_size: int = 10  # k
    queue_batch: int = 1  # programs drawn from the queue per iteration
    queue_weight: float = 200.0  # w
    batch: int = 500  # programs sampled per iteration
    population: int = 100  # of genetic programming, drawn from the batch
    tournament: int = 5
    mutation_depth: int = 3  # of new subtrees
    hall_of_fame: int = 50  # programs that join the policy's batch
    learning_rate: float = 2.5e-3  # of Adam
    units: int = 32  # of the LSTM
    entropy_gamma: float = 0.7  # γ
    min_length: int = 4
    max_length: int = 64
    length: float = 10.0  # ℓ of the soft prior on lengths
    length_scale: float = 5.0  # s of that prior
    max_constants: int = 3
    operators: tuple[str, ...] = (  # paper
        "add", "sub", "mul", "div", "pow", "sqrt", "exp", "ln", "sin", "cos",
    )  # fmt: skip
    tau: float = 1e-4  # tolerance of CL-FEM; paper
    constant_iterations: int = 200  # of BFGS; ours
    exact: float = 1e-8  # √m that ends the search, negative = none; ours (public: 1e-12)
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
        if not 1 <= self.min_length < self.max_length <= MAX_LENGTH:
            raise ValueError(
                f"lengths are {self.min_length} to {self.max_length}; expected 1 ≤ min < max ≤ "
                f"{MAX_LENGTH}"
            )
        for name in self.operators:
            if name not in BY_NAME:
                raise ValueError(f"unknown operator {name!r}; known are {', '.join(BY_NAME)}")
        if not any(BY_NAME[name].arity == 2 for name in self.operators):
            raise ValueError(f"operators are {self.operators}; expected one with two operands")


@dataclass(frozen=True)
class NullSpaceConfig:
    degree: int = 4  # of monomials in two variables; one less per further variable, at least 2
    factor: float = 10.0  # by which elimination may raise the smallest singular value
    price: float = 10.0  # of a term, in units of N·ln(ratio)
    largest_ratio: float = 0.5  # of an accepted relation

    def __post_init__(self):
        if not 2 <= self.degree <= 5:
            raise ValueError(f"null_space.degree is {self.degree}; expected 2 to 5")
        if not self.factor >= 1.0:
            raise ValueError(f"null_space.factor is {self.factor}; expected at least 1")


@dataclass(frozen=True)
class BaselinesConfig:
    genetic: GeneticConfig = GeneticConfig()
    neural_guided: NeuralGuidedConfig = NeuralGuidedConfig()
    null_space: NullSpaceConfig = NullSpaceConfig()
