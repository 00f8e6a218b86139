r"""What a candidate costs, item by item: the ranking of *PIE+*.

.. math:: price = N \ln(contrast) + c_1 \cdot constants + c_2 \cdot tokens + c_3 \cdot functions
                  + c_4 \ln(crossings) - c_5 \ln(clearance)

The first item is minus a log-likelihood up to a constant: N·ln σ for errors of size σ. The others
are minus the logarithm of a prior. A constant costs about ½ ln N (Schwarz 1978) plus the token that
it is; a token about the logarithm of how many others could stand in its place, since the search
goes through the forms of a length in great numbers and the best of many fits is lucky.
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

    constant: float = 4.0  # of a constant
    token: float = 1.5  # of a token: operator, variable or constant
    function: float = 3.0  # of exp, ln, sin or cos, on top
    crossing: float = 10.0  # of e times as many zeros on lines through the points
    branch: float = 2.0  # of one branch of a zero set instead of the whole
    sheet: float = 2.0  # of zeros that are e times as near to any point
    resolution: float = 1e-8  # contrasts below this are equal: exact fits

    def __post_init__(self):
        for field in fields(self):
            if getattr(self, field.name) < 0.0:
                raise ValueError(
                    f"prices.{field.name} is {getattr(self, field.name)}; expected at least 0"
                )


@dataclass(frozen=True)
class Price:
    """The items of a candidate's price, in nats; the lowest total is the best.

    >>> print(Price(-920.0, 4.0, 12.0))
    misfit -920.0, constants 4.0, tokens 12.0 = -904.0
    """

    misfit: float
    constants: float = 0.0
    tokens: float = 0.0
    functions: float = 0.0
    crossings: float = 0.0
    sheets: float = 0.0
    branch: float = 0.0

    @property
    def total(self) -> float:
        """Their sum."""
        return sum(getattr(self, field.name) for field in fields(self))

    def __str__(self) -> str:
        items = [(field.name, getattr(self, field.name)) for field in fields(self)]
        listed = ", ".join(f"{name} {value:.1f}" for name, value in items if value)
        return f"{listed} = {self.total:.1f}"


def form_price(expression: Expression, prices: Prices) -> float:
    """Of constants, tokens and functions."""
    return price_of(Fit(expression, 0.0, "ok", contrast=1.0, clearance=1.0), 0, prices).total


def price_of(fit: Fit, n_points: int, prices: Prices) -> Price:
    """The price of a fit, without the zeros on lines; misfit is inf where it failed.

    Whole numbers cost nothing in an exact fit: nobody has to fit them.
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
    """The price of zeros where no points are: :func:`pie.zeroset.crossings.crossings`."""
    return prices.crossing * float(np.log(crossings(expression, points)))
