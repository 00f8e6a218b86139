"""Tables as a student or a scientist brings them from a laboratory: is the law the answer?

    python tools/lab.py --seeds 0 3

44 laws with everyday constants, units in some headers, 7 to 40 rows, values rounded as instruments
show them and errors of half a per cent to a few per cent. The answer is right if it has the law's
form or, within the errors, its zeros (:func:`pie.experiments.measured.is_textbooks`). Of what was
tried on earlier draws of these laws nothing was taken.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from pie.discovery.measurements import read_csv
from pie.discovery.pretrained import default_weights
from pie.experiments.journal import in_order
from pie.experiments.measured import MeasuredTable, answered
from pie.experiments.settings import load_settings
from pie.expr.expression import parse

ROOT = Path(__file__).resolve().parent.parent
WAVE = "0.017453292519943295"  # π/180
ROUND = np.array([0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0])

Set = Callable[[np.random.Generator], np.ndarray]  # the columns that are set or drawn, (D − 1, N)


def steps(*values: float) -> Set:
    return lambda rng: np.array([values])


def evenly(first: float, last: float, step: float) -> Set:
    return lambda rng: np.arange(first, last + step / 2.0, step)[None]


def drawn(n: int, *ranges: tuple[float, float]) -> Set:
    return lambda rng: np.array([rng.uniform(*one, n) for one in ranges])


def levels(*each: tuple[float, ...]) -> Set:
    return lambda rng: np.array([one.ravel() for one in np.meshgrid(*each)])


# name, header, law; what is set, the last column, its errors: relative or in its unit, its decimals
TABLES = [
    ("pendulum", "L (m);T (s)", "x2 - 2.01*sqrt(x1)",
     steps(.1, .15, .2, .25, .3, .4, .5, .6, .7, .8, .9, 1.), lambda x: 2.006 * np.sqrt(x), .01, 3),
    ("spring", "x (cm);F (N)", "x2 - 0.247*x1", evenly(.5, 6., .5), lambda x: .247 * x, .02, 2),
    ("loaded spring", "m (kg);l (cm)", "x2 - 12.3 - 40.7*x1",
     evenly(0., .6, .05), lambda m: 12.3 + 40.7 * m, .1, 1),
    ("Boyle", "V;p", "x1*x2 - 1406.5",
     steps(48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,
           14, 13, 12), lambda v: 1406.5 / v, .15, 2),
    ("cooling", "t (s);T (degC)", "x2 - 21.4 - 58.3*exp(-0.0071*x1)",
     evenly(0., 280., 20.), lambda t: 21.4 + 58.3 * np.exp(-t / 140.0), .3, 1),
    ("decay", "t;counts", "x2 - 1200.5*exp(-0.0323*x1)",
     evenly(0., 95., 5.), lambda t: 1200.0 * np.exp(-t / 31.0), 25., 0),
    ("charging", "t;U", "x2 - 9.01*(1 - exp(-0.4545*x1))",
     evenly(0., 9.5, .5), lambda t: 9.0 * (1.0 - np.exp(-t / 2.2)), .05, 2),
    ("Snell", "incidence (deg);refraction (deg)", f"sin({WAVE}*x1) - 1.49*sin({WAVE}*x2)",
     evenly(5., 80., 5.), lambda i: np.degrees(np.arcsin(np.sin(np.radians(i)) / 1.49)), .3, 1),
    ("lens", "u (cm);v (cm)", "1/x1 + 1/x2 - 1/10.2",
     steps(15, 18, 20, 22, 25, 28, 30, 35, 40, 50, 60, 80), lambda u: u * 10.2 / (u - 10.2), .2, 1),
    ("fall", "t (s);s (m)", "x2 - 4.905*x1**2",
     evenly(.1, 1.2, .1), lambda t: 4.905 * t**2, .02, 2),
    ("Balmer", "n;wavelength", "x2*(x1**2 - 4) - 364.507*x1**2",
     evenly(3., 9., 1.), lambda n: 364.507 * n**2 / (n**2 - 4.0), .005, 2),
    ("enzyme", "S;v", "x2 - 2.3*x1/(4.1 + x1)",
     steps(.5, 1, 2, 3, 5, 8, 12, 20, 30, 50), lambda s: 2.3 * s / (4.1 + s), .03, 3),
    ("Arrhenius", "T (K);k (1/s)", "x2 - 3.2e9*exp(-7200.5/x1)",
     evenly(293., 353., 10.), lambda t: 3.2e9 * np.exp(-7200.0 / t), "0.03", 4),
    ("Beer", "conc;A", "x2 - 0.83*x1",
     steps(.1, .2, .4, .6, .8, 1., 1.5), lambda c: .83 * c, .008, 3),
    ("resonance", "f;amplitude", "x2**2*((1 - 1.2346e-6*x1**2)**2 + 4.94e-8*x1**2) - 1.001",
     evenly(200., 1900., 100.),
     lambda f: 1.0 / np.sqrt((1.0 - (f / 900.0) ** 2) ** 2 + (f / 4500.0) ** 2), .03, 2),
    ("Joule", "I;P", "x2 - 47.1*x1**2", evenly(.1, 1.2, .1), lambda i: 47.0 * i**2, "0.02", 2),
    ("lamp", "d (cm);E (lx)", "x2 - 51000.5/x1**2",
     steps(10, 15, 20, 25, 30, 40, 50, 60, 80, 100), lambda d: 51000.0 / d**2, "0.02", 1),
    ("Kepler", "a;T", "x2**2 - x1**3 ; x2**2 - 1.001*x1**3",
     steps(.39, .72, 1., 1.52, 5.2, 9.54, 19.2, 30.1), lambda a: a**1.5, .001, 2),
    ("filament", "T (K);P (W)", "x2 - 1.19e-11*x1**4",
     steps(1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600), lambda t: 1.19e-11 * t**4, "0.02", 2),
    ("heated filament", "P (W);T (K)", "x1 - 1.19e-11*x2**4",
     steps(20, 40, 60, 80, 100, 120, 150, 200), lambda p: (p / 1.19e-11) ** 0.25, "0.005", 0),
    ("Ohm", "R;I;U", "x3 - x1*x2 ; x3 - 1.001*x1*x2",
     drawn(25, (1., 10.), (.1, 2.)), lambda r, i: r * i, "0.02", 2),
    ("resistors", "R1;R2;R", "x3 - x1*x2/(x1 + x2)",
     levels((10., 22., 33., 47.), (15., 27., 56., 100.)), lambda a, b: a * b / (a + b), "0.01", 2),
    ("gas", "V (l);T (K);p (bar)", "x1*x3 - 0.0831*x2",
     drawn(30, (1., 8.), (250., 400.)), lambda v, t: .0831 * t / v, "0.01", 2),
    ("kinetic energy", "m;v;E", "x3 - 0.501*x1*x2**2",
     drawn(24, (.5, 5.), (1., 9.)), lambda m, v: .5 * m * v**2, "0.02", 2),
    ("projectile", "v (m/s);angle (deg);R (m)", f"x3 - 0.1019*x1**2*sin(2*{WAVE}*x2)",
     drawn(24, (5., 20.), (15., 75.)),
     lambda v, a: v**2 * np.sin(2.0 * np.radians(a)) / 9.81, "0.02", 1),
    ("cylinder", "r;h;V", "x3 - 3.1416*x1**2*x2",
     drawn(24, (1., 5.), (2., 12.)), lambda r, h: np.pi * r**2 * h, "0.01", 1),
    ("cone", "r;s;A", "x3 - 3.1416*x1*(x1 + x2)",
     drawn(24, (1., 5.), (2., 12.)), lambda r, s: np.pi * r * (r + s), "0.01", 1),
    ("Pythagoras", "a;b;c", "x3**2 - x1**2 - x2**2",
     drawn(26, (3., 20.), (3., 20.)), np.hypot, "0.005", 1),
    ("gas with its amount", "V;n;T;p", "x1*x4 - 0.0831*x2*x3",
     drawn(40, (1., 8.), (.5, 3.), (250., 400.)), lambda v, n, t: .0831 * n * t / v, "0.01", 2),
    ("gravity", "m1;m2;d;F", "x4 - 6.67*x1*x2/x3**2",
     drawn(40, (1., 20.), (1., 20.), (.5, 4.)), lambda a, b, d: 6.67 * a * b / d**2, "0.02", 2),
    ("growth", "day;cells", "x2 - 9.4/(1 + 34.1*exp(-0.55*x1))",
     evenly(0., 19., 1.), lambda t: 9.4 / (1.0 + 34.0 * np.exp(-.55 * t)), "0.03", 2),
    ("metabolism", "mass;rate", "x2 - 3.4*x1**0.75",
     lambda rng: np.exp(rng.uniform(np.log(.02), np.log(3000.0), (1, 24))), lambda m: 3.4 * m**.75,
     "0.12", 3),
    ("tide", "hour;height", "x2 - 2.4 - 1.3*sin(0.5067*x1 + 0.6)",
     evenly(0., 12., 1.), lambda t: 2.4 + 1.3 * np.sin(.5067 * t + .6), .05, 2),
    ("dose", "dose;response", "x2 - 5.1 - 92.3/(1 + (x1/0.8)**1.3)",
     lambda rng: ROUND[None], lambda d: 5.0 + 92.0 / (1.0 + (d / .8) ** 1.3), 2., 1),
    ("Langmuir", "p;q", "x2 - 5.2*x1/(18.1 + x1)",
     steps(2, 5, 10, 15, 20, 30, 40, 60, 80), lambda p: 5.2 * p / (18.0 + p), "0.02", 2),
    ("doublings", "x;y", "x2 - 2.1 - 1.35*ln(x1)",
     steps(1, 2, 4, 8, 16, 32, 64), lambda x: 2.1 + 1.35 * np.log(x), .06, 2),
    ("wind", "z;u", "x2 - 3.68 - 1.05*ln(x1)",
     steps(2, 5, 10, 20, 30, 40, 60, 80, 100), lambda z: 1.05 * np.log(z / .03), "0.015", 2),
    ("damped oscillation", "t;x", "x2 - 8.1*exp(-0.3*x1)*sin(3.1*x1 + 1.57)",
     evenly(0., 6., .25), lambda t: 8.0 * np.exp(-.3 * t) * np.cos(3.1 * t), .1, 2),
    ("steam", "T (degC);p (mmHg)", "ln(x2) - 18.67 + 4030.2/(x1 + 235.1)",
     evenly(0., 100., 10.), lambda t: np.exp(18.67 - 4030.2 / (t + 235.1)), "0.001", 1),
    ("resistance", "T (degC);R (ohm)", "x2 - 100.1 - 0.393*x1",
     evenly(0., 100., 10.), lambda t: 100.0 * (1.0 + .00393 * t), .15, 1),
    ("divider", "R;U", "x2 - 9.01*x1/(x1 + 31.1)",
     steps(5, 10, 20, 30, 50, 75, 100, 150, 200), lambda r: 9.0 * r / (r + 31.0), .04, 2),
    ("spectral line", "x;y", "x2 - 4.2*exp(-0.78*(x1 - 0.4)**2)",
     evenly(-3., 3., .25), lambda x: 4.2 * np.exp(-(((x - .4) / .8) ** 2) / 2.0), .06, 2),
    ("braking", "v;s", "x2 - 0.2*x1 - 0.0058*x1**2",
     evenly(20., 120., 10.), lambda v: .2 * v + .0058 * v**2, 1., 1),
    ("draining", "t;h", "x2 - (7.1 - 0.082*x1)**2",
     evenly(5., 60., 5.), lambda t: (7.1 - .082 * t) ** 2, .25, 1),
]  # fmt: skip


def table(place: int, seed: int) -> MeasuredTable:
    """Table at a place of :data:`TABLES`, with errors of a seed."""
    name, header, relations, given, last, errors, decimals = TABLES[place]
    rng = np.random.default_rng([83, seed, place])
    set_ = given(rng)
    value = last(*set_)
    noise = rng.standard_normal(len(value))
    relative = isinstance(errors, str)  # of each value
    value = value * (1.0 + float(errors) * noise) if relative else value + errors * noise
    rounded = [[float(f"{x:.4g}") for x in one] for one in set_]
    columns = zip(header.split(";"), [*rounded, value.round(decimals)], strict=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        pd.DataFrame(dict(columns)).to_csv(path, index=False)
        frame = read_csv(path)
    truths = tuple(parse(text) for text in relations.split(" ; "))
    return MeasuredTable(name, "lab", (), relations, truths, np.nan, frame)


def answer(place: int, seed: int) -> dict:
    config = load_settings(ROOT / "params.yaml").inference_plus
    return answered(table(place, seed), default_weights(), config) | {"seed": seed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 3), help="first, and one after")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    jobs = [(place, seed) for seed in range(*options.seeds) for place in range(len(TABLES))]
    rows = pd.DataFrame(in_order(answer, jobs, options.workers, "tables"))
    for row in rows[rows.place != 0].itertuples():
        among = f", among the answers at {row.place + 1}" if row.place > 0 else ""
        print(f"{row.table}, seed {row.seed}: {row.best}{among}")
    first, law = rows.place == 0, rows.is_law
    print(
        f"{len(rows)} tables: {first.sum()} first, {(rows.how[first] == 'form').sum()} by their "
        f"form and {(first & law).sum()} as a law, "
        f"{(rows.place >= 0).sum()} among the answers; {(law & ~first).sum()} other laws"
    )


if __name__ == "__main__":
    main()
