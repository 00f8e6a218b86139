"""The last step of *PIE+*: cheapest candidates in the user's coordinates, simplified, priced.

Branches of a zero set are candidates of their own. All are compared with errors that are alike
everywhere, and with errors that grow with columns over decades.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..expr.canonical import canonical
from ..expr.dimensions import Dimensions
from ..expr.expression import Expression
from ..fit.constants import Fit
from ..fit.guards import FAR
from ..fit.sampson_fits import along, judged
from ..fit.uncertainty import (
    expected_residual,
    neighbours_correlation,
    simplified,
    with_whole_numbers,
)
from ..zeroset.distance import first_order
from ..zeroset.metric import Metric
from ..zeroset.spreads import robust_spreads
from .branches import branches
from .candidates import Price
from .pool import Draft
from .price import (
    Prices,
    bound_price,
    hidden_price,
    numbers_price,
    of_branch,
    origins_price,
    whole_price,
)

GROWING = 10.0  # nats by which errors that grow with a column must be more probable
ROUNDING = 1e-7  # lower bound of that error, in spreads

Chosen = tuple[Draft, Expression]  # the equation is in the user's coordinates


@dataclass(frozen=True)
class Judge:
    """What candidates are judged by; see :class:`pie.search.plus.PlusConfig`."""

    prices: Prices = Prices()
    curved: float = np.inf
    seed: int = 0
    dimensions: Dimensions | None = None  # of the columns, if they matter
    allowed: Callable[[Expression], bool] = lambda _: True  # as an answer

    def numbers(self, expression: Expression, points: np.ndarray) -> float:
        """Price of the numbers of an equation at points (N, D).

        A factor that becomes 1 stays a constant where the units say so; where these are not known,
        that it is 1 says that columns have one unit, as those of a circle.
        """
        price = numbers_price(expression, len(points), self.prices, self.dimensions)
        if self.dimensions:
            given = expression, points, self.dimensions, self.prices
            price += bound_price(*given) + origins_price(*given)
            price += hidden_price(*given) if self.dimensions.known else 0.0
        return price


def in_user_coordinates(
    expression: Expression, points: np.ndarray, judge: Judge, metric: Metric
) -> Fit:
    """The fit at points (N, D) of an equation in the user's coordinates, in canonical form.

    It is simplified unless the fit then fails. Distances are in the coordinates of ``metric``.
    ValueError if it has no zeros by its form or is too long.
    """
    form, units = canonical(expression), metric.units(points)
    short = simplified(form, points, units, partial(judge.numbers, points=points))
    short = canonical(with_whole_numbers(short, points, units))
    flat = metric.coordinates(points)
    for expression in (short, form):
        found = judged(metric.equation(expression), flat, judge.seed, judge.curved)
        found = replace(along(found, flat, metric.exact), expression=expression)
        if np.isfinite(found.fitness):
            break
    return found


@dataclass(frozen=True)
class Finished:
    """A candidate in the user's coordinates; ``price`` without the misfit of :func:`settled`."""

    draft: Draft
    fit: Fit
    price: Price
    contrast: float  # not below that of the known errors
    correlation: float  # of neighbours' residuals


def in_best_metric(
    chosen: Sequence[Chosen],
    points: np.ndarray,
    judge: Judge,
    logarithmic: tuple[bool, ...],
    errors: np.ndarray | None,
) -> tuple[list[Finished], tuple[bool, ...]]:
    """Finished candidates, with errors that are alike everywhere or grow with some columns: which.

    With residuals r_n in the one coordinates and k_n·r_n in the other, N ln σ + Σ ln k_n and the
    price of the form are compared for the best candidate in each.
    """
    alike = Metric.of(points)
    if not any(logarithmic):
        return [*finished(chosen, points, judge, alike, errors)], ()
    found = []
    for metric, doubt in ((alike, 0.0), (Metric.of(points, logarithmic), GROWING)):
        these = [*finished(chosen, points, judge, metric, errors)]
        costs = [_cost(one, points, metric, alike) for one in these]
        found.append((min(costs, default=np.inf) + doubt, these, metric.logarithmic))
    return min(found, key=lambda pair: pair[0])[1:]


@np.errstate(all="ignore")
def _cost(one: Finished, points: np.ndarray, metric: Metric, reference: Metric) -> float:
    """−ln of the probability of points and form, in nats, up to a constant."""
    away, alike = (
        first_order(one.fit.expression, points, m.units(points))[0] for m in (metric, reference)
    )
    if not np.isfinite(alike / away).any():
        return np.inf
    longer = np.log(np.abs(alike / away))
    size = max(float(np.nanmean(np.abs(away))), ROUNDING)  # errors of Laplace
    form = one.price.total - one.price.misfit
    return len(points) * float(np.log(size) + np.nanmean(longer)) + form


def finished(
    chosen: Sequence[Chosen],
    points: np.ndarray,
    judge: Judge,
    metric: Metric,
    errors: np.ndarray | None,
) -> Iterator[Finished]:
    """Candidates and their branches, as far as they are allowed."""

    def of(draft: Draft, form: Expression) -> Finished | None:
        """None where there are no zeros, the equation is too long or its fit fails."""
        try:
            fit = in_user_coordinates(form, points, judge, metric)
        except ValueError:
            return None
        if not np.isfinite(fit.fitness):
            return None
        price = whole_price(fit, points, judge.prices, judge.dimensions, metric.exact)
        flat, contrast = metric.coordinates(points), fit.contrast
        if errors is not None:
            expected = expected_residual(fit.expression, points, metric.units(points), errors)
            expected /= np.sqrt(np.mean(robust_spreads(flat) ** 2))  # the unit of clearances
            contrast = max(contrast, expected / min(max(fit.clearance, 1e-300), FAR))
        correlation = neighbours_correlation(metric.equation(fit.expression), flat)
        return Finished(draft, fit, price, contrast, correlation)

    for draft, form in chosen:
        if not (entire := of(draft, form)):
            continue
        if judge.allowed(entire.fit.expression):
            yield entire
        for part in branches(entire.fit.expression, points):
            if (branch := of(draft, part)) and judge.allowed(branch.fit.expression):
                yield replace(branch, price=of_branch(branch.price, entire.price, judge.prices))
