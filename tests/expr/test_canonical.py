"""Where f is defined, f and its canonical form vanish at the same points; SymPy is the oracle."""

import numpy as np
import pytest
import sympy

from pie.expr.canonical import NoZeroSet, canonical
from pie.expr.expression import from_tree, parse, to_tree
from pie.expr.sympy_bridge import to_sympy
from pie.zeroset.distance import distance_to_zero_set
from pie.zeroset.roots import points_on_zero_set

SYMBOLS = sympy.symbols("x1 x2 x3", real=True)


def sympy_values(f, points):
    symbols = SYMBOLS[: points.shape[1]]
    oracle = sympy.lambdify(symbols, to_sympy(f), "numpy")
    gradient = [sympy.lambdify(symbols, sympy.diff(to_sympy(f), s), "numpy") for s in symbols]
    columns = points.astype(complex).T
    with np.errstate(all="ignore"):
        value = np.broadcast_to(oracle(*columns), len(points))
        slopes = np.stack([np.broadcast_to(g(*columns), len(points)) for g in gradient])
    return value, np.linalg.norm(slopes, axis=0)


def test_zeros_of_f_are_zeros_of_its_canonical_form(items):
    for item in items:
        value, slope = sympy_values(item.target, item.points)
        with np.errstate(all="ignore"):
            distance = np.abs(value) / slope
        assert np.nanquantile(distance, 0.9) < 1e-5, f"{item.equation} → {item.target}"


def test_zeros_of_the_canonical_form_are_zeros_of_f(items, rng):
    checked = 0
    for item in items:
        d = item.points.shape[1]
        starts = rng.standard_normal((60, d))
        points = points_on_zero_set(item.target, starts, 1 + int(rng.integers(d)), rng)
        if len(points) < 10:
            continue
        value, slope = sympy_values(item.equation, points)
        with np.errstate(all="ignore"):
            # where f has a multiple root its gradient vanishes too: |f| itself must be 0
            distance = np.abs(value) / np.maximum(slope, 1e-2)
        # a root at a coordinate 0 may be a pole of f that cleared denominators removed
        defined = (np.abs(value.imag) < 1e-9) & np.isfinite(distance)
        defined &= (np.abs(points) > 1e-6).all(1)
        if defined.sum() < 10:
            continue
        checked += 1
        assert np.quantile(distance[defined], 0.8) < 1e-4, f"{item.equation} → {item.target}"
    assert checked > 100


WRAPPERS = {
    "scaled": lambda f: ("mul", ("c", -2.5), f),
    "tiny": lambda f: ("mul", ("c", 1e-6), f),
    "cubed": lambda f: ("pow3", f),
    "exp minus one": lambda f: ("sub", ("exp", f), ("c", 1.0)),
    "ln of one plus": lambda f: ("ln", ("add", f, ("c", 1.0))),
    "over exp": lambda f: ("div", f, ("exp", ("x", 2))),
    "root": lambda f: ("sqrt", f),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_what_keeps_the_zero_set_keeps_the_skeleton(items, wrap):
    same = total = 0
    for item in items:
        try:
            wrapped = canonical(from_tree(wrap(to_tree(item.equation))))
        except NoZeroSet:
            continue
        total += 1
        same += wrapped.codes == item.target.codes and np.allclose(
            wrapped.constants, item.target.constants, rtol=1e-6
        )
    assert same >= 0.95 * total > 100, f"{same} of {total}"


@pytest.mark.parametrize(
    "left, right",
    [
        ("x1/x2 - 1.9", "x1 - 1.9*x2"),
        ("2*x1 + 2*x2 - 0.26", "x2 + x1 - 0.13"),
        ("sqrt(x1*x2/x3) - 2", "x1*x2 - 4*x3"),
        ("x1/(2*x2 + 2) - 0.389", "x1 - 0.778*x2 - 0.778"),
        ("x2*x3/(x1 - 1) - 0.5", "x1 - 2*x2*x3 - 1"),
        ("2*log(x1/x2) - 2", "x1 - 2.718281828459045*x2"),
        ("x1*exp(x2)*exp(x3) - 2", "x1*exp(x2 + x3) - 2"),
        ("cos(-x1) + x2 + x3 - x3", "x2 + cos(x1)"),
        ("cos(x1 + 0.3) - x2", "sin(x1 + 0.3 + 1.5707963267948966) - x2"),
        ("x1 + x2*(x2 + x3) + 0.612", "x3*x2 + x2**2 + 0.612 + x1"),
    ],
)
def test_two_ways_of_writing_an_equation_meet(left, right):
    a, b = canonical(parse(left)), canonical(parse(right))
    assert a.codes == b.codes
    np.testing.assert_allclose(a.constants, b.constants, rtol=1e-9)


def test_it_is_idempotent(items):
    for item in items:
        again = canonical(item.target)
        assert again.codes == item.target.codes, f"{item.target} → {again}"
        np.testing.assert_allclose(again.constants, item.target.constants, rtol=1e-6)


@pytest.mark.parametrize(
    "text", ["x1 - x1", "0*x1", "exp(x1)", "3", "x1**2*exp(x1) - x1*x1*exp(x1) + 1", "exp(x1)/x2",
             "exp(x1) + 1", "x1/(x2 - x2)", "log(-2)*x1", "1e200**3*x1"],
)  # fmt: skip
def test_what_has_no_zero_set_is_refused(text):
    with pytest.raises(NoZeroSet):
        canonical(parse(text))


def test_the_leading_coefficient_is_one_so_that_degenerate_scalings_cannot_be_written(items):
    rng = np.random.default_rng(1)
    for item in items[:50]:
        constants = np.zeros(len(item.target.constants))
        value = item.target.with_constants(constants).values(rng.random((20, item.points.shape[1])))
        assert not np.allclose(value, 0.0), f"{item.target} with every constant 0 is 0 everywhere"


def test_one_factor_of_a_product_is_not_the_product():
    product = canonical(parse("(x1 - 1.5)*(x2 - sin(x1) - 3)"))
    factor = canonical(parse("x1 - 1.5"))
    points = np.array([[0.2, 3.0 + np.sin(0.2)]])
    assert distance_to_zero_set(product, points)[0] < 1e-9
    assert distance_to_zero_set(factor, points)[0] > 1.0


def test_a_phase_of_half_a_turn_is_a_sign():
    assert canonical(parse(f"x2 - 2*sin(1.3*x1 + {np.pi!r})")) == canonical(
        parse("x2 + 2*sin(1.3*x1)")
    )
