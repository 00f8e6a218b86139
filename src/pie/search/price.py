r"""The price of a candidate, in nats, by which *PIE+* ranks; the lowest is the best.

.. math:: price = misfit + c_1 \cdot constants + \frac{k (k + 1)}{N - k - 1} - c_2 \ln P(form)
                  + c_3 \cdot tokens + c_4 \ln(crossings) + c_5 \sum_n \ln(sheets_n)
                  + c_6 \cdot implicit + c_1 \cdot hidden + bound + origins

The misfit is a negative log-likelihood up to a constant, N ln σ for errors of size σ; the others
are a negative log-prior, each explained in docs/search.md: a constant costs about ½ ln N (Schwarz
1978) and the choice of where it stands, and less if it is known (:mod:`pie.expr.known_numbers`),
and where points are few their numbers fit them too well (:func:`few_points`);
P(form) is from formulas of science (:mod:`pie.search.forms`); *implicit* are the columns for which
the equation cannot be solved (:func:`pie.expr.solving.implicit`); *hidden* constants are factors
that are 1 in the units of the columns only (:mod:`pie.expr.dimensions`), *bound* is what numbers
lack that are known or equal in these units only, *origins* are zeros of columns that mean nothing,
or may mean nothing, and on which the form depends (:mod:`pie.expr.origins`).

Nearly exact tables of smooth quantities are fitted better by every further constant, and the simple
law among them is off by a little everywhere. Its residuals follow one another, and count as few:
with the least σ₀ among the candidates, the correlation ρ of residuals of neighbours and the
tolerance t,

.. math:: misfit = N \ln σ_0 + N \frac{1 - ρ}{1 + ρ} \ln \frac{\min(σ, t)}{σ_0}
                   + N \ln \frac{\max(σ, t)}{t} .

σ is no smaller than the known errors of the columns make it.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..expr.dimensions import Dimensions, bound_numbers, hidden_constants
from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..expr.known_numbers import WHOLE, free_numbers, known_numbers, rates_of_degrees
from ..expr.operators import CONSTANT, MAX_VARIABLES
from ..expr.origins import far_from_zero, hidden_origins
from ..expr.solving import implicit
from ..expr.terms import subtrees
from ..fit.constants import Fit
from ..zeroset.crossings import crossings, sheets
from .candidates import Price
from .forms import forms
from .pool import lowest
from .relations import Relation, codes_of_sum, weighted_codes

FULL = 0.985  # largest correlation of neighbours: they are not one point
HIGHEST = 20.0  # exponent of a law; in formulas of science it is 12 (data/prior/formulas.csv)


@dataclass(frozen=True)
class Prices:
    """Price of each item, in nats."""

    constant: float = 5.0  # per constant
    known: float = 2.0  # per constant that is known, or equal to another: seen in one of seven
    form: float = 1.0  # per nat of −ln P(form)
    token: float = 1.0  # per operator, variable or constant
    implicit: float = 1.9  # per column without a solution: ln(odds) in formulas
    crossing: float = 10.0  # per factor e in the zeros on lines through the points
    branch: float = 0.7  # for one branch instead of the zero set
    arc: float = 5.0  # per wave with a constant inside of which less than half a turn is seen
    sheet: float = 1.0  # per factor e in the sheets near a point, of each point
    origin: float = 5.0  # per zero that is a convention, and on which the form depends
    far: float = 2.0  # per other such zero more than five ranges away
    resolution: float = 1e-8  # contrasts below this are exact, and equal
    tolerance: float = 0.03  # contrast below which residuals that follow one another count as few

    def __post_init__(self):
        for name, price in vars(self).items():
            if price < 0.0:
                raise ValueError(f"prices.{name} is {price}; expected at least 0")


@functools.lru_cache(maxsize=65536)
def form_price(codes: tuple[int, ...], prices: Prices) -> float:
    """Price of the constants and the form of an equation with these codes."""
    return (
        prices.constant * codes.count(CONSTANT)  # of which none is known
        + prices.form * _form(codes)
        + prices.token * len(codes)
        + prices.implicit * _implicit(codes)
    )


def _form(codes: tuple[int, ...], exact: Sequence[bool] = ()) -> float:
    """−ln P(form), in nats, of a form of as many variables as it has; () = no column was set."""
    variables = sorted({code for code in codes if CONSTANT < code <= MAX_VARIABLES})
    measured = [place for place, j in enumerate(variables, 1) if not (any(exact) and exact[j - 1])]
    some = 0 < len(measured) < len(variables)
    return forms().cost(codes, max(len(variables), 1), tuple(measured) if some else ())


def cheapest(
    relations: Sequence[tuple[Relation, Sequence[Tree]]], n_points: int, prices: Prices, most: int
) -> list[int]:
    """Places of the ``most`` cheapest of relations that are not fitted: √λ for the contrast.

    All have as many terms; the terms of each stand beside it.
    """
    misfits = [n_points * float(np.log(relation.size)) for relation, _ in relations]
    asked = {id(terms): terms for _, terms in relations}
    weighted = {key: [*map(weighted_codes, terms)] for key, terms in asked.items()}
    codes = [
        codes_of_sum([weighted[id(terms)][i] for i in relation.indices])
        for relation, terms in relations
    ]
    bounds = [
        (misfit + prices.token * len(one) + prices.constant * one.count(CONSTANT), -1)
        for misfit, one in zip(misfits, codes, strict=True)
    ]

    def price(k: int) -> tuple[float, int]:
        return round(misfits[k] + form_price(codes[k], prices), 6), k

    return lowest(range(len(relations)), bounds.__getitem__, price, most)


def price_of(
    fit: Fit,
    n_points: int,
    prices: Prices,
    dimensions: Dimensions | None = None,
    exact: Sequence[bool] = (),
) -> Price:
    """Price of a fit without that of its zeros; the misfit is inf where the fit failed.

    ``exact``: the columns whose values were set, one flag each; () = none. In an exact fit
    :data:`~pie.expr.known_numbers.WHOLE` numbers are free: they are not fitted.
    """
    if not np.isfinite(fit.fitness):
        return Price(np.inf)
    expression, at_rounding = fit.expression, fit.contrast <= prices.resolution
    paid = [c for c in expression.constants if abs(c) not in WHOLE]
    return Price(
        n_points * float(np.log(max(fit.contrast, prices.resolution))),
        prices.constant * (len(paid) - _told(expression, dimensions))
        if at_rounding
        else numbers_price(expression, n_points, prices, dimensions),
        prices.form * _form(expression.codes, exact),
        prices.token * len(expression.codes),
        prices.implicit * _implicit(expression.codes),
    )


def hidden_price(
    expression: Expression, points: np.ndarray, dimensions: Dimensions, prices: Prices
) -> float:
    """Price of factors that are 1 in the units of the columns only; inf where these forbid f."""
    hidden = hidden_constants(expression, points, dimensions)
    return prices.constant * hidden if np.isfinite(hidden) else np.inf


def origins_price(
    expression: Expression, points: np.ndarray, dimensions: Dimensions, prices: Prices
) -> float:
    """Price of zeros of columns on which the form depends, if they are conventions or in doubt.

    A convention is like a constant that is fitted, a zero that is far away like one that is known.
    """
    given = np.array(dimensions.conventional or (False,) * points.shape[1])
    sure = hidden_origins(expression, points, given)
    doubtful = hidden_origins(expression, points, given | far_from_zero(points)) - sure
    return prices.origin * sure + prices.far * doubtful


def bound_price(
    expression: Expression, points: np.ndarray, dimensions: Dimensions, prices: Prices
) -> float:
    """What numbers that are known or equal in these units only lack of the price of fitted ones."""
    known, equal = bound_numbers(expression, points, dimensions)
    lacking = max(prices.constant - prices.known, 0.0) * known
    return lacking + (prices.constant - _equality(expression, prices)) * equal


def _equality(expression: Expression, prices: Prices) -> float:
    """Price of a constant that is equal to another one.

    It pays for which of the F numbers it is, ln F, but no more than one that is fitted.
    """
    fitted = free_numbers(expression).shape[1]
    return float(min(prices.known + np.log(max(fitted, 1)), prices.constant))


def numbers_price(
    expression: Expression, n_points: int, prices: Prices, dimensions: Dimensions | None = None
) -> float:
    """Price of the numbers of an equation without :func:`bound_price`.

    A rate of degrees is paid in full, as it says which column is an angle, unless its unit does.
    """
    count, fitted = free_numbers(expression).shape
    rates = int(rates_of_degrees(expression).sum())
    known = int(known_numbers(expression).sum())
    return (
        few_points(fitted, n_points)
        + prices.constant * (fitted + rates - _told(expression, dimensions))
        + prices.known * (known - rates)
        + _equality(expression, prices) * (count - known - fitted)
    )


def _told(expression: Expression, dimensions: Dimensions | None) -> int:
    """How many rates of degrees the units of the columns tell."""
    angles = dimensions.angles if dimensions else ()
    return int(rates_of_degrees(expression, angles).sum()) if angles else 0


def few_points(fitted: int, n_points: int) -> float:
    """By how much N ln σ of a fit is too small in the mean, beyond one nat per number: k(k + 1)/
    (N − k − 1), k counting σ, too (Hurvich & Tsai 1989); inf where no point is left to tell.

    >>> few_points(2, 9), round(few_points(2, 200), 2)
    (2.4, 0.06)
    """
    k = fitted + 1
    return k * (k + 1) / (n_points - k - 1) if n_points > k + 1 else np.inf


@functools.lru_cache(maxsize=65536)
def _implicit(codes: tuple[int, ...]) -> int:
    """How many columns an equation of this form gives only implicitly."""
    return len(implicit(Expression(codes, (1.0,) * codes.count(CONSTANT))))


@np.errstate(all="ignore")
def _waves(expression: Expression, points: np.ndarray, prices: Prices) -> float:
    """Price of the sines and cosines with a fitted constant inside, for points (N, D).

    inf where one turns faster than the points can show, and for high powers.
    """
    if has_high_power(expression):
        return np.inf
    price = 0.0
    for tree in subtrees(to_tree(expression)):
        if tree[0] in ("sin", "cos") and not known_numbers(from_tree(tree)).all():
            turned = np.ptp(from_tree(tree[1]).values(points)) / np.pi  # in half turns
            price += prices.arc if turned < 1.0 else np.inf if 2.0 * turned > len(points) else 0.0
    return price


def has_high_power(expression: Expression) -> bool:
    """Whether an exponent is above :data:`HIGHEST`: such a power stands for an exponential.

    >>> from pie.expr.expression import parse
    >>> has_high_power(parse("x2 - x1**-12")), has_high_power(parse("x2 - x1**72.9"))
    (False, True)
    """
    return any(
        tree[0] == "pow" and tree[2][0] == "c" and abs(tree[2][1]) > HIGHEST
        for tree in subtrees(to_tree(expression))
    )


def whole_price(
    fit: Fit,
    points: np.ndarray,
    prices: Prices,
    dimensions: Dimensions | None = None,
    exact: Sequence[bool] = (),
) -> Price:
    """With the price of zeros where no points are, of further sheets near points, of waves, and of
    the units of the columns, if these matter. A fit with a high power is refused, unless exact.
    """
    price = price_of(fit, len(points), prices, dimensions, exact)
    if not np.isfinite(price.misfit):
        return price
    expression, at_rounding = fit.expression, fit.contrast <= prices.resolution
    hidden = bound = origins = 0.0
    if dimensions:
        hidden = hidden_price(expression, points, dimensions, prices)
        bound = 0.0 if at_rounding else bound_price(expression, points, dimensions, prices)
        origins = origins_price(expression, points, dimensions, prices)
    return replace(
        price,
        hidden=hidden,
        bound=bound,
        origins=origins,
        waves=0.0 if at_rounding else _waves(expression, points, prices),
        crossings=prices.crossing * float(np.log(crossings(expression, points))),
        sheets=prices.sheet * float(np.log(sheets(expression, points)).sum()),
    )


def of_branch(branch: Price, whole: Price, prices: Prices) -> Price:
    """Of a branch of a zero set: its form is known with that of the whole, but for which it is."""
    both = branch, whole
    costs = [one.constants + one.form + one.tokens + one.implicit for one in both]
    known = np.isfinite([whole.misfit, *costs]).all()
    saved = max(costs[0] - costs[1], 0.0) if known else 0.0
    return replace(branch, branch=prices.branch - saved)


def settled(
    candidates: Sequence[tuple[Price, float, float]], n_points: int, prices: Prices
) -> list[Price]:
    """Prices of candidates with their misfit among each other.

    Each candidate comes with its contrast, not below the one that known errors make, and with the
    correlation of its neighbours' residuals.
    """
    usable = [contrast for price, contrast, _ in candidates if np.isfinite(price.total)]
    least = max(min(usable, default=0.0), prices.resolution)
    # a fit to rounding is the law, and no refinement of another one
    tolerance = max(prices.tolerance, least) if least > prices.resolution else least
    found = []
    for price, contrast, correlation in candidates:
        if np.isfinite(price.misfit):
            contrast, rho = max(contrast, least), min(max(correlation, 0.0), FULL)
            few = max(n_points * (1.0 - rho) / (1.0 + rho), 1.0)
            misfit = n_points * np.log(least * max(contrast / tolerance, 1.0))
            misfit += few * np.log(min(contrast, tolerance) / least)
            price = replace(price, misfit=float(misfit))
        found.append(price)
    return found
