"""Programs and their text, against SymPy, NumPy and Python's own evaluation."""

import ast

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pie.expr.expression import Expression, from_tree, parse, to_infix, to_tree
from pie.expr.operators import BY_NAME
from pie.expr.terms import terms


def test_text_round_trip_keeps_the_values(items):
    for item in items:
        again, expected = parse(str(item.equation)), item.equation.values(item.points)
        np.testing.assert_allclose(again.values(item.points), expected, rtol=1e-9, atol=1e-10)


def test_sympy_reads_the_text_back(items):
    symbols = {f"x{j}": sympy.Symbol(f"x{j}", real=True) for j in (1, 2, 3)}
    for item in items[:50]:
        f, point = item.equation, item.points[:1] + 0.05
        at = dict(zip(symbols.values(), point[0], strict=False))
        expected = complex(sympy.sympify(str(f), locals=symbols).evalf(subs=at))
        value = f.values(point)[0]
        if np.isfinite(value) and abs(expected.imag) < 1e-12:
            assert value == pytest.approx(expected.real, rel=1e-8, abs=1e-9)


def test_trees_and_programs_are_the_same_thing(items):
    assert all(from_tree(to_tree(item.equation)) == item.equation for item in items)


@pytest.mark.parametrize(
    "codes, message",
    [
        ((BY_NAME["add"].code, 1), "1 operands are missing"),
        ((1, 2), "tokens after its end"),
        ((99,), "unknown operator code 99"),
        ((), "0 tokens"),
        ((BY_NAME["exp"].code,) * 300 + (1,), "301 tokens"),
    ],
    ids=["short", "long", "unknown", "empty", "too deep"],
)
def test_malformed_programs_are_refused_when_built(codes, message):
    with pytest.raises(ValueError, match=message):
        Expression(codes)


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('true')", "x1.real", "x1 +", "y + 1", "tan(x1)", "x1 if x2 else 1",
     "(" * 500 + "x1" + ")" * 500, "+".join(["x1"] * 1300), "1" + "0" * 400, "x1\0", "[x1]",
     "'x1'", "x1 < 2", "sin(x1, x2)", "x99"],
    ids=["import", "attribute", "cut", "name", "function", "conditional", "deep", "long", "large",
         "null", "list", "string", "comparison", "arguments", "variable"],
)  # fmt: skip
def test_text_that_is_not_an_equation_is_refused_and_quoted(text):
    with pytest.raises(ValueError, match="cannot read|variable x99"):
        parse(text)


@pytest.mark.parametrize(
    "text, value, slope",
    [
        ("log(x1)", np.log, lambda x: 1.0 / x),
        ("1/x1", lambda x: 1.0 / x, lambda x: -1.0 / x**2),
        ("sqrt(x1)", np.sqrt, lambda x: 0.5 / np.sqrt(x)),
        ("x1**-1.5", lambda x: x**-1.5, lambda x: -1.5 * x**-2.5),
        ("exp(exp(x1))", lambda x: np.exp(np.exp(x)), lambda x: np.exp(x + np.exp(x))),
    ],
)
def test_poles_overflow_and_domains_are_numpys_without_a_warning(text, value, slope):
    x = np.array([0.0, -1.0, 1e300, 7.0, 0.5])
    with np.errstate(all="ignore"):
        value, slope = value(x), slope(x)
    found, gradient = parse(text).value_and_gradient(x[:, None])
    finite = np.isfinite(value)
    assert 0 < (~np.isfinite(found)).sum() < len(x)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    np.testing.assert_allclose(found[finite], value[finite], rtol=1e-14)
    both = finite & np.isfinite(slope)
    np.testing.assert_allclose(gradient[both, 0], slope[both], rtol=1e-14)


def test_printing_keeps_nested_powers_and_signs():
    tree = ("pow2", ("pow3", ("x", 1)))
    assert parse(to_infix(tree)).values(np.array([[2.0]]))[0] == 64.0
    f = parse("x1 - (x2 - x3) - (-2)*x1")
    point = np.array([[1.0, 5.0, 3.0]])
    assert parse(str(f)).values(point)[0] == f.values(point)[0] == 1.0


KINDS = ("number", "variable", "sum", "power", "function", "sign", "bracket")


@st.composite
def formulas(draw, depth=4):
    """Text of our language, with few brackets."""
    kind = draw(st.sampled_from(KINDS))
    if depth == 0 or kind == "number":
        return draw(st.sampled_from(["2", "0.5", "1e-1", "3", "x3", ".25"]))
    if kind == "variable":
        return draw(st.sampled_from(["x1", "x2", "x3"]))
    inner = draw(formulas(depth=depth - 1))
    if kind == "function":
        return draw(st.sampled_from(["sqrt", "exp", "log", "ln", "sin", "cos"])) + f"({inner})"
    if kind == "sign":
        return draw(st.sampled_from("-+")) + inner
    if kind == "bracket":
        return f"({inner})"
    sign = draw(st.sampled_from([" + ", "-", "*", " / "] if kind == "sum" else ["**", "^"]))
    return inner + sign + draw(formulas(depth=depth - 1))


class NumPyNumbers(ast.NodeTransformer):
    """Numbers as NumPy's, which divide by zero and overflow without an exception."""

    def visit_Constant(self, node):
        return ast.Call(ast.Name("number", ast.Load()), [node], [])


def by_python(text, at, factor=1.0):
    """Values of a formula at points (N, 3), all numbers times a factor."""
    tree = NumPyNumbers().visit(ast.parse(text.replace("^", "**"), mode="eval"))
    names = {name: getattr(np, name) for name in ("sqrt", "exp", "log", "sin", "cos")}
    names |= {"ln": np.log, "number": lambda value: np.float64(value) * factor}
    names |= {f"x{j + 1}": factor * column for j, column in enumerate(at.T)}
    with np.errstate(all="ignore"):
        found = eval(compile(ast.fix_missing_locations(tree), text, "eval"), names)
    return np.broadcast_to(found, len(at))


@given(formulas())
@settings(max_examples=400, deadline=None, derandomize=True)
def test_text_means_what_python_means_by_it(text):
    at = np.array([[0.7, 1.9, 0.4], [2.1, 0.3, 1.3]])
    expected, nearby = by_python(text, at), by_python(text, at, 1.0 + 1e-12)
    size = np.maximum(1.0, np.abs(expected))
    with np.errstate(invalid="ignore"):
        steady = np.abs(nearby - expected) <= 1e-9 * size  # well conditioned, and finite
    assume(steady.any())
    off = np.abs(parse(text).values(at) - expected)[steady]
    assert np.all(off <= 1e-9 * size[steady])


@given(st.text(alphabet="x123+-*/^().e sqrtlognic_,'\"[]=<>\n\\", max_size=40))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_text_that_is_refused_is_quoted_in_the_error(text):
    try:
        parse(text)
    except ValueError as error:
        assert repr(text) in str(error) or "variable x" in str(error)


def test_terms_carry_their_signs(rng):
    f = parse("x1 - (x2 - 3*x1**2) - 2")
    points = rng.standard_normal((5, 2))
    total = sum(from_tree(t).values(points) for t in terms(to_tree(f)))
    np.testing.assert_allclose(total, f.values(points))
