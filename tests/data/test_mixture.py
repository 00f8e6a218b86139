"""Ways of sampling, families of equations, and how both are presented to the network."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pie.data import families, sampling
from pie.data.corpus import Corpus, CorpusConfig
from pie.data.generator import GeneratorConfig
from pie.data.mixture import FamilyWeights, MixtureConfig, presented, random_points, rescaled
from pie.data.sampling import WAYS, Unsampled, random_box, scales
from pie.expr.canonical import canonical
from pie.expr.expression import from_tree, parse
from pie.zeroset.box import Box

CIRCLE = parse("x1**2 + x2**2 - 4")
BOX = Box(np.array([-3.0, -3.0]), np.array([3.0, 3.0]))
CLEAN = MixtureConfig(share=1.0, noisy=0.0, outliers=0.0, few=0.0)
MIXED = CorpusConfig(seed=8, n_points=60, mixture=CLEAN)


def test_points_without_a_unit_are_drawn_again(rng):
    """Of a cloud whose points are few, a column may be 0 throughout."""
    points = np.column_stack([rng.random(20), np.zeros(20)])
    scaled, as_they_are = replace(CLEAN, scaled=1.0), replace(CLEAN, scaled=0.0)
    with pytest.raises(Unsampled, match="does not vary"):
        presented(CIRCLE, points, rng, scaled)
    assert presented(CIRCLE, points, rng, as_they_are)[1] is points


@pytest.fixture(scope="module")
def mixed():
    corpus = Corpus(MIXED)
    return [corpus[k] for k in range(150)]


@pytest.mark.parametrize("name", WAYS)
def test_every_way_gives_points_on_the_equation(name):
    rng = np.random.default_rng(3)
    for _ in range(20):
        try:
            points = WAYS[name](CIRCLE, 100, BOX, rng)
            break
        except Unsampled:
            continue
    assert points.shape == (100, 2)
    np.testing.assert_allclose(CIRCLE.values(points), 0.0, atol=1e-5)


def test_the_whole_extent_of_a_circle_is_covered_and_a_patch_is_a_part(rng):
    def angles(way):
        points = WAYS[way](CIRCLE, 200, BOX, rng)
        return np.histogram(np.arctan2(points[:, 1], points[:, 0]), 12, (-np.pi, np.pi))[0]

    assert angles("whole").min() > 4
    assert sum((angles("patch") == 0).sum() >= 3 for _ in range(5)) >= 4


def test_whole_and_patch_stay_in_the_box(rng):
    plane = parse("x1 + x2 - 1")
    for way in ("whole", "patch"):
        assert BOX.contains(WAYS[way](plane, 100, BOX, rng)).all()


def test_a_track_is_smooth_and_stays_on_one_branch():
    rng = np.random.default_rng(5)
    points = sampling.trajectory(parse("x2**2 - x1**2 - 1"), 100, BOX, rng)
    steps = np.abs(np.diff(points, axis=0)).max(axis=0)
    assert (
        np.all(steps < 0.5 * np.ptp(points, axis=0)) and len(np.unique(np.sign(points[:, 1]))) == 1
    )


def test_clusters_are_uneven(rng):
    line = parse("x2 - x1")
    counts = [
        np.histogram(WAYS[way](line, 400, BOX, rng)[:, 0], 12, (-3, 3))[0].std()
        for way in ("clusters", "free_box")
    ]
    assert counts[0] > 1.5 * counts[1]


@pytest.mark.parametrize("kind", range(30))
def test_boxes_hold_what_they_draw(kind):
    rng = np.random.default_rng(kind)
    box = random_box(3, rng)
    assert box.contains(box.uniform(50, rng)).all()
    assert not box.logarithmic or np.all(box.uniform(50, rng) > 0)


def test_what_does_not_pass_through_the_box_is_refused(rng):
    for way in ("whole", "patch"):
        with pytest.raises(Unsampled):
            WAYS[way](parse("x1 + x2 - 100"), 50, BOX, rng)


def test_few_points_are_repeated(rng):
    points = sampling.fewer(rng.standard_normal((200, 2)), 30)
    assert points.shape == (200, 2) and len(np.unique(points, axis=0)) == 30


def test_scales_follow_a_change_of_units_exactly(rng):
    points = rng.standard_normal((500, 3)) + [0.0, 5.0, 0.0]
    units = np.array([1e3, 0.25, 2.0**-20])
    np.testing.assert_allclose(scales(points * units), scales(points) * units, rtol=1e-12)
    assert scales(rng.standard_normal((20000, 1)))[0] == pytest.approx(1.0, abs=0.03)


def test_a_law_in_other_units_has_the_same_points_in_other_units(mixed):
    units = np.array([3.0, 0.2, 7.0])
    for item in mixed[:40]:
        d = item.points.shape[1]
        moved = rescaled(item.target, units[:d])
        value, gradient = moved.value_and_gradient(item.points / units[:d])
        there, _ = item.target.value_and_gradient(item.points)
        np.testing.assert_allclose(value, there, rtol=1e-8, atol=1e-8 * np.abs(gradient).max())


@pytest.mark.parametrize("name", [*families.FAMILIES, "tree", "deep_tree"])
def test_families_are_equations_in_their_variables(name):
    """Every draw is a program; most have a canonical form that keeps all variables."""
    rng = np.random.default_rng(1)
    kept = forms = 0
    for _ in range(200):
        variables = int(rng.integers(2, 4))
        if name in families.FAMILIES:
            g = families.FAMILIES[name](rng, variables)
        else:
            g = getattr(families, name)(rng, variables, GeneratorConfig())
        if name not in families.SOLVED:
            g = families.through(g, rng.uniform(0.3, 2.0, variables))
        if g is None:
            continue
        f = from_tree(g)
        assert set(f.variables) <= set(range(1, variables + 1))
        try:
            kept += canonical(f).variables == tuple(range(1, variables + 1))
            forms += 1
        except ValueError:
            continue
    assert forms > 120 and kept > 0.3 * forms if "tree" in name else kept > 0.85 * forms


def test_a_level_puts_the_zero_set_through_a_point(rng):
    g = families.sum_of_powers(rng, 2)
    point = np.array([0.7, -1.1])
    assert from_tree(families.through(g, point)).values(point[None])[0] == pytest.approx(0.0)


def test_mixed_items_lie_on_their_targets(mixed):
    on = 0
    for item in mixed:
        value, gradient = item.target.value_and_gradient(item.points)
        with np.errstate(all="ignore"):
            distance = np.abs(value) / np.linalg.norm(gradient, axis=1)
        on += np.nanmedian(distance) < 1e-4 * np.sqrt(item.points.var(axis=0).mean())
    assert on >= 0.98 * len(mixed)


def test_most_mixed_items_are_presented_in_units_of_their_own(mixed):
    unit = [np.allclose(scales(item.points), 1.0, rtol=1e-6) for item in mixed]
    assert 0.6 < np.mean(unit) < 0.9


def test_the_mixture_is_a_function_of_the_index_and_its_share():
    half = replace(MIXED, n_points=20, mixture=replace(CLEAN, share=0.5))
    again = [Corpus(half)[k] for k in reversed(range(12))][::-1]
    assert all(a.points.tobytes() == Corpus(half)[k].points.tobytes() for k, a in enumerate(again))
    paper = Corpus(CorpusConfig(seed=8, n_points=20))
    none = Corpus(CorpusConfig(seed=8, n_points=20, mixture=replace(CLEAN, share=0.0)))
    assert all(paper[k].points.tobytes() == none[k].points.tobytes() for k in range(10))


@pytest.mark.parametrize("level", [1e-3, 1e-1])
def test_points_have_the_noise_that_was_asked_for(level):
    """Radii about a circle: additive and relative noise, whatever the way of sampling."""
    config = replace(CLEAN, noisy=1.0, noise=(level, level))
    found = []
    for seed in range(60):
        try:
            points = random_points(CIRCLE, 100, BOX, np.random.default_rng(seed), config)
        except Unsampled:
            continue
        found.append(np.std(np.linalg.norm(points, axis=1)) / 2.0)
    assert len(found) > 30
    assert 0.4 * level < np.median(found) < 1.2 * level


def test_weights_are_frequencies(rng):
    weights = FamilyWeights(tree=3, deep_tree=0, sum_of_powers=1, powers=0, ratio=0, separable=0,
                            nested=0)  # fmt: skip
    drawn = Counter(weights.choose(rng) for _ in range(4000))
    assert drawn.keys() == {"tree", "sum_of_powers"} and 2800 < drawn["tree"] < 3200


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: FamilyWeights(tree=-1.0), "weight tree is -1.0"),
        (lambda: MixtureConfig(share=1.5), "mixture.share is 1.5"),
        (lambda: MixtureConfig(noise=(0.1, 0.01)), r"mixture.noise is \(0.1, 0.01\)"),
        (lambda: MixtureConfig(noise=(0.0, 0.01)), r"mixture.noise is \(0.0, 0.01\)"),
        (lambda: FamilyWeights(0, 0, 0, 0, 0, 0, 0), "are all 0"),
    ],
)
def test_bad_mixtures_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
