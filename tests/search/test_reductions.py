"""Tables of many columns, reduced to few."""

from functools import partial

import numpy as np
import pytest

from pie.discovery.certificate import certify
from pie.discovery.units import Units
from pie.expr.canonical import canonical
from pie.expr.dimensions import Dimensions
from pie.expr.expression import from_tree, parse, to_tree
from pie.fit.constants import Fit
from pie.search import plus
from pie.search.cloud import Cloud
from pie.search.plus import PlusConfig, discover_plus
from pie.search.pool import Draft, Found, Interrupted, Pool, TimeIsUp, search, watched
from pie.search.price import Prices
from pie.search.proposers.reductions import (
    Columns,
    Reductions,
    dimensionless,
    n_monomials,
    reductions,
    sizes,
    tables,
)

FAST = PlusConfig(proposers=("relations", "shapes", "reductions"))


def drawn(law, noise=0.0, n=200, low=1.0, high=5.0):
    """Points of an equation x_D − g(x1, …), the others uniform; noise in each column's spread."""
    law, rng = parse(law), np.random.default_rng(0)
    inputs = rng.uniform(low, high, (n, max(law.variables) - 1))
    points = np.column_stack([inputs, -law.values(np.column_stack([inputs, np.zeros(n)]))])
    return points + noise * points.std(axis=0) * rng.standard_normal(points.shape)


@pytest.mark.parametrize(
    "way", [("mul",), ("div",), ("add",), ("sub",), ("add", True), ("sub", True)]
)
def test_gradients_of_a_joined_column_are_its_derivatives(way):
    points = drawn("x4 - x1 - x2 - x3", n=5)
    table = Columns.of(points).joined(1, 3, *way).joined(0, 2, "mul")
    values = [from_tree(tree).values(points) for tree in table.trees]
    np.testing.assert_allclose(table.values, np.stack(values, axis=1), rtol=1e-12)
    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-6
        up, down = (
            Columns.of(points + s).joined(1, 3, *way).joined(0, 2, "mul") for s in (step, -step)
        )
        slope = (up.values - down.values) / 2e-6
        np.testing.assert_allclose(table.slopes[..., j], slope, rtol=1e-6, atol=1e-6)


def test_a_column_that_enters_by_a_product_may_be_joined_and_no_other():
    """x4 = x1·exp(−x2·x3/9): to the errors by x2·x3 and by x4/x1, far off by x1 + x2."""
    points = drawn("x4 - x1*exp(-x2*x3/9)")
    whole, good, bad = (
        sizes([Columns.of(points).joined(*pair)], points.std(axis=0))[0]
        for pair in ((1, 2, "mul"), (3, 0, "div"), (0, 1, "add"))
    )
    assert max(whole, good) < 0.03 < 0.1 < bad


def test_the_size_is_about_that_of_the_noise():
    points = drawn("x4 - x1*x2/x3", noise=0.02)
    (size,) = sizes([Columns.of(points).joined(0, 1, "mul")], points.std(axis=0))
    assert n_monomials(3, 200) == 20 and 0.017 < size < 0.05


def test_tables_do_not_depend_on_units():
    points, units = drawn("x5 - x1*(x2 - x3)/x4", 0.01), np.array([1e3, 7.0, 7.0, 1e-4, 30.0])
    found, scaled = (tables(p, p.std(axis=0)) for p in (points, points * units))
    assert found[0][0] == pytest.approx(scaled[0][0], rel=1e-6)


def test_ties_are_not_decided_by_the_last_bit(rng):
    """a/b and b/a are alike: other processors round otherwise, and keep the same tables."""
    points = drawn("x5 - x1*(x2 - x3)/x4", 0.01)
    other = points * (1.0 + 2e-16 * rng.integers(-1, 2, points.shape))
    found = [[table.key for _, table in tables(p, points.std(axis=0))] for p in (points, other)]
    assert found[0] == found[1] and not np.array_equal(points, other)


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(
    "law",
    ["x4 - x1*exp(-x2*x3/9)", "x5 - 2*x1*x2**2/(x3*x4)", "x4 - x1*sqrt(1 + x2/x3)"],
    ids=["exponential of a product", "product of powers", "square root of a ratio"],
)
def test_a_law_of_many_columns_is_found(tiny_network, law, noise):
    points = drawn(law, noise)
    best = discover_plus(tiny_network, points, FAST).best
    clean = drawn(law)
    value, slope = best.expression.value_and_gradient(clean)
    away = np.abs(value) / np.linalg.norm(slope * clean.std(axis=0), axis=1)
    assert away.max() < (1e-7 if noise == 0.0 else 0.02)
    assert len(best.expression.constants) <= len(canonical(parse(law)).constants) + 1


def test_tables_that_differ_in_order_scale_or_inverse_are_one():
    points = drawn("x5 - x1*(x2 - x3)/x4")
    keys = [Columns.of(points).joined(a, b, "div").key for a, b in ((0, 1), (1, 0), (0, 2))]
    assert keys[0] == keys[1] != keys[2]
    one, other = (
        Columns.of(points, [to_tree(parse(tree)) for tree in trees])
        for trees in (("x1*x2", "x3", "x4"), ("x4", "3*x2*x1", "1/x3"))
    )
    assert one.key == other.key


def test_of_two_tables_with_inverse_columns_the_one_that_fits_better_is_kept():
    points = drawn("x4 - 2*x1*(1 - cos(x2*x3))")
    errors = points.std(axis=0)
    pair = [Columns.of(points).joined(i, j, "div") for i, j in ((0, 3), (3, 0))]
    size = sizes(pair, errors)
    assert pair[0].key == pair[1].key and size.min() < 0.95 * size.max()
    found = [table.trees for _, table in tables(points, errors) if len(table.trees) == 3]
    better, worse = (pair[k].trees for k in (size.argmin(), size.argmax()))
    assert better in found and worse not in found


def test_tables_with_a_zero_are_told_apart():
    points = drawn("x4 - x1*(x2 - x3)")
    for place in (0, 3):
        points[place, 0] = 0.0
        one, other = (
            Columns.of(points, [to_tree(parse(column)) for column in ("x1", last)])
            for last in ("x3", "x4")
        )
        assert one.key != other.key


def test_a_table_that_comes_again_is_not_searched_again(tiny_network, monkeypatch):
    """As from the user's units and from even ones."""
    asked = []
    monkeypatch.setattr(plus, "clouds", lambda *points: asked.append(points) or [])
    few = plus.in_few_columns(tiny_network, FAST, 1)
    points = drawn("x3 - x1*x2")
    assert few(points) == few(points.copy()) == [] and len(asked) == 1
    few(points + 1.0)
    assert len(asked) == 2


def test_what_an_interrupted_search_in_few_columns_has_found_is_there(tiny_network):
    """Time is up for good when one relation among two columns is known."""

    def watch(proposer, cloud, pool):
        if len(pool):
            raise TimeIsUp

    def fitted(batch, cloud):
        return [Fit(draft.expression, -0.1, "ok", 0.1, 0.1) for draft in batch.drafts]

    few = plus.in_few_columns(tiny_network, FAST, 1)
    proposer = partial(reductions, Reductions(), Prices(), 90, few)
    cloud, pool = Cloud.as_given(drawn("x4 - x1*sin(x2*x3)", 0.01)), Pool(lambda _: ())
    with watched(watch), pytest.raises(Interrupted) as stop:
        search(cloud, [proposer], fitted, pool)
    assert {found.draft.proposer for found in stop.value.found} == {"reductions"}


def test_without_a_law_the_equations_are_no_law(tiny_network, rng):
    points = rng.standard_normal((100, 5))
    best = discover_plus(tiny_network, points, FAST).best
    assert best is None or not certify(best.expression, points).law


def test_what_is_too_long_in_the_columns_or_their_coordinates_is_left_out():
    points = 1e6 * drawn("x4 - x1*x2/x3")  # columns are divided by their spreads
    cloud = Cloud.even(points, np.zeros(4, bool))
    sums = [parse(" + ".join([f"x{k}"] * 80)) for k in (1, 2, 3)]  # 159 tokens, of at most 256
    asked = []

    def few(columns):
        asked.append(columns.shape[1])
        return [*sums, parse("x1 - x2*x3")] if columns.shape[1] == 3 else []

    batches = list(reductions(Reductions(), Prices(), 90, few, cloud, Pool(lambda _: ())))
    drafts = [draft for batch in batches for draft in batch.drafts]
    assert 3 in asked and drafts and all(len(d.expression.codes) <= 90 for d in drafts)


def test_an_equation_that_is_too_long_in_the_columns_says_nothing_of_tables():
    """The best one so far: its 159 tokens become more than 256 in the user's units."""
    points = 1e6 * drawn("x4 - x1*x2/x3")
    cloud = Cloud.even(points, np.zeros(4, bool))
    long = parse(" + ".join(["x1"] * 80))
    pool = Pool(lambda found: found.fit.error)
    pool.keep(Found(Draft(long, "relations"), Fit(long, -1e-3, "ok", 1e-3, 0.1)))
    with pytest.raises(ValueError, match="256"):
        cloud.back(long)
    few = [parse("x1 - x2*x3")]
    batches = reductions(
        Reductions(), Prices(), 90, lambda table: few[: table.shape[1] == 3], cloud, pool
    )
    assert any(batch.drafts for batch in batches)


def test_up_to_three_columns_nothing_is_reduced(tiny_network):
    points = drawn("x3 - x1*exp(-x2)")
    with_it, without = (
        discover_plus(tiny_network, points, PlusConfig(proposers=proposers))
        for proposers in (("shapes", "reductions"), ("shapes",))
    )
    assert [str(c.expression) for c in with_it.candidates] == [
        str(c.expression) for c in without.candidates
    ]


@pytest.mark.parametrize(
    "units, products",
    [
        (("kg/m^3", "m/s", "mm", "mPa s"), ["x1*x2*x3/x4"]),  # Reynolds
        (("Bq", "days", "days", "Bq"), ["x1/x4", "x2/x3", "x1*x2"]),
        (("N", "m", "deg", "J"), ["x3", "x1*x2/x4"]),
        (("kPa", "L", "mol", "K"), []),  # R has a unit
        (("m^3", "m", "1"), []),  # x2³/x1 is not looked at, and one of two is no reduction
    ],
)
def test_dimensionless_products_are_the_shortest(units, products):
    found = [str(from_tree(tree)) for tree in dimensionless(Units.of(units, units).dimensions)]
    assert found == products


@pytest.mark.parametrize("d, n", [(5, 15), (6, 20), (8, 30)])
def test_few_points_are_compared_with_monomials_of_lower_degree(d, n, rng):
    points = np.exp(rng.uniform(-1.0, 1.0, (n, d)))
    points[:, -1] = np.prod(points[:, :-1], axis=1)
    found = tables(points, points.std(axis=0))
    assert len(found) > 1 and found[0][0] < 1e-6
    assert n_monomials(4, n) < n


def test_dimensionless_products_need_no_other_table(rng):
    """Of six columns with three units and no more than seven points."""
    points = np.exp(rng.uniform(-1.0, 1.0, (7, 6)))
    powers = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1.0]])
    dimensions = Dimensions(powers, True)
    found = tables(points, points.std(axis=0), dimensions=dimensions)
    assert any(len(table.trees) == 3 for _, table in found)
