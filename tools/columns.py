"""How many laws of data/columns/development.csv *PIE+* finds, and what it says of the others.

    python tools/columns.py --noise 0 0.01 --units
    python tools/columns.py --width 6 --workers 1  # seconds that laws of six columns take

Choices may be made on the development laws, unlike on those of notebooks/12_columns.ipynb.
"""

import argparse
from pathlib import Path

from pie.data.columns import column_laws
from pie.experiments.many_columns import answers
from pie.experiments.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/columns"
POINTS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.01], help="in spreads")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--units", action="store_true", help="the search knows them")
    parser.add_argument("--width", type=int, help="only these, of 12_columns")
    options = parser.parse_args()
    laws = {"development": column_laws("development", FOLDER)}
    if width := options.width:
        every = [*column_laws("feynman_columns", FOLDER), *column_laws("columns", FOLDER)]
        laws = {f"{width} columns": [law for law in every if len(law.columns) == width]}
    config = load_settings(ROOT / "params.yaml").inference_plus
    weights = ROOT / "data/models/pie-plus"
    rows = answers(
        laws, options.noise, POINTS, weights, config, options.workers, with_units=options.units
    )
    if options.width:
        print(rows.groupby(["set", "noise"]).seconds.agg(["size", "median", "max"]).to_string())
        return
    for row in rows[~rows.right].itertuples():
        print(f"{row.law_id} {row.name}, noise {row.noise:g}: {row.answer or row.status}")
        print(f"    for {row.truth}")
    found = rows.groupby(["noise", "kind"]).agg(
        laws=("right", "size"), right=("right", "sum"), seconds=("seconds", "median")
    )
    print(found.to_string())


if __name__ == "__main__":
    main()
