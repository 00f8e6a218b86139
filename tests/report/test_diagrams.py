"""Figures 2 and 3 show what was computed, and nothing else."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from pie.data.benchmarks import Problem, load
from pie.data.corpus import Corpus, CorpusConfig
from pie.expr.expression import parse
from pie.network.config import ModelConfig
from pie.network.inference import Network
from pie.network.model import PIE, load_weights
from pie.network.objective import loss_of
from pie.report import figures
from pie.report.framework import framework, skeleton_text
from pie.report.intuition import intuition, judged, network_search, random_search
from pie.report.trace import trace
from pie.search.algorithm2 import InferenceConfig, discover
from pie.search.candidates import Candidate
from pie.zeroset.degeneracy import KINDS, NO_EQUATION, SOUND, kind

SMALL = InferenceConfig(beam=8)


@pytest.fixture(scope="module")
def orbit(root):
    return next(p for p in load(root / "data/benchmarks", "examples") if p.equation_id == "orbit")


@pytest.fixture(scope="module")
def model(root):
    return load_weights(root / "data/models/pie")


@pytest.fixture(scope="module")
def batch(items):
    """Four items of the corpus, the first in two variables."""
    first = next(k for k, item in enumerate(items) if item.points.shape[1] == 2)
    return items[first : first + 4]


@pytest.fixture(scope="module")
def traced(model, batch, orbit):
    return trace(model, batch, orbit, SMALL)


@pytest.fixture(scope="module")
def searches(model, orbit):
    """Random equations by Eq. 2 and by CL-FEM, and the network's beam."""
    random = [random_search(orbit, 300, fitness) for fitness in ("vanilla", "cl-fem")]
    return *random, network_search(model, orbit, InferenceConfig(beam=36))


def texts(figure):
    """What can be read; ticks beyond the limits of their axis have labels, too."""
    unseen = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high or not axis.axes.axison:
                unseen |= {tick.label1, tick.label2}
    found = (t for t in figure.findobj(Text) if t.get_visible() and t not in unseen)
    return [t for t in found if t.get_text().strip()]


def words(figure):
    return [t.get_text() for t in texts(figure)]


@pytest.mark.parametrize(
    "config, expected",
    [
        ({"encoder": "inducing", "inducing": 6, "width": 32}, ["4×50×32", "4×6×32"]),
        ({"encoder": "isab", "pma_features": 5, "width": 16}, ["4×50×16", "4×5×16"]),
        ({"max_variables": 4, "width": 16, "pma_features": 7}, ["4×50×4", "4×50×64", "4×7×16"]),
    ],
    ids=["stays in the inducing set", "pools", "four variables"],
)
def test_the_shapes_are_those_of_the_network(config, expected, batch, orbit):
    torch.manual_seed(0)
    sizes = {"heads": 2, "encoder_layers": 2, "decoder_layers": 1, "dropout": 0.0}
    tiny = PIE(ModelConfig(**{**sizes, **config})).eval()
    drawn = words(framework(trace(tiny, batch, orbit, SMALL)))
    tokens = max(len(item.target.codes) for item in batch) + 1
    for shape in [*expected, f"4×{tokens}×60"]:
        assert shape in drawn
    assert "decoder\n1 layers" in drawn and not any("×256" in text for text in drawn)


def test_the_bits_are_those_of_the_coordinate(traced, batch):
    x = np.float16(batch[0].points[0, 0])
    assert np.packbits(traced.bits).view(">f2")[0] == x
    cells = [p for p in framework(traced).axes[0].patches if isinstance(p, Rectangle)]
    assert [int(cell.get_facecolor()[0] < 0.5) for cell in cells] == list(traced.bits)


def test_the_probabilities_are_what_training_minimises(traced, model, batch):
    corpus = Corpus(CorpusConfig(seed=77, n_points=50))
    k = next(k for k in range(150) if np.array_equal(corpus[k].points, batch[0].points))
    arrays = corpus.arrays(k, k + 1)
    tokens = torch.from_numpy(arrays["tokens"])
    points = torch.zeros(1, 50, 3)
    points[0, :, :2] = torch.from_numpy(batch[0].points)
    with torch.no_grad():
        loss, _ = loss_of(model, points, tokens, bfloat16=False)
    assert -np.sum(np.log(traced.probabilities)) == pytest.approx(float(loss[0]), abs=1e-3)
    assert len(traced.probabilities) == len(batch[0].target.codes) + 1


def test_the_first_rank_is_what_algorithm_2_finds(traced, model, orbit):
    best = discover(Network.of(model), orbit.points, "cl-fem", SMALL).best
    drawn = words(framework(traced, shown=1))
    assert skeleton_text(best.expression) in drawn and "1" in drawn
    assert f"{-best.fitness:.1e}" in drawn


def test_a_candidate_without_a_fit_is_not_given_an_error(traced):
    failed = tuple(replace(c, fitness=-np.inf) for c in traced.candidates)
    drawn = words(framework(replace(traced, candidates=failed)))
    assert drawn.count("not fitted") == 5


@pytest.mark.parametrize("text, expected", [("x1**2 - 3*x2", "x1^2 - C·x2"), ("-2*x1", "C·x1")])
def test_a_skeleton_has_its_constants_open(text, expected):
    assert skeleton_text(parse(text)) == expected


EQUATIONS = {
    "x1**2 + x2**2 - 1": (SOUND, True),
    "x1 + x2**2 - 1": (SOUND, False),
    "0*x1": ("0·g", False),
    "x1 - x1": ("g − g", False),
    "(x1 - x2)/1e6": ("g/huge", False),
    "x1 - 0.4": ("a variable not used", False),
    "exp(x1*x2) + 1": ("nothing is a zero", False),
    "log(x1/x1)": ("everything is a zero", False),
}


@pytest.fixture(scope="module")
def circle():
    t = np.linspace(0.0, 6.0, 60)
    points = np.column_stack([np.cos(t), np.sin(t)])
    return Problem("examples", "circle", parse("x1**2 + x2**2 - 1"), points)


@pytest.fixture(scope="module")
def zoo(circle):
    """An equation of every kind, as if it had been found."""
    return judged((Candidate(parse(f), -1e-3, np.nan, "ok") for f in EQUATIONS), circle)


def test_candidates_are_judged_by_kind_and_by_the_law(zoo, circle):
    assert [(c.kind, c.right) for c in zoo] == list(EQUATIONS.values())
    assert [c.kind for c in zoo] == [kind(c.expression, circle.points) for c in zoo]
    assert {c.kind for c in zoo} == set(KINDS) - {NO_EQUATION}


def test_what_could_not_be_fitted_is_left_out(circle):
    failed = Candidate(parse("x1 - x2"), -np.inf, np.nan, "undefined")
    assert judged([failed], circle) == ()


def test_tiles_have_the_colour_of_their_kind(zoo, circle):
    figure = intuition(circle, zoo, zoo[2:], zoo[:2], side=3)
    _, errors, *mosaics = figure.axes
    legend = figure.legends[0]
    named = {
        t.get_text(): p.get_facecolor()
        for t, p in zip(legend.get_texts(), legend.get_patches(), strict=False)
    }
    assert len(set(named.values())) >= 6, "kinds look alike"
    for axes, found in zip(mosaics, (zoo, zoo[2:], zoo[:2]), strict=True):
        tiles = [p.get_facecolor() for p in axes.patches if isinstance(p, Rectangle)]
        assert tiles == [named[c.kind] for c in found]
        degenerate = sum(c.kind != SOUND for c in found)
        assert axes.get_xlabel().startswith(f"{degenerate} of {len(found)} degenerate")
    assert mosaics[0].get_xlabel().endswith("1 the law")
    assert mosaics[1].get_xlabel().endswith("0 the law")


def test_every_random_equation_is_in_a_bar_and_every_beam_in_a_circle(searches, orbit):
    vanilla, cl_fem, network = searches
    axes = intuition(orbit, *searches, side=2).axes[1]
    assert sum(p.get_height() for p in axes.patches) == len(vanilla) > 150
    circles = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(circles) == len(network)
    filled = [line for line in circles if line.get_markerfacecolor() != "white"]
    assert len(filled) == sum(c.right for c in network)


def test_the_least_errors_are_degenerate_and_the_beam_is_not(searches):
    """The claim of Figure 2, on its law, with the released weights."""
    vanilla, cl_fem, network = ([c.kind != SOUND for c in found[:30]] for found in searches)
    assert np.mean(vanilla) > 0.95 > 0.05 > np.mean(network)
    assert np.mean(cl_fem) < np.mean(vanilla), "CL-FEM refuses some"
    assert not any(c.right for found in searches[:2] for c in found)
    assert any(c.right for c in searches[2])


def test_it_is_the_network_and_not_cl_fem_that_keeps_its_beam_sound(model, orbit):
    """Panel (b) sets Eq. 2 beside CL-FEM: with Eq. 2 the beam is as it is with CL-FEM."""
    found = judged(discover(Network.of(model), orbit.points, "vanilla").candidates, orbit)
    assert np.mean([c.kind != SOUND for c in found]) < 0.05 and found[0].right


def test_random_equations_are_fitted_best_first(searches):
    for found in searches[:2]:
        fitness = [c.fitness for c in found]
        assert fitness == sorted(fitness, reverse=True) and np.isfinite(fitness).all()


@pytest.mark.slow
def test_figures_are_byte_stable(traced, searches, orbit, tmp_path):
    for stem in ("once", "again"):
        drawn = {"framework": framework(traced), "intuition": intuition(orbit, *searches, side=2)}
        for name, figure in drawn.items():
            figures.save(figure, tmp_path / stem / name)
    for name, end in itertools.product(drawn, ("png", "svg")):
        files = [(tmp_path / stem / f"{name}.{end}").read_bytes() for stem in ("once", "again")]
        assert files[0] == files[1]


@pytest.mark.slow
def test_every_text_is_legible_on_the_page_and_free_of_the_others(
    traced, searches, orbit, model, root
):
    (gas,) = (p for p in load(root / "data/benchmarks", "examples") if p.equation_id == "gas")
    far = random_search(gas, 60), random_search(gas, 60, "cl-fem"), network_search(model, gas)
    drawn = intuition(orbit, *searches, side=3), intuition(gas, *far, side=2)  # gas: far outliers
    for figure in (framework(traced), *drawn):
        figure.canvas.draw()
        page, shown = figure.bbox, texts(figure)
        boxes = [t.get_window_extent().padded(-1.0) for t in shown]
        for text, box in zip(shown, boxes, strict=True):
            assert text.get_fontsize() >= 5.5
            inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0
            assert inside and box.y1 <= page.y1, f"{text.get_text()!r} leaves the page"
        for (a, one), (b, other) in itertools.combinations(zip(shown, boxes, strict=True), 2):
            assert not one.overlaps(other), f"{a.get_text()!r} on {b.get_text()!r}"


def test_what_cannot_be_drawn_is_refused(tiny_model, orbit, batch):
    solid = replace(batch[0], points=np.ones((5, 3)))
    with pytest.raises(ValueError, match=r"\(5, 3\) cannot be drawn"):
        trace(tiny_model, [solid], orbit, SMALL)
