"""Tables: ours beside the paper's, as a data frame, Markdown, LaTeX (booktabs) and CSV.

A ``summary`` comes from :func:`pie.experiments.evaluation.summarise`.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..data.corpus import Statistics
from ..experiments.comparisons import Difference, difference
from ..experiments.evaluation import Row, grouped, summarise
from ..experiments.metrics import THRESHOLDS
from ..expr import vocabulary
from ..expr.canonical import canonical
from ..expr.expression import Expression, parse, to_infix, to_tree
from ..expr.operators import BY_NAME
from ..network.model import BITS
from ..zeroset.degeneracy import KINDS, NO_EQUATION

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


def _percent(hits: Sequence[float]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f} %"


def _infix(expression: Expression) -> str:
    return to_infix(to_tree(expression), 4)


def by_way(rows: Sequence[Row]) -> pd.DataFrame:
    """``wild``, per method and noise: shares in per cent for every way of drawing, and over all.

    Two-sided recovery where the points are free of noise, right skeletons where they are not.
    """
    lines = []
    wild = [row for row in rows if row.benchmark == "wild"]
    for (method, test_set), chosen in grouped(wild, "method", "test_set").items():
        measure = "recovered" if test_set == "wild" else "skeleton"
        noise = test_set.partition("noise ")[2] or "none"
        ways = {way: members for (way,), members in grouped(chosen, "way").items()}
        shares = {
            way: _percent([row.score(measure) for row in members])
            for way, members in {**ways, "all": chosen}.items()
        }
        lines.append({"method": method, "noise": noise, "measure": measure, **shares})
    return pd.DataFrame(lines)


def by_method(summary: Sequence[dict], title: str, cells) -> pd.DataFrame:
    """A line per method with the cells, by column, that every entry of it adds."""
    lines: dict[str, dict] = {}
    for entry in summary:
        line = lines.setdefault(entry["method"], {title: entry["method"]})
        line |= cells(entry, line)
    return pd.DataFrame(lines.values())


def ablation(rows: Sequence[Row]) -> pd.DataFrame:
    """One line per part left out: right skeletons, paired difference from the whole, by noise."""
    lines: dict[str, dict] = {}
    every = grouped(rows, "test_set", "method")
    whole = rows[0].method
    for (test_set, method), members in every.items():
        (entry,) = summarise(members)
        name = test_set.removeprefix("validation").removeprefix(", ") or "noise-free"
        line = lines.setdefault(method, {"PIE+ with": method})
        line[f"{name} ({len(members)})"] = with_interval(entry, "skeleton")
        line[f"{name}: difference"] = (
            "" if method == whole else str(difference(members, every[test_set, whole], "skeleton"))
        )
        line[f"{name}: median s"] = f"{entry['seconds']:.2f}"
    return pd.DataFrame(lines.values())


def equal_time(summary: Sequence[dict]) -> pd.DataFrame:
    """Acc 0.99 and recovery by seconds per equation, which stand as ``benchmark``: ``10 s``."""

    def cells(e: dict, line: dict) -> dict:
        accuracy = {f"{e['benchmark']}: Acc 0.99 [95 %]": with_interval(e, "acc_0.99")}
        return accuracy | {f"{e['benchmark']}: recovered": f"{100 * e['recovered']:.1f} %"}

    return by_method(summary, "Method", cells)


def seconds(summary: Sequence[dict]) -> pd.DataFrame:
    """Median seconds per problem, methods down, test sets across."""
    frame = pd.DataFrame(summary)
    return frame.pivot(index="method", columns="benchmark", values="seconds").round(2)


def degenerate(rows: Sequence[Row]) -> pd.DataFrame:
    """Per method and test set: how its winners are degenerate, in per cent of the equations."""
    lines = []
    for (method, test_set), chosen in grouped(rows, "method", "test_set").items():
        kinds = [
            row.status.removeprefix("degenerate: ") if row.equation else NO_EQUATION
            for row in chosen
        ]
        line = {"Test set": TITLES.get(test_set, test_set), "Method": method}
        sound = sum(kind not in KINDS[1:] for kind in kinds)
        line["degenerate"] = f"{100 - 100 * sound / len(kinds):.1f} %"
        lines.append(line | {kind: _percent([k == kind for k in kinds]) for kind in KINDS[1:]})
    return pd.DataFrame(lines)


def by_condition(summary: Sequence[dict], scores: Sequence[str]) -> pd.DataFrame:
    """Scores in per cent under every condition, which stands as ``benchmark``; methods down."""
    named = {"method": "Method", "benchmark": "condition", "equations": "equations"}
    return pd.DataFrame(
        {title: e[key] for key, title in named.items()}
        | {score: with_interval(e, score) for score in scores}
        for e in summary
    )


def against(
    rows: Sequence[Row], references: dict[str, str], scores: Sequence[str]
) -> tuple[pd.DataFrame, dict[tuple[str, str], Difference]]:
    """Every variant less the reference of its test set, on the same equations.

    Args:
        rows: of the variants, named by their condition, references among them.
        references: condition of the reference by test set.
        scores: see :meth:`pie.experiments.evaluation.Row.score`.

    Returns:
        A line per variant, and the differences by variant and score.

    Raises:
        KeyError: the rows of a reference are missing.
    """
    groups = grouped(rows, "benchmark", "condition")
    lines, found = [], {}
    for (benchmark, variant), members in groups.items():
        reference = references[benchmark]
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
    frame = pd.DataFrame(
        {
            "id": row.equation_id,
            "truth": row.truth,
            "found": _infix(parse(row.equation)) if row.equation else "–",
            "fitness": round(row.fitness, 3),
            "two-sided": round(row.two_sided, 3),
        }
        for row in rows
        if (row.method, row.benchmark) == (method, benchmark)
    )
    return frame.sort_values(["two-sided", "id"]).reset_index(drop=True)


def parameters(sections: dict) -> dict[str, object]:
    """Every parameter that was run by its keys, joined by dots; those of notebooks apart.

    >>> parameters({"a": {"b": 1, "c": {"d": [2]}}})
    {'a.b': 1, 'a.c.d': [2]}
    """
    flat = {}
    for name, value in sections.items():
        if isinstance(value, dict) and name != "notebooks":
            flat |= {f"{name}.{key}": inner for key, inner in parameters(value).items()}
        elif name != "notebooks":
            flat[name] = value
    return flat


FIXED = {"bits": BITS, "tokens": vocabulary.SIZE, "optimizer": "Adam"}  # by the code


def hyperparameters(reported: pd.DataFrame, run: dict[str, object]) -> pd.DataFrame:
    """Tables 4 to 6: the paper's values beside those that were run.

    Args:
        reported: with the columns ``parameter``, ``value`` and ``key``, our name for it (or two).
        run: from :func:`parameters`.
    """
    run = run | FIXED
    ours = [" to ".join(str(run[key]) for key in keys.split()) for keys in reported["key"]]
    table = reported.drop(columns="key").rename(columns={"value": "paper"})
    return table.assign(ours=ours, key=reported["key"])


def operator_weights(reported: pd.DataFrame) -> pd.DataFrame:
    """Table 3: the paper's unnormalised probability of every operator, and ours."""
    ours = [BY_NAME[name].weight for name in reported.operator]
    return reported.rename(columns={"probability": "paper"}).assign(ours=ours)


def operator_table(statistics: Statistics, reported: pd.DataFrame) -> pd.DataFrame:
    """Table 3: the paper's weight of each operator, the share asked for and the share kept.

    Shares are within unary and within binary operators, because a tree is drawn in that order.
    """
    arity = reported.operator.map(lambda name: BY_NAME[name].arity)
    kept = reported.operator.map(lambda name: statistics.operators[name])

    def share(values: pd.Series) -> pd.Series:
        return (values / values.groupby(arity).transform("sum")).round(3)

    return operator_weights(reported).set_axis(
        ["operator", "weight, paper", "weight, ours"], axis=1
    ).assign(**{"share asked": share(reported.probability), "share kept": share(kept)})  # fmt: skip


def trainings(logs: dict[str, pd.DataFrame], parameters: dict[str, int]) -> pd.DataFrame:
    """What each network cost, and its best validation: the one whose weights are stored.

    ``logs`` are pre-training logs, ``parameters`` the numbers of trainable ones, both by network.
    """
    lines = []
    for name, log in logs.items():
        last, best = log.iloc[-1], log.loc[log.validation_loss.idxmin()]
        lines.append(
            {
                "network": name,
                "parameters": parameters[name],
                "examples": int(last.examples),
                "hours": round(last.seconds / 3600, 2),
                "examples per second": round(last.examples / last.seconds),
                "validation loss": round(best.validation_loss, 3),
                "exact": f"{100 * best.validation_exact:.1f} %",
            }
        )
    return pd.DataFrame(lines)


def benchmark_list(equations: dict[str, Expression]) -> pd.DataFrame:
    """Tables 7 and 8: every equation with its variables and its canonical form."""
    return pd.DataFrame(
        {
            "id": name,
            "equation": _infix(equation),
            "variables": len(equation.variables),
            "canonical form": _infix(canonical(equation)),
        }
        for name, equation in equations.items()
    )


def write(table: pd.DataFrame, stem: Path, caption: str) -> None:
    """``stem``.csv, .md and .tex."""
    stem = Path(stem)
    stem.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(stem.with_suffix(".csv"), index=False, lineterminator="\n")
    stem.with_suffix(".md").write_text(f"**{caption}**\n\n{table.to_markdown(index=False)}\n")
    latex = table.to_latex(index=False, escape=True, caption=caption, position="t")
    stem.with_suffix(".tex").write_text(latex)


def write_metrics(summary: Sequence[dict], folder: Path) -> None:
    """What tools for comparing experiments read.

    ``evaluation.json`` has fitness, Acc 0.99, recovery and right skeletons by method and test set;
    ``accuracy.csv`` the accuracy at every threshold, a column per method and test set.
    """
    folder = Path(folder)
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
