import json

import numpy as np
import pandas as pd
import pytest

from pie.discovery.cli import main
from pie.discovery.laws import discover
from pie.discovery.measurements import BadTable, columns_in, measurements
from pie.discovery.regressor import ImplicitRegressor
from pie.discovery.result import Law
from pie.search.plus import PlusConfig

FEW = PlusConfig(beam=1)
X = np.linspace(1.0, 5.0, 40)
GAS = pd.DataFrame({"sample": "a", "p (kPa)": 6.0 / X, "V [L]": X})


def test_units_behind_names_are_those_of_the_constants_and_names_are_short():
    result = discover(GAS, config=FEW)
    assert repr(result.best) == "V*p = 6" and result.best.units == ("kPa·L",)
    assert "units are taken from the header: p in kPa, V in L" in result.notes
    assert str(result.best.solved_for("p (kPa)")) == str(result.best.solved_for("p"))
    assert np.abs(result.best.distance(GAS)).max() < 1e-9
    assert np.abs(result.best.distance(GAS.rename(columns={"p (kPa)": "p"}))).max() < 1e-9


@pytest.mark.parametrize("line", ["s,m", "(s),[m]", "s,"])
def test_units_may_stand_in_a_second_line(tmp_path, line):
    path = tmp_path / "fall.csv"
    path.write_text(f"t,h\n{line}\n0,0.1\n1,5.1\n2,20.2\n")
    found = measurements(path)
    assert found.names == ("t", "h") and found.points[2].tolist() == [2.0, 20.2]
    assert found.units == ("s", "m" if "m" in line else "")
    assert found.notes == (f"the second line, '{line.replace(',', ', ')}', is taken for units",)


@pytest.mark.parametrize("line", ["low,high", "0,m"])
def test_another_second_line_is_a_row(tmp_path, line):
    path = tmp_path / "fall.csv"
    path.write_text(f"t,h\n{line}\n0,0.1\n1,5.1\n2,20.2\n")
    with pytest.raises(BadTable, match="row 1"):
        measurements(path)


def test_units_may_stand_behind_slashes():
    table = pd.DataFrame({"p / kPa": 6.0 / X, "V / L": X})
    result = discover(table, config=FEW, involving="V / L")
    assert repr(result.best) == "V*p = 6" and result.best.units == ("kPa·L",)
    assert str(result.best.solved_for("p / kPa")) == str(result.best.solved_for("p"))
    assert np.abs(result.best.distance(table)).max() < 1e-9
    longer = table.assign(note=1.0)  # not a quantity over its unit
    assert np.array_equal(result.best.distance(longer), result.best.distance(table))
    assert [*longer] == ["p / kPa", "V / L", "note"]


def test_none_are_taken_where_others_are_given_or_none_are_asked_for():
    for units, known in (({}, ()), ({"p": "bar", "V [L]": "l"}, ("bar·l",))):
        result = discover(GAS, config=FEW, units=units)
        assert result.best.units == known
        assert not any("header" in note for note in result.notes)


def test_one_column_without_a_unit_leaves_them_all_out_and_it_is_said():
    result = discover(GAS.rename(columns={"V [L]": "V (big)"}), config=FEW)
    assert result.best.units == () and "V (big)" in repr(result.best)
    assert any("(p in kPa) are not used, as it has none for V (big)" in x for x in result.notes)


def test_years_need_no_unit_of_their_own():
    table = {"year": 1970.0 + X, "height (m)": 2.0 + 3.0 * X}
    result = discover(table, config=FEW)
    assert "units are taken from the header: height in m" in result.notes
    assert "m" in result.best.units and not any("not used" in x for x in result.notes)


def test_brackets_that_tell_columns_apart_are_names():
    table = {"T (min)": X, "T (max)": X**2, "v (a)": np.sqrt(X), "v (b)": np.exp(X)}
    found = measurements(table)
    assert found.names == tuple(table) and found.units == ("",) * 4
    assert (columns_in(table, ["v (b)"])[:, 0] == np.exp(X)).all()


def test_columns_are_asked_for_with_their_units_or_without(tmp_path, capsys):
    GAS.assign(**{"T (K)": 300.0 + X}).to_csv(tmp_path / "gas.csv", index=False)
    for asked in ("p,V", "p (kPa),V [L]"):
        file = str(tmp_path / "gas.csv")
        assert main(["discover", file, "--json", "--columns", asked, "--involving=V [L]"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert content["columns"] == ["p", "V"]
        assert [one["unit"] for one in content["best"]["constants"].values()] == ["kPa·L"]
    exact = discover(GAS, config=FEW, uncertainties={"p (kPa)": 0.01, "V": 0.0})
    assert exact.best.chi is not None
    with pytest.raises(BadTable, match="no column 'q \\(m\\)' that varies; known are p, V"):
        discover(GAS, config=FEW, involving="q (m)")


def test_the_regressor_reads_them_too():
    table = GAS.drop(columns="sample")
    found = ImplicitRegressor(beam=1).fit(table)
    assert found.law_.units == ("kPa·L",) and found.score(table) == pytest.approx(0.0, abs=1e-9)


def test_a_law_takes_tables_in_other_units():
    law = discover(GAS, config=FEW).best
    pascals = GAS.assign(**{"p (kPa)": 1000.0 * GAS["p (kPa)"]})
    assert np.abs(law.distance(pascals.rename(columns={"p (kPa)": "p (Pa)"}))).max() < 1e-9
    again = Law.of_record(json.loads(json.dumps(law.record())))
    assert again.column_units == ("kPa", "L")
    with pytest.raises(BadTable, match="column 'p' is in s; expected kPa"):
        law.distance(GAS.rename(columns={"p (kPa)": "p (s)"}))


def test_units_that_are_given_do_not_change_what_a_header_says():
    law = discover(GAS, config=FEW, units={"p": "bar", "V [L]": "l"}).best
    assert law.units == ("bar·l",) and np.abs(law.distance(GAS)).max() < 1e-9
