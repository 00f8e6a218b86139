r"""The price of a candidate, in nats, by which *PIE+* ranks; the lowest is the best.

.. math:: price = N \ln(contrast) + c_1 \cdot constants + c_2 \cdot tokens + c_3 \cdot functions
                  + c_4 \ln(crossings) - c_5 \ln(clearance)

The first item is a negative log-likelihood up to a constant: N ln σ for errors of size σ. The
others are a negative log-prior. A constant costs about ½ ln N (Schwarz 1978) plus its token. A
token costs about the logarithm of the number of its alternatives: many forms of each length are
tried, and the best of many fits is good by chance.
"""

from dataclasses import dataclass, fields

import numpy as np

from ..expr.expression import Expression
from ..expr.operators import BY_NAME
from ..fit.constants import Fit
from ..fit.uncertainty import WHOLE
from ..zeroset.crossings import crossings

_FUNCTIONS = {BY_NAME[name].code for name in ("exp", "ln", "sin", "cos")}


@dataclass(frozen=True)
class Prices:
    """Price of each item, in nats."""

    constant: float = 4.0  # per constant
    token: float = 1.5  # per operator, variable or constant
    function: float = 3.0  # per exp, ln, sin or cos, beside its token
    crossing: float = 10.0  # per factor e in the zeros on lines through the points
    branch: float = 2.0  # for one branch instead of the zero set
    sheet: float = 2.0  # per factor e by which permuted points are nearer to the zeros
    resolution: float = 1e-8  # contrasts below this are exact, and equal

    def __post_init__(self):
        for field in fields(self):
            if getattr(self, field.name) < 0.0:
                raise ValueError(
                    f"prices.{field.name} is {getattr(self, field.name)}; expected at least 0"
                )


@dataclass(frozen=True)
class Price:
    """Items of a candidate's price, in nats."""

    misfit: float
    constants: float = 0.0
    tokens: float = 0.0
    functions: float = 0.0
    crossings: float = 0.0
    sheets: float = 0.0
    branch: float = 0.0

    @property
    def total(self) -> float:
        return sum(getattr(self, field.name) for field in fields(self))

    def __str__(self) -> str:
        items = [(field.name, getattr(self, field.name)) for field in fields(self)]
        listed = ", ".join(f"{name} {value:.1f}" for name, value in items if value)
        return f"{listed} = {self.total:.1f}"


def form_price(expression: Expression, prices: Prices) -> float:
    """Price of constants, tokens and functions alone."""
    return price_of(Fit(expression, 0.0, "ok", contrast=1.0, clearance=1.0), 0, prices).total


def price_of(fit: Fit, n_points: int, prices: Prices) -> Price:
    """Price of a fit without crossings; the misfit is inf where the fit failed.

    In an exact fit :data:`~pie.fit.uncertainty.WHOLE` numbers are free: they are not fitted.
    """
    if not np.isfinite(fit.fitness):
        return Price(np.inf)
    expression, exact = fit.expression, fit.contrast <= prices.resolution
    paid = [c for c in expression.constants if not (exact and abs(c) in WHOLE)]
    return Price(
        n_points * float(np.log(max(fit.contrast, prices.resolution))),
        prices.constant * len(paid),
        prices.token * len(expression.codes),
        prices.function * sum(code in _FUNCTIONS for code in expression.codes),
        sheets=-prices.sheet * float(np.log(max(fit.clearance, prices.resolution))),
    )


def price_of_zeros(expression: Expression, points: np.ndarray, prices: Prices) -> float:
    """Price of zeros where no points are (:func:`pie.zeroset.crossings.crossings`)."""
    return prices.crossing * float(np.log(crossings(expression, points)))
