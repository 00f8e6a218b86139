"""Linear relations among terms: exact ones, and those that survive noise."""

from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import eigh

from pie.data.sampling import add_noise, drawn
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import from_tree, parse, to_tree
from pie.expr.terms import monomials, scaled, terms
from pie.search import libraries
from pie.search.libraries import bases, dictionaries, noisy, waves
from pie.search.price import Prices, cheapest, form_price
from pie.search.proposers.relations import among, closest, exact, of_many, product_of_powers
from pie.search.relations import (
    Moments,
    Relation,
    _medians,
    codes_of_sum,
    columns_of,
    covering,
    eliminated,
    exact_relation,
    nearest,
    numbered,
    smallest,
    subsets,
    terms_at,
    weighted_codes,
)
from pie.zeroset.box import Box
from pie.zeroset.metric import errors_of


def codes_of(found):
    """Skeletons of the equations that have zeros by their form."""
    forms = set()
    for equation in found:
        try:
            forms.add(canonical(equation).codes)
        except ValueError:
            continue
    return forms


def of_terms(equation):
    """The terms of an equation, whatever their coefficients."""
    alone = [scaled(term)[1] for term in terms(to_tree(canonical(equation)))]
    return frozenset(str(from_tree(term)) for term in alone if term[0] != "c")


def test_a_row_at_the_origin_hides_no_exact_relation(rng):
    """All terms are 0 there."""
    x = rng.uniform(1.0, 2.0, 20)
    columns = np.column_stack([x, x**2, 3.0 * x - 2.0 * x**2])
    columns[0] = 0.0
    found = exact_relation(columns, 3)
    np.testing.assert_allclose(found.coefficients / found.coefficients[2], [-3.0, 2.0, 1.0])


def first_exact(points):
    """The first exact relations of the dictionaries with all the variables."""
    for library in dictionaries(points):
        found = [f for f in exact(library, points) if len(f.variables) == points.shape[1]]
        if found:
            return found
    return []


def test_elimination_ends_at_the_terms_of_the_relation(rng):
    """Column 4 = 2·column 1 − 3·column 2, among six random ones."""
    columns = rng.standard_normal((100, 6)) * [1.0, 10.0, 1.0, 1.0, 1.0, 1e-4]
    columns[:, 4] = 2.0 * columns[:, 1] - 3.0 * columns[:, 2]
    path = list(eliminated(columns))
    assert [len(relation.indices) for relation in path] == [6, 5, 4, 3, 2]
    found = path[3]
    assert list(found.indices) == [1, 2, 4] and found.size < 1e-12
    np.testing.assert_allclose(found.coefficients / found.coefficients[2], [-2.0, 3.0, 1.0])
    assert path[4].size > 0.01


def test_terms_that_are_undefined_or_zero_are_left_out(cloud):
    points = cloud("x1 - 2*x2")
    terms = [("x", 1), ("ln", ("x", 1)), ("x", 2), ("mul", ("c", 0.0), ("x", 1))]
    (relation,) = eliminated(columns_of(terms, points))
    assert codes_of([relation.of(terms)]) == codes_of([parse("x1 - 2*x2")])


def test_the_smallest_subset_has_the_smallest_generalised_eigenvalue(cloud, rng):
    """√λ and coefficients by SciPy's solver, for every subset of the terms."""
    points = add_noise(cloud("x1**2 + 3*x2**2 - 2"), 0.02, rng)
    terms, spreads = monomials(2, 2), points.std(axis=0)
    moments = Moments.of(*terms_at(terms, points, spreads))
    for k in (2, 3, 4, 5):
        chosen = subsets(terms, k)
        assert len(chosen) == sum(
            {1, 2} <= {v for i in s for v in from_tree(terms[i]).variables}
            for s in combinations(range(6), k)
        )
        ranked = [relation for _, relation in smallest(moments, chosen, len(chosen))]
        assert [r.size for r in ranked] == sorted(r.size for r in ranked)
        for relation in ranked:
            place = np.ix_(relation.indices, relation.indices)
            a, g = moments.a[0][place], moments.g[0][place]
            largest = eigh(g, a, eigvals_only=True)[-1]  # G is singular where 1 is among them
            assert relation.size == pytest.approx(1.0 / np.sqrt(largest), rel=1e-6)
            scaled = relation.coefficients * moments.scale[0][relation.indices]
            assert scaled @ a @ scaled == pytest.approx(relation.size**2 * (scaled @ g @ scaled))
        best = smallest(moments, chosen, 1)[0][1]
        assert list(best.indices) == list(ranked[0].indices)


def test_a_subset_is_solved_as_it_would_be_alone(cloud, rng):
    """To the last bit, beside others that converge sooner or later."""
    points, terms = add_noise(cloud("x1**2 + 3*x2**2 - 2"), 0.02, rng), monomials(2, 2)
    moments = Moments.of(*terms_at(terms, points, points.std(axis=0)))
    chosen = subsets(terms, 3)
    sizes, weights = moments.relations(chosen, np.zeros(len(chosen), int))
    for k in range(len(chosen)):
        size, weight = moments.relations(chosen[k : k + 1], np.zeros(1, int))
        assert size[0] == sizes[k] and np.array_equal(weight[0], weights[k])


def test_of_several_sets_of_terms_the_best_one_is_chosen(cloud, rng):
    """x2 = exp(1.3·x1) among exp(t·x1) for five t."""
    points = add_noise(cloud("x2 - exp(1.3*x1)", variable=2), 0.001, rng)
    rates, moments = (0.7, 1.0, 1.3, 1.6, 1.9), []
    for t in rates:
        terms = [("c", 1.0), ("x", 2), ("exp", ("mul", ("c", t), ("x", 1)))]
        spreads = points.std(axis=0)
        moments.append(terms_at(terms, points, spreads))
    several = Moments.of(*(np.concatenate(part) for part in zip(*moments, strict=True)))
    ((which, found),) = smallest(several, subsets(terms, 2), 1)
    assert rates[which] == 1.3
    assert found.coefficients[1] / found.coefficients[0] == pytest.approx(-1.0, rel=1e-2)


def test_the_root_of_lambda_is_the_noise(cloud, rng):
    points = cloud("x1**2 + 3*x2**2 - 2", n=2000)
    for level in (0.003, 0.01, 0.03):
        noisy = add_noise(points, level, rng)
        terms = monomials(2, 2)
        moments = Moments.of(*terms_at(terms, noisy, noisy.std(axis=0)))
        ((_, best),) = smallest(moments, subsets(terms, 3), 1)
        assert list(best.indices) == [0, 3, 5], "1, x1², x2²"
        assert best.size == pytest.approx(level, rel=0.15)


def test_slopes_are_derivatives(cloud):
    points, terms, step = cloud("x1*x2 - 0.5"), monomials(2, 3), 1e-6
    (columns,), (slopes,) = terms_at(terms, points, np.array([2.0, 0.5]))
    np.testing.assert_array_equal(columns, columns_of(terms, points))
    for j, spread in enumerate((2.0, 0.5)):
        moved = points.copy()
        moved[:, j] += step
        difference = (columns_of(terms, moved) - columns_of(terms, points)) / step
        np.testing.assert_allclose(slopes[j], spread * difference, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("law, d", [("x1**2 + 2*x2**2 - 2", 2), ("x1**2 + x2**2 - x3 - 1", 3),
                                    ("x1 + 0.7*log(x2**2) - x3", 3),
                                    ("x1 - 0.5*exp(x3) + 0.3*x2", 3)])  # fmt: skip
@pytest.mark.parametrize("level", [0.01, 0.03])
def test_a_noisy_relation_is_among_the_best_of_its_size(law, d, level, rng, cloud):
    points = add_noise(cloud(law, d), level, rng)
    found = among(bases(points), points, errors_of(points), Prices())
    assert of_terms(parse(law)) in {of_terms(f) for f in found}


@pytest.mark.parametrize("law", ["x1**2 + 1.2*x1*sqrt(x2) + 2.1*x1*x3 + 0.12",
                                 "x1**4 + 0.31*x2 + 1.32*sqrt(x3) - 1.4",
                                 "x1 + 1.2*x2*cos(x3) - 0.4*x3*cos(x3) - 1.4"])  # fmt: skip
def test_a_noisy_relation_of_a_hundred_terms_is_among_the_cheapest(law, rng, cloud):
    points = np.random.default_rng(0).permutation(cloud(law, n=600))
    points = add_noise(points[(points[:, 1:] > 0.05).all(axis=1)][:200], 0.01, rng)
    wide = noisy(points)[-1]
    assert len(wide) > 90
    found = among([wide], points, errors_of(points), Prices())
    assert canonical(parse(law)).codes in codes_of(found)


@pytest.mark.parametrize("law, d", [("x1**2 + 1.1*x2**2 + 0.9*x3**2 - 4*sqrt(x1**2 + x2**2) + 3", 3),
                                    ("x1**2 + 1.1*x2**2 - 2*x1 - 2*sqrt(x1**2 + x2**2)", 2),
                                    ("(x1**2 + x2**2)**2 - 8*x1**2 + 8.5*x2**2", 2),
                                    ("x3 - 1.1*x1*cos(x2)**2", 3)])  # fmt: skip
def test_radii_and_squares_of_waves_are_terms_of_noisy_relations(law, d, rng):
    box = Box(np.full(d, -4.0), np.full(d, 4.0))
    points = add_noise(drawn(parse(law), "whole", 200, box, rng), 0.01, rng)
    found = among(noisy(points), points, errors_of(points), Prices())
    assert canonical(parse(law)).codes in codes_of(found)


def test_the_nearest_relations_are_those_of_least_distance(cloud, rng):
    points = add_noise(cloud("x1**2 + 3*x2**2 - 2"), 0.03, rng)
    terms, spreads = monomials(2, 2), points.std(axis=0)
    (columns,), (slopes,) = both = terms_at(terms, points, spreads)
    moments, chosen = Moments.of(*both), subsets(terms, 3)
    found = nearest(moments, columns, slopes, chosen, len(chosen), 5)
    assert list(found[0].indices) == [0, 3, 5]
    assert found[0].size == pytest.approx(0.68 * 0.03, rel=0.15)
    assert [r.size for r in found] == sorted(r.size for r in found) and len(found) == 5
    for relation in found:
        value, gradient = relation.of(terms).value_and_gradient(points)
        away = np.abs(value) / np.linalg.norm(gradient * spreads, axis=1)
        expected = np.mean(np.sqrt(np.minimum(away, 1.0))) ** 2
        assert relation.size == pytest.approx(expected, rel=1e-9)
    every = nearest(moments, columns, slopes, chosen, len(chosen), len(chosen))
    assert [r.size for r in every[:5]] == [r.size for r in found] and len(every) == len(chosen)
    assert nearest(moments, columns, slopes, chosen, 1, 5)[0].size >= found[0].size
    assert nearest(moments, columns, slopes, chosen[:0], 10, 5) == []


def test_the_cheapest_relations_are_those_of_lowest_price(cloud, rng):
    points, terms = add_noise(cloud("x1**2 + 3*x2**2 - 2"), 0.05, rng), monomials(2, 3)
    moments = Moments.of(*terms_at(terms, points, points.std(axis=0)))
    ranked = [(r, terms) for _, r in smallest(moments, subsets(terms, 3), 80)]
    prices = [200 * np.log(r.size) + form_price(r.of(terms).codes, Prices()) for r, _ in ranked]
    assert cheapest(ranked, 200, Prices(), 7) == list(np.argsort(np.round(prices, 6))[:7])
    assert cheapest(ranked, 200, Prices(), 7) != list(range(7)), "not those of least noise alone"


def test_the_codes_of_a_relation_are_those_of_its_equation():
    terms = monomials(3, 2)
    for indices in ([0, 1], [1, 4], [0, 2, 5, 9], [3, 6, 7, 8]):
        relation = Relation(np.array(indices), np.linspace(0.3, -1.7, len(indices)), 0.1)
        codes = codes_of_sum([weighted_codes(terms[i]) for i in indices])
        assert codes == relation.of(terms).codes


def test_terms_that_are_the_same_in_all_sets_are_given_once(cloud, rng):
    """With a term that is undefined at some points among them, and one among the others."""
    points = add_noise(cloud("x1**2 + 3*x2**2 - 2"), 0.03, rng)
    fixed, spreads = [*monomials(2, 2), ("ln", ("x", 1))], points.std(axis=0)
    of_x = [(name, ("mul", ("x", 3), ("x", 2))) for name in ("exp", "sqrt", "sin")]
    grid = np.array([[0.3], [1.7]])
    new = terms_at(of_x, points, spreads, grid)
    moments = Moments.of(*new, terms_at(fixed, points, spreads))
    assert list(moments.usable) == [0, 1, 2, 3, 4, 5, 7, 9]
    for k, numbers in enumerate(grid):
        terms = [*fixed, *(numbered(term, 2, numbers) for term in of_x)]
        alone = Moments.of(*terms_at(terms, points, spreads))
        np.testing.assert_allclose(moments.a[k], alone.a[0], rtol=1e-10)
        np.testing.assert_allclose(moments.g[k], alone.g[0], rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(moments.scale[k], alone.scale[0], rtol=1e-10)


def test_moments_are_weighted_sums_over_the_points(cloud, rng):
    """A, G and w_n as the module writes them, term by term."""
    points, terms = add_noise(cloud("x1**2 + 3*x2**2 - 2"), 0.03, rng), monomials(2, 2)
    (columns,), (slopes,) = both = terms_at(terms, points, points.std(axis=0))
    moments, steep = Moments.of(*both), np.linalg.norm(slopes, axis=0)
    usual = np.median(steep, axis=0)
    weights = 1.0 / np.mean((steep / np.where(usual > 0.0, usual, 1.0)) ** 2, axis=1)
    scale = np.sqrt(weights @ columns**2)
    a = np.einsum("n,nk,nm->km", weights, columns, columns) / np.outer(scale, scale)
    g = np.einsum("n,dnk,dnm->km", weights, slopes, slopes) / np.outer(scale, scale)
    np.testing.assert_allclose(moments.scale[0], scale, rtol=1e-10)
    np.testing.assert_allclose(moments.a[0], a, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(moments.g[0], g, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("terms_first", [False, True])
@pytest.mark.parametrize("shape", [(3, 1, 4), (3, 2, 4), (1, 7, 3), (1, 200, 1), (3, 200, 4)])
def test_medians_are_those_of_numpy(shape, terms_first, rng):
    """By the median over the points of each term, of values that stay as they are."""
    values = rng.standard_normal(shape)
    if terms_first:  # in memory, as where terms are left out
        values = values.swapaxes(1, 2).copy().swapaxes(1, 2)
    given = values.copy()
    assert np.array_equal(_medians(values), np.median(given, axis=1, keepdims=True))
    assert np.array_equal(values, given)


# (law, number of variables, variable solved for), one at least per dictionary
EXACT = [
    ("x1 + 0.7*sin(x2) + x1*x2 - 0.4", 2, 1),
    ("x1**2*x2 - 1.3*cos(x1) + 0.2*x2 - 0.9", 2, 2),
    ("x1 + x2 + x1*x3 + x3*sin(x3) - 0.5", 3, 1),
    ("(x1 + 1.1)*(x1 - x2)*log(x1**2) + 1.6", 2, 2),
    ("sqrt(x2) - 0.5*sin(x1**2) - 0.5*x1", 2, 2),
    ("x3 - x1**2 - 0.6*sin(x1 - x2) + 0.3", 3, 3),
    ("cos(x1)**2 - 2*x2*cos(x1) + x2**2 - 0.4", 2, 2),
    ("x2 - 1.5*exp(sin(x1)) + 0.7*x1", 2, 2),
    ("x2**2 + x2*log(x1*x2) - 0.46", 2, 1),
    ("x3 - 4.3*x1*x2*cos(x3) - x2 - 0.12", 3, 2),
    ("(x1 - 0.5)**2*(x2 + 0.3) + x1*x2 - 0.7*x2**2 + 1.3", 2, 2),  # many terms
]


@pytest.mark.parametrize("law, d, variable", EXACT, ids=[law for law, _, _ in EXACT])
def test_an_exact_law_is_looked_up(law, d, variable, cloud):
    scores = [
        two_sided(f, parse(law), d, seed=0) for f in first_exact(cloud(law, d, variable)) or []
    ]
    assert max(scores, default=0.0) > 0.95


@pytest.mark.parametrize("law", ["x1 + 0.5*x2 + 0.64", "x1 - 1.3*sqrt(x2) + 0.2"])
def test_the_law_itself_is_among_its_multiples(law, rng):
    """x1·f and f² are relations of the same library, as exact as f."""
    x = rng.uniform(0.2, 3.0, (200, 2))
    x[:, 0] = -0.5 * x[:, 1] - 0.64 if "0.64" in law else 1.3 * np.sqrt(x[:, 1]) - 0.2
    assert codes_of([parse(law)]) <= codes_of(first_exact(x))


def test_dictionaries_have_no_relation_of_their_own(rng):
    """Else every cloud would have a law: sin² + cos² = 1, ln x² = 2·ln x, √x² = x."""
    for points in (rng.standard_normal((2000, 2)), rng.uniform(0.5, 2.0, (2000, 3))):
        for library in dictionaries(points):
            assert len({from_tree(t).codes for t in library}) == len(library)
            assert exact_relation(columns_of(library, points), 13) is None


@pytest.mark.parametrize("n, d", [(20, 2), (60, 2), (200, 3)])
def test_points_without_a_law_have_none(n, d, rng):
    for points in (rng.standard_normal((n, d)), rng.uniform(1.0, 100.0, (n, d))):
        assert first_exact(points) == []


def test_smooth_functions_of_a_short_arc_are_no_law():
    """They depend on each other to 1e-11 by themselves; a law's terms do to rounding only."""
    t = np.linspace(0.0, 0.3, 100)
    assert first_exact(np.column_stack([1.0 + t, 2.0 + t + 0.2 * t**2.5])) == []
    assert first_exact(np.column_stack([1.0 + t, 0.3 + np.sin(1.0 + t) - 0.2 * (1.0 + t) ** 2]))


def test_a_column_of_few_values_has_no_dictionary(rng):
    points = np.column_stack([rng.integers(0, 6, 200), rng.standard_normal(200)]).astype(float)
    assert not list(dictionaries(points))
    points[:, 0] += 1e-3 * rng.standard_normal(200)
    assert list(dictionaries(points)) and first_exact(points) == []


@pytest.mark.parametrize("size", [1e-200, 1e-60, 1e60, 1e200])
def test_values_of_any_size_are_looked_at_without_overflow(size, rng):
    points = size * rng.standard_normal((100, 2))
    for library in [*dictionaries(points), *bases(points)]:
        near = among([library], points, np.full(2, size), Prices())
        for relation in [*exact(library, points), *near]:
            assert np.all(np.isfinite(relation.constants))


def test_a_little_noise_hides_an_exact_relation(cloud, rng):
    assert first_exact(add_noise(cloud(EXACT[0][0]), 1e-6, rng)) == []


def test_few_points_are_not_enough_for_many_terms(cloud):
    points = cloud(EXACT[0][0])
    assert first_exact(points[:40]) != []
    assert first_exact(points[:12]) == [], "half as many terms as points at most"


@pytest.mark.parametrize(
    "law", ["x1*x2**2 - 0.5*x3", "x1**2 - 3*x2**3/x3", "x1**2*x2*x3**2 - 4", "x1*x2 - 4"]
)
@pytest.mark.parametrize("negative", [False, True], ids=["positive", "either sign"])
def test_a_product_of_powers_is_read_from_logarithms(law, negative, cloud):
    d = len(parse(law).variables)
    points = cloud(law, d=d)
    points = points if negative else points[np.all(points > 0.0, axis=1)]
    found = canonical(product_of_powers(points))
    assert found.codes == canonical(parse(law)).codes
    np.testing.assert_allclose(found.constants, canonical(parse(law)).constants, rtol=1e-9)


def test_subsets_are_all_combinations_or_those_with_the_first_term():
    terms = [("c", 1.0), *(("x", 1) for _ in range(6))]
    every = [list(s) for s in combinations(range(7), 3)]
    assert subsets(terms, 3).tolist() == every == subsets(terms, 3, most=35).tolist()
    assert subsets(terms, 3, most=34).tolist() == [s for s in every if s[0] == 0]
    assert subsets(terms, 3, most=14).tolist() == []


def test_subsets_that_hold_many_variables_are_those_among_all_subsets():
    library = monomials(4, 2)
    for size in (2, 3, 4):
        assert covering(library, size, 10**6).tolist() == subsets(library, size).tolist()
    n = len(subsets(library, 3))
    assert len(covering(library, 3, n)) == n and len(covering(library, 3, n - 1)) == 0
    assert len(covering(library[:2], 1, 10)) == 1 and len(covering([], 2, 10)) == 0


def test_the_library_of_the_angle_that_a_law_has_is_the_closest(rng):
    x = rng.uniform([0.2, 0.2, 1.0], [1.2, 1.2, 3.0], (150, 3))
    points = np.column_stack([x, x[:, 2] ** 2 * np.sin(2.0 * x[:, 0]) + x[:, 1]])
    asked = waves(4, np.array([True, True, False, False]))
    (first,) = closest(asked, add_noise(points, 1e-4, rng), np.ones(4), 1)
    assert ("sin", ("mul", ("c", 2.0), ("x", 1))) in first


def test_a_law_of_logarithms_is_kept_where_it_cannot_be_written_in_powers(rng):
    """e^1000 is no constant of a fit."""
    x = rng.uniform(0.5, 5.0, (150, 3))
    for size in (100.0, 1.0):
        y = size + 0.1 * np.log(x[:, 0]) - 0.06 * np.log(x[:, 1]) + 0.04 * x[:, 2]
        points = np.column_stack([x, y])
        asked = [(terms, points, np.ones(4)) for terms in libraries.of_many(points)]
        found = [law for each in asked for law in of_many(*each)]
        near = min(np.abs(f.values(points)).max() / np.abs(f.constants).max() for f in found)
        assert near < 1e-6
