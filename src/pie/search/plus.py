"""*PIE+*: what goes beyond the paper, beside Algorithm 2.

A wide beam over several views of the points, Sampson fits from several starts with guards, exact
linear relations in dictionaries and of one function more beside simple terms, level sets, sparse
relations among simple terms, ranking by error *and* complexity, then refinement around the best
candidates until a fit is exact or the rounds end. Last, in the user's coordinates, constants that
the points do not ask for are dropped, single branches are tried where the points are on one only,
and zeros where no points are have a price.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.expression import Expression
from ..fit.constants import Fit
from ..fit.sampson_fits import judged
from ..fit.uncertainty import numbers, simplified, with_whole_numbers
from ..network.model import PIE
from ..zeroset.crossings import crossings
from .algorithm2 import merged, skeletons
from .branches import branches
from .candidates import Candidate, Discovery, check_points
from .planes import Plane, off_planes, renumbered, sections, with_planes
from .search import UNLIKELY, PlusConfig, Search, cost
from .views import View, views_of

HOLD = 3.0  # times the error of an equation: as far from it, a point still obeys it
ROUNDING = 1e-7  # of the spreads


def in_user_coordinates(expression: Expression, points: np.ndarray, config: PlusConfig) -> Fit:
    """What an equation is worth for the points (N, D) as the user has them.

    It is in canonical form, without constants and terms that are not needed, and judged in units of
    the columns' spreads, where fits of all views compare.

    Raises:
        ValueError: it has no zeros by its form, or is far too long.
    """
    form = canonical(expression)
    units = points.std(axis=0)
    short = simplified(form, points, units, config.constant_cost)
    if config.whole_numbers:
        short = canonical(with_whole_numbers(short, points, units))
    for expression in (short, form):
        scaled = in_units(expression, np.zeros(len(units)), units)
        found = replace(judged(scaled, points / units, config.seed), expression=expression)
        if np.isfinite(found.fitness):
            break
    return found


def _final(
    view: View, fit: Fit, points: np.ndarray, config: PlusConfig
) -> Iterator[tuple[Fit, float]]:
    """A fit made in a view as the user shall have it, and the branches on which the points lie.

    Each with its price beside that of :func:`pie.search.search.cost`.
    """
    try:
        whole = view.back(fit.expression)
        if not np.isfinite(fit.fitness):
            yield replace(fit, expression=canonical(whole)), 0.0
            return
        found = in_user_coordinates(whole, points, config)
    except ValueError:
        return
    yield found, _beside(found.expression, points, config)
    if not np.isfinite(config.branch_cost):
        return
    for draft in branches(found.expression, points):
        try:
            branch = in_user_coordinates(draft, points, config)
        except ValueError:
            continue
        yield branch, _beside(branch.expression, points, config) + config.branch_cost


def _beside(expression: Expression, points: np.ndarray, config: PlusConfig) -> float:
    """What :func:`pie.search.search.cost` does not see: zeros on lines, and whole numbers."""
    whole = len(expression.constants) - numbers(expression) if config.whole_numbers else 0
    zeros = np.log(crossings(expression, points))
    return config.crossing_cost * zeros - config.constant_cost * whole


def _with_planes(
    fit: Fit, planes: tuple[Plane, ...], aside: np.ndarray, units: np.ndarray
) -> Expression:
    """An equation of the other points, with the factors that those on coordinate planes ask for."""
    if not planes or not np.isfinite(fit.fitness):
        return fit.expression
    try:
        error = HOLD * max(fit.error, ROUNDING)
        return canonical(with_planes(fit.expression, planes, aside, units, error))
    except ValueError:
        return fit.expression


def _planes_alone(points: np.ndarray, planes: tuple[Plane, ...], seed: int) -> Candidate:
    """The law of points (N, D) all of which lie on coordinate planes."""
    units = points.std(axis=0)
    expression = canonical(with_planes(None, planes, points, units, 0.0))
    found = judged(in_units(expression, np.zeros(len(units)), units), points / units, seed)
    # exact by the way in which they were found, though permuted points lie on planes as well
    return Candidate(expression, -found.error, UNLIKELY, "ok", found.error, found.contrast)


def _relate(search: Search, config: PlusConfig) -> None:
    """What needs no skeleton: relations and level sets, until one is exact."""
    if config.dictionaries:
        search.look_up()
    if config.composites and not search.exact():
        search.compose()
    if config.level_sets and not search.exact():
        search.find_levels()
    if not search.exact():
        search.complete()
    if not search.exact():
        search.prune()


def _searched(model: PIE, points: np.ndarray, config: PlusConfig, workers: int) -> Search:
    """The search in all views."""
    views = views_of(points, config.views)
    search = Search(points, views, config, workers)
    decoded = skeletons(
        model, [search.clouds[v.name] for v in views], config.beam, config.samples, config.seed
    )
    for view, hypotheses in zip(views, decoded, strict=True):
        kept = merged(hypotheses)
        search.add(view, [s for s, _ in kept], [p for _, p in kept], n_starts=config.starts)
    if config.degree and not search.exact():
        with threadpool_limits(1, user_api="blas"):  # there are threads of ours
            _relate(search, config)
    search.refine_until_it_helps_no_more()
    return search


def _priced(
    search: Search, points: np.ndarray, config: PlusConfig
) -> Iterator[tuple[Fit, float, tuple[bool, float]]]:
    """Final fits with their log-probabilities and what they are ranked by.

    What is only on the front stands behind all others.
    """
    cheapest = search.ranked()[: config.returned]
    for place, found in enumerate([*cheapest, *search.front()]):
        for fit, price in _final(found.view, found.fit, points, config):
            total = cost(fit, len(points), config) + price
            yield fit, found.log_probability, (place >= len(cheapest), total)


def discover_plus(
    model: PIE, points: np.ndarray, config: PlusConfig = PlusConfig(), workers: int = 1
) -> Discovery:
    """Candidates of *PIE+*, best first, in the user's coordinates.

    Args:
        model: a pre-trained network.
        points: (N, D), D ≤ D_max.
        config: views, beam, fits, prices and refinement.
        workers: threads that fit constants.

    Returns:
        Candidates ranked by N·ln(contrast) plus the prices of :func:`pie.search.search.cost` and of zeros
        on lines (:mod:`pie.zeroset.crossings`), as they are written in the user's coordinates, then shorter
        ones that fit best among their like. A candidate's fitness is minus its orthogonal root mean
        square error in units of the columns' spreads.

    Raises:
        ValueError: points that cannot be used, quoting them.
    """
    points = check_points(points, model.config.max_variables)
    began = time.perf_counter()
    used, planes = off_planes(points) if config.planes else (np.ones(len(points), bool), ())
    if not used.any():
        alone = _planes_alone(points, planes, config.seed)
        return Discovery((alone,), time.perf_counter() - began)
    aside, points = points[~used], points[used]
    candidates: dict[tuple, Candidate] = {}
    prices: dict[tuple, tuple[bool, float]] = {}
    for variables in sections(planes, points.shape[1]):
        columns = points[:, [j - 1 for j in variables]]
        search = _searched(model, columns, config, workers)
        for fit, log_probability, price in _priced(search, columns, config):
            fit = replace(fit, expression=renumbered(fit.expression, variables))
            key = fit.expression.codes, tuple(float(f"{c:.6g}") for c in fit.expression.constants)
            expression = _with_planes(fit, planes, aside, points.std(axis=0))
            every = len(expression.variables) == points.shape[1] or columns.shape == points.shape
            if key not in candidates and every:
                prices[key] = price
                candidates[key] = Candidate(
                    expression, fit.fitness, log_probability, fit.status, fit.error, fit.contrast
                )
        if search.exact() and candidates:
            break
    ranked = sorted(candidates, key=prices.__getitem__)
    return Discovery(tuple(candidates[key] for key in ranked), time.perf_counter() - began)
