"""Where the time goes, and how near the compiled engine is to what this machine can do.

    python benchmarks/shares.py          # about a minute of one core; nothing else should run
    python benchmarks/shares.py --tiny   # seconds: only to see that it runs

*Shares* of one core making corpus items, and fitting skeletons, by what the Python code calls.
*Rates*: multiply-adds of a compiled loop over 200 numbers, and NumPy's exp and sin, are what the
machine can do; of an equation, its nodes times the points are counted, without its derivatives.
Each is the median of several runs. Writes ``shares.json`` and ``shares.md``.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

import numba
import numpy as np
import pandas as pd

from pie.data import corpus as corpus_module
from pie.data.corpus import Corpus
from pie.data.recipe import corpora
from pie.experiments.settings import load_settings
from pie.expr.derivatives import NONE, jets, workspace
from pie.expr.elementary import exp_row, wave_row
from pie.expr.expression import Expression, parse
from pie.expr.kernel import values
from pie.files import whole
from pie.fit import guards, sampson, sampson_fits

HERE = Path(__file__).resolve().parent
POINTS = 200
POLYNOMIAL = "x1*x2 + 0.5*x1*x3 + 0.25*x2*x3 + 2.0*x1 + 3.0*x2 - x3 + 1.5"
WAVES = "sin(x1) + exp(x2) + sin(x3) + exp(x1) + sin(x2) + exp(x3)"


@contextmanager
def timed(*parts: tuple[str, object, str]) -> Iterator[dict[str, float]]:
    """Seconds spent in functions, given as name, owner and attribute; names may repeat."""
    spent = {name: 0.0 for name, _, _ in parts}

    def within(name: str, function: Callable) -> Callable:
        def call(*arguments, **named):
            began = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                spent[name] += time.perf_counter() - began

        return call

    with ExitStack() as stack:
        for name, owner, attribute in parts:
            inner = within(name, getattr(owner, attribute))
            stack.enter_context(mock.patch.object(owner, attribute, inner))
        yield spent


def shares(work: Callable[[], object], *parts: tuple[str, object, str]) -> dict[str, float]:
    """Shares of the time of ``work``; what is left is *other*."""
    with timed(*parts) as spent:
        began = time.perf_counter()
        work()
        total = time.perf_counter() - began
    found = {name: seconds / total for name, seconds in spent.items()}
    return found | {"other": 1.0 - sum(found.values())}


@numba.njit
def _multiply_adds(a, b, c, repeats):
    for _ in range(repeats):
        for i in range(a.size):
            a[i] = a[i] * b[i] + c[i]


def rate(call: Callable[[], object], numbers: int, runs: int) -> float:
    """Numbers per second, the median of several runs of at least 20 ms each."""
    repeats, seconds = 1, 0.0
    while seconds < 0.02:
        repeats *= 2
        began = time.perf_counter()
        for _ in range(repeats):
            call()
        seconds = time.perf_counter() - began
    found = []
    for _ in range(runs):
        began = time.perf_counter()
        for _ in range(repeats):
            call()
        found.append(repeats * numbers / (time.perf_counter() - began))
    return statistics.median(found)


def rates(runs: int) -> dict[str, float]:
    """Numbers per second of the machine and of the engine."""
    rng = np.random.default_rng(0)
    row, other, more = rng.uniform(0.5, 1.5, (3, POINTS))
    columns = rng.uniform(0.5, 1.5, (3, POINTS))
    _multiply_adds(row.copy(), other, more, 1)
    found = {
        "multiply-adds, compiled loop": rate(
            lambda: _multiply_adds(np.zeros(POINTS), other, more, 1000), 1000 * POINTS, runs
        ),
        "exp, NumPy": rate(lambda: np.exp(row, out=more), POINTS, runs),
        "sin, NumPy": rate(lambda: np.sin(row, out=more), POINTS, runs),
    }
    scratch = row.copy()

    def refilled(function: Callable, *arguments) -> Callable[[], None]:
        def call() -> None:
            scratch[:] = row
            function(scratch, *arguments)

        return call

    found["exp, engine"] = rate(refilled(exp_row), POINTS, runs)
    found["sin, engine"] = rate(refilled(wave_row, False), POINTS, runs)
    for kind, text in (("+ and ·", POLYNOMIAL), ("exp and sin", WAVES)):
        equation: Expression = parse(text)
        codes, constants = equation.arrays
        nodes = len(codes)
        found[f"values, {kind}"] = rate(
            lambda c=codes, k=constants: values(c, k, columns), nodes * POINTS, runs
        )
        work = workspace(codes, 1 + len(columns), POINTS)
        found[f"values and gradients, {kind}"] = rate(
            lambda c=codes, k=constants, w=work: jets(c, k, columns, len(columns), NONE, *w),
            nodes * POINTS, runs,
        )  # fmt: skip
    return found


def measure(tiny: bool) -> dict:
    """All shares and rates."""
    settings = load_settings(HERE.parent / "params.yaml")
    _, validation = corpora(settings.corpus, HERE.parent / "data/benchmarks")
    corpus, items = Corpus(settings.corpus), 40 if tiny else 6000
    corpus.arrays(0, 40)  # compiled code is loaded
    pairs = [validation[k] for k in range(70_000, 70_000 + (10 if tiny else 600))]
    pairs = [item for item in pairs if 1 <= len(item.target.constants) <= 3]

    def fits() -> None:
        for item in pairs:
            sampson_fits.fit_sampson([item.target], item.points)

    fits()
    return {
        "corpus": shares(
            lambda: corpus.arrays(0, items),
            ("trees drawn (Python)", corpus_module, "random_tree"),
            ("canonical form (Python)", corpus_module, "canonical"),
            ("points: roots (compiled)", corpus_module, "paper_points"),
            ("written as tokens (Python)", corpus_module, "encode"),
        ),
        "fits": shares(
            fits,
            ("descents (compiled)", sampson, "fit"),
            ("guards (compiled)", guards, "examine"),
            ("columns, permutation, spreads (NumPy)", sampson_fits, "_clouds"),
        ),
        "rates": rates(1 if tiny else 9),
    }


def tables(results: dict) -> str:
    """Shares in per cent and rates in millions per second, as Markdown."""
    parts = []
    for work, title in (("corpus", "a corpus item"), ("fits", "a fit")):
        rows = [(name, f"{100.0 * share:.0f} %") for name, share in results[work].items()]
        parts.append(pd.DataFrame(rows, columns=[f"one core, {title}", "share"]))
    found = results["rates"]
    peak = found["multiply-adds, compiled loop"]
    of = {name: peak for name in found} | {
        "exp, engine": found["exp, NumPy"], "sin, engine": found["sin, NumPy"],
    }  # fmt: skip
    rows = [
        (name, f"{value / 1e6:.0f}", f"{100.0 * value / of[name]:.0f} %")
        for name, value in found.items()
    ]
    columns = ["numbers", "millions a second", "of the multiply-adds, or of NumPy's"]
    parts.append(pd.DataFrame(rows, columns=columns))
    return "\n\n".join(part.to_markdown(index=False) for part in parts) + "\n"


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="smallest sizes, numbers mean nothing")
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from run import machine

    results = measure(options.tiny)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("shares.json", json.dumps({"machine": machine()} | results, indent=1) + "\n"),
        ("shares.md", tables(results)),
    ):
        with whole(options.out / name) as made:
            made.write_text(text)
    print(tables(results))


if __name__ == "__main__":
    main()
