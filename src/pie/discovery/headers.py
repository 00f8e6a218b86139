"""Names of columns as they stand in equations, and units that stand behind them: ``p (kPa)``."""

import contextlib
import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Integral

import numpy as np

from ..expr.units import plain_unit

MAX_COLUMNS = 100
LONGEST = 60  # letters of a unit
MOST_LETTERS = 200  # of a name behind which a unit is looked for
_NO_UNIT = {"1", "-"}
_AMBIGUOUS = {"C", "F"}  # of charge and capacitance, or of temperature
# in the name of a column of errors, beside that of the column that has them
_ERROR = {
    "err", "error", "errors", "uncertainty", "unc", "sigma", "σ", "std", "sd", "stderr", "sem"
}  # fmt: skip
_BEHIND_SLASH = re.compile(r"(.*\S)\s+/\s+(\S+)")  # T / K, as a quantity over its unit
_IN_BRACKETS = re.compile(r"(.*\S)(?:\s+\(|\s*\[)((?:[^()\[\]]|\([^()]*\))+)[)\]]")


def called(name: object) -> str:
    """A column's name as it stands in equations, without its unit.

    Those of a data frame without names, 0, 1, …, are x1, x2, … as of an array; other numbers would
    be taken for one.

    >>> called("height"), called("height [cm]"), called(0), called(1995), called("-1.5")
    ('height', 'height', 'x1', 'x_1995', 'x__1_5')
    """
    return with_unit(name)[0]


def with_unit(name: object) -> tuple[str, str]:
    """The name and the unit behind it in brackets; empty where there is none that Pint knows.

    >>> with_unit("heat (J/(mol K))"), with_unit("T [°C]"), with_unit("angle [-]")
    (('heat', 'J/(mol K)'), ('T', '°C'), ('angle', '1'))
    >>> with_unit("height (max)"), with_unit("f(s)"), with_unit("T (C)")
    (('height (max)', ''), ('f(s)', ''), ('T (C)', ''))
    """
    stem, unit = _parts(name)
    if unit in _NO_UNIT:
        unit = "1"
    if not unit or unit in _AMBIGUOUS or in_base(unit) is None:
        return _as_symbol(name), ""
    return _as_symbol(stem), unit


def with_unit_below(name: str, cell: str) -> str:
    """A name followed by the unit that stands below it; the name where that is none.

    >>> with_unit_below("p", "kPa"), with_unit_below("V", "(l)"), with_unit_below("T", "high")
    ('p [kPa]', 'V [l]', 'T')
    """
    bare = re.fullmatch(r"[(\[](.*)[)\]]", cell)
    both = f"{name} [{bare[1] if bare else cell}]"
    return both if with_unit(both)[1] else name


def names_and_units(names: Iterable[object]) -> list[tuple[str, str]]:
    """Of the columns of one table. What brackets tell apart is a part of the name, and no unit.

    A unit behind a slash is one if several columns have one, none of which is the name of another
    column, or the only one has: ``p / V`` may be a ratio.

    >>> names_and_units(["p (kPa)", "T (min)", "T (max)"])
    [('p', 'kPa'), ('T (min)', ''), ('T (max)', '')]
    >>> names_and_units(["t / s", "U / V", "note"]), names_and_units(["t", "U / V"])
    ([('t', 's'), ('U', 'V'), ('note', '')], [('t', ''), ('U / V', '')])
    """
    names = [*names]
    behind = [_behind_slash(name) for name in names]
    slashed = [both for both in behind if both]
    if len(slashed) == len(names) or (
        len(slashed) > 1 and not {unit for _, unit in slashed} & {*map(str, names)}
    ):
        bracketed = (both and f"{both[0]} [{both[1]}]" for both in behind)
        names = [new or name for new, name in zip(bracketed, names, strict=True)]
    stems = [str(_parts(name)[0]) for name in names]
    several = Counter(stems)
    return [
        with_unit(name) if several[stem] == 1 else (_as_symbol(name), "")
        for name, stem in zip(names, stems, strict=True)
    ]


def errors_of(names: Sequence[str]) -> dict[int, int]:
    """Places of columns that are called errors of another one, each with the place of that one.

    >>> errors_of(["x", "y", "y_err", "sigma x", "xerr", "sd"]), errors_of(["t", "T", "T_Err"])
    ({2: 1, 3: 0, 4: 0}, {2: 1})
    """
    apart = (re.sub(r"(?i)(?<=\w)err(or)?$", " err", name) for name in names)
    words = [re.findall(r"[^\W_]+", name) for name in apart]
    lower = [[word.lower() for word in own] for own in words]
    found = {}
    for j, own in enumerate(words):
        rest = [word for word in own if word.lower() not in _ERROR]
        small = [word.lower() for word in rest]
        if rest and rest != own and small in lower:
            found[j] = words.index(rest) if rest in words else lower.index(small)
    return found


def _parts(name: object) -> tuple[object, str]:
    """What stands before brackets, and in them."""
    text = str(name).strip()
    both = _IN_BRACKETS.fullmatch(text) if len(text) <= MOST_LETTERS else None
    return (both[1], both[2].strip()) if both else (name, "")


def _behind_slash(name: object) -> tuple[str, str] | None:
    """The name and the unit behind a slash; None if there is no unit."""
    both = _BEHIND_SLASH.fullmatch(str(name)[:MOST_LETTERS])
    return (both[1], both[2]) if both and in_base(both[2]) else None


def among(name: object, names: Sequence[str]) -> str:
    """How a name that somebody gives stands in ``names``, with its unit or without."""
    return with_unit_among(name, names)[0]


def with_unit_among(name: object, names: Sequence[str]) -> tuple[str, str]:
    """The same, and the unit behind it."""
    short = [with_unit(name), *([both] if (both := _behind_slash(name)) else [])]
    return next((found for found in short if found[0] in names), (_as_symbol(name), ""))


def _as_symbol(name: object) -> str:
    if isinstance(name, Integral) and 0 <= name < MAX_COLUMNS:
        return f"x{int(name) + 1}"
    text = str(name)
    try:
        number = float(text.replace("_", " "))
    except ValueError:
        return text
    finite = abs(number) < float("inf")
    return "x_" + re.sub(r"\W", "_", text.strip()) if finite else text


def is_degrees(unit: str) -> bool:
    """Whether a unit is that of an angle in degrees.

    >>> [is_degrees(unit) for unit in ("deg", "°", "degree", "rad", "degC", "1", "")]
    [True, True, True, False, False, False, False]
    """
    return bool(unit) and in_base(unit) == ({}, 0.0, math.radians(1.0))


def converted(values: np.ndarray, unit: str, into: str) -> np.ndarray:
    """Values in another unit; ValueError if that is of something else.

    >>> converted(np.array([20.0, 25.0]), "degC", "K")
    array([293.15, 298.15])
    """
    one, other = in_base(unit), in_base(into)
    if one is None or other is None or one[0] != other[0]:
        raise ValueError(f"{unit} is no {into}")
    (_, zero, size), (_, origin, step) = one, other
    return values if one == other else (zero - origin + size * values) / step


@functools.lru_cache(maxsize=1024)
def in_base(unit: str) -> tuple[dict[str, float], float, float] | None:
    """Exponents of the base dimensions of a unit, its zero and its size in these; None: it is none.

    >>> in_base("km/s") == ({"[length]": 1, "[time]": -1}, 0.0, 1000.0), in_base("height")
    (True, None)
    """
    if unit == "1":
        return {}, 0.0, 1.0
    for written in [plain_unit(unit), unit] if len(unit) <= LONGEST else []:  # cmH2O is plain
        with contextlib.suppress(Exception):  # Pint raises many kinds
            known = _registry().parse_units(written)
            zero, one = (_registry().Quantity(x, known).to_base_units().magnitude for x in (0.0, 1.0))
            return dict(_registry().get_dimensionality(known)), zero, one - zero
    return None


@functools.cache
def _registry():
    import pint  # takes half a second

    return pint.UnitRegistry()
