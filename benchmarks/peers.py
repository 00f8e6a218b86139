"""*PIE+* beside other packages, each as its users run it, on curves of *wild* with noise.

    pip install pyoperon pysindy           # the extra [peers]
    python benchmarks/peers.py             # about ten minutes on two cores
    python benchmarks/peers.py --tiny      # one problem, one second

Every method has one thread and the same seconds per problem. *pyoperon* (genetic programming with
fitted constants; Burlacu, Kronberger and Kommenda 2020) takes each column as the output in turn and
shares the seconds among them. *pysindy* (sequentially thresholded least squares; Kaptanoglu et al.
2022) takes each of a library's terms as the output, as SINDy-PI does (Kaheman et al. 2020). Among
the outputs the lowest N ln(1 − R²) + ln N · length is the answer. The null space is that of the
baselines. Answers are kept in build/peers, so that an interrupted run goes on. Writes
``peers.csv``, ``peers.json`` and the figure ``peers`` (PNG, SVG) into ``--out``.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
import json
import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from pie.data.benchmarks import Problem, load, noisy
from pie.experiments.answers import answer_to
from pie.experiments.evaluation import scored
from pie.expr.expression import Expression, from_tree, parse, to_tree
from pie.expr.terms import weighted_sum
from pie.files import whole
from pie.search.relations import columns_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NOISE = (0.0, 0.01, 0.05)  # of the spread of each column
SECONDS = (3, 10)
METHODS = ("PIE+", "Null space", "pysindy", "pyoperon")
OPERATORS = "add,sub,mul,div,pow,square,sqrt,exp,log,sin,cos,constant,variable"
THRESHOLDS = np.logspace(-6.0, 0.0, 25)  # of coefficients of columns of norm 1
EXACT = 1e-14  # 1 − R² below this is rounding


def criterion(residual: np.ndarray, output: np.ndarray, length: int) -> float:
    """N ln(1 − R²) + ln N · length."""
    unexplained = max(float(np.mean(residual**2) / np.var(output)), EXACT)
    return len(output) * math.log(unexplained) + math.log(len(output)) * length


def pyoperon(
    points: np.ndarray, seconds: float, outputs: Sequence[int] | None = None
) -> Expression | None:
    """The best of the equations x_j = g(the other columns), j from ``outputs``; None: any."""
    from pyoperon.sklearn import SymbolicRegressor

    n_columns = points.shape[1]
    found, outputs = [], range(n_columns) if outputs is None else outputs
    for j in outputs:
        inputs, output = np.delete(points, j, axis=1), points[:, j]
        search = SymbolicRegressor(
            allowed_symbols=OPERATORS, objectives=["r2", "length"], optimizer_iterations=10,
            max_time=max(1, int(seconds / len(outputs))), generations=10**9,
            max_evaluations=10**12, n_threads=1, random_state=0,
        ).fit(inputs, output)  # fmt: skip
        cost = criterion(output - search.predict(inputs), output, search.stats_["model_length"])
        if math.isfinite(cost):
            others = [k for k in range(1, n_columns + 1) if k != j + 1]
            text = search.get_model_string(search.model_, precision=16).replace("^", "**")
            text = re.sub(r"X(\d+)", lambda m: f"x{others[int(m[1]) - 1]}", text)
            found.append((cost, f"x{j + 1} - ({text})"))
    for _, text in sorted(found):
        try:
            return parse(text)
        except ValueError:  # too long, or an operator that the metrics do not know
            continue
    return None


def pysindy(points: np.ndarray, seconds: float) -> Expression | None:
    """The best of the equations φ_k = Σ_m c_m φ_m(x), of monomials and functions of a column."""
    from pysindy import STLSQ

    from pie.expr.terms import monomials
    from pie.search.libraries import variables

    terms = [("c", 1.0), *monomials(points.shape[1], 3)[1:]]
    for x in variables(points.shape[1]):
        terms += [(f, x) for f in ("sin", "cos", "exp", "ln", "sqrt")] + [("div", ("c", 1.0), x)]
    values = columns_of(terms, points)
    usable = np.isfinite(values).all(axis=0) & (np.abs(values).max(axis=0) < 1e12)
    terms, values = [t for t, u in zip(terms, usable, strict=True) if u], values[:, usable]
    norms = np.linalg.norm(values, axis=0)
    columns = values / norms
    best, answer, ends = np.inf, None, time.perf_counter() + seconds
    for k in range(1, len(terms)):
        others = np.delete(np.arange(len(terms)), k)
        for threshold in THRESHOLDS:
            if time.perf_counter() > ends:
                return answer
            fit = STLSQ(threshold=threshold, alpha=1e-12, max_iter=20)
            fit.fit(columns[:, others], columns[:, [k]])
            weights = np.ravel(fit.coef_)
            kept = np.flatnonzero(weights)
            if not len(kept):
                break
            residual = columns[:, k] - columns[:, others[kept]] @ weights[kept]
            cost = criterion(residual, columns[:, k], 2 * len(kept))
            chosen = [terms[k], *(terms[others[i]] for i in kept)]
            held = {v for t in chosen if t[0] != "c" for v in from_tree(t).variables}
            if cost < best and len(held) == points.shape[1]:
                scaled = np.array([1.0, *(-weights[kept])]) / norms[[k, *others[kept]]]
                try:
                    best, answer = cost, weighted_sum(chosen, scaled)
                except ValueError:  # too long
                    continue
    return answer


def ours(name: str):
    """A method of this project: points, seconds → equation."""
    from pie.discovery.pretrained import from_pretrained
    from pie.experiments.settings import load_settings

    settings = load_settings(ROOT / "params.yaml")
    if name == "PIE+":
        from pie.search.plus import discover_plus

        def search(points):
            return discover_plus(from_pretrained(), points, settings.inference_plus)
    else:
        from pie.baselines.null_space import null_space

        def search(points):
            return null_space(points, settings.baselines.null_space)

    def method(points: np.ndarray, seconds: float) -> Expression | None:
        best = search(points).best
        return None if best is None else best.expression

    return method


def answer(method: str, problem: Problem, seconds: float, folder: Path) -> dict:
    """The equation and the seconds, found once and kept."""
    path = folder / f"{method} {seconds:g} {problem.equation_id} {problem.sampling}.json"
    if not path.exists():
        search = {"pyoperon": pyoperon, "pysindy": pysindy}.get(method) or ours(method)
        search(problem.points[:20], 1.0) if method in ("PIE+", "Null space") else None
        keep(path, search, problem.points, seconds)
    return json.loads(path.read_text())


def keep(
    path: Path,
    search: Callable[[np.ndarray, float], Expression | None],
    points: np.ndarray,
    seconds: float,
) -> None:
    """Write the equation that a search finds and the seconds that it took, whole or not at all."""
    began = time.perf_counter()
    found = search(points, seconds)
    took = time.perf_counter() - began
    text = "" if found is None else str(from_tree(to_tree(found)))
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as made:
        made.write_text(json.dumps({"equation": text, "seconds": took}))


def draw(rows: pd.DataFrame):
    """Share of right skeletons within so many seconds, one panel per level of noise."""
    import matplotlib.pyplot as plt

    from pie.report.drawing import STYLE, WIDTH

    plt.style.use(STYLE)
    figure, axes = plt.subplots(1, len(NOISE), figsize=(WIDTH, 2.2), sharey=True)
    for axis, level in zip(axes, NOISE, strict=True):
        for place, method in enumerate(METHODS):
            these = rows[(rows.method == method) & (rows.noise == level)]
            if method == "pyoperon":
                shares = these.groupby("limit").skeleton.mean()
                axis.plot(shares.index, 100 * shares, "s-", color=f"C{place}", label=method)
                continue
            ordered = these.sort_values("seconds")
            shares = 100 * ordered.skeleton.cumsum() / len(ordered)
            axis.step(ordered.seconds, shares, where="post", color=f"C{place}", label=method)
        axis.set_xscale("log")
        axis.set_title(f"{100 * level:g} % noise" if level else "no noise", fontsize=8)
        axis.set_xlabel("seconds")
    axes[0].set_ylabel("right skeletons, %")
    axes[0].set_ylim(0, 100)
    axes[-1].legend(fontsize=6)
    return figure


def main() -> None:
    """Search, score, write, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tiny", action="store_true", help="one problem, one second")
    parser.add_argument("--every", type=int, default=19, help="every N-th problem of wild")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from run import machine

    from pie.report import figures

    clean = load(ROOT / "data/benchmarks", "wild")[:: 1000 if options.tiny else options.every]
    levels, limits = (NOISE[1:2], (1,)) if options.tiny else (NOISE, SECONDS)
    jobs = [
        (method, problem if level == 0.0 else noisy(problem, level), level, limit)
        for method in METHODS
        for limit in (limits if method == "pyoperon" else limits[-1:])
        for level in levels
        for problem in clean
    ]
    folder = options.out / "peers" if options.tiny else ROOT / "build/peers"
    found = Parallel(options.workers, return_as="generator")(
        delayed(answer)(method, problem, limit, folder) for method, problem, _, limit in jobs
    )
    lines = []
    for (method, problem, level, limit), one in zip(
        jobs, tqdm(found, "search", len(jobs), disable=None), strict=True
    ):
        equation = parse(one["equation"]) if one["equation"] else None
        row = answer_to(problem, equation, method, one["seconds"], 0, problem.sampling, "ok")
        (score,) = scored([row], [problem])
        lines.append(
            {
                "method": method,
                "problem": problem.equation_id,
                "noise": level,
                "limit": limit,
                "seconds": round(one["seconds"], 3),
                "recovered": score.score("recovered"),
                "skeleton": score.score("skeleton"),
                "truth": str(problem.truth),
                "equation": one["equation"],
            }  # fmt: skip
        )
    rows = pd.DataFrame(lines)
    options.out.mkdir(parents=True, exist_ok=True)
    rows.to_csv(options.out / "peers.csv", index=False)
    packages = {name: version(name) for name in ("pyoperon", "pysindy", "numpy")}
    about = {"machine": machine(), "versions": packages}
    (options.out / "peers.json").write_text(json.dumps(about, indent=1) + "\n")
    shares = rows.groupby(["method", "limit", "noise"])[["recovered", "skeleton"]].mean()
    print((100 * shares).round(1).unstack().to_string())
    if not options.tiny:
        figures.save(draw(rows), options.out / "peers")


if __name__ == "__main__":
    main()
