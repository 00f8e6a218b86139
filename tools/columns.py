"""How many laws of data/columns/development.csv *PIE+* finds, and what it says of the others.

    python tools/columns.py --noise 0 0.01 --units

Choices may be made on these laws, unlike on those of notebooks/12_columns.ipynb.
"""

import argparse
from pathlib import Path

from pie.data.columns import development
from pie.experiments.many_columns import answers
from pie.experiments.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent
POINTS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.01], help="in spreads")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--units", action="store_true", help="the search knows them")
    options = parser.parse_args()
    laws = {"development": development(ROOT / "data/columns")}
    config = load_settings(ROOT / "params.yaml").inference_plus
    weights = ROOT / "data/models/pie-plus"
    rows = answers(
        laws, options.noise, POINTS, weights, config, options.workers, with_units=options.units
    )
    for row in rows[~rows.right].itertuples():
        print(f"{row.law_id} {row.name}, noise {row.noise:g}: {row.answer or row.status}")
        print(f"    for {row.truth}")
    found = rows.groupby(["noise", "kind"]).agg(
        laws=("right", "size"), right=("right", "sum"), seconds=("seconds", "median")
    )
    print(found.to_string())


if __name__ == "__main__":
    main()
