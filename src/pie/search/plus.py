"""*PIE+*: the search that goes beyond the paper (docs/search.md).

The proposers (:mod:`pie.search.proposers`) are asked in turn until a fit is exact. Drafts are
fitted by Sampson distances with guards (:mod:`pie.fit.sampson_fits`). The cheapest candidates are
written in the user's coordinates, simplified, and ranked by price (:mod:`pie.search.price`).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from ..expr.dimensions import Dimensions
from ..expr.expression import Expression
from ..expr.operators import MAX_VARIABLES, codes_of
from ..fit.constants import Fit
from ..fit.sampson_fits import along, fit_sampson
from ..network.inference import Network
from ..zeroset.distance import first_order_distances
from ..zeroset.metric import Metric, set_columns
from ..zeroset.outliers import near
from .candidates import Candidate, Discovery, Price, Unusable, check_points
from .cloud import Cloud, clouds
from .finish import Chosen, Judge, in_best_metric
from .libraries import FEW_COLUMNS
from .pool import Batch, Effort, Found, Interrupted, Pool, Proposer, search
from .price import Prices, price_of, settled, whole_price
from .proposers.inner import Inner, inner
from .proposers.network import network
from .proposers.numbers import Numbers, numbers
from .proposers.reductions import Reductions, reductions
from .proposers.relations import Relations, relations
from .proposers.shapes import Shapes, shapes

MOST_COLUMNS = 8  # of a table that is searched as one
OF_USERS_COLUMNS = ("reductions", "network")  # proposers not asked about a reduced table


# in the order in which they are asked; a new proposer needs one line here
PROPOSERS: dict[str, Callable[[Network, "PlusConfig", int], Proposer]] = {
    "relations": lambda model, c, workers: partial(
        relations, c.relations, c.prices, c.max_tokens, workers
    ),
    "shapes": lambda model, c, workers: partial(shapes, c.shapes, c.prices, c.max_tokens),
    "network": lambda model, c, workers: partial(
        network, model, c.beam, Effort(c.starts, c.descents)
    ),
    "numbers": lambda model, c, workers: partial(
        numbers, c.numbers, c.prices, c.max_tokens, workers
    ),
    "reductions": lambda model, c, workers: partial(
        reductions, c.reductions, c.prices, c.max_tokens, in_few_columns(model, c, workers)
    ),
    "inner": lambda model, c, workers: partial(inner, c.inner, c.max_tokens, workers),
}


HIDING = 0.05  # share of outliers at least that may hide a law
TELLING = 20  # other points at least: fewer do not tell what is an outlier


@dataclass(frozen=True)
class PlusConfig:
    """Settings of *PIE+*: section ``inference_plus`` of params.yaml.

    >>> PlusConfig(proposers=("relations", "inner"), operators=("exp",)).beam
    64
    """

    proposers: tuple[str, ...] = tuple(PROPOSERS)
    beam: int = 64  # skeletons
    starts: int = 48  # starts of the constants screened per skeleton
    descents: int = 8  # Levenberg–Marquardt runs from the best of them
    max_iterations: int = 40  # per descent
    curved: float = 0.25  # step over which a law is nearly linear at most, in spreads
    far: float = 0.3  # bound of a distance in the loss, in spreads; inf = least squares
    relations: Relations = Relations()
    numbers: Numbers = Numbers()
    inner: Inner = Inner()
    shapes: Shapes = Shapes()
    reductions: Reductions = Reductions()
    max_tokens: int = 90  # of a draft that is not from the network
    operators: tuple[str, ...] = ()  # of an answer, beside +, − and ·; () = all
    prices: Prices = Prices()
    exact_tokens: int = 20  # longest exact fit that ends the search; long sums fit anything smooth
    outliers: float = 0.35  # share at most (zeroset.outliers); 0 = no second search without them
    returned: int = 12  # cheapest candidates; the front of error and length is added
    seed: int = 0

    def __post_init__(self):
        if not self.far > 0.0:
            raise ValueError(f"inference_plus.far is {self.far}; expected > 0")
        if not 0.0 <= self.outliers < 0.5:
            raise ValueError(f"inference_plus.outliers is {self.outliers}; expected 0 to below 0.5")
        for name, value in _counts(self, "inference_plus"):
            if value < 1:
                raise ValueError(f"{name} is {value}; expected at least 1")
        codes_of(self.operators)  # raises for an unknown one
        known = ", ".join(PROPOSERS)
        for name in self.proposers:
            if name not in PROPOSERS:
                raise ValueError(f"inference_plus.proposers holds {name!r}; known are {known}")
        if not self.proposers:
            raise ValueError(f"inference_plus.proposers is empty; known are {known}")


def _counts(settings: object, where: str) -> Iterator[tuple[str, int]]:
    """Every integer of nested settings, with its name; the seed is no count."""
    for key in fields(settings):
        value, name = getattr(settings, key.name), f"{where}.{key.name}"
        if is_dataclass(value):
            yield from _counts(value, name)
        elif key.name != "seed" and key.type in (int, tuple[int, ...]):
            numbers = value if isinstance(value, tuple) else (value,)
            yield from ((name, number) for number in numbers)


def allowed(expression: Expression, config: PlusConfig) -> bool:
    """Whether an equation has only operators that may be in an answer."""
    codes = codes_of(config.operators)
    return not config.operators or all(c <= MAX_VARIABLES or c in codes for c in expression.codes)


def restricted(proposer: Proposer, config: PlusConfig, cloud: Cloud, pool: Pool) -> Iterator[Batch]:
    """A proposer whose drafts have only operators that may be in an answer."""
    for batch in proposer(cloud, pool):
        drafts = [draft for draft in batch.drafts if allowed(draft.expression, config)]
        yield replace(batch, drafts=drafts)


def ended(pool: Pool, config: PlusConfig) -> bool:
    """Whether a fit is exact to rounding and short enough to end the search."""

    def ends(fit: Fit) -> bool:
        plane = 4 * len(fit.expression.variables) + 1  # tokens
        short = len(fit.expression.codes) <= max(config.exact_tokens, plane)
        return np.isfinite(fit.fitness) and short and fit.contrast <= config.prices.resolution

    return any(ends(found.fit) for found in pool)


def searched(cloud: Cloud, proposers: Sequence[Proposer], config: PlusConfig, workers: int) -> Pool:
    """Everything that the proposers find, up to the first exact fit."""

    def fit(batch: Batch, cloud: Cloud) -> list[Fit]:
        found = fit_sampson(
            [draft.expression for draft in batch.drafts], cloud.points,
            batch.effort.starts, config.max_iterations, seed=config.seed, workers=workers,
            descents=batch.effort.descents, warm=batch.effort.warm, far=config.far,
            curved=config.curved,
        )  # fmt: skip
        return [along(fit, cloud.points, cloud.exact) for fit in found]

    def key(found: Found, price: Price) -> tuple[float, float]:
        return round(price.total, 6), -found.draft.log_probability

    def rank(found: Found) -> tuple[float, float]:
        return key(found, price_of(found.fit, len(cloud), *known))

    def judge(found: Found) -> tuple[float, float]:
        return key(found, whole_price(found.fit, cloud.points, *known))

    dimensions = None if any(cloud.logarithmic) else cloud.dimensions
    known = config.prices, dimensions, tuple(cloud.exact)
    pool = Pool(rank, judge)
    return search(cloud, proposers, fit, pool, partial(ended, config=config))


def searches(
    model: Network, asked: Sequence[Cloud], config: PlusConfig, workers: int
) -> Iterator[tuple[Cloud, Pool]]:
    """What is found in each of the coordinates, until a fit is exact.

    Where the user interrupts, what was found up to then comes first.
    """
    proposers = [
        partial(restricted, PROPOSERS[name](model, config, workers), config)
        for name in config.proposers
    ]
    for cloud in asked:
        try:
            pool = searched(cloud, proposers, config, workers)
        except Interrupted as stop:
            yield cloud, stop.found
            raise
        yield cloud, pool
        if ended(pool, config):
            return


def in_few_columns(
    model: Network, config: PlusConfig, workers: int
) -> Callable[[np.ndarray], list[Expression]]:
    """A search in the columns of a reduced table (N, K): the cheapest equations, and the front.

    A table that comes again, as from other coordinates of the same points, is not searched again.
    Where the user or a watcher interrupts, it raises :class:`Interrupted` with those up to then.
    """
    names = tuple(name for name in config.proposers if name not in OF_USERS_COLUMNS)
    if not names:
        return lambda points: []
    config, known = replace(config, proposers=names), {}

    def found(points: np.ndarray) -> list[Expression]:
        key = points.shape, points.tobytes()
        if key not in known:
            forms: list[Expression] = []
            try:
                asked = clouds(points, np.zeros(points.shape[1], bool))
                for cloud, pool in searches(model, asked, config, workers):
                    forms += [form for _, form in _chosen(pool, cloud, config)]
            except Interrupted:
                raise Interrupted(forms) from None
            known[key] = forms
        return known[key]

    return found


def front(pool: Pool) -> list[Found]:
    """The Pareto front of contrast and number of tokens, shortest first."""
    kept: list[Found] = []
    usable = (f for f in pool if np.isfinite(f.fit.fitness))
    for found in sorted(usable, key=lambda f: (len(f.fit.expression.codes), f.fit.contrast)):
        if not kept or found.fit.contrast < kept[-1].fit.contrast:
            kept.append(found)
    return kept


def _chosen(pool: Pool, cloud: Cloud, config: PlusConfig) -> Iterator[Chosen]:
    """The cheapest candidates and those of the front, in the user's coordinates."""
    for found in dict.fromkeys((*pool.best(config.returned), *front(pool))):
        try:
            yield found.draft, cloud.back(found.fit.expression)
        except ValueError:  # no zeros, or too long
            continue


@threadpool_limits.wrap(limits=1, user_api="blas")  # the search has threads of its own
def discover_plus(
    model: Network,
    points: np.ndarray,
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    errors: np.ndarray | None = None,
    wide: tuple[bool, ...] = (),
    dimensions: Dimensions | None = None,
) -> Discovery:
    """Candidates of *PIE+* for points (N, D), D ≤ 8, best first, in the user's coordinates.

    If some points lie far from the best one, they may hide the law: the others are searched as
    well (a trimmed fit, Rousseeuw 1984), and all candidates are compared at all points.

    They rank by price. Fitness is minus the orthogonal root mean square error in units of the
    columns' spreads. The work is that of ``workers`` threads. ``errors`` (D,) are standard
    deviations of the columns' errors, as far as they are known: a fit within them gains nothing by
    being closer. Columns marked as ``wide`` are positive and span decades: they are searched by
    their logarithms as well, and errors that grow with them are assumed if that is more probable.
    With ``dimensions`` of the columns, known or assumed, a factor that hides a unit is priced.

    Raises:
        ValueError: points that cannot be used, quoting them.
        Interrupted: a KeyboardInterrupt with the :class:`Discovery` up to then.
    """
    points = check_points(points, max(MOST_COLUMNS, model.config.max_variables))
    began = time.perf_counter()
    few = wide if points.shape[1] <= FEW_COLUMNS else ()
    chosen: list[Chosen] = []
    rank = partial(_ranked, chosen, points, config, wide, errors, dimensions)

    def search_also(some: np.ndarray) -> tuple[list[Candidate], tuple[bool, ...]]:
        asked = clouds(some, set_columns(some), few, dimensions)
        for cloud, pool in searches(model, asked, config, workers):
            chosen.extend(_chosen(pool, cloud, config))
        return rank()

    ranked: list[Candidate] = []
    growing: tuple[bool, ...] = ()
    try:
        ranked, growing = search_also(points)
        others = without_outliers(ranked[0], points, growing, config) if ranked else None
        if others is not None:
            ranked, growing = search_also(others)
    except KeyboardInterrupt as stop:
        if isinstance(stop, Interrupted) or not ranked:
            ranked, growing = rank()
        found = Discovery(tuple(ranked), time.perf_counter() - began, growing)
        raise Interrupted(found) from None
    return Discovery(tuple(ranked), time.perf_counter() - began, growing)


def without_outliers(
    best: Candidate, points: np.ndarray, growing: tuple[bool, ...], config: PlusConfig
) -> np.ndarray | None:
    """The points (M, D) near the zero set of a candidate, if some others lie far from it.

    None where hardly any point is far or too many are, where the candidate is exact, or where the
    rest is too few or cannot be searched.
    """
    units = Metric.of(points, growing).units(points)
    usual = near(first_order_distances(best.expression, points, units))
    share = 1.0 - usual.mean()
    if best.contrast <= config.prices.resolution or usual.sum() < TELLING:
        return None
    if not HIDING <= share <= config.outliers:
        return None
    try:
        return check_points(points[usual], points.shape[1])
    except Unusable:  # such as a column that does not vary without them
        return None


def _ranked(
    chosen: Sequence[Chosen],
    points: np.ndarray,
    config: PlusConfig,
    wide: tuple[bool, ...],
    errors: np.ndarray | None,
    dimensions: Dimensions | None,
) -> tuple[list[Candidate], tuple[bool, ...]]:
    """Candidates at all points, cheapest first, and the columns with which errors grow."""
    may_be = partial(allowed, config=config)
    judge = Judge(config.prices, config.curved, config.seed, dimensions, may_be)
    finished, growing = in_best_metric(chosen, points, judge, wide, errors)
    candidates: dict[tuple, Candidate] = {}
    trials = [(found.price, found.contrast, found.correlation) for found in finished]
    prices = settled(trials, len(points), config.prices)
    for found, price in zip(finished, prices, strict=True):
        fit, expression = found.fit, found.fit.expression
        key = expression.codes, tuple(float(f"{c:.6g}") for c in expression.constants)
        candidate = Candidate(
            expression, fit.fitness, found.draft.log_probability, fit.status, fit.contrast,
            found.draft.proposer, price,
        )  # fmt: skip
        earlier = candidates.get(key)
        if earlier is None or price.total < earlier.price.total:
            candidates[key] = candidate
    ranked = sorted(
        candidates.values(), key=lambda c: (round(c.price.total, 6), len(c.expression.codes))
    )
    return ranked, growing
