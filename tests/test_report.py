from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from pie.evaluation import Row, summarise
from pie.report import clouds, curves, figures, paper, tables


def rows(method, benchmark, hits, n=40, budget="beam 64", status="ok"):
    """n rows of which ``hits`` are right."""
    right = Row(method, benchmark, "", "x1 - x2", "x1 - x2", 1.0, 1.0, 1, 0.5, 0, budget, status)
    wrong = replace(right, equation="x1 + x2", fitness=0.1, two_sided=0.0, skeleton=0)
    return [replace(right if i < hits else wrong, equation_id=f"{i:03d}") for i in range(n)]


REPORTED = {"feynman": pd.DataFrame({"method": ["PIE"], "fitness": [0.55], "acc_0.99": [20.0]})}


@pytest.mark.parametrize(
    "hits, verdict",
    [(40, "confirmed"), (2, "refuted"), (21, "undecided (intervals overlap)")],
    ids=["apart", "the other way round", "overlapping"],
)
def test_a_claim_is_decided_by_intervals(hits, verdict):
    table = paper.claims(
        summarise(rows("PIE", "feynman", hits) + rows("GP (CL-FEM)", "feynman", 20))
    )
    (line,) = table[table.claim.str.contains("the paper's baselines")].to_dict("records")
    assert line["verdict"] == verdict and line["best of the others"] == "GP (CL-FEM) 0.500"


def test_the_best_rival_counts_and_ours_apart_from_the_papers():
    summary = summarise(
        rows("PIE", "feynman", 30)
        + rows("GP (Vanilla)", "feynman", 0)
        + rows("DSO (CL-FEM)", "feynman", 5)
        + rows("Null space", "feynman", 39)
    )
    verdicts = paper.claims(summary).set_index("claim")["best of the others"]
    assert verdicts["PIE is better than the paper's baselines"].startswith("DSO (CL-FEM)")
    assert verdicts["PIE is better than what the paper leaves out"].startswith("Null space")


def test_a_difference_is_told_only_beyond_the_interval():
    found = paper.differences(summarise(rows("PIE", "feynman", 20)), REPORTED)
    assert found["score"].tolist() == ["Acc 0.99"]  # fitness 0.55 is met, 50 % is not 20 %
    assert found["paper"].tolist() == ["20"]


def test_the_headline_has_the_papers_value_in_brackets():
    summary = summarise(rows("PIE", "feynman", 20) + rows("PIE+", "feynman", 40))
    line, other = paper.headline(summary, REPORTED, {"feynman": ["fitness", "acc_0.99"]}).to_dict(
        "records"
    )
    assert line["AI-Feynman (40): fitness (paper)"] == "0.550 (0.550)"
    assert line["AI-Feynman (40): Acc 0.99 [95 %] (paper)"].endswith("(20.0 %)")
    assert other["AI-Feynman (40): fitness (paper)"] == "1.000"


def test_equal_time_is_over_all_test_sets():
    summary = summarise(
        rows("PIE", "feynman", 10, budget="1 s")
        + rows("PIE", "synthetic", 30, budget="1 s")
        + rows("PIE", "feynman", 40, budget="10 s"),
        by="budget",
    )
    (line,) = tables.equal_time(summary).to_dict("records")
    assert line["1 s: recovered"] == "50.0 %" and line["10 s: recovered"] == "100.0 %"
    axes = curves.equal_time(summary).axes[0]
    assert axes.get_xscale() == "log"
    plt.close("all")


def test_bars_of_degenerate_answers_add_up_to_their_share():
    status = "degenerate: g − g"
    shares = tables.degenerate(
        rows("GP (Vanilla)", "feynman", 10, status=status) + rows("PIE", "feynman", 40)
    )
    figure = figures.degenerate(shares)
    (axes,) = figure.axes
    widths = [sum(bars.patches[i].get_width() for bars in axes.containers) for i in (0, 1)]
    assert widths == [100.0, 0.0]
    plt.close(figure)


def test_the_contrast_shows_the_flaw(tmp_path):
    cloud = np.column_stack([np.linspace(-1, 1, 30)] * 2)
    (flawed,) = rows("GP (Vanilla)", "examples", 1, 1, status="degenerate: g − g")
    (sound,) = rows("PIE", "examples", 1, 1)
    for stem in ("once", "again"):  # two figures: the layout of one moves a little at every save
        figure = clouds.contrast([flawed, sound], {"000": cloud})
        labels = [axes.get_xlabel() for axes in figure.axes]
        assert "g − g" in labels[0] and "g − g" not in labels[1]
        figures.save(figure, tmp_path / stem)
        plt.close(figure)
    for kind in ("png", "svg"):
        assert (tmp_path / f"once.{kind}").read_bytes() == (tmp_path / f"again.{kind}").read_bytes()
