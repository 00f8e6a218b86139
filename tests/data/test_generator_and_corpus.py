import itertools
import multiprocessing
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pie.data.benchmarks import HELD_OUT, read_equations
from pie.data.corpus import SHARD_SIZE, Corpus, CorpusConfig, HeldOut
from pie.data.generator import GeneratorConfig, random_tree, tree_counts
from pie.data.sampling import Unsampled, paper_points
from pie.expr.canonical import canonical
from pie.expr.expression import from_tree, parse, to_tree, with_variables
from pie.expr.operators import BY_CODE, OPERATORS

PLAIN = GeneratorConfig(offset_probability=0.0, insertion_probability=0.0)
SMALL = CorpusConfig(seed=3, n_points=30)


def test_tree_counts_are_the_schroeder_numbers():
    """One kind of leaf, unary and binary: 1, 2, 6, 22, 90 trees (Lample & Charton, appendix C)."""
    assert [int(tree_counts()[1, n]) for n in range(5)] == [1, 2, 6, 22, 90]


def test_trees_are_uniform_over_shapes(rng):
    config = replace(PLAIN, min_operators=2, max_operators=2)
    shapes = Counter()
    for _ in range(6000):
        tree = random_tree(rng, config)
        shapes[tuple(BY_CODE[c].arity if c in BY_CODE else 0 for c in from_tree(tree).codes)] += 1
    assert len(shapes) == 6
    assert all(abs(n - 1000) < 150 for n in shapes.values()), shapes


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"max_operators": 25}, "min_operators is 3, max_operators 25; expected 0 <= min <= max"),
        ({"min_operators": 0, "max_operators": 0}, "max_operators 0; .* max from 1 to 20"),
        ({"min_operators": 6}, "min_operators is 6, max_operators 5"),
        ({"max_variables": 1}, "max_variables is 1; expected 2 to 9"),
        ({"max_variables": 10}, "max_variables is 10; expected 2 to 9"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_settings_that_give_no_equation_are_quoted(bad, message):
    with pytest.raises(ValueError, match=message):
        GeneratorConfig(**bad)


def test_the_number_of_operators_is_as_asked_for(rng):
    drawn = Counter(
        sum(c in BY_CODE for c in from_tree(random_tree(rng, PLAIN)).codes) for _ in range(3000)
    )
    assert drawn.keys() == {3, 4, 5}
    assert all(abs(n - 1000) < 150 for n in drawn.values())


def test_operators_follow_the_weights_of_table_3(rng):
    drawn = Counter(
        BY_CODE[c].name
        for _ in range(6000)
        for c in from_tree(random_tree(rng, PLAIN)).codes
        if c in BY_CODE
    )
    for n_operands in (1, 2):
        same = [op for op in OPERATORS if op.arity == n_operands and op.weight]
        weights, total = sum(op.weight for op in same), sum(drawn[op.name] for op in same)
        for op in same:
            assert drawn[op.name] / total == pytest.approx(op.weight / weights, abs=0.02), op


def test_leaves_are_constants_one_time_in_five(rng):
    leaves = [c for _ in range(3000) for c in from_tree(random_tree(rng, PLAIN)).codes if c < 10]
    assert np.mean(np.array(leaves) == 0) == pytest.approx(0.2, abs=0.02)


def test_an_item_depends_on_seed_and_index_only():
    one, two = Corpus(SMALL), Corpus(SMALL)
    forward = [one[k] for k in range(20)]
    backward = [two[k] for k in reversed(range(20))][::-1]
    for a, b in zip(forward, backward, strict=True):
        assert a.equation == b.equation and a.target == b.target
        assert a.points.tobytes() == b.points.tobytes()
    assert Corpus(replace(SMALL, seed=4))[0].equation != forward[0].equation


def _bytes_of_item(k):
    return Corpus(SMALL)[k].points.tobytes()


def test_another_process_makes_the_same_items():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_bytes_of_item, [7, 3]) == [_bytes_of_item(7), _bytes_of_item(3)]


def test_points_lie_on_the_equation_and_on_its_target(items):
    for item in items:
        value, gradient = item.equation.value_and_gradient(item.points)
        scale = np.maximum(np.linalg.norm(gradient, axis=1), 1e-3) * (
            1 + np.abs(item.points).max(1)
        )
        assert np.max(np.abs(value) / scale) < 1e-6


def test_every_variable_occurs_and_varies(items):
    for item in items:
        assert item.target.variables == tuple(range(1, item.points.shape[1] + 1))
        assert item.points.std(0).min() > 1e-4


def test_two_coordinates_of_the_points_are_normal_and_one_is_solved_for(rng):
    points = paper_points(parse("x1 - 20 + x2/1000"), 2000, np.random.default_rng(1))
    solved = int(np.argmax(np.abs(points.mean(0))))
    assert abs(points[:, 1 - solved].mean()) < 0.1 and abs(points[:, 1 - solved].std() - 1) < 0.1


@pytest.mark.parametrize("text", ["x1**2 + x2**2 + 1", "exp(x1)*(x2**2 + 1)", "x1 - 3 + 0*x2"],
                         ids=["no root", "no zeros", "a constant coordinate"])  # fmt: skip
def test_what_cannot_be_sampled_is_dropped_with_a_reason(text, rng):
    with pytest.raises(Unsampled):
        for _ in range(8):
            paper_points(parse(text), 50, rng)


def test_drops_are_counted():
    statistics = Corpus(SMALL).statistics(0, 200)
    assert statistics.dropped["fewer than two variables"] > 0
    assert statistics.dropped["too few points"] > 0
    assert sum(statistics.skeletons.values()) == 200


def renamed(equation, order):
    leaves = {old: ("x", new) for old, new in zip(equation.variables, order, strict=True)}
    return from_tree(with_variables(to_tree(equation), leaves))


@pytest.mark.parametrize("name", HELD_OUT)
def test_no_test_equation_is_in_the_corpus(root, name):
    """Under any naming of its variables; the corpus without this rule would contain some."""
    equations = list(read_equations(root / "data" / "benchmarks", name).values())
    held_out = HeldOut(equations)
    for equation in equations:
        orders = itertools.permutations(equation.variables)
        assert all(canonical(renamed(equation, order)) in held_out for order in orders)
    nearby = next(f for f in map(canonical, equations) if f.constants)
    assert nearby.with_constants(np.array(nearby.constants) * 1.005) in held_out
    assert nearby.with_constants(np.array(nearby.constants) * 1.5) not in held_out
    corpus = Corpus(CorpusConfig(n_points=20), held_out)
    assert not any(corpus[k].target in held_out for k in range(300))


def test_shards_hold_the_items_zero_padded(tmp_path):
    corpus = Corpus(replace(SMALL, n_points=5))
    made = corpus.shard(1, tmp_path)
    read = corpus.shard(1, tmp_path)
    item = corpus[SHARD_SIZE + 2]
    d = item.points.shape[1]
    np.testing.assert_array_equal(made["points"][2, :, :d], item.points.astype(np.float16))
    assert np.all(made["points"][2, :, d:] == 0)
    assert made["points"].tobytes() == read["points"].tobytes()
    assert made["tokens"].shape == (SHARD_SIZE, 40)


def test_raw_skeletons_are_one_parameter_away():
    corpus = Corpus(replace(SMALL, canonical_skeletons=False))
    assert all(corpus[k].target == corpus[k].equation for k in range(10))
