"""Null clouds, and the rule that tells them from lawful ones."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from pie.data import null_clouds
from pie.data.benchmarks import Problem
from pie.data.null_clouds import KINDS, LAWFUL
from pie.discovery.certificate import certify
from pie.discovery.laws import discover
from pie.experiments import calibration
from pie.experiments.calibration import (
    LIBRARY,
    Rule,
    choose,
    mistakes,
    rates,
    roc,
    scores,
    search,
    write,
)
from pie.expr.expression import parse
from pie.network.model import save_weights
from pie.report import calibration as report
from pie.search.plus import PlusConfig


@pytest.fixture(scope="module")
def lawful():
    """Eight arcs of hyperbolas, two of each law."""
    x = np.linspace(0.5, 2.0, 60)
    return null_clouds.lawful_clouds(
        "test",
        [
            Problem("test", f"L{k // 2}-{k % 2}", parse("x1*x2 - 1"), np.column_stack([x, k / x]))
            for k in range(1, 9)
        ],
    )


def row(part, kind, cloud, p, contrast, degeneracy="sound", evidence=50.0):
    return {"part": part, "kind": kind, "cloud": cloud, "points": 60,
            "variables": 2, "names": "x1 x2", "degeneracy": degeneracy, "p": p,
            "contrast": contrast, "evidence": evidence,
            "equation": "x1 - 0.123456*x2"}  # fmt: skip


@pytest.fixture(scope="module")
def table():
    """A hundred lawful and a hundred null clouds; a rule of contrast 0.2 tells them apart best."""
    rng = np.random.default_rng(0)
    lines = []
    for k, (below, above) in enumerate(rng.uniform([0.0, 0.22], [0.19, 1.0], (100, 2))):
        for part in ("calibration", "test"):
            lines.append(row(part, LAWFUL, f"W{k // 5}-{k % 5}", 1e-6, below))
            lines.append(row(part, KINDS[k % 8], f"N{k}", 1e-6, above))
            lines.append(row(part, KINDS[k % 8], f"N{k}", 0.3, 0.01))  # by chance
            lines.append(row(part, KINDS[k % 8], f"N{k}", 1e-6, 0.0, "g/huge"))
            lines.append(row(part, KINDS[k % 8], f"N{k}", 1e-6, 0.0, evidence=4.0))  # too dear
    return pd.DataFrame(lines)


def test_a_null_cloud_is_a_function_of_its_seed_kind_and_number(lawful):
    first, again = (null_clouds.null_clouds("test", lawful, 4, 3) for _ in range(2))
    fewer = null_clouds.null_clouds("test", lawful, 2, 3, ["walk"])
    assert [c.kind for c in first] == [kind for kind in KINDS for _ in range(4)]
    assert all(np.array_equal(a.points, b.points) for a, b in zip(first, again, strict=True))
    same = [c for c in first if c.kind == "walk"][:2]
    assert all(np.array_equal(a.points, b.points) for a, b in zip(fewer, same, strict=True))
    other = null_clouds.null_clouds("test", lawful, 4, 4)
    assert not any(np.array_equal(a.points, b.points) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_null_clouds_have_no_law_by_their_making(kind, lawful):
    """Their points lie on no line: at least a quarter of the spread away from any."""
    clouds = null_clouds.null_clouds("test", lawful, 8, 0, [kind])
    assert len({c.name for c in clouds}) == 8
    for cloud in clouds:
        assert cloud.points.ndim == 2 and 20 <= len(cloud.points) <= 200
        if kind != "clusters":  # two of them lie on a line, as thick as they are
            scaled = cloud.points / cloud.points.std(axis=0)
            assert np.sqrt(np.linalg.eigvalsh(np.cov(scaled.T))[0]) > 0.25, cloud.name


def test_what_is_permuted_keeps_its_columns_and_loses_its_law(lawful):
    for cloud in null_clouds.null_clouds("test", lawful, 8, 0, ["permuted"]):
        (source,) = (c for c in lawful if cloud.name == f"permuted-{c.name}")
        np.testing.assert_array_equal(np.sort(cloud.points, 0), np.sort(source.points, 0))
        law = parse(f"x1*x2 - {float(source.points[0].prod())!r}")
        assert certify(law, source.points).contrast < 1e-9
        assert certify(law, cloud.points).contrast > 0.4


def test_trends_and_correlations_are_as_weak_as_they_say():
    rng = np.random.default_rng(0)
    for _ in range(50):
        points = null_clouds.correlated(4000, 3, rng)
        of_pairs = np.abs(np.corrcoef(points.T)[np.triu_indices(3, 1)])
        assert of_pairs.min() > 0.25 and of_pairs.max() < 0.92 and np.ptp(of_pairs) < 0.1
        x, y = null_clouds.regression(4000, 2, rng).T
        fit = np.polynomial.Chebyshev.fit(x, y, 9)
        assert 0.15 < 1.0 - np.var(y - fit(x)) / np.var(y) < 0.85


@pytest.mark.parametrize(
    "change, message",
    [({"kinds": ["noise"]}, "unknown kind 'noise'; known are permuted"),
     ({"per_kind": 9}, "per_kind is 9; expected at most 8")],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(change, message, lawful):
    with pytest.raises(ValueError, match=message):
        null_clouds.null_clouds("test", lawful, **({"per_kind": 1, "seed": 0} | change))


def test_a_rule_says_what_the_certificate_says(lawful):
    """The score of a cloud against the rule, and ``law`` of its candidates' certificates."""
    clouds = [*lawful[:3], *null_clouds.null_clouds("test", lawful, 3, 0)]
    lines, laws = [], []
    for cloud in clouds:
        for f in ("x1*x2 - 1", "x1 - x2", "x1 - 1.2 + 0*x2"):
            found = certify(parse(f), cloud.points)
            judged = found.p, found.contrast, found.kind, found.evidence
            lines.append(row("test", cloud.kind, cloud.name, *judged))
            laws.append(found.law)
    table = pd.DataFrame(lines)
    said = scores(table, LIBRARY.p).set_index("cloud").score <= LIBRARY.contrast
    assert 0 < sum(laws) < len(laws)
    by_cloud = table.assign(law=laws).groupby("cloud", sort=False).law.any()
    assert said.to_dict() == by_cloud.to_dict()


def test_the_rule_that_detects_most_is_chosen(table):
    rule = choose(table[table.part == "calibration"])
    assert rule == Rule(1e-4, 0.2)
    found = rates(table, rule).set_index(["part", "kind"])
    assert found.share["test", LAWFUL] == 1.0 and found.share["test", "all null"] == 0.0
    assert found.clouds["test", "all null"] == 100 and found.clouds["test", "permuted"] == 13


def test_no_rule_is_chosen_where_all_say_too_much(table):
    useless = table.assign(p=1e-9, contrast=0.01)
    with pytest.raises(ValueError, match=r"no rule has at most 0\.03 false discoveries"):
        choose(useless)


def test_intervals_are_wilsons_or_over_laws(table):
    """0 of 100: 3.7 % at most. Clouds of one law count once where they agree."""
    found = rates(table, Rule(1e-3, 0.1)).set_index(["part", "kind"])
    assert found.high["test", "all null"] == pytest.approx(1.96**2 / (100 + 1.96**2), rel=1e-3)
    agreeing = table.copy()
    half = agreeing.cloud.str.partition("-")[0].isin([f"W{k}" for k in range(10)])
    agreeing.loc[agreeing.kind == LAWFUL, "contrast"] = np.where(
        half[agreeing.kind == LAWFUL], 0.01, 0.9
    )
    line = rates(agreeing, Rule(1e-3, 0.1)).set_index(["part", "kind"]).loc["test", LAWFUL]
    assert line.share == 0.5
    # 20 laws, not 100 clouds: ± 1.96·√(0.25/20)
    assert line.high - line.low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 20), rel=0.15)


def test_the_roc_rises_and_its_points_are_those_of_the_rules(table):
    mine = table[table.part == "test"]
    curve = roc(mine, 1e-3)
    assert (np.diff(curve.detection) >= 0).all() and (np.diff(curve["false"]) >= 0).all()
    assert curve.detection.iloc[-1] == 1.0 and curve["false"].iloc[-1] == 1.0
    for contrast in (0.05, 0.3, 0.6):
        at = curve[curve.contrast <= contrast].iloc[-1]
        found = rates(mine, Rule(1e-3, contrast)).set_index("kind").share
        assert (at.detection, at["false"]) == (found[LAWFUL], found["all null"])


def test_mistakes_are_all_that_the_rates_count(table):
    rule = Rule(1e-3, 0.3)
    found, wrong = rates(table, rule).set_index(["part", "kind"]), mistakes(table, rule)
    false = found.laws["test", "all null"]
    assert false > 0 and false == ((wrong.part == "test") & (wrong.kind != LAWFUL)).sum()
    tight = mistakes(table, Rule(1e-3, 0.1))
    assert set(tight.mistake) == {"missed"}
    assert (tight.part == "test").sum() == 100 - rates(table, Rule(1e-3, 0.1)).query(
        "part == 'test' and kind == @LAWFUL").laws.item()  # fmt: skip


def test_the_search_keeps_every_candidate_and_resumes(lawful, tiny_model, tmp_path, monkeypatch):
    save_weights(tiny_model, tmp_path / "weights")
    config = PlusConfig(proposers=("relations",))
    clouds = [lawful[0], *null_clouds.null_clouds("test", lawful, 1, 0, ["walk"])]
    arguments = clouds, tmp_path / "weights", config, 1, tmp_path / "journal"
    found = search(*arguments)
    assert list(dict.fromkeys(found.cloud)) == [c.name for c in clouds]
    of_first = discover(clouds[0].points, arguments[1], config=config).candidates
    assert sorted(str(law.program) for law in of_first) == sorted(
        found.equation[found.cloud == clouds[0].name]
    )
    assert all(c.is_monotonic_increasing for _, c in found.groupby("cloud").contrast)
    assert (scores(found, 1e-3).score <= 1e-6).tolist() == [True, False]

    def again(*_):
        raise AssertionError("a finished cloud was searched again")

    monkeypatch.setattr(calibration, "_searched", again)
    pd.testing.assert_frame_equal(search(*arguments), found)
    write(found, tmp_path / "no_law.csv")
    read = pd.read_csv(tmp_path / "no_law.csv")
    assert len(read) == len(found) and read.contrast.tolist() == found.contrast.tolist()


def test_a_cloud_without_candidates_has_a_row_and_no_law(lawful, tmp_path, monkeypatch):
    class Nothing:
        candidates = ()

    monkeypatch.setattr(calibration, "discover", lambda *_, **__: Nothing)
    found = search(lawful[:1], tmp_path)
    assert found.degeneracy.tolist() == ["no equation"]
    assert scores(found, 1.0).score.tolist() == [np.inf]


def test_the_thresholds_of_the_library_were_measured(root):
    """At most 5 % of 96 null clouds taken for lawful, at least 90 % of noise-free wild found."""
    table = pd.read_csv(root / "data/results/no_law.csv")
    calibration, test = (table[table.part == part] for part in ("calibration", "test"))
    for part in (calibration, test):
        found = rates(part, LIBRARY).set_index("kind")
        assert set(found.index) == {LAWFUL, "all null", *KINDS}
        assert found.clouds["all null"] >= 96 and found.clouds[LAWFUL] >= 60
        assert found.share["all null"] <= 0.05 and found.share[LAWFUL] >= 0.9
    assert not set(calibration.cloud[calibration.kind == LAWFUL]) & set(test.cloud)
    (found,) = rates(table[table.part == "noise 0.01"], LIBRARY).itertuples()
    assert (found.kind, found.clouds) == (LAWFUL, 37)


def test_the_figure_and_the_table_show_both_parts(table):
    rule = choose(table[table.part == "calibration"])
    figure = report.no_law(table, rule)
    left, right = figure.axes
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["calibration", "test"]
    assert [label.get_text() for label in right.get_yticklabels()] == [*KINDS, "all null"]
    shown = report.table(rates(table, rule))
    assert list(shown.columns) == ["kind", "calibration", "test"]
    assert shown.set_index("kind").test["all null"] == "0 of 100: 0.0 % [0, 4]"
    plt.close("all")
