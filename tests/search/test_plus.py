"""PIE+: views, refinement and the search, ranked by error and complexity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pie.data.sampling import add_noise, multiply_noise
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import Expression, parse, to_tree
from pie.expr.terms import monomials, terms
from pie.fit.constants import Fit
from pie.fit.sampson_fits import fit_sampson
from pie.network.model import load_weights
from pie.search import search
from pie.search.completion import relations
from pie.search.plus import PlusConfig, cost, discover_plus, in_user_coordinates
from pie.search.refinement import neighbours, simpler, spliced
from pie.search.views import View, views_of
from pie.zeroset.roots import points_on_zero_set

FAST = PlusConfig(beam=24, rounds=1, parents=2)


@pytest.fixture(scope="module")
def model(root):
    return load_weights(root / "data/models/pie")


def cloud(text, n=200, seed=0, d=2, variable=1):
    rng = np.random.default_rng(seed)
    return points_on_zero_set(parse(text), rng.standard_normal((n, d)), variable, rng)


# ---- views ----


def test_a_view_and_back_is_the_same_law(items):
    rng = np.random.default_rng(2)
    for item in items[:40]:
        d = item.points.shape[1]
        view = View("any", rng.normal(size=d), np.exp(rng.normal(size=d)))
        seen = view.of(item.points)
        value, gradient = view.back(item.target).value_and_gradient(item.points)
        there, _ = item.target.value_and_gradient(seen)
        known = np.isfinite(there) & np.isfinite(value) & (np.abs(there) < 1e6)
        np.testing.assert_allclose(value[known], there[known], rtol=1e-6, atol=1e-7)
        assert np.mean(np.isfinite(there) == np.isfinite(value)) > 0.95
        assert gradient.shape == seen.shape


def test_views_are_taken_where_they_help(rng):
    normal = rng.standard_normal((300, 2))
    assert [v.name for v in views_of(normal)] == ["as_given", "scaled"]
    assert [v.name for v in views_of(normal + [9.0, 0.0])] == ["as_given", "scaled", "centred"]
    assert [v.name for v in views_of(normal * [1e6, 1.0])] == ["scaled"]
    assert [v.name for v in views_of(normal * [1e6, 1.0], ("as_given",))] == ["scaled"]
    with pytest.raises(ValueError, match="unknown view 'log'"):
        views_of(normal, ("log",))


def test_a_change_of_units_does_not_change_the_scaled_view(rng):
    points = rng.uniform(1.0, 5.0, (100, 2))
    (one,), (other,) = (views_of(p, ("scaled",)) for p in (points, points * [1e-3, 2.54]))
    np.testing.assert_allclose(one.of(points), other.of(points * [1e-3, 2.54]), rtol=1e-12)


# ---- refinement ----


def skeletons_of(made):
    forms = set()
    for f in made:
        try:
            forms.add(canonical(f).codes)
        except ValueError:
            continue
    return forms


@pytest.mark.parametrize(
    "near, law",
    [
        ("x2 - exp(x1)", "x2 - exp(1.5*x1)"),
        ("x2 - sqrt(x1)", "x2 - sqrt(x1 + 3)"),
        ("x1*x2 - 2", "x1*x2**2 - 2"),
        ("x1**2 + x2**2 - 1", "x1**2 + 3*x2**2 - 1"),
        ("x1 - sin(x2)", "x1 - cos(x2)"),
        ("x1 - 2*x2", "x1 - 2*x2 + 0.5"),
        ("x1 - 2*x2 - 1", "x1 - 2*x1*x2 - 1"),
        ("x2 - x1**2", "x2 - x1**2.4"),
        ("x1 + x2 - 1", "x1 + x2 + 0.3*sin(x2) - 1"),
    ],
    ids=["constant inside", "shift inside", "power", "coefficient", "function", "offset", "factor",
         "free exponent", "nothing"],
)  # fmt: skip
def test_one_change_leads_from_a_near_miss_to_the_law(near, law):
    reached = canonical(parse(law)).codes in skeletons_of(neighbours(parse(near), 2))
    assert reached == ("0.3*sin(x2)" not in law)


def test_a_term_of_another_candidate_can_be_spliced_in():
    one, other = parse("x1 + x2 - 1"), parse("x1 + 2*sin(x2) + 3")
    wanted = canonical(parse("x1 + x2 + 0.3*sin(x2) - 1")).codes
    assert wanted in skeletons_of(spliced(one, other))
    assert len(list(spliced(one, one))) == 0


def test_terms_carry_their_signs(rng):
    f = parse("x1 - (x2 - 3*x1**2) - 2")
    points = rng.standard_normal((5, 2))
    total = sum(Expression(*_flat(t)).values(points) for t in terms(to_tree(f)))
    np.testing.assert_allclose(total, f.values(points))


def _flat(tree):
    from pie.expr.expression import from_tree

    f = from_tree(tree)
    return f.codes, f.constants


def test_simpler_equations_have_fewer_constants():
    f = parse("1.001*x1 + 0.003*x2**2 - 2")
    assert {"x1 + 0.003*x2**2 - 2.0", "1.001*x1 - 2.0", "1.001*x1 + 0.003*x2**2"} <= {
        str(g) for g in simpler(f)
    }
    assert all(len(g.constants) <= len(f.constants) for g in simpler(f))
    assert "x1**2" in {str(g) for g in simpler(parse("x1**1.98"))}


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_every_neighbour_of_any_equation_is_a_program(seed):
    from pie.data.generator import GeneratorConfig, random_tree

    f = Expression(*_flat(random_tree(np.random.default_rng(seed), GeneratorConfig())))
    for g in neighbours(f, 3):
        assert isinstance(g, Expression) and g != f


# ---- the search ----


def test_the_price_of_complexity_decides_between_equal_errors():
    short, long = parse("x1*x2 - 1"), parse("x1*x2 - 1 + 0.001*sin(x1)")
    config = PlusConfig()
    at = lambda f, contrast: cost(Fit(f, -1e-3, "ok", 1e-3, contrast), 200, config)  # noqa: E731
    assert at(short, 0.01) < at(long, 0.01) < at(short, 0.02)
    assert at(short, 1e-15) == at(short, 1e-9), "both are exact"
    assert cost(Fit(short, -np.inf, "no zeros"), 200, config) == np.inf


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e-3, 1e6), (1e9, 0.2)], ids=str)
def test_a_law_is_found_in_any_units(model, units):
    points = cloud("x1*x2**2 - 0.5") * units
    result = discover_plus(model, points, FAST)
    expected = canonical(parse("x1*x2**2 - 0.5"))
    form = canonical(result.best.expression)
    assert form.codes == expected.codes
    level = -0.5 * units[0] * units[1] ** 2
    assert form.constants[-1] == pytest.approx(level, rel=1e-6)


def test_candidates_come_cheapest_first_and_repeat(model):
    points = cloud("x2 - exp(1.5*x1) + 0.3", variable=2)
    result = discover_plus(model, points, FAST)
    assert 1 <= len(result.candidates) <= FAST.returned and result.seconds > 0.0
    assert np.isfinite(result.best.contrast) and result.best.status == "ok"
    prices = [
        cost(Fit(c.expression, c.fitness, c.status, c.error, c.contrast), len(points), FAST)
        for c in result.candidates
    ]
    assert prices[:10] == sorted(prices[:10]) and prices[0] < prices[-1]  # the front comes last
    again = discover_plus(model, points, FAST, workers=2)
    assert [c.expression for c in again.candidates] == [c.expression for c in result.candidates]


def test_more_rounds_never_end_at_a_dearer_fit(model):
    points = cloud("x2 - sqrt(x1**2 + 2.2) + 0.7*sin(x1)", variable=2)
    prices = []
    for rounds in (0, 1, 3):
        config = PlusConfig(beam=8, rounds=rounds, parents=2, degree=0, views=("as_given",))
        best = discover_plus(model, points, config).best
        fit = Fit(best.expression, best.fitness, best.status, best.error, best.contrast)
        prices.append(cost(fit, len(points), config))
    assert prices[2] < prices[0], "three rounds found nothing better"
    assert prices[2] <= prices[1] <= prices[0], "a round ended at a dearer fit"


def test_an_exact_polynomial_is_completed_from_monomials(model):
    """Nothing decoded, nothing refined: one skeleton of the network, then linear completion."""
    law = "x1**2*x2 - 0.3*x1*x2**2 + 0.8*x2 - 1.1"
    points = cloud(law, variable=1)
    with_it, without = (
        discover_plus(model, points, PlusConfig(beam=1, rounds=0, degree=degree))
        for degree in (3, 0)
    )
    assert canonical(with_it.best.expression).codes == canonical(parse(law)).codes
    assert with_it.best.contrast < 1e-7 < without.candidates[0].contrast


def test_a_noisy_polynomial_is_what_is_left_of_the_whole_one(model, rng):
    """Singular vectors miss it, as a look at the terms that they choose shows."""
    law = canonical(parse("x1**2 + x1*x2 + 2*x2**2 - 1.5"))
    points = add_noise(cloud("x1**2 + x1*x2 + 2*x2**2 - 1.5"), 0.03, rng)
    chosen = {canonical(f).codes for f in relations(monomials(2, 2), points)}
    best = discover_plus(model, points, PlusConfig(beam=1, rounds=0, degree=2)).best
    assert best.expression.codes == law.codes and law.codes not in chosen


@pytest.mark.parametrize("text", ["x1*x2 - 5.488", "x1 + 0.65*x2 - 0.58"])
def test_noise_is_not_fitted_by_oscillation(model, text, rng):
    """Of x1·x2 = c even sin(exp(exp(x1·x2))) is a function, with zeros next to every point."""
    points = multiply_noise(cloud(text, seed=1), 1e-3, rng)
    best = discover_plus(model, points, PlusConfig(beam=24)).best.expression
    assert two_sided(best, parse(text), 2, seed=0, tolerance=0.02) > 0.9


@pytest.mark.parametrize(
    "text, variable, d",
    [("x1 - 0.4*sqrt(1 - x2**2/x3**2)", 1, 3), ("x2 + sqrt(x1**2 + x2)", 2, 2)],
    ids=["one sign of three", "a hyperbola's branch"],
)
def test_of_exact_fits_the_one_with_fewer_other_zeros_wins(model, text, variable, d):
    """The square of the law fits as well, and has the other branch."""
    points = cloud(text, 400, d=d, variable=variable)
    best = discover_plus(model, points, FAST).best.expression
    assert two_sided(best, parse(text), d, seed=0) > 0.95


def test_refinement_ends_in_the_middle_of_a_round_where_the_fits_do(model, rng, monkeypatch):
    """Changes of good candidates are fitted until all fits are spent, those of the beam included."""
    counts = []

    def counted(expressions, *rest, **how):
        counts.append((len(expressions), how["n_starts"]))
        return fit_sampson(expressions, *rest, **how)

    monkeypatch.setattr(search, "fit_sampson", counted)
    points = add_noise(cloud("x1*x2 - 0.9"), 0.05, rng)  # nothing is exact
    for fits in (100, 160):
        counts.clear()
        config = PlusConfig(beam=24, degree=0, rounds=2, views=("as_given",), fits=fits)
        discover_plus(model, points, config)
        refined = sum(count for count, starts in counts if starts == 8)
        beam = sum(count for count, starts in counts if starts == config.starts)
        assert 0 < refined <= fits - beam


def test_an_arc_gives_the_whole_curve(model):
    """Where all coordinates are positive nothing tells that the others could not be."""
    angle = np.linspace(0.2, 1.3, 150)
    arc = np.column_stack([2.0 * np.cos(angle), np.sin(angle)])
    best = discover_plus(model, arc, FAST).best.expression
    assert canonical(best).codes == canonical(parse("x1**2 + 4*x2**2 - 4")).codes


@pytest.mark.parametrize("text", ["x2*(x1 + x2)", "x1 - x1**2*(x2 + x2**3)"])
def test_a_law_with_a_variable_as_a_factor_is_found(model, text):
    """Half of the points lie on a coordinate plane, and so do as many of any other cloud."""
    variable = 2 if text.startswith("x2") else 1
    points = cloud(text, variable=variable)
    assert np.mean(points[:, variable - 1] == 0.0) > 0.3
    best = discover_plus(model, points, FAST).best.expression
    assert canonical(best).codes == canonical(parse(text)).codes


def test_a_polynomial_is_found_at_its_own_degree(model):
    """Beyond it the relations are multiples of the law."""
    points = cloud("x1**2 + 3*x2**2 - 2")
    best = discover_plus(model, points, PlusConfig(beam=1, rounds=0, degree=4)).best
    assert canonical(best.expression).codes == canonical(parse("x1**2 + 3*x2**2 - 2")).codes


def test_constants_that_are_one_or_zero_by_rounding_are_dropped():
    view = View("scaled", np.zeros(2), np.array([2.0, 1 / 3]))
    points = cloud("x1 + exp(x2) - 4")
    seen = canonical(parse("x1*2 + exp(x2/3)*(1 + 1e-12) - 4"))
    found = in_user_coordinates(view.back(seen), points, PlusConfig()).expression
    assert str(found) == "x1 + exp(x2) - 4.0"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"beam": -1}, "inference_plus.beam is -1"),
        ({"beam": 0}, "both 0"),
        ({"starts": 0}, "inference_plus.starts is 0"),
        ({"rounds": -2}, "inference_plus.rounds is -2"),
        ({"views": ("polar",)}, "holds 'polar'"),
    ],
)
def test_settings_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        PlusConfig(**arguments)
