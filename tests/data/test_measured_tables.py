"""The measured tables and their index agree; nothing is searched here."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pie.discovery.measurements import measurements, read_csv
from pie.discovery.units import Units
from pie.expr.expression import parse

FOLDER = Path(__file__).resolve().parents[2] / "data/measured"
INDEX = pd.read_csv(FOLDER / "tables.csv", keep_default_na=False)
LOOKED_AT = {"puromycin"}  # before there were halves: it may guide choices, and none may test on it
WITH_LAW = INDEX[INDEX["law"] == "yes"]


@pytest.mark.parametrize("row", list(INDEX.itertuples()), ids=INDEX["table"])
def test_a_table_is_read_as_the_index_says(row):
    table = read_csv(FOLDER / f"{row.table}.csv")
    points = measurements(table)
    assert points.names == tuple(row.columns.split())
    assert 2 <= points.points.shape[1] <= 4
    assert len(points.points) <= len(table) == row.rows <= 300


def test_units_are_of_every_column_or_of_none_and_are_known():
    assert (INDEX["units"] != "").mean() > 0.9
    for row in INDEX[INDEX["units"] != ""].itertuples():
        Units.of(row.units.split(), row.columns.split())  # raises for another number, or an unknown


@pytest.mark.parametrize("row", list(WITH_LAW.itertuples()), ids=WITH_LAW["table"])
def test_a_relation_uses_all_columns_of_its_table_and_is_defined_there(row):
    table = measurements(read_csv(FOLDER / f"{row.table}.csv"))
    assert row.textbook
    for relation in map(parse, row.relation.split(" ; ")):
        assert relation.variables == tuple(range(1, len(table.names) + 1))
        assert np.isfinite(relation.values(table.points)).all()


def test_tables_without_a_law_have_no_relation():
    without = INDEX[INDEX["law"] == "no"]
    assert (without[["textbook", "relation", "certified_sd"]] == "").all(axis=None)


def test_the_index_has_enough_of_both_kinds_in_halves_alike():
    assert set(INDEX["law"]) == {"yes", "no"} and set(INDEX["half"]) == {"choice", "test"}
    counts = INDEX.groupby("law")["half"].value_counts().unstack()
    assert counts.loc["yes"].sum() >= 40 and counts.loc["no"].sum() >= 10
    moved = 2 * len(LOOKED_AT)  # one more in the one half is one fewer in the other
    assert ((counts["choice"] - counts["test"]).abs() <= 1 + moved).all()


def test_the_halves_follow_the_rule():
    for _, tables in INDEX.groupby("law"):
        names = np.array(sorted(tables["table"]))
        np.random.default_rng(0).shuffle(names)
        half = dict(zip(tables["table"], tables["half"], strict=True))
        assert [half[name] for name in names[:2]] == ["choice", "test"]
        assert {half[name] for name in names[::2]} == {"choice"}
        assert {name for name in names[1::2] if half[name] == "choice"} <= LOOKED_AT


def test_every_table_has_a_source_and_no_file_is_astray():
    assert INDEX["table"].is_unique and (INDEX["source"] != "").all()
    expected = {"README.md", "tables.csv", *(f"{name}.csv" for name in INDEX["table"])}
    assert {path.name for path in FOLDER.iterdir()} == expected
