"""*PIE+*: what goes beyond the paper, beside Algorithm 2.

A wide beam over several views of the points, Sampson fits from several starts with guards, sparse
linear relations among simple terms, ranking by error *and* complexity, then refinement around the
best candidates until a fit is exact or the rounds end. Last, constants that the points do not ask
for are dropped, in the user's coordinates.
"""

import time
from dataclasses import replace

import numpy as np

from .candidates import Candidate, Discovery, check_points
from .canonical import canonical
from .constants import Fit, judged
from .coordinates import in_units
from .discovery import merged, skeletons
from .model import PIE
from .search import PlusConfig, Search, cost
from .uncertainty import simplified
from .views import View, views_of


def in_user_coordinates(view: View, fit: Fit, points: np.ndarray, config: PlusConfig) -> Fit:
    """A fit made in a view for the points (N, D) as the user has them.

    The equation is in canonical form, without constants and terms that are not needed, and judged
    again in units of the columns' spreads, where fits of all views compare.

    Raises:
        ValueError: it has no zeros by its form there, or is far too long.
    """
    form = canonical(view.back(fit.expression))
    if not np.isfinite(fit.fitness):
        return replace(fit, expression=form)
    units = points.std(axis=0)
    short = simplified(form, points, units, config.constant_cost)
    for expression in (short, form):
        scaled = in_units(expression, np.zeros(len(units)), units)
        found = replace(judged(scaled, points / units, config.seed), expression=expression)
        if np.isfinite(found.fitness):
            break
    return found


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
        Candidates ranked by N·ln(contrast) plus the prices of :func:`pie.search.cost`, as they are
        written in the user's coordinates, then shorter ones that fit best among their like. A
        candidate's fitness is minus its orthogonal root mean square error in units of the columns'
        spreads.

    Raises:
        ValueError: points that cannot be used, quoting them.
    """
    points = check_points(points, model.config.max_variables)
    began = time.perf_counter()
    views = views_of(points, config.views)
    search = Search(points, views, config, workers)
    decoded = skeletons(
        model, [search.clouds[v.name] for v in views], config.beam, config.samples, config.seed
    )
    for view, hypotheses in zip(views, decoded, strict=True):
        kept = merged(hypotheses)
        search.add(view, [s for s, _ in kept], [p for _, p in kept], n_starts=config.starts)
    if config.degree and not search.exact():
        search.complete()
        if not search.exact():
            search.prune()
    search.refine_until_it_helps_no_more()
    candidates: dict[tuple, Candidate] = {}
    prices: dict[tuple, tuple[float, bool]] = {}
    cheapest = search.ranked()[: config.returned]
    for place, found in enumerate([*cheapest, *search.front()]):
        try:
            fit = in_user_coordinates(found.view, found.fit, points, config)
        except ValueError:
            continue
        key = fit.expression.codes, tuple(float(f"{c:.6g}") for c in fit.expression.constants)
        if key not in candidates:
            # what is only on the front stands behind all others
            prices[key] = cost(fit, len(points), config), place >= len(cheapest)
            candidates[key] = Candidate(
                fit.expression, fit.fitness, found.log_probability, fit.status, fit.error,
                fit.contrast,
            )  # fmt: skip
    ranked = sorted(candidates, key=lambda key: (prices[key][1], prices[key][0]))
    return Discovery(tuple(candidates[key] for key in ranked), time.perf_counter() - began)
