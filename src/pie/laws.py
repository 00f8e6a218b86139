"""From a table to laws: search on some of the points, judge on the others, say what was found.

The equations of *PIE+* are searched on at most :data:`SEARCHED` points and certified on points that
the search did not see. Only an equation that passes is a *law*; where none does, the answer is that
no law was found. Constants are then fitted to all points.

Of more than two columns, few may obey a law of their own: pairs and triples are searched in the
order of their evidence (:mod:`pie.subsets`), pairs first, and triples only where no pair of theirs
has a law already.
"""

import functools
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import sympy

from . import subsets
from .certificate import Certificate, certify, same_zero_set
from .constants import robust_spreads
from .expression import Expression
from .measurements import MAX_POINTS, BadTable, measurements
from .model import PIE, load_weights
from .plus import PlusConfig, discover_plus
from .sympy_bridge import named, rounded, to_latex, to_sympy
from .uncertainty import polished, standard_errors

SEARCHED = 200  # points at most
HELD_OUT = 0.3  # of the points
FEWEST_HELD_OUT = 5
CERTIFIED = 10  # candidates
WORTH = -2.0  # evidence of a set of columns that is searched
MOST = 20  # sets of columns
SHARP = 0.02  # contrast of a law in two columns with which no third one is tried
SHARPER = 0.3  # times the contrast: what a third column has to bring


@dataclass(frozen=True)
class Law:
    """An equation f = 0 with what is known about it.

    Attributes:
        program: f in x1, x2, …
        names: of the columns.
        errors: standard errors of its constants, in the order of ``program.constants``.
        rms: root mean square orthogonal distance of all points, in the data's units.
        relative_rms: the same in units of the columns' spreads.
        certificate: the evidence; ``certificate.law`` says whether it passes.
    """

    program: Expression
    names: tuple[str, ...]
    errors: tuple[float, ...]
    rms: float
    relative_rms: float
    certificate: Certificate

    @property
    def expression(self) -> sympy.Expr:
        """f in SymPy, in real symbols called like the columns."""
        return named(to_sympy(self.program), self.names)

    @property
    def template(self) -> sympy.Expr:
        """f with its constants as symbols c1, c2, …"""
        symbols = sympy.symbols(f"c1:{len(self.errors) + 1}", real=True)
        return named(to_sympy(self.program, symbols), self.names)

    @property
    def constants(self) -> dict[str, tuple[float, float]]:
        """Values and standard errors of c1, c2, … of :attr:`template`."""
        pairs = zip(self.program.constants, self.errors, strict=True)
        return {f"c{k}": pair for k, pair in enumerate(pairs, start=1)}

    @property
    def latex(self) -> str:
        """f = 0 in LaTeX, constants to four significant digits."""
        return f"{to_latex(self.program, self.names)} = 0"

    @property
    def complexity(self) -> int:
        """Operators, variables and constants."""
        return len(self.program.codes)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Signed first-order distance f/‖∇f‖ of points (N, D) in their units, (N,)."""
        with np.errstate(all="ignore"):
            value, gradient = self.program.value_and_gradient(points)
            return value / np.linalg.norm(gradient, axis=1)


@dataclass(frozen=True)
class Result:
    """What was found in a table.

    Attributes:
        candidates: equations, best first, degenerate and accidental ones among them.
        names: columns that vary.
        notes: what of the table was left out, and which sets of columns were searched.
        points: how many were used.
        seconds: it took.
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


def default_weights() -> Path:
    """Where the released weights of *PIE+* are: ``PIE_WEIGHTS``, or in this project.

    Raises:
        FileNotFoundError: they are in neither place.
    """
    given = os.environ.get("PIE_WEIGHTS")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "data/models/pie-plus"
    if not (folder / "config.json").exists():
        raise FileNotFoundError(
            f"no weights in {folder}; set PIE_WEIGHTS to the folder with those of pie-plus"
        )
    return folder


@functools.lru_cache(maxsize=4)
def from_pretrained(folder: Path | str | None = None) -> PIE:
    """A pre-trained network, the released one of *PIE+* without an argument."""
    return load_weights(Path(folder) if folder else default_weights())


def discover(
    data: pd.DataFrame | np.ndarray | Sequence,
    weights: Path | str | None = None,
    missing: str = "error",
    max_points: int = MAX_POINTS,
    config: PlusConfig = PlusConfig(),
    seed: int = 0,
    seconds: float = 60.0,
) -> Result:
    """Laws f(x) = 0 that a table of measurements obeys.

    Args:
        data: a data frame, or (N, D) numbers; no column plays a special part.
        weights: folder of a network; None = the released one.
        missing: ``error``, or ``drop`` for rows in which a value is missing.
        max_points: more are thinned at random.
        config: settings of the search.
        seed: of the choice of held-out points.
        seconds: after which no further set of columns is searched.

    Returns:
        Candidates with their evidence; ``best`` is None where no law was found.

    Raises:
        BadTable: a table that cannot be used, quoting what is wrong.
    """
    began = time.perf_counter()
    table = measurements(data, missing, max_points, seed)
    model = from_pretrained(weights)
    d, most = len(table.names), model.config.max_variables
    if most < 3 < d + 1:
        raise BadTable(f"{d} columns vary; the network in {weights} takes at most {most}")
    searched: list[tuple[int, ...]] = []
    laws: list[Law] = []
    for columns in _worth_searching(table.points, laws, table.names):
        if time.perf_counter() - began > seconds:
            break
        searched.append(columns)
        laws += _search(model, table.points[:, columns], [table.names[j] for j in columns],
                        config, seed)  # fmt: skip
    laws.sort(key=lambda law: not law.certificate.law)  # stable: the order of the search within
    notes = table.notes
    if d > 2:
        tried = "; ".join(", ".join(table.names[j] for j in columns) for columns in searched)
        notes += (f"searched {len(searched)} sets of columns: {tried}",)
    elapsed = time.perf_counter() - began
    return Result(tuple(laws), table.names, notes, len(table.points), elapsed)


def _worth_searching(
    points: np.ndarray, laws: list[Law], names: Sequence[str]
) -> Iterator[tuple[int, ...]]:
    """Sets of columns in the order of search, given the laws that were found up to then."""
    d = points.shape[1]
    if d == 2:
        yield (0, 1)
        return
    ranked = subsets.ranked(points)
    tried = 0
    for strength, columns in ranked:
        lawful = [law for law in laws if law.certificate.law and law.certificate.contrast <= SHARP]
        known = any(set(law.names) <= {names[j] for j in columns} for law in lawful)
        whole = d == 3 == len(columns)  # the table itself
        if known or not (whole or (strength <= WORTH and tried < MOST)):
            continue
        tried += 1
        yield columns


def _search(
    model: PIE, points: np.ndarray, names: Sequence[str], config: PlusConfig, seed: int
) -> list[Law]:
    """Different equations in two or three columns, certified, best first."""
    fitted, held_out = _split(points, seed)
    spreads = robust_spreads(points)
    different: list[tuple[Expression, Expression]] = []
    for candidate in discover_plus(model, fitted, config).candidates:
        final = polished(candidate.expression, points, spreads)
        if len(different) < CERTIFIED and not any(
            same_zero_set(final, other, points) for _, other in different
        ):
            different.append((candidate.expression, final))
    return [
        _law(as_searched, final, points, tuple(names), fitted, held_out)
        for as_searched, final in different
    ]


def _split(points: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points to search on, and points to judge on."""
    n, d = points.shape
    held = max(FEWEST_HELD_OUT, int(HELD_OUT * n), n - SEARCHED)
    if n - held <= d:
        raise BadTable(
            f"{n} different rows; expected at least {d + 1 + FEWEST_HELD_OUT}, "
            f"{FEWEST_HELD_OUT} of them to judge on"
        )
    order = np.random.default_rng(seed).permutation(n)
    return points[order[held:]], points[order[:held]]


def _law(
    as_searched: Expression,
    final: Expression,
    points: np.ndarray,
    names: tuple[str, ...],
    fitted: np.ndarray,
    held_out: np.ndarray,
) -> Law:
    """Certified as the search left it; what is reported is fitted to all points."""
    spreads = robust_spreads(points)
    certificate = certify(as_searched, fitted, held_out)
    return Law(
        final,
        names,
        tuple(float(e) for e in standard_errors(final, points, spreads)),
        _root_mean_square(final, points, np.ones_like(spreads)),
        _root_mean_square(final, points, spreads),
        certificate,
    )


@np.errstate(all="ignore")
def _root_mean_square(expression: Expression, points: np.ndarray, units: np.ndarray) -> float:
    """Of the first-order distances in units, over all points; inf where one has none."""
    value, gradient = expression.value_and_gradient(points)
    distance = np.where(value == 0.0, 0.0, value / np.linalg.norm(gradient * units, axis=1))
    error = float(np.sqrt(np.mean(distance**2)))
    return error if np.isfinite(error) else np.inf
