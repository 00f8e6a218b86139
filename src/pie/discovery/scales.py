"""From which zero a column is counted, and in what: calendar years, dates, columns far from 0.

The zero of a calendar is a convention. A law of the years 1970 to 2015 in numbers of about 2000 has
constants such as exp(400), so years are counted from the decade in which the table begins: then
``year`` is written as ``(year - 1970)``. Dates over two years or more become years as well,
2003-07-02 about 2003.5; over less, days, hours or seconds since the first one.

Other columns that lie farther from 0 than :data:`FAR` times what they span, as Julian dates or
easting and northing, are counted from a round number below them: there x and x² differ by less than
the noise from a constant and a line, and a change of a wave's rate is one of its phase.
"""

import datetime
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..expr.sympy_bridge import digits_before

CALENDAR = {"year", "years", "yr", "date"}  # words in names of columns of years
NO_CALENDAR = {"per", "light"}  # words beside these that make another quantity of them
DECIMAL = {"decimal", "fraction", "fractional"}  # words beside these of years that are not whole
FIRST, LAST = 1000.0, 3000.0  # years
DECADE = 10.0
FAR = 300.0  # times what a column spans
KNOWN = 15  # decimal digits of a float
YEARS = "years"
SINCE = {"days": 86_400e9, "hours": 3_600e9, "seconds": 1e9}  # nanoseconds
LEAST = 2.0  # of a unit between the first and the last date
OF_A_YEAR = 365.2425 * SINCE["days"]
_TIME = r"[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?"
_ISO = re.compile(rf"\d{{4}}-(\d{{2}}-\d{{2}}({_TIME})?|0[1-9]|1[0-2])")  # 1998-99 is no month
_OTHER = re.compile(r"\d{1,4}[/.]\d{1,2}[/.]\d{1,4}|\d{1,2}-[A-Za-z]{3}-\d{2,4}")


@dataclass(frozen=True)
class Scale:
    """A value is counted from ``origin``; a year or date in ``unit``, of its year or since a date.

    >>> when = times(pd.Series(["1971-01-01", "1981-07-02 12:00"]))
    >>> Scale(1970.0, "years").of(when).tolist()
    [1.0, 11.5]
    >>> Scale(unit="days", since="1970-12-31").of(when[:1]).tolist()
    [1.0]
    """

    origin: float = 0.0
    unit: str = ""  # of years and dates; empty: other numbers
    since: str = ""

    @property
    def conventional(self) -> bool:
        """Whether its zero means nothing."""
        return self != Scale()

    def of(self, times: pd.Series) -> np.ndarray:
        """Of :func:`times` (N,), nan where one is missing."""
        if self.unit == YEARS:
            when = times.to_numpy("datetime64[us]")
            year = when.astype("datetime64[Y]")
            begin, end = (one.astype("datetime64[us]") for one in (year, year + 1))
            passed = (when - begin) / (end - begin)  # nan where a date is missing
            return year.astype(int) + 1970.0 + passed - self.origin
        return ((times - pd.Timestamp(self.since)) / pd.Timedelta(SINCE[self.unit])).to_numpy(float)

    def of_numbers(self, values: np.ndarray) -> np.ndarray:
        """Of numbers (N,): how far they are above the origin, in as many decimal places.

        >>> Scale(2459000.0).of_numbers(np.array([2459012.3])).tolist()
        [12.3]
        """
        if not self.origin:
            return values
        places, above = KNOWN - digits_before(self.origin), values - self.origin
        decimal = np.round(values, places) == values
        return np.where(decimal, np.round(above, places), above)

    def text(self, name: str) -> str:
        """As it stands in an equation."""
        if not self.origin:
            return name
        sign = "-" if self.origin > 0.0 else "+"
        return f"({name} {sign} {abs(self.origin):.{KNOWN}g})"

    def label(self, name: str) -> str:
        """What is drawn along an axis."""
        return f"{name}, {self.unit} since {self.since}" if self.since else name

    def note(self, name: str) -> str:
        """What a result says of it."""
        if self.since:
            return f"column {name} is in {self.unit} since {self.since}"
        how = "in years " if self.unit == YEARS else ""
        return f"column {name} is counted {how}from {self.origin:.{KNOWN}g}"


def scale_of_years(name: str, values: np.ndarray) -> Scale:
    """Of a column of numbers (N,): from its decade if it is called a year and may be one.

    With other words beside *year* its values are whole, and it is no rate or another quantity.

    >>> years = np.arange(1970.0, 1990.0)
    >>> [scale_of_years(name, years).origin for name in ("year", "birth_year", "income per year")]
    [1970.0, 1970.0, 0.0]
    >>> [scale_of_years(name, years + 0.3).origin for name in ("decimal year", "birth_year")]
    [1970.0, 0.0]
    """
    words = {*re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())}
    known = values[np.isfinite(values)]
    if not CALENDAR & words or NO_CALENDAR & words or "/" in name or not len(known):
        return Scale()
    if not FIRST <= known.min() <= known.max() <= LAST:
        return Scale()
    if words - CALENDAR - DECIMAL and np.any(known != np.round(known)):
        return Scale()
    return Scale(_decade(known.min()), YEARS)


def scale_of_numbers(values: np.ndarray) -> Scale:
    """Of a column of other numbers (N,): from a round number where it lies far from 0.

    >>> [scale_of_numbers(np.array(x)).origin for x in ([2459012.3, 2459042.1], [-0.1234, -0.1237])]
    [2459000.0, -0.124]
    >>> scale_of_numbers(np.array([290.0, 300.0])).conventional
    False
    """
    span = np.ptp(values)
    if not 0.0 < FAR * span <= np.abs(values).min():
        return Scale()
    places = math.ceil(math.log10(span))
    return Scale(float(np.round(np.floor(values.min() / 10.0**places) * 10.0**places, -places)))


def scale_of_dates(times: pd.Series) -> Scale:
    """Of :func:`times`: the largest unit of which they span :data:`LEAST`."""
    first, span = times.min(), (times.max() - times.min()) / pd.Timedelta(1, "ns")
    if span >= LEAST * OF_A_YEAR:
        return Scale(_decade(first.year), YEARS)
    unit = next((unit for unit, size in SINCE.items() if span >= LEAST * size), "seconds")
    return Scale(unit=unit, since=str(first).removesuffix(" 00:00:00"))


def are_dates(cells: Sequence[object]) -> bool:
    """Whether all are dates, those of text in ISO 8601.

    >>> are_dates(["2001-03", "2001-04-30 12:00"]), are_dates(["2001"]), are_dates([])
    (True, False, False)
    """
    return len(cells) > 0 and all(
        _ISO.fullmatch(x.strip()) if isinstance(x, str)
        else isinstance(x, datetime.date | np.datetime64) for x in cells
    )  # fmt: skip


def may_be_dates(cells: Sequence[object]) -> bool:
    """Whether some look like dates, as those that are written in another way."""
    texts = [x.strip() for x in cells if isinstance(x, str)]
    return any(_OTHER.match(x) or _ISO.match(x) for x in texts)


def _decade(year: float) -> float:
    return float(np.floor(year / DECADE) * DECADE)


def times(column: pd.Series) -> pd.Series:
    """A column of dates without a time zone, in UTC if there was one; NaT for what is no date."""
    how = "ISO8601" if column.dtype.kind != "M" else None
    return pd.to_datetime(column, utc=True, format=how, errors="coerce").dt.tz_localize(None)
