"""Arithmetic on linear forms, for :mod:`pie.expr.canonical`.

A *form* is ``(constant, ((term, coefficient), …))``, a *term* a product ``((base, exponent), …)``,
a *base* ``("x", i)``, ``("sum", form)`` or ``(function, form)``. Constants are folded, like terms
and bases merged, exponentials joined, operands ordered: equal forms are equal tuples.
"""

import math
import operator

from .expression import Tree

MAX_TERMS = 12
ROUNDING = 1e-12  # of a phase


class NoZeroSet(ValueError):
    """f has no zeros, is zero everywhere, or is not finite."""


# ---- order of operands: by structure, then by constants ----


def _key(base):
    kind = base[0]
    if kind == "x":
        return (0, base[1])
    rank = {"sum": 1, "exp": 2, "ln": 3, "sin": 4, "cos": 5}[kind]
    constant, terms = base[1]
    return (rank, len(terms), tuple(_term_key(t) for t, _ in terms), constant != 0.0)


def _term_key(term):
    return (len(term), tuple((_key(b), -e) for b, e in term))


def make(constant, coefficients):
    """The ordered form of {term: coefficient}; NoZeroSet if not finite or too long."""
    terms = [(t, c) for t, c in coefficients.items() if c != 0.0]
    if not all(math.isfinite(c) for _, c in terms) or not math.isfinite(constant):
        raise NoZeroSet("a constant is not finite")
    if len(terms) > MAX_TERMS:
        raise NoZeroSet(f"more than {MAX_TERMS} terms")
    if len(terms) > 1:
        terms = _ordered(terms, lambda tc: _term_key(tc[0]))
    return (constant, tuple(terms))


def _ordered(items, key):
    """Sorted by key, ties by repr (slow, rare)."""
    keyed = sorted([(key(item), item) for item in items], key=operator.itemgetter(0))
    if any(keyed[i][0] == keyed[i + 1][0] for i in range(len(keyed) - 1)):
        keyed.sort(key=lambda pair: (pair[0], repr(pair[1])))
    return [item for _, item in keyed]


def number(value):
    return (value, ())


def weighted(term, coefficient):
    """The form coefficient · term."""
    return make(0.0, {term: coefficient}) if term else number(coefficient)


def leading(form):
    """Coefficient of the first term; NoZeroSet if there is none."""
    if not form[1]:
        raise NoZeroSet(f"reduces to the constant {form[0]:g}")
    return form[1][0][1]


def scaled(form, factor):
    return make(form[0] * factor, {t: c * factor for t, c in form[1]})


def monic(form):
    """The form divided by its leading coefficient."""
    lead = leading(form)
    return make(form[0] / lead, {t: c / lead for t, c in form[1]})


# ---- sums, products, powers, functions ----


def add(a, b, sign=1.0):
    """a + sign · b, like terms merged; what cancels up to rounding is dropped."""
    coefficients = dict(a[1])
    for term, c in b[1]:
        total = coefficients.get(term, 0.0) + sign * c
        coefficients[term] = 0.0 if abs(total) < 1e-12 * abs(c) else total
    constant = a[0] + sign * b[0]
    return make(0.0 if abs(constant) < 1e-12 * abs(b[0]) else constant, coefficients)


def sum_of_products(pairs, multiplier, piece=weighted):
    """Σ c · term · multiplier over pairs (term, c), each as ``piece(product, coefficient)``."""
    result = number(0.0)
    for term, c in pairs:
        factor, merged = multiply_terms(term, multiplier)
        result = add(result, piece(merged, c * factor))
    return result


def shared(powers):
    """What products {base: exponent} have in common: the smaller exponents of equal sign."""
    first, *others = powers
    for other in others:
        first = {
            b: min(e, other[b], key=abs) for b, e in first.items() if e * other.get(b, 0.0) > 0.0
        }
    return first


def _as_product(form):
    """A form as (coefficient, term); a sum, less its common factor, becomes a base."""
    if not form[1]:
        return form[0], ()
    if form[0] == 0.0 and len(form[1]) == 1:
        term, coefficient = form[1][0]
        return coefficient, term
    common = ()
    if form[0] == 0.0:
        powers = shared([dict(term) for term, _ in form[1]])
        common = tuple((b, e) for b, e in powers.items() if b[0] != "exp")
    if common:
        form = sum_of_products(form[1], tuple((b, -e) for b, e in common))
    return leading(form), multiply_terms(common, ((("sum", monic(form)), 1.0),))[1]


def multiply_terms(*terms):
    """(factor, term) of a product of terms: like bases and exponentials are merged."""
    exponents: dict = {}
    inside = number(0.0)
    for term in terms:
        for base, e in term:
            if base[0] == "exp":
                inside = add(inside, scaled(base[1], e))
            else:
                exponents[base] = exponents.get(base, 0.0) + e
    factor = math.exp(inside[0])
    if inside[1]:
        exponents[("exp", (0.0, inside[1]))] = 1.0
    pairs = [(b, e) for b, e in exponents.items() if e != 0.0]
    if len(pairs) > 1:
        pairs = _ordered(pairs, lambda be: (_key(be[0]), -be[1]))
    return factor, tuple(pairs)


def product(a, b):
    (ca, ta), (cb, tb) = _as_product(a), _as_product(b)
    if not ta or not tb:
        return scaled(b, ca) if not ta else scaled(a, cb)
    factor, term = multiply_terms(ta, tb)
    return distributed(term, factor * ca * cb)


def distributed(term, coefficient):
    """The form of coefficient · term; a monomial times one short sum is expanded."""
    sums = [(b[1], e) for b, e in term if b[0] == "sum"]
    if len(sums) == 1 and sums[0][1] == 1.0:
        constant, terms = sums[0][0]
        rest = tuple((b, e) for b, e in term if b[0] != "sum")
        if sum(_size(b) for b, _ in rest) * len(terms) <= 6:
            return scaled(sum_of_products([((), constant), *terms], rest), coefficient)
    return weighted(term, coefficient)


def _size(base):
    if base[0] == "x":
        return 1
    return 1 + sum(sum(_size(b) for b, _ in t) for t, _ in base[1][1])


def raised(form, p):
    """form ** p for a constant p; NoZeroSet if not real."""
    if p == 0.0:
        return number(1.0)
    if p == 1.0:
        return form
    if not form[1]:
        if form[0] < 0.0 and p != round(p):
            raise NoZeroSet(f"({form[0]:g})**{p:g} is not real")
        return number(form[0] ** p)
    coefficient, term = _as_product(form)
    if p == round(p) or (coefficient > 0.0 and len(term) == 1 and _is_one_to_one(*term[0])):
        powers = tuple(
            (("exp", scaled(b[1], e * p)), 1.0) if b[0] == "exp" else (b, e * p) for b, e in term
        )
        factor, merged = multiply_terms(powers)
        return distributed(merged, coefficient**p * factor)
    # (a·s)^p = |a|^p (±s)^p; the sign stays inside unless p is an integer
    inside = distributed(term, math.copysign(1.0, coefficient))
    return make(0.0, {((("sum", inside), p),): abs(coefficient) ** p})


def _is_one_to_one(base, e):
    """Whether base^e has one base: all but even powers, and every power of an exponential."""
    return base[0] == "exp" or e != round(e) or e % 2 == 1


def logarithm_of(term):
    """u if a term is ln(u), else None."""
    ((base, e), *others) = term
    return base[1] if base[0] == "ln" and e == 1.0 and not others else None


def _function(name, form):
    if not form[1]:
        function = log_of if name == "ln" else getattr(math, name)
        return number(function(form[0]))
    if name == "exp":
        return _exponential(form)
    return _logarithm(form) if name == "ln" else _wave(name, form)


def _exponential(form):
    constant, terms = form
    result, rest = number(math.exp(constant)), {}
    for term, c in terms:
        if (inside := logarithm_of(term)) is not None:
            result = product(result, raised(inside, c))
        else:
            rest[term] = c
    if not rest:
        return result
    return product(result, make(0.0, {((("exp", make(0.0, rest)), 1.0),): 1.0}))


def _logarithm(form):
    coefficient, term = _as_product(form)
    if len(term) == 1:
        base, e = term[0]
        if base[0] == "exp":
            return add(scaled(base[1], e), number(log_of(coefficient)))
        if coefficient > 0.0 and e != 1.0 and _is_one_to_one(base, e):
            inner = _logarithm(distributed(((base, 1.0),), 1.0))
            return add(scaled(inner, e), number(math.log(coefficient)))
    inside = distributed(term, math.copysign(1.0, coefficient))
    return (math.log(abs(coefficient)), ((((("ln", inside), 1.0),), 1.0),))


def _wave(name, form):
    """sin(−u) = −sin u; cos(−u) = cos u; with a phase a: cos(u + a) = sin(u + a + π/2)."""
    sign = math.copysign(1.0, leading(form))
    outer = sign if name == "sin" else 1.0
    constant, terms = form = scaled(form, sign)
    if constant != 0.0:
        phase = constant + (math.pi / 2 if name == "cos" else 0.0)
        phase = math.remainder(phase, 2 * math.pi)
        if phase < 0.0:
            phase, outer = phase + math.pi, -outer
        if math.pi - phase <= ROUNDING:
            phase, outer = 0.0, -outer
        name, form = "sin", (phase, terms)
    return make(0.0, {(((name, form), 1.0),): outer})


def log_of(value):
    """ln(value); NoZeroSet unless value > 0."""
    if value <= 0.0:
        raise NoZeroSet(f"ln({value:g}) is not real")
    return math.log(value)


def form_of(tree: Tree):
    """The linear form of a tree; NoZeroSet if not real, not finite or too long."""
    head = tree[0]
    if head == "c":
        return number(float(tree[1]))
    if head == "x":
        return (0.0, (((((("x", tree[1])), 1.0),), 1.0),))
    children = [form_of(child) for child in tree[1:]]
    if head in ("add", "sub"):
        return add(*children, 1.0 if head == "add" else -1.0)
    if head == "mul":
        return product(*children)
    if head == "div":
        if not children[1][1] and children[1][0] == 0.0:
            raise NoZeroSet("division by zero")
        return product(children[0], raised(children[1], -1.0))
    if head == "pow":
        if not children[1][1]:
            return raised(children[0], children[1][0])
        return _function("exp", product(children[1], _function("ln", children[0])))
    if head == "sqrt":
        return raised(children[0], 0.5)
    if head.startswith("pow"):
        return raised(children[0], float(head[3:]))
    return _function(head, children[0])
