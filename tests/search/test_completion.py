"""Sparse linear relations among the terms of a pool."""

import numpy as np
import pytest

from pie.expr.canonical import canonical
from pie.expr.expression import from_tree, parse
from pie.expr.terms import monomials
from pie.search.completion import elimination, logarithms, relations, separable
from pie.zeroset.roots import points_on_zero_set


def cloud(text, n=200, seed=0, d=2, variable=1):
    rng = np.random.default_rng(seed)
    return points_on_zero_set(parse(text), rng.standard_normal((n, d)), variable, rng)


def test_monomials_are_all_products_up_to_the_degree():
    texts = [str(from_tree(t)) for t in monomials(2, 3)]
    assert len(set(texts)) == 10 and {"x1*x2**2", "x2**3", "1.0"} <= set(texts)
    with np.errstate(all="raise"):
        powers = np.stack([from_tree(t).values(np.array([[2.0, 3.0]])) for t in monomials(2, 3)])
    assert sorted(powers[:, 0]) == sorted(
        2.0**a * 3.0**b for a in range(4) for b in range(4) if a + b <= 3
    )


def test_elimination_ends_at_the_terms_of_the_relation(rng):
    """Column 4 = 2·column 1 − 3·column 2, among six random ones."""
    columns = rng.standard_normal((100, 6)) * [1.0, 10.0, 1.0, 1.0, 1.0, 1e-4]
    columns[:, 4] = 2.0 * columns[:, 1] - 3.0 * columns[:, 2]
    path = elimination(columns)
    assert [len(indices) for indices, _, _ in path] == [6, 5, 4, 3, 2]
    indices, coefficients, smallest = path[3]
    assert list(indices) == [1, 2, 4] and smallest < 1e-12
    np.testing.assert_allclose(coefficients / coefficients[2], [-2.0, 3.0, 1.0], rtol=1e-9)
    assert path[4][2] > 0.01


@pytest.mark.parametrize(
    "law, degree, d",
    [
        ("x1**2 + 3*x2**2 - 2", 2, 2),
        ("x1*x2**2 - 0.7*x1*x2 + 0.6", 3, 2),
        ("x1*x2 + 2*x2*x3 - 1.5*x1*x3", 2, 3),
    ],
)
def test_a_polynomial_law_is_among_the_relations(law, degree, d):
    points = cloud(law, d=d)
    expected = canonical(parse(law))
    forms = {f.codes: f for f in map(canonical, relations(monomials(d, degree), points))}
    found = forms[expected.codes]
    np.testing.assert_allclose(found.constants, expected.constants, rtol=1e-6)


def test_an_exact_relation_of_many_terms_is_kept_whole():
    points = cloud("(x1 - 0.5)**2*(x2 + 0.3) + x1*x2 - 0.7*x2**2 + 1.3", variable=2)
    longest = relations(monomials(2, 3), points)[0]
    assert len(longest.constants) > 5
    assert np.abs(longest.values(points)).max() < 1e-7


def test_terms_that_are_undefined_or_zero_are_left_out():
    points = cloud("x1 - 2*x2")
    pool = [("x", 1), ("ln", ("x", 1)), ("x", 2), ("mul", ("c", 0.0), ("x", 1))]
    (relation,) = relations(pool, points)
    assert canonical(relation).codes == canonical(parse("x1 - 2*x2")).codes


@pytest.mark.parametrize(
    "law", ["x1*x2**2 - 0.5*x3", "x1**2 - 3*x2**3/x3", "x1**2*x2*x3**2 - 4", "x1*x2 - 4"]
)
def test_a_product_of_powers_is_a_relation_of_logarithms(law):
    d = len(parse(law).variables)
    rng = np.random.default_rng(1)
    points = np.exp(rng.uniform(-1.0, 1.0, (200, d)))
    points = points_on_zero_set(parse(law), points, 1, rng)
    points = points[np.all(points > 0.0, axis=1)]
    forms = {canonical(f).codes for f in relations(logarithms(d), points)}
    assert canonical(parse(law)).codes in forms


def test_a_separable_sum_is_found(rng):
    points = points_on_zero_set(
        parse("0.5*x1 + log(x2) - 2/x3 + 1.5"), rng.uniform(0.5, 3.0, (200, 3)), 1, rng
    )
    forms = {canonical(f).codes for f in relations(separable(points), points)}
    assert canonical(parse("0.5*x1 + log(x2) - 2/x3 + 1.5")).codes in forms


def test_functions_that_are_undefined_somewhere_are_not_offered():
    texts = {str(from_tree(t)) for t in separable(np.array([[1.0, -1.0], [2.0, 3.0]]))}
    assert "log(x1)" in texts and "log(x2)" not in texts and "1.0/x2" in texts
