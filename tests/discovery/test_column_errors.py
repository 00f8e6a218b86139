import numpy as np
import pandas as pd
import pytest

from pie import discover
from pie.discovery.cli import main
from pie.discovery.column_errors import known_errors, least_errors
from pie.discovery.measurements import BadTable, measurements
from pie.fit.uncertainty import rms_distance, usual_points
from pie.search.plus import PlusConfig

X, Y = "length", "period"
FAST = PlusConfig(beam=16)


def pendulum(seed, sigma_x, sigma_y, n=80):
    """T = 2.006·sqrt(L), errors in both columns."""
    rng = np.random.default_rng(seed)
    length = rng.uniform(0.3, 2.0, n)
    noise = rng.standard_normal((2, n))
    period = 2.006 * np.sqrt(length)
    return pd.DataFrame({X: length + sigma_x * noise[0], Y: period + sigma_y * noise[1]})


def test_errors_are_taken_by_name_and_in_order():
    np.testing.assert_array_equal(known_errors([0.1, 0.2], [X, Y]), [0.1, 0.2])
    np.testing.assert_array_equal(known_errors({Y: "0.2", X: 0.1, "k": 3}, [X, Y]), [0.1, 0.2])
    assert known_errors(None, [X]) is None


def test_columns_of_errors_are_those_of_the_others_and_no_variables():
    table = pendulum(1, 0.0, 0.02)
    called = {"length_err": 0.0, "sigma_period": 0.02, "error": 0.5}
    for name, size in called.items():
        table[name] = size * np.linspace(0.9, 1.1, len(table))
    found = measurements(table.drop(columns="error"))
    assert found.names == (X, Y) and found.errors[0] == 0.0
    assert found.errors[1] == pytest.approx(0.02, rel=0.01)
    said = "column 'sigma_period' is taken for the error of 'period': 0.02 in the root mean square"
    assert said in found.notes
    assert measurements(table).names == (X, Y, "error")
    result = discover(table[[X, Y, "sigma_period"]], config=FAST)
    assert result.best.name in ("square law", "square-root law") and 0.7 < result.best.chi < 1.4
    given = discover(table[[X, Y, "sigma_period"]], config=FAST, uncertainties=[0.0, 0.2])
    assert given.best.chi < 0.2


def test_what_cannot_be_an_error_is_a_variable():
    table = pendulum(1, 0.0, 0.02)
    for own in (-0.1, 0.0):  # negative, or never there
        found = measurements(table.assign(period_sd=own * np.linspace(0.9, 1.1, len(table))))
        assert found.errors == (0.0,) * len(found.names)
    other = {X: table[X], "T (s)": table[Y], "T_sd (ms)": 20.0 * table[Y]}
    assert measurements(other).names == (X, "T", "T_sd")
    two = measurements({"y": table[X], "y_err": table[Y]})
    assert two.names == ("y", "y_err") and not any(two.errors)


@pytest.mark.parametrize(
    "given, message",
    [
        ([0.1], r"is \[0.1\]; expected 2 values, for length, period"),
        ({X: 0.1}, "no uncertainty of column 'period'; known are those of length"),
        ({X: 0.1, Y: -1.0}, "the uncertainty of column 'period' is -1.0; expected a number"),
        ({X: 0.1, Y: "wide"}, "the uncertainty of column 'period' is 'wide'"),
        ({X: 0.1, Y: 10**400}, "the uncertainty of column 'period' is 1000"),
        ({X: 0.1, Y: np.inf}, "the uncertainty of column 'period' is inf"),
        ([0.0, 0.0], "all uncertainties are 0"),
    ],
)
def test_what_is_no_uncertainty_is_quoted(given, message):
    with pytest.raises(BadTable, match=message):
        known_errors(given, [X, Y])


@pytest.mark.parametrize("digits", [0, 1, 3])
def test_least_errors_are_those_of_rounding(digits, rng):
    """The second column is coarser for its spread, so the first one says how exact values are."""
    exact = rng.uniform(0.0, 1.0, (4000, 2)) * [50.0, 3.0]
    points = np.column_stack([exact[:, 0].round(digits), exact[:, 1].round(digits)])
    off = (points - exact)[:, 0].std()
    expected = off / points[:, 0].std() * points.std(axis=0)
    np.testing.assert_allclose(least_errors(points), expected, rtol=0.1)


def test_a_column_with_all_its_digits_leaves_no_least_error(rng):
    points = rng.standard_normal((50, 2))
    assert not least_errors(points).any()
    points[:, 0] = points[:, 0].round(1)
    assert not least_errors(points).any(), "the other column is exact"


def test_least_errors_are_in_the_units_of_the_columns(rng):
    points = rng.uniform(0.0, 9.0, (60, 2)).round(2)
    np.testing.assert_allclose(least_errors(0.1 * points), 0.1 * least_errors(points), rtol=1e-9)


def test_multiples_of_ten_count_as_whole_numbers():
    set_values = np.column_stack([10.0 * np.arange(1.0, 9.0), 10.0 * np.arange(8.0) ** 2])
    expected = [0.0, 1.0 / np.sqrt(12.0)]  # equal steps were set
    np.testing.assert_allclose(least_errors(set_values), expected)


@pytest.mark.parametrize(
    "doses",
    [np.repeat([10.0, 200.0, 5000.0], 20), 100.0 * np.arange(60), 10.0 * 2.0 ** np.arange(60) / 16],
    ids=["few values", "equal steps", "equal ratios"],
)
def test_a_column_that_was_set_is_exact_and_says_nothing_of_the_others(doses, rng):
    """Whole numbers up to thousands seem to be known far better than a response to 0.1."""
    response = rng.uniform(0.0, 9.0, 60).round(1)
    found = least_errors(np.column_stack([doses, response]))
    np.testing.assert_allclose(found, [0.0, 0.1 / np.sqrt(12.0)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))  # L − k·T², one constant
def test_the_fit_counts_distances_in_the_uncertainties(seed):
    """All error in one column: of one form, the constant is the one that leaves the least of it."""
    table = pendulum(seed, 0.06, 0.0, 150)
    unknown = discover(table, config=FAST).best
    result = discover(table, config=FAST, uncertainties={X: 0.06, Y: 0.0})
    known = result.best
    points, units = table.to_numpy(), np.array([0.06, 0.0])
    usual = usual_points(known.program, points, units)
    left = [rms_distance(law.program, points, units, usual) for law in (unknown, known)]
    assert known.program.codes == unknown.program.codes
    assert left[1] < left[0], "equal if the fit ignored them"
    assert unknown.chi is None and known.chi == pytest.approx(1.0, abs=0.2)
    assert f"{result.best.chi:.2g} times the uncertainties" in str(result)


def test_chi_tells_that_the_errors_are_larger_than_said():
    found = discover(pendulum(1, 0.01, 0.01), config=FAST, uncertainties=[0.001, 0.001]).best
    assert found.chi == pytest.approx(10.0, rel=0.25)


def test_the_command_line_takes_them(tmp_path, capsys):
    path = tmp_path / "pendulum.csv"
    pendulum(0, 0.01, 0.01).to_csv(path, index=False)
    assert (
        main(["discover", str(path), "--uncertainty", f"{X}=0.01", "--uncertainty", f"{Y}=0.01"])
        == 0
    )
    assert "times the uncertainties" in capsys.readouterr().out
    assert main(["discover", str(path), "--uncertainty", X]) == 2
    assert "uncertainty 'length'; expected COLUMN=VALUE" in capsys.readouterr().err


def test_a_series_is_taken_by_its_names():
    assert known_errors(pd.Series({Y: 0.1, X: 0.2}), [X, Y]).tolist() == [0.2, 0.1]


@pytest.mark.parametrize("unit", [1e-3, 1e-6, 1e-12])
def test_digits_tell_as_much_in_any_unit(unit, rng):
    """In SI a current of microamperes has no digits before the fifth place."""
    points = rng.uniform(1.0, 9.0, (60, 2)).round(2)
    assert np.allclose(least_errors(unit * points), unit * least_errors(points), rtol=1e-6)
    exact = rng.uniform(1.0, 9.0, (60, 2))
    assert not least_errors(unit * exact).any()
