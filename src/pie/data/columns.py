"""Laws of four columns or more, from which points are drawn.

``feynman_columns`` is the AI-Feynman list with its published ranges (Udrescu and Tegmark 2020),
``columns`` are forty laws of engineering and science in everyday units. Both were written before
any search for such laws was. Choices are made on the laws of ``development``.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..expr.expression import Expression, parse
from ..expr.units import plain_unit
from .benchmarks import read_rows
from .sampling import add_noise

FOLDER = Path("data/columns")
NO_UNITS = ("EUR", "%", "millions", "metric", "pu", "dB", "dB/m")  # of no quantity of physics
KINDS = ("product", "sum", "function", "ratio", "trigonometric")
INVERSES = {  # expressions have no inverse of the sine
    "": np.asarray,
    "arcsin": np.arcsin,
    "arcsin, degrees": lambda sine: np.degrees(np.arcsin(sine)),
}


class ColumnLaw(NamedTuple):
    """A law f(x1, …, xD) = 0, and how to draw points from it.

    ``low`` and ``high`` are the ranges of all columns but the last, (D − 1,). The last column is
    ``formula`` of the others, after ``inverse`` if that is given.
    """

    law_id: str
    kind: str
    name: str
    columns: tuple[str, ...]
    equation: Expression
    low: np.ndarray
    high: np.ndarray
    formula: Expression
    inverse: str = ""

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the columns, as Pint reads them; ``1`` where the name of a column has none.

        >>> laws = column_laws("development")
        >>> laws[0].units, laws[2].units[0]
        (('kPa', 'L', 'mol', 'K'), '1')
        """
        return tuple(map(_unit, self.columns))


def _unit(column: str) -> str:
    """The unit in ``heat (kJ/kg K)`` is kJ/kg/K; 1 for units of no quantity, as money."""
    found = re.search(r"\(([^()]*)\)$", column)
    unit = "1" if found is None or found[1] in NO_UNITS else found[1]
    return plain_unit(unit.replace("1000 ", ""))  # of a dimension, not of a size


def column_laws(name: str, folder: Path = FOLDER) -> list[ColumnLaw]:
    """The laws of ``feynman_columns``, ``columns`` or ``development``, with four to nine columns.

    >>> column_laws("feynman_columns")[2].columns
    ('m_0', 'v', 'c', 'm')
    >>> law = column_laws("development")[20]
    >>> law.name, law.inverse
    ('refraction (Snell)', 'arcsin, degrees')
    """
    laws = []
    for row in read_rows(Path(folder) / f"{name}.csv"):
        low, high = (np.array(row[key].split(";"), float) for key in ("low", "high"))
        about = row["id"], row["kind"], row["name"], tuple(row["columns"].split(";"))
        solved = parse(row["formula"]), row.get("inverse", "")
        laws.append(ColumnLaw(*about, parse(row["equation"]), low, high, *solved))
    return laws


def points(law: ColumnLaw, n: int, noise: float, seed: int) -> np.ndarray:
    """Points of a law, (n, D): inputs uniform in their ranges, then noise on every column.

    ``noise`` is a share of each column's standard deviation; a seed has the same exact points under
    every noise. Before noise, inputs are the same on every machine, the last column to rounding.

    >>> law = column_laws("columns")[13]
    >>> drawn = points(law, 100, noise=0.0, seed=1)
    >>> bool(np.abs(law.equation.values(drawn)).max() < 1e-12)
    True
    """
    rng = np.random.default_rng([seed, *law.law_id.encode()])
    # not rng.uniform: on some machines its product and sum are rounded once
    inputs = law.low + (law.high - law.low) * rng.random((n, len(law.low)))
    last = INVERSES[law.inverse](law.formula.values(inputs))
    return add_noise(np.column_stack([inputs, last]), noise, rng)
