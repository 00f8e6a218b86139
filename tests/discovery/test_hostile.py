"""Any input gets an answer, "no law", or one clear error: no crash, no warning, no hang.

A few hundred examples here; ``PIE_HOSTILE=10000 pytest tests/discovery/test_hostile.py`` tries
as many.
"""

import functools
import io
import itertools
import json
import os
import sys
from dataclasses import replace

import hostile
import numpy as np
import pandas as pd
import pytest
import sympy
from hostile import clear
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny import SMALLEST

from pie import ImplicitRegressor
from pie.discovery import cli, laws
from pie.discovery.laws import discover
from pie.discovery.measurements import LARGEST, BadTable, measurements
from pie.discovery.subsets import rough
from pie.expr.expression import parse
from pie.network.model import save_weights
from pie.search.pool import Interrupted

TRIED = int(os.environ.get("PIE_HOSTILE", "300"))


def tries(share):
    """So many examples in all; the same ones every time unless PIE_HOSTILE is set."""
    return settings(
        max_examples=max(1, int(share * TRIED)), deadline=None, database=None,
        derandomize="PIE_HOSTILE" not in os.environ, suppress_health_check=list(HealthCheck),
    )  # fmt: skip


@pytest.fixture(scope="module")
def weights(tmp_path_factory, tiny_model):
    folder = tmp_path_factory.mktemp("weights")
    save_weights(tiny_model, folder)
    return folder


def shown(result):
    """Every printed form of a result works and agrees with the others."""
    assert str(result) and result._repr_markdown_()
    assert ("no law found" in str(result)) == (result.best is None) == (not result.law)
    assert len(result.table()) == len(result.candidates) >= len(result.front)
    content = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert content["law"] == result.law and len(content["candidates"]) == len(result.candidates)
    for law in result.candidates:
        assert " = " in law.latex and np.isfinite(law.program.constants).all()
        own = {sympy.Symbol(name) for name in law.names}
        assert law.expression.free_symbols <= own
        constants = {sympy.Symbol(name) for name in law.constants}
        assert not constants & own and law.template.free_symbols <= own | constants
        assert law.rms >= 0.0 and law.relative_rms >= 0.0 and law.complexity > 0


def answered(data, folder, **options):
    """The result, which can be shown; None for a table that is refused clearly."""
    try:
        result = discover(data, folder, config=SMALLEST, **options)
    except BadTable as error:
        clear(error)
        return None
    shown(result)
    return result


@tries(1.0)
@given(st.one_of(hostile.frames(), hostile.containers()), hostile.options())
def test_any_table_has_points_that_can_be_searched_or_one_clear_error(data, options):
    try:
        found = measurements(data, **options)
    except BadTable as error:
        clear(error)
        return
    assert 1 <= len(found.points) <= options["max_points"]
    assert found.points.shape[1] == len(found.names)
    assert np.abs(found.points).max() <= LARGEST and len(set(found.names)) == len(found.names)
    assert len(np.unique(found.points, axis=0)) == len(found.points)


@pytest.mark.slow
@tries(0.4)
@given(st.one_of(hostile.frames(), hostile.containers()), hostile.options())
def test_any_table_gets_an_answer_or_one_clear_error(weights, capfd, data, options):
    answered(data, weights, **options)
    assert capfd.readouterr() == ("", "")


@tries(0.01)
@given(hostile.wide())
def test_wide_tables_end_after_so_many_sets_of_columns(weights, data):
    result = answered(data, weights, max_sets=2)
    if result is not None and len(result.names) > 3:
        assert len({law.names for law in result.candidates}) <= 2


@pytest.mark.slow
@tries(0.25)
@given(hostile.texts(), st.sampled_from([["--json"], ["--all"], ["--missing=drop"]]))
def test_any_file_ends_with_0_1_or_2_and_one_line_on_errors(weights, tmp_path, capfd, text, how):
    path = tmp_path / "points.csv"
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "discover", functools.partial(discover, config=SMALLEST))
        status = cli.main(["discover", str(path), "--weights", str(weights), *how])
    out, err = capfd.readouterr()
    if status == cli.UNUSABLE:
        assert out == "" and err.startswith("error: ")
        clear(err.strip())
        return
    assert status in (cli.FOUND, cli.NOTHING) and err == ""
    if how == ["--json"]:
        assert json.loads(out)["law"] == (status == cli.FOUND)
    else:
        assert ("no law found" in out) == (status == cli.NOTHING)


@pytest.mark.slow
@tries(0.04)
@given(st.one_of(hostile.frames(), hostile.containers()))
def test_the_regressor_fits_or_refuses_and_its_answers_agree(weights, capfd, data):
    model = ImplicitRegressor(weights, beam=2, proposers=("relations", "network"))
    try:
        model.fit(data)
    except (ValueError, TypeError) as error:  # TypeError is scikit-learn's, for what is no array
        assert str(error)
        return
    finally:
        assert capfd.readouterr() == ("", "")
    distance, score = model.predict(data), model.score(data)
    assert distance.shape == (len(data),) and not score > 0.0
    assert (model.law_ is None) == (model.result_.best is None)


# ---- what these inputs brought to light, one by one ----

X = np.linspace(0.5, 2.0, 40)
LAWFUL = np.column_stack([X, 1.0 / X])


@pytest.mark.parametrize("scale", [1e-59, 1e-30, 1e30, 1e59])
def test_a_law_is_found_in_any_units_that_are_taken(weights, scale):
    best = discover(LAWFUL * scale, weights, config=SMALLEST).best
    assert best is not None and best.names == ("x1", "x2")
    np.testing.assert_allclose(best.distance(LAWFUL * scale), 0.0, atol=1e-12 * scale)


def test_a_column_that_varies_in_one_row_only_obeys_no_law(weights):
    for row in range(8):
        table = np.column_stack([X, np.where(np.arange(40) == row, 1.0, 0.0)])
        result = discover(table, weights, config=SMALLEST)
        assert not result.law
        shown(result)


def test_constants_are_not_called_like_columns(weights):
    frame = pd.DataFrame({"c1": X, "c2": 3.0 / X})
    law = discover(frame, weights, config=SMALLEST).best
    assert set(law.constants) == {"c_1"} and {s.name for s in law.template.free_symbols} == {
        "c1", "c2", "c_1",
    }  # fmt: skip


def test_the_distance_neither_overflows_nor_fails_at_a_singular_zero(weights):
    law = discover(LAWFUL, weights, config=SMALLEST).best
    assert str(law.program) == "x1*x2 - 1.0"
    assert law.distance(np.array([[1e10, 1e160]])) == pytest.approx(1e10)
    crossing = replace(law, program=parse("x1*x2"))
    assert crossing.distance(np.zeros((1, 2))) == 0.0


def test_the_regressor_warns_neither_of_infinities_nor_of_sparse_columns(weights):
    model = ImplicitRegressor(weights, beam=2, proposers=("relations", "network"))
    with pytest.raises(ValueError, match="contains infinity"):
        model.fit(np.concatenate([LAWFUL, [[np.inf, -np.inf], [-np.inf, np.inf]]]))
    sparse = pd.DataFrame({"a": X, "b": pd.arrays.SparseArray(1.0 / X)})
    assert model.fit(sparse).score(sparse) > -1e-9
    assert model.score(pd.DataFrame({"a": [1e100], "b": [1e200]})) < -1e99
    assert model.score(pd.DataFrame({"a": [1e200], "b": [-1e200]})) == -np.inf


def test_of_many_columns_the_result_says_which_were_compared_and_searched(weights):
    table = np.random.default_rng(0).random((50, 40))
    table[:, 10:20] = table[:, :10] ** 2
    result = discover(table, weights, config=SMALLEST, max_sets=3)
    assert any("of 9880 sets of 3 columns 200 were compared" in note for note in result.notes)
    assert any("of columns left out that may have a law" in note for note in result.notes)
    assert any("searched 3 sets of columns: " in note for note in result.notes)


def test_columns_by_name_are_a_table(weights):
    by_name, frame = ({"x": X, "y": 3.0 / X}, pd.DataFrame({"x": X, "y": 3.0 / X}))
    found = [repr(discover(data, weights, config=SMALLEST)) for data in (by_name, frame)]
    assert found[0] == found[1]


def test_a_slow_machine_ends_the_search_and_the_result_says_so(weights):
    table = np.random.default_rng(0).random((50, 6))
    table[:, 3:] = table[:, :3] ** 2
    result = discover(table, weights, config=SMALLEST, seconds=0.0)
    assert any("the search ended after 0 s" in note for note in result.notes)
    assert any("searched 1 set of columns: " in note for note in result.notes)
    assert not result.candidates, "not a batch was fitted"


def test_an_interrupted_search_says_what_it_has_found(weights, monkeypatch):
    x = np.random.default_rng(0).uniform(0.5, 2.0, (60, 3))
    x[:, 1] = x[:, 0] ** 2
    search, asked = laws.discover_plus, []

    def interrupted(*arguments):
        found = search(*arguments)
        asked.append(found)
        raise Interrupted(found if len(asked) == 1 else replace(found, candidates=()))

    monkeypatch.setattr(laws, "discover_plus", interrupted)
    result = discover(x, weights, config=SMALLEST)
    assert len(asked) == 1 and any("was interrupted" in note for note in result.notes)
    assert result.candidates, "what the search had found is lost"
    with pytest.raises(KeyboardInterrupt):
        discover(x, weights, config=SMALLEST)


def test_what_was_found_before_an_interrupt_between_two_searches_stays(weights, monkeypatch):
    x = np.random.default_rng(0).uniform(0.5, 2.0, (60, 3))
    x[:, 1] = x[:, 0] ** 2
    ranked = laws.subsets.ranked

    def interrupted(points, size):
        if size == 3:
            raise KeyboardInterrupt
        return ranked(points, size)

    monkeypatch.setattr(laws.subsets, "ranked", interrupted)
    result = discover(x, weights, config=SMALLEST)
    assert result.candidates and any("was interrupted" in note for note in result.notes)


def test_lawful_triples_of_thirty_columns_are_compared_among_the_first():
    rng = np.random.default_rng(0)
    table = rng.uniform(0.5, 2.0, (200, 30))
    table[:, 4] = table[:, 2] * table[:, 3]
    table[:, 9] = table[:, 8] * np.sin(table[:, 7]) + 0.02 * rng.standard_normal(200)
    table[:, 12] = np.hypot(table[:, 10], table[:, 11])
    every = list(itertools.combinations(range(30), 3))
    order = np.argsort(rough(table, np.array(every)))
    first = {every[k] for k in order[:100]}
    assert first >= {(2, 3, 4), (7, 8, 9), (10, 11, 12)}


def test_too_many_columns_are_refused_at_once(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    path.write_text("1," * 70_000)
    assert cli.main(["discover", str(path)]) == cli.UNUSABLE
    assert "70000 columns; expected at most 100: choose some" in capsys.readouterr().err


def test_names_that_a_terminal_cannot_show_are_written_otherwise(weights, tmp_path, monkeypatch):
    path, terminal = tmp_path / "points.csv", io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    pd.DataFrame(LAWFUL, columns=["质量", "b"]).to_csv(path, index=False)
    monkeypatch.setattr(cli, "discover", functools.partial(discover, config=SMALLEST))
    monkeypatch.setattr(sys, "stdout", terminal)
    assert cli.main(["discover", str(path), "--weights", str(weights)]) == cli.FOUND
    terminal.seek(0)
    assert r"\u8d28\u91cf" in terminal.read()
