"""The measured tables and their index agree; nothing is searched here."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pie.discovery.measurements import measurements, read_csv
from pie.discovery.units import Units
from pie.expr.expression import parse

FOLDER = Path(__file__).resolve().parents[2] / "data/measured"
INDEX = pd.read_csv(FOLDER / "tables.csv", keep_default_na=False)
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


def test_the_index_has_enough_of_both_kinds_in_both_parts():
    assert set(INDEX["law"]) == {"yes", "no"} and set(INDEX["part"]) == {"choice", "test"}
    counts = INDEX.groupby("law")["part"].value_counts().unstack()
    assert (counts.loc["yes"] >= 40).all() and (counts.loc["no"] >= 10).all()


def test_no_table_of_the_test_is_one_of_those_for_choices():
    """As by another name: no two have the same values in half of their rows."""
    known = {name: pd.read_csv(FOLDER / f"{name}.csv").to_numpy() for name in INDEX["table"]}
    parts = [INDEX.loc[INDEX["part"] == part, "table"] for part in ("choice", "test")]
    for one, other in itertools.product(*parts):
        a, b = ({tuple(row) for row in known[name].tolist()} for name in (one, other))
        assert len(a & b) < 0.5 * min(len(a), len(b)), (one, other)


def test_every_table_has_a_source_and_no_file_is_astray():
    assert INDEX["table"].is_unique and (INDEX["source"] != "").all()
    expected = {"README.md", "tables.csv", *(f"{name}.csv" for name in INDEX["table"])}
    assert {path.name for path in FOLDER.iterdir()} == expected
