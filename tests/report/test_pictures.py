import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pie.discovery.certificate import certify
from pie.discovery.result import Law, Result
from pie.expr.expression import parse
from pie.report import pictures


def law(text, names, points, rms=0.01):
    program = parse(text)
    errors = (0.1,) * len(program.constants)
    return Law(program, names, errors, rms, rms, certify(program, points))


@pytest.fixture(scope="module")
def curve():
    x = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    return np.column_stack([x, 1.0 / x])


@pytest.fixture(scope="module")
def surface():
    p, v = np.random.default_rng(0).uniform(0.5, 2.0, (2, 80))
    return np.column_stack([p, v, p * v])


def test_the_curve_passes_through_the_points(curve):
    figure = pictures.zero_set(law("x1*x2 - 1", ("p", "v"), curve), curve)
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("p", "v")
    paths = np.concatenate([p.vertices for c in axes.collections for p in c.get_paths()])
    assert np.abs(paths[:, 0] * paths[:, 1] - 1.0).max() < 0.01
    x, y = axes.lines[0].get_data()
    np.testing.assert_array_equal(np.column_stack([x, y]), curve)


def test_the_surface_is_cut_by_planes(surface):
    figure = pictures.zero_set(law("x1*x2 - x3", ("p", "v", "T"), surface), surface)
    (axes,) = figure.axes
    assert axes.get_zlabel() == "T" and len(axes.collections) > 8


def test_poles_are_no_zeros(curve):
    figure = pictures.zero_set(law("1/(x1 - x2) + 0*x1", ("a", "b"), curve), curve)
    assert not any(len(p.vertices) for c in figure.axes[0].collections for p in c.get_paths())


def test_residuals_are_the_distances(curve):
    off = curve + [0.0, 0.01]
    found = law("x1*x2 - 1", ("p", "v"), curve)
    figure = pictures.residuals(found, off)
    assert len(figure.axes) == 3
    np.testing.assert_allclose(figure.axes[0].lines[1].get_ydata(), found.distance(off))


def test_the_front_joins_what_nothing_beats(curve):
    rows = [("x1*x2 - 1", 0.01), ("x1 - x2", 0.5), ("x1*x2 - 1 + 0*x1*x2", 0.02)]
    candidates = tuple(law(text, ("p", "v"), curve, rms) for text, rms in rows)
    figure = pictures.front(Result(candidates, ("p", "v"), (), 80, 1.0))
    line = figure.axes[0].lines[-1]
    assert list(line.get_ydata()) == [0.5, 0.01], "the third is longer and worse"
    filled = [dot.get_markerfacecolor() for dot in figure.axes[0].lines[:3]]
    assert filled[1] == "white" != filled[0]
    with pytest.raises(ValueError, match="no candidates"):
        pictures.front(Result((), ("p", "v"), (), 80, 1.0))


def test_columns_are_taken_by_name_or_place(curve):
    found = law("x1*x2 - 1", ("v", "p"), curve[:, ::-1])
    frame = pd.DataFrame(curve, columns=["p", "v"]).assign(k=0.0)
    x, _ = pictures.zero_set(found, frame).axes[0].lines[0].get_data()
    np.testing.assert_array_equal(x, curve[:, 1])
    with pytest.raises(ValueError, match="no column 'v'; known are p"):
        pictures.zero_set(found, frame[["p"]])
    by_place = law("x1*x2 - 1", ("x1", "x3"), curve)
    wide = np.column_stack([curve[:, 0], np.zeros(80), curve[:, 1]])
    assert np.abs(pictures.residuals(by_place, wide).axes[0].lines[1].get_ydata()).max() < 1e-9
    with pytest.raises(ValueError, match="4 columns; expected 2"):
        pictures.zero_set(found, np.ones((5, 4)))
    with pytest.raises(ValueError, match=r"shape \(5,\)"):
        pictures.zero_set(found, np.ones(5))


def test_the_turntable_turns_and_loads_nothing(surface):
    page = pictures.turntable(law("x1*x2 - x3", ("p", "v", "T"), surface), surface, 3)
    frames = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    assert len(set(frames)) == 3 and page.count(" hidden>") == 2 and 'max="2"' in page
    assert page.count("src=") == 3 and "http" not in re.sub(r"base64,[^\"]+", "", page)
    assert pictures.turntable(law("x1*x2 - x3", ("p", "v", "T"), surface), surface, 3) == page


def test_a_curve_is_not_turned(curve, surface):
    with pytest.raises(ValueError, match="the law has 2 columns; expected 3"):
        pictures.turntable(law("x1*x2 - 1", ("p", "v"), curve), curve)
    with pytest.raises(ValueError, match="frames is 0; expected at least 1"):
        pictures.turntable(law("x1*x2 - x3", ("p", "v", "T"), surface), surface, 0)


def test_the_overview_has_every_law_the_simplest_rival_or_none(curve):
    short, long = (law(t, ("p", "v"), curve) for t in ("x1*x2 - 1", "x1*x2 + 0.0001*x1 - 1"))
    found = Result((long, short), ("p", "v"), (), 80, 0.1)
    table = pictures.overview({"gas": found, "noise": Result((), ("a", "b"), (), 9, 0.1)})
    assert "= 1/p - 0.0001" in table.law[0] and table.simplest[0] == "p*v = 1"
    assert table.law[1] == "no law found" and table["rms / spread"][1] == "–"


def test_a_dollar_in_a_name_is_no_formula(curve):
    names = ("a_$", "b$")
    found, frame = law("x1*x2 - 1", names, curve), pd.DataFrame(curve, columns=[*names])
    for figure in (pictures.plot(found, frame), pictures.residuals(found, frame)):
        figure.canvas.draw()  # "$*b$" is no formula that matplotlib can read
        assert not figure.axes[0].xaxis.label.get_parse_math()
    assert not pictures.plot(found, frame).axes[0].title.get_parse_math()


def test_rows_with_gaps_are_not_drawn(curve):
    gaps = pd.DataFrame(curve, columns=["p", "v"]).astype(object)
    gaps.loc[3, "v"], gaps.loc[5, "p"] = "?", None
    figure = pictures.plot(law("x1*x2 - 1", ("p", "v"), curve), gaps)
    figure.canvas.draw()
    np.testing.assert_array_equal(
        figure.axes[0].lines[0].get_ydata(), np.delete(curve[:, 1], [3, 5])
    )


def test_a_curve_with_a_logarithm_is_drawn_under_all_its_points():
    x = np.linspace(0.5, 2.0, 40)
    points = np.column_stack([10.0 * x, 2.0 * np.exp(6.0 * x)])
    axes = pictures.plot(law("x1 + 1.1552 - 1.66667*ln(x2)", ("x", "y"), points), points).axes[0]
    drawn = np.concatenate([p.vertices for c in axes.collections for p in c.get_paths()])
    assert drawn[:, 0].min() < points[:, 0].min()


def test_residuals_that_are_all_alike_are_drawn(curve):
    exact = np.column_stack([np.arange(9.0), np.arange(9.0) + 1.1])
    figure = pictures.residuals(law("x1 - x2", ("x", "y"), exact), exact)
    assert sum(bar.get_width() for bar in figure.axes[-1].patches) == 9


def test_pictures_leave_the_style_of_the_user():
    """In a process of its own: the figures of the notebooks, which other tests draw, set a style."""
    code = (
        "import matplotlib; matplotlib.use('Agg'); import numpy as np, pie\n"
        "before = matplotlib.rcParams.copy(); x = np.linspace(0.5, 2.0, 40)\n"
        "points = np.column_stack([x, 1.0 / x]); law = pie.discover(points).best\n"
        "assert pie.plot(law, points).axes[0].xaxis.label.get_size() == 8.0\n"
        "assert matplotlib.rcParams == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
