"""*PIE+* beside other packages on laws of four to eight columns, of which only these are told
which column is the output.

    pip install pyoperon gplearn               # PySR needs Julia besides
    python benchmarks/peers_columns.py         # every fourth law
    python benchmarks/peers_columns.py --tiny  # one law, one second

*pyoperon* (Burlacu, Kronberger and Kommenda 2020) and *gplearn* (Stephens 2016) are genetic
programming; the first fits constants. Each has one thread and ``--seconds`` for every table. Laws
are every fourth of both sets of notebooks/12_columns.ipynb, judged as there. Answers are kept in
build/peers_columns, so that an interrupted run goes on. Writes ``peers_columns.csv`` and
``peers_columns.json`` into ``--out``.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from peers import keep, pyoperon
from tqdm import tqdm

from pie.data.columns import ColumnLaw, column_laws, points
from pie.experiments.metrics import right_skeleton
from pie.expr.expression import Expression, Tree, from_tree, parse
from pie.search.plus import MOST_COLUMNS
from pie.zeroset.box import Box

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NOISE, POINTS, SEED, EVERY = (0.0, 0.01), 200, 0, 4
POPULATION = 1000


def pie_plus(drawn: np.ndarray, seconds: float) -> Expression | None:
    """*PIE+*, which is not told which column is the output, and takes the time that it takes."""
    from pie.discovery.laws import wide_columns
    from pie.discovery.pretrained import from_pretrained
    from pie.experiments.settings import load_settings
    from pie.search.plus import discover_plus

    config = load_settings(ROOT / "params.yaml").inference_plus
    best = discover_plus(from_pretrained(), drawn, config, 1, None, wide_columns(drawn)).best
    return None if best is None else best.expression


def told_pyoperon(drawn: np.ndarray, seconds: float) -> Expression | None:
    return pyoperon(drawn, seconds, outputs=[drawn.shape[1] - 1])


def gplearn(drawn: np.ndarray, seconds: float) -> Expression | None:
    """Generation by generation until the seconds are over."""
    from gplearn.genetic import SymbolicRegressor

    names = ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos")
    search = SymbolicRegressor(
        population_size=POPULATION, generations=1, function_set=names,
        const_range=(-10.0, 10.0), parsimony_coefficient="auto",
        warm_start=True, random_state=0,
    )  # fmt: skip
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        search.fit(drawn[:, :-1], drawn[:, -1])
        search.generations += 1
    program = iter(search._program.program)
    try:
        return from_tree(("sub", ("x", drawn.shape[1]), _tree(program)))
    except (ValueError, RecursionError):  # too long
        return None


def _tree(program) -> Tree:
    """A program of gplearn, in prefix order; its roots and logarithms are of magnitudes."""
    node = next(program)
    if isinstance(node, int):
        return ("x", node + 1)
    if isinstance(node, float):
        return ("c", float(node))
    first = _tree(program)
    match node.name:
        case "sqrt":
            return ("sqrt", ("sqrt", ("pow2", first)))
        case "log":
            return ("mul", ("c", 0.5), ("ln", ("pow2", first)))
        case "sin" | "cos":
            return (node.name, first)
    return (node.name, first, _tree(program))


METHODS = {"PIE+": pie_plus, "pyoperon": told_pyoperon, "gplearn": gplearn}


def answer(method: str, law: ColumnLaw, noise: float, seconds: float, folder: Path) -> dict:
    """The equation and the seconds, found once and kept."""
    path = folder / f"{method} {seconds:g} {law.law_id} {noise:g}.json"
    if not path.exists():
        drawn = points(law, POINTS, noise, SEED)
        if method == "PIE+":
            pie_plus(drawn[:20], 1.0)  # compiles
        keep(path, METHODS[method], drawn, seconds)
    return json.loads(path.read_text())


def is_right(equation: str, law: ColumnLaw) -> bool:
    """As in :mod:`pie.experiments.many_columns`."""
    if not equation:
        return False
    clean = points(law, POINTS, 0.0, SEED)
    box = Box(clean.min(axis=0), clean.max(axis=0))
    return right_skeleton(parse(equation), law.equation, clean.shape[1], SEED, box)


def main() -> None:
    """Search, score, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tiny", action="store_true", help="one law, one second")
    parser.add_argument("--seconds", type=float, default=10.0, help="for every table")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from run import machine

    files = {"AI-Feynman": "feynman_columns", "textbooks": "columns"}
    sets = {name: column_laws(file, ROOT / "data/columns")[::EVERY] for name, file in files.items()}
    levels, seconds = NOISE, options.seconds
    if options.tiny:
        sets, levels, seconds = {"textbooks": sets["textbooks"][:1]}, NOISE[1:], 1.0
    jobs = [
        (method, name, law, noise)
        for method in METHODS
        for name, laws in sets.items()
        for law in laws
        for noise in levels
        if len(law.columns) <= MOST_COLUMNS
    ]
    folder = options.out / "peers_columns" if options.tiny else ROOT / "build/peers_columns"
    found = Parallel(options.workers, return_as="generator")(
        delayed(answer)(method, law, noise, seconds, folder) for method, _, law, noise in jobs
    )
    rows = pd.DataFrame(
        {
            "method": method, "set": name, "law_id": law.law_id, "noise": noise,
            "right": is_right(one["equation"], law), "seconds": round(one["seconds"], 2),
            "equation": one["equation"],
        }
        for (method, name, law, noise), one in zip(
            jobs, tqdm(found, "search", len(jobs), disable=None), strict=True
        )
    )  # fmt: skip
    options.out.mkdir(parents=True, exist_ok=True)
    rows.to_csv(options.out / "peers_columns.csv", index=False)
    packages = {name: version(name) for name in ("pyoperon", "gplearn", "numpy")}
    about = {"machine": machine(), "versions": packages, "seconds": seconds}
    (options.out / "peers_columns.json").write_text(json.dumps(about, indent=1) + "\n")
    counts = rows.groupby(["method", "set", "noise"]).agg(
        laws=("right", "size"), right=("right", "sum"), seconds=("seconds", "median")
    )
    print(counts.to_string())


if __name__ == "__main__":
    main()
