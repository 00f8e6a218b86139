"""Units of columns: which equations keep their form in other units, and the units of constants."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from ..expr.dimensions import exponents
from ..expr.expression import Expression
from ..expr.units import plain_unit
from .headers import in_base, is_degrees
from .measurements import BadTable, Measurements, of_columns, quoted
from .scales import Scale

FRACTIONS = 12  # largest denominator of an exponent
CLOSE = 1e-4  # of an exponent and such a fraction
_ONE = r"(1|[^\s\d*/·^()]+)(?:\^(-?\d+))?"
_FACTOR = re.compile(rf"([*/· ]?){_ONE}")
_PRODUCT = re.compile(rf"{_ONE}(?:[*/· ]{_ONE})*")


@dataclass(frozen=True)
class Units:
    """Units of columns as text, and the exponents of base dimensions in them, (D, B).

    ``offset``: which are counted from a zero by convention, as °C; ``degrees``: angles in degrees.

    >>> units = Units.of({"p": "kPa", "V": "l", "T": "K"}, ["p", "V", "T"])
    >>> units.names, units.dimensions.shape
    (('kPa', 'l', 'K'), (3, 4))
    >>> Units.of(["degC", "K", "1"], "abc").offset
    (True, False, False)
    """

    names: tuple[str, ...]
    dimensions: np.ndarray
    offset: tuple[bool, ...]

    @classmethod
    def of(
        cls,
        given: Mapping[str, str] | Sequence[str],
        names: Sequence[str],
        scales: Sequence[Scale] = (),
    ) -> "Units":
        """``given`` by name or in order, as Pint writes them; 1 = none. BadTable quotes a fault.

        Years and dates have the unit in which they are counted on their ``scales``.
        """
        counted = {name: scale.unit for name, scale in zip(names, scales, strict=bool(scales))}
        counted = {name: unit for name, unit in counted.items() if unit}
        if hasattr(given, "items"):  # a mapping or a series
            given = counted | dict(given.items())
        texts = [
            counted.get(name, str(text).strip() or "1")
            for name, text in zip(names, of_columns(given, names, "unit"), strict=True)
        ]
        found = [*map(in_base, texts)]
        for text, name, one in zip(texts, names, found, strict=True):
            if one is None:
                raise BadTable(
                    f"the unit of column {quoted(name)} is {quoted(text)}; expected one such as "
                    f"'kPa', 'm/s^2' or '1'"
                )
        base = sorted({dimension for one, *_ in found for dimension in one})
        exponents = [[float(one.get(dimension, 0.0)) for dimension in base] for one, *_ in found]
        return cls(tuple(texts), np.array(exponents), tuple(zero != 0.0 for _, zero, _ in found))

    @classmethod
    def of_headers(cls, table: Measurements, notes: list[str]) -> "Units | None":
        """Units behind the names, if no column but years lacks one; ``notes`` say what was read."""
        each = [scale.unit or unit for unit, scale in zip(table.units, table.scales, strict=True)]
        missing = [name for name, unit in zip(table.names, each, strict=True) if not unit]
        both = zip(table.names, table.units, strict=True)
        if not (read := ", ".join(f"{name} in {unit}" for name, unit in both if unit)):
            return None
        if not missing:
            notes.append(f"units are taken from the header: {read}")
            return cls.of(each, table.names)
        use = "say what is an angle and no more" if any(map(is_degrees, each)) else "are not used"
        notes.append(
            f"units of the header ({read}) {use}, as it has none for "
            f"{', '.join(missing)}; units= (--unit) gives them all"
        )
        return None

    @property
    def degrees(self) -> tuple[bool, ...]:
        return tuple(map(is_degrees, self.names))

    def __getitem__(self, columns: Sequence[int]) -> "Units":
        """Those of some columns."""
        names, offset = (tuple(of[j] for j in columns) for of in (self.names, self.offset))
        return Units(names, self.dimensions[list(columns)], offset)

    def of_constants(self, expression: Expression, points: np.ndarray) -> tuple[str, ...] | None:
        """Units of the constants of f, in those of the columns; None if f mixes dimensions.

        A constant beside a logarithm has that of the law where the logarithm's quantity is 1.

        >>> from pie.expr.expression import parse
        >>> x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 3))
        >>> units = Units.of(["kPa", "l", "K"], "pVT")
        >>> units.of_constants(parse("x1*x2 - 8.3*x3"), x)
        ('kPa·l/K',)
        >>> units.of_constants(parse("x1*x2 - 3.0*x1**x3"), x) is None
        True
        """
        powers, sound = exponents(expression, points, self.dimensions.T)
        if not sound:
            return None
        own = list(dict.fromkeys(unit for unit in self.names if unit != "1"))
        each = np.array(own, str)[:, None] == np.array(self.names)
        finer, keeps = exponents(expression, points, each)
        if keeps:  # each unit by itself
            return tuple(_written(own, row) for row in np.nan_to_num(finer))
        places = [self.names.index(unit) for unit in own]
        rows = np.nan_to_num(powers)
        return tuple(_composed(own, self.dimensions[places], row) for row in rows)


def _composed(units: Sequence[str], dimensions: np.ndarray, wanted: np.ndarray) -> str:
    """The product of the fewest of the units (U, B) that has the wanted dimension, (B,); else ?."""
    if np.abs(wanted).max(initial=0.0) < CLOSE:
        return ""
    for size in range(1, len(units) + 1):
        for chosen in combinations(range(len(units)), size):
            some = dimensions[list(chosen)].T
            powers = np.linalg.lstsq(some, wanted, rcond=None)[0]
            if np.abs(some @ powers - wanted).max() < CLOSE:
                return _written([units[j] for j in chosen], powers)
    return "?"


def _written(units: Sequence[str], powers: np.ndarray) -> str:
    """A product of powers of units.

    >>> _written(["kPa", "l", "K"], np.array([1.0, 0.5, -1.0]))
    'kPa·l^(1/2)/K'
    >>> _written(["rad", "rad/s^2"], np.array([1.0, -1.0])), _written(["J/(mol K)"], np.ones(1))
    ('s^2', 'J/(mol K)')
    """
    total: dict[str, float] = {}
    for unit, power in zip(units, powers, strict=True):
        for name, exponent in _parts(unit):
            total[name] = total.get(name, 0.0) + exponent * float(power)
    above, below = [], []
    for name, power in total.items():
        near = Fraction(power).limit_denominator(FRACTIONS)
        if abs(near) < CLOSE:
            continue
        size = f"{abs(near)}" if abs(near - power) < CLOSE else f"{abs(power):.4g}"
        size = f"({size})" if "/" in size else size
        (above if power > 0.0 else below).append((name, size))
    if len(above) == 1 and not below and above[0][1] == "1":
        return above[0][0]
    over = "·".join(_power(*one) for one in above) or ("1" if below else "")
    return "/".join([over, *(_power(*one) for one in below)])


def _power(unit: str, size: str) -> str:
    name = unit if _PRODUCT.fullmatch(unit) else f"({unit})"
    return name if size == "1" else f"{name}^{size}"


def _parts(unit: str) -> list[tuple[str, int]]:
    """Units and their exponents in a product such as m/s^2; of another one, as J/(mol K), itself.

    >>> _parts("kg*m^-3"), _parts("1/s"), _parts("m/s²")
    ([('kg', 1), ('m', -3)], [('s', -1)], [('m', 1), ('s', -2)])
    """
    text = plain_unit(unit)
    if not _PRODUCT.fullmatch(text):
        return [(unit, 1)]
    return [
        (name, int(exponent or 1) * (-1 if sign == "/" else 1))
        for sign, name, exponent in _FACTOR.findall(text) if name != "1"
    ]  # fmt: skip
