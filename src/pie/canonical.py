r"""The implicit canonical form: one skeleton for everything with the same zero set.

``f(x) = 0`` does not change under an overall factor, an outer monotone function,
denominators, or factors without zeros. Canonical form undoes these, folds
constants, merges like terms, clears denominators and orders the operands:

    2·exp(x1/x2 − 1) − 3 = 0   ⇒   x1 − 1.405·x2 = 0   ⇒   skeleton  x1 + C·x2

The promise, tested with SymPy and on random points: *where f is defined, f and
its canonical form vanish at the same points.* (The domain may grow: sqrt(x)·sqrt(x)
becomes x.) The leading coefficient is 1, so the scaled-down and the everywhere-zero
answers cannot be written.

Synonyms that it leaves apart: products of two sums are not multiplied out, a factor exp(u)
common to all terms of a sum stays, logarithms are neither split nor joined, and of the
trigonometric identities only phases and signs are used.

Inside, an expression is a *linear form* ``(constant, ((term, coefficient), …))``;
a term is a product ``((base, exponent), …)``; a base is ``("x", i)``,
``("sum", form)`` or ``(function, form)``.
"""

import math

from .expression import Expression, Tree, from_tree, power_tree, to_tree

MAX_ROUNDS = 12
MAX_TERMS = 12


class NoZeroSet(ValueError):
    """The expression has no zeros, is zero everywhere, or is not finite."""


def canonical(expression: Expression) -> Expression:
    """The canonical form with its constants.

    Raises:
        NoZeroSet: if the equation reduces to a constant, or has no real zeros by its form.

    >>> from pie.expression import parse
    >>> str(canonical(parse("3*log(x2*x1) - 3")))
    'x1*x2 - 2.718281828459045'
    """
    try:
        form = _form(to_tree(expression))
        for _ in range(MAX_ROUNDS):
            simpler = _reduce(form)
            if simpler == form:
                break
            form = simpler
        return from_tree(_tree(_monic(form)))
    except (OverflowError, ZeroDivisionError) as error:
        raise NoZeroSet(f"{expression} is not finite: {error}") from None


# ---- keys: the order of operands depends on structure first, on constants last ----


def _key(base):
    kind = base[0]
    if kind == "x":
        return (0, base[1])
    rank = {"sum": 1, "exp": 2, "ln": 3, "sin": 4, "cos": 5}[kind]
    constant, terms = base[1]
    return (rank, len(terms), tuple(_term_key(t) for t, _ in terms), constant != 0.0)


def _term_key(term):
    return (len(term), tuple((_key(b), -e) for b, e in term))


def _make(constant, coefficients):
    terms = [(t, c) for t, c in coefficients.items() if c != 0.0]
    if not all(math.isfinite(c) for _, c in terms) or not math.isfinite(constant):
        raise NoZeroSet("a constant is not finite")
    if len(terms) > MAX_TERMS:
        raise NoZeroSet(f"more than {MAX_TERMS} terms")
    terms.sort(key=lambda tc: (_term_key(tc[0]), repr(tc)))
    return (constant, tuple(terms))


def _number(value):
    return (value, ())


def _leading(form):
    if not form[1]:
        raise NoZeroSet(f"reduces to the constant {form[0]:g}")
    return form[1][0][1]


def _scaled(form, factor):
    return _make(form[0] * factor, {t: c * factor for t, c in form[1]})


def _monic(form):
    """The form over its leading coefficient, which becomes exactly 1."""
    lead = _leading(form)
    return _make(form[0] / lead, {t: c / lead for t, c in form[1]})


# ---- sums, products, powers, functions ----


def _add(a, b, sign=1.0):
    coefficients = dict(a[1])
    for term, c in b[1]:
        total = coefficients.get(term, 0.0) + sign * c
        # rounding must not keep a term that cancels
        coefficients[term] = 0.0 if abs(total) < 1e-12 * abs(c) else total
    constant = a[0] + sign * b[0]
    return _make(0.0 if abs(constant) < 1e-12 * abs(b[0]) else constant, coefficients)


def _as_product(form):
    """(coefficient, term) of a form that is one product; sums become a base."""
    if not form[1]:
        return form[0], ()
    if form[0] == 0.0 and len(form[1]) == 1:
        term, coefficient = form[1][0]
        return coefficient, term
    common = _common_factor(form)
    if common:
        inverse = tuple((b, -e) for b, e in common)
        divided = {_multiply_terms(t, inverse)[1]: c for t, c in form[1]}
        form = _make(divided.pop((), 0.0), divided)
    lead = _leading(form)
    return lead, _multiply_terms(common, ((("sum", _monic(form)), 1.0),))[1]


def _common_factor(form):
    """The monomial that divides every term of a sum; () if there is none."""
    if form[0] != 0.0:
        return ()
    shared = dict(form[1][0][0])
    for term, _ in form[1][1:]:
        powers = dict(term)
        shared = {
            b: min(e, powers[b], key=abs)
            for b, e in shared.items()
            if b[0] != "exp" and b in powers and e * powers[b] > 0.0
        }
    return tuple(be for be in shared.items() if be[0][0] != "exp")


def _multiply_terms(*terms):
    """Product of terms: like bases add exponents, exponentials merge into one."""
    exponents: dict = {}
    inside = _number(0.0)
    for term in terms:
        for base, e in term:
            if base[0] == "exp":
                inside = _add(inside, _scaled(base[1], e))
            else:
                exponents[base] = exponents.get(base, 0.0) + e
    factor = math.exp(inside[0])
    if inside[1]:
        exponents[("exp", (0.0, inside[1]))] = 1.0
    pairs = [(b, e) for b, e in exponents.items() if e != 0.0]
    pairs.sort(key=lambda be: (_key(be[0]), -be[1], repr(be)))
    return factor, tuple(pairs)


def _simple_sum(term):
    """The form inside a term that is a bare sum to the first power, else None."""
    if len(term) == 1 and term[0][0][0] == "sum" and term[0][1] == 1.0:
        return term[0][0][1]
    return None


def _product(a, b):
    (ca, ta), (cb, tb) = _as_product(a), _as_product(b)
    if not ta or not tb:
        return _scaled(b, ca) if not ta else _scaled(a, cb)
    factor, term = _multiply_terms(ta, tb)
    return _distributed(term, factor * ca * cb)


def _distributed(term, coefficient):
    """A product as a form; a monomial times one short sum is multiplied out."""
    sums = [i for i, (b, e) in enumerate(term) if b[0] == "sum" and e == 1.0]
    others = [be for be in term if be[0][0] == "sum"]
    if len(sums) == 1 and len(others) == 1:
        inner = term[sums[0]][0][1]
        rest = tuple(be for i, be in enumerate(term) if i != sums[0])
        size = sum(_size(b) for b, _ in rest)
        if not rest or size * len(inner[1]) <= 6:
            result = _make(0.0, {rest: inner[0]} if rest else {})
            if not rest:
                result = _number(inner[0])
            for t, c in inner[1]:
                factor, merged = _multiply_terms(rest, t)
                piece = (
                    _make(0.0, {merged: c * factor}) if merged else _number(c * factor)
                )
                result = _add(result, piece)
            return _scaled(result, coefficient)
    if not term:
        return _number(coefficient)
    return _make(0.0, {term: coefficient})


def _size(base):
    if base[0] == "x":
        return 1
    return 1 + sum(sum(_size(b) for b, _ in t) for t, _ in base[1][1])


def _raise(form, p):
    """form ** p for a constant p."""
    if p == 0.0:
        return _number(1.0)
    if p == 1.0:
        return form
    if not form[1]:
        if form[0] < 0.0 and p != round(p):
            raise NoZeroSet(f"({form[0]:g})**{p:g} is not real")
        return _number(form[0] ** p)
    coefficient, term = _as_product(form)
    whole = p == round(p)
    inner = _simple_sum(term)
    if inner is not None:
        # (a·s)^p = |a|^p (±s)^p; the sign stays inside unless p is whole
        if whole:
            return _make(0.0, {((("sum", inner), p),): coefficient**p})
        signed = _scaled(inner, math.copysign(1.0, coefficient))
        return _make(0.0, {((("sum", signed), p),): abs(coefficient) ** p})
    if whole:
        return _multiplied_exponents(term, p, coefficient**p)
    if len(term) == 1 and coefficient > 0.0:
        (base, e) = term[0]
        if base[0] == "exp" or e != round(e) or e % 2 == 1:
            return _multiplied_exponents(term, p, coefficient**p)
    inside = _distributed(term, math.copysign(1.0, coefficient))
    return _make(0.0, {((("sum", inside), p),): abs(coefficient) ** p})


def _multiplied_exponents(term, p, coefficient):
    scaled = tuple(
        (("exp", _scaled(b[1], e * p)), 1.0) if b[0] == "exp" else (b, e * p) for b, e in term
    )
    factor, merged = _multiply_terms(scaled)
    return _distributed(merged, coefficient * factor)


def _function(name, form):
    if not form[1]:
        value = form[0]
        if name == "ln" and value <= 0.0:
            raise NoZeroSet(f"ln({value:g}) is not real")
        return _number({"exp": math.exp, "ln": math.log, "sin": math.sin, "cos": math.cos}[name](value))
    if name == "exp":
        constant, terms = form
        result, rest = _number(math.exp(constant)), {}
        for term, c in terms:
            if len(term) == 1 and term[0][0][0] == "ln" and term[0][1] == 1.0:
                result = _product(result, _raise(term[0][0][1], c))
            else:
                rest[term] = c
        if not rest:
            return result
        return _product(result, _make(0.0, {((("exp", _make(0.0, rest)), 1.0),): 1.0}))
    if name == "ln":
        return _logarithm(form)
    constant, terms = form
    # sin(−u) = −sin u; cos(−u) = cos u; with a phase, only sin is used
    sign = math.copysign(1.0, _leading(form))
    outer = 1.0
    if sign < 0:
        form = _scaled(form, -1.0)
        constant, terms = form
        outer = -1.0 if name == "sin" else 1.0
    if constant != 0.0:
        phase = constant + (math.pi / 2 if name == "cos" else 0.0)
        phase = math.remainder(phase, 2 * math.pi)
        if phase < 0.0:
            phase, outer = phase + math.pi, -outer
        name, form = "sin", (phase, terms)
    return _make(0.0, {(((name, form), 1.0),): outer})


def _logarithm(form):
    coefficient, term = _as_product(form)
    if len(term) == 1:
        base, e = term[0]
        if base[0] == "exp":
            return _add(_scaled(base[1], e), _number(_log(coefficient)))
        if coefficient > 0.0 and e != 1.0 and (e != round(e) or e % 2 == 1):
            return _add(_scaled(_logarithm(_distributed(((base, 1.0),), 1.0)), e), _number(math.log(coefficient)))
    inner = _simple_sum(term)
    sign = math.copysign(1.0, coefficient)
    inside = _scaled(inner, sign) if inner is not None else _distributed(term, sign)
    return (math.log(abs(coefficient)), ((((("ln", inside), 1.0),), 1.0),))


def _log(value):
    if value <= 0.0:
        raise NoZeroSet(f"ln of a negative expression ({value:g}) is not real")
    return math.log(value)


def _form(tree: Tree):
    head = tree[0]
    if head == "c":
        return _number(float(tree[1]))
    if head == "x":
        return (0.0, (((((("x", tree[1])), 1.0),), 1.0),))
    children = [_form(child) for child in tree[1:]]
    if head in ("add", "sub"):
        return _add(*children, 1.0 if head == "add" else -1.0)
    if head == "mul":
        return _product(*children)
    if head == "div":
        if not children[1][1] and children[1][0] == 0.0:
            raise NoZeroSet("division by zero")
        return _product(children[0], _raise(children[1], -1.0))
    if head == "pow":
        if not children[1][1]:
            return _raise(children[0], children[1][0])
        return _function("exp", _product(children[1], _function("ln", children[0])))
    if head == "sqrt":
        return _raise(children[0], 0.5)
    if head.startswith("pow"):
        return _raise(children[0], float(head[3:]))
    return _function(head, children[0])


# ---- the top level: what the zero set does not see ----


def _reduce(form):
    constant, terms = form
    if not terms:
        raise NoZeroSet(f"reduces to the constant {constant:g}")
    if constant == 0.0 and len(terms) == 1:
        return _reduce_product(terms[0][0])
    cleared = _clear_denominators(form)
    if cleared != form:
        return cleared
    if len(terms) == 1:
        return _reduce_level(terms[0][0], -constant / terms[0][1])
    return form


def _reduce_product(term):
    """term = 0: drop exponents, denominators and factors without zeros."""
    bases = [b for b, e in term if e > 0.0 and b[0] != "exp"]
    if not bases:
        raise NoZeroSet("a product of factors without zeros")
    if len(bases) == 1:
        base = bases[0]
        if base[0] == "sum":
            return base[1]
        if base[0] == "ln":
            return _add(base[1], _number(-1.0))
    return _distributed(_multiply_terms(tuple((b, 1.0) for b in bases))[1], 1.0)


def _reduce_level(term, level):
    """term = level: undo an outer exp, ln, root, odd or fractional power."""
    if len(term) == 1:
        base, e = term[0]
        if base[0] == "exp":
            return _add(base[1], _number(-_log(level)))
        if e != 1.0:
            return _unpowered(((base, 1.0),), e, level)
        if base[0] == "ln":
            return _add(base[1], _number(-math.exp(level)))
        if base[0] == "sum":
            return _add(base[1], _number(-level))
    elif all(e == round(e) for _, e in term):
        p = math.gcd(*(int(e) for _, e in term))
        odd = p // (p & -p)
        if odd > 1:
            inner = tuple((b, e / odd) for b, e in term)
            return _unpowered(inner, float(odd), level)
    return _make(-level, {term: 1.0})


def _unpowered(inner, p, level):
    """inner**p = level for a term ``inner``."""
    if p == round(p) and p % 2 == 1:
        return _add(_distributed(inner, 1.0), _number(-math.copysign(abs(level) ** (1 / p), level)))
    if p == round(p):
        if level <= 0.0:
            raise NoZeroSet("an even power equals a number that is not positive")
        half = tuple((b, e * 2.0) for b, e in inner)
        return _make(-(level ** (2.0 / p)), {half: 1.0})
    if level <= 0.0:
        raise NoZeroSet("a fractional power equals a number that is not positive")
    return _add(_distributed(inner, 1.0), _number(-(level ** (1.0 / p))))


def _clear_denominators(form):
    constant, terms = form
    worst: dict = {}
    for term, _ in terms:
        for base, e in term:
            if base[0] == "exp" and base[1][1][0][1] == -1.0:
                worst[("exp", _scaled(base[1], -1.0))] = 1.0
            elif base[0] != "exp" and e < 0.0:
                worst[base] = max(worst.get(base, 0.0), -e)
    if not worst:
        return form
    clearing = tuple(worst.items())
    pieces = [(term, c) for term, c in terms] + ([((), constant)] if constant != 0.0 else [])
    result = _number(0.0)
    for term, c in pieces:
        factor, merged = _multiply_terms(term, clearing)
        result = _add(result, _distributed(merged, c * factor))
    return result


# ---- back to a tree ----


def _tree(form) -> Tree:
    constant, terms = form
    ordered = sorted(terms, key=lambda tc: tc[1] == -1.0)  # a bare minus never leads if it can follow
    tree = None
    for i, (term, c) in enumerate(ordered):
        if i == 0:
            if c == -1.0 and constant != 0.0:
                tree, constant = ("sub", ("c", constant), _product_tree(term, 1.0)), 0.0
            else:
                tree = _product_tree(term, c)
        elif c == -1.0:
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
    numerator = _joined(above)
    return ("div", numerator, _joined(below)) if below else numerator


def _joined(factors):
    tree = factors[0]
    for factor in factors[1:]:
        tree = ("mul", tree, factor)
    return tree


def _power(base: Tree, e: float) -> Tree:
    for outer, inner in ((2, 3), (2, 4), (2, 5), (3, 3)):
        if e == outer * inner:
            return (f"pow{outer}", (f"pow{inner}", base))
    return power_tree(base, ("c", e))
