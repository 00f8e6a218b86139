"""Shapes of science: the curves and surfaces that people fit, by the names that they give them.

Families of the textbooks of regression (Bates and Watts 1988; Ratkowsky 1990; Seber and Wild 2003)
and of handbooks of physical chemistry (Poling, Prausnitz and O'Connell 2001). x1 and x2 are what
one would put on the axes, the last variable upwards; every number that is not whole is a parameter.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np

from ..expr.canonical import canonical
from ..expr.expression import Expression, Tree, from_tree, parse, to_tree, with_variables
from ..expr.terms import ONE, factors, scaled, subtrees, terms, times

# names and equations of y = x2 against x = x1
CURVES = (
    ("proportionality", "x2 - 1.5*x1"),
    ("straight line", "x2 - 1.5*x1 - 0.7"),
    ("inverse proportionality", "x1*x2 - 1.5"),
    ("inverse with offset", "x2 - 1.5 - 0.7/x1"),
    ("square law", "x2 - 1.5*x1**2"),
    ("cube law", "x2 - 1.5*x1**3"),
    ("fourth-power law", "x2 - 1.5*x1**4"),
    ("three-halves law", "x2**2 - 1.5*x1**3"),
    ("square-root law", "x2 - 1.5*sqrt(x1)"),
    ("inverse-square law", "x1**2*x2 - 1.5"),
    ("circle", "x1**2 + x2**2 - 1.5"),
    ("ellipse or hyperbola", "x1**2 + 0.7*x2**2 - 1.5"),
    ("circle about a point", "x1**2 + x2**2 - 1.5*x1 - 0.7*x2 - 2.3"),
    ("conic along the axes", "x1**2 + 0.7*x2**2 - 1.5*x1 - 2.3*x2 - 0.3"),
    ("conic", "x1**2 + 0.7*x2**2 - 1.5*x1 - 2.3*x2 - 0.3 + 0.4*x1*x2"),
    ("superellipse", "x1**2.5 + 0.7*x2**2.5 - 1.5"),
    ("hyperbola", "x2 - 1.5/(x1 + 0.7)"),
    ("parabola through the origin", "x2 - 1.5*x1**2 - 0.7*x1"),
    ("square with offset", "x2 - 1.5*x1**2 - 0.7"),
    ("parabola", "x2 - 1.5*x1**2 - 0.7*x1 - 2.3"),
    ("cubic", "x2 - 1.5*x1**3 - 0.7*x1**2 - 2.3*x1 - 0.3"),
    ("power law", "x2 - 1.5*x1**1.7"),
    ("power law", "ln(x2) - 1.5*ln(x1) - 0.7"),
    ("power law with offset", "x2 - 0.7 - 1.5*x1**1.7"),
    ("shifted power law", "x2 - 1.5*(x1 + 0.7)**1.7"),
    ("square root with offset", "x2 - 1.5*sqrt(x1) - 0.7"),
    ("logarithm", "x2 - 1.5*ln(x1) - 0.7"),
    ("shifted logarithm", "x2 - 1.5*ln(x1 + 0.7) - 2.3"),
    ("exponential", "x2 - 1.5*exp(0.7*x1)"),
    ("exponential", "ln(x2) - 1.5*x1 - 0.7"),
    ("exponential with offset", "x2 - 1.5*exp(-0.7*x1) - 2.3"),
    ("two exponentials", "x2 - 1.5*exp(-0.7*x1) - 2.3*exp(-0.3*x1)"),
    ("two exponentials with offset", "x2 - 1.5*exp(-0.7*x1) - 2.3*exp(0.3*x1) - 0.4"),
    ("stretched exponential", "x2 - 1.5*exp(-0.7*x1**0.6)"),
    ("Ricker curve", "x2 - 1.5*x1*exp(-0.7*x1)"),
    ("gamma curve", "x2 - 1.5*x1**1.7*exp(-0.7*x1)"),
    ("Michaelis–Menten", "x2 - 1.5*x1/(0.7 + x1)"),
    ("Michaelis–Menten with offset", "x2 - 2.3 - 1.5*x1/(0.7 + x1)"),
    ("Hill equation", "x2 - 1.5*x1**1.7/(0.7 + x1**1.7)"),
    ("Hill equation with offset", "x2 - 2.3 - 1.5*x1**1.7/(0.7 + x1**1.7)"),
    ("substrate inhibition", "x2 - x1/(1.5 + 0.7*x1 + 0.3*x1**2)"),
    ("rational, 2 over 1", "x2 - (1.5 + 0.7*x1 + 0.3*x1**2)/(1 + 2.3*x1)"),
    ("rational, 1 over 2", "x2 - (1.5 + 0.7*x1)/(1 + 2.3*x1 + 0.3*x1**2)"),
    ("rational, 2 over 2", "x2 - (1.5 + 0.7*x1 + 0.3*x1**2)/(1 + 2.3*x1 + 1.3*x1**2)"),
    (
        "rational, 3 over 3",
        "x2 - (1.5 + 0.7*x1 + 0.3*x1**2 + 0.2*x1**3)/(1 + 2.3*x1 + 1.3*x1**2 + 0.6*x1**3)",
    ),
    ("logistic", "x2 - 1.5/(1 + 2.3*exp(-0.7*x1))"),
    ("logistic with offset", "x2 - 0.3 - 1.5/(1 + 2.3*exp(-0.7*x1))"),
    ("Gompertz curve", "x2 - 1.5*exp(-2.3*exp(-0.7*x1))"),
    ("Richards curve", "x2 - 1.5/(1 + 2.3*exp(-0.7*x1))**0.6"),
    ("Richards curve", "x2 - 1.5*(1 - exp(-0.7*x1))**1.4"),
    ("Weibull growth", "x2 - 1.5 + 2.3*exp(-0.7*x1**1.7)"),
    ("Gaussian", "x2 - 1.5*exp(-0.7*(x1 - 0.3)**2)"),
    ("Gaussian with offset", "x2 - 0.4 - 1.5*exp(-0.7*(x1 - 0.3)**2)"),
    ("Lorentzian", "x2 - 1.5/(1 + 0.7*(x1 - 0.3)**2)"),
    ("Lorentzian with offset", "x2 - 0.4 - 1.5/(1 + 0.7*(x1 - 0.3)**2)"),
    ("log-normal peak", "x2 - 1.5*exp(-0.7*(ln(x1) - 0.3)**2)"),
    ("Arrhenius law", "x2 - 1.5*exp(0.7/x1)"),
    ("modified Arrhenius law", "x2 - 1.5*x1**1.7*exp(0.7/x1)"),
    ("Vogel–Fulcher–Tammann, Antoine", "x2 - 1.5*exp(0.7/(x1 + 0.3))"),
    ("three-term vapour pressure", "ln(x2) - 1.5 - 0.7/x1 - 2.3*ln(x1)"),
    ("wave from 0", "x2 - 1.5*sin(0.7*x1)"),
    ("wave", "x2 - 1.5*sin(0.7*x1 + 0.3)"),
    ("wave with offset", "x2 - 1.5*sin(0.7*x1 + 0.3) - 2.3"),
    ("damped wave", "x2 - 1.5*exp(-0.3*x1)*sin(0.7*x1 + 0.3)"),
    ("wave about a line", "x2 - 1.5*sin(0.7*x1 + 0.3) - 2.3 - 0.2*x1"),
    ("inverse square with offset", "x2 - 1.5 - 0.7/x1**2"),
    ("Maier–Kelley heat capacity", "x2 - 1.5 - 0.7*x1 - 2.3/x1**2"),
    ("van Deemter curve", "x2 - 1.5 - 0.7*x1 - 2.3/x1"),
    ("Sellmeier dispersion", "x2**2 - 1.5 - 0.7*x1**2/(x1**2 - 0.3)"),
    ("Planck curve", "x2 - 1.5*x1**3/(exp(0.7*x1) - 1)"),
    ("Lennard-Jones potential", "x2 - 1.5/x1**12 + 0.7/x1**6"),
    ("Morse potential", "x2 - 1.5*(1 - exp(-0.7*(x1 - 0.3)))**2"),
)

# of z = x3 against x1 and x2
SURFACES = (
    ("plane", "x3 - 1.5*x1 - 0.7*x2 - 2.3"),
    ("plane through the origin", "x3 - 1.5*x1 - 0.7*x2"),
    ("sphere about a point", "x1**2 + x2**2 + x3**2 - 1.5*x1 - 0.7*x2 - 2.3*x3 - 0.3"),
    (
        "quadric along the axes",
        "x1**2 + 0.7*x2**2 + 0.4*x3**2 - 1.5*x1 - 2.3*x2 - 0.3*x3 - 1.3",
    ),
    ("product", "x3 - 1.5*x1*x2"),
    ("ratio", "x3 - 1.5*x1/x2"),
    ("product with offset", "x3 - 1.5*x1*x2 - 0.7"),
    ("product of powers", "x3 - 1.5*x1**1.7*x2**0.6"),
    ("exponential in two columns", "x3 - 1.5*exp(0.7*x1 + 0.3*x2)"),
    ("exponential decay of a proportionality", "x3 - 1.5*x1*exp(-0.7*x2)"),
    ("rate with temperature", "x3 - 1.5*x1*exp(-0.7/x2)"),
    ("product over a sum", "x3 - 1.5*x1*x2/(0.7*x1 + x2)"),
    ("Michaelis–Menten with a factor", "x3 - 1.5*x1*x2/(0.7 + x1)"),
    ("ratio with a shift", "x3 - 1.5*x1/(x2 - 0.7)"),
    ("logistic share", "x3 - x1/(1 + 2.3*exp(-0.7*x2))"),
    ("degradation", "ln(x3) - 1.5 + 0.7*x1*exp(-0.3*x2)"),
)

# in another form, or with a number that is 0: known by the same name, and not fitted once more
CURVES_OTHERWISE = (
    ("sum of reciprocals", "x2 - 1.5*x1/(x1 - 1.5)"),
    ("power law", "x2**2.3 - 1.5*x1**1.7"),
    ("saturating exponential", "x2 - 1.5*(1 - exp(-0.7*x1))"),
    ("absorption and elimination", "x2 - 1.5*(exp(-0.3*x1) - exp(-1.7*x1))"),
    ("parabola", "x2 - 1.5*(x1 - 0.7)**2 - 2.3"),
    ("circle about a point", "(x1 - 0.7)**2 + (x2 - 2.3)**2 - 1.5"),
    ("circle about a point", "(x1 - 0.7)**2 + x2**2 - 1.5"),
    ("circle about a point", "x1**2 + x2**2 - 1.5*x1 - 0.7*x2"),
    ("circle about a point", "x1**2 + x2**2 - 1.5*x1 - 0.7"),
    ("circle about a point", "x1**2 + x2**2 - 1.5*x1"),
    ("conic along the axes", "(x1 - 0.7)**2 + 0.3*(x2 - 2.3)**2 - 1.5"),
    ("conic along the axes", "(x1 - 0.7)**2 + 0.3*x2**2 - 1.5"),
    ("conic along the axes", "x1**2 + 0.3*(x2 - 2.3)**2 - 1.5"),
    ("logarithm", "x2 - 1.5*ln(x1)"),
    ("Gaussian", "x2 - 1.5*exp(-0.7*x1**2)"),
    ("Gaussian with offset", "x2 - 0.4 - 1.5*exp(-0.7*x1**2)"),
    ("Lorentzian", "x2 - 1.5/(1 + 0.7*x1**2)"),
    ("Lorentzian with offset", "x2 - 0.4 - 1.5/(1 + 0.7*x1**2)"),
)
SURFACES_OTHERWISE = (
    ("sphere about a point", "(x1 - 0.7)**2 + (x2 - 2.3)**2 + (x3 - 0.3)**2 - 1.5"),
    ("quadric along the axes", "(x1 - 0.7)**2 + 0.4*(x2 - 2.3)**2 + 0.3*(x3 - 1.3)**2 - 1.5"),
)


@functools.cache
def shapes(n_variables: int) -> tuple[tuple[str, Expression], ...]:
    """Names and equations of all shapes in two or three variables, each variable in every place."""
    return _in_every_place({2: CURVES, 3: SURFACES}.get(n_variables, ()), n_variables)


def _in_every_place(
    named: tuple[tuple[str, str], ...], n_variables: int
) -> tuple[tuple[str, Expression], ...]:
    found: dict[tuple[int, ...], tuple[str, Expression]] = {}
    for name, equation in named:
        for order in permutations(range(1, n_variables + 1)):
            places: dict[int, Tree] = {i: ("x", j) for i, j in enumerate(order, 1)}
            form = from_tree(with_variables(to_tree(parse(equation)), places))
            found.setdefault(canonical(form).codes, (name, form))
    return tuple(found.values())


@dataclass(frozen=True)
class Usual:
    """How people write a ``shape``: as x_v = … for the ``variable`` v; 0: not solved.

    ``lead`` is the term without a number in x_v·B(x) = A(x), as x1·x2 in x2·(c + x1) = k·x1;
    ``has_pole``: its signs give the equation a pole that the shape lacks.
    """

    shape: str = ""
    variable: int = 0
    lead: tuple = ()
    has_pole: bool = False

    @property
    def name(self) -> str:
        """What people call the equation; with another pole it is not what the shape is called."""
        return "" if self.has_pole else self.shape


def alike(term: Tree) -> tuple:
    """What is the same for terms that differ in numbers and in the order of their factors."""
    return tuple(sorted(from_tree(factor).codes for factor in factors(term) if factor != ONE))


def usual_of(name: str, form: Expression) -> Usual:
    """Of a shape that is written as in :data:`CURVES`."""
    first, *others = terms(to_tree(form))
    if first[0] != "x":
        return Usual(name)
    below = (term[2][2] for term in others if term[0] == "mul" and term[2][0] == "div")
    parts = map(scaled, terms(next(below, ONE)))
    plain = next((part for factor, part in parts if factor == 1.0), ONE)
    return Usual(name, first[1], alike(times(first, plain)))


Form = tuple[tuple[int, ...], tuple[int, ...]]


def _form(expression: Expression, ties: bool = True) -> Form:
    """Codes, and for each constant the place of the first one of its magnitude: A − A·exp(−k·t)."""
    sizes = [abs(c) for c in expression.constants]
    return expression.codes, tuple(sizes.index(size) if ties else k for k, size in enumerate(sizes))


def _turned(form: Expression) -> Iterator[Expression]:
    """The shape with each choice of signs of its numbers, unless they are whole."""
    free = [c != round(c) for c in form.constants]
    for signs in product(*((1.0, -1.0) if one else (1.0,) for one in free)):
        yield form.with_constants(np.multiply(form.constants, signs))


@functools.cache
def _usuals(n_variables: int) -> dict[Form, tuple[Usual, Expression]]:
    """With the shape, by canonical form: one without denominators depends on the signs."""
    found: dict[Form, tuple[Usual, Expression]] = {}
    again = {2: CURVES_OTHERWISE, 3: SURFACES_OTHERWISE}
    others = _in_every_place(again.get(n_variables, ()), n_variables)
    for name, form in shapes(n_variables) + others:
        usual = usual_of(name, form)
        for turned in _turned(form):
            found.setdefault(_form(canonical(turned)), (usual, form))
    return found


@np.errstate(all="ignore")
def _has_pole(form: Expression) -> bool:
    """Whether a denominator is of both signs."""
    points = np.random.default_rng(0).uniform(-20.0, 20.0, (1000, max(form.variables)))
    below = [from_tree(part[2]) for part in subtrees(to_tree(form)) if part[0] == "div"]
    return any(np.nanmin(v) < 0.0 < np.nanmax(v) for v in (f.values(points) for f in below))


def _signs(form: Expression) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return form.codes, tuple(np.sign(form.constants).tolist())


@functools.cache
def _poles(form: Expression) -> frozenset[tuple]:
    """Canonical forms and signs with which a shape without a pole has one."""
    if "div" not in form.tokens or _has_pole(form):
        return frozenset()
    return frozenset(_signs(canonical(turned)) for turned in _turned(form) if _has_pole(turned))


def usual_form(expression: Expression) -> Usual:
    """Of an equation in canonical form.

    >>> poles = usual_form(canonical(parse("x2 - 2*x2*exp(-0.4*x1) - 3")))
    >>> poles.shape, poles.name
    ('logistic', '')
    >>> usual_form(canonical(parse("x2 + 2*x2*exp(-0.4*x1) - 3"))).variable
    2
    >>> usual_form(parse("x1*x2 - 2")).variable
    0
    >>> usual_form(canonical(parse("x2 + 3*exp(-0.4*x1) - 3"))).name
    'saturating exponential'
    """
    known = _usuals(max(expression.variables, default=0))
    forms = (_form(expression, ties) for ties in (True, False))
    found = next((known[form] for form in forms if form in known), None)
    if found is None:
        return Usual()
    usual, shape = found
    return replace(usual, has_pole=_signs(expression) in _poles(shape))


def name_of(expression: Expression) -> str:
    """The name of the shape that an equation in canonical form has; empty if it has none.

    >>> name_of(canonical(parse("x1 - 0.3*x2 + 2.1*x1*x2")))
    'Michaelis–Menten'
    """
    return usual_form(expression).name
