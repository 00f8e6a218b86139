"""What several tests share: random equations, a tiny network, the project's folders."""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import TINY

from pie.data.benchmarks import load
from pie.data.corpus import Corpus, CorpusConfig
from pie.experiments.answers import Answer, answer_to
from pie.experiments.evaluation import Row, score
from pie.expr.expression import parse
from pie.network.inference import Network
from pie.network.model import PIE
from pie.zeroset.roots import points_on_zero_set

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """One thread of PyTorch, here and in the processes that tests start.

    Threads that wait for each other cost small networks far more than they save, and a hundred
    times as much where the cores are busy with something else.
    """
    torch.set_num_threads(1)
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes in one process begins first, beside all others."""
    first = ["test_smoke.py", "00_discover.ipynb", "test_pretraining.py", "test_hostile.py"]
    items.sort(key=lambda item: [item.path.name != name for name in first])


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def scored_answer():
    """The row of an equation: problem, equation, method, seconds, seed, budget, status → row."""
    return lambda problem, *answer: score(problem, answer_to(problem, *answer))


@pytest.fixture
def score_again(root):
    """Checks that committed rows get the scores that they have, from their equations."""

    def check(rows: list[Row]) -> None:
        benchmarks = {row.benchmark for row in rows}
        loaded = (p for b in benchmarks for p in load(root / "data/benchmarks", b))
        problems = {p.equation_id: p for p in loaded}
        for row in rows:
            answer = Answer(**{f.name: getattr(row, f.name) for f in fields(Answer)})
            again = score(problems[row.equation_id], answer)
            assert again.fitness == pytest.approx(row.fitness, abs=1e-3)
            assert again.two_sided == pytest.approx(row.two_sided, abs=2e-2)

    return check


@pytest.fixture(scope="session")
def items():
    """150 random corpus items with 50 points each."""
    corpus = Corpus(CorpusConfig(seed=77, n_points=50))
    return [corpus[k] for k in range(150)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def cloud():
    """Points of an equation, drawn from the normal distribution and solved for one variable.

    At most n of them; by default in as many columns as the equation has variables.
    """

    def of(
        text: str, d: int | None = None, variable: int = 1, n: int = 200, seed: int = 0
    ) -> np.ndarray:
        f, rng = parse(text), np.random.default_rng(seed)
        starts = rng.standard_normal((n, d or max(2, *f.variables)))
        return points_on_zero_set(f, starts, variable, rng)

    return of


@pytest.fixture(scope="session")
def tiny_model() -> PIE:
    torch.manual_seed(0)
    return PIE(TINY).eval()


@pytest.fixture(scope="session")
def tiny_network(tiny_model) -> Network:
    return Network.of(tiny_model)
