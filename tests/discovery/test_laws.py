import functools
import io
import itertools
import json
import math
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numba
import numpy as np
import pandas as pd
import pytest
import sympy

from pie import __version__
from pie.data.benchmarks import load
from pie.discovery import cli, compilation, laws
from pie.discovery.certificate import same_zero_set
from pie.discovery.cli import main
from pie.discovery.laws import WORTH, discover
from pie.discovery.measurements import BadTable, measurements
from pie.discovery.pretrained import default_weights, from_pretrained
from pie.discovery.result import FORMAT, RIVAL, Law, Result
from pie.discovery.subsets import evidence
from pie.experiments.metrics import two_sided
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.expr.sympy_bridge import named, to_latex, to_sympy
from pie.search.plus import PlusConfig
from pie.search.price import few_points

FAST = PlusConfig(beam=16)  # where the claim is not how hard a law is to find


def ellipse(n=150, noise=0.01):
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    points = np.column_stack([3.0 * np.cos(angle) + 1.0, 2.0 * np.sin(angle)])
    return points + noise * rng.standard_normal(points.shape)


TABLE = pd.DataFrame(ellipse(), columns=["length", "w"])


@pytest.fixture
def file(tmp_path):
    """The table of the ellipse, with a column of 3 and one of row numbers."""
    TABLE.assign(k=3, row=range(150)).to_csv(tmp_path / "points.csv", index=False)
    return str(tmp_path / "points.csv")


@pytest.fixture(scope="module")
def found():
    return discover(TABLE)


@pytest.fixture(scope="module")
def nothing():
    return discover(np.random.default_rng(0).standard_normal((120, 2)))


def test_three_lines_of_python_find_the_law(found):
    truth = parse("4*(x1 - 1)**2 + 9*x2**2 - 36")
    assert found.law and found.best is found.candidates[0]
    assert two_sided(found.best.program, truth, 2, seed=0, tolerance=0.02) > 0.95
    assert found.points == 150 and found.names == ("length", "w")


def test_the_answer_is_in_sympy_with_the_names_of_the_columns(found):
    best = found.best
    assert {s.name for s in best.expression.free_symbols} == {"length", "w"}
    length, w = sympy.symbols("length w")  # as a user writes them
    filled = best.template.subs({name: value for name, (value, _) in best.constants.items()})
    assert abs((filled - best.expression).subs({length: 1.3, w: 0.7})) < 1e-9
    assert r"\mathrm{length}" in best.latex and " = " in best.latex
    heights = sympy.solve(best.expression.subs(length, 1.0), w)
    assert sorted(float(h) for h in heights) == pytest.approx([-2.0, 2.0], rel=0.02)


def test_constants_hold_the_truth_within_their_errors(found):
    """x2² + (4/9)·(x1 − 1)² − 4, whatever the order of its constants."""
    for value, error in found.best.constants.values():
        nearest = min((4.0 / 9.0, 1.0, 4.0), key=lambda c: abs(c - value))
        assert 0.0 < error < 0.05 and abs(value - nearest) < 4.0 * error


def test_constants_are_positive_and_what_is_subtracted_stands_on_the_right(found):
    best = found.best
    assert all(value > 0.0 for value, _ in best.constants.values())
    written = best.equation.lhs - best.equation.rhs
    ratio = (written / best.expression).subs({"length": 1.3, "w": 0.7})
    assert abs(float(ratio)) == pytest.approx(1.0, rel=0.01)
    for side in (best.equation.lhs, best.equation.rhs):
        assert all(term.as_coeff_Mul()[0] >= 0 for term in sympy.Add.make_args(side))


def test_the_distance_is_signed_and_in_the_units_of_the_data(found):
    inside, outside = found.best.distance(np.array([[1.0, 1.9], [1.0, 2.1]]))
    assert inside * outside < 0.0 and abs(inside) == pytest.approx(0.1, abs=0.02)
    assert found.best.rms == pytest.approx(0.01, rel=0.3)


def test_candidates_are_different_and_the_front_falls(found):
    for i, one in enumerate(found.candidates):
        for other in found.candidates[:i]:
            if same_zero_set(one.program, other.program, ellipse()):
                assert one.complexity < other.complexity and one.rms > 1.2 * other.rms
    front = found.front
    assert all(a.complexity < b.complexity for a, b in zip(front, front[1:], strict=False))
    assert all(a.relative_rms > b.relative_rms for a, b in zip(front, front[1:], strict=False))


def test_the_front_are_the_candidates_that_none_beats_in_both(found):
    rng = np.random.default_rng(0)
    for _ in range(50):
        fits = [
            replace(found.best, program=parse(" + ".join(["x1"] * int(k))), relative_rms=error)
            for k, error in zip(rng.integers(1, 9, 12), rng.random(12), strict=True)
        ]
        prices = np.array([(law.complexity, law.relative_rms) for law in fits])
        beaten = [np.any(np.all(prices <= p, axis=1) & np.any(prices < p, axis=1)) for p in prices]
        expected = set(prices[np.logical_not(beaten), 1])
        front = replace(found, candidates=tuple(fits)).front
        assert {law.relative_rms for law in front} == expected


def test_another_form_of_an_exact_law_is_not_on_the_front(found):
    exact, alias = (
        replace(found.best, program=parse(text), relative_rms=error)
        for text, error in (("x1*x2 - 3", 2e-16), ("ln(x1) + ln(x2) - 1.0986", 1e-16))
    )
    rough = replace(found.best, program=parse("x1 - x2"), relative_rms=0.1)
    assert replace(found, candidates=(alias, rough, exact)).front == (rough, exact)


def test_a_line_of_the_table_is_its_equation_to_some_digits(found):
    at = {"length": 1.3, "w": 0.7}
    for text, law in zip(found.table()["equation"], found.candidates, strict=True):
        left, right = (sympy.sympify(side).subs(at) for side in text.split("="))
        exact = float(law.expression.subs(at))
        assert float(left - right) == pytest.approx(exact, rel=0.02, abs=0.02)


@pytest.mark.slow
def test_nitrogen_is_an_ideal_gas_though_not_quite(root):
    """To half a per cent, and not quite: what is left is smooth, and counts as few points."""
    result = discover(pd.read_csv(root / "data/real/nitrogen.csv"))
    assert result.best.certificate.law and result.best in result.front
    assert canonical(result.best.program).codes == canonical(parse("x1 - 0.12*x2*x3")).codes
    assert result.best.constants["c1"][0] == pytest.approx(1.0 / 8.314, rel=0.01)


def test_a_pair_with_little_of_the_evidence_of_all_three_is_not_searched():
    """T and p of a gas whose volume hardly changes."""
    rng = np.random.default_rng(0)
    kelvin, volume = rng.uniform(300.0, 400.0, 150), rng.uniform(1.0, 1.05, 150)
    table = np.column_stack([kelvin, kelvin / volume, volume])
    assert evidence(table[:, :2]) < WORTH
    result = discover(table, config=FAST)
    assert result.law and result.notes[-1] == "searched 1 set of columns: x1, x2, x3"


def test_threads_change_nothing():
    one, two = (discover(ellipse(80), config=FAST, workers=count) for count in (1, 2))
    assert [str(a.program) for a in one.candidates] == [str(a.program) for a in two.candidates]


def test_without_a_law_there_is_none_and_the_result_says_why_and_what_to_do(nothing):
    assert nothing.best is None and not nothing.law and nothing.candidates
    assert all(law.certificate.reason for law in nothing.candidates)
    most = max(nothing.candidates, key=lambda law: law.certificate.evidence)
    assert f"no law found: the equation with most evidence, {most!r}, does not" in str(nothing)
    assert "result.table()" in str(nothing) and "No law found" in nothing._repr_markdown_()


def test_a_result_shows_itself(found):
    assert "± " in str(found) and "rms distance" in str(found)
    assert found._repr_markdown_().startswith("$$") and "| equation" in found._repr_markdown_()
    assert repr(found.best) in repr(found) and len(repr(found)) < 200
    assert found.rivals == () and "hardly tell" not in str(found)


def test_laws_that_the_points_hardly_tell_apart_are_named(root):
    """Seventeen noisy rows of crickets: a straight line, but roots and powers do as well."""
    result = discover(pd.read_csv(root / "data/measured/crickets.csv"))
    assert "straight line" in [law.name for law in (result.best, *result.rivals)] and result.rivals
    for law in result.rivals:
        assert law.certificate.law and law != result.best
        assert 0.0 <= law.price.total - result.best.price.total <= RIVAL
    left = [law for law in result.candidates[1:] if law not in result.rivals]
    far = [law for law in left if law.price.total > result.best.price.total + RIVAL]
    assert all(law in far or not law.certificate.law for law in left)
    for text in (str(result), result._repr_markdown_().replace("\\", "")):
        assert f"these points hardly tell it from {result.rivals[0]!r}" in text


@pytest.fixture(scope="module")
def high_rates():
    """Fifteen rows of a Michaelis–Menten curve near its height, which 1/x and exp(1/x) fit, too."""
    x = [4.81, 6.21, 3.04, 1.88, 4.88, 3.19, 2.64, 5.99, 5.83, 6.02, 4.23, 1.94, 1.30, 5.62, 1.23]
    y = [8652, 8675, 8565, 8426, 8653, 8579, 8533, 8668, 8673, 8678, 8625, 8447, 8285, 8674, 8255]
    return {"x": np.array(x), "y": np.divide(y, 1e4)}


def test_a_curve_of_another_name_is_a_rival_where_its_zeros_are_the_same(high_rates):
    result = discover(high_rates)
    told = [law.name for law in (result.best, *result.rivals)]
    assert {"inverse with offset", "Michaelis–Menten"} <= {*told} and len({*told}) == len(told)
    pairs = itertools.combinations([law.program for law in (result.best, *result.rivals)], 2)
    points = np.column_stack([*high_rates.values()])
    assert any(same_zero_set(one, other, points) for one, other in pairs)


def test_such_rivals_take_the_place_of_no_other_law(high_rates, monkeypatch):
    """Michaelis–Menten is the rival of two laws with zeros of their own, and a third one follows."""
    monkeypatch.setattr(laws, "CERTIFIED", 3)
    names = [law.name for law in discover(high_rates).candidates]
    assert len(names) > 3 and "Michaelis–Menten" in names[:3]


def test_units_and_many_points_change_nothing(root):
    wild = {p.equation_id: p for p in load(root / "data/benchmarks", "wild")}
    problem = wild["W36-units"]
    many = np.concatenate([problem.points] * 3) * (1.0 + 1e-9 * np.arange(600)[:, None])
    result = discover(many, config=FAST)
    assert result.law and result.points == 600
    assert two_sided(result.best.program, problem.truth, 3, seed=0, box=problem.box) > 0.95


def test_perfectly_collinear_columns_are_a_law():
    x = np.linspace(0.0, 5.0, 60)
    result = discover(np.column_stack([x, 2.0 * x + 1.0]), config=FAST)
    assert result.law and two_sided(result.best.program, parse("x2 - 2*x1 - 1"), 2, seed=0) > 0.95


def test_a_power_law_with_a_row_at_0_has_no_outlier_there():
    dose = np.array([0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 15.0, 20.0, 30.0])
    errors = 0.1 * np.random.default_rng(5).standard_normal(len(dose))
    law = discover({"dose": dose, "taken": (3.1 * dose**0.62 + errors).round(2)}).best
    assert law.name == "power law" and law.outliers == 0 and math.isfinite(law.rms)
    assert law.solved_for("taken").rhs.as_powers_dict()[sympy.Symbol("dose")] == pytest.approx(
        0.62, abs=0.05
    )


@pytest.mark.parametrize("off, constants", [(1e-6, 0), (4e-3, 1)])
def test_what_agrees_with_1_to_six_digits_is_1(off, constants):
    """Though the points tell 1.000001 from 1 by four standard errors, which chance does as well."""
    area = np.round(np.exp(np.linspace(5.0, 13.6, 14)))
    errors = 1e-5 * np.random.default_rng(0).standard_normal(14)
    law = discover({"area": area, "logarithm": (1.0 + off) * np.log(area) + errors}).best
    assert law.name == "logarithm" and len(law.constants) == constants


@pytest.mark.parametrize("columns", [2, 3])
def test_six_rows_of_an_exact_law_are_enough(columns):
    x = np.random.default_rng(2).uniform(1.0, 9.0, (6, columns - 1))
    table = np.column_stack([x, 0.7 * x.prod(axis=1) + 1.3 * (columns == 2)])
    result = discover(table, config=FAST)
    truth = "x2 - 0.7*x1 - 1.3" if columns == 2 else "x3 - 0.7*x1*x2"
    assert result.law
    assert canonical(result.best.program).codes == canonical(parse(truth)).codes


def test_six_rows_of_noise_hardly_ever_have_a_law():
    """Two of thirty other clouds had one: three constants pass through half of six points."""
    clouds = [np.random.default_rng(seed).standard_normal((6, 2)) for seed in range(6)]
    assert sum(discover(cloud, config=FAST).law for cloud in clouds) <= 1


def test_columns_of_text_are_noted_and_left_out():
    x = np.linspace(1.0, 5.0, 20)
    cells = {"element": list("abcdefghijklmnopqrst"), "x": x, "y": 3.0 / x}
    result = discover(pd.DataFrame(cells), config=FAST)
    assert result.law and result.names == ("x", "y")
    assert result.notes == ("column 'element' is text: left out",)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_power_law_over_decades_is_found_where_errors_grow(seed):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.uniform(0.0, np.log(1e3), 100))
    y = 2.3 * x**1.6 * np.exp(0.2 * rng.standard_normal(100))
    best = discover(np.column_stack([x, y])).best
    assert best.name == "power law"
    for at in (1.0, 30.0, 1e3):  # the slope of ln y over ln x and its height
        (low, high), (p, q) = best.program.value_and_gradient(np.array([[at, 2.3 * at**1.6]] * 2))
        assert -at * p[0] / (2.3 * at**1.6 * p[1]) == pytest.approx(1.6, abs=0.1)
        assert abs(low / (2.3 * at**1.6 * p[1])) < 0.25


def test_the_choice_of_points_plays_no_part_where_all_are_searched():
    """But for the order of the points: candidates are the same to rounding."""
    table = ellipse(60)
    one, two = (discover(table, config=FAST, seed=seed).best for seed in (0, 1))
    assert one.program.codes == two.program.codes
    np.testing.assert_allclose(one.program.constants, two.program.constants, rtol=1e-6)


def test_only_sets_with_a_wanted_column_are_searched():
    """x·y = 3 and u·v = 2: the law that u is in."""
    rng = np.random.default_rng(0)
    x, u = rng.uniform(0.5, 2.0, (2, 60))
    table = pd.DataFrame({"x": x, "y": 3.0 / x, "u": u, "v": 2.0 / u})
    relations = PlusConfig(proposers=("relations",))
    found = discover(table, config=relations, involving="u")
    assert [law.names for law in found.laws] == [("u", "v")]
    searched = found.notes[-1].partition(": ")[2].split("; ")
    assert searched and all("u" in columns.split(", ") for columns in searched)
    assert len(discover(table, config=relations).laws) == 2
    with pytest.raises(BadTable, match="no column 'w' that varies; known are x, y, u, v"):
        discover(table, config=relations, involving=["w"])


@pytest.mark.parametrize(
    "argument, message",
    [
        ({"operators": "tan"}, "unknown operator 'tan'"),
        ({"workers": -1}, "workers is -1; expected a whole number, at least 1"),
        ({"max_sets": None}, "max_sets is None; expected a whole number, at least 1"),
        ({"seconds": math.nan}, "seconds is nan; expected a number of at least 0"),
        ({"seconds": None}, "seconds is None; expected a number of at least 0"),
    ],
    ids=lambda case: case if isinstance(case, str) else next(iter(case)),
)
def test_an_argument_that_cannot_be_is_quoted_before_the_search(argument, message):
    with pytest.raises(ValueError, match=message):
        discover(TABLE, **argument)


def test_weights_are_found_or_asked_for(monkeypatch, tmp_path):
    assert from_pretrained() is from_pretrained()
    monkeypatch.setenv("PIE_WEIGHTS", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="set PIE_WEIGHTS"):
        default_weights()


@pytest.mark.parametrize(
    "name, latex",
    [("x1", "x_{1}"), ("v", "v"), ("mass_kg", r"\mathrm{mass\_kg}"), ("a b", r"\mathrm{a\ b}"),
     ("50%", r"\mathrm{50\%}")],
)  # fmt: skip
def test_names_survive_latex(name, latex):
    assert to_latex(named(to_sympy(parse("x1 - 2")), [name])) == f"{latex} - 2"


def test_the_command_line_says_it_all_of_columns_in_any_order(file, capsys):
    assert main(["discover", file, "--json", "--columns", "w, length,k"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["law"] and content["columns"] == ["w", "length"]
    assert "column 'k' is 3 in every row: left out" in content["notes"]
    assert content["best"]["constants"]["c1"]["standard_error"] > 0.0


def test_the_command_line_takes_names_with_commas(tmp_path, capsys):
    path = tmp_path / "points.csv"
    TABLE.rename(columns={"w": "mass, dry"}).to_csv(path, index=False)
    how = ["--columns", 'length, "mass, dry",', "--involving", '"mass, dry"']
    assert main(["discover", str(path), "--json", *how]) == 0
    assert json.loads(capsys.readouterr().out)["columns"] == ["length", "mass, dry"]


def test_a_closed_standard_input_is_empty(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["discover", "-"]) == 2
    assert capsys.readouterr().err == "error: - is empty; expected a table of numbers\n"


def test_the_command_line_reads_standard_input_and_ends_when_nobody_reads():
    pie = f"{sys.executable} -m pie"
    run = functools.partial(subprocess.run, shell=True, capture_output=True, text=True)
    done = run(f"{pie} discover - --all | head -1", input=TABLE.to_csv(index=False))
    assert done.stdout.startswith("150 points in length, w") and done.stderr == ""
    assert run(f"{pie} --version").stdout == f"pie {__version__}\n"


def test_an_answer_that_cannot_be_written_is_an_error(file, monkeypatch, capsys):
    """And no "no law was found", which is the exit code 1."""
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["discover", file]) == 2
    assert capsys.readouterr().err.startswith("error: cannot write the answer: ")


def test_json_is_in_utf_8_on_any_machine(tmp_path, monkeypatch):
    path = tmp_path / "points.csv"
    TABLE.set_axis(["µ", "Δ"], axis=1).to_csv(path, index=False)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["discover", str(path), "--json"]) == 0
    assert json.loads(written.getvalue().decode("utf-8"))["columns"] == ["µ", "Δ"]


COMPILED = """
import sys
import numpy as np
import numba.core.registry
from pie.discovery.compilation import compile_all
from pie.discovery.laws import discover

def signatures():
    return {
        (name, str(types))
        for module in [m for n, m in sys.modules.items() if n.startswith("pie.")]
        for name, f in vars(module).items()
        if isinstance(f, numba.core.registry.CPUDispatcher)
        for types in f.signatures
    }

compile_all()
before = signatures()
rng = np.random.default_rng(0)
for d in (2, 3):
    points = rng.standard_normal((60, d))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    for noise in (0.0, 0.01):
        discover(points + noise * rng.standard_normal((60, d)))
gas = rng.uniform(1.0, 2.0, (80, 4))
gas[:, 3] = gas[:, 0] * gas[:, 1] / gas[:, 2]
discover(gas, uncertainties=dict(x1=0.01, x2=0.0, x3=0.0, x4=0.0))
print(signatures() - before)
"""


def test_what_is_compiled_ahead_is_what_a_search_calls():
    done = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "set()\n"


def test_compilation_is_announced_once_on_a_terminal_and_shared(monkeypatch, capsys):
    def share():
        new = numba.njit(lambda x: x + 1)
        return (new, "int64"), (new, "float64")

    for name in ("FIRST", "SECOND"):
        monkeypatch.setattr(compilation, name, share())
    command = [sys.executable, "-m", "pie.discovery.compilation"]
    happened, slow = [], False

    def wait(limit=None):
        happened.append("waited for")
        if slow and limit:
            raise subprocess.TimeoutExpired(command, limit)

    helper = SimpleNamespace(wait=wait, kill=lambda: happened.append("stopped"))
    monkeypatch.setattr(
        compilation.subprocess, "Popen", lambda command, **_: happened.append(command) or helper
    )
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["warm-up"]) == 0
    printed = capsys.readouterr()
    assert printed.err.count("once per installation") == 1 and "ready after" in printed.out
    assert happened == [command, "waited for", "waited for"], "after either share"
    happened.clear()
    compilation.compile_all()
    assert capsys.readouterr().err == "" and happened == [], "all is compiled"
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    monkeypatch.setattr(compilation, "SECOND", share())
    slow = True
    compilation.compile_all()
    assert capsys.readouterr().err == ""
    assert happened == [command, "waited for", "stopped", "waited for"]


def test_the_command_line_ends_with_1_without_a_law_and_with_2_without_a_table(
    file, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(cli, "discover", functools.partial(discover, config=FAST))
    np.savetxt(file, np.random.default_rng(0).standard_normal((100, 2)), delimiter=";")
    assert main(["discover", file, "--all"]) == 1
    assert "no law found" in capsys.readouterr().out
    assert main(["discover", str(tmp_path / "none.csv")]) == 2
    assert "error: cannot read" in capsys.readouterr().err
    assert main(["discover", file, "--columns", "mass"]) == 2
    assert "there is no column 'mass'; known are" in capsys.readouterr().err
    for option in ("--columns", "--involving", "--operators"):
        assert main(["discover", file, option, ","]) == 2
        assert f"{option} is ','; expected names" in capsys.readouterr().err


def test_laws_among_ten_columns_are_found_at_the_same_time():
    """Two laws of two and three columns, and five columns that have nothing to do with them."""
    rng = np.random.default_rng(0)
    p, v, t, period, *others = rng.uniform(0.5, 2.0, (9, 120))
    frame = pd.DataFrame(
        {"p": p, "v": v, "T": p * v / 8.314, "a": period ** (2.0 / 3.0), "period": period, "t": t}
        | {f"n{k}": column for k, column in enumerate(others)}
    )
    result = discover(frame, config=FAST, seconds=np.inf)
    sets = {frozenset(law.names) for law in result.laws}
    assert {frozenset({"a", "period"}), frozenset({"p", "v", "T"})} == sets
    assert "searched" in result.notes[-1] and "tables of up to 8" in result.notes[-2]
    assert "a, period" in str(result).replace("period, a", "a, period")


def test_a_law_of_two_columns_is_found_among_three():
    x, other = np.random.default_rng(0).uniform(0.5, 2.0, (2, 100))
    result = discover(pd.DataFrame({"x": x, "other": other, "y": np.exp(x)}), config=FAST)
    assert result.best.names == ("x", "y") and len(result.laws) == 1


def test_of_two_columns_that_are_one_each_has_its_laws():
    """Degrees Celsius and kelvin: a law of the pressure and either, no less than of one alone."""
    rng = np.random.default_rng(0)
    t = np.linspace(5.0, 99.0, 14)
    p = 0.3464 * (t + 273.15) * (1.0 + 0.002 * rng.standard_normal(14))
    result = discover({"t": t, "T": t + 273.15, "p": p}, config=FAST)
    assert [{*law.names} for law in result.laws] == [{"t", "T"}, {"T", "p"}, {"t", "p"}]
    assert result.laws[0].constants["c1"][0] == pytest.approx(273.15)
    assert result.laws[1].name == "proportionality"


def gas(noise=0.0, n=60):
    """Pressure in kPa, volume in l, amount in mol and temperature in K, which varies least."""
    rng = np.random.default_rng(0)
    p, v, t = rng.uniform([80.0, 2.0, 285.0], [250.0, 30.0, 315.0], (n, 3)).T
    exact = {"p": p, "V": v, "n": p * v / (8.314 * t), "T": t}
    wrong = dict(zip(exact, (1.0, 1.0, 1.0, 0.1), strict=True))
    return pd.DataFrame(
        {k: x * (1.0 + noise * wrong[k] * rng.standard_normal(n)) for k, x in exact.items()}
    )


@pytest.mark.parametrize("noise", [0.0, 0.005])
def test_a_law_of_four_columns_is_found_and_that_of_three_is_approximate(noise):
    result = discover(gas(noise), config=PlusConfig(proposers=("relations", "reductions")))
    solved = result.best.solved_for("p").rhs
    assert float(solved.subs({"V": 1, "n": 1, "T": 1})) == pytest.approx(8.314, rel=0.01)
    assert set(result.best.names) == {"p", "V", "n", "T"} and len(result.laws) == 1
    for law, without in result.approximate:
        assert without == ("T",) and "approximate, leaves out T" in str(result)
        assert set(law.names) == {"p", "V", "n"}


def test_a_column_that_has_nothing_to_do_with_the_law_is_left_out():
    table = gas(0.005)
    table["x"] = np.random.default_rng(1).uniform(0.0, 1.0, len(table))
    result = discover(table, config=PlusConfig(proposers=("relations", "reductions")))
    assert [set(law.names) for law in result.laws] == [{"p", "V", "n", "T"}]


@pytest.mark.parametrize("seed", [2, 10, 34])
def test_no_law_holds_a_column_that_has_nothing_to_do_with_it(seed):
    """Of noisy rows of a law of two columns, most had z = a·x·y − b for a law, too."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.5, 4.0, 40)
    y = 4.0 / x * (1.0 + 0.05 * rng.standard_normal(40))
    result = discover({"x": x, "y": y, "z": rng.uniform(0.0, 10.0, 40)}, config=FAST)
    assert result.best.names == ("x", "y")
    assert not any("z" in one.names and one.certificate.law for one in result.candidates)


def test_the_columns_that_play_a_part_are_searched_without_the_others(found):
    """Where two columns promise no law by themselves, the table of three shows which they are."""
    table, so_far = measurements(np.random.default_rng(0).uniform(1.0, 2.0, (40, 3))), []
    sets = laws._worth_searching(table, lambda: so_far, 20, [], set())
    assert next(sets) == (0, 1, 2)
    of_all = replace(found.best.certificate, shares=(0.7, 0.7, 0.2), p_of_parts=(0.0, 0.0, 0.3))
    so_far.append(replace(found.best, names=table.names, certificate=of_all))
    assert [*sets] == [(0, 1)]


def test_a_law_is_solved_for_a_column():
    x = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    law = discover(pd.DataFrame({"x": x, "y": 3.0 * x / (0.7 + x)}), config=FAST).best
    solved = law.solved_for("y")
    at_one = float(solved.rhs.subs("x", 1.0))
    assert str(solved.lhs) == "y" and at_one == pytest.approx(3.0 / 1.7, rel=1e-3)
    with pytest.raises(ValueError, match="there is no column 'z'; the law has x, y"):
        law.solved_for("z")


def test_a_result_says_the_noise_that_neighbours_show():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 2.0, 100)
    table = pd.DataFrame({"p": x, "V": 1.3 / x}) + 0.02 * rng.standard_normal((100, 2))
    result = discover(table, config=FAST)
    noise, law = result.noise, result.best
    assert noise == law.noise and noise.low < law.relative_rms < noise.high
    assert f"noise, judged by neighbours alone: {noise}" in str(result)
    assert law.record()["noise"]["level"] == noise.level
    few = discover(table[:15], config=FAST)
    assert np.isnan(few.noise.level) and "noise" not in str(few)


def test_a_result_says_how_many_points_it_leaves_far_away():
    x = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    table = pd.DataFrame({"p": x, "V": 1.3 / x * (1.0 + 0.001 * np.cos(97.0 * x))})
    assert "without" not in str(discover(table, config=FAST))
    table.loc[:4, "V"] += 1.0
    result = discover(table, config=FAST)
    law = result.best
    assert str(law.template) == "V*p - c1" and law.outliers == 5
    assert law.inlier_rms < 0.002 < 0.1 < law.relative_rms
    assert (
        f"of the spread; {law.inlier_rms:.2g} without 5 outliers, which are farther than 8 median "
        "distances" in str(result)
    )


def test_what_is_off_by_a_unit_of_the_last_digit_is_no_outlier():
    """Most rows are on the line to all digits, and eight medians of their distances are nothing."""
    weight = [2.0, 4.0, 6.1, 8.0, 10.0, 12.1, 13.9]
    result = discover({"length": np.arange(1.0, 8.0), "weight": weight}, config=FAST)
    assert result.best.name == "proportionality" and result.best.outliers == 0
    far = discover({"length": np.arange(1.0, 8.0), "weight": weight[:-1] + [17.9]}, config=FAST)
    assert far.best.outliers == 1 and "1 outlier" in str(far)


@pytest.mark.parametrize("name", ["found", "nothing"])
def test_a_result_is_saved_and_loaded_whole(request, name, tmp_path):
    result = request.getfixturevalue(name)
    path = tmp_path / "result.json"
    result.save(path)
    again = Result.load(path)
    assert again.candidates == result.candidates and again.notes == result.notes
    assert str(again).splitlines()[1:] == str(result).splitlines()[1:]
    pd.testing.assert_frame_equal(again.to_dataframe(), result.to_dataframe())
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"], "no half-written file is left"
    path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    with pytest.raises(ValueError, match=f"format 99; expected {FORMAT}"):
        Result.load(path)
    path.write_text('{"law": true}')
    with pytest.raises(ValueError, match="holds no result that was saved"):
        Result.load(path)


@pytest.mark.parametrize("chi", [None, 0.9, np.inf])
def test_what_is_unknown_and_what_is_infinite_are_loaded_as_such(found, chi):
    law = replace(found.best, chi=chi)
    assert Law.of_record(json.loads(json.dumps(law.record(), allow_nan=False))) == law


def test_a_law_is_called_with_rows(found):
    x = np.array([[1.0, 2.0], [4.0, 0.0]])
    frame = pd.DataFrame({"w": x[:, 1], "other": 0.0, "length": x[:, 0]})
    np.testing.assert_allclose(found.best(x), found.best.program.values(x))
    np.testing.assert_allclose(found.best(frame), found.best(x))


def test_columns_that_hardly_matter_are_left_out_at_once():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 5.0, 60)
    table = np.column_stack([x, 2.0 * np.exp(-0.7 * x) + 0.3, rng.standard_normal((60, 2))])
    result = discover(table + 0.005 * rng.standard_normal(table.shape))
    assert result.best.names == ("x1", "x2")
    assert result.notes[-1] == "searched 2 sets of columns: x1, x2, x3, x4; x1, x2"


def test_an_explanation_adds_up_and_names_who_proposed(found):
    table = found.explain(rivals=2)
    assert len(table) == min(3, len(found.candidates))
    items = table.drop(columns=["equation", "proposer", "total"])
    np.testing.assert_allclose(items.sum(axis=1), table.total, rtol=1e-3)
    assert set(table.proposer) <= set(PlusConfig().proposers)
    first = found.candidates[0]
    assert table.misfit[0] == pytest.approx(first.price.misfit, rel=1e-3)
    n = len(first.program.constants)
    expected = 5.0 * n + few_points(n, found.points)
    assert table.constants[0] == pytest.approx(expected, rel=1e-3), "none of them is whole"


def test_angles_whose_unit_is_given_are_not_paid_for(tmp_path):
    """Snell's law, to a tenth of a degree; without the unit another equation is cheaper."""
    incidence = np.arange(10.0, 90.0, 10.0)
    refraction = np.degrees(np.arcsin(np.sin(np.radians(incidence)) / 1.5)).round(1)
    rows = [f"{a},{b}" for a, b in zip(incidence, refraction, strict=True)]
    path = tmp_path / "snell.csv"
    path.write_text("\n".join(["incidence (deg),refraction (°)", *rows]))
    snell = "sin(pi*incidence/180) = 1.5*sin(pi*refraction/180)"
    assert str(discover(path, config=FAST).best) == snell
    assert str(discover(path, config=FAST, units={}).best) != snell
    assert str(discover(path, config=FAST, units=["deg", "degree"]).best) == snell


def test_one_angle_is_told_where_other_columns_have_no_unit(rng):
    turns = rng.uniform(0.0, 720.0, 60)
    reading = 3.0 + 2.0 * np.sin(np.radians(turns)) + 0.02 * rng.standard_normal(60)
    table = pd.DataFrame({"turn (deg)": turns.round(1), "reading": reading})
    result = discover(table, config=FAST)
    assert "say what is an angle and no more, as it has none for reading" in " ".join(result.notes)
    assert "sin(pi*turn/180)" in str(result.best) and len(result.best.constants) == 2


def test_a_law_about_degrees_is_written_with_pi(rng):
    angle = rng.uniform(5.0, 85.0, 150)
    table = pd.DataFrame({"angle": angle, "force": 40.0 * np.sin(np.radians(angle))})
    noisy = table + 0.003 * table.std().to_numpy() * rng.standard_normal(table.shape)
    best = discover(noisy).best
    assert sympy.pi in best.template.atoms() and "pi*angle/180" in str(best.equation)
    ((value, error),) = best.constants.values()
    assert 0.0 < error < 0.1 and min(value, 1.0 / value) * 40.0 == pytest.approx(1.0, rel=0.01)
    again = Law.of_record(json.loads(json.dumps(best.record())))
    assert again == replace(best, certificate=again.certificate)


def test_a_long_search_shows_who_proposes_and_the_best_equation_so_far(monkeypatch):
    shown = []

    class Bar(laws.tqdm):
        def set_postfix_str(self, text, refresh=True):
            shown.append(text)

    terminal = {"disable": False, "file": io.StringIO()}
    monkeypatch.setattr(laws, "tqdm", lambda **how: Bar(**how | terminal))
    monkeypatch.setattr(laws, "SHOWN", 0.0)
    discover(TABLE, config=FAST)
    assert all(text.startswith("length, w: ") for text in shown)
    assert {"relations", "network"} <= {text.split(": ")[1].split(";")[0] for text in shown}
    assert " = " in shown[-1].partition("; best ")[2], shown[-1]


def test_a_search_ends_when_its_time_is_up_with_what_it_has_found(monkeypatch):
    def searched(seconds):
        clock = itertools.count()
        monkeypatch.setattr(laws._Watch, "elapsed", property(lambda watch: float(next(clock))))
        return discover(noisy, config=FAST, seconds=seconds)

    noisy = ellipse(noise=0.05)
    few, every = searched(2.0), searched(np.inf)
    assert any("ended after 2 s" in note and "--seconds" in note for note in few.notes)
    assert few.best is not None and not every.notes


def test_an_exact_law_of_some_columns_comes_before_the_table(rng):
    """Years, months and months since the first one, beside measurements: no law of all four."""
    year, month = (when.ravel() for when in np.meshgrid(np.arange(10.0), np.arange(1.0, 13.0)))
    since = 12.0 * year + month
    level = (350.0 + 0.12 * since + rng.standard_normal(120)).round(2)
    table = {"y": year, "month": month, "level": level, "t": since}
    found = discover(table, config=FAST)
    assert repr(found.best) == "t = month + 12*y" and found.notes[-1].startswith("searched")
    assert "y, month, level, t" not in found.notes[-1]


def test_columns_beside_their_logarithms_have_these_laws(rng):
    sizes = np.exp(rng.uniform(0.0, 3.0, (40, 3)))
    table = dict(zip("abcdef", [*sizes.T, *np.log(sizes).T], strict=True))
    found = discover(table, config=FAST)
    assert {repr(law) for law in found.laws} == {"d = ln(a)", "e = ln(b)", "f = ln(c)"}
