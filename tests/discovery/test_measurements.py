import contextlib
import itertools

import numpy as np
import pandas as pd
import pytest
from hostile import clear
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pie.discovery.measurements import (
    NOTES,
    UNITS,
    BadTable,
    columns_in,
    measurements,
    of_columns,
    read_csv,
)
from pie.discovery.scales import Scale

CLOUD = np.column_stack([np.arange(1.0, 9.0), np.arange(1.0, 9.0) ** 2])


def table(tmp_path, text):
    path = tmp_path / "points.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "p,v\n1.5,2\n-3e1,4\n", "p;v\n1,5;2\n-3e1;4\n", "p\tv\n1.5\t2\n-3e1\t4\n",
        "p|v\n1,5|2\n-30|4\n", "  p   v\n 1.5   2\n-30  4\n",
        "\ufeffp, v\n# measured\n1.5, 2\n\n-30, 4",
        '"p","v"\n"1.5","2"\n"-30","4"\n', "p,v,\n1.5,2,\n-30,4,\n", "p;v\r\n1,5;2\r\n-30;4\r\n",
    ],
    ids=["commas", "decimal comma", "tabs", "bars", "blanks", "comments", "quotes",
         "delimiter at the end", "Windows"],
)  # fmt: skip
def test_a_text_file_is_read_as_it_is_meant(tmp_path, text):
    frame = read_csv(table(tmp_path, text))
    assert list(frame.columns) == ["p", "v"]
    assert frame.astype(float).to_numpy().tolist() == [[1.5, 2.0], [-30.0, 4.0]]


def test_without_a_header_columns_are_numbered(tmp_path):
    assert list(read_csv(table(tmp_path, "1,2\n3,4\n")).columns) == ["x1", "x2"]
    frame = read_csv(table(tmp_path, "Mercury,0.387,88\nVenus,0.723,225\n"))
    assert list(frame.columns) == ["x1", "x2", "x3"] and list(frame.x1) == ["Mercury", "Venus"]


@pytest.mark.parametrize(
    "text, name",
    [("country,1995\nNorway,3.5\nChile,4\n", "x_1995"), ("time,0.5\n1,3.5\n2,4\n", "x_0_5")],
)
def test_numbers_may_be_names_of_columns(tmp_path, text, name):
    frame = read_csv(table(tmp_path, text))
    assert len(frame) == 2 and frame.columns[1] == name


def test_a_first_line_taken_for_a_row_is_said(tmp_path):
    rows = ["Mercury,0.387,88", ",0.723,225", "Earth,1,365", "Mars,1.52,687"]
    found = measurements(read_csv(table(tmp_path, "\n".join(rows))))
    assert found.names == ("x2", "x3") and len(found.points) == 4
    assert (
        found.notes[0] == "the first line, 'Mercury, 0.387, 88', is taken for a row, not for names"
    )


def test_labels_that_are_no_whole_numbers_are_names():
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=[0.0, 1.0])
    assert columns_in(frame, ["x_1_0", "x_0_0"]).tolist() == [[2.0, 1.0], [4.0, 3.0]]


def test_the_path_of_a_file_is_a_table_too(tmp_path):
    path = table(tmp_path, "1.5;2\n-3e1;4\n0,5;8\n")
    expected = [[1.5, 2.0], [-30.0, 4.0], [0.5, 8.0]]
    assert measurements(path).points.tolist() == expected
    assert columns_in(str(path), ["x2", "x1"]).tolist() == np.flip(expected, axis=1).tolist()
    for wrong in (tmp_path / "none.csv", tmp_path, "a\0b", "x,y\n" + 5000 * "1,2\n"):
        with pytest.raises(BadTable, match="cannot read ") as said:
            measurements(str(wrong))
        assert len(str(said.value)) < 400


@pytest.mark.parametrize(
    "data, said", [(None, "are None"), (5, "are 5"), ([1.0, 2.0], "have shape")]
)
def test_what_is_no_table_is_quoted(data, said):
    with pytest.raises(BadTable, match=f"the data {said}.*; expected a table"):
        measurements(data)


def test_names_that_are_numbers_are_told_from_numbers(tmp_path):
    """Else a law between the columns 1995 and 1996 is written as 1995*1996 = 3."""
    frame = pd.DataFrame(CLOUD, columns=[1995, -2])
    assert measurements(frame).names == ("x_1995", "x__2")
    assert measurements(dict(frame.items())).names == ("x_1995", "x__2")
    assert columns_in(frame, ["x__2", "x_1995"]).tolist() == CLOUD[:, ::-1].tolist()
    assert of_columns({1995: "mm", "-2": "s"}, ["x_1995", "x__2"], "unit") == ["mm", "s"]
    assert measurements(table(tmp_path, "mass,1960\n1,2\n3,4\n5,7\n")).names == ("mass", "x_1960")


def test_columns_without_names_are_those_of_an_array():
    """A law of x1 and x2 of an array is not asked at the second and third column of a frame."""
    three = np.column_stack([CLOUD, CLOUD[:, 0] ** 0.5])
    for table in (pd.DataFrame(three), dict(enumerate(three.T))):
        assert measurements(table).names == ("x1", "x2", "x3")
        assert columns_in(table, ["x1", "x2"]).tolist() == CLOUD.tolist()
    part = pd.DataFrame(three)[[1, 2]]
    names = measurements(part).names
    assert names == ("x2", "x3")
    assert columns_in(pd.DataFrame(three), names).tolist() == three[:, 1:].tolist()
    assert of_columns({1: "m", 2: "s", 3: "kg"}, names, "unit") == ["m", "s"]
    with pytest.raises(BadTable, match="no column 'p'; known are x2, x1"):
        columns_in(pd.DataFrame(CLOUD, columns=[1, 0]), ["p", "V"])
    with pytest.raises(BadTable, match="no column 'x1'; known are x_0, x_1"):
        columns_in({"0": [1.0], "1": [2.0]}, ["x1", "x2"])


def test_two_columns_of_one_name_are_told():
    twice = {1995: CLOUD[:, 0], "x_1995": CLOUD[:, 1], "y": CLOUD[:, 1] ** 2}
    for ask in (measurements, lambda table: columns_in(table, ["x_1995", "y"])):
        with pytest.raises(BadTable, match="two columns are called 'x_1995'"):
            ask(twice)


def test_a_name_of_several_levels_is_one_text():
    nested = pd.DataFrame(CLOUD, columns=pd.MultiIndex.from_tuples([("a", 0), ("b", 1)]))
    assert measurements(nested).names == ("('a', 0)", "('b', 1)")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is empty; expected a table"),
        (b"\n # nothing\n", "is empty"),
        (b"a,b\n1,2\n3\n4,5\n", "row 2 of .* has 1 field; expected 2"),
        (b"\xff\x00\x81", "cannot read .*points.csv"),
        (None, "cannot read .*points.csv"),
    ],
    ids=["empty", "comments only", "ragged", "bytes", "no file"],
)
def test_what_is_no_table_is_said(tmp_path, content, message):
    path = tmp_path / "points.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadTable, match=message):
        read_csv(path)
    with pytest.raises(BadTable, match="cannot read"):
        read_csv(tmp_path)


def test_numbers_of_any_kind_are_taken():
    frame = pd.DataFrame(
        {"i": range(8), "flag": [True, False] * 4, "t": [str(k + 1) for k in range(8)],
         "f": pd.array([0.5 * k for k in range(8)], dtype="Float64")}
    )  # fmt: skip
    found = measurements(frame)
    assert found.names == ("i", "flag", "t", "f") and found.points.dtype == np.float64
    assert found.points[3].tolist() == [3.0, 0.0, 4.0, 1.5] and found.notes == ()


def test_rows_with_missing_values_go_only_if_asked():
    cloud = CLOUD.copy()
    cloud[[1, 3, 4, 6, 7], 0] = np.nan
    with pytest.raises(BadTable, match="column 'x1' in row 2, 4, 5 and 2 more"):
        measurements(cloud)
    found = measurements(cloud, missing="drop")
    assert found.points.tolist() == CLOUD[[0, 2, 5]].tolist() and "left out" in found.notes[0]


def test_constant_columns_and_repeated_rows_are_left_out_and_said():
    frame = pd.DataFrame(np.column_stack([CLOUD, np.full(8, 3.0)]), columns=["a", "b", "c"])
    found = measurements(pd.concat([frame, frame.iloc[:2]]).assign(again=lambda rows: rows.a))
    assert found.names == ("a", "b") and len(found.points) == 8
    assert found.notes == (
        "2 rows left out, equal to earlier ones in every column that is used",
        "column 'c' is 3 in every row: left out",
        "column 'again' repeats 'a': left out",
    )  # fmt: skip


def test_many_rows_are_thinned_the_same_way_every_time():
    cloud = np.random.default_rng(0).random((5000, 2))
    once, again = (measurements(cloud, max_points=300, seed=4) for _ in range(2))
    np.testing.assert_array_equal(once.points, cloud[np.isin(cloud[:, 0], once.points[:, 0])])
    np.testing.assert_array_equal(once.points, again.points)
    assert len(once.points) == 300 and once.notes == ("300 of 5000 rows are used, drawn at random",)


def with_cell(value):
    return pd.DataFrame({"m": [1.0, 2.0, value, 4.0], "r": [1.0, 2.0, 3.0, 5.0]}, dtype=object)


NUMBERED = np.arange(40.0)


def varying_by(scale):
    return np.column_stack([NUMBERED, scale * NUMBERED])


@pytest.mark.parametrize(
    "data, message",
    [
        (with_cell("heavy"), r"row 3, column 'm' is 'heavy'; expected a number"),
        (with_cell(np.inf), r"row 3, column 'm' is inf; expected numbers up to"),
        (with_cell(-1e200), r"row 3, column 'm' is -1e\+200; expected numbers up to"),
        (with_cell(None), r"values are missing \(NaN\): column 'm' in row 3; fill them in"),
        (with_cell("n/a"), r"values are missing \(NaN\): column 'm' in row 3"),
        (with_cell([1]), r"row 3, column 'm' is \[1\]; expected a number"),
        (with_cell(10**400), "row 3, column 'm' is .{5,80}; expected a number"),
        (with_cell(10**5000), "row 3, column 'm' is .{5,80}; expected a number"),
        (with_cell("x" * 9999), "row 3, column 'm' is .{5,80}; expected a number"),
        (np.full((9, 50), np.nan), "'x3' in row 1, 2, 3 and 6 more; and 47 more columns; fill"),
        (np.zeros(4), r"shape \(4,\); expected a table \(N, D\)"),
        ([[1, 2], [3]], "different lengths"),
        ({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0]}, "the columns are no table: "),
        (np.ones((5, 2)), "columns that vary: 0; expected at least 2"),
        (CLOUD[:1], "columns that vary: 0"),
        (CLOUD[:2], "2 different rows; expected more than the 2 columns"),
        (np.empty((0, 3)), "columns that vary: 0"),
        (CLOUD[:, [0, 0]], "columns that vary: 1; expected at least 2"),
        (
            np.column_stack([NUMBERED, np.where(NUMBERED % 2, 0.0, -0.0)]),
            "columns that vary: 1",
        ),
        (
            pd.DataFrame({"name": ["a", "b", "c"], "x": [1.0, 2.0, 4.0]}),
            "columns that vary: 1",
        ),
        (varying_by(5e-324), "'x2' varies by .* only; expected at least 1e-60"),
        (varying_by(1e-300), "'x2' varies by .* only; expected at least 1e-60"),
        (varying_by(1e-70), "'x2' varies by .* only; expected at least 1e-60"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "two columns are called 'a'"),
        (pd.DataFrame({"t": pd.timedelta_range(0, periods=3), "x": range(3)}), "'t' holds time"),
        (np.array([[1j, 2], [3, 4], [5, 7]]), "holds complex"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(data, message):
    with pytest.raises(BadTable, match=message):
        measurements(data)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"missing": "keep"}, "missing is 'keep'"),
        ({"max_points": 0}, "max_points is 0; expected a whole number, at least 1"),
        ({"seed": -1}, "seed is -1; expected a whole number, at least 0"),
        ({"seed": None}, "seed is None; expected a whole number"),
        ({"max_points": 1e3}, "max_points is 1000.0; expected a whole number"),
    ],
)
def test_options_that_cannot_be_used_are_quoted(options, message):
    with pytest.raises(BadTable, match=message):
        measurements(CLOUD, **options)


def test_zeros_of_either_sign_are_the_same_number():
    """−0 − 0 is −0, which NumPy takes for a box of negative size."""
    zeros = np.where(NUMBERED == 7.0, 9.0, np.where(NUMBERED % 2, 0.0, -0.0))
    assert not np.signbit(measurements(np.column_stack([NUMBERED, zeros])).points).any()


def tables(cell):
    """Rows of two or three cells each, more rows than columns."""
    return st.integers(2, 3).flatmap(
        lambda d: st.lists(st.lists(cell, min_size=d, max_size=d), min_size=d + 1, max_size=8)
    )


NUMBER = st.floats(-1e60, 1e60) | st.integers(-9, 9)
CELL = st.floats() | st.integers() | st.booleans() | st.none() | st.sampled_from("12a-")
GAPS = st.sampled_from([0.5, 1, 2, None, "-", "3"])


@settings(max_examples=300, deadline=None, derandomize=True)
@example([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.5, 1, 0.5], [1, 0.5, None]])
@given(
    tables(NUMBER) | tables(GAPS) | tables(CELL) | st.lists(st.lists(CELL, max_size=4))
    | tables(NUMBER).map(lambda rows: [[*row, row[0]] for row in rows])
)  # fmt: skip
def test_the_points_of_any_table_are_its_complete_rows_each_once(rows):
    try:
        found = measurements(rows, missing="drop")
    except BadTable as error:
        clear(error)
        return
    number = {None: np.nan, "-": np.nan}
    table = np.array([[float(number.get(cell, cell)) for cell in row] for row in rows])
    values = [{*column[~np.isnan(column)].tolist()} for column in table.T]
    gaps = np.isnan(table).any(axis=0)  # marks of some rows and empty columns are left out
    held = [j for j, of in enumerate(values) if len(of) > (1 if gaps[j] else 0)]
    complete = [tuple(row[held].tolist()) for row in table if not np.isnan(row[held]).any()]
    complete = list(dict.fromkeys(complete))
    columns = [held.index(int(name[1:]) - 1) for name in found.names]
    assert found.points.tolist() == [[row[j] for j in columns] for row in complete]
    left_out = set(range(len(held))) - set(columns)
    kept = [[row[j] for row in complete] for j in columns]
    assert all(len(set(column)) > 1 for column in kept)
    assert len(set(map(tuple, kept))) == len(kept)
    assert all(
        len(set(column)) == 1 or column in kept
        for column in ([row[j] for row in complete] for j in left_out)
    )


def numbers_in(text):
    """Of everything that is written in a text, with a decimal point or comma."""
    text, found = text.replace('"', "").replace(",", "."), set()
    for begin, end in itertools.combinations(range(len(text) + 1), 2):
        with contextlib.suppress(ValueError):
            found.add(float(text[begin:end]))
    return found


@st.composite
def written(draw):
    """Text of a table, some with a few characters too many."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", "  ", ", "]))
    fields = st.sampled_from(
        ["1", "2.5", "-3e1", "0", '"12"', ".5"] + ["1,5"] * (delimiter[0] != ",")
    )
    text = "\n".join(delimiter.join(row) for row in draw(tables(fields)))
    for extra in draw(st.lists(st.sampled_from("12.5,; \t|\n\"'#-eax"), max_size=2)):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + extra + text[at:]
    return text


@settings(max_examples=300, deadline=None, derandomize=True)
@given(written() | st.text(alphabet="12.5,; \t|\n\"'#-eax", max_size=60))
def test_the_points_of_any_text_are_numbers_written_in_it(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(text)
    try:
        found = measurements(read_csv(path), missing="drop")
    except BadTable as error:
        clear(error)
        return
    assert set(found.points.ravel()) <= numbers_in(text)


class OtherFrame:
    """As a frame of another library, polars for one: named columns that numpy takes."""

    columns = ("p", "mass flow")

    def __getitem__(self, name):
        return range(12) if name == "p" else [k**2 for k in range(12)]


def test_frames_of_other_libraries_keep_their_names():
    found = measurements(OtherFrame())
    assert tuple(found.names) == ("p", "mass flow") and found.points.shape == (12, 2)


def test_a_column_without_a_name_gets_one(tmp_path):
    path = tmp_path / "points.csv"
    pd.DataFrame(CLOUD, columns=["x", "y"]).to_csv(path)  # with the index
    assert list(read_csv(path).columns) == ["column 1", "x", "y"]


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "rownames", "id"])
def test_numbers_of_rows_are_left_out_and_said(tmp_path, name):
    rows = pd.DataFrame(CLOUD, columns=["x", "y"])
    rows.drop(index=3).to_csv(tmp_path / "points.csv", index_label=name)
    found = measurements(tmp_path / "points.csv")
    called = name or "column 1"
    assert found.names == ("x", "y") and len(found.points) == 7
    assert found.notes == (f"column '{called}' numbers the rows: left out",)


def test_what_else_is_called_so_or_numbers_rows_is_kept():
    x, y = np.linspace(0.5, 4.0, 8), np.arange(8.0)
    others = {"a": x**2, "b": y}
    for columns in ({"id": x, **others}, {"id": y[::-1], **others}, {"id": y, "a": x}):
        found = measurements(columns)
        assert found.names == tuple(columns) and found.notes == ()


def test_decimal_commas_between_blanks(tmp_path):
    frame = read_csv(table(tmp_path, "1,5 2,25\n2,5 6,25\n3,5 12,25\n"))
    assert frame.astype(float).to_numpy()[1].tolist() == [2.5, 6.25]


def test_text_with_gaps_is_text():
    frame = pd.DataFrame(CLOUD, columns=["x", "y"])
    found = measurements(frame.assign(s=["a", None, "b", "-"] * 2))
    assert found.names == ("x", "y") and found.notes == ("column 's' is text: left out",)


def test_a_column_without_values_takes_no_row_with_it():
    frame = pd.DataFrame(CLOUD, columns=["x", "y"]).assign(empty=None)
    found = measurements(frame, missing="drop")
    assert found.points.shape == (8, 2) and found.notes == (
        "column 'empty' has no values: left out",
    )
    with pytest.raises(BadTable, match="column 'empty' in row 1, 2, 3 and 5 more"):
        measurements(frame)


def test_too_few_points_are_refused():
    with pytest.raises(BadTable, match="max_points is 2; expected more than the 2 columns"):
        measurements(CLOUD, max_points=2)


def test_a_quote_that_is_not_closed_hides_no_rows(tmp_path):
    """The field of the first row would hold all others."""
    path = table(tmp_path, "x,what\n" + '1,"pipe\n' + "2,tube\n" * 60)
    with pytest.raises(BadTable, match="points.csv is not a table: unexpected end of data"):
        read_csv(path)


def test_what_is_masked_is_missing():
    masked = np.ma.array(CLOUD.astype(int), mask=np.zeros(CLOUD.shape, bool))
    masked[4, 1] = np.ma.masked
    for data in (masked, {"a": masked[:, 0], "b": masked[:, 1]}):
        assert len(measurements(data, missing="drop").points) == 7
        with pytest.raises(BadTable, match="in row 5"):
            measurements(data)


@pytest.mark.parametrize("whole", [0.1, 5, None], ids=["a number", "a whole number", "nothing"])
def test_one_value_for_all_columns_is_quoted(whole):
    with pytest.raises(
        BadTable, match=f"the unit of each column is .*{whole}.*; expected 2 values"
    ):
        of_columns(whole, ["x", "y"], "unit")


def test_columns_are_taken_by_name_or_place():
    frame = pd.DataFrame({"t": "a", "y": [4, None], "x": ["1", "?"]}).convert_dtypes()
    expected = [[1.0, 4.0], [np.nan, np.nan]]
    for data in (frame, {name: frame[name] for name in frame}):
        np.testing.assert_array_equal(columns_in(data, ["x", "y"]), expected)
    three = np.arange(6.0).reshape(2, 3)
    assert columns_in(three, ["x1", "x3"]).tolist() == [[0.0, 2.0], [3.0, 5.0]]
    assert columns_in(three[:, :2], ["x1", "x3"]).tolist() == three[:, :2].tolist()
    with pytest.raises(BadTable, match="the data have no column 'z'; known are t, y, x"):
        columns_in(frame, ["x", "z"])
    with pytest.raises(BadTable, match="the data have 3 columns; expected 2"):
        columns_in(three, ["p", "V"])


@pytest.mark.parametrize(
    "text, values, note",
    [
        ("T\tcost\n1.5\t987\n2.5\t1,234\n3.5\t12,345\n", [987.0, 1234.0, 12345.0],
         ["commas stand between thousands: 1,234 is 1234"]),
        ("T;cost\n1;9,987\n2;1,234\n3;2,345\n", [9.987, 1.234, 2.345],
         ["commas are decimal signs: 9,987 is 9.987"]),
        ("T;cost\n1;0,987\n2;1,234\n3;2,345\n", [0.987, 1.234, 2.345], []),
        ("T;cost\n1;0,98\n2;1,234\n3;2,345\n", [0.98, 1.234, 2.345], []),
        ("T;cost\n1.5;0,98\n2;1,234\n3;2,345\n", [0.98, 1.234, 2.345], []),
        ("T;cost\n1;1,234.5\n2;2,345.5\n3;12,345.5\n", [1234.5, 2345.5, 12345.5],
         ["commas stand between thousands: 1,234.5 is 1234.5"]),
        ("T;cost\n1;1,234\n2;2,345\n3;1,234,567\n", [1234.0, 2345.0, 1234567.0],
         ["commas stand between thousands: 1,234 is 1234"]),
    ],
    ids=["thousands", "either", "zero before", "decimals", "decimals and points", "both",
         "millions"],
)  # fmt: skip
def test_commas_in_numbers_are_of_one_kind_in_a_file(text, values, note, tmp_path):
    frame = read_csv(table(tmp_path, text))
    assert frame["cost"].astype(float).tolist() == values and frame.attrs["pie.notes"] == note


def test_numbers_are_read_as_spreadsheets_write_them(tmp_path):
    text = 'T,cost\n\u22121,987\n2,"1,234"\n3,"12,345.5"\n4,#DIV/0!\n5,n.d.\n'
    expected = [[-1.0, 987.0], [2.0, 1234.0], [3.0, 12345.5]]
    frame = pd.DataFrame({"T": [-1, 2, 3], "cost": ["987", "1,234", "12,345.5"]})
    for data in (table(tmp_path, text), frame):
        assert measurements(data, missing="drop").points.tolist() == expected


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_a_mark_on_some_rows_takes_no_row_with_it(missing):
    frame = pd.DataFrame(CLOUD, columns=["x", "y"]).assign(mark=[1.0, np.nan] * 4)
    found = measurements(frame, missing=missing)
    assert found.points.shape == (8, 2)
    assert found.notes == ("column 'mark' is 1 or missing in every row: left out",)


def test_attributes_of_a_frame_are_the_users():
    frame = pd.DataFrame(CLOUD, columns=["x", "y (m)"])
    frame.attrs |= {"units": "SI", "notes": "run 7"}
    found = measurements(frame)
    assert found.names == ("x", "y") and found.units == ("", "m") and found.notes == ()
    assert frame.attrs == {"units": "SI", "notes": "run 7"}


def test_a_name_of_a_table_that_was_read_keeps_its_brackets(tmp_path):
    """T (min) is told from T (max), and is no time in minutes where it stands alone."""
    frame = read_csv(table(tmp_path, "T (min),T (max),p\n1,2,3\n2,3,5\n3,4,8\n4,5,13\n"))
    assert measurements(frame[["T (min)", "p"]]).names == ("T (min)", "p")


@pytest.mark.parametrize("encoding, noted", [("utf-8", 0), ("utf-16", 0), ("cp1252", 1)])
def test_a_file_may_be_as_a_spreadsheet_writes_it(tmp_path, encoding, noted):
    path = tmp_path / "angles.csv"
    path.write_text("angle (°);force (µN)\n10;1.5\n20;3.1\n", encoding=encoding)
    frame = read_csv(path)
    assert [*frame] == ["angle", "force"] and frame.attrs[UNITS] == {"angle": "°", "force": "µN"}
    assert sum("Windows-1252" in note for note in frame.attrs[NOTES]) == noted


@pytest.mark.parametrize(
    ("text", "names", "x"),
    [
        ("x,y,,\n1,2,,\n3,4.5,,\n,,,\n5,6,,\n", "x y", [1.0, 3.0, 5.0]),
        ("sep=;\nx;y\n1,5;2\n2;4,5\n3;5\n", "x y", [1.5, 2.0, 3.0]),
        ("x;y\n#N/A;1\n2;3\n4;5\n6;9\n", "x y", [2.0, 4.0, 6.0]),
        ("#,x,y\n1,0.5,2\n2,0.7,3\n3,0.9,5\n", "x y", [0.5, 0.7, 0.9]),
        (",0,1\n0,0.5,2.5\n1,0.7,3.5\n2,0.9,6\n", "x_0 x_1", [0.5, 0.7, 0.9]),
        ("x;y\n1.250;0,5\n12.345,5;1,5\n9;2,5\n", "x y", [1250.0, 12345.5, 9.0]),
        ('x,y\n"1,5","2,25"\n"2,5","3,75"\n"3","5"\n', "x y", [1.5, 2.5, 3.0]),
        ("x,y\n\u20131,2\n\u22122,4.5\n3,\u2013\n4,5\n", "x y", [-1.0, -2.0, 4.0]),
        ("x,y\ns,1\n1,0.5\n2,0.75\n3,0.7\n", "x y", [1.0, 2.0, 3.0]),
        ("gas,x,y\nH,1,-2\nHe,4,7\nLi,7,9\n", "x y", [1.0, 4.0, 7.0]),
        ("season,x,y\n1998-99,1,2\n1999-00,2,5\n2000-01,3,4\n", "x y", [1.0, 2.0, 3.0]),
    ],
    ids=["empty columns and rows", "sep", "a missing mark", "a column #", "of a data frame",
         "points between thousands", "quoted decimal commas", "dashes", "a unit line with 1",
         "a row that is no line of units", "seasons"],
)  # fmt: skip
def test_tables_as_they_come_from_spreadsheets(tmp_path, text, names, x):
    found = measurements(table(tmp_path, text), missing="drop")
    assert list(found.names) == names.split() and found.points[:, 0].tolist() == x


def test_a_column_of_decimal_commas_in_a_frame_is_said_to_be_text():
    frame = pd.DataFrame(CLOUD, columns=["x", "y"]).assign(z=[f"{k},5" for k in range(8)])
    (note,) = measurements(frame).notes
    assert note == "column 'z' is text: left out; a comma is no decimal sign"


def test_a_column_counted_from_elsewhere_may_come_in_another_unit():
    names, scales, units = ["east", "h"], [Scale(500_000.0), Scale()], ["m", "m"]
    points = columns_in({"east (km)": [500.123], "h / cm": [50.0]}, names, scales, units)
    np.testing.assert_allclose(points, [[123.0, 0.5]], rtol=1e-9)
    with pytest.raises(BadTable, match="column 'east' is in s; expected m"):
        columns_in({"east (s)": [500.123], "h": [50.0]}, names, scales, units)


def test_a_ratio_is_no_column_with_a_unit():
    with pytest.raises(BadTable, match="no column .a.; known are a / mean, h"):
        columns_in({"a / mean": [1.0, 2.0], "h": [1.0, 2.0]}, ["a"])


def test_text_that_no_editor_writes_is_refused(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_bytes("x,y\n1,2\n".encode("utf-16-le"))
    with pytest.raises(BadTable, match="it is not text in UTF-8, UTF-16 with its mark"):
        read_csv(path)
