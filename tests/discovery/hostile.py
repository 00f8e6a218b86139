"""Random and hostile inputs: whole tables, odd containers and texts that only look like CSV.

Hypothesis chooses shapes, kinds and places; a seed fills in the numbers, so that an example of
300 rows stays small. Failing examples shrink towards few, plain columns.
"""

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
from hypothesis import strategies as st

NAMES = ("a", "b", "x1", "x2", "x3", "lambda", "I", "E", "pi", "sin", "c1", "c2", "zoo", "oo", "S",
         "", " ", "α", "Größe (m²)", "质量", "e\u0301", "a b", "50%", "$x$", "\\frac{1}{0}", "x|y",
         "a\nb", "{", "_", "^", "__import__('os')", "x1 + x2", "nan", "1", "-1", "c1*x",
         "x" * 300)  # fmt: skip


def clear(error):
    """One short line that says what is wrong and what was expected."""
    message = str(error)
    assert "\n" not in message and len(message) < 1000, message
    assert "expected" in message or "missing='drop'" in message, message


def _lawful(first, rng):
    """A second column that obeys a law with the first one."""
    forms = (np.sqrt, np.square, np.exp, np.sin, np.reciprocal, lambda x: np.sqrt(9.0 - x**2))
    with np.errstate(all="ignore"):
        return forms[rng.integers(len(forms))](first)


NUMBERS = {
    "normal": lambda n, rng: rng.standard_normal(n),
    "uniform": lambda n, rng: rng.uniform(0.5, 2.0, n),
    "lognormal": lambda n, rng: np.exp(20.0 * rng.standard_normal(n)),
    "cauchy": lambda n, rng: rng.standard_cauchy(n) ** 5,
    "sorted": lambda n, rng: np.linspace(-1.0, 3.0, n),
    "grid": lambda n, rng: rng.integers(-3, 4, n),
    "two values": lambda n, rng: rng.integers(0, 2, n) * 7.0,
    "one value differs": lambda n, rng: np.where(np.arange(n) == rng.integers(max(n, 1)), 1.0, 0.0),
    "constant": lambda n, rng: np.full(n, 3.0),
    "nearly constant": lambda n, rng: 7.0 + 1e-15 * rng.integers(0, 9, n),
    "far away": lambda n, rng: 1e15 + rng.standard_normal(n),
    "clusters": lambda n, rng: rng.integers(0, 3, n) * 100.0 + 1e-6 * rng.standard_normal(n),
    "tiny": lambda n, rng: 1e-300 * rng.standard_normal(n),
    "small": lambda n, rng: 1e-59 * rng.standard_normal(n),
    "denormal": lambda n, rng: 5e-324 * rng.integers(-9, 9, n),
    "beyond half": lambda n, rng: 1e7 * rng.standard_normal(n),
    "large": lambda n, rng: 4e59 * rng.uniform(0.5, 2.0, n),
    "huge": lambda n, rng: 1e300 * rng.standard_normal(n),
    "outlier": lambda n, rng: np.where(np.arange(n) == n // 2, 1e12, rng.standard_normal(n)),
    "far outlier": lambda n, rng: np.where(np.arange(n) == n // 2, 9e59, rng.standard_normal(n)),
    "signed zeros": lambda n, rng: np.where(rng.random(n) < 0.5, 0.0, -0.0),
    "mostly zero": lambda n, rng: np.where(rng.random(n) < 0.9, 0.0, rng.standard_normal(n)),
    "gaps": lambda n, rng: np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
    "all missing": lambda n, rng: np.full(n, np.nan),
    "infinite": lambda n, rng: np.where(rng.random(n) < 0.1, -np.inf, rng.standard_normal(n)),
}  # fmt: skip
_UNUSABLE = ("tiny", "denormal", "huge", "gaps", "all missing", "infinite", "constant")
_USABLE = tuple(kind for kind in NUMBERS if kind not in _UNUSABLE)

OF_ANOTHER = {
    "copy": lambda x, rng: x,
    "copy with rounding noise": lambda x, rng: x * (1.0 + 2.2e-16 * rng.integers(-2, 3, len(x))),
    "multiple": lambda x, rng: -2.0 * x + 1.0,
    "law": _lawful,
    "law with noise": lambda x, rng: _lawful(x, rng) * (1.0 + 0.01 * rng.standard_normal(len(x))),
    "law in tiny units": lambda x, rng: 1e-30 * _lawful(x, rng),
    "reversed": lambda x, rng: x[::-1],
}

_CELLS = (None, "", "nan", "1e5", "1,5", "heavy", pd.NA, pd.NaT, np.nan, True, 10**400, 10**5000,
          -(2**64), [1], {}, 1j, decimal.Decimal("0.1"), decimal.Decimal("NaN"), np.float16(3),
          decimal.Decimal("sNaN"), fractions.Fraction(1, 3), datetime.date(2020, 1, 1), b"1.0",
          np.array([1.0]), np.array([1.0, 2.0]), "x" * 5000, "\x00", "１２", "∞")  # fmt: skip

DTYPES = {
    "float64": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "longdouble": lambda x: x.astype(np.longdouble),
    "int64": lambda x: np.nan_to_num(x, nan=0, posinf=9, neginf=-9).clip(-1e18, 1e18).astype(int),
    "uint8": lambda x: np.nan_to_num(x, nan=0, posinf=9, neginf=-9).clip(0, 255).astype(np.uint8),
    "bool": lambda x: x > 0.0,
    "text": lambda x: [f"{v:.6g}" for v in x],
    "decimal commas": lambda x: [f"{v:.6g}".replace(".", ",") for v in x],
    "objects": lambda x: pd.Series(list(x), dtype=object),
    "nullable": lambda x: pd.array(x, dtype="Float64"),
    "strings": lambda x: pd.array([f"{v:g}" for v in x], dtype="string"),
    "categorical": lambda x: pd.Categorical(np.round(x, 1)),
    "dates": lambda x: pd.to_datetime(np.nan_to_num(x).clip(-9.0, 9.0), unit="s"),
    "durations": lambda x: pd.to_timedelta(np.nan_to_num(x).clip(-9.0, 9.0), unit="s"),
    "complex": lambda x: x + 1j,
    "sparse": lambda x: pd.arrays.SparseArray(x),
    "intervals": lambda x: pd.cut(np.nan_to_num(x), [-np.inf, 0.0, np.inf]),
}
_PLAIN = ("float64", "float64", "float64", "float64", "float32", "float16", "int64")


def name():
    return st.one_of(st.sampled_from(NAMES), st.text(max_size=6), st.integers(-2, 3), st.none(),
                     st.floats(), st.tuples(st.just("a"), st.integers(0, 1)))  # fmt: skip


def _between(ends):
    return st.integers(*ends)


@st.composite
def columns(draw, most=5):
    """Columns of numbers, equally long, (D × (N,))."""
    n = draw(st.sampled_from([(9, 60), (9, 60), (9, 60), (0, 60), (300, 300)]).flatmap(_between))
    d = draw(st.sampled_from([(2, 3), (2, 3), (2, most), (0, most)]).flatmap(_between))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    usable = draw(st.integers(0, 3)) > 0
    kinds = _USABLE if usable else tuple(NUMBERS)
    values = st.sampled_from([0.0, 1e12, -1e-30, 65505.0, 9e59]) if usable else st.floats()
    made = []
    for _ in range(d):
        kind = draw(st.sampled_from((*kinds, *OF_ANOTHER) if made else kinds))
        with np.errstate(all="ignore"):
            column = NUMBERS[kind](n, rng) if kind in NUMBERS else OF_ANOTHER[kind](made[-1], rng)
        made.append(np.array(column, np.float64))
    if made and n:
        for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
            made[draw(st.integers(0, d - 1))][draw(st.integers(0, n - 1))] = draw(values)
    if draw(st.booleans()):
        made = [np.concatenate([column, column[:3]]) for column in made]
    return made


@st.composite
def frames(draw):
    """Data frames of any dtypes and names, some with a cell that is no number."""
    plain = draw(st.integers(0, 3)) > 0
    cells = []
    for column in draw(columns()):
        dtype = draw(st.sampled_from(_PLAIN if plain else tuple(DTYPES)))
        with np.errstate(all="ignore"):
            cells.append(pd.Series(DTYPES[dtype](column)))
    frame = pd.concat(cells, axis=1) if cells else pd.DataFrame()
    usual = draw(st.integers(0, 3)) > 0
    names = [draw(st.sampled_from(NAMES) if usual else name()) for _ in cells]
    if usual:
        names = [f"{one}{'′' * names[:j].count(one)}" for j, one in enumerate(names)]
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=draw(st.booleans()))
    if len(frame) and len(cells) and not plain and draw(st.booleans()):
        frame = frame.astype(object)
        place = draw(st.integers(0, len(frame) - 1)), draw(st.integers(0, len(cells) - 1))
        frame.iat[place] = draw(st.sampled_from(_CELLS))
    if len(frame) and draw(st.integers(0, 3)) == 0:
        dates = pd.date_range("2020", periods=len(frame))
        frame.index = draw(st.sampled_from([np.zeros(len(frame)), dates, dates.astype(str)]))
    return frame


CONTAINERS = {
    "array": lambda x: x,
    "Fortran": np.asfortranarray,
    "not writable": lambda x: np.broadcast_to(x, x.shape),
    "strided": lambda x: np.repeat(x, 2, axis=0)[::2],
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "big-endian": lambda x: x.astype(">f8"),
    "lists": lambda x: x.tolist(),
    "tuples": lambda x: tuple(map(tuple, x.tolist())),
    "ragged": lambda x: [row[: 1 + k % 2] for k, row in enumerate(x.tolist())],
    "generator": lambda x: (row for row in x),
    "1-D": lambda x: x.ravel(),
    "3-D": lambda x: x[None],
    "Series": lambda x: pd.Series(x.ravel()),
    "masked": lambda x: np.ma.masked_greater(x, 1.0),
    "matrix": lambda x: x.view(np.matrix),
    "objects": lambda x: x.astype(object),
    "text": lambda x: x.astype(str),
    "records": lambda x: np.zeros(len(x), [("a", float), ("b", int)]),
    "dictionary": lambda x: {f"x{j}": column for j, column in enumerate(x.T)},
    "list of columns": lambda x: list(x.T),
    "list of Series": lambda x: [pd.Series(column) for column in x.T],
    "rows of dictionaries": lambda x: [{"a": row[0], "b": row[-1]} for row in x if len(row)],
    "wide": lambda x: np.tile(x, 8)[:, :30],
    "path": lambda x: "points.csv",
    "number": lambda x: 3.0,
    "nothing": lambda x: None,
    "set": lambda x: {1.0, 2.0},
    "bytes": lambda x: b"1,2",
    "strings": lambda x: ["ab", "cd", "ef"],
    "empty": lambda x: [],
    "lists of nothing": lambda x: [[], []],
    "deep": lambda x: [[[[1.0]]]] * 9,
    "mixed": lambda x: [[None, True, "3"], *x.tolist()],
}


@st.composite
def containers(draw):
    """A table in anything that a user may have it in."""
    cells = draw(columns())
    matrix = np.column_stack(cells) if cells else np.empty((draw(st.integers(0, 9)), 0))
    kinds = ("array", "lists") if draw(st.booleans()) else tuple(CONTAINERS)
    with np.errstate(all="ignore"):
        return CONTAINERS[draw(st.sampled_from(kinds))](matrix)


@st.composite
def wide(draw):
    """Thirty columns, a few of which may obey laws."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.uniform(0.5, 2.0, (draw(st.integers(25, 60)), draw(st.integers(6, 30))))
    for _ in range(draw(st.integers(0, 3))):
        one, other = rng.integers(table.shape[1], size=2)
        table[:, one] = _lawful(table[:, other], rng)
    return table


def options():
    """Arguments of discover beside the data, now and then ones that it must refuse."""
    return st.fixed_dictionaries({
        "missing": st.sampled_from(["drop"] * 8 + ["error"] * 3 + ["keep"]),
        "max_points": st.sampled_from([1000] * 9 + [40, 9, 2, 0, -1]),
        "seed": st.sampled_from([0] * 9 + [1, 2**40, -1]),
    })  # fmt: skip


# ---- text ----

_FIELDS = ("1", "2.5", "-3e1", "1,5", "nan", "", "inf", "1e400", "a", '"b"', '"1', "#", "∞", "\x00",
           " 4 ", "1.2.3", "0x1", "--", "9" * 400, "\u2028", "\t", ";", "''")  # fmt: skip
_EOL = ("\n", "\r\n", "\r", "\n\n", "\u2029", "\x0b")


@st.composite
def written(draw):
    """A table as some program may have written it."""
    cells = draw(columns(most=3))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " ", ", ", "  ", "::"]))
    comma = delimiter != "," and draw(st.booleans())
    digits = draw(st.sampled_from(["%.6g", "%.17g", "%e", '"%.4g"', "%.3f"]))
    rows = [delimiter.join(digits % v for v in row) for row in zip(*cells, strict=True)]
    if comma:
        rows = [row.replace(".", ",") for row in rows]
    if draw(st.booleans()):
        names = [draw(st.sampled_from(NAMES)) for _ in cells]
        rows.insert(0, delimiter.join(f"{one}{j}" for j, one in enumerate(names)))
    for _ in range(draw(st.sampled_from([0] * 6 + [1, 3]))):
        place = draw(st.integers(0, len(rows)))
        rows.insert(place, delimiter.join(draw(st.lists(st.sampled_from(_FIELDS), max_size=4))))
    start = draw(st.sampled_from(["", "", "\ufeff", "# comment\n", "\n\n", "sep=;\n"]))
    end = draw(st.sampled_from(["", "\n", "\n,,\n"]))
    encoding = draw(st.sampled_from(["utf-8"] * 6 + ["utf-16", "latin-1"]))
    return (start + draw(st.sampled_from(_EOL)).join(rows) + end).encode(encoding, "replace")


def texts():
    """Bytes of a file: tables, header only, fields at random, bytes at random, a very long line."""
    fields = st.lists(st.lists(st.sampled_from(_FIELDS), max_size=5), max_size=9)
    return st.one_of(
        *[written()] * 6,
        st.sampled_from([b"a,b\n", b"a;b;c", b"\xff\xfe\x00", b"", b"1" * 200_000, b"1," * 70_000,
                         b'"' + b"a\n" * 90_000, b"1,2\n" * 50, b"\x00" * 50]),
        st.builds(lambda rows, by: "\n".join(by.join(r) for r in rows).encode(), fields,
                  st.sampled_from([",", ";", "\t", " "])),
        st.binary(max_size=200),
        st.text(alphabet="12.5,; \t|\n\"'#-eax", max_size=200).map(str.encode),
    )  # fmt: skip
