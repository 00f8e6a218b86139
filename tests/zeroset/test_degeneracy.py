"""Kinds of degenerate answers."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pie.data.benchmarks import HELD_OUT, load, noisy
from pie.data.generator import GeneratorConfig, random_tree
from pie.expr.coordinates import substituted
from pie.expr.expression import from_tree, parse
from pie.zeroset.degeneracy import (
    CANCELLED,
    EVERYTHING,
    HUGE,
    NO_EQUATION,
    NOTHING,
    SOUND,
    UNUSED,
    ZERO_FACTOR,
    kind,
)

ANGLE = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 200)
CIRCLE = np.column_stack([2.0 * np.cos(ANGLE), 2.0 * np.sin(ANGLE)])  # x1² + x2² = 4
LAW = "(x1**2 + x2**2 - 4)"


def expect(text: str, of_kind: str, points: np.ndarray = CIRCLE):
    assert kind(parse(text), points) == of_kind


def test_no_equation_is_a_kind():
    assert kind(None, CIRCLE) == NO_EQUATION


DEGENERATE = {
    ZERO_FACTOR: [
        "0*x1*x2", "(0*x1)*exp(x2)", "(x1 - x1)*x2", "0/(x1 + x2)", "0*x1 + 0*x2", "sin(0*x1)",
    ],
    CANCELLED: [
        "x1 - x1", "x1*x2 - x2*x1", "sin(x1)**2 + cos(x1)**2 - 1", "x1/x1 - 1", "(x1 - x1)**3",
        "(x1 + x2)**2 - x1**2 - 2*x1*x2 - x2**2", "exp(ln(x1**2 + 1)) - x1**2 - 1",
        "sqrt((x1 - 9)**2) + x1 - 9",
    ],
    HUGE: [
        "x1/1e6", "(x1 + x2)/1e9", "1e-5*(x1**2 - x2)", "x1*x2/(1e8 + x2)", "exp(x1 - 50)",
        "exp(x1 - 800)", "1/(1e7 + exp(x1))", "exp(-exp(10 + x1**2))", "x1*x2/1e300/1e300", "1e-9",
    ],
    NOTHING: [
        "x1**2 + x2**2 + 1", "x1**2 + x2**2", "exp(x1 + x2)", "1/(x1*x2)", "x1 + x2 - 1e9", "3",
        "sqrt(-1 - x1**2)*x2", "exp(exp(exp(exp(x1**2 + x2**2 + 3))))", "(x1 - x1)/(x2 - x2)",
        "x1*x2/0",
    ],
    EVERYTHING: ["0", "ln(x1/x1)"],
}  # fmt: skip


@pytest.mark.parametrize("of_kind, text", [(k, text) for k in DEGENERATE for text in DEGENERATE[k]])
def test_a_degenerate_equation_is_of_its_kind(of_kind, text):
    expect(text, of_kind)


@pytest.mark.parametrize("scale", ["1e-300*", "1e-9*", "1e9*", "(-1e200)*"])
def test_whether_f_is_zero_everywhere_does_not_depend_on_its_scale(scale):
    expect(f"{scale}(sin(x1)**2 + cos(x1)**2 - 1)", ZERO_FACTOR)
    expect(f"{scale}sin(x1)**2 + {scale}cos(x1)**2 - {scale}1", CANCELLED)


@pytest.mark.parametrize("text", ["x1**400", "x1**400*x2"])
def test_a_power_that_saturates_is_g_over_huge_where_it_does(text):
    expect(text, HUGE, 0.45 * CIRCLE)


def test_a_law_of_angles_is_sound_at_few_points():
    """A sine has many branches; each is looked for from as many of the points."""
    a = np.arange(10.0, 90.0, 10.0)
    b = np.degrees(np.arcsin(np.sin(np.radians(a)) / 1.5))
    expect("sin(0.017453292519943295*x1) - 1.5*sin(0.017453292519943295*x2)", SOUND, np.c_[a, b])


@pytest.mark.parametrize("power", [-300, -12, -6, 0, 6, 100])
def test_a_law_is_sound_however_it_is_scaled(power):
    expect(f"1e{power}*{LAW}", SOUND)
    noise = np.random.default_rng(1).normal(0.0, 0.02, CIRCLE.shape)
    expect(f"1e{power}*{LAW}", SOUND, CIRCLE + noise)


@pytest.mark.parametrize("text", ["x1 + x2 - 1", "x1 - 7*x2", "x1*x2 - 0.5", "x1**2 - x2**2 - 1"])
@pytest.mark.parametrize("c", ["0.1", "1", "-30", "1e6"])
def test_an_ordinary_wrong_equation_is_sound_as_long_as_it_is_not_small(text, c):
    expect(f"({c})*({text})", SOUND)
    expect(f"1e-6*({text})", HUGE)


@pytest.mark.parametrize(
    "text",
    [
        "x1 - 1",
        "x1**2 + 1",
        "x1 - 1 + 1e-9*x2",
        "x1 + x2/x2 - 2",
        "x2 + 0*x1",
        "x2 - 1 + sin(1e-8*x1)",
    ],
)
def test_a_variable_that_does_not_matter_is_not_used(text):
    expect(text, UNUSED)
    expect(text.replace("x1", "x3"), UNUSED, np.column_stack([CIRCLE, CIRCLE[::-1, 0]]))


@pytest.mark.parametrize(
    "text",
    [LAW, f"{LAW}**2", f"{LAW}**4", f"{LAW}/(x1 - 9)", f"exp{LAW} - 1", f"{LAW}*(x1 - 9)",
     "x1**4 + x2**4 + 2*x1**2*x2**2 - 8*x1**2 - 8*x2**2 + 16"],
    ids=["itself", "squared", "fourth power", "over another", "exp", "product", "written out"],
)  # fmt: skip
def test_a_law_is_sound_however_it_is_written(text):
    expect(text, SOUND)


@pytest.mark.parametrize("level", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("name", HELD_OUT)
def test_every_true_equation_is_sound_on_its_points_with_noise_or_without(root, name, level):
    for problem in load(root / "data" / "benchmarks", name):
        points = noisy(problem, level).points if level else problem.points
        assert kind(problem.truth, points) == SOUND, problem.equation_id


def test_few_wrong_equations_are_degenerate(root):
    """Equations of other problems: some have no zeros near the points, hardly any are small."""
    problems = load(root / "data" / "benchmarks", "feynman")
    kinds = [
        kind(other.truth, problem.points)
        for problem in problems
        for other in problems
        if problem.n_variables == other.n_variables
    ]
    assert set(kinds) <= {SOUND, NOTHING, HUGE}
    assert kinds.count(SOUND) > 0.9 * len(kinds) and kinds.count(HUGE) < 0.01 * len(kinds)


@pytest.mark.parametrize(
    "text, of_kind",
    [("x1*x2 - x2*x1", CANCELLED), ("0*x1", ZERO_FACTOR), ("x1 - 1", UNUSED), (LAW, SOUND),
     ("x1 + x2 - 1", SOUND), ("x1**2 + x2**2 + 1", NOTHING)],
)  # fmt: skip
def test_the_kind_does_not_depend_on_the_units_of_the_points(text, of_kind):
    units = np.array([1e3, 1e-3])
    equation = substituted(parse(text), np.zeros(2), units)
    assert kind(equation, CIRCLE * units) == of_kind


def test_points_on_two_branches_do_not_make_a_law_vanish_everywhere():
    """Most points have x1 = 1 exactly, and so have those with permuted columns."""
    rng = np.random.default_rng(2)
    points = np.column_stack([np.ones(200), rng.standard_normal(200)])
    points[:40, 0] = points[:40, 1] ** 2
    expect("(x1 - 1)*(x1 - x2**2)", SOUND, points)


def test_a_variable_beyond_the_columns_is_refused():
    with pytest.raises(ValueError, match="2 columns; the expression uses x3"):
        kind(parse("x1 + x3"), CIRCLE)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), power=st.sampled_from([-300, -9, 0, 9, 300]))
def test_of_any_expression_nothing_times_it_and_it_minus_itself_are_told_apart(seed, power):
    tree = random_tree(np.random.default_rng(seed), GeneratorConfig(max_operators=8))
    tree = ("mul", ("c", 10.0**power), tree)
    points = np.random.default_rng(seed + 1).standard_normal((20, 3)) * 10.0 ** (seed % 7 - 3)
    itself = kind(from_tree(tree), points)
    assume(np.isfinite(from_tree(tree).values(points)).all() and itself in (SOUND, NOTHING, UNUSED))
    assert kind(from_tree(("mul", ("c", 0.0), tree)), points) == ZERO_FACTOR
    assert kind(from_tree(("sub", tree, tree)), points) == CANCELLED
    assert kind(from_tree(("mul", ("c", -1.0), tree)), points) == itself
