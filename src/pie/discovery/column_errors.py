"""How exact the columns of a table are: known to the user, or seen from the digits."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..zeroset.metric import set_columns
from .measurements import BadTable, of_columns, quoted


def known_errors(
    given: Mapping[str, float] | Sequence[float] | None, names: Sequence[str]
) -> np.ndarray | None:
    """Standard deviations of the measuring errors of columns, (D,); None if none are given.

    They are ``given`` by name, more than ``names`` or not, or in order; 0 = exact. BadTable if one
    is missing, no number, negative or infinite, or all are 0.

    >>> known_errors({"x": 0.1, "y": 0}, ["y", "x"])
    array([0. , 0.1])
    """
    if given is None:
        return None
    values = []
    for name, one in zip(names, of_columns(given, names, "uncertainty"), strict=True):
        try:
            value = float(one)
        except (TypeError, ValueError, OverflowError):
            value = np.nan
        if not 0.0 <= value < np.inf:
            raise BadTable(
                f"the uncertainty of column {quoted(name)} is {quoted(one)}; "
                f"expected a number of at least 0"
            )
        values.append(value)
    if not any(values):
        raise BadTable("all uncertainties are 0; expected at least one column with errors")
    return np.array(values)


def least_errors(points: np.ndarray) -> np.ndarray:
    """Errors below which the digits of points (N, D) say nothing: standard deviations, (D,).

    A column of multiples of 10^k, k ≤ 0, is rounded by 10^k/√12 in the root mean square. The
    smallest such error, as a share of the column's standard deviation, counts for every column
    but those whose values were set, such as 10, 20, 30. 0 where a column shows all digits.

    >>> least_errors(np.array([[0.1, 1.0], [0.2, 2.1], [0.3, 3.3]])).round(3)
    array([0.003, 0.029])
    >>> least_errors(1e-6 * np.array([[0.1, 1.0], [0.2, 2.1], [0.3, 3.3]])).round(9)
    array([3.0e-09, 2.9e-08])
    >>> least_errors(np.array([[0.1, 1.0], [0.2, np.pi], [0.3, np.e]]))
    array([0., 0.])
    """
    spreads, measured = points.std(axis=0), ~set_columns(points)
    shares = [_rounding(column) / spread for column, spread in zip(points.T, spreads, strict=True)]
    return np.where(measured, min(np.array(shares)[measured]) * spreads, 0.0)


def _rounding(column: np.ndarray) -> float:
    largest = np.abs(column).max()
    finest = 1e-9 * largest
    for place in range(0, -16, -1):
        unit = 10.0**place
        if unit < finest:
            break
        if np.abs(column - unit * np.round(column / unit)).max() < min(1e-4 * unit, 1e-7 * largest):
            return unit / np.sqrt(12.0)
    return 0.0
