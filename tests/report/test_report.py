import csv
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pie.data.benchmarks import Problem
from pie.data.sampling import add_noise
from pie.experiments.evaluation import Row, summarise
from pie.experiments.many_columns import FOUND, TOO_WIDE
from pie.expr.expression import parse
from pie.params import read_yaml
from pie.report import claims, clouds, curves, figures, many_columns, paper, tables


def rows(method, benchmark, hits, n=40, budget="beam 64", status="ok"):
    """n rows of which ``hits`` are right."""
    right = Row(method, benchmark, "", "x1 - x2", "x1 - x2", 1.0, 1.0, 1, 0.5, 0, budget, status)
    wrong = replace(right, equation="x1 + x2", fitness=0.1, two_sided=0.0, skeleton=0)
    return [replace(right if i < hits else wrong, equation_id=f"{i:03d}") for i in range(n)]


REPORTED = {"feynman": pd.DataFrame({"method": ["PIE"], "fitness": [0.55], "acc_0.99": [20.0]})}


def verdicts(lines):
    table = claims.table(lines)
    return dict(zip(zip(table.claim, table.score, strict=True), table.verdict, strict=True))


@pytest.mark.parametrize(
    "hits, verdict",
    [(40, "confirmed"), (2, "refuted"), (21, "undecided")],
    ids=["apart", "the other way round", "overlapping"],
)
def test_a_claim_is_decided_by_intervals(hits, verdict):
    lines = claims.comparative(rows("PIE", "feynman", hits) + rows("GP (CL-FEM)", "feynman", 20))
    claim = "PIE is better than every baseline of the paper"
    assert verdicts(lines)[claim, "Acc 0.99"] == verdict


def test_the_best_rival_counts_and_ours_apart_from_the_papers():
    lines = claims.comparative(
        rows("PIE", "feynman", 30)
        + rows("GP (Vanilla)", "feynman", 0)
        + rows("DSO (CL-FEM)", "feynman", 5)
        + rows("Null space", "feynman", 39)
    )
    table = claims.table(lines).set_index("claim")
    told = table[[c for c in table if c.startswith("speaks least")][0]]
    assert told["PIE is better than every baseline of the paper"].startswith("PIE − DSO (CL-FEM)")
    assert told["PIE is better than what the paper leaves out (ours)"].startswith(
        "PIE − Null space"
    )


def under_conditions(method, hits, benchmark="synthetic"):
    """Rows by condition: how many are right."""
    parts = [rows(method, benchmark, n, budget=f"beam 64, normal, {c}") for c, n in hits.items()]
    return sum(parts, [])


def test_robustness_is_judged_level_by_level():
    levels = [f"relative noise {v}" for v in ("0", "0.01", "0.1")]
    pie = under_conditions("PIE", dict(zip(levels, (30, 28, 3), strict=True)))
    weak = under_conditions("GP (CL-FEM)", dict(zip(levels, (0, 0, 3), strict=True)))
    points = under_conditions("PIE", {"points 200": 30, "points 1000": 30})
    found = verdicts(claims.robustness(pie + weak + points))
    claim = "PIE is better than every baseline of the paper at every noise level"
    assert found[claim, "fitness"] == "undecided", "equal at the highest level"
    assert found["PIE is robust to noise", "Acc 0.99"] == "refuted"
    assert found["PIE is insensitive to the number of points given", "Acc 0.99"] == "confirmed"


def test_sensitivity_is_judged_by_what_was_varied():
    hits = {"examples-1024": 0, "examples-10240": 10, "examples-102400": 30, "points-50": 10,
            "points-200": 38, "points-400": 36, "beam 1": 2, "beam 32": 30, "beam 256": 31,
            "tau 1e-8": 30, "tau 1e-4": 30}  # fmt: skip
    found = verdicts(claims.sensitivity(under_conditions("PIE", hits)))
    assert found["a larger K is better, at every step", "Acc 0.99"] == "confirmed"
    assert found["too few points in training are worse", "Acc 0.99"] == "confirmed"
    assert found["too many points in training are worse", "Acc 0.99"] == "undecided"
    assert found["PIE is insensitive to N in training", "Acc 0.99"] == "refuted"
    assert found["a beam of 32 suffices", "Acc 0.99"] == "confirmed", "narrower ones do not count"
    assert found["PIE is insensitive to τ", "fitness"] == "confirmed"


def test_variants_stand_beside_their_reference():
    given = under_conditions("PIE", {"common": 20, "wide": 30}) + under_conditions(
        "PIE", {"mixture": 10, "less": 10, "adam": 20, "muon": 24}, "validation, mixture"
    )
    references = {"synthetic": "common", "validation, mixture": "mixture"}
    references |= {"adam": "adam", "muon": "adam"}
    table, gaps = tables.against(given, references, ["acc_0.99"])
    assert gaps["wide", "acc_0.99"].mean == 0.25 and gaps["less", "acc_0.99"].mean == 0.0
    assert gaps["muon", "acc_0.99"].mean == 0.1
    assert table["acc_0.99, difference"].tolist()[::2] == ["reference"] * 3
    figure = curves.against(gaps, {"acc_0.99": "Acc 0.99"})
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["wide", "less", "muon"]


def test_hyperparameters_stand_beside_the_papers(root):
    reported = pd.DataFrame(
        {
            "parameter": ["nodes", "optimizer"],
            "value": ["5", "Adam"],
            "key": ["a.low a.high", "optimizer"],
        }
    )
    sections = read_yaml(root / "params.yaml")
    run = tables.parameters(sections | {"a": {"low": 3, "high": 5}, "notebooks": {"x": 1}})
    table = tables.hyperparameters(reported, run)
    assert table.ours.tolist() == ["3 to 5", "Adam"] and "notebooks.x" not in run


def test_table_4_lists_what_the_network_has_and_has_seen(root):
    reported = pd.read_csv(root / "data/paper/table4_hyperparameters.csv", dtype=str)
    sections = read_yaml(root / "params.yaml")
    ours = tables.hyperparameters(reported, tables.parameters(sections)).set_index("parameter").ours
    assert ours["Number of ISABs"].startswith("none") and "none" in ours["Number of PMA features"]
    with open(root / "data/models/pie/training.csv") as log:
        seen = [*csv.DictReader(log)][-1]["examples"]
    assert ours["Size of the pre-training dataset K"] == seen
    papers = {**sections, "model": {**sections["model"], "encoder": "isab", "encoder_layers": 5}}
    ours = tables.hyperparameters(reported, tables.parameters(papers)).set_index("parameter").ours
    assert ours["Number of ISABs"] == "5" and ours["Number of PMA features"] == "10"


def test_a_difference_is_told_only_beyond_the_interval():
    found = paper.differences(summarise(rows("PIE (strict)", "feynman", 20)), REPORTED)
    assert found["score"].tolist() == ["Acc 0.99"]  # fitness 0.55 is met, 50 % is not 20 %
    assert found["paper"].tolist() == ["20"]


def test_lengths_are_compared_with_the_paper_s_23_percent():
    long, short = (
        [parse(f"{' + '.join(['x1'] * k)} + x2**2 - 1") for k in sizes]
        for sizes in ((6, 7, 8) * 9, (4, 5, 6) * 9)
    )
    found = claims.table(claims.shorter(short, {"a": long, "b": short}))
    assert found.verdict.tolist() == ["confirmed", "refuted"]


def test_beside_the_papers_value_stands_what_follows_it_to_the_letter():
    summary = summarise(
        rows("PIE", "feynman", 10) + rows("PIE (strict)", "feynman", 10) + rows("GP", "feynman", 10)
    )
    reported = REPORTED["feynman"].assign(**{"acc_0.5": 60.0, "acc_0.7": 50.0, "acc_0.8": 40.0})
    table = paper.comparison(summary, "feynman", reported.assign(**{"acc_0.9": 30.0}))
    shown = [tuple(line) for line in table[["Method", ""]].to_numpy().tolist()]
    assert shown == [("PIE", "paper"), ("PIE (strict)", "ours"), ("PIE", "ours"), ("GP", "ours")]


def test_a_second_row_tells_what_answers_score_if_starts_count_and_only_where_it_differs():
    summary = summarise(rows("PIE", "feynman", 10) + rows("GP", "feynman", 10))
    otherwise = summarise(rows("PIE", "feynman", 10) + rows("GP", "feynman", 20))
    table = paper.comparison(summary, "feynman", pd.DataFrame({"method": []}), otherwise)
    shown = [tuple(line) for line in table[["Method", ""]].to_numpy().tolist()]
    assert shown == [("PIE", "ours"), ("GP", "ours"), ("GP", "ours, starts count")]


def test_the_headline_has_the_papers_value_in_brackets():
    summary = summarise(rows("PIE (strict)", "feynman", 20) + rows("PIE", "feynman", 40))
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


def test_bars_of_degenerate_answers_add_up_to_their_share():
    status = "degenerate: g − g"
    shares = tables.degenerate(
        rows("GP (Vanilla)", "feynman", 10, status=status) + rows("PIE", "feynman", 40)
    )
    figure = figures.degenerate(shares)
    (axes,) = figure.axes
    widths = [sum(bars.patches[i].get_width() for bars in axes.containers) for i in (0, 1)]
    assert widths == [100.0, 0.0]


def test_the_contrast_shows_the_flaw(tmp_path):
    cloud = np.column_stack([np.linspace(-1, 1, 30)] * 2)
    (flawed,) = rows("GP (Vanilla)", "examples", 1, 1, status="degenerate: g − g")
    (sound,) = rows("PIE", "examples", 1, 1)
    for stem in ("once", "again"):  # two figures: the layout of one moves a little at every save
        figure = clouds.contrast([flawed, sound], {"000": cloud})
        labels = [axes.get_xlabel() for axes in figure.axes]
        assert "g − g" in labels[0] and "g − g" not in labels[1]
        figures.save(figure, tmp_path / stem)
    for kind in ("png", "svg"):
        assert (tmp_path / f"once.{kind}").read_bytes() == (tmp_path / f"again.{kind}").read_bytes()


def test_laws_of_many_columns_are_counted_where_they_were_searched():
    line = {"set": "made", "law_id": "M1", "name": "", "kind": "product", "width": 4, "noise": 0.0,
            "units": False, "points": 200, "status": FOUND, "right": True, "exact": True,
            "law": True, "seconds": 2.0,
            "truth": "x4 - x1*x2*x3", "answer": "x4 - x1*x2*x3"}  # fmt: skip
    wrong = line | {"law_id": "M2", "width": 5, "noise": 0.01, "right": False, "exact": False}
    none = wrong | {"law_id": "M3", "status": "no candidate", "answer": "", "law": False}
    wide = line | {"law_id": "M4", "width": 9, "status": TOO_WIDE, "right": False}
    rows = pd.DataFrame([line, wide, wrong, none])
    table = many_columns.shares(rows).set_index("laws")
    clean, noisy = table["made, noise 0 %"], table["made, noise 1 %"]
    assert clean["all"].startswith("100.0 % [") and clean["all"].endswith("of 1")
    assert noisy["all"].startswith("0.0 % [0, ") and noisy["5 columns"].endswith("of 2")
    assert clean["5 columns"] == clean["sum"] == noisy["all, exact"] == "–"
    assert (clean["too wide"], noisy["too wide"]) == ("1", "0") and "9 columns" not in table.index
    told = pd.DataFrame([wrong | {"units": True, "right": True}, wrong | {"points": 1000}])
    given = many_columns.settings(pd.concat([rows, told]))
    assert given[["points", "units", "noise"]].values.tolist() == [
        [200, "–", "0 %"], [200, "–", "1 %"], [200, "known", "1 %"], [1000, "–", "1 %"],
    ]  # fmt: skip
    assert [r.split(" %")[0] for r in given.right] == ["100.0", "0.0", "100.0", "0.0"]
    assert given.right.str[-1].tolist() == ["1", "2", "1", "1"] and (given.exact[1:] == "–").all()
    peers = pd.concat([rows.assign(method="PIE+"), rows.assign(method="other", right=False)])
    other = many_columns.beside(peers).set_index("Method").loc["other"]
    assert other["made, noise 0 %"] == other["all, noise 0 %"] and other["median s"] == "2.0"
    assert other["all, noise 1 %"].startswith("0.0 % [") and "of 2" in other["all, noise 1 %"]
    missed = many_columns.misses(rows)
    assert missed.law_id.tolist() == ["M2", "M3"]
    assert missed.answer.tolist() == ["x4 - x1*x2*x3", "no candidate"]
    (axes,) = many_columns.by_width(rows).axes
    assert axes.get_title() == "made" and len(axes.containers) == 2


def test_the_table_of_noise_compares_what_is_seen_with_the_truth():
    rng, t = np.random.default_rng(0), np.linspace(0.0, 6.0, 200)
    circle = Problem("", "", parse("x1**2 + x2**2 - 1"), np.column_stack([np.cos(t), np.sin(t)]))
    noisy = [
        replace(circle, points=add_noise(circle.points, 0.02, rng), sampling=sampling)
        for sampling in ("noise 0.02", "200 points, noise 0.02", "noise 0.04")
    ]
    few = replace(circle, points=circle.points[::20])
    lines = tables.noise([circle, few, *noisy]).set_index("noise")
    assert lines.loc["0 %", ["problems", "seen", "not known"]].tolist() == [2, 0, 1]
    assert lines.loc["2 %", ["problems", "seen", "in the interval"]].tolist() == [2, 2, "100.0 %"]
    assert lines.loc["4 %", "in the interval"] == "0.0 %"


def summarised(method, benchmark, share, n=80):
    """A line as of :func:`summarise`."""
    ends = {f"{k}{end}": share for k in ("fitness", "skeleton") for end in ("", "_low", "_high")}
    return {"method": method, "benchmark": benchmark, "equations": n} | ends


def test_a_legend_has_the_methods_of_all_panels():
    lines = [summarised("PIE", f"noise {level}", 0.5) for level in (0, 0.1)]
    lines += [summarised(m, f"points {n}", 0.3, 7) for m in ("PIE", "Null space") for n in (10, 20)]
    (legend,) = curves.conditions(lines, {"fitness": "fitness"}).legends
    assert [text.get_text() for text in legend.get_texts()] == ["PIE, 7 to 80", "Null space, 7"]


def test_each_row_of_the_ablation_has_its_name():
    a, b = ("PIE+", "PIE+ (no network)", "PIE+ (no shapes)"), ("PIE+", "PIE+ (no shapes)")
    lines = [summarised(m, name, 0.5) for name, methods in (("a", a), ("b", b)) for m in methods]
    axes = figures.ablation(lines).axes
    assert [text.get_text() for text in axes[0].get_yticklabels()] == [*a]
