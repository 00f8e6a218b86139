"""Parts of a zero set: branches, factors; zeros where no points are."""

import numpy as np
import pytest

from pie.data.benchmarks import NAMES, load
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.branches import branches
from pie.zeroset.crossings import box_of, crossings, sheets

# (branch on which the points lie, variable solved for, the same without its sign)
BRANCHES = [
    ("x1 - 0.316*sqrt(1 - x2**2/x3**2)", 1, "x2**2 + 10.0144207659029*x1**2*x3**2 - x3**2"),
    ("x1*x2 - 1.1*sqrt(1 - x2**2/x3**2)", 1, "x1**2*x2**2*x3**2 + 1.21*x2**2 - 1.21*x3**2"),
    ("x2 - 0.5 + sqrt(x1**2 + 0.25)", 2, "x1**2 + x2 - x2**2"),
    ("x2 + 1.016*sqrt(sin(x1) - 0.03871)", 2, "x2**2 - 1.032256*sin(x1) + 0.03995862976"),
    ("x1 - 2 - sqrt(8 + 2*x2 - x2**2)", 1, "x1**2 + x2**2 - 4*x1 - 2*x2 - 4"),
    ("log(x1) - 0.6 + sqrt(x2 + 0.36)", 2, "log(x1)**2 - 1.2*log(x1) - x2"),
]  # fmt: skip


@pytest.mark.parametrize("branch, variable, whole", BRANCHES)
def test_the_branch_of_the_points_is_among_those_offered(branch, variable, whole, cloud):
    points = cloud(branch, variable=variable, n=300)
    offered = [canonical(f) for f in branches(canonical(parse(whole)), points)]
    wanted = canonical(parse(branch))
    assert offered, canonical(parse(whole))
    equal = [f for f in offered if f.codes == wanted.codes]
    assert any(np.allclose(f.constants, wanted.constants, atol=1e-6) for f in equal)


def test_every_branch_offered_holds_at_the_points(root):
    offered = 0
    for problem in [p for name in (*NAMES, "wild") for p in load(root / "data/benchmarks", name)]:
        for branch in branches(canonical(problem.truth), problem.points):
            with np.errstate(all="ignore"):
                value, gradient = branch.value_and_gradient(problem.points)
                distance = np.abs(value) / np.linalg.norm(gradient, axis=1)
            assert np.mean(np.nan_to_num(distance, nan=1.0) < 1e-4) > 0.95, (problem, str(branch))
            offered += 1
    assert offered >= 50


def test_what_stays_under_the_root_is_no_branch(cloud):
    """A parabola is not solved by x1 = √(x1 − x2), nor (x1 + 7)² = −x1·x2 by its root."""
    parabola = cloud("x2 - x1 + x1**2", variable=2, n=300)
    offered = [
        str(canonical(f))
        for f in branches(parse("x1**2 - x1 + x2"), parabola[parabola[:, 0] > 0.6])
    ]
    assert offered == ["x1 - sqrt(0.25 - x2) - 0.5"]
    points = cloud("x1 + 7 - 1.5*sqrt(-x1*x2)", variable=2, n=300)
    assert not list(branches(parse("x1**2 + 14*x1 + 2.25*x1*x2 + 49"), points))


def test_points_on_both_branches_have_none(cloud):
    points = cloud("x1**2 + x2**2 - 1", variable=2)
    assert (points < 0.0).any(axis=0).all() and (points > 0.0).any(axis=0).all()
    assert not list(branches(parse("x1**2 + x2**2 - 1"), points))


def test_a_factor_without_points_is_left_out(cloud):
    points = cloud("x1 - exp(x2)")
    product = parse("x1**2 - x1*exp(x2)")
    assert str(canonical(next(branches(product, points)))) == "x1 - exp(x2)"
    points[0] = 0.0, 0.3
    assert "x1 - exp(x2)" not in {str(canonical(f)) for f in branches(product, points)}


# ---- zeros on lines ----


def test_crossings_are_those_of_the_whole_zero_set(rng):
    """Cauchy and Crofton: twice as many sheets, twice as many crossings."""
    box = rng.uniform(-3.0, 3.0, (4000, 2))
    few, many = (crossings(parse(f"sin({k}*(x1 + x2))"), box) for k in (3, 6))
    assert many == pytest.approx(2.0 * few, rel=0.1)
    assert few == pytest.approx(3 * 0.96 * 6.0 / np.pi, rel=0.1)


def test_poles_are_no_crossings(rng):
    points = rng.uniform(-1.0, 1.0, (200, 2))
    assert crossings(parse("1/sin(20*x1) + 0*x2"), points) == 1.0  # the least: it has no zeros
    assert crossings(parse("sin(20*x1)/cos(20*x1)"), points) == pytest.approx(
        crossings(parse("sin(20*x1)"), points), abs=0.3
    )


def test_where_signs_are_free_the_other_one_counts(cloud):
    """The relativistic x1 is positive among coordinates of both signs; a pressure is not."""
    truth = "x1 - 0.316*sqrt(1 - x2**2/x3**2)"
    points = cloud(truth, n=400)
    low, high = box_of(points)
    assert low[0] == -high[0] < 0.0
    assert crossings(parse(truth), points) < crossings(parse(BRANCHES[0][2]), points)
    low, high = box_of(np.abs(points))
    assert np.all(low >= 0.0)


SPREAD = np.column_stack([np.linspace(-1.0, 1.0, 80), np.tile([0.1, -0.1], 40)])


@pytest.mark.parametrize(
    "text, expected",
    [
        ("x2 - 0*x1", 1),
        ("x2*(x2 - 0.05*x1 - 0.1)", 2),
        ("x2*(x2 - 0.1)*(x2 + 0.1)*(x2 - 0.02)", 1),
        ("x2*(x2 - 5)", 1),
    ],
    ids=["a line", "two lines", "exact", "a line far away"],
)
def test_sheets_are_those_within_the_errors_of_a_point(text, expected):
    """Points 0.1 off a line on both sides."""
    found = sheets(parse(text), SPREAD)
    assert found.shape == (80,) and np.median(found) == expected and found.min() >= 1


def test_a_wave_that_passes_near_every_point_has_further_sheets_there(rng):
    """Of noise, and steep: its errors are as large as the gaps between its sheets."""
    noise = np.column_stack([rng.uniform(0.0, 1.0, 100), rng.standard_normal(100)])
    assert np.median(sheets(parse("x2 - sin(400*x1)"), noise)) >= 2
    assert np.median(sheets(parse("x2 - sin(2*x1)"), noise)) == 1


def test_sheets_do_not_depend_on_units(rng):
    points = SPREAD + 0.02 * rng.standard_normal(SPREAD.shape)
    one = sheets(parse("x2**2 - 0.01*x1**2 - 0.001"), points)
    other = sheets(parse("1e6*x2**2 - 0.0001*x1**2 - 0.001"), points * [10.0, 1e-3])
    np.testing.assert_array_equal(one, other)
    assert set(one) <= {1, 2} and 2 in one
