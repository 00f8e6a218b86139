"""Why *PIE+* misses a problem."""

import numpy as np
import pytest

from pie.data.benchmarks import Problem
from pie.experiments import misses
from pie.experiments.metrics import right_skeleton
from pie.expr.expression import parse
from pie.network.inference import Network
from pie.search.plus import PlusConfig, discover_plus


def hardly_bent(x):
    """By less than what looks like noise."""
    return 0.5 * np.exp(0.02 * x) + 0.5 + 0.002 * np.sin(50.0 * x)


def noisy_parabola(x):
    """With errors that hide its smaller terms nearly, but not quite."""
    y = x**2 + 0.3 * x + 0.2
    return y + 0.06 * y.std() * np.random.default_rng(1).standard_normal(x.shape)


@pytest.mark.parametrize(
    "truth, points, verdict",
    [
        ("x2 - sin(1.3*exp(x1))", lambda t: (t / 3.0, np.sin(1.3 * np.exp(t / 3.0))), "search"),
        ("x1**2 + x2**2 - 1", lambda t: (t, 1.7 * t + 0.3), "silent"),  # on a line instead
        ("x2 - 0.5*exp(0.02*x1) - 0.5", lambda t: (t, hardly_bent(t)), "alike"),
        ("x2 - x1**2 - 0.3*x1 - 0.2", lambda t: (t, noisy_parabola(t)), "ranking"),
    ],
)
def test_a_miss_is_of_the_search_or_the_ranking_or_the_points(root, truth, points, verdict):
    cloud = np.column_stack(points(np.random.default_rng(0).uniform(0.0, 6.0, 60)))
    problem = Problem("own", "1", parse(truth), cloud, None, "noise 0")
    config = PlusConfig(proposers=("relations",))
    best = discover_plus(Network.load(root / "data/models/pie-plus"), cloud, config).best
    assert not right_skeleton(best.expression, problem.truth, 2, 0, None), "no miss"
    assert misses.verdict_of_miss(problem, config).verdict == verdict


def test_verdicts_are_of_the_rows_of_the_problems(root, tmp_path, scored_answer):
    points = np.column_stack([np.linspace(0.0, 1.0, 40), np.linspace(0.0, 2.0, 40)])
    problem = Problem("wild", "W1", parse("x2 - 2*x1"), points, None, "whole, noise 1 %")
    answers = {"right": "x2 - 2*x1", "search": "x2 - 2*x1**2"}
    rows = [
        scored_answer(problem, parse(text), "PIE+", 0.1, 0, "beam 64, whole, noise 1 %", "ok")
        for text in answers.values()
    ]
    config = PlusConfig(proposers=("relations",))
    found = misses.verdicts(rows, [problem, problem], config)
    assert [*found.verdict] == [*answers] and {*found.test_set} == {"wild, noise 1 %"}
    with pytest.raises(FileNotFoundError):
        misses.rows_of(tmp_path, [problem])
