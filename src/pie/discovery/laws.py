"""From a table to laws: search, refit, judge, say what was found.

The equations of *PIE+* are searched on at most :data:`SEARCHED` points. Constants are then fitted
to all points, and every equation is judged by points that were left out of that fit, and by what
its form costs (:mod:`pie.discovery.certificate`). Only an equation that passes is a *law*; where
none does, the answer is that no law was found.

A table of at most eight columns is searched as a whole, of which a law has to hold every column,
unless two or three of them have an exact law. Of more than two columns, few may obey a law of their
own: pairs, triples and larger sets are searched in the order of their evidence
(:mod:`pie.discovery.subsets`), where no part of a set has a law already, and a part of the columns
of a law only if it may be as sharp as that law. Laws of all sets rank together by price.
"""

import contextlib
import functools
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..expr.canonical import canonical
from ..expr.dimensions import Dimensions
from ..expr.expression import Expression
from ..expr.known_numbers import free_numbers, simpler_values
from ..expr.sympy_bridge import as_text, balanced, named, rounded, to_sympy
from ..fit.uncertainty import EXACT, polished, standard_errors, usual_points
from ..network.inference import Network
from ..search.candidates import Price, Unusable
from ..search.cloud import Cloud
from ..search.plus import MOST_COLUMNS, PlusConfig, discover_plus
from ..search.pool import Interrupted, Pool, TimeIsUp, watched
from ..zeroset.distance import first_order_distances, root_mean_square
from ..zeroset.metric import SET, Metric
from ..zeroset.noise import noise_of, noise_of_replicates
from ..zeroset.outliers import near
from ..zeroset.spreads import robust_spreads
from . import subsets
from .certificate import certify, same_zero_set
from .column_errors import known_errors, least_errors
from .compilation import compile_all
from .headers import among, is_degrees
from .measurements import (
    FINEST,
    MAX_POINTS,
    BadTable,
    Measurements,
    Table,
    counted,
    measurements,
    quoted,
    whole_number,
)
from .pretrained import from_pretrained
from .result import RIVAL, SHARPER, Law, Result
from .scales import Scale
from .units import Units
from .writing import (
    about_vertices,
    as_people_write,
    digits_needed,
    name_from_elsewhere,
    normalised,
    without_rounding,
)

SEARCHED = 200  # points at most
CERTIFIED = 10  # candidates with zeros of their own
CERTAIN = -20.0  # evidence of columns with an exact law, which are searched before a whole table
WORTH = -2.0  # evidence of a set of columns that is searched
MANY = -1.0  # the same, of four columns or more: their monomials are few
FAINT = 0.1  # share in the gradient of a column without which the others are searched as well
SHARP = 0.02  # contrast of a law to which no further column is added, and of a part of its columns
# that may have a law of its own
ONE_CURVE = 0.1  # of the errors: two equations that are closer are one curve, written otherwise
WIDE = 10.0  # ratio of the largest to the smallest value of a positive column
SAME = 1.2  # times the error of an equation: what it has at most where it is written otherwise
COINCIDENCE = 1e-4  # relative: what agrees with a simpler value as closely may be that value
SPECIAL = 3.0  # nats: one number of twenty is such a value
LAST_DIGITS = 2.0 * math.sqrt(12.0)  # standard deviations of rounding: two units of the last digit
SHOWN = 1.0  # seconds of a search before its progress is shown
OF_THE_WHOLE = 0.5  # evidence of a pair that is searched before the three columns of a table


def discover(
    data: Table,
    weights: Path | str | None = None,
    missing: str = "error",
    max_points: int = MAX_POINTS,
    config: PlusConfig = PlusConfig(),
    seed: int = 0,
    max_sets: int = 20,
    seconds: float = 600.0,
    uncertainties: Mapping[str, float] | Sequence[float] | None = None,
    units: Mapping[str, str] | Sequence[str] | None = None,
    involving: str | Sequence[str] = (),
    operators: Sequence[str] = (),
    workers: int | None = None,
) -> Result:
    """Laws f(x) = 0 that a table of measurements obeys; ``best`` is None where none was found.

    Args:
        data: a data frame, columns by name, (N, D) numbers, or the path of a text file; no column
            plays a special part.
        weights: folder of a network; None = the released one.
        missing: ``error``, or ``drop`` for rows in which a value is missing.
        max_points: more are thinned at random.
        config: settings of the search.
        seed: of the choice of points, where there are more than are used.
        max_sets: sets of columns searched at most, beside the whole table and, of four columns or
            more, this without those that hardly matter.
        seconds: after which the search ends with what it has found, as soon as the equations that
            it is fitting are fitted. Only then does the answer depend on the machine, and
            ``result.notes`` says so. Compilation, on the first call ever, does not count.
        uncertainties: standard deviations of the errors of each column, in its units, by name or
            in order; 0 = exact. Distances are counted in these. None: those of columns such as
            ``y_err``, the root mean square of each; where there are none, in the columns' spreads.
        units: of each column, by name or in order, such as ``kPa``, ``m/s^2``, ``1`` for none.
            Constants get theirs, and a factor that is 1 in these units only, as in ``sin(t)`` for t
            in s, counts as a constant. Four columns or more are searched by their dimensionless
            products as well. None: those of a header such as ``p (kPa)``, ``T [K]``, if it has one
            for each column. Without any, as with ``{}``, each column may have a unit of its own, so
            that ``y = x**2`` has a constant that happens to be 1, and counts as such.
        involving: columns that every law is to hold; other sets of columns are not searched.
        operators: that a law may have beside ``+``, ``-`` and ``*``: some of ``/``, ``^``,
            ``sqrt``, ``exp``, ``ln``, ``sin``, ``cos``; none given = all. ``["*"]``: polynomials.
        workers: threads that search, which do not change the answer; None = all cores.

    An interrupted search (Ctrl-C) returns what it has found, if anything, and says so.

    >>> x = np.linspace(0.5, 2.0, 40)
    >>> gas = {"p": x, "V": 24.05 / x}
    >>> result = discover(gas, units={"p": "bar", "V": "l"})
    >>> result.best
    V*p = 24.05
    >>> result.best.solved_for("V"), result.best.units
    (Eq(V, 24.05/p), ('bar·l',))

    Raises:
        BadTable: a table or an argument that cannot be used, quoting what is wrong.
        ValueError: an unknown operator.
        FileNotFoundError: no such weights.
    """
    if operators:
        allowed = [operators] if isinstance(operators, str) else operators
        config = replace(config, operators=tuple(allowed))
    table = measurements(data, missing, max_points, seed)
    none_given = units is None or (isinstance(units, Mapping) and not units)
    known_units = None if none_given else Units.of(units, table.names, table.scales)
    given = dict(zip(table.names, table.errors, strict=True)) if any(table.errors) else None
    errors = known_errors(given if uncertainties is None else uncertainties, table.names)
    asked = [involving] if np.isscalar(involving) else () if involving is None else involving
    wanted = {_place(name, table.names) for name in asked}
    model = from_pretrained(weights)
    d, most = len(table.names), model.config.max_variables
    workers = (os.cpu_count() or 1) if workers is None else workers
    whole_number("workers", workers, 1)
    whole_number("max_sets", max_sets, 1)
    if not (isinstance(seconds, Real) and seconds >= 0.0):
        raise BadTable(f"seconds is {quoted(seconds)}; expected a number of at least 0")
    if most < 3 < d + 1:
        raise BadTable(f"{d} columns vary; the network in {weights} takes at most {most}")
    if d > MOST_COLUMNS and len(wanted) > 3:
        raise BadTable(
            f"involving names {len(wanted)} columns of {d}; expected at most 3 where a table has "
            f"more than {MOST_COLUMNS}: leave columns out"
        )
    searched: list[tuple[int, ...]] = []
    laws: list[Law] = []
    forbidden: list[Law] = []
    notes, complete = list(table.notes), True
    if units is None:
        known_units = Units.of_headers(table, notes)
    given = known_units.names if known_units else ("",) * d
    counted_in = [read or unit for read, unit in zip(table.units, given, strict=True)]
    of_headers = units is None and known_units is None  # some columns lack one
    degrees = [*map(is_degrees, table.units if of_headers else given)]
    compile_all()
    watch = _Watch(seconds)
    with watch.progress, watched(watch):
        try:
            for columns in _worth_searching(table, lambda: laws, max_sets, notes, wanted):
                if searched and watch.is_late:
                    complete = False
                    break
                searched.append(columns)
                names, points = [table.names[j] for j in columns], table.points[:, columns]
                scales = tuple(table.scales[j] for j in columns)
                watch.begin([s.text(name) for s, name in zip(scales, names, strict=True)], laws)
                known = None if errors is None else errors[[*columns]]
                known = None if known is None or not known.any() else known
                own = None if known_units is None else known_units[columns]
                dimensions = _dimensions(own, scales, tuple(degrees[j] for j in columns))
                found, complete = _search(
                    model, points, names, config, seed, known, workers, dimensions, scales
                )
                in_units = tuple(counted_in[j] for j in columns)
                found = [replace(law, column_units=in_units) for law in found]
                sound, mixed = (found, []) if own is None else _with_units(found, own, points)
                laws += sound
                forbidden += mixed
                watch.progress.update()
                if not complete:
                    break
        except KeyboardInterrupt:  # while columns are compared or equations judged
            complete = False
    if not complete and watch.is_late:
        notes.append(
            f"the search ended after {seconds:g} s, and would go on on a faster machine or with "
            "more seconds (--seconds)"
        )
    elif not complete:
        if not laws:
            raise KeyboardInterrupt
        notes.append("the search was interrupted; this is what it had found")
    laws.sort(key=lambda law: (not law.certificate.law, law.price.total))
    if d > MOST_COLUMNS:
        notes.append(
            f"relations of four columns or more are searched for in tables of up to {MOST_COLUMNS}"
        )
    if d > 2:
        tried = "; ".join(", ".join(table.names[j] for j in columns) for columns in searched)
        sets = counted(len(searched), "set")
        notes.append(f"searched {sets} of columns{': ' if searched else ''}{tried}")
    if forbidden:
        equations = counted(len(forbidden), "equation")
        notes.append(f"units forbid {equations}, such as {forbidden[0]!r}: left out")
    found = tuple(laws), table.names, tuple(notes), len(table.points), watch.elapsed
    return Result(*found, len(forbidden))


def _place(name: object, names: tuple[str, ...]) -> int:
    found = among(name, names)
    if found not in names:
        raise BadTable(
            f"there is no column {quoted(name)} that varies; known are {', '.join(names)}"
        )
    return names.index(found)


def _form(price: Price) -> float:
    """Price of all but the misfit; what the units forbid is told apart later."""
    if math.isinf(price.hidden):
        price = replace(price, hidden=0.0)
    return price.total - price.misfit if math.isfinite(price.misfit) else math.inf


class _Watch:
    """Shows on a terminal what is searched and the best equation so far; ends what is late."""

    def __init__(self, seconds: float):
        self.began, self.seconds = time.perf_counter(), seconds
        self.names, self.found, self.best = [], "", ""
        self.progress = tqdm(desc="sets of columns", delay=SHOWN, leave=False, disable=None)

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    @property
    def is_late(self) -> bool:
        return self.elapsed > self.seconds

    def begin(self, names: Sequence[str], laws: Sequence[Law]) -> None:
        """A set of columns, given the laws of earlier ones."""
        lawful = [law for law in laws if law.certificate.law]
        self.names, self.best = names, ""
        self.found = f"; found {lawful[-1]!r}" if lawful else ""

    def __call__(self, proposer: str, cloud: Cloud, pool: Pool) -> None:
        if self.is_late:
            raise TimeIsUp
        if self.progress.disable or self.elapsed < SHOWN:
            return
        if len(pool) and cloud.n_variables == len(self.names):  # and not of a reduced table
            self.best = f"; best {_read(cloud, pool, self.names)}"
        self.progress.set_postfix_str(f"{', '.join(self.names)}: {proposer}{self.best}{self.found}")


def _read(cloud: Cloud, pool: Pool, names: Sequence[str]) -> str:
    """The cheapest equation of a pool, in the user's coordinates."""
    with contextlib.suppress(ValueError):  # no zeros, or too long
        best = cloud.back(pool.ranked()[0].fit.expression)
        return as_text(balanced(rounded(named(to_sympy(best), names))))
    return "–"


def _worth_searching(
    table: Measurements,
    found: Callable[[], Sequence[Law]],
    max_sets: int,
    notes: list[str],
    wanted: set[int],
) -> Iterator[tuple[int, ...]]:
    """Sets of columns in the order of search; ``found``: the laws up to then.

    All hold the ``wanted`` columns. ``notes`` says if some were not compared, or promise a law and
    are not searched.
    """
    d, names = table.points.shape[1], table.names
    if d == 2:
        yield (0, 1)
        return
    ranked = functools.cache(partial(subsets.ranked, table.points))

    def has_law(columns: tuple[int, ...], sharp: float) -> bool:
        """Whether some of the columns have a law as sharp."""
        sets = ({*f.names} for f in found() if f.certificate.law and f.certificate.contrast <= sharp)
        return any(held <= {names[j] for j in columns} for held in sets)

    done, every_column = set(), tuple(range(d))
    if 3 < d <= MOST_COLUMNS:
        for strength, columns in [*ranked(2), *ranked(3)]:
            if strength <= CERTAIN and wanted <= {*columns} and not has_law(columns, SHARP):
                done.add(columns)
                yield columns
        if not has_law(every_column, SHARP):
            yield every_column
            yield from _parts_of_table(found, names, wanted, done)
    tried = left_out = 0
    worth = WORTH if d > 3 else min(WORTH, OF_THE_WHOLE * subsets.evidence(table.points))
    for size in range(2, d if 3 < d <= MOST_COLUMNS else 4):
        every = math.comb(d, size)
        if len(ranked(size)) < every:
            notes.append(
                f"of {every} sets of {size} columns {len(ranked(size))} were compared closely, "
                f"the first ones by a rough comparison of {min(every, subsets.SAMPLED)}"
            )
        sharp, least = (SHARP, worth) if size < 4 else (math.inf, MANY)
        for strength, columns in ranked(size):
            # a table of three columns, two of which have a law, is not searched as one
            enough = WORTH if size < 4 and has_law(every_column, sharp) else least
            if not wanted <= {*columns} or columns in done or has_law(columns, sharp):
                continue
            is_table = size == d  # searched in any case
            part = {names[j] for j in columns}
            if not is_table and strength > min(enough, _as_sharp(found(), part)):
                continue
            if not is_table and tried >= max_sets:
                left_out += 1
                continue
            tried += 1
            done.add(columns)
            yield columns
            if is_table:
                yield from _parts_of_table(found, names, wanted, done)
    if left_out:
        notes.append(
            f"{counted(left_out, 'set')} of columns left out that may have a law; search with a "
            "larger max_sets (--max-sets)"
        )


def _parts_of_table(
    found: Callable[[], Sequence[Law]],
    names: Sequence[str],
    wanted: set[int],
    done: set[tuple[int, ...]],
) -> Iterator[tuple[int, ...]]:
    """What is to be searched after a whole table, given the best equation of all its columns.

    The table without the columns that hardly matter in it, all of them, then each; and the parts
    of the columns that it does not bind to each other. Sets that are ``done``, or have a law that
    is as cheap, are left out.
    """
    every = {*range(len(names))}
    of_all = [f for f in found() if len(f.names) == len(names)]
    may_be = [f for f in of_all if f.certificate.law or f.certificate.apart]
    if not may_be:
        return
    best = min(may_be, key=lambda f: f.price.total)
    shares, apart = best.certificate.shares, best.certificate.apart
    faint = {j for j, share in enumerate(shares) if share < FAINT}
    alone = {part[0] for part in apart if len(part) == 1}
    faint |= alone
    each = [every - {j} for j in sorted(faint - wanted, key=shares.__getitem__)]
    sides = [side for part in map(set, apart if not alone else ()) for side in (part, every - part)]
    for left in (every - faint | wanted, *each, *sides):
        columns, among = tuple(sorted(left)), {names[j] for j in left}
        as_cheap = _least([f for f in found() if {*f.names} <= among]) <= best.price.total
        as_asked = wanted <= left and 1 < len(left) < len(every)
        if as_asked and columns not in done and not as_cheap:
            done.add(columns)
            yield columns


def _as_sharp(laws: Sequence[Law], part: set[str]) -> float:
    """Evidence of a part of the columns of a law that may have a law as sharp; inf if none has one.

    What is less sharp is an approximation of that law.
    """
    contrasts = [
        law.certificate.contrast for law in laws if law.certificate.law and part < {*law.names}
    ]
    return math.log(max(min(contrasts) / SHARPER, SHARP)) if contrasts else math.inf


def _search(
    model: Network,
    points: np.ndarray,
    names: Sequence[str],
    config: PlusConfig,
    seed: int,
    errors: np.ndarray | None,
    workers: int,
    dimensions: Dimensions,
    counted_on: tuple[Scale, ...],
) -> tuple[list[Law], bool]:
    """Different equations that hold all the columns, judged, best first; whether all ran."""
    fitted = np.random.default_rng(seed).permutation(points)[:SEARCHED]
    if np.any(np.ptp(fitted, axis=0) < FINEST):
        return [], True
    complete = True
    rounding = least_errors(points)
    floor = rounding if errors is None else errors
    try:
        found = discover_plus(
            model, fitted, config, workers, floor, wide_columns(points, counted_on),
            dimensions,
        )  # fmt: skip
    except Unusable:  # columns that differ in points that were not chosen only
        return [], True
    except Interrupted as stop:
        found, complete = stop.found, False
    metric = Metric.of(points, found.logarithmic, robust_spreads)
    scales = metric.units(points) if errors is None else errors
    flat = metric.coordinates(points) / np.where(metric.exact, SET, 1.0)
    noise = noise_of_replicates(flat) or noise_of(flat)
    laws: list[Law] = []
    different = 0  # of them, in their zeros
    for candidate in found.candidates:
        if different == CERTIFIED:
            break
        final = _written(candidate.expression, points, scales, metric.exact)
        shorter = (law for law in laws if law.complexity <= len(final.codes))
        alike = partial(same_zero_set, final, points=points, metric=metric)
        same = [law for law in shorter if alike(law.program)]
        name = name_from_elsewhere(final, [scale.origin != 0.0 for scale in counted_on])
        if same and (
            not _is_rival(name, candidate.price, same, laws)
            or any(alike(law.program, share=ONE_CURVE) for law in same)
        ):
            continue
        different += not same
        away = partial(first_order_distances, final, points)
        distances = away(metric.units(points))
        usual = near(distances) | (np.abs(away(rounding)) <= LAST_DIGITS)
        law = Law(
            program=final,
            names=tuple(names),
            errors=tuple(standard_errors(final, points, scales).tolist()),
            rms=root_mean_square(away()),
            relative_rms=root_mean_square(distances),
            certificate=certify(final, points, _form(candidate.price), metric, rounding),
            chi=None if errors is None else root_mean_square(away(errors)),
            proposer=candidate.proposer,
            price=candidate.price,
            noise=noise,
            outliers=int(np.sum(~usual)),
            inlier_rms=root_mean_square(distances[usual]),
            scales=counted_on,
            digits=digits_needed(final, points, metric.units(points)),
        )
        laws.append(law)
    return laws, complete


def _is_rival(name: str, price: Price, same: Sequence[Law], laws: Sequence[Law]) -> bool:
    """Whether an equation with the zeros of some laws is a curve of another name than all have, and
    about as probable: a straight line where the points hardly tell it from a logarithm.
    """
    least = min(law.price.total for law in same)
    return bool(name) and price.total <= least + RIVAL and all(law.name != name for law in laws)


def _written(
    expression: Expression, points: np.ndarray, scales: np.ndarray, exact: np.ndarray
) -> Expression:
    """Fitted to points (N, D), in the form that people write unless that loses some of them."""
    usual = usual_points(expression, points, scales)
    fitted = polished(normalised(expression), points, scales, usual)
    fitted = without_rounding(_without_coincidences(fitted, points, scales, usual))
    form = about_vertices(as_people_write(fitted, exact), points)
    if form == fitted:
        return fitted
    other = without_rounding(polished(form, points, scales, usual))
    error, of_other = (
        root_mean_square(first_order_distances(f, points, scales)) for f in (fitted, other)
    )
    return other if of_other <= SAME * max(error, EXACT) else fitted


def _without_coincidences(
    fitted: Expression, points: np.ndarray, scales: np.ndarray, usual: np.ndarray
) -> Expression:
    """With simpler values for constants that agree with them to δ of their size.

    By chance a constant does so with a probability of about δ: the simpler value stays if
    N·ln(error) rises by less than −ln δ, less :data:`SPECIAL`, where the others are fitted again.
    """
    for k, (constant, values) in enumerate(
        zip(fitted.constants, simpler_values(fitted), strict=True)
    ):
        for value in values:
            away = abs(constant - value)
            if not 0.0 < away <= COINCIDENCE * abs(constant):
                continue
            numbers = [value if i == k else c for i, c in enumerate(fitted.constants)]
            try:
                other = polished(canonical(fitted.with_constants(numbers)), points, scales, usual)
            except ValueError:  # nothing is left
                continue
            error, of_other = (
                max(root_mean_square(first_order_distances(f, points, scales)[usual]), EXACT)
                for f in (fitted, other)
            )
            fewer = free_numbers(other).shape[1] < free_numbers(fitted).shape[1]
            rise = np.sum(usual) * math.log(of_other / error)
            if (
                fewer and other.variables == fitted.variables
                and rise < math.log(abs(constant) / away) - SPECIAL
            ):  # fmt: skip
                return _without_coincidences(other, points, scales, usual)
    return fitted


def _dimensions(
    units: Units | None, scales: Sequence[Scale], degrees: tuple[bool, ...]
) -> Dimensions:
    """What is known of the columns' units, of their zeros, and of which are degrees."""
    zeros = [scale.conventional for scale in scales]
    known = Dimensions.assumed(len(scales)) if units is None else Dimensions(units.dimensions)
    offset = units.offset if units else (False,) * len(scales)
    conventional = tuple(map(any, zip(zeros, offset, strict=True)))
    return replace(known, conventional=conventional, degrees=degrees)


def _with_units(
    laws: Sequence[Law], units: Units, points: np.ndarray
) -> tuple[list[Law], list[Law]]:
    """Laws with the units of their constants, and what is missed among those that units forbid."""
    own = [units.of_constants(law.program, points) for law in laws]
    pairs = list(zip(laws, own, strict=True))
    kept = [replace(law, units=found) for law, found in pairs if found is not None]
    return kept, [f for f, found in pairs if found is None and (f.certificate.law or not kept)]


def _least(laws: Sequence[Law]) -> float:
    """Price of the best law; inf if none passes for one."""
    return min((f.price.total for f in laws if f.certificate.law), default=math.inf)


def wide_columns(points: np.ndarray, scales: Sequence[Scale] = ()) -> tuple[bool, ...]:
    """Which columns are positive and span decades, from a zero that means something."""
    low, high = points.min(axis=0), points.max(axis=0)
    conventional = [scale.conventional for scale in scales] or [False] * len(low)
    return tuple(((low > 0.0) & (high >= WIDE * low) & ~np.array(conventional)).tolist())
