import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pie.discovery.cli import main
from pie.discovery.headers import names_and_units
from pie.discovery.laws import _with_units, discover
from pie.discovery.measurements import BadTable, measurements
from pie.discovery.result import Result
from pie.discovery.units import Units
from pie.experiments.metrics import right_skeleton
from pie.expr.canonical import canonical
from pie.expr.dimensions import Dimensions, exponents, hidden_constants
from pie.expr.expression import parse
from pie.fit.constants import Fit
from pie.search.finish import Judge
from pie.search.plus import PlusConfig
from pie.search.price import Prices, few_points, price_of, whole_price
from pie.zeroset.box import Box

POINTS = np.random.default_rng(0).uniform(0.8, 2.0, (40, 3))
EACH = np.eye(3)


@pytest.mark.parametrize(
    "equation, powers",
    [
        ("x3 - 2*exp(-0.3*x1)", [[0, 0, 1], [-1, 0, 0]]),
        ("x2 - 3*x1/(0.7 + x1)", [[0, 1, 0], [1, 0, 0]]),
        ("x1**1.5 - 2.5*x2", [[0, 0, 0], [1.5, -1, 0]]),
        ("ln(x2) - 3 + 200/x1", [[0, np.nan, 0], [1, 0, 0]]),  # Antoine's: ln of the unit of x2
        ("(x1 + 0.3)**2 + 2*x2**2 - 4", [[1, 0, 0], [2, -2, 0], [2, 0, 0]]),
    ],
)
def test_powers_of_units_in_constants(equation, powers):
    found, keeps = exponents(parse(equation), POINTS, EACH)
    assert keeps
    np.testing.assert_allclose(found, powers, atol=1e-5)


@pytest.mark.parametrize("equation", ["x2 - x3**x1", "0.3*x1 - 2*(x2 + 1)**x3"])
def test_what_no_constant_makes_up_for(equation):
    assert not exponents(parse(equation), POINTS, EACH)[1]


@pytest.mark.parametrize(
    "equation, powers",
    [
        ("sin(x1) - 3*x2", [[0, -1, 0]]),  # of 3·x2, as sin(x1) has no unit
        ("x2 - 2*exp(x1)**2", [[0, 1, 0]]),
        ("x2 - 3*ln(x1)", [[0, 1, 0]]),
        ("(x1 + x2)**2 - 3*x3", [[2, 0, -1]]),
        ("x3 - 2*cos(x1 - 0.3*x2)", [[0, 0, 1], [0, -1, 0]]),
    ],
)
def test_a_factor_that_is_one_makes_an_equation_sound(equation, powers):
    found, keeps = exponents(parse(equation), POINTS, EACH)
    assert keeps
    np.testing.assert_allclose(found, powers, atol=1e-5)


def test_another_unit_gives_another_constant_with_the_same_zero_set():
    """Euler's exponents, put to the test: points in another unit and c·s^e."""
    law, scale = parse("x3 - 2.0*exp(-0.3*x1)*x2"), np.array([1000.0, 0.01, 7.0])
    powers, _ = exponents(law, POINTS, EACH)
    points = POINTS.copy()
    points[:, 2] = 2.0 * np.exp(-0.3 * points[:, 0]) * points[:, 1]
    constants = np.array(law.constants) * np.prod(scale**powers, axis=1)
    assert np.abs(law.with_constants(constants).values(points * scale)).max() < 1e-10


def test_a_factor_of_one_may_have_a_unit():
    """Kepler's law in years and astronomical units."""
    units = Units.of(["au", "yr"], ["axis", "period"])
    assert units.of_constants(parse("x1**1.5 - x2"), POINTS[:, :2]) == ("",)


@pytest.mark.parametrize(
    "equation, dimensions, hidden",
    [
        ("x1**2 - x2 + 3.1", [1, 1, 0], 1),
        ("x1 - x2 + 3.1", [1, 1, 0], 0),
        ("x1 - x2 + x3", [1, 1, 0], 1),
        ("x1 - x2 + x3", [0, 1, 1], 1),  # one factor of both
        ("x1 - x2**2 + x3", [1, 1, 0], 2),
        ("x1 - 2*x2 + 3*x3", [1, 2, 0], 0),
        ("x1 - sin(x2)", [1, 0, 0], 1),
        ("x1 - sin(x2)", [1, 1, 0], 2),
        ("x1 - 2*sin(x2)", [1, 1, 0], 1),
        ("x1 - 2*exp(x2)*exp(x3)", [1, 1, 1], 1),  # one factor of both
        ("x1 - 2*exp(x2 - x3)", [1, 1, 2], 2),
        ("x1 + 0.4 - ln(x2)", [0, 1, 0], 0),  # 0.4 takes up the unit
        ("x1 - ln(x2)", [0, 1, 0], 1),
        ("x1 - x3**x2", [1, 1, 0], np.inf),
    ],
)
def test_a_factor_that_is_one_in_these_units_only_is_paid_like_a_constant(
    equation, dimensions, hidden
):
    f, dimensions = parse(equation), Dimensions(np.array(dimensions, float)[:, None])
    assert hidden_constants(f, POINTS, dimensions) == hidden
    fit = Fit(f, -0.1, "ok", 0.1, 0.1)
    price = whole_price(fit, POINTS, Prices(constant=3.0), dimensions)
    assert price.hidden == 3.0 * hidden
    assert whole_price(fit, POINTS, Prices(constant=3.0)).hidden == 0.0


@pytest.mark.parametrize(
    "equation, hidden",
    [
        ("x1**2 - x2 + 3.1", 1),
        ("x1*x2 - x3 + 1.7", 1),
        ("x1 - 0.3*x2", 0),
        ("x3 - sin(ln(x1))", 2),
        ("x2 - sin(x1 - x2*x3**2)*x1", 3),
    ],
)
def test_without_units_every_column_may_have_one_of_its_own(equation, hidden):
    fit = Fit(parse(equation), -0.1, "ok", 0.1, 0.1)
    points = POINTS[:, : max(fit.expression.variables)]
    assumed = Dimensions.assumed(points.shape[1])
    assert whole_price(fit, points, Prices(constant=3.0), assumed).hidden == 3.0 * hidden


def test_units_that_happen_to_be_independent_are_known_all_the_same():
    fit, points = Fit(parse("x1 - 2*x1**x2"), -0.1, "ok", 0.1, 0.1), POINTS[:, :2]
    given = Dimensions(Units.of(["m", "s"], "ab").dimensions)
    assert given.exponents.tolist() == Dimensions.assumed(2).exponents.tolist()
    for prices in (Prices(), Prices(constant=0.0)):
        assert whole_price(fit, points, prices, given).hidden == np.inf
        assert Judge(prices, dimensions=given).numbers(fit.expression, points) == np.inf


@pytest.mark.parametrize("law", ["x1**2 + x2**2 - 4", "x1 + x2 - x3"])
def test_what_is_one_because_columns_have_one_unit_is_found_without_it(law, rng):
    angle, a, b = rng.uniform(0.0, 2.0 * np.pi, 200), *rng.uniform(1.0, 5.0, (2, 200))
    columns = {2: (2.0 * np.cos(angle), 2.0 * np.sin(angle)), 3: (a, b, a + b)}
    points = np.column_stack(columns[max(parse(law).variables)])
    points = points + 0.02 * points.std(axis=0) * rng.standard_normal(points.shape)
    best = discover(points, config=PlusConfig(proposers=("relations", "shapes"))).best
    assert canonical(best.program).codes == canonical(parse(law)).codes


def test_units_that_hang_together_are_composed():
    """A force, mass and acceleration inside a square: no unit can change by itself."""
    units = Units.of(["N", "kg", "m/s^2"], ["F", "m", "a"])
    assert units.of_constants(parse("x1 - x2*(x3 + 0.4)"), POINTS) == ("m/s^2",)
    assert units.of_constants(parse("(x1 - x2*x3)**2 - 0.4"), POINTS) == ("N^2",)
    assert units.of_constants(parse("(x1 - x2*x3)**2 - 0.4*x2*sin(0.3*x1)"), POINTS) == (
        "N^2/kg", "1/N",
    )  # fmt: skip


def test_units_that_only_work_together_beside_a_number():
    units = Units.of(["N", "kg", "m/s^2"], "Fma")
    assert units.of_constants(parse("(x1 - x2*x3)**1.5 - 0.4"), POINTS) == ("", "N^(3/2)")


@pytest.mark.parametrize(
    "given, message",
    [
        (["kPa"], r"is \['kPa'\]; expected 2 values, for p, V"),
        ("kPa", "is 'kPa'; expected 2 values, for p, V"),
        ({"p": "kPa"}, "no unit of column 'V'; known are those of p"),
        (["kPa", "litres of beer"], "unit of column 'V' is 'litres of beer'; expected one such as"),
        (["kPa", "2 l"], "unit of column 'V' is '2 l'"),
        (["kPa", "__import__('os')"], "expected one such as 'kPa'"),
        (["kPa", "m" * 100], "expected one such as 'kPa'"),
        (["kPa", None], "unit of column 'V' is 'None'"),
    ],
)
def test_a_bad_unit_is_quoted(given, message):
    with pytest.raises(BadTable, match=message):
        Units.of(given, ["p", "V"])


def test_units_as_people_write_them():
    units = Units.of(["m3", "m s-1", "%", "1", ""], "abcde")
    assert units.dimensions.tolist() == [[3.0, 0.0], [1.0, -1.0], [0, 0], [0, 0], [0, 0]]


@pytest.fixture(scope="module")
def gas():
    rng = np.random.default_rng(1)
    V, n, T = rng.uniform((1.0, 0.1, 250.0), (30.0, 3.0, 450.0), (60, 3)).T
    points = np.column_stack([8.314 * n * T / V, V, n, T])
    return pd.DataFrame(points * (1.0 + 0.002 * rng.standard_normal((60, 4))), columns=[*"pVnT"])


@pytest.mark.slow
def test_a_gas_with_its_amount_from_table_to_constant_with_unit(gas, tmp_path, capsys):
    gas.to_csv(tmp_path / "gas.csv", index=False)
    units = [f"--unit={c}={u}" for c, u in {"p": "kPa", "V": "l", "n": "mol", "T": "K"}.items()]
    assert main(["discover", str(tmp_path / "gas.csv"), "--json", *units]) == 0
    content = json.loads(capsys.readouterr().out)
    (constant,) = content["best"]["constants"].values()
    assert constant["value"] == pytest.approx(8.314, rel=0.005)
    assert constant["unit"] == "kPa·l/mol/K" and content["columns"] == ["p", "V", "n", "T"]
    (tmp_path / "result.json").write_text(json.dumps(content))
    kept = Result.load(tmp_path / "result.json")
    assert "kPa·l/mol/K" in str(kept) and kept.best.units == ("kPa·l/mol/K",)


@pytest.mark.parametrize(
    "noise, law",
    [(0.0, "2*exp(2*x1)"), (0.0, "4*sin(x1)"), (0.02, "4*sin(x1)"), (0.0, "3*ln(x1)"),
     (0.02, "3*exp(-x1)")],
)  # fmt: skip
def test_a_rate_of_one_in_the_units_of_the_table_is_found(noise, law, rng):
    t = np.sort(rng.uniform(0.1, 3.0, 60))
    points = np.column_stack([t, np.zeros(60)])
    points[:, 1] = parse(law).values(points)
    truth, box = parse(f"x2 - {law}"), Box(points.min(axis=0), points.max(axis=0))
    points[:, 1] += noise * points[:, 1].std() * rng.standard_normal(60)
    config = PlusConfig(proposers=("relations", "shapes"))
    best = discover(points, config=config, units=["s", "m"]).best
    assert right_skeleton(best.program, truth, 2, 0, box)
    assert all(best.units) and len(best.units) == len(best.program.constants)


def test_a_rate_that_becomes_one_is_no_cheaper_where_units_are_known():
    dimensions = Dimensions(np.eye(2)), Dimensions.assumed(2), None
    law, points = parse("x2 - 4*sin(x1)"), POINTS[:, :2]
    prices = [Judge(dimensions=one).numbers(law, points) for one in dimensions]
    one = Prices().constant
    assert np.array(prices) - few_points(1, 40) == pytest.approx([2.0 * one, one, one])


@pytest.mark.parametrize(
    "equation",
    ["x2 - 2.5*sin(0.017453292519943295*x1)", "x3 - 2.3*x1 - 2.3 - 1.7*x2", "x1 - 1.7*(x2 + 1)"],
    ids=["a rate of degrees", "a number equal to another", "one"],
)
def test_a_number_that_is_known_in_these_units_only_costs_what_a_fitted_one_costs(equation):
    law = parse(equation)
    points = POINTS[:, : max(law.variables)]
    judge = Judge(dimensions=Dimensions.assumed(points.shape[1]))
    paid = judge.numbers(law, points) - few_points(len(law.constants) - 1, 40)
    assert paid == pytest.approx(Prices().constant * len(law.constants))
    price = whole_price(Fit(law, -0.1, "ok", 0.1, 0.1), points, Prices(), judge.dimensions)
    assert price.constants + price.hidden + price.bound == judge.numbers(law, points)


@pytest.mark.parametrize(
    "degrees, paid", [((), 3), ((False, False), 3), ((True, False), 2), ((True, True), 1)]
)
def test_a_rate_of_degrees_is_free_if_the_unit_of_its_column_tells_it(degrees, paid):
    law = parse("sin(0.017453292519943295*x1) - 1.5*sin(0.017453292519943295*x2)")
    points, fitted = POINTS[:, :2], few_points(1, 40)
    dimensions = Dimensions(np.zeros((2, 0)), degrees=degrees)
    one = Prices().constant
    assert Judge(dimensions=dimensions).numbers(law, points) == pytest.approx(fitted + paid * one)
    exact = Fit(law, -1e-12, "ok", 1e-12, 1e-12)
    assert whole_price(exact, points, Prices(), dimensions).constants == pytest.approx(paid * one)


def test_no_price_falls_where_known_numbers_cost_more_than_fitted_ones():
    fit, prices = Fit(parse("x1 - 1.7*(x2 + 1)"), -0.1, "ok", 0.1, 0.1), Prices(constant=1.0)
    whole = whole_price(fit, POINTS[:, :2], prices, Dimensions.assumed(2))
    assert whole.total >= price_of(fit, len(POINTS), prices).total


def test_values_beyond_all_bounds_are_left_out():
    """As of a fit that ran away: 1e160 over slopes of 1e-160."""
    lost = parse("1e-160*x1 + 1e-160*x2 + 1e160")
    points = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    assert hidden_constants(lost, points, Dimensions.assumed(2)) == 0.0, "nothing is known"


def test_an_equation_that_is_too_long_with_hidden_factors_has_none():
    """155 tokens, and 2 for each of the factors that may be hidden: more than 256."""
    pairs = [(1 + k % 3, 1 + (k // 3) % 3) for k in range(26)]
    long = parse(" + ".join(f"x{i}**2*sin(x{j})" for i, j in pairs))
    points = np.random.default_rng(0).uniform(1.0, 2.0, (60, 3))
    assert hidden_constants(long, points, Dimensions.assumed(3)) == 3.0
    assert hidden_constants(long, points, Dimensions(np.eye(3))) == np.inf


def test_what_the_units_forbid_is_left_out():
    """An exponent in seconds."""
    law = SimpleNamespace(program=parse("x1 - 2*x1**x2"))
    law.certificate = SimpleNamespace(law=True)
    assert _with_units([law], Units.of(["m", "s"], "ab"), POINTS[:, :2]) == ([], [law])


def test_names_that_are_numbers_are_names():
    assert Units.of({1995: "m", 1996: "s"}, ["x_1995", "x_1996"]).names == ("m", "s")
    assert Units.of({1: "s", 0: "m"}, ["x1", "x2"]).names == ("m", "s")


def test_names_of_units_with_a_digit_are_no_powers():
    """Centimetres of water, a pressure."""
    water = Units.of(["cmH2O", "kPa", "m3"], ["p", "q", "V"])
    assert (water.dimensions[0] == water.dimensions[1]).all() and water.dimensions[2].max() == 3.0


def test_a_constant_beside_a_logarithm_has_the_unit_of_its_term():
    x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    units = Units.of(["mA/cm^2", "V"], "jE")
    assert units.of_constants(parse("x2 - 0.12*ln(x1) - 0.8"), x) == ("V", "V")


def test_years_and_dates_have_the_unit_in_which_they_are_counted():
    days = pd.date_range("2003-01-01", periods=60, freq="D")
    frame = pd.DataFrame({"day": days, "n": np.exp(0.05 * np.arange(60.0))})
    table = measurements(frame)
    for given in ({"n": "1"}, {"day": "h", "n": "1"}, ["h", "1"]):
        assert Units.of(given, table.names, table.scales).names == ("days", "1")
    frame.columns = ["day (h)", "n (1)"]
    assert Units.of_headers(measurements(frame), []).names == ("days", "1")


def test_headers_have_units_as_people_write_them():
    names = ["a (m/s²)", "T [deg C]", "c (kJ/kg K)", "t / s", "U / Umax"]
    found = dict(names_and_units(names))
    assert found == {"a": "m/s²", "T": "deg C", "c": "kJ/kg K", "t / s": "", "U / Umax": ""}
    units = Units.of(["m/s", "m/s²", "m"], ["v", "a", "s"])
    points = np.random.default_rng(0).uniform(1.0, 2.0, (30, 3))
    assert units.of_constants(parse("x1**2 - 2.5*x2"), points) == ("m",)
    assert Units.of(["deg C", "K"], "ab").offset == (True, False)
