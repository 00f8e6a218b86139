"""How exact the columns of a table are, if the user knows."""

from collections.abc import Mapping, Sequence

import numpy as np

from .measurements import BadTable, quoted


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
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise BadTable(
                f"{len(given)} uncertainties for {len(names)} columns ({', '.join(names)}); "
                f"expected one for each"
            )
        given = dict(zip(names, given, strict=True))
    missing = [name for name in names if name not in given]
    if missing:
        raise BadTable(
            f"no uncertainty of column {quoted(missing[0])}; known are those of {', '.join(given)}"
        )
    values = []
    for name in names:
        try:
            value = float(given[name])
        except (TypeError, ValueError):
            value = np.nan
        if not 0.0 <= value < np.inf:
            raise BadTable(
                f"the uncertainty of column {quoted(name)} is {quoted(given[name])}; "
                f"expected a number of at least 0"
            )
        values.append(value)
    if not any(values):
        raise BadTable("all uncertainties are 0; expected at least one column with errors")
    return np.array(values)
