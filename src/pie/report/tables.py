"""Tables: ours beside the paper's, as a data frame, Markdown, LaTeX (booktabs) and CSV.

A ``summary`` comes from :func:`pie.experiments.evaluation.summarise`.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..data.benchmarks import Problem
from ..data.corpus import Statistics
from ..experiments.comparisons import Difference, difference
from ..experiments.evaluation import Row, grouped, summarise, wilson
from ..experiments.metrics import THRESHOLDS
from ..expr import vocabulary
from ..expr.canonical import canonical
from ..expr.expression import Expression, parse, to_infix, to_tree
from ..expr.operators import BY_NAME
from ..network.config import BITS
from ..network.schedule import TrainingConfig
from ..zeroset.degeneracy import KINDS, NO_EQUATION
from ..zeroset.noise import noise_of

TITLES = {
    "feynman": "AI-Feynman",
    "synthetic": "Synthetic (ours)",
    "synthetic_printed": "Synthetic, printed",
    "wild": "Wild, noise-free",
    "wild, noise 1 %": "Wild, 1 % noise",
}


def with_interval(entry: dict, column: str) -> str:
    """A share in per cent with its 95 % interval."""
    low, high = (100 * entry[f"{column}_{end}"] for end in ("low", "high"))
    return f"{100 * entry[column]:.1f} % [{low:.0f}, {high:.0f}]"


def share_of(hits: Sequence[float]) -> dict:
    """The ``share`` of hits with Wilson's 95 % interval, ``share_low`` and ``share_high``."""
    low, high = wilson(hits)
    return {"share": sum(hits) / len(hits), "share_low": low, "share_high": high}


def share(hits: Sequence[float]) -> str:
    """The same as text.

    >>> share([1, 1, 0, 1])
    '75.0 % [30, 95] of 4'
    """
    return f"{with_interval(share_of(hits), 'share')} of {len(hits)}" if len(hits) else "–"


def _percent(hits: Sequence[float]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f} %"


def _infix(expression: Expression) -> str:
    return to_infix(to_tree(expression), 4)


def by_way(rows: Sequence[Row]) -> pd.DataFrame:
    """``wild``, per method and noise: shares in per cent for every way of drawing, and over all.

    Of two-sided recovery without noise, of right skeletons with noise.
    """
    lines = []
    wild = [row for row in rows if row.benchmark == "wild"]
    for (method, test_set), chosen in grouped(wild, "method", "test_set").items():
        measure = "recovered" if test_set == "wild" else "skeleton"
        noise = test_set.partition("noise ")[2] or "none"
        line = {"method": method, "noise": noise, "measure": measure}
        for (way,), members in (grouped(chosen, "way") | {("all",): chosen}).items():
            line[way] = _percent([row.score(measure) for row in members])
        lines.append(line)
    return pd.DataFrame(lines)


def by_method(summary: Sequence[dict], cells: Callable[[dict], dict]) -> pd.DataFrame:
    """A line per method with the cells, by column, that every entry of it adds."""
    lines: dict[str, dict] = {}
    for entry in summary:
        lines.setdefault(entry["method"], {"Method": entry["method"]}).update(cells(entry))
    return pd.DataFrame(lines.values())


def ablation(rows: Sequence[Row]) -> pd.DataFrame:
    """One line per part left out: right skeletons, paired difference from the whole, by noise."""
    every, whole = grouped(rows, "test_set", "method"), rows[0].method

    def cells(e: dict) -> dict:
        test_set, method = e["benchmark"], e["method"]
        name = test_set.removeprefix("validation").removeprefix(", ") or "noise-free"
        gap = difference(every[test_set, method], every[test_set, whole], "skeleton")
        return {
            f"{name} ({e['equations']})": with_interval(e, "skeleton"),
            f"{name}: difference": "" if method == whole else str(gap),
            f"{name}: median s": f"{e['seconds']:.2f}",
        }

    return by_method(summarise(rows), cells)


def noise(problems: Sequence[Problem]) -> pd.DataFrame:
    """What neighbours tell of the noise of problems: one line per level and number of variables."""
    groups: dict[tuple[float, int], list] = {}
    for problem in problems:
        level = float(problem.sampling.partition("noise ")[2] or 0.0)
        found = noise_of(problem.points / problem.points.std(axis=0))
        groups.setdefault((level, problem.n_variables), []).append(found)
    lines = []
    for (level, d), found in sorted(groups.items()):
        seen = [one for one in found if one.seen]
        line = {"noise": f"{100 * level:g} %", "variables": d, "problems": len(found)}
        line["seen"] = len(seen)
        line["not known"] = sum(np.isnan(one.level) for one in found)
        line["median level"] = f"{100 * np.median([s.level for s in seen]):.2f} %" if seen else ""
        inside = [one.low <= level <= one.high for one in seen]
        lines.append(line | {"in the interval": _percent(inside) if seen else ""})
    return pd.DataFrame(lines)


def equal_time(summary: Sequence[dict]) -> pd.DataFrame:
    """Acc 0.99 and recovery by seconds per equation, which stand as ``benchmark``: ``10 s``."""

    def cells(e: dict) -> dict:
        accuracy = {f"{e['benchmark']}: Acc 0.99 [95 %]": with_interval(e, "acc_0.99")}
        return accuracy | {f"{e['benchmark']}: recovered": f"{100 * e['recovered']:.1f} %"}

    return by_method(summary, cells)


def seconds(summary: Sequence[dict]) -> pd.DataFrame:
    """Median seconds per problem, methods down, test sets across."""
    frame = pd.DataFrame(summary)
    return frame.pivot(index="method", columns="benchmark", values="seconds").round(2)


def degenerate(rows: Sequence[Row]) -> pd.DataFrame:
    """Per method and test set: how its winners are degenerate, in per cent of the equations."""
    lines = []
    for (method, test_set), chosen in grouped(rows, "method", "test_set").items():
        status = [row.status if row.equation else NO_EQUATION for row in chosen]
        flaws = [text.removeprefix("degenerate: ") for text in status]
        line = {"Test set": TITLES.get(test_set, test_set), "Method": method}
        line["degenerate"] = _percent([flaw in KINDS[1:] for flaw in flaws])
        lines.append(line | {kind: _percent([f == kind for f in flaws]) for kind in KINDS[1:]})
    return pd.DataFrame(lines)


def by_condition(summary: Sequence[dict], scores: Sequence[str]) -> pd.DataFrame:
    """Scores in per cent under every condition, which stands as ``benchmark``; methods down."""
    return pd.DataFrame(
        {"Method": e["method"], "condition": e["benchmark"], "equations": e["equations"]}
        | {score: with_interval(e, score) for score in scores}
        for e in summary
    )


def against(
    rows: Sequence[Row], references: dict[str, str], scores: Sequence[str]
) -> tuple[pd.DataFrame, dict[tuple[str, str], Difference]]:
    """Every variant (a condition) less its reference, on the same equations.

    ``references`` are by test set, or by variant where one has another; KeyError if one has no
    rows. Returns a line per variant, and the differences by variant and score.
    """
    groups = grouped(rows, "benchmark", "condition")
    lines, found = [], {}
    for (benchmark, variant), members in groups.items():
        reference = references.get(variant) or references[benchmark]
        line = {"test set": benchmark, "variant": variant, "equations": len(members)}
        for score in scores:
            line[score] = _percent([row.score(score) for row in members]).removesuffix(" %")
            line[f"{score}, difference"] = "reference"
            if variant != reference:
                gap = difference(members, groups[benchmark, reference], score)
                found[variant, score] = gap
                line[f"{score}, difference"] = str(gap).rpartition(" (")[0]
        lines.append(line)
    return pd.DataFrame(lines), found


def equations(rows: Sequence[Row], method: str, benchmark: str) -> pd.DataFrame:
    """Every equation of a test set with what a method found, worst first."""
    lines = []
    for row in rows:
        if (row.method, row.benchmark) == (method, benchmark):
            found = _infix(parse(row.as_returned)) if row.equation else "–"
            scores = round(row.fitness, 3), round(row.two_sided, 3)
            lines.append((row.equation_id, row.truth, found, *scores))
    frame = pd.DataFrame(lines, columns=["id", "truth", "found", "fitness", "two-sided"])
    return frame.sort_values(["two-sided", "id"], ignore_index=True)


def parameters(sections: dict) -> dict[str, object]:
    """Every parameter by its keys, as ``model.width``, without those of notebooks."""
    run = {name: section for name, section in sections.items() if name != "notebooks"}
    return pd.json_normalize(run).to_dict("records")[0]


def _derived(run: dict[str, object]) -> dict[str, object]:
    """What follows from the parameters of the network and its run, and from the code."""
    isabs, layers = run["model.encoder"] == "isab", run["model.encoder_layers"]
    seen = run["pretraining.max_steps"] * run["pretraining.batch_size"]
    optimizer = run.get("pretraining.optimizer", TrainingConfig().optimizer)
    return {
        "bits": BITS,
        "tokens": vocabulary.SIZE,
        "optimizer": optimizer.capitalize(),
        "isabs": layers if isabs else f"none; {layers} blocks of inducing points",
        "pma_features": run["model.pma_features"] if isabs else "none; the inducing points instead",
        "examples_seen": min(seen, run["pretraining.examples"]),
    }


def hyperparameters(reported: pd.DataFrame, run: dict[str, object]) -> pd.DataFrame:
    """Tables 4 to 6: the paper's values beside those that were ``run`` (:func:`parameters`).

    ``reported`` has the columns ``parameter``, ``value``, and ``key``: our name for it, or two.
    """
    run = run | _derived(run)
    ours = [" to ".join(str(run[key]) for key in keys.split()) for keys in reported["key"]]
    table = reported.drop(columns="key").rename(columns={"value": "paper"})
    return table.assign(ours=ours, key=reported["key"])


def operator_weights(reported: pd.DataFrame) -> pd.DataFrame:
    """Table 3: the paper's unnormalised probability of every operator, and ours."""
    ours = [BY_NAME[name].weight for name in reported.operator]
    return reported.rename(columns={"probability": "paper"}).assign(ours=ours)


def operator_table(statistics: Statistics, reported: pd.DataFrame) -> pd.DataFrame:
    """Table 3, and the shares asked for and kept, of unary and of binary operators each."""
    arity = reported.operator.map(lambda name: BY_NAME[name].arity)
    table = operator_weights(reported)
    table.columns = ["operator", "weight, paper", "weight, ours"]
    kept = reported.operator.map(lambda name: statistics.operators[name])
    for title, values in {"share asked": reported.probability, "share kept": kept}.items():
        table[title] = (values / values.groupby(arity).transform("sum")).round(3)
    return table


def trainings(logs: dict[str, pd.DataFrame], parameters: dict[str, int]) -> pd.DataFrame:
    """What each network cost, and its best validation, before weights are stored in half precision.

    ``logs`` are pre-training logs, ``parameters`` the numbers of trainable ones, both by network.
    """
    lines = []
    for name, log in logs.items():
        last, best = log.iloc[-1], log.loc[log.validation_loss.idxmin()]
        line = {"network": name, "parameters": parameters[name], "examples": int(last.examples)}
        line["hours"] = round(last.seconds / 3600, 2)
        line["examples per second"] = round(last.examples / last.seconds)
        line["validation loss"] = round(best.validation_loss, 3)
        lines.append(line | {"exact": f"{100 * best.validation_exact:.1f} %"})
    return pd.DataFrame(lines)


def benchmark_list(equations: dict[str, Expression]) -> pd.DataFrame:
    """Tables 7 and 8: every equation with its variables and its canonical form."""
    lines = [
        (name, _infix(f), len(f.variables), _infix(canonical(f))) for name, f in equations.items()
    ]
    return pd.DataFrame(lines, columns=["id", "equation", "variables", "canonical form"])


def write(table: pd.DataFrame, stem: Path, caption: str) -> None:
    """``stem``.csv, .md and .tex."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(stem.with_suffix(".csv"), index=False, lineterminator="\n")
    stem.with_suffix(".md").write_text(f"**{caption}**\n\n{table.to_markdown(index=False)}\n")
    latex = table.to_latex(index=False, escape=True, caption=caption, position="t")
    stem.with_suffix(".tex").write_text(latex)


def write_metrics(summary: Sequence[dict], folder: Path) -> None:
    """``evaluation.json``: fitness, Acc 0.99, recovery, right skeletons by method and test set.

    ``accuracy.csv``: the accuracy at every threshold, a column per method and test set.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scores = ("fitness", "acc_0.99", "recovered", "skeleton")
    found: dict[str, dict] = {}
    curves: dict[str, list[float]] = {"threshold": list(THRESHOLDS)}
    for e in summary:
        values = {score.replace(".", ""): round(float(e[score]), 4) for score in scores}
        found.setdefault(e["method"], {})[e["benchmark"]] = values
        title = f"{e['method']}, {TITLES.get(e['benchmark'], e['benchmark'])}"
        curves[title] = [round(float(e[f"acc_{t:g}"]), 4) for t in THRESHOLDS]
    (folder / "evaluation.json").write_text(json.dumps(found, indent=2) + "\n")
    pd.DataFrame(curves).to_csv(folder / "accuracy.csv", index=False, lineterminator="\n")
