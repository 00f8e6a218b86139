"""Test sets and the paper's tables: complete, on their equations, and transcribed number by number."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from pie.data.benchmarks import NAMES, WILD_WAYS, load, read_equations, read_laws, read_rows
from pie.data.sampling import Unsampled
from pie.expr.canonical import canonical
from pie.expr.operators import BY_NAME
from pie.zeroset.distance import distance_to_zero_set

SIZES = {"feynman": 39, "synthetic_printed": 50, "synthetic": 80}


@pytest.mark.parametrize("name", NAMES)
def test_test_sets_are_complete_and_their_points_are_zeros(root, name):
    problems = load(root / "data/benchmarks", name)
    assert len(problems) == SIZES[name]
    for p in problems:
        assert p.points.shape == (200, len(p.truth.variables)) and np.isfinite(p.points).all()
        value, gradient = p.truth.value_and_gradient(p.points)
        scale = np.maximum(np.linalg.norm(gradient, axis=1), 1e-3) * (1 + np.abs(p.points).max(1))
        assert np.max(np.abs(value) / scale) < 1e-6, p.equation_id
        assert p.points.std(0).min() > 1e-4, p.equation_id


def test_wild_is_large_and_varied(root):
    laws = read_laws(root / "data/benchmarks")
    rows = read_rows(root / "data/benchmarks/wild.csv")
    fields = Counter(row["field"] for row in rows)
    assert all(row["source"] for row in rows)
    assert len(laws) == 74 and len({law.law_id for law in laws}) == 74
    assert fields.keys() == {"geometry", "mechanics", "thermodynamics", "optics", "chemistry",
                             "biology", "electronics"} and min(fields.values()) >= 6  # fmt: skip
    for law in laws:
        d = len(law.equation.variables)
        assert law.equation.variables == tuple(range(1, d + 1)) and 2 <= d <= 3
        assert law.box.low.shape == (d,) and np.all(law.box.low < law.box.high)
        assert len(canonical(law.equation).codes) <= 40


def test_every_law_can_be_drawn_in_at_least_four_ways(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    from draw_test_sets import draw_wild

    for law in read_laws(root / "data/benchmarks"):
        ways = 0
        for way in ("free_box", "whole", "patch", "clusters", "trajectory"):
            try:
                points = draw_wild(law, way, 100, np.random.default_rng(1))
            except Unsampled:
                continue
            ways += 1
            assert law.box.contains(points).all()
            value, gradient = law.equation.value_and_gradient(points)
            distance = np.abs(value) / np.linalg.norm(gradient / points.std(axis=0), axis=1)
            assert np.median(distance) < 1e-6, (law.law_id, way)
        assert ways >= 4, law.law_id


def test_wild_comes_in_every_way_and_its_points_obey_the_laws(root):
    problems = load(root / "data/benchmarks", "wild")
    assert len(problems) == len({p.equation_id for p in problems}) == 74 * len(WILD_WAYS)
    assert len(WILD_WAYS) >= 4
    for problem in problems:
        assert problem.sampling.split(", ")[0] == problem.equation_id.partition("-")[2]
        assert problem.points.shape[1] == len(problem.truth.variables)
        assert len(problem.points) >= 30 and np.isfinite(problem.points).all()
        distance = distance_to_zero_set(problem.truth, problem.points)
        assert np.all(distance <= 1e-5 * np.linalg.norm(problem.points.std(axis=0))), problem
        assert np.all(problem.box.contains(problem.points)) or "units" in problem.equation_id


def test_the_units_of_wild_span_decades(root):
    sizes = [
        np.median(np.abs(p.points), axis=0)
        for p in load(root / "data/benchmarks", "wild")
        if p.equation_id.endswith("units")
    ]
    assert np.quantile(np.log10(np.concatenate(sizes)), [0.05, 0.95]) == pytest.approx(
        [-2.5, 3.0], abs=0.8
    )


def test_an_unknown_test_set_is_named(root):
    with pytest.raises(FileNotFoundError, match="no test set 'nguyen'"):
        read_equations(root / "data/benchmarks", "nguyen")


def test_table_3_is_the_operator_table(root):
    table = pd.read_csv(root / "data/paper/table3_operators.csv")
    assert {r.operator: r.probability for r in table.itertuples()} == {
        name: op.weight for name, op in BY_NAME.items() if op.weight
    }


@pytest.fixture(scope="module")
def paper(root):
    path = root.parent / "shared" / "paper" / "paper.tex"
    if not path.exists():
        pytest.skip("the paper's source is not here")
    return path.read_text()


def rows_of(paper, label):
    """Cells of the rows of the tabular before or after a label."""
    blocks = re.findall(r"\\begin\{table\}.*?\\end\{table\}", paper, re.S)
    block = next(b for b in blocks if label in b)
    body = re.search(r"\\begin\{tabular\}.*?\n(.*?)\\end\{tabular\}", block, re.S).group(1)
    lines = re.sub(r"\\(toprule|midrule|bottomrule)", "", body).split(r"\\")
    return [[cell.strip() for cell in line.split("&")] for line in lines if "&" in line]


def numbers(text):
    return [float(n) for n in re.findall(r"\d+\.?\d*(?:e-?\d+)?", text)]


@pytest.mark.parametrize("file, label", [("table1_synthetic", "tab: in-domain"),
                                         ("table2_feynman", "tab: out-of-domain")])  # fmt: skip
def test_results_are_those_of_the_paper(root, paper, file, label):
    ours = pd.read_csv(root / f"data/paper/{file}.csv")
    theirs = {
        row[0]: [numbers(cell)[0] for cell in row[1:]]
        for row in rows_of(paper, label)
        if "Method" not in row[0]
    }
    assert {r[0]: list(r[1:]) for r in ours.itertuples(index=False)} == theirs


@pytest.mark.parametrize("file, label", [("table4_hyperparameters", "tab:hyperparameters"), ("table5_gp", "tab: gp"),
                                         ("table6_nggp", "tab: nggp"), ("table3_operators", "tab: operator_probs")])  # fmt: skip
def test_parameters_are_those_of_the_paper(root, paper, file, label):
    table = pd.read_csv(root / f"data/paper/{file}.csv", dtype=str)
    ours = table["probability" if "operators" in file else "value"]
    theirs = [
        row[-1]
        for row in rows_of(paper, label)
        if numbers(row[-1]) or row[-1] in ("Adam", "True") or "Adam" in row[-1]
    ]
    assert [numbers(v) or v for v in ours] == [
        numbers(v.split(r"\cite")[0]) or v.split(r" \cite")[0] for v in theirs
    ]


@pytest.mark.parametrize(
    "name, label", [("feynman", "tab: aif"), ("synthetic_printed", "tab: synthetic}")]
)
def test_equations_are_those_of_the_paper(root, paper, name, label):
    """Every cell, as the multiset of its numbers and variables; one duplicate in Table 7."""

    def fingerprint(text):
        text = text.replace("*", " ").replace("^", " ")
        variables = Counter(re.findall(r"x_?\d", text.replace("_", "")))
        return tuple(sorted(numbers(re.sub(r"x_?\d", " ", text)))), tuple(sorted(variables.items()))

    cells = [cell for row in rows_of(paper, label) for cell in row if "$" in cell]
    theirs = {fingerprint(cell) for cell in cells}
    ours = pd.read_csv(root / f"data/benchmarks/{name}.csv").equation
    assert len(cells) == {"feynman": 40, "synthetic_printed": 50}[name]
    assert {fingerprint(text) for text in ours} == theirs
