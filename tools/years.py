"""Curves over calendar years: how often the best law is the curve, by its usual name.

    python tools/years.py --seeds 0 17           # 306 tables, whose first column is called year
    python tools/years.py --seeds 0 17 --name t  # the same, and nothing says that these are years
    python tools/years.py --without origin       # or another price (inference_plus.prices)

Each table has one row a year for 30 to 120 years from some year between 1850 and 1980, and noise in
the second column. Choices were made on seeds below 39.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse

import numpy as np
import pandas as pd

from pie.discovery.laws import discover
from pie.experiments.journal import in_order
from pie.search.plus import PlusConfig
from pie.search.price import Prices

# of t from 0 to 1 and of three numbers from 0 to 1, by usual name
CURVES = {
    "straight line": lambda t, a, b, c: a + 3 * b * t,
    "parabola": lambda t, a, b, c: a + b * t + (1 + 2 * c) * t**2,
    "exponential": lambda t, a, b, c: (1 + a) * np.exp((1 + 3 * b) * t),
    "exponential with offset": lambda t, a, b, c: a + (2 + b) * np.exp(-(2 + 3 * c) * t),
    "logistic": lambda t, a, b, c: (2 + a) / (1 + np.exp((8 + 4 * b) * (0.3 + 0.4 * c - t))),
    "Gaussian": lambda t, a, b, c: (2 + a) * np.exp(-(8 + 8 * b) * (t - 0.3 - 0.4 * c) ** 2),
}
NOISE = (0.01, 0.03, 0.1)  # of the spread


def table(curve: str, noise: float, seed: int) -> dict[str, np.ndarray]:
    """Years and values."""
    rng = np.random.default_rng([[*CURVES].index(curve), seed])
    years = np.arange(rng.integers(30, 121)) + rng.integers(1850, 1981)
    value = CURVES[curve]((years - years[0]) / np.ptp(years), *rng.random(3))
    return {"year": years, "y": value + noise * value.std() * rng.standard_normal(len(years))}


def answer(curve: str, noise: float, seed: int, name: str, without: str) -> dict:
    """A row: what was drawn, and whether the best law is that curve."""
    asked = table(curve, noise, seed)
    prices = Prices(**({without: 0.0} if without else {}))
    config = PlusConfig(prices=prices)
    found = discover({name: asked.pop("year"), **asked}, config=config, workers=1)
    best = found.best
    row = {"curve": curve, "noise": noise, "seed": seed, "seconds": found.seconds}
    return row | {"found": best.name == curve if best else False, "best": repr(best)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 17), help="first, and one after")
    parser.add_argument("--name", default="year", help="of the first column")
    parser.add_argument("--without", default="", help="a price that is 0")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    same, seeds = (options.name, options.without), range(*options.seeds)
    jobs = [(c, e, s, *same) for c in CURVES for e in NOISE for s in seeds]
    rows = pd.DataFrame(in_order(answer, jobs, options.workers, "tables"))
    for row in rows[~rows.found].itertuples():
        print(f"{row.curve}, noise {row.noise:g}, seed {row.seed}: {row.best}")
    print(rows.pivot_table("found", "curve", "noise", "sum", margins=True).to_string())
    median = rows.seconds.median()
    print(f"{len(rows)} tables, {rows.found.mean():.0%} found, median {median:.1f} s")


if __name__ == "__main__":
    main()
