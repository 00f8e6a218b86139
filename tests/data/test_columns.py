"""Laws of many columns: their files agree with themselves. Nothing is searched here."""

from collections import Counter

import numpy as np
import pytest

from pie.data.benchmarks import read_equations, read_rows
from pie.data.columns import KINDS, column_laws, points
from pie.data.corpus import HeldOut
from pie.expr.canonical import canonical
from pie.expr.expression import parse

FEYNMAN, OWN, DEVELOPMENT = 83, 40, 31


@pytest.fixture(scope="module")
def sets(root):
    names = "feynman_columns", "columns", "development"
    return {name: column_laws(name, root / "data/columns") for name in names}


@pytest.fixture(scope="module")
def laws(sets):
    return [law for members in sets.values() for law in members]


def relative_residuals(law, drawn):
    """|f| as a share of Σ|xᵢ ∂f/∂xᵢ|, which no unit changes."""
    value, gradient = law.equation.value_and_gradient(drawn)
    return np.abs(value) / np.abs(drawn * gradient).sum(axis=1)


def test_the_sets_have_the_sizes_that_the_documents_name(sets, root):
    assert {name: len(members) for name, members in sets.items()} == {
        "feynman_columns": FEYNMAN, "columns": OWN, "development": DEVELOPMENT,
    }  # fmt: skip
    text = (root / "docs/data.md").read_text()
    assert f"{FEYNMAN} of the 100" in text and f"{OWN} laws" in text
    assert f"{DEVELOPMENT} others" in text


def test_columns_are_a_mix_of_kinds(sets):
    kinds = Counter(law.kind for law in sets["columns"])
    assert dict(kinds) == dict(zip(KINDS, (12, 8, 8, 6, 6), strict=True))
    assert {law.kind for law in sets["feynman_columns"]} == set(KINDS)


def test_no_law_and_no_id_is_named_twice(laws):
    for names in ([law.name for law in laws], [law.law_id for law in laws]):
        assert len(set(names)) == len(names)


def test_every_law_names_its_columns_and_uses_all_of_them(sets):
    most = {name: max(len(law.columns) for law in members) for name, members in sets.items()}
    assert most == {"feynman_columns": 9, "columns": 8, "development": 6}
    for law in (law for members in sets.values() for law in members):
        d = len(law.columns)
        assert d >= 4 and len(set(law.columns)) == d and all(law.columns), law.name
        assert law.equation.variables == tuple(range(1, d + 1)), law.name
        assert law.formula.variables == tuple(range(1, d)), law.name
        assert law.low.shape == law.high.shape == (d - 1,) and np.all(law.low < law.high), law.name


@pytest.mark.parametrize("name", ["columns", "development"])
def test_every_law_of_a_textbook_says_which(name, root):
    assert all(", " in row["source"] for row in read_rows(root / f"data/columns/{name}.csv"))


def test_eleven_laws_of_the_development_set_are_about_degrees(sets):
    about = [law for law in sets["development"] if any("(deg)" in name for name in law.columns)]
    assert [law.kind for law in about] == ["trigonometric"] * 11


def test_points_obey_their_law(laws):
    off = {law.name: relative_residuals(law, points(law, 1000, 0.0, 0)).max() for law in laws}
    assert {name: share for name, share in off.items() if not share < 1e-9} == {}


def test_points_leave_their_law_if_a_column_is_permuted(laws):
    """So that the residual above says something about every column."""
    for law in laws:
        drawn = points(law, 200, 0.0, 0)
        for i in range(drawn.shape[1]):
            moved = drawn.copy()
            moved[:, i] = np.roll(moved[:, i], 1)
            assert np.median(relative_residuals(law, moved)) > 1e-5, (law.name, law.columns[i])


def test_all_columns_are_finite_and_vary_within_their_ranges(laws):
    for law in laws:
        drawn = points(law, 1000, 0.0, 1)
        assert np.isfinite(drawn).all(), law.name
        assert np.all(drawn.std(axis=0) > 0.01 * np.abs(drawn).mean(axis=0)), law.name
        inputs, width = drawn[:, :-1], law.high - law.low
        assert np.all((law.low <= inputs) & (inputs <= law.high)), law.name
        assert np.all(np.ptp(inputs, axis=0) > 0.95 * width), law.name


@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_noise_is_a_share_of_the_spread_of_every_column(laws, noise):
    for law in laws:
        exact = points(law, 500, 0.0, 2)
        off = (points(law, 500, noise, 2) - exact) / exact.std(axis=0)
        np.testing.assert_allclose(off.std(axis=0), noise, rtol=0.2, err_msg=law.name)
        assert np.abs(np.corrcoef(off.T) - np.eye(off.shape[1])).max() < 0.25, law.name


def test_points_are_a_function_of_law_and_seed(laws):
    for law in laws:
        first = points(law, 60, 0.01, 3)
        np.testing.assert_array_equal(first, points(law, 60, 0.01, 3))
        assert not np.array_equal(first, points(law, 60, 0.01, 4))
    lensmaker, resistors = (law for law in laws if law.law_id in ("C14", "C15"))
    assert points(lensmaker, 1, 0.0, 0)[0, 0] != points(resistors, 1, 0.0, 0)[0, 0]


def test_points_are_those_of_other_machines(laws):
    (lensmaker,) = (law for law in laws if law.law_id == "C14")
    drawn = points(lensmaker, 1, 0.0, 0)
    known = [[1.748129164775209, 199.01155411020233, -36.352988185829474, 41.086654886293594]]
    np.testing.assert_allclose(drawn, known, rtol=1e-13)


def test_own_laws_of_few_columns_are_in_no_other_set(sets, root):
    """Under no naming of their variables, whatever the constants; of up to six columns."""
    few = [law.equation for law in sets["columns"] if len(law.columns) <= 6]
    assert len(few) == 34
    held_out = HeldOut(few, tolerance=np.inf)
    assert all(canonical(equation) in held_out for equation in few)
    prior = read_rows(root / "data/prior/formulas.csv")
    others = {row["name"]: parse(row["equation"]) for row in prior}
    for name in ("feynman", "synthetic", "synthetic_printed", "wild", "examples"):
        others |= read_equations(root / "data/benchmarks", name)
    others |= {law.law_id: law.equation for law in sets["feynman_columns"]}
    assert [name for name, other in others.items() if canonical(other) in held_out] == []


def test_own_laws_differ_from_each_other(sets):
    forms = [canonical(law.equation).codes for law in sets["columns"]]
    assert len(set(forms)) == len(forms)
