"""Laws and results as records, tables and text, without a search."""

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sympy

from pie import discover
from pie.discovery.certificate import Certificate
from pie.discovery.result import Law, Result
from pie.discovery.scales import Scale
from pie.expr.expression import parse
from pie.expr.solving import Unsolved
from pie.search.candidates import Price

SURE = Certificate("sound", 0.01, 1e-9, 100.0, 1.0, (0.7, 0.7), 1.0, (), ())
NOTHING = Result((), ("x", "y"), (), 50, 1.0)


def law(text, names=("x", "y"), certificate=SURE, **about):
    program = parse(text)
    errors = (0.01,) * len(program.constants)
    return Law(program, names, errors, 0.1, 0.01, certificate, **about)


def test_frames_are_taken_by_the_names_of_their_columns():
    one, frame = law("x1*x2 - 3"), pd.DataFrame({"t": [9.0, 9.0], "y": [3.0, 1.0], "x": [1.0, 3.0]})
    assert one.distance(frame).tolist() == [0.0, 0.0]
    assert law("x1*x2 - 3", ("0", "1"))(pd.DataFrame([[1.0, 3.0]])).tolist() == [0.0]


def test_an_origin_is_printed_as_it_was_read():
    one = law("x2 - 3.5*x1", scales=(Scale(0.3), Scale()))
    assert str(one.solved_for("y")) == "Eq(y, 3.5*(x - 0.3))"


def test_of_two_laws_one_is_always_the_answer():
    """Neither is left out for the other."""
    cheap = law("x1*x2 - 3", certificate=replace(SURE, contrast=0.1), price=Price(-10.0))
    sharp = law("x1*x2 - 3*x3", ("x", "y", "z"), price=Price(-5.0))
    assert Result((cheap, sharp), ("x", "y", "z"), (), 50, 1.0).best is cheap


@pytest.mark.parametrize(
    "text, units, fitted",
    [("x1 - 2*(x2 + 1)", ("m/s", "s"), ["m/s"]), ("x1 - 2*x2 - 2", ("m/s", "m"), ["m/s", "m"])],
    ids=["a known number", "equal numbers"],
)
def test_units_of_all_numbers_are_kept(text, units, fitted):
    one = law(text, units=units)
    record = one.record()
    assert Law.of_record(json.loads(json.dumps(record))) == one
    assert [constant["unit"] for constant in record["constants"].values()] == fitted


def test_equations_are_shown_whole_in_markdown():
    """A pair of ** would print what is between them in bold."""
    circle, near = (
        law(f"x1**2 + x2**{power} - 4", price=Price(price))
        for power, price in ((2, -10.0), (2.1, -9.0))
    )
    text = Result((circle, near), ("x", "y"), ("from a*b",), 50, 1.0)._repr_markdown_()
    assert "**" not in text and r"x\*\*2 + y\*\*2.1 = 4" in text and r"*from a\*b*" in text


def test_large_numbers_are_rounded():
    one = law("x1*x2 - 6.02214076e23")
    assert repr(one) == "x*y = 6.022e+23"
    assert repr(replace(one, digits=(7,))) == "x*y = 6.022141e+23"


def test_an_odd_root_has_a_whole_number_in_it():
    volume = law("x1 - 8*x2**3", ("volume", "radius"))
    assert str(volume.solved_for("radius")) == "Eq(radius, 0.5*volume**(1/3))"


def test_what_is_not_solved_is_called_like_its_column():
    with pytest.raises(Unsolved, match="^height is inside sin; a wave has many solutions$"):
        law("x1 - sin(x2)", ("time", "height")).solved_for("height")


def test_tables_without_candidates_have_their_columns():
    some = Result((law("x1*x2 - 3"),), ("x", "y"), (), 50, 1.0)
    for table in (Result.table, Result.to_dataframe, Result.explain):
        assert len(table(NOTHING)) == 0 and [*table(NOTHING)] == [*table(some)]


def test_the_uncertainties_stand_beside_the_distance_that_they_are_compared_with():
    best = law("x1*x2 - 3", price=Price(-10.0), chi=1.07)
    rival = law("x1*x2**1.01 - 3", price=Price(-9.0))
    lines = str(Result((best, rival), ("x", "y"), (), 50, 1.0)).splitlines()
    at = lines.index("that is 1.1 times the uncertainties")
    assert lines[at - 1].startswith("rms distance") and "hardly tell it from" in lines[at + 1]


@pytest.mark.parametrize(
    "field, value", [("program", []), ("certificate", None), ("columns", 3)], ids=str
)
def test_files_that_hold_no_result_are_named(tmp_path, field, value):
    path = tmp_path / "result.json"
    content = json.loads(Result((law("x1*x2 - 3"),), ("x", "y"), (), 50, 1.0).to_json())
    content["candidates"][0][field] = value
    for text in (json.dumps(content), "[]"):
        path.write_text(text)
        said = f"^{re.escape(str(path))} holds no result that was saved"
        with pytest.raises(ValueError, match=said):
            Result.load(path)


def test_a_saved_result_says_the_same(tmp_path):
    """Also of evidence that is −∞, and on a machine that speaks ASCII."""
    doubtful = replace(SURE, evidence=-math.inf)
    result = Result((law("x1*x2 - 3", ("µ", "Δ"), doubtful),), ("µ", "Δ"), (), 50, 1.0)
    result.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert again == result and str(again) == str(result)
    code = "from pie import Result; Result.load('result.json').save('again.json')"
    ascii_only = os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=ascii_only, check=True)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "result.json").read_bytes()


def test_a_law_far_from_zero_is_written_with_the_digits_that_it_needs():
    """A frequency near 5 MHz that moves by 300 Hz: of four digits nothing is left."""
    rng = np.random.default_rng(0)
    T = np.round(rng.uniform(0.0, 100.0, 60), 2)
    f = np.round(5000123.0 + 3.1 * T + rng.normal(0.0, 0.3, 60), 1)
    law = discover({"T": T, "f": f}).best
    assert re.fullmatch(r"f = 3\.\d+\*T \+ 500012\d\.\d", repr(law))
    for name, column, other, values in (("f", f, "T", T), ("T", T, "f", f)):
        right = sympy.lambdify(sympy.Symbol(other), law.solved_for(name).rhs)
        assert np.abs(right(values) - column).max() < 0.02 * np.ptp(column)


@pytest.mark.parametrize(
    "x, y",
    [
        (10000.0 + np.arange(20.0), 1.234375 * np.arange(20.0) + 3.25),
        (1000.0 + np.linspace(0.0, 20.0, 40), 0.5 * np.linspace(-10.5, 9.5, 40) ** 2 + 3.0),
        (1000.0 + np.cos(np.arange(60.0)), 2000.0 + np.sin(np.arange(60.0))),
    ],
    ids=["line", "parabola", "circle"],
)
def test_what_is_printed_of_a_law_far_from_zero_is_where_the_points_are(x, y):
    shown = discover({"x": x, "y": y}).best.equation
    f = sympy.lambdify(sympy.symbols("x y"), shown.lhs - shown.rhs)
    away = np.abs(f(x, y) - f(x, y + 1e-4 * np.ptp(y))) / (1e-4 * np.ptp(y))
    assert np.abs(f(x, y)).max() < 0.01 * np.ptp(y) * np.median(away)


def test_units_are_the_reason_only_where_they_forbid_something():
    by_units, otherwise = (str(Result((), ("p", "t"), (), 9, 1.0, n)) for n in (1, 0))
    assert "the units forbid what was found" in by_units and "units" not in otherwise


def test_a_name_is_that_of_the_law_in_the_users_columns():
    x = np.linspace(0.5, 2.0, 40)
    law = discover({"x": x, "y": 3.0 * x}).best
    counted = replace(law, scales=(Scale(1e6), Scale(2e6)))
    assert (law.name, counted.name) == ("proportionality", "straight line")


def test_a_wave_is_solved_for_as_it_is_written():
    t = np.linspace(0.0, 6.0, 60)
    law = discover({"t": t, "x": 0.5 * np.exp(-0.3 * t) * np.cos(2.0 * t)}).best
    assert law.solved_for("x") == law.equation and law.equation.rhs.has(sympy.cos)
