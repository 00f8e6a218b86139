"""Families of equations beyond the random trees of Table 3.

General forms with random constants and exponents; no list of known laws. A family draws g. The
equation is g(x) = g(x₀) for a random x₀ in the sampling box, so that zeros exist there, or
g(x) = 0 if g is explicit in one variable (:data:`SOLVED`).
"""

from dataclasses import replace

import numpy as np

from ..expr.expression import Tree, from_tree, power_tree, with_variables
from ..expr.terms import joined
from .generator import GeneratorConfig, random_tree

_FUNCTIONS = ("exp", "ln", "sqrt", "sin", "cos")


def _coefficient(rng: np.random.Generator, one: float = 0.4) -> float:
    """1 with probability ``one``, else log-uniform in 0.2 to 5, half of these rounded."""
    if rng.random() < one:
        return 1.0
    value = float(np.exp(rng.uniform(np.log(0.2), np.log(5.0))))
    return float(f"{value:.2g}") if rng.random() < 0.5 else value


def _factor(rng: np.random.Generator, minus: float = 0.4, one: float = 0.4) -> float:
    """The same with a sign, negative with probability ``minus``."""
    sign = -1.0 if rng.random() < minus else 1.0
    return sign * _coefficient(rng, one)


def _times(factor: float, tree: Tree) -> Tree:
    return tree if factor == 1.0 else ("mul", ("c", factor), tree)


def _plus(tree: Tree, constant: float) -> Tree:
    return tree if constant == 0.0 else ("add", tree, ("c", constant))


def _shuffled(rng: np.random.Generator, variables: int) -> list[Tree]:
    return [("x", int(j) + 1) for j in rng.permutation(variables)]


def _monomial(rng: np.random.Generator, leaves: list[Tree], exponents) -> Tree:
    above, below = [], []
    for leaf in leaves:
        p = float(rng.choice(exponents))
        if rng.random() < 0.05:
            p = round(float(rng.uniform(0.3, 3.0)), 2)
        (above if p > 0.0 else below).append(power_tree(leaf, ("c", abs(p))))
    return joined("div", [joined("mul", above or [("c", 1.0)]), *below])


def sum_of_powers(rng: np.random.Generator, variables: int) -> Tree:
    """Σ aⱼ (xⱼ − bⱼ)^pⱼ, sometimes with a term xᵢ·xⱼ: conics, quadrics, superellipses."""
    even = rng.random() < 0.7
    terms = []
    for leaf in _shuffled(rng, variables):
        p = 2.0 if even and rng.random() < 0.85 else float(rng.choice([1, 2, 3, 4]))
        shift = 0.0 if rng.random() < 0.6 else -float(rng.normal(0.0, 1.5))
        factor = _factor(rng, 0.2 if even else 0.5)
        terms.append(_times(factor, power_tree(_plus(leaf, shift), ("c", p))))
    if rng.random() < 0.2:
        a, b = _shuffled(rng, variables)[:2]
        terms.append(_times(_factor(rng), ("mul", a, b)))
    return joined("add", terms)


def powers(rng: np.random.Generator, variables: int) -> Tree:
    """Π xⱼ^pⱼ, or Π xⱼ^pⱼ + c·Π xⱼ^qⱼ."""
    exponents = [1, 1, 1, 2, 2, 3, 0.5, 1.5, -1, -1, -2, -0.5]
    leaves = _shuffled(rng, variables)
    if rng.random() < 0.6:
        return _monomial(rng, leaves, exponents)
    cut = int(rng.integers(1, variables + 1))
    other = [leaf for leaf in _shuffled(rng, variables) if rng.random() < 0.5] + leaves[cut:]
    first = _monomial(rng, leaves[:cut], exponents)
    second = _monomial(rng, list(dict.fromkeys(other)) or leaves[:1], exponents)
    return ("add", first, _times(_factor(rng), second))


def ratio(rng: np.random.Generator, variables: int) -> Tree:
    """y − a·P(x)/(Q(x) + c), sometimes with an offset: saturation, lenses, resonance."""
    y, *rest = _shuffled(rng, variables)
    top = _monomial(rng, rest, [1, 1, 2, 0.5]) if rng.random() < 0.7 else rest[0]
    factor, p = _factor(rng, 0.15), float(rng.choice([1, 1, 2, 3]))
    bottom = _plus(_times(factor, power_tree(rest[-1], ("c", p))), _coefficient(rng, 0.3))
    if len(rest) > 1 and rng.random() < 0.4:
        bottom = ("add", bottom, rest[0])
    quotient = _times(_factor(rng, 0.2), ("div", top, bottom))
    return _plus(("sub", y, quotient), 0.0 if rng.random() < 0.7 else float(rng.normal()))


def separable(rng: np.random.Generator, variables: int) -> Tree:
    """Σ aⱼ·gⱼ(bⱼ·xⱼ + cⱼ), gⱼ elementary functions and powers."""
    terms = []
    for place, leaf in enumerate(_shuffled(rng, variables)):
        inner = _times(_factor(rng, 0.25, 0.5), leaf)
        if rng.random() < 0.2:
            inner = _plus(inner, float(rng.normal()))
        kind = rng.random()
        if place == 0 and kind < 0.5 or kind < 0.15:
            term = leaf
        elif kind < 0.75:
            term = (str(rng.choice(_FUNCTIONS)), inner)
        elif kind < 0.9:
            term = power_tree(leaf, ("c", float(rng.choice([2, 3, 4, 0.5, 1.5]))))
        else:
            term = ("div", ("c", 1.0), inner)
        terms.append(_times(_factor(rng, one=0.5), term))
    return joined("add", terms)


def nested(rng: np.random.Generator, variables: int) -> Tree:
    """y − a·g(h(x)), sometimes times a variable: Gaussians, decays, roots of differences."""
    y, *rest = _shuffled(rng, variables)
    if rng.random() < 0.6:
        inner = _times(_factor(rng, 0.6), _monomial(rng, rest, [1, 1, 2, 2, -1]))
        if rng.random() < 0.5:
            inner = _plus(inner, _coefficient(rng, 0.4))
    elif variables == 2:
        inner = ("sub", ("c", _coefficient(rng)), power_tree(rest[0], ("c", 2.0)))
    else:
        inner = _plus(sum_of_powers(rng, variables - 1), _coefficient(rng))
        inner = with_variables(inner, {i + 1: leaf for i, leaf in enumerate(rest)})
    outer = (str(rng.choice(["exp", "exp", "sqrt", "sqrt", "ln", "sin", "cos"])), inner)
    if rng.random() < 0.3:
        outer = ("mul" if rng.random() < 0.6 else "div", rest[0], outer)
    term = _times(_factor(rng, 0.3), outer)
    left = y if rng.random() < 0.85 else power_tree(y, ("c", 2.0))
    return _plus(("sub", left, term), 0.0 if rng.random() < 0.75 else float(rng.normal()))


def tree(rng: np.random.Generator, variables: int, config: GeneratorConfig) -> Tree:
    """Random tree of Table 3."""
    return random_tree(rng, replace(config, max_variables=variables))


def deep_tree(rng: np.random.Generator, variables: int, config: GeneratorConfig) -> Tree:
    """Random tree of Table 3 with ``max_operators`` to 8 operators."""
    low, high = config.max_operators, max(8, config.max_operators)
    deep = replace(config, max_variables=variables, min_operators=low, max_operators=high)
    return random_tree(rng, deep)


def through(g: Tree, point: np.ndarray) -> Tree | None:
    """g(x) − g(x₀) for x₀ of shape (D,); None if g(x₀) is 0 or not finite."""
    level = float(from_tree(g).values(point[None])[0])
    return ("sub", g, ("c", level)) if np.isfinite(level) and level != 0.0 else None


FAMILIES = {f.__name__: f for f in (sum_of_powers, powers, ratio, separable, nested)}
SOLVED = ("ratio", "nested")  # explicit in y: no level g(x₀) is subtracted
