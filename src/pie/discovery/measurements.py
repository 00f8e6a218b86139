"""Tables of measurements → points that can be searched, and what was left out and why."""

import codecs
import contextlib
import csv
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import pandas as pd

from .headers import (
    MAX_COLUMNS,
    among,
    converted,
    errors_of,
    in_base,
    names_and_units,
    with_unit_among,
    with_unit_below,
)
from .scales import (
    Scale,
    are_dates,
    may_be_dates,
    scale_of_dates,
    scale_of_numbers,
    scale_of_years,
    times,
)

MAX_POINTS = 1000  # more are thinned at random
LARGEST = 1e60  # squared gradients of products of larger values overflow
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?")  # between thousands, as in 1.250,5
_MINUS = str.maketrans("\u2212\u2013", "--")  # how typesetters write it
FINEST = 1e-60  # those of columns that vary by less vanish
_BLANK = " \t,;|"  # of a line without a value
# Excel marks missing values by #N/A, and a column may be called #
_COMMENT = re.compile(r"\s*#(?!(n/?a\b|div/0!|value!|ref!|num!)|\s*[,;\t|])", re.IGNORECASE)
_SEPARATOR = re.compile(r"sep=.")  # a first line that says to Excel what separates fields
_DELIMITERS = (";", "\t", "|", ",", None)  # None: blanks; commas may be decimal signs
_MISSING = {
    "", "na", "n/a", "nan", "null", "none", "-", "--", "\u2013", "\u2014", "?", ".", "n.a.", "n.d.", "nd", "<na>",
    "#n/a", "#na", "#div/0!", "#value!", "#ref!", "#num!",
}  # fmt: skip
NOTES, UNITS = "pie.notes", "pie.units"  # attributes of a data frame
_UNNAMED = "column {}"  # in a table with a header
# names of columns that number the rows, if they do; the first ones where one has no name
_ROWS = {_UNNAMED.format(1), "#", "unnamed: 0", "index", "row", "rownames", "row.names", "id"}
_SHOWN = 3  # places that a message names
_QUOTED = 60  # characters of a value
# a data frame of any library, columns by name, what NumPy takes for (N, D), or a file's path
Table = pd.DataFrame | Mapping | np.ndarray | Sequence | Path | str


class BadTable(ValueError):
    """A table that cannot be used; the message quotes what is wrong and says what is expected.

    >>> from pie import discover
    >>> discover({"p": [1.0, 2.0, "high"], "V": [6.0, 3.0, 2.0]})
    Traceback (most recent call last):
    pie.discovery.measurements.BadTable: row 3, column 'p' is 'high'; expected a number
    """


@dataclass(frozen=True)
class Measurements:
    """Points (N, D) float64: rows are complete and distinct, columns vary and have ``names``.

    ``notes`` say what was left out; years, dates and columns far from 0 are counted on ``scales``
    of their own.
    ``units`` stand behind the names in the table, empty where there is none. ``errors`` are
    standard deviations of the columns' errors, from columns of such; 0 where there is none.
    """

    points: np.ndarray
    names: tuple[str, ...]
    notes: tuple[str, ...]
    scales: tuple[Scale, ...] = ()
    units: tuple[str, ...] = ()
    errors: tuple[float, ...] = ()


def read_csv(path: Path) -> pd.DataFrame:
    """A table from a text file, whatever its delimiter, decimal sign and header; cells are text.

    Commas, semicolons, tabs, bars or blanks separate fields; where it is not commas, a comma
    within a number is its decimal sign, and points as in 1.250,5 are between thousands, or commas
    are if other numbers have points; within quotes among commas, ``"1,250"``, it is between
    thousands, if all may be. Lines that begin with # are comments, and those without a value are
    left out. A first line of numbers, or of a row's name and numbers, is no header: columns are
    then x1, x2, … A second line may hold units. ``-`` is standard input.
    BadTable quotes what is wrong with the file.
    """
    path, notes = Path(path), list[str]()
    try:
        if path == Path("-"):
            data = sys.stdin.buffer.read() if sys.stdin else b""
        else:
            data = path.read_bytes()
        text = _decoded(data, notes)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        shown = path if str(path).isprintable() and len(str(path)) < 256 else quoted(str(path))
        raise BadTable(f"cannot read {shown}: {why}; expected a text file") from None
    lines = [x for x in text.splitlines() if x.strip(_BLANK) and not _COMMENT.match(x)]
    lines = lines[1:] if lines and _SEPARATOR.fullmatch(lines[0].strip()) else lines
    if not lines:
        raise BadTable(f"{path} is empty; expected a table of numbers")
    delimiter = _delimiter(lines)
    try:
        rows = [[cell.strip() for cell in row] for row in _split(lines, delimiter, strict=True)]
    except csv.Error as error:
        raise BadTable(f"{path} is not a table: {error}; expected rows of numbers") from None
    while all(len(row) > 1 and row[-1] == "" for row in rows):  # every line ends in a delimiter
        rows = [row[:-1] for row in rows]
    rows = _with_points(rows, notes, quoted=delimiter == ",")
    header = _is_header(rows)
    cells = rows.pop(0) if header else [""] * len(rows[0])
    unnamed = _UNNAMED if header else "x{}"
    names = [cell or unnamed.format(j) for j, cell in enumerate(cells, 1)]
    for i, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise BadTable(
                f"row {i} of {path} has {counted(len(row), 'field')}; expected {len(names)}"
            )
    first = ", ".join(rows[0]) if rows else ""
    if not header and any(_number(cell) is None for cell in rows[0]):
        notes.append(f"the first line, {quoted(first)}, is taken for a row, not for names")
    elif header and len(rows) > 1 and _are_units(rows[0], rows[1]):
        names = [with_unit_below(*both) for both in zip(names, rows[0], strict=True)]
        rows = rows[1:]
        notes.append(f"the second line, {quoted(first)}, is taken for units")
    frame = _with_names(pd.DataFrame(rows, columns=names, dtype=object))
    frame.attrs[NOTES] = notes
    return frame


def _decoded(data: bytes, notes: list[str]) -> str:
    """Text in UTF-8, in UTF-16 if it is marked so, or in Windows-1252; else ValueError."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    if b"\0" in data:
        raise ValueError("it is not text in UTF-8, UTF-16 with its mark, or Windows-1252")
    with contextlib.suppress(UnicodeDecodeError):
        return data.decode("utf-8-sig")
    notes.append("the file is not in UTF-8: read as Windows-1252")
    return data.decode("cp1252")


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line names columns: it has text.

    It is a row with a name of its own if there is no number below its text, and one of its numbers
    has a fraction (years have none).

    >>> _is_header([["country", "1995"], ["Norway", "3.5"]])
    True
    >>> _is_header([["Mercury", "0.387"], ["Venus", "0.723"]])
    False
    >>> _is_header([["", "0", "1"], ["0", "0.5", "2.5"]])
    True
    """
    first = [_number(cell) for cell in rows[0]]
    if rows[0][0] == "" and all(x is not None and x % 1.0 == 0.0 for x in first[1:]):
        return len(rows) > 1 and all(row[0] for row in rows[1:])  # labels of a data frame
    text = [j for j, x in enumerate(first) if x is None]
    below = (_number(row[j]) for row in rows[1:] for j in text if j < len(row))
    is_row = all(x is None or np.isnan(x) for x in below)
    return bool(text) and not (is_row and any(x is not None and x % 1.0 > 0.0 for x in first))


def _are_units(row: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a row holds the units of the columns: one at least, no number but 1 for none, and
    nothing else above a number.

    >>> _are_units(["s", "1"], ["0.5", "3"]), _are_units(["H", "1"], ["He", "4"])
    (True, False)
    """
    pairs = zip(row, below, strict=True)
    above = [x.strip("()[] ") for x, y in pairs if _number(y) is not None]
    return any(_number(x) is None for x in above) and all(
        x in ("", "1", "-") or _number(x) is None and in_base(x) for x in above
    )


def _split(lines: Sequence[str], delimiter: str | None, strict: bool = False) -> list[list[str]]:
    if delimiter is None:
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict))


def _delimiter(lines: Sequence[str]) -> str | None:
    """What splits the first lines into equally many fields, most of them numbers, or the first one.

    Between blanks a comma may be a decimal sign: 1,5 2,5.
    """
    split = {}
    for delimiter in _DELIMITERS:
        with contextlib.suppress(csv.Error):
            split[delimiter] = _split(lines[:50], delimiter)

    def numbers(delimiter: str | None) -> float:
        cells = [cell for row in split[delimiter] for cell in row]
        read = cells if delimiter == "," else map(_with_point, cells)
        return sum(_number(cell) is not None for cell in read) / len(cells)

    even = [key for key, rows in split.items() if {*map(len, rows)} == {max(len(rows[0]), 2)}]
    if even:
        return max(even, key=numbers)
    return max(split, key=lambda delimiter: len(split[delimiter][0]))


def _number(cell: str) -> float | None:
    """The number that a cell says, nan where it says that there is none; None for other text."""
    if cell.strip().lower() in _MISSING:
        return np.nan
    try:
        return float(_without_thousands(cell.strip().replace("_", "?").translate(_MINUS)))
    except ValueError:
        return None


def _with_point(cell: str) -> str:
    changed = cell.replace(",", ".")
    return changed if cell.count(",") == 1 and _number(changed) is not None else cell


def _with_points(rows: list[list[str]], notes: list[str], quoted: bool) -> list[list[str]]:
    """Rows of a file without commas in numbers, where these separate no fields or are ``quoted``.

    Beside commas that can only be decimal signs, points that can be are between thousands.
    """
    cells = [cell for row in rows for cell in row]
    numbers = [cell for cell in cells if _number(cell) is not None]
    with_commas = [cell for cell in cells if "," in cell and _with_point(cell) != cell]
    with_commas += [cell for cell in numbers if "," in cell and cell not in with_commas]
    either = all(map(_THOUSANDS.fullmatch, with_commas))
    thousands = either and any(quoted or "." in x or x.count(",") > 1 for x in numbers)
    changed = _without_thousands if thousands else _with_point
    if with_commas and (either or quoted):
        what = "stand between thousands" if thousands else "are decimal signs"
        notes.append(f"commas {what}: {with_commas[0]} is {changed(with_commas[0])}")
    with_points = [cell for cell in cells if "." in cell and _POINTS.fullmatch(cell)]
    others = [cell for cell in numbers if "." in cell and cell not in with_points]
    if with_points and not (either or others):
        changed = _without_points
        shown = with_points[0]
        notes.append(f"points stand between thousands: {shown} is {changed(shown)}")
    return [[changed(cell) for cell in row] for row in rows]


def _without_points(cell: str) -> str:
    return _with_point(cell.replace(".", "") if _POINTS.fullmatch(cell) else cell)


def _without_thousands(cell: str) -> str:
    return cell.replace(",", "") if _THOUSANDS.fullmatch(cell) else cell


def measurements(
    data: Table,
    missing: str = "error",
    max_points: int = MAX_POINTS,
    seed: int = 0,
) -> Measurements:
    """What of a table can be searched: columns that vary, complete rows, each once.

    Args:
        data: a data frame, columns by name, what NumPy takes for (N, D), or the path of a file
            for :func:`read_csv`; text is read as numbers or dates (ISO 8601). Columns are
            :func:`called <pie.discovery.headers.called>` as their header says, without a unit
            behind a name. Left out are columns of other text, numbers of the rows in one without a
            name or called ``index``, ``id``, …, and errors of another one, called ``y_err``.
        missing: ``error``, or ``drop`` for rows in which a value is missing.
        max_points: more are thinned at random.
        seed: of the thinning.

    Raises:
        BadTable: values that are not finite numbers, by row (from 1) and column; too little left.
    """
    if missing not in ("error", "drop"):
        raise BadTable(f"missing is {missing!r}; expected 'error' or 'drop'")
    whole_number("max_points", max_points, 1)
    whole_number("seed", seed, 0)
    frame, _ = _frame(data)
    notes: list[str] = [*frame.attrs.get(NOTES, [])]
    units = frame.attrs[UNITS]
    frame = _without_labels(frame, notes)
    _check_names(frame)
    counted_on = {name: _scale(column, name) for name, column in frame.items()}
    columns = {name: _column(frame[name], name, scale) for name, scale in counted_on.items()}
    table = pd.DataFrame(columns, range(len(frame))) + 0.0  # −0 becomes 0
    table = _without_row_numbers(table, notes)
    table, errors = _without_errors(table, units, notes)
    table = _complete(_with_values(table, missing, notes), missing, notes)
    repeated = table.duplicated().to_numpy(bool)
    if repeated.any():
        rows = counted(int(repeated.sum()), "row")
        notes.append(f"{rows} left out, equal to earlier ones in every column that is used")
    table = table[~repeated]
    kept = _varying(table, notes)
    n, d = len(table), len(kept)
    if d < 2:
        why = f": {'; '.join(notes[:_SHOWN])}" if notes else ""
        raise BadTable(f"columns that vary: {d}; expected at least 2{why}")
    if n <= d:
        raise BadTable(f"{counted(n, 'different row')}; expected more than the {d} columns")
    if max_points <= d:
        raise BadTable(f"max_points is {max_points}; expected more than the {d} columns")
    if n > max_points:
        notes.append(f"{max_points} of {n} rows are used, drawn at random")
        chosen = np.random.default_rng(seed).choice(n, max_points, replace=False)
        table = table.iloc[np.sort(chosen)]
    points = np.array(table[[*kept]], order="C")
    both = zip((counted_on[name] for name in kept), points.T, strict=True)
    scales = tuple(own if own.conventional else scale_of_numbers(column) for own, column in both)
    for scale, column in zip(scales, points.T, strict=True):
        if not scale.unit:
            column[:] = scale.of_numbers(column)
    notes += [scale.note(quoted(name)) for name, scale in zip(kept, scales) if scale.conventional]
    units = tuple(units.get(name, "") for name in kept)
    known = tuple(errors.get(name, 0.0) for name in kept)
    return Measurements(points, kept, tuple(notes), scales, units, known)


def _without_row_numbers(table: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Without a column that is called so and numbers the rows, if there are more than two."""
    for name, column in table.items():
        ascending = np.all(np.diff(column) > 0.0) and np.all(column == np.round(column))
        if name.lower() in _ROWS and ascending and table.shape[1] > 2:
            notes.append(f"column {quoted(name)} numbers the rows: left out")
            return table.drop(columns=name)
    return table


def _without_errors(
    table: pd.DataFrame, units: Mapping[str, str], notes: list[str]
) -> tuple[pd.DataFrame, dict[str, float]]:
    """Without columns that are called errors of others and may be; these, as root mean squares."""
    names, pairs = [*table], {}
    for own, of in ((names[j], names[k]) for j, k in errors_of(names).items()):
        given = table[own].dropna().to_numpy()
        in_units = units.get(own, "") in ("", units.get(of, ""))
        if len(given) and given.min() >= 0.0 < given.max() and in_units:
            size = float(np.sqrt(np.mean(np.square(given))))
            pairs.setdefault(of, (own, size, np.ptp(given) > 0.0))
    if len(names) - len(pairs) < 2:
        return table, {}
    for of, (own, size, varies) in pairs.items():
        mean = " in the root mean square" if varies else ""
        notes.append(
            f"column {quoted(own)} is taken for the error of {quoted(of)}: {size:.3g}{mean}"
        )
    left = [own for own, _, _ in pairs.values()]
    return table.drop(columns=left), {of: size for of, (_, size, _) in pairs.items()}


def _check_names(frame: pd.DataFrame) -> None:
    """BadTable if there are too many columns, or two of one name."""
    if frame.shape[1] > MAX_COLUMNS:
        raise BadTable(f"{frame.shape[1]} columns; expected at most {MAX_COLUMNS}: choose some")
    for name in frame.columns[frame.columns.duplicated(keep=False)][:1]:
        raise BadTable(f"two columns are called {quoted(name)}; expected different names")


def of_columns(
    given: Mapping[str, object] | Sequence[object], names: Sequence[str], what: str
) -> list:
    """What is given of columns, by name (of more than ``names`` or not) or in order.

    >>> of_columns({"x": "mm", "y": "s"}, ["y", "x"], "unit")
    ['s', 'mm']
    """
    if isinstance(given, pd.Series | Mapping):
        given = {among(name, names): value for name, value in given.items()}
    if not isinstance(given, Mapping):
        several = hasattr(given, "__len__") and not isinstance(given, str)
        if not several or len(given) != len(names):
            raise BadTable(
                f"the {what} of each column is {quoted(given)}; expected {len(names)} values, "
                f"for {', '.join(names)}"
            )
        return list(given)
    for name in names:
        if name not in given:
            raise BadTable(
                f"no {what} of column {quoted(name)}; known are those of {', '.join(given)}"
            )
    return [given[name] for name in names]


def whole_number(name: str, value: object, least: int) -> None:
    """BadTable if an argument is no whole number of at least ``least``."""
    if not isinstance(value, Integral) or value < least:
        raise BadTable(f"{name} is {quoted(value)}; expected a whole number, at least {least}")


def counted(n: int, what: str) -> str:
    """So many of something.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def quoted(value: object) -> str:
    """As a message shows it: on one line, not too long."""
    try:
        text = repr(value).replace("\n", " ")
    except ValueError:  # integers of thousands of digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def _varying(table: pd.DataFrame, notes: list[str]) -> tuple[str, ...]:
    """Columns that vary, the first of equal ones."""
    kept: dict[bytes, str] = {}
    for name, values in table.items():
        column = values.to_numpy()
        if len(column) == 0 or np.ptp(column) == 0.0:
            value = f"{column[0]:g}" if len(column) else "empty"
            notes.append(f"column {quoted(name)} is {value} in every row: left out")
            continue
        if np.ptp(column) < FINEST:
            raise BadTable(
                f"column {quoted(name)} varies by {np.ptp(column):.2g} only; expected at least "
                f"{FINEST:g}: choose a smaller unit"
            )
        first = kept.setdefault(column.tobytes(), name)
        if first != name:
            notes.append(f"column {quoted(name)} repeats {quoted(first)}: left out")
    return tuple(kept.values())


def _frame(data: Table) -> tuple[pd.DataFrame, bool]:
    """With columns as they are called, and whether they have names, not only an order."""
    if isinstance(data, str | Path):
        return read_csv(Path(data)), True
    if isinstance(data, pd.DataFrame):
        return _with_names(data), _are_names(data.columns)
    other_frame = hasattr(data, "columns") and hasattr(data, "__getitem__")  # of another library
    if other_frame or isinstance(data, Mapping):
        names = data.columns if other_frame else data
        try:
            columns = dict(enumerate(_unmasked(data[name]) for name in names))
            return _with_names(pd.DataFrame(columns), names), _are_names(names)
        except ValueError as error:
            for name in names:
                if np.ndim(data[name]) == 0:
                    said = f"column {quoted(str(name))} is {data[name]!r}"
                    raise BadTable(f"{said}; expected a list, one value per row") from None
            raise BadTable(f"the columns are no table: {error}") from None
    try:
        array = _unmasked(data)
    except ValueError:
        raise BadTable("rows have different lengths; expected a table (N, D)") from None
    if array.ndim != 2:
        shape = f"have shape {array.shape}" if array.ndim else f"are {quoted(data)}"
        raise BadTable(f"the data {shape}; expected a table (N, D)")
    return _with_names(pd.DataFrame(array)), False


class _Shared(dict):
    """An attribute that pandas does not copy with every column of a frame."""

    def __deepcopy__(self, memo: dict) -> "_Shared":
        return self


def _with_names(frame: pd.DataFrame, names: Iterable | None = None) -> pd.DataFrame:
    """With columns as they are called, and as an attribute the units behind their names.

    Those of a table that was read before keep their names and units.
    """
    own, known = [*(frame.columns if names is None else names)], frame.attrs.get(UNITS, {})
    found = [
        (name, known[name]) if isinstance(name, str) and name in known else both
        for name, both in zip(own, names_and_units(own), strict=True)
    ]
    frame = frame.set_axis([name for name, _ in found], axis=1)
    frame.attrs[UNITS] = _Shared(found)
    return frame


def _are_names(labels: Iterable) -> bool:
    """Whether columns have names; 0, 1, … are their order alone."""
    return not all(isinstance(x, Integral) and x == j for j, x in enumerate(labels))


def _unmasked(values: object) -> np.ndarray:
    """As an array, nan where a masked one is masked."""
    if isinstance(values, np.ma.MaskedArray):
        return values.astype(object).filled(np.nan)
    return np.asarray(values)


def columns_in(
    data: Table, names: Sequence[str], scales: Sequence[Scale] = (), units: Sequence[str] = ()
) -> np.ndarray:
    """The columns with these names as float64, (N, D), nan where a value is missing.

    By name where the columns have names. An array has just these columns, in this order, or more:
    then they are called x1, x2, … They are counted on ``scales`` and in ``units``, one for each; ()
    = as they are. Other units behind the names are converted.

    >>> columns_in(np.array([[1.0, 2.0, 3.0]]), ["x1", "x3"])
    array([[1., 3.]])
    >>> columns_in({"p (Pa)": [1500.0]}, ["p"], units=["kPa"])
    array([[1.5]])

    Raises:
        BadTable: a column is not there, holds no numbers, or is in a unit of something else.
    """
    frame, named = _frame(data)
    known = frame.attrs[UNITS]
    if not named and frame.shape[1] == len(names):
        frame.columns = [*names]
    elif named:  # t / ms is t beside a column without a unit, too
        own = [*frame.columns]
        for place, name in enumerate(own):
            short, unit = with_unit_among(name, names)
            if short not in own:
                own[place], known = short, known | {short: unit}
        frame.columns = own
    found = []
    for j, name in enumerate(names):
        if [*frame.columns].count(name) > 1:
            raise BadTable(f"two columns are called {quoted(name)}; expected different names")
        if name not in frame and named:
            have = ", ".join(frame)
            raise BadTable(f"the data have no column {quoted(name)}; known are {have}")
        if name not in frame:
            have = counted(frame.shape[1], "column")
            raise BadTable(f"the data have {have}; expected {len(names)}")
        scale, unit, into = scales[j] if scales else Scale(), known.get(name, ""), ""
        if units and unit and not scale.unit:
            into = units[j]
        try:
            found.append(_values(frame[name], name, scale, unit, into))
        except ValueError as error:
            if isinstance(error, BadTable):
                raise
            raise BadTable(f"column {quoted(name)} is in {unit}; expected {into}") from None
    return np.column_stack(found)


def _without_labels(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Columns of text in which no cell is a number are names of the rows, not measurements."""
    kept = []
    for j, (name, column) in enumerate(frame.items()):
        cells = _given(column)
        text = cells and all(isinstance(x, str) and _number(x) is None for x in cells)
        if text and not are_dates(cells):
            why = "; dates are read as 2001-03-31" if may_be_dates(cells) else ""
            why += "; a comma is no decimal sign" if any(_with_point(x) != x for x in cells) else ""
            notes.append(f"column {quoted(str(name))} is text: left out{why}")
        else:
            kept.append(j)
    return frame.iloc[:, kept]


def _given(column: pd.Series) -> list:
    """Cells in which a value is not missing."""
    cells = column.dropna()
    return [x for x in cells if not isinstance(x, str) or x.strip().lower() not in _MISSING]


def _scale(column: pd.Series, name: str) -> Scale:
    if column.dtype.kind == "M" or are_dates(_given(column)):
        return scale_of_dates(_dates(column, name))
    return scale_of_years(name, _values(column, name))


def _dates(column: pd.Series, name: str) -> pd.Series:
    """NaT where one is missing."""
    missing = column.map(lambda x: isinstance(x, str) and x.strip().lower() in _MISSING)
    found = times(column.mask(missing.astype(bool)))
    for i in np.flatnonzero(found.isna() & ~missing & column.notna())[:1]:
        raise BadTable(
            f"row {i + 1}, column {quoted(name)} is {quoted(column.iloc[i])}; "
            "expected a date such as 2001-03-31"
        )
    return found


def _column(column: pd.Series, name: str, scale: Scale = Scale()) -> np.ndarray:
    """As float64, nan where a value is missing; not too large."""
    values = _values(column, name, scale)
    for i in np.flatnonzero(np.abs(values) > LARGEST)[:1]:
        raise BadTable(
            f"row {i + 1}, column {quoted(name)} is {values[i]:g}; "
            f"expected numbers up to ±{LARGEST:g}"
        )
    return values


def _values(
    column: pd.Series, name: str, scale: Scale = Scale(), unit: str = "", into: str = ""
) -> np.ndarray:
    """On a scale; in the place of dates may be numbers, as 2003.5 or days since the first one.

    ``into`` another unit, if one is named.
    """
    if scale.unit and not _are_numbers(column):
        return scale.of(_dates(column, name))
    values = _numbers(column, name)
    return scale.of_numbers(converted(values, unit, into) if into else values)


def _are_numbers(column: pd.Series) -> bool:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return True
    cells = _given(column)
    return len(cells) > 0 and all(
        isinstance(x, Real) or isinstance(x, str) and _number(x) is not None for x in cells
    )


def _numbers(column: pd.Series, name: str) -> np.ndarray:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        values = column.to_numpy(np.float64)
    elif column.dtype.kind in "mMc":
        raise BadTable(f"column {quoted(name)} holds {column.dtype}; expected real numbers")
    else:
        values = np.empty(len(column))
        for i, cell in enumerate(column.astype(object)):
            missing = cell is None or cell is pd.NA or cell is pd.NaT
            try:
                value = np.nan if missing else _number(cell) if isinstance(cell, str) else cell
                values[i] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise BadTable(
                    f"row {i + 1}, column {quoted(name)} is {quoted(cell)}; expected a number"
                ) from None
    return values


def _listed(rows: np.ndarray) -> str:
    shown = ", ".join(str(i + 1) for i in rows[:_SHOWN])
    return shown + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


def _with_values(table: pd.DataFrame, missing: str, notes: list[str]) -> pd.DataFrame:
    """Without the columns that have no value, or one value in some rows and none in the others."""
    low, gaps = table.min(), table.isna().any()
    empty, marks = low.isna() & (missing == "drop"), gaps & (low == table.max())
    notes += [f"column {quoted(name)} has no values: left out" for name in low.index[empty]]
    notes += [
        f"column {quoted(name)} is {value:g} or missing in every row: left out"
        for name, value in low[marks].items()
    ]
    return table.loc[:, ~(empty | marks)]


def _complete(table: pd.DataFrame, missing: str, notes: list[str]) -> pd.DataFrame:
    """The rows without missing values."""
    gaps = {name: np.flatnonzero(column.isna()) for name, column in table.items()}
    places = ((quoted(name), _listed(rows)) for name, rows in gaps.items() if len(rows))
    where = [f"column {name} in row {rows}" for name, rows in places]
    if len(where) > _SHOWN:
        where[_SHOWN:] = [f"and {len(where) - _SHOWN} more columns"]
    if where and missing == "error":
        raise BadTable(
            f"values are missing (NaN): {'; '.join(where)}; fill them in, or say missing='drop' "
            "(--missing drop)"
        )
    if where:
        notes.append(f"rows with missing values are left out: {'; '.join(where)}")
    return table.dropna()
