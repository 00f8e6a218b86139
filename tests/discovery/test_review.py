"""Of a review: each fails without what it names; to be moved to the modules that it tests."""
import json
from dataclasses import replace
import numpy as np, pandas as pd, pytest
from pie.discovery.certificate import Certificate
from pie.discovery.column_errors import known_errors
from pie.discovery.measurements import BadTable, measurements, read_csv
from pie.discovery.result import Law, Result
from pie.discovery.units import Units
from pie.expr.expression import parse
from pie.search.candidates import Price

SURE = Certificate("sound", 0.01, 1e-9, 100.0, 1.0, (0.7, 0.7), 0.5, 1.0, None, ())
X = np.arange(1.0, 9.0)

def law(text, names=("x", "y"), certificate=SURE, **about):
    program = parse(text)
    errors = (0.01,) * len(program.constants)
    return Law(program, names, errors, 0.1, 0.01, certificate, **about)

def test_a_series_is_taken_by_its_names():
    given = pd.Series({"V": 0.1, "p": 0.2})
    assert known_errors(given, ["p", "V"]).tolist() == [0.2, 0.1]

def test_frames_are_taken_by_the_names_of_their_columns():
    one, frame = law("x1*x2 - 3"), pd.DataFrame({"t": [9.0, 9.0], "y": [3.0, 1.0], "x": [1.0, 3.0]})
    assert one.distance(frame).tolist() == [0.0, 0.0]
    numbered = law("x1*x2 - 3", ("0", "1"))
    assert numbered(pd.DataFrame([[1.0, 3.0]])).tolist() == [0.0]
    assert Units.of({0: "m", 1: "s"}, ["0", "1"]).names == ("m", "s")

def test_decimal_commas_between_blanks(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,5 2,25\n2,5 6,25\n3,5 12,25\n")
    assert read_csv(path).astype(float).to_numpy()[1].tolist() == [2.5, 6.25]

def test_text_with_gaps_is_text():
    found = measurements(pd.DataFrame({"s": ["a", None, "b", "-"] * 2, "x": X, "y": X**2}))
    assert found.names == ("x", "y") and found.notes == ("column 's' is text: left out",)
    with pytest.raises(BadTable, match="0 columns vary; .*: rows with missing values are left out"):
        measurements(pd.DataFrame({"e": [None] * 8, "x": X, "y": X**2}), missing="drop")

def test_one_of_two_laws_is_always_the_law():
    cheap = law("x1*x2 - 3", certificate=replace(SURE, contrast=0.1), price=Price(-10.0))
    sharp = law("x1*x2 - 3*x3", ("x", "y", "z"), price=Price(-5.0))
    assert Result((cheap, sharp), ("x", "y", "z"), (), 50, 1.0).best is cheap

@pytest.mark.parametrize("text, units", [("x1 - 2*(x2 + 1)", ("m/s", "s")), ("x1 - 2*x2 - 2", ("m/s", "m"))])
def test_units_of_all_numbers_are_kept(text, units):
    one = law(text, units=units)
    assert Law.of_record(json.loads(json.dumps(one.record()))) == one
    assert [unit for *_, unit in one._fitted][0] == "m/s"

def test_markdown_shows_powers():
    both = law("x1**2 + x2**2 - 4", price=Price(-10.0)), law("x1**2 + x2**2.1 - 4", price=Price(-9.0))
    text = Result(both, ("x", "y"), (), 50, 1.0)._repr_markdown_()
    assert "**" not in text and r"x\*\*2 + y\*\*2.1 = 4" in text

def test_a_column_without_a_name(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame({"x": X, "y": X**2}).to_csv(path)
    assert list(read_csv(path).columns) == ["column 1", "x", "y"]

def test_large_numbers_are_rounded():
    assert repr(law("x1*x2 - 6.02214076e23")) == "x*y = 6.022E+23"

def test_a_reason_does_not_contradict_itself():
    assert "lie 0.203 times" in replace(SURE, contrast=0.2031).reason
    assert "is 4.97 nats" in replace(SURE, evidence=4.97).reason

def test_too_few_points_are_refused():
    with pytest.raises(BadTable, match="max_points is 2; expected more than the 2 columns"):
        measurements(np.column_stack([X, X**2]), max_points=2)

def test_predict_takes_the_table_of_fit():
    from pie import ImplicitRegressor
    frame = pd.DataFrame({"name": ["a", "b"] * 20, "x": np.linspace(0.5, 2.0, 40)}).assign(y=lambda f: 3.0 / f.x)
    model = ImplicitRegressor(proposers=("relations",), missing="drop").fit(frame)
    assert np.abs(model.predict(frame)).max() < 1e-9
    assert np.isnan(model.predict(frame.assign(x=np.nan))).all()
