r"""Implicit canonical form: one skeleton for equations with the same zero set.

The zero set does not change under an overall factor, an outer monotone function, denominators or
factors without zeros. Canonical form removes them, folds constants, merges like terms, orders
operands and makes the leading coefficient 1, which excludes the degenerate 0·g and g/huge:

    2·exp(x1/x2 − 1) − 3 = 0   ⇒   x1 − 1.405·x2 = 0   ⇒   skeleton  x1 + C·x2

Where f is defined, f and its canonical form vanish at the same points; the domain may grow
(sqrt(x)·sqrt(x) becomes x). Not every synonym is unified: products of two sums are not expanded,
logarithms are joined only in sums of logarithms, of sin and cos only phases and signs are used.
"""

import math

from .expression import Expression, Tree, from_tree, power_tree, to_tree
from .linear_form import (
    NoZeroSet,
    add,
    distributed,
    form_of,
    log_of,
    logarithm_of,
    make,
    monic,
    multiply_terms,
    number,
    product,
    raised,
    scaled,
    shared,
    sum_of_products,
)
from .terms import joined

MAX_ROUNDS = 12


def canonical(expression: Expression) -> Expression:
    """The canonical form of an equation, with its constants.

    Raises:
        NoZeroSet: if f reduces to a constant, is not finite, has no real zeros by its form, or has
            more than ``MAX_TERMS`` (of :mod:`pie.expr.linear_form`) terms in a sum.

    >>> from pie.expr.expression import parse
    >>> str(canonical(parse("3*log(x2*x1) - 3")))
    'x1*x2 - 2.718281828459045'
    """
    try:
        form = form_of(to_tree(expression))
        for _ in range(MAX_ROUNDS):
            simpler = _reduce(form)
            if simpler == form:
                break
            form = simpler
        return from_tree(_tree(monic(form)))
    except (OverflowError, ZeroDivisionError) as error:
        raise NoZeroSet(f"{expression} is not finite: {error}") from None


# ---- reductions of the whole equation f = 0 ----


def _reduce(form):
    constant, terms = form
    if not terms:
        raise NoZeroSet(f"reduces to the constant {constant:g}")
    if constant == 0.0 and len(terms) == 1:
        return _reduce_product(terms[0][0])
    for rule in (_clear_denominators, _drop_exponential, _join_logarithms):
        simpler = rule(form)
        if simpler != form:
            return simpler
    if len(terms) == 1:
        return _reduce_level(terms[0][0], -constant / terms[0][1])
    return form


def _reduce_product(term):
    """term = 0: drop exponents, denominators and factors without zeros."""
    bases = [b for b, e in term if e > 0.0 and b[0] != "exp"]
    if not bases:
        raise NoZeroSet("a product of factors without zeros")
    if len(bases) == 1:
        return _reduce_level(((bases[0], 1.0),), 0.0)
    return distributed(multiply_terms(tuple((b, 1.0) for b in bases))[1], 1.0)


def _reduce_level(term, level):
    """term = level: invert an outer exp, ln, root, odd or fractional power."""
    if len(term) == 1:
        base, e = term[0]
        if base[0] == "exp":
            return add(base[1], number(-log_of(level)))
        if e != 1.0:
            return _unpowered(((base, 1.0),), e, level)
        if base[0] == "ln":
            return add(base[1], number(-math.exp(level)))
        if base[0] == "sum":
            return add(base[1], number(-level))
    elif all(e == round(e) for _, e in term):
        p = math.gcd(*(int(e) for _, e in term))
        odd = p // (p & -p)
        if odd > 1:
            inner = tuple((b, e / odd) for b, e in term)
            return _unpowered(inner, float(odd), level)
    return make(-level, {term: 1.0})


def _unpowered(inner, p, level):
    """inner**p = level: remove the power of the term ``inner``; an even one is reduced to 2."""
    whole, odd = p == round(p), p % 2 == 1
    if level <= 0.0 and not odd:
        kind = "an even" if whole else "a fractional"
        raise NoZeroSet(f"{kind} power equals a number that is not positive")
    if whole and not odd:
        half = tuple((b, e * 2.0) for b, e in inner)
        return make(-(level ** (2.0 / p)), {half: 1.0})
    root = math.copysign(abs(level) ** (1.0 / p), level)
    return add(distributed(inner, 1.0), number(-root))


def _clear_denominators(form):
    constant, terms = form
    worst: dict = {}
    for term, _ in terms:
        for base, e in term:
            if base[0] == "exp" and base[1][1][0][1] == -1.0:
                worst[("exp", scaled(base[1], -1.0))] = 1.0
            elif base[0] != "exp" and e < 0.0:
                worst[base] = max(worst.get(base, 0.0), -e)
    if not worst:
        return form
    pairs = terms if constant == 0.0 else (*terms, ((), constant))
    return sum_of_products(pairs, tuple(worst.items()), distributed)


def _drop_exponential(form):
    """Divide by a factor exp(u) common to all terms; it has no zeros."""
    constant, terms = form
    if constant != 0.0:
        return form
    exponents = [next((b[1][1] for b, _ in term if b[0] == "exp"), ()) for term, _ in terms]
    common = shared([dict(exponent) for exponent in exponents])
    if not common:
        return form
    return sum_of_products(terms, ((("exp", make(0.0, {t: -c for t, c in common.items()})), 1.0),))


def _join_logarithms(form):
    """Σ cᵢ·ln(uᵢ) + c with half-integer cᵢ up to 5 becomes Πuᵢ^cᵢ − exp(−c)."""
    constant, terms = form
    lead = terms[0][1]
    weights = [c / lead for _, c in terms]
    insides = [logarithm_of(term) for term, _ in terms]
    if (
        None in insides
        or len(terms) < 2
        or any(2 * w != round(2 * w) or abs(w) > 5 for w in weights)
    ):
        return form
    joint = number(1.0)
    for inside, weight in zip(insides, weights, strict=True):
        joint = product(joint, raised(inside, weight))
    return add(joint, number(-math.exp(-constant / lead)))


# ---- back to a tree ----


def _tree(form) -> Tree:
    constant, terms = form
    # terms with coefficient −1 last, to avoid a leading minus
    (term, c), *others = sorted(terms, key=lambda pair: pair[1] == -1.0)
    if c == -1.0 and constant != 0.0:
        tree, constant = ("sub", ("c", constant), _product_tree(term, 1.0)), 0.0
    else:
        tree = _product_tree(term, c)
    for term, c in others:
        if c == -1.0:
            tree = ("sub", tree, _product_tree(term, 1.0))
        else:
            tree = ("add", tree, _product_tree(term, c))
    return tree if constant == 0.0 else ("add", tree, ("c", constant))


def _product_tree(term, coefficient) -> Tree:
    above, below = [], []
    for base, e in term:
        inner = ("x", base[1]) if base[0] == "x" else _tree(base[1])
        if base[0] not in ("x", "sum"):
            inner = (base[0], inner)
        (above if e > 0.0 else below).append(_power(inner, abs(e)))
    if coefficient != 1.0 or not above:
        above.insert(0, ("c", coefficient))
    numerator = joined("mul", above)
    return ("div", numerator, joined("mul", below)) if below else numerator


def _power(base: Tree, e: float) -> Tree:
    for outer, inner in ((2, 3), (2, 4), (2, 5), (3, 3)):
        if e == outer * inner:
            return (f"pow{outer}", (f"pow{inner}", base))
    return power_tree(base, ("c", e))
