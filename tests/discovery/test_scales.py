"""Columns whose zero is a convention: calendar years, dates, degrees Celsius."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest
import sympy

from pie import discover
from pie.discovery.measurements import BadTable, columns_in, measurements, read_csv
from pie.discovery.result import Result
from pie.discovery.scales import Scale, scale_of_numbers
from pie.report.pictures import plot, residuals

YEARS = np.arange(1970, 2016)
HOURS = np.arange(40) / 2.0
NOISE = np.random.default_rng(1).standard_normal(60)


def logistic(t, most, rate, middle):
    return most / (1.0 + np.exp(-rate * (t - middle)))


@pytest.fixture(scope="module")
def shares():
    """A table of 46 years, and what is found in it."""
    share = logistic(YEARS, 92.0, 0.5, 1992.0) + 0.8 * NOISE[:46]
    table = pd.DataFrame({"year": YEARS, "share": share})
    return table, discover(table)


def test_a_logistic_curve_of_calendar_years_is_found_and_written_as_people_write_it(shares):
    _, result = shares
    law = result.best
    assert law.name == "logistic"
    assert law.in_symbols == "share = c3/(1 + exp(-c1*(year - c2 - 1970)))"
    rate, middle = law.constants["c1"], law.constants["c2"]
    assert abs(rate[0] - 0.5) < 4.0 * rate[1] < 0.1
    assert abs(middle[0] - 22.0) < 4.0 * middle[1] < 0.4
    assert "column 'year' is counted in years from 1970" in result.notes


def test_such_a_law_takes_calendar_years_and_gives_them(shares):
    table, result = shares
    law = result.best
    np.testing.assert_allclose(law(table), law(table.to_numpy()))
    assert np.abs(law.distance(table)).max() < 5.0
    right = law.solved_for("year").rhs
    assert abs(float(right.subs("share", 46.0)) - 1992.0) < 0.2
    f = sympy.lambdify(sympy.symbols("year share"), law.expression)
    np.testing.assert_allclose(f(table.year, table.share), law(table), rtol=1e-6, atol=1e-6)
    assert "(year - 1992.02)" in repr(law)
    assert r"\left(\mathrm{year} - 1992.02\right)" in law.latex


def test_it_is_stored_and_drawn_on_its_scale(shares, tmp_path):
    table, result = shares
    result.save(tmp_path / "found.json")
    again = Result.load(tmp_path / "found.json")
    assert repr(again.best) == repr(result.best)
    np.testing.assert_array_equal(again.best(table), result.best(table))
    assert json.loads(result.to_json())["best"]["scales"][0]["origin"] == 1970.0
    axes = plot(result, table).axes[0]
    assert axes.get_xlabel() == "year"
    assert axes.xaxis.get_major_formatter()(30.0) == "2000"
    assert axes.get_xlim()[0] < 0.0 < 45.0 < axes.get_xlim()[1] < 60.0
    axes = residuals(result.best, table).axes[0]
    assert axes.get_xlabel() == "year"
    np.testing.assert_allclose(axes.lines[1].get_ydata(), result.best.distance(table))


@pytest.mark.parametrize("name", ["year", "t"])
def test_a_trend_over_years_is_a_line_and_no_power_of_the_year(name):
    trend = 14.1 + 0.018 * (YEARS - 1970) + 0.03 * NOISE[:46]
    assert discover({name: YEARS, "T": trend}).best.name == "straight line"


def test_years_that_are_no_calendar_years_stay_as_they_are():
    ages = {"years": [3.0, 14.0, 25.0, 40.0], "mass": [1.0, 2.0, 4.0, 5.0]}
    assert measurements(ages).scales == (Scale(), Scale())
    named = {"yearly income": [1990.0, 2100.0, 2500.0], "x": [1.0, 2.0, 4.0]}
    assert measurements(named).scales == (Scale(), Scale())
    built = {"yearBuilt": [1987.0, 1995.0, 2010.0], "x": [1.0, 2.0, 4.0]}
    assert measurements(built).scales == (Scale(1980.0, "years"), Scale())
    assert measurements(built).points[:, 0].tolist() == [7.0, 15.0, 30.0]


START = datetime.datetime(2021, 3, 1, 8)
TIMES = [START + datetime.timedelta(hours=h) for h in HOURS]
SAME_TIMES = {
    "text": [t.isoformat(" ") for t in TIMES],
    "T and seconds": [t.strftime("%Y-%m-%dT%H:%M:%SZ") for t in TIMES],
    "objects": pd.Series(TIMES, dtype=object),
    "datetime64": pd.Series(TIMES),
    "a time zone": pd.Series(TIMES).dt.tz_localize("UTC"),
}


@pytest.mark.parametrize("times", SAME_TIMES.values(), ids=SAME_TIMES)
def test_dates_become_numbers_however_they_are_given(times):
    table = {"time": times, "x": HOURS**2}
    found = measurements(pd.DataFrame(table))
    np.testing.assert_allclose(found.points[:, 0], HOURS, atol=1e-9)
    assert found.scales[0] == Scale(unit="hours", since="2021-03-01 08:00:00")
    assert found.notes == ("column 'time' is in hours since 2021-03-01 08:00:00",)


@pytest.mark.parametrize(
    ("dates", "unit", "expected"),
    [
        (["2003-01-01", "2004-01-01", "2006-07-02 12:00"], "years", [3.0, 4.0, 6.5]),
        (["2003-01", "2003-02", "2003-03"], "days", [0.0, 31.0, 59.0]),
        (["2003-01-01 00:00", "2003-01-01 00:30", "2003-01-01 01:00"], "seconds", [0, 1800, 3600]),
    ],
)
def test_the_unit_of_dates_is_the_largest_that_they_span(dates, unit, expected):
    found = measurements({"when": dates, "x": [1.0, 2.0, 4.0]})
    assert found.scales[0].unit == unit
    np.testing.assert_allclose(found.points[:, 0], expected, atol=1e-9)


def test_a_date_may_be_missing_and_a_wrong_one_is_quoted(tmp_path):
    path = tmp_path / "dates.csv"
    rows = ["day,x", "2003-01-01,1", "NA,2", "2003-01-05,4", "2003-01-09,3", ",7"]
    path.write_text("\n".join(rows))
    found = measurements(read_csv(path), missing="drop")
    assert found.points.tolist() == [[0.0, 1.0], [4.0, 4.0], [8.0, 3.0]]
    with pytest.raises(BadTable, match="row 2, column 'day' is '2003-13-05'; expected a date"):
        measurements({"day": ["2003-01-01", "2003-13-05"], "x": [1.0, 2.0]})
    others = {"day": ["31/01/2003", "28/02/2003"], "x": [1.0, 2.0], "y": [3.0, 5.0]}
    with pytest.raises(BadTable, match="2 different rows"):
        measurements(others)
    others = {"day": ["31/01/2003", "28/02/2003", "-"], "x": [1.0, 2.0, 3.0], "y": [3.0, 5.0, 1.0]}
    assert measurements(others).notes == (
        "column 'day' is text: left out; dates are read as 2001-03-31",
    )


def test_other_dates_are_counted_as_those_that_a_law_was_found_in():
    days = pd.date_range("2021-03-01", periods=60)
    counts = 9000.0 * np.exp(-0.0864 * np.arange(60)) * (1.0 + 0.01 * NOISE)
    law = discover({"day": days.strftime("%Y-%m-%d"), "counts": counts}).best
    assert law.in_symbols == "counts = c1*exp(-c2*day)"
    later = pd.DataFrame({"day": ["2021-04-30"], "counts": [9000.0 * np.exp(-0.0864 * 60)]})
    assert abs(law.distance(later)[0]) < 5.0
    with pytest.raises(BadTable, match="row 1, column 'day' is 'soon'; expected a date"):
        columns_in({"day": ["soon"], "counts": [1.0]}, law.names, law.scales)


def test_degrees_celsius_have_no_zero_of_their_own():
    celsius = np.linspace(5.0, 40.0, 30)
    pressure = 101.3 * (celsius + 273.15) / 293.15 * (1.0 + 5e-4 * NOISE[:30])
    result = discover({"T": celsius, "p": pressure}, units=["degC", "kPa"])
    assert result.best.name == "straight line"
    assert result.best.price.origins == 0.0
    powers = [law for law in result.candidates if "power" in law.name]
    assert all(law.price.origins > 0.0 for law in powers)


def test_numbers_may_stand_in_the_place_of_dates():
    """Years with decimals of dates over years, days of dates over days."""
    years = np.array([2003.0, 2003.5, 2003.9])
    assert columns_in({"date": years, "y": years}, ("date",), [Scale(2000.0, "years")])[:, 0] == (
        pytest.approx(years - 2000.0)
    )
    days = columns_in({"date": ["10.5", "1000"]}, ("date",), [Scale(unit="days", since="2001-01-01")])
    assert days[:, 0].tolist() == [10.5, 1000.0]


def test_a_circle_far_from_zero_is_found_and_written_by_its_centre(tmp_path):
    angle = np.linspace(0.0, 6.0, 60)
    noise = 0.1 * np.random.default_rng(3).standard_normal((60, 2))
    points = [500123.0, 5334210.0] + 30.0 * np.column_stack([np.cos(angle), np.sin(angle)]) + noise
    result = discover(pd.DataFrame(points, columns=["E", "N"]))
    law = result.best
    assert law.name == "circle about a point"
    assert repr(law).startswith("(E - 500123.0)**2 + (N - 5334210.0)**2 = ")
    assert "column 'E' is counted from 500000" in result.notes
    assert np.abs(law.distance(points)).max() < 0.5
    result.save(tmp_path / "found.json")
    back = Result.load(tmp_path / "found.json").best
    assert repr(back) == repr(law) and back.scales == law.scales


@pytest.mark.parametrize("first", [2459012.3, 58849.5])
def test_a_wave_of_julian_days_keeps_its_phase(first):
    day = first + np.sort(np.random.default_rng(0).uniform(0.0, 100.0, 80))
    table = {"JD": day, "mag": 12.3 + 0.4 * np.sin(2.0 * np.pi * (day - first) / 17.3)}
    law = discover(table).best
    assert law.name == "wave with offset"
    rate, error = next(c for c in law.constants.values() if abs(c[0] - 0.3632) < 0.01)
    assert abs(rate - 2.0 * np.pi / 17.3) < 1e-6
    np.testing.assert_allclose(law.distance(table), 0.0, atol=1e-6)


def test_a_line_of_unix_times_is_a_line():
    second = 1.6e9 + 3600.0 * np.arange(50)
    law = discover({"timestamp": second, "T": 290.0 + 7.5e-5 * (second - 1.6e9)}).best
    assert repr(law) == "T = 7.5e-5*(timestamp - 1600000000) + 290"
    when = law.solved_for("timestamp").rhs.subs("T", 290)
    assert abs(float(when) - 1.6e9) < 0.01 * np.ptp(second)


@pytest.mark.parametrize(
    "values, origin",
    [
        ([2459012.3, 2459042.1], 2459000.0),
        ([48.1372, 48.1391], 48.13),
        ([-122.4194, -122.4189], -122.42),
        ([290.0, 291.0], 0.0),
        ([0.0, 1e-9], 0.0),
        ([5.0, 5.0], 0.0),
    ],
)
def test_columns_far_from_zero_are_counted_from_a_round_number(values, origin):
    scale = scale_of_numbers(np.array(values))
    assert scale.origin == origin
    above = scale.of_numbers(np.array(values))
    assert above.min() >= 0.0 and (not origin or np.abs(above).max() <= 300.0 * np.ptp(values))
    lengths = [[len(repr(float(v))) for v in column] for column in (above, values)]
    assert np.all(np.less_equal(*lengths))
