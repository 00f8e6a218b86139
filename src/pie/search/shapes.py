"""Shapes of science: the curves and surfaces that people fit, by the names that they give them.

Families of the textbooks of regression (Bates and Watts 1988; Ratkowsky 1990; Seber and Wild 2003)
and of handbooks of physical chemistry (Poling, Prausnitz and O'Connell 2001). x1 and x2 are what
one would put on the axes, the last variable upwards; every number that is not whole is a parameter.
"""

import functools
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from ..expr.canonical import canonical
from ..expr.expression import Expression, Tree, from_tree, parse, to_tree, with_variables


class Shape(NamedTuple):
    name: str
    equation: str


# of y = x2 against x = x1
CURVES = (
    Shape("proportionality", "x2 - 1.5*x1"),
    Shape("straight line", "x2 - 1.5*x1 - 0.7"),
    Shape("inverse proportionality", "x1*x2 - 1.5"),
    Shape("inverse with offset", "x2 - 1.5 - 0.7/x1"),
    Shape("square law", "x2 - 1.5*x1**2"),
    Shape("cube law", "x2 - 1.5*x1**3"),
    Shape("fourth-power law", "x2 - 1.5*x1**4"),
    Shape("three-halves law", "x2**2 - 1.5*x1**3"),
    Shape("square-root law", "x2 - 1.5*sqrt(x1)"),
    Shape("inverse-square law", "x1**2*x2 - 1.5"),
    Shape("circle", "x1**2 + x2**2 - 1.5"),
    Shape("ellipse or hyperbola", "x1**2 + 0.7*x2**2 - 1.5"),
    Shape("circle about a point", "x1**2 + x2**2 - 1.5*x1 - 0.7*x2 - 2.3"),
    Shape("conic along the axes", "x1**2 + 0.7*x2**2 - 1.5*x1 - 2.3*x2 - 0.3"),
    Shape("conic", "x1**2 + 0.7*x2**2 - 1.5*x1 - 2.3*x2 - 0.3 + 0.4*x1*x2"),
    Shape("hyperbola", "x2 - 1.5/(x1 + 0.7)"),
    Shape("parabola through the origin", "x2 - 1.5*x1**2 - 0.7*x1"),
    Shape("square with offset", "x2 - 1.5*x1**2 - 0.7"),
    Shape("parabola", "x2 - 1.5*x1**2 - 0.7*x1 - 2.3"),
    Shape("cubic", "x2 - 1.5*x1**3 - 0.7*x1**2 - 2.3*x1 - 0.3"),
    Shape("power law", "x2 - 1.5*x1**1.7"),
    Shape("power law", "ln(x2) - 1.5*ln(x1) - 0.7"),
    Shape("power law with offset", "x2 - 0.7 - 1.5*x1**1.7"),
    Shape("shifted power law", "x2 - 1.5*(x1 + 0.7)**1.7"),
    Shape("square root with offset", "x2 - 1.5*sqrt(x1) - 0.7"),
    Shape("logarithm", "x2 - 1.5*ln(x1) - 0.7"),
    Shape("shifted logarithm", "x2 - 1.5*ln(x1 + 0.7) - 2.3"),
    Shape("exponential", "x2 - 1.5*exp(0.7*x1)"),
    Shape("exponential", "ln(x2) - 1.5*x1 - 0.7"),
    Shape("exponential with offset", "x2 - 1.5*exp(-0.7*x1) - 2.3"),
    Shape("saturating exponential", "x2 - 1.5*(1 - exp(-0.7*x1))"),
    Shape("two exponentials", "x2 - 1.5*exp(-0.7*x1) - 2.3*exp(-0.3*x1)"),
    Shape("absorption and elimination", "x2 - 1.5*(exp(-0.3*x1) - exp(-1.7*x1))"),
    Shape("stretched exponential", "x2 - 1.5*exp(-0.7*x1**0.6)"),
    Shape("Ricker curve", "x2 - 1.5*x1*exp(-0.7*x1)"),
    Shape("gamma curve", "x2 - 1.5*x1**1.7*exp(-0.7*x1)"),
    Shape("Michaelis–Menten", "x2 - 1.5*x1/(0.7 + x1)"),
    Shape("Michaelis–Menten with offset", "x2 - 2.3 - 1.5*x1/(0.7 + x1)"),
    Shape("Hill equation", "x2 - 1.5*x1**1.7/(0.7 + x1**1.7)"),
    Shape("substrate inhibition", "x2 - x1/(1.5 + 0.7*x1 + 0.3*x1**2)"),
    Shape("rational, 2 over 1", "x2 - (1.5 + 0.7*x1 + 0.3*x1**2)/(1 + 2.3*x1)"),
    Shape("rational, 1 over 2", "x2 - (1.5 + 0.7*x1)/(1 + 2.3*x1 + 0.3*x1**2)"),
    Shape("rational, 2 over 2", "x2 - (1.5 + 0.7*x1 + 0.3*x1**2)/(1 + 2.3*x1 + 1.3*x1**2)"),
    Shape(
        "rational, 3 over 3",
        "x2 - (1.5 + 0.7*x1 + 0.3*x1**2 + 0.2*x1**3)/(1 + 2.3*x1 + 1.3*x1**2 + 0.6*x1**3)",
    ),
    Shape("logistic", "x2 - 1.5/(1 + 2.3*exp(-0.7*x1))"),
    Shape("logistic with offset", "x2 - 0.3 - 1.5/(1 + 2.3*exp(-0.7*x1))"),
    Shape("Gompertz curve", "x2 - 1.5*exp(-2.3*exp(-0.7*x1))"),
    Shape("Richards curve", "x2 - 1.5/(1 + 2.3*exp(-0.7*x1))**0.6"),
    Shape("Weibull growth", "x2 - 1.5 + 2.3*exp(-0.7*x1**1.7)"),
    Shape("Gaussian", "x2 - 1.5*exp(-0.7*(x1 - 0.3)**2)"),
    Shape("Gaussian with offset", "x2 - 0.4 - 1.5*exp(-0.7*(x1 - 0.3)**2)"),
    Shape("Lorentzian", "x2 - 1.5/(1 + 0.7*(x1 - 0.3)**2)"),
    Shape("Lorentzian with offset", "x2 - 0.4 - 1.5/(1 + 0.7*(x1 - 0.3)**2)"),
    Shape("log-normal peak", "x2 - 1.5*exp(-0.7*(ln(x1) - 0.3)**2)"),
    Shape("Arrhenius law", "x2 - 1.5*exp(0.7/x1)"),
    Shape("modified Arrhenius law", "x2 - 1.5*x1**1.7*exp(0.7/x1)"),
    Shape("Vogel–Fulcher–Tammann, Antoine", "x2 - 1.5*exp(0.7/(x1 + 0.3))"),
    Shape("three-term vapour pressure", "ln(x2) - 1.5 - 0.7/x1 - 2.3*ln(x1)"),
    Shape("wave from 0", "x2 - 1.5*sin(0.7*x1)"),
    Shape("wave", "x2 - 1.5*sin(0.7*x1 + 0.3)"),
    Shape("wave with offset", "x2 - 1.5*sin(0.7*x1 + 0.3) - 2.3"),
    Shape("damped wave", "x2 - 1.5*exp(-0.3*x1)*sin(0.7*x1 + 0.3)"),
    Shape("Cauchy dispersion", "x2 - 1.5 - 0.7/x1**2"),
    Shape("Sellmeier dispersion", "x2**2 - 1.5 - 0.7*x1**2/(x1**2 - 0.3)"),
    Shape("Planck curve", "x2 - 1.5*x1**3/(exp(0.7*x1) - 1)"),
    Shape("Morse potential", "x2 - 1.5*(1 - exp(-0.7*(x1 - 0.3)))**2"),
)

# of z = x3 against x1 and x2
SURFACES = (
    Shape("plane", "x3 - 1.5*x1 - 0.7*x2 - 2.3"),
    Shape("plane through the origin", "x3 - 1.5*x1 - 0.7*x2"),
    Shape("sphere about a point", "x1**2 + x2**2 + x3**2 - 1.5*x1 - 0.7*x2 - 2.3*x3 - 0.3"),
    Shape(
        "quadric along the axes",
        "x1**2 + 0.7*x2**2 + 0.4*x3**2 - 1.5*x1 - 2.3*x2 - 0.3*x3 - 1.3",
    ),
    Shape("product", "x3 - 1.5*x1*x2"),
    Shape("ratio", "x3 - 1.5*x1/x2"),
    Shape("product with offset", "x3 - 1.5*x1*x2 - 0.7"),
    Shape("product of powers", "x3 - 1.5*x1**1.7*x2**0.6"),
    Shape("exponential in two columns", "x3 - 1.5*exp(0.7*x1 + 0.3*x2)"),
    Shape("exponential decay of a proportionality", "x3 - 1.5*x1*exp(-0.7*x2)"),
    Shape("rate with temperature", "x3 - 1.5*x1*exp(-0.7/x2)"),
    Shape("product over a sum", "x3 - 1.5*x1*x2/(0.7*x1 + x2)"),
    Shape("Michaelis–Menten with a factor", "x3 - 1.5*x1*x2/(0.7 + x1)"),
    Shape("ratio with a shift", "x3 - 1.5*x1/(x2 - 0.7)"),
    Shape("logistic share", "x3 - x1/(1 + 2.3*exp(-0.7*x2))"),
    Shape("degradation", "ln(x3) - 1.5 + 0.7*x1*exp(-0.3*x2)"),
)


@functools.cache
def shapes(n_variables: int) -> tuple[tuple[str, Expression], ...]:
    """Names and equations of all shapes in two or three variables, each variable in every place."""
    found: dict[tuple[int, ...], tuple[str, Expression]] = {}
    for shape in {2: CURVES, 3: SURFACES}.get(n_variables, ()):
        for order in permutations(range(1, n_variables + 1)):
            places: dict[int, Tree] = {i: ("x", j) for i, j in enumerate(order, 1)}
            form = from_tree(with_variables(to_tree(parse(shape.equation)), places))
            found.setdefault(canonical(form).codes, (shape.name, form))
    return tuple(found.values())


@functools.cache
def _names(n_variables: int) -> dict[tuple[int, ...], str]:
    """Names by canonical form: a form without denominators depends on the signs of the numbers."""
    names: dict[tuple[int, ...], str] = {}
    for name, form in shapes(n_variables):
        free = [c != round(c) for c in form.constants]
        for signs in product(*((1.0, -1.0) if one else (1.0,) for one in free)):
            turned = form.with_constants(np.multiply(form.constants, signs))
            names.setdefault(canonical(turned).codes, name)
    return names


def name_of(expression: Expression) -> str:
    """The name of the shape that an equation in canonical form has; empty if it has none.

    >>> name_of(canonical(parse("x1 - 0.3*x2 + 2.1*x1*x2")))
    'Michaelis–Menten'
    """
    return _names(max(expression.variables, default=0)).get(expression.codes, "")
