"""What was found in a table: laws with their evidence, or that there is none."""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import compress
from pathlib import Path

import numpy as np
import pandas as pd
import sympy
from sympy.core.parameters import distribute

from .. import __version__
from ..expr.expression import Expression, from_tree, to_tree
from ..expr.known_numbers import known_numbers
from ..expr.solving import Unsolved, solved_for
from ..expr.sympy_bridge import (
    DIGITS,
    Constant,
    as_text,
    counted_from,
    digits_before,
    named,
    number,
    rounded,
    to_latex,
    to_sympy,
)
from ..files import whole
from ..search.candidates import Price
from ..zeroset.degeneracy import SOUND
from ..zeroset.distance import first_order_distances
from ..zeroset.factors import Factor
from ..zeroset.noise import UNKNOWN, Noise
from ..zeroset.outliers import OUTLYING
from .certificate import Certificate
from .headers import among
from .measurements import Table, columns_in, counted
from .scales import Scale
from .writing import equation, name_from_elsewhere

FORMAT = 12  # of the JSON
ROUNDING = 1e-9  # root mean square distance of an exact fit at most, in spreads
SHARPER = 0.3  # times the contrast: what a further column has to bring
MORE = 5.0  # nats: the same, of laws in four columns or more
RIVAL = 3.0  # nats: a law that is less probable by no more is hardly told from the best
SHOWN = 3  # rivals in a printed result


def measured(value: float, error: float) -> str:
    """A value with its standard error, to two digits of the error.

    >>> measured(1.4998225, 4.8e-06), measured(812.3, 14.0), measured(6.02214e23, 3e18)
    ('1.4998225 ± 0.0000048', '812 ± 14', '6.022140e+23 ± 3.0e+18')
    >>> measured(27432.1, 552.0), measured(9.512e-08, 6.9e-09)
    ('27430 ± 550', '9.51e-08 ± 6.9e-09')
    >>> measured(2.0, 0.0), measured(2.0, float("inf"))
    ('2 ± 0', '2 (not determined by the points)')
    """
    if not math.isfinite(error):
        return f"{value:.6g} (not determined by the points)"
    if error <= 1e-12 * abs(value):
        return f"{value:.12g} ± {error:.2g}"
    digits = 2 - digits_before(error)
    if digits <= 10 and 1e-4 <= max(abs(value), error) < 1e6:
        places = max(0, digits)
        return f"{round(value, digits):.{places}f} ± {round(error, digits):.{places}f}"
    shown = max(0, digits_before(max(abs(value), error)) - 1 + digits)
    return f"{value:.{shown}e} ± {error:.1e}"


def _known_number(size: float) -> sympy.Expr:
    """A number that is not fitted, as it is written: 1, 1.5, pi/180."""
    if 2.0 * size == round(2.0 * size):
        return number(size)
    return sympy.pi * sympy.Rational(round(size * 360.0 / math.pi), 360)


def _root(power: sympy.Pow) -> sympy.Expr:
    """A root with its exponent as it is written: 1/3 for 0.3333333333333333."""
    n = round(1.0 / abs(power.exp)) if power.exp.is_Float and power.exp else 0
    return power.base ** sympy.Rational(1, n) if n and float(power.exp) == 1.0 / n else power


def _in_names(text: str, names: Sequence[str]) -> str:
    """A text with x1, x2, … called like the columns.

    >>> _in_names("x2 is inside sin; x1 is not", ("t", "height"))
    'height is inside sin; t is not'
    """
    return re.sub(r"\bx(\d+)\b", lambda found: names[int(found[1]) - 1], text)


def _number(value: float) -> float | None:
    """JSON has no infinite numbers."""
    return value if math.isfinite(value) else None


def _from_number(value: float | None) -> float:
    return math.inf if value is None else value


@dataclass(frozen=True, repr=False)
class Law:
    """An equation f = 0 with what is known about it; called with points (N, D) it is f there.

    ``rms`` is the root mean square first-order distance of all points in the data's units,
    ``relative_rms`` the same in units of the columns' spreads, ``chi`` in units of their
    uncertainties, if known: about 1 for the right equation, more where it is wrong. ``noise`` is
    what the columns show without any law: no equation can be right and much closer. Of the points
    ``outliers`` are farther than :data:`pie.zeroset.outliers.OUTLYING` median distances,
    and than two units of the table's last digit; ``inlier_rms`` is ``relative_rms`` of the others.

    >>> from pie import discover
    >>> x = np.linspace(0.5, 2.0, 40)
    >>> law = discover({"x": x, "y": 3.0 / x}).best
    >>> law, law.template, law.latex
    (x*y = 3, -c1 + x*y, 'x y = 3')
    """

    program: Expression  # f in x1, x2, …
    names: tuple[str, ...]  # of the columns
    errors: tuple[float, ...]  # standard errors of the constants
    rms: float
    relative_rms: float
    certificate: Certificate
    chi: float | None = None
    proposer: str = ""  # who proposed it to the search (pie.search.proposers)
    price: Price = Price(0.0)  # on the points that the search saw
    units: tuple[str, ...] = ()  # of the constants, if those of the columns are known
    noise: Noise = UNKNOWN  # of these columns
    outliers: int = 0
    inlier_rms: float = math.inf
    scales: tuple[Scale, ...] = ()  # on which the columns are counted; () = as they are
    column_units: tuple[str, ...] = ()  # in which they are counted, if that is known
    digits: tuple[int, ...] = ()  # of each constant where it is written; () = four

    @property
    def expression(self) -> sympy.Expr:
        """f in SymPy, in symbols called like the columns."""
        return self._from_zero(self._with_numbers)

    @property
    def _with_numbers(self) -> sympy.Expr:
        return self._written([number(value) for _, value, _, _ in self._fitted])

    def _with_symbols(self, kind: type[sympy.Symbol]) -> sympy.Expr:
        return self._written([kind(name) for name in self.constants])

    def _from_zero(self, shown: sympy.Basic) -> sympy.Basic:
        """With years as ``year - 1970`` where they are counted from 1970."""
        both = zip(self.names, self.scales, strict=bool(self.scales))
        origins = {name: scale.origin for name, scale in both if scale.origin}
        return counted_from(shown, {sympy.Symbol(x): number(x0, 15) for x, x0 in origins.items()})

    def solved_for(self, name: str) -> sympy.Eq:
        """The law as ``name`` = …, constants to four digits, or more where these would tell less
        than the law knows; of an even power the positive root.

        Odd roots are those of positive numbers.

        Raises:
            Unsolved: arithmetic is not enough, as where the column is in two terms or in a sine.
            ValueError: there is no such column.
        """
        name = among(name, self.names)
        if name not in self.names:
            raise ValueError(f"there is no column {name!r}; the law has {', '.join(self.names)}")
        try:
            solved = solved_for(self.program, self.names.index(name) + 1)
        except Unsolved as why:
            raise Unsolved(_in_names(str(why), self.names)) from None
        every = zip(solved.constants, known_numbers(solved), strict=True)
        signed = ((math.copysign(1, c), abs(c), _known_number if known else number)
                  for c, known in every)  # fmt: skip
        found = to_sympy(solved, [int(sign) * written(size) for sign, size, written in signed])
        roots = {power: _root(power) for power in found.atoms(sympy.Pow)}
        digits = max((DIGITS, *self.digits))
        right = rounded(named(found.xreplace(roots), self.names), digits)
        return self._from_zero(sympy.Eq(sympy.Symbol(name), right, evaluate=False))

    @property
    def template(self) -> sympy.Expr:
        """f with its constants as symbols c1, c2, …, which are positive."""
        return self._from_zero(self._with_symbols(sympy.Symbol))

    def _written(self, fitted: Sequence[sympy.Expr]) -> sympy.Expr:
        """f with these for the magnitudes of its fitted constants, columns counted as fitted."""
        names = ((size, unit) for _, size, _, unit in self._fitted)
        written, numbers = dict(zip(names, fitted, strict=True)), []
        every = zip(
            self.program.constants, self._each_unit, known_numbers(self.program), strict=True
        )
        for value, unit, known in every:
            size = _known_number(abs(value)) if known else written[abs(value), unit]
            numbers.append(-size if value < 0.0 else size)
        with distribute(False):  # k*(x - x0) stays a product
            return named(to_sympy(self.program, numbers), self.names)

    @property
    def equation(self) -> sympy.Eq:
        """The law as people write it, constants to four digits, such as p·V = 8.314·n·T.

        They have more where the law would be elsewhere with four
        (:func:`~pie.discovery.writing.digits_needed`). A curve that is usually given by one column
        is solved for it, as a logistic one.
        """
        digits = self._digits
        shown = rounded(self._with_numbers, lambda value: digits.get(abs(value), DIGITS))
        return self._from_zero(equation(shown, self.program, self.names))

    @property
    def _digits(self) -> dict[float, int]:
        """Of the constants, by their magnitudes."""
        return dict(zip(np.abs(self.program.constants).tolist(), self.digits))

    @property
    def in_symbols(self) -> str:
        """The equation on one line, its constants called c1, c2, …"""
        f = self._with_symbols(Constant)
        return as_text(self._from_zero(equation(f, self.program, self.names)))

    @property
    def constants(self) -> dict[str, tuple[float, float]]:
        """Magnitudes and standard errors of c1, c2, … (c_1, … where a column is called so).

        Without those that are not fitted, as π/180 of an angle in degrees; constants of one
        magnitude and unit are one number.
        """
        return {name: (value, error) for name, value, error, _ in self._fitted}

    @property
    def _fitted(self) -> list[tuple[str, float, float, str]]:
        """Name, magnitude, standard error and unit of each number that is fitted."""
        sizes = np.abs(self.program.constants).tolist()
        every = zip(zip(sizes, self._each_unit, strict=True), self.errors, strict=True)
        fitted = dict(compress(every, ~known_numbers(self.program)))
        letter = "c"
        while not {f"{letter}{k + 1}" for k in range(len(fitted))}.isdisjoint(self.names):
            letter += "_"
        return [
            (f"{letter}{k}", size, error, unit)
            for k, ((size, unit), error) in enumerate(fitted.items(), start=1)
        ]

    @property
    def _each_unit(self) -> tuple[str, ...]:
        return self.units or ("",) * len(self.errors)

    @property
    def name(self) -> str:
        """What people call a curve or surface of this form; empty where it has no usual name."""
        return name_from_elsewhere(self.program, [scale.origin != 0.0 for scale in self.scales])

    @property
    def latex(self) -> str:
        """The equation in LaTeX, constants to four significant digits."""
        return to_latex(self.equation)

    @property
    def factors(self) -> tuple[tuple[sympy.Expr, float], ...]:
        """Factors of f in the columns' names, with the share of the points that each carries."""
        found = self.certificate.factors
        each = ((named(to_sympy(f.expression), self.names), f.share) for f in found)
        return tuple((self._from_zero(expression), share) for expression, share in each)

    @property
    def reason(self) -> str:
        """Why it does not pass for a law; empty if it does."""
        return self.certificate.reason_in(self.names)

    @property
    def complexity(self) -> int:
        """Operators, variables and constants."""
        return len(self.program.codes)

    def __call__(self, points: Table) -> np.ndarray:
        """f at the rows of a table with these columns, by name, or of points (N, D), (N,).

        nan where a value is missing.
        """
        with np.errstate(all="ignore"):
            return self.program.values(self.points_in(points))

    def distance(self, points: Table) -> np.ndarray:
        """Signed first-order distance f/‖∇f‖ of the rows of such a table, in its units, (N,)."""
        return first_order_distances(self.program, self.points_in(points))

    def points_in(self, table: Table) -> np.ndarray:
        """The law's columns of a table as ``program`` takes them, (N, D): years from 1970, say.

        In the units of the table in which it was found, if the header of the table has others.
        """
        return columns_in(table, self.names, self.scales, self.column_units)

    def __repr__(self) -> str:
        return as_text(self.equation)

    def record(self) -> dict:
        """What JSON holds; ``program`` and what follows it is for :meth:`of_record`."""
        seen = self.certificate
        return {
            "equation": str(self.expression),
            "template": str(self.template),
            "latex": self.latex,
            "columns": list(self.names),
            "scales": [asdict(scale) for scale in self.scales],
            "column_units": list(self.column_units),
            "constants": {
                name: {"value": value, "standard_error": _number(error)}
                | ({"unit": unit} if self.units else {})
                for name, value, error, unit in self._fitted
            },
            "rms": _number(self.rms),
            "relative_rms": _number(self.relative_rms),
            "outliers": self.outliers,
            "inlier_rms": _number(self.inlier_rms),
            **({} if self.chi is None else {"chi": _number(self.chi)}),
            "noise": None if math.isnan(self.noise.level) else asdict(self.noise),
            "complexity": self.complexity,
            "name": self.name,
            "law": seen.law,
            "reason": self.reason,
            "left_out_contrast": _number(seen.contrast),
            "p": seen.p,
            "evidence": _number(seen.evidence),
            "covered": seen.covered,
            "factors": [{"equation": str(f), "share": share} for f, share in self.factors],
            "proposer": self.proposer,
            "price": {name: _number(value) for name, value in asdict(self.price).items()},
            "program": to_tree(self.program),
            "errors": [_number(error) for error in self.errors],
            "digits": list(self.digits),
            "units": list(self.units),
            "certificate": {
                "kind": seen.kind,
                "gain": _number(seen.gain),
                "shares": list(seen.shares),
                "p_of_parts": list(seen.p_of_parts),
                "factors": [[to_tree(factor.expression), factor.share] for factor in seen.factors],
            },
        }

    @classmethod
    def of_record(cls, record: dict) -> "Law":
        """The inverse of :meth:`record`."""
        seen = record["certificate"]
        certificate = Certificate(
            seen["kind"], _from_number(record["left_out_contrast"]), record["p"],
            -math.inf if record["evidence"] is None else record["evidence"],
            _from_number(seen["gain"]),
            tuple(seen["shares"]), record["covered"],
            tuple(Factor(from_tree(f), share) for f, share in seen["factors"]),
            tuple(seen["p_of_parts"]),
        )  # fmt: skip
        program, units = from_tree(record["program"]), tuple(record["units"])
        errors = map(_from_number, record["errors"])
        chi = _from_number(record["chi"]) if "chi" in record else None
        price = Price(**{name: _from_number(value) for name, value in record["price"].items()})
        return cls(
            program, tuple(record["columns"]), tuple(errors),
            _from_number(record["rms"]), _from_number(record["relative_rms"]), certificate,
            chi, record["proposer"], price, units,
            UNKNOWN if record["noise"] is None else Noise(**record["noise"]),
            record["outliers"], _from_number(record["inlier_rms"]),
            tuple(Scale(**scale) for scale in record["scales"]), tuple(record["column_units"]),
            tuple(record["digits"]),
        )  # fmt: skip


@dataclass(frozen=True, repr=False)
class Result:
    """What was found in a table with so many ``points`` in columns ``names``, in so many seconds.

    ``candidates`` are best first, degenerate and accidental ones among them; ``notes`` say what of
    the table was left out, and which sets of columns were searched.

    >>> from pie import discover
    >>> angle = np.linspace(0.0, 6.0, 60)
    >>> result = discover({"x": 2.0 * np.cos(angle), "y": 2.0 * np.sin(angle)})
    >>> result
    <60 points in x, y: 1 law, first x**2 + y**2 = 4>
    >>> result.best.constants["c1"][0], result.rivals, bool(result.to_dataframe().law[0])
    (4.0, (), True)
    """

    candidates: tuple[Law, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    points: int
    seconds: float
    forbidden: int = 0  # equations that would be here if the units allowed them

    @property
    def best(self) -> Law | None:
        """The first law; None if no law was found."""
        return next(iter(self.laws), None)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The first law in every set of columns that has one; they hold at the same time.

        A law that further columns sharpen is left out.
        """
        return tuple(law for law, without in self._lawful if not without)

    @property
    def approximate(self) -> tuple[tuple[Law, tuple[str, ...]], ...]:
        """Laws of a part of the columns, each with those that it leaves out and that sharpen it."""
        return tuple((law, without) for law, without in self._lawful if without)

    @property
    def _lawful(self) -> list[tuple[Law, tuple[str, ...]]]:
        """The first law of every set of columns that no part replaces; columns that sharpen it."""
        first: dict[tuple[str, ...], Law] = {}
        for law in self.candidates:
            if law.certificate.law:
                first.setdefault(law.names, law)
        found = []
        for law in first.values():
            parts = (part for part in first.values() if {*part.names} < {*law.names})
            if any(part.price.total <= law.price.total for part in parts):
                continue
            sharper = next((o for o in first.values() if _sharpens(o, law)), law)
            found.append((law, tuple(n for n in sharper.names if n not in law.names)))
        return found

    @property
    def law(self) -> bool:
        """Whether a law was found."""
        return self.best is not None

    @property
    def rivals(self) -> tuple[Law, ...]:
        """Laws in the columns of the best one that the points hardly tell from it, best first.

        Their zeros differ, or they are curves of another name that are the same within the errors.
        By their prices, which are no calibrated probabilities, they are at most e³ ≈ 20 times less
        probable.
        """
        return self._rivals_of(self.best) if self.best else ()

    def _rivals_of(self, best: Law) -> tuple[Law, ...]:
        most = best.price.total + RIVAL
        return tuple(
            law
            for law in self.candidates
            if law is not best and law.names == best.names and law.certificate.law
            if law.program.variables == best.program.variables
            if law.price.total <= most
        )

    @property
    def noise(self) -> Noise:
        """Noise of the columns of the best law, or of the first candidate if there is no law."""
        first = self.best or next(iter(self.candidates), None)
        return first.noise if first else UNKNOWN

    @property
    def front(self) -> tuple[Law, ...]:
        """Candidates that none of equal or lower complexity fits as well, simplest first.

        What is exact to rounding cannot be beaten: another form of it buys nothing.
        """
        kept: list[Law] = []
        for law in sorted(self.candidates, key=lambda c: (c.complexity, c.relative_rms)):
            if not kept or law.relative_rms < kept[-1].relative_rms > ROUNDING:
                kept.append(law)
        return tuple(kept)

    def to_dataframe(self) -> pd.DataFrame:
        """One line per candidate, best first, with all digits."""
        return self._frame(
            equation=lambda law: str(law.expression),
            columns=lambda law: ", ".join(law.names),
            complexity=lambda law: law.complexity,
            rms=lambda law: law.rms,
            relative_rms=lambda law: law.relative_rms,
            outliers=lambda law: law.outliers,
            inlier_rms=lambda law: law.inlier_rms,
            contrast=lambda law: law.certificate.contrast,
            p=lambda law: law.certificate.p,
            law=lambda law: law.certificate.law,
            reason=lambda law: law.reason,
            proposer=lambda law: law.proposer,
            price=lambda law: law.price.total,
        )

    def _frame(self, **cells: Callable[[Law], object]) -> pd.DataFrame:
        """One line per candidate; the columns stand where there is none, too."""
        found = {name: [cell(law) for law in self.candidates] for name, cell in cells.items()}
        return pd.DataFrame(found)

    def to_json(self) -> str:
        """As one JSON object."""
        content = {
            "law": self.law,
            "best": self.best.record() if self.best else None,
            "laws": [str(law.expression) for law in self.laws],
            "rivals": [str(law.expression) for law in self.rivals],
            "candidates": [law.record() for law in self.candidates],
            "columns": list(self.names),
            "notes": list(self.notes),
            "points": self.points,
            "seconds": round(self.seconds, 3),
            "forbidden": self.forbidden,
            "format": FORMAT,
            "version": __version__,
        }
        return json.dumps(content, indent=2, ensure_ascii=False)

    def save(self, path: Path | str) -> None:
        """Write :meth:`to_json` to a file."""
        with whole(path) as partial:
            partial.write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path | str) -> "Result":
        """A result from a file by :meth:`save`; ValueError if it is none."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise ValueError(f"format {content['format']!r}; expected {FORMAT}")
            laws = tuple(Law.of_record(record) for record in content["candidates"])
            columns, notes = tuple(content["columns"]), tuple(content["notes"])
            numbers = (content[key] for key in ("points", "seconds", "forbidden"))
            return cls(laws, columns, notes, *numbers)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise ValueError(f"{path} holds no result that was saved: {error}") from None

    def table(self) -> pd.DataFrame:
        """One line per candidate, best first, to read."""
        cells = {
            "equation": repr,
            "rms / spread": lambda law: float(f"{law.relative_rms:.3g}"),
            "complexity": lambda law: law.complexity,
            "left out": lambda law: float(f"{law.certificate.contrast:.3g}"),
            "p": lambda law: float(f"{law.certificate.p:.2g}"),
            "law": lambda law: "yes" if law.certificate.law else law.reason,
        }
        return self._frame(**cells)

    def explain(self, rivals: int = 3) -> pd.DataFrame:
        """Why the first answer is the first: it and its rivals, who proposed each, price by item.

        Prices are in nats: a rival is believed less by exp(−difference). ``total`` is what the
        search ranks by; an answer that is no law ranks after those that are.
        """
        items = [field.name for field in fields(Price)] + ["total"]
        rows = []
        for law in self.candidates[: rivals + 1]:
            shown = [float(f"{getattr(law.price, item):.4g}") for item in items]
            rows.append([repr(law), law.proposer, *shown])
        return pd.DataFrame(rows, columns=["equation", "proposer", *items])

    @property
    def _why_none(self) -> str:
        """Why no law was found, and what to do."""
        if not self.candidates:
            if self.forbidden:
                return "the units forbid what was found. Are they right? units={} gives none."
            return (
                "no set of columns that was looked at is nearer to a curve or surface than with "
                "permuted rows, or the search ended before. "
                "Name the columns that you expect to obey a law, two or three at a time."
            )
        nearest = max(
            self.candidates, key=lambda f: (f.certificate.kind == SOUND, f.certificate.evidence)
        )
        return (
            f"the equation with most evidence, {nearest!r}, does not pass: "
            f"{nearest.reason}. result.table() has all of them; more rows or smaller "
            "errors may decide."
        )

    def __repr__(self) -> str:
        found = (
            f"{counted(len(self.laws), 'law')}, first {self.best!r}"
            if self.best
            else "no law found"
        )
        return f"<{self.points} points in {', '.join(self.names)}: {found}>"

    def __str__(self) -> str:
        head = f"{self.points} points in {', '.join(self.names)}; {self.seconds:.1f} s"
        lines = [head, *(f"  {note}" for note in self.notes)]
        if self.best is None:
            return "\n".join([*lines, f"no law found: {self._why_none}"])
        for law in self.laws:
            lines += [f"{law.in_symbols}{_named(law)}", *_constants(law)]
            lines.append(f"rms distance {law.relative_rms:.2g} of the spread{_without(law)}")
            if law.chi is not None:
                lines.append(f"that is {law.chi:.2g} times the uncertainties")
            if not math.isnan(law.noise.level):
                lines.append(f"noise, judged by neighbours alone: {law.noise}")
            if len(law.factors) > 1:
                carried = ", ".join(
                    f"{as_text(rounded(f))} ({share:.0%})" for f, share in law.factors
                )
                lines.append(f"a product; factors with the points near each: {carried}")
            lines += _hardly_told(self._rivals_of(law))
        for law, without in self.approximate:
            lines.append(f"approximate, leaves out {', '.join(without)}: {law!r}")
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        text = [f"*{_plain(note)}*" for note in self.notes]
        if self.best is None:
            text.append(f"**No law found**: {_plain(self._why_none)}")
        else:
            for law in self.laws:
                text.append(f"$${law.latex}$${_named(law)}")
                text += map(_plain, [*_constants(law), *_hardly_told(self._rivals_of(law))])
        table = self.table().map(lambda cell: _plain(cell) if isinstance(cell, str) else cell)
        return "\n\n".join([*text, table.to_markdown(index=False)])


def _sharpens(law: Law, part: Law) -> bool:
    """Whether a law is that of a part of its columns, and better beyond the noise.

    With four columns or more it is also better if it is more probable by :data:`MORE` nats.
    """
    if not set(part.names) < set(law.names) or law.price.total >= part.price.total:
        return False  # or the part replaces it
    sharper = law.certificate.contrast < SHARPER * part.certificate.contrast
    return sharper or (len(law.names) > 3 and law.price.total < part.price.total - MORE)


def _plain(text: str) -> str:
    """Text in Markdown, in which x**2 + y**2 would be bold."""
    return re.sub(r"([\\`*_|$<])", r"\\\1", text)


def _named(law: Law) -> str:
    return f"   ({law.name})" if law.name else ""


def _without(law: Law) -> str:
    """The distance of the points that are no outliers, if some are."""
    if not law.outliers:
        return ""
    far = "1 outlier, which is" if law.outliers == 1 else f"{law.outliers} outliers, which are"
    return f"; {law.inlier_rms:.2g} without {far} farther than {OUTLYING:g} median distances"


def _hardly_told(rivals: Sequence[Law]) -> list[str]:
    """A line about the rivals of a law, if it has some."""
    shown = "; ".join(f"{law!r}{_named(law)}" for law in rivals[:SHOWN])
    more = f" and {len(rivals) - SHOWN} more" if len(rivals) > SHOWN else ""
    return [f"these points hardly tell it from {shown}{more}"] if rivals else []


def _constants(law: Law) -> list[str]:
    return [
        f"{name} = {measured(value, error)} {unit}".rstrip()
        for name, value, error, unit in law._fitted
    ]
