"""What was found in a table: laws with their evidence, or that there is none."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import sympy

from ..expr.expression import Expression
from ..expr.sympy_bridge import named, rounded, to_latex, to_sympy
from ..search.price import Price
from .certificate import Certificate

SHARPER = 0.3  # times the contrast: what a third column has to bring


@np.errstate(all="ignore")
def first_order_distances(
    expression: Expression, points: np.ndarray, units: np.ndarray
) -> np.ndarray:
    """f/‖∇f‖ in units, (N,); 0 at a zero even if the gradient vanishes there."""
    value, gradient = expression.value_and_gradient(points)
    slopes = gradient * units
    largest = np.abs(slopes).max(axis=1, initial=0.0)
    norm = largest * np.linalg.norm(slopes / largest[:, None], axis=1)  # squares do not overflow
    return np.where(value == 0.0, 0.0, value / norm)


@np.errstate(all="ignore")
def rms_distance(expression: Expression, points: np.ndarray, units: np.ndarray) -> float:
    """Of the first-order distances in units, over all points; inf where one has none."""
    error = float(np.sqrt(np.mean(first_order_distances(expression, points, units) ** 2)))
    return error if np.isfinite(error) else np.inf


@dataclass(frozen=True)
class Law:
    """An equation f = 0 with what is known about it.

    ``rms`` is the root mean square first-order distance of all points in the data's units,
    ``relative_rms`` the same in units of the columns' spreads, ``chi`` in units of their
    uncertainties, if known: about 1 for the right equation, more where it is wrong.
    """

    program: Expression  # f in x1, x2, …
    names: tuple[str, ...]  # of the columns
    errors: tuple[float, ...]  # standard errors of the constants
    rms: float
    relative_rms: float
    certificate: Certificate
    chi: float | None = None
    proposer: str = ""  # who proposed it to the search (pie.search.proposers)
    price: Price | None = None  # on the points that the search saw

    @property
    def expression(self) -> sympy.Expr:
        """f in SymPy, in symbols called like the columns."""
        return named(to_sympy(self.program), self.names)

    @property
    def template(self) -> sympy.Expr:
        """f with its constants as symbols c1, c2, …"""
        symbols = [sympy.Symbol(name) for name in self.constants]
        return named(to_sympy(self.program, symbols), self.names)

    @property
    def constants(self) -> dict[str, tuple[float, float]]:
        """Values and standard errors of c1, c2, … (c_1, … where a column is called so)."""
        count, letter = len(self.errors), "c"
        while not {f"{letter}{k + 1}" for k in range(count)}.isdisjoint(self.names):
            letter += "_"
        pairs = zip(self.program.constants, self.errors, strict=True)
        return {f"{letter}{k}": pair for k, pair in enumerate(pairs, start=1)}

    @property
    def latex(self) -> str:
        """f = 0 in LaTeX, constants to four significant digits."""
        return f"{to_latex(self.program, self.names)} = 0"

    @property
    def factors(self) -> tuple[tuple[sympy.Expr, float], ...]:
        """Factors of f in the columns' names, with the share of the points that each carries."""
        found = self.certificate.factors
        return tuple((named(to_sympy(f.expression), self.names), f.share) for f in found)

    @property
    def complexity(self) -> int:
        """Operators, variables and constants."""
        return len(self.program.codes)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Signed first-order distance f/‖∇f‖ of points (N, D) in their units, (N,)."""
        return first_order_distances(self.program, points, np.ones(points.shape[1]))


@dataclass(frozen=True)
class Result:
    """What was found in a table with so many ``points`` in columns ``names``, in so many seconds.

    ``candidates`` are best first, degenerate and accidental ones among them; ``notes`` say what of
    the table was left out, and which sets of columns were searched.
    """

    candidates: tuple[Law, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    points: int
    seconds: float

    @property
    def best(self) -> Law | None:
        """The first law; None if no law was found."""
        return next(iter(self.laws), None)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The first law in every set of columns that has one; they hold at the same time.

        A law in two columns that a third one sharpens is left out.
        """
        first: dict[tuple[str, ...], Law] = {}
        for law in self.candidates:
            if law.certificate.law:
                first.setdefault(law.names, law)
        return tuple(
            law
            for law in first.values()
            if not any(
                set(law.names) < set(other.names)
                and other.certificate.contrast < SHARPER * law.certificate.contrast
                for other in first.values()
            )
        )

    @property
    def law(self) -> bool:
        """Whether a law was found."""
        return self.best is not None

    @property
    def front(self) -> tuple[Law, ...]:
        """Candidates that none of equal or lower complexity fits as well, simplest first."""
        kept: list[Law] = []
        for law in sorted(self.candidates, key=lambda c: (c.complexity, c.relative_rms)):
            if not kept or law.relative_rms < kept[-1].relative_rms:
                kept.append(law)
        return tuple(kept)

    def table(self) -> pd.DataFrame:
        """One line per candidate, best first."""
        return pd.DataFrame(
            {
                "equation": f"{rounded(law.expression)} = 0",
                "rms / spread": float(f"{law.relative_rms:.3g}"),
                "complexity": law.complexity,
                "held out": float(f"{law.certificate.contrast:.3g}"),
                "p": float(f"{law.certificate.p:.2g}"),
                "law": "yes" if law.certificate.law else law.certificate.reason,
            }
            for law in self.candidates
        )

    def explain(self, rivals: int = 3) -> pd.DataFrame:
        """Why the first answer is the first: it and its rivals, who proposed each, price by item.

        Prices are in nats: a rival is believed less by exp(−difference). ``total`` is what the
        search ranks by; an answer that is no law ranks after those that are.
        """
        rows = []
        for law in self.candidates[: rivals + 1]:
            items = asdict(law.price) | {"total": law.price.total} if law.price else {}
            rows.append(
                {"equation": f"{rounded(law.expression)} = 0", "proposer": law.proposer}
                | {name: float(f"{value:.4g}") for name, value in items.items()}
            )
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        head = f"{self.points} points in {', '.join(self.names)}; {self.seconds:.1f} s"
        lines = [head, *(f"  {note}" for note in self.notes)]
        if not self.candidates:
            return "\n".join([*lines, "no law found: no equation could be fitted"])
        if self.best is None:
            first = self.candidates[0]
            return "\n".join([*lines, f"no law found: {first.certificate.reason}"])
        for law in self.laws:
            lines += [f"{law.template} = 0", *_constants(law)]
            lines.append(f"rms distance {law.relative_rms:.2g} of the spread")
            if len(law.factors) > 1:
                carried = ", ".join(f"{rounded(f)} ({share:.0%})" for f, share in law.factors)
                lines.append(f"a product; factors with the points near each: {carried}")
            if law.chi is not None:
                lines.append(f"that is {law.chi:.2g} times the uncertainties")
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        text = [f"*{note}*" for note in self.notes]
        if self.best is None:
            reason = self.candidates[0].certificate.reason if self.candidates else "nothing fits"
            text.append(f"**No law found**: {reason}.")
        else:
            for law in self.laws:
                text += [f"$${law.latex}$$", *_constants(law)]
        return "\n\n".join([*text, self.table().to_markdown(index=False)])


def _constants(law: Law) -> list[str]:
    return [f"{name} = {value:.6g} ± {error:.2g}" for name, (value, error) in law.constants.items()]
