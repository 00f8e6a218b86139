"""Laws about angles in degrees, as in a laboratory: how often the best law has the law's form.

    python tools/angles.py                # the units of the columns are given
    python tools/angles.py --without units

The first column is set, without errors, where there are 14 rows; all have errors where there are
40. No choice was made on these tables.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse

import numpy as np
import pandas as pd

from pie.discovery.laws import discover
from pie.experiments.journal import in_order
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.plus import PlusConfig


def sin(degrees: np.ndarray) -> np.ndarray:
    return np.sin(np.radians(degrees))


def cos(degrees: np.ndarray) -> np.ndarray:
    return np.cos(np.radians(degrees))


def arcsin(x: np.ndarray) -> np.ndarray:
    return np.degrees(np.arcsin(x))


# units and ranges of the columns that are drawn; unit of the last one, how it follows; its forms
LAWS = {
    "refraction": ({"deg": (5, 80)}, "deg", lambda a: arcsin(sin(a) / 1.5),
                   "sin(K*x1) - 1.5*sin(K*x2)"),
    "polarisers": ({"deg": (0, 90)}, "mW", lambda a: 4.2 * cos(a) ** 2,
                   "x2 - 4.2*cos(K*x1)**2", "x2 - 2.1*cos(2*K*x1) - 2.1"),
    "throw": ({"deg": (10, 80)}, "m", lambda a: 6.3 * sin(2 * a), "x2 - 6.3*sin(2*K*x1)"),
    "pendulum": ({"deg": (5, 90)}, "cm", lambda a: 50 * (1 - cos(a)), "x2 - 50*(1 - cos(K*x1))"),
    "grating": ({"deg": (15, 40)}, "nm", lambda a: 1200 * sin(a), "x2 - 1200*sin(K*x1)"),
    "torque": ({"deg": (10, 90), "N": (1, 10)}, "N m", lambda a, f: 0.4 * f * sin(a),
               "x3 - 0.4*x2*sin(K*x1)"),
    "slope": ({"deg": (15, 70)}, "m/s^2", lambda a: 9.8 * sin(a) - 1.96 * cos(a),
              "x2 - 9.8*sin(K*x1) + 1.96*cos(K*x1)", "x2 - 10*sin(K*x1 - 0.2)"),
    "prism": ({"deg": (20, 75)}, "deg", lambda a: 2 * arcsin(1.5 * sin(a / 2)) - a,
              "sin(0.5*K*(x1 + x2)) - 1.5*sin(0.5*K*x1)"),
    "sun": ({"deg": (-90, 90)}, "deg", lambda h: arcsin(0.25 + 0.65 * cos(h)),
            "sin(K*x2) - 0.25 - 0.65*cos(K*x1)"),
    "current": ({"deg": (0, 80), "A": (1, 5)}, "W", lambda a, i: 230 * i * cos(a),
                "x3 - 230*x2*cos(K*x1)"),
    "gravity": ({"deg": (0, 88)}, "mGal", lambda a: 5170 * sin(a) ** 2 + 30,
                "x2 - 5170*sin(K*x1)**2 - 30", "x2 + 2585*cos(2*K*x1) - 2615"),
    "orbit": ({"deg": (0, 350)}, "AU", lambda a: 1.5 / (1 + 0.3 * cos(a)),
              "x2 + 0.3*x2*cos(K*x1) - 1.5"),
}  # fmt: skip
NOISE = {14: (0.003, 0.01), 40: (0.01, 0.03)}  # of the spread, by the number of rows


def answer(law: str, n: int, noise: float, seed: int, with_units: bool) -> dict:
    """A row: what was drawn, and whether the best law has the form."""
    drawn, unit, last, *forms = LAWS[law]
    rng = np.random.default_rng([[*LAWS].index(law), n, seed])
    columns = [rng.uniform(*limits, n) for limits in drawn.values()]
    if len(columns) == 1:
        columns = [np.linspace(*limits, n) for limits in drawn.values()]
    points = np.column_stack([*columns, last(*columns)])
    errors = noise * points.std(axis=0) * rng.standard_normal(points.shape)
    errors[:, 0] *= n == max(NOISE)
    table = pd.DataFrame(points + errors, columns=[*"abc"[: points.shape[1]]])
    units = [*drawn, unit] if with_units else {}
    found = discover(table, config=PlusConfig(), workers=1, units=units)
    known = [canonical(parse(form.replace("K", repr(np.pi / 180)))).codes for form in forms]
    best, every = found.best, len(table.columns)
    right = best and len(best.names) == every and canonical(best.program).codes in known
    row = {"law": law, "rows": n, "noise": noise, "seed": seed, "seconds": found.seconds}
    return row | {"found": bool(right), "best": repr(best)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--without", choices=["units"])
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 4), help="first, and one after")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    cases = [(n, noise) for n, levels in NOISE.items() for noise in levels]
    jobs = [(law, *case, seed, not options.without)
            for law in LAWS for case in cases for seed in range(*options.seeds)]  # fmt: skip
    rows = pd.DataFrame(in_order(answer, jobs, options.workers, "tables"))
    for row in rows[~rows.found].itertuples():
        print(f"{row.law}, {row.rows} rows, noise {row.noise:g}, seed {row.seed}: {row.best}")
    print(rows.pivot_table("found", "law", ["rows", "noise"], "sum", margins=True).to_string())
    print(f"{len(rows)} tables, {rows.found.sum()} found, median {rows.seconds.median():.1f} s")


if __name__ == "__main__":
    main()
