"""Tables: ours beside the paper's, as a data frame, Markdown, LaTeX (booktabs) and CSV."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..data.corpus import Statistics
from ..experiments.comparisons import Difference, difference, score_of
from ..experiments.evaluation import Row
from ..experiments.metrics import RECOVERED, THRESHOLDS
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


def by_way(rows: Sequence[Row]) -> pd.DataFrame:
    """``wild``, per method and noise: shares in per cent for every way of drawing, and over all.

    Two-sided recovery where the points are free of noise, right skeletons where they are not.
    """
    lines = []
    wild = [r for r in rows if r.benchmark == "wild"]
    for method, test_set in dict.fromkeys((r.method, r.test_set) for r in wild):
        chosen = [r for r in wild if (r.method, r.test_set) == (method, test_set)]
        clean = test_set == "wild"
        line = {"method": method, "noise": "none" if clean else test_set.partition("noise ")[2],
                "measure": "recovered" if clean else "skeleton"}  # fmt: skip
        hits = [r.two_sided >= RECOVERED if clean else bool(r.skeleton) for r in chosen]
        for way in [*dict.fromkeys(r.way for r in chosen), "all"]:
            of_way = [h for h, r in zip(hits, chosen, strict=True) if way in (r.way, "all")]
            line[way] = f"{100 * sum(of_way) / len(of_way):.1f} %"
        lines.append(line)
    return pd.DataFrame(lines)


def ablation(summary: Sequence[dict]) -> pd.DataFrame:
    """One line per changed part: right skeletons and recovery on each validation set."""
    lines: dict[str, dict] = {}
    for e in summary:
        line = lines.setdefault(e["method"], {"PIE+ with": e["method"]})
        line[f"{e['benchmark']} ({e['equations']}): skeleton"] = with_interval(e, "skeleton")
        line["recovered" + " " * len(line)] = with_interval(e, "recovered")
    return pd.DataFrame(lines.values())


def seconds(summary: Sequence[dict]) -> pd.DataFrame:
    """Median seconds per problem, methods down, test sets across."""
    frame = pd.DataFrame(summary)
    return frame.pivot(index="method", columns="benchmark", values="seconds").round(2)


def degenerate(rows: Sequence[Row]) -> pd.DataFrame:
    """Per method and test set: how its winners are degenerate, in per cent of the equations."""
    lines = []
    for method, test_set in dict.fromkeys((r.method, r.test_set) for r in rows):
        chosen = [r for r in rows if (r.method, r.test_set) == (method, test_set)]
        kinds = [
            r.status.removeprefix("degenerate: ") if r.equation else NO_EQUATION for r in chosen
        ]
        line = {"Test set": TITLES.get(test_set, test_set), "Method": method}
        sound = [k not in KINDS[1:] for k in kinds]
        line["degenerate"] = f"{100 - 100 * sum(sound) / len(sound):.1f} %"
        for kind in KINDS[1:]:
            line[kind] = f"{100 * kinds.count(kind) / len(kinds):.1f} %"
        lines.append(line)
    return pd.DataFrame(lines)


def by_condition(summary: Sequence[dict], scores: Sequence[str]) -> pd.DataFrame:
    """Scores in per cent under every condition, methods down.

    Args:
        summary: entries whose ``benchmark`` is the condition, as ``relative noise 0.01``.
        scores: columns of the summary.
    """
    return pd.DataFrame(
        {
            "Method": e["method"],
            "condition": e["benchmark"],
            "equations": e["equations"],
            **{score: with_interval(e, score) for score in scores},
        }
        for e in summary
    )


def against(
    rows: Sequence[Row], references: dict[str, str], scores: Sequence[str]
) -> tuple[pd.DataFrame, dict[tuple[str, str], Difference]]:
    """Every variant less the reference of its test set, on the same equations.

    Args:
        rows: of the variants, named by their condition, references among them.
        references: condition of the reference by test set.
        scores: see :func:`pie.experiments.comparisons.score_of`.

    Returns:
        A line per variant, and the differences by variant and score.

    Raises:
        KeyError: the rows of a reference are missing.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.benchmark, row.condition), []).append(row)
    lines, found = [], {}
    for (benchmark, variant), members in groups.items():
        reference = references[benchmark]
        line = {"test set": benchmark, "variant": variant, "equations": len(members)}
        for score in scores:
            mean = sum(score_of(row, score) for row in members) / len(members)
            line[score] = f"{100 * mean:.1f}"
            if variant == reference:
                line[f"{score}, difference"] = "reference"
                continue
            gap = difference(members, groups[benchmark, reference], score)
            found[variant, score] = gap
            low, high = (f"{100 * end:+.1f}" for end in (gap.low, gap.high))
            line[f"{score}, difference"] = f"{100 * gap.mean:+.1f} [{low}, {high}]"
        lines.append(line)
    return pd.DataFrame(lines), found


def equal_time(summary: Sequence[dict]) -> pd.DataFrame:
    """Acc 0.99 and right skeletons by seconds per equation, methods down, over all test sets.

    Args:
        summary: entries whose ``benchmark`` is the budget, as ``10 s``.
    """
    lines: dict[str, dict] = {}
    for e in summary:
        line = lines.setdefault(e["method"], {"Method": e["method"]})
        line[f"{e['benchmark']}: Acc 0.99 [95 %]"] = with_interval(e, "acc_0.99")
        line[f"{e['benchmark']}: recovered"] = f"{100 * e['recovered']:.1f} %"
    return pd.DataFrame(lines.values())


def equations(rows: Sequence[Row], method: str, benchmark: str) -> pd.DataFrame:
    """Every equation of a test set with what a method found, worst first."""
    chosen = [r for r in rows if r.method == method and r.benchmark == benchmark]
    frame = pd.DataFrame(
        {
            "id": [r.equation_id for r in chosen],
            "truth": [r.truth for r in chosen],
            "found": [_short(r.equation) for r in chosen],
            "fitness": [round(r.fitness, 3) for r in chosen],
            "two-sided": [round(r.two_sided, 3) for r in chosen],
        }
    )
    return frame.sort_values(["two-sided", "id"]).reset_index(drop=True)


def _short(equation: str) -> str:
    return to_infix(to_tree(parse(equation)), 4) if equation else "–"


def parameters(sections: dict) -> dict[str, object]:
    """Every parameter that was run by its keys, joined by dots; those of notebooks apart.

    >>> parameters({"a": {"b": 1, "c": {"d": [2]}}})
    {'a.b': 1, 'a.c.d': [2]}
    """
    found: dict[str, object] = {}

    def walk(prefix: str, value) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(f"{prefix}.{key}" if prefix else key, inner)
        else:
            found[prefix] = value

    walk("", {name: section for name, section in sections.items() if name != "notebooks"})
    return found


FIXED = {"bits": BITS, "tokens": vocabulary.SIZE, "optimizer": "Adam"}  # by the code


def hyperparameters(reported: pd.DataFrame, run: dict[str, object]) -> pd.DataFrame:
    """Tables 4 to 6: the paper's values beside those that were run.

    Args:
        reported: with the columns ``parameter``, ``value`` and ``key``, our name for it (or two).
        run: from :func:`parameters`.
    """
    ours = [
        " to ".join(str((run | FIXED)[key]) for key in keys.split()) for keys in reported["key"]
    ]
    table = reported.drop(columns="key").rename(columns={"value": "paper"})
    return table.assign(ours=ours, key=reported["key"])


def operator_weights(reported: pd.DataFrame) -> pd.DataFrame:
    """Table 3: the paper's unnormalised probability of every operator, and ours."""
    ours = [BY_NAME[name].weight for name in reported.operator]
    return reported.rename(columns={"probability": "paper"}).assign(ours=ours)


def trainings(logs: dict[str, pd.DataFrame], parameters: dict[str, int]) -> pd.DataFrame:
    """What each network cost, and its best validation: the one whose weights are stored.

    Args:
        logs: pre-training log by network.
        parameters: trainable parameters by network.
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
    for e in summary:
        values = {score.replace(".", ""): round(float(e[score]), 4) for score in scores}
        found.setdefault(e["method"], {})[e["benchmark"]] = values
    (folder / "evaluation.json").write_text(json.dumps(found, indent=2) + "\n")
    curves = {
        f"{e['method']}, {TITLES.get(e['benchmark'], e['benchmark'])}": [
            round(float(e[f"acc_{t:g}"]), 4) for t in THRESHOLDS
        ]
        for e in summary
    }
    table = pd.DataFrame({"threshold": THRESHOLDS, **curves})
    table.to_csv(folder / "accuracy.csv", index=False, lineterminator="\n")


def operator_table(statistics: Statistics, reported: pd.DataFrame) -> pd.DataFrame:
    """Table 3: the paper's weight of each operator, the share asked for and the share kept.

    Shares are within unary and within binary operators, because a tree is drawn in that order.
    """
    lines = []
    for operator, weight in reported.itertuples(index=False):
        same = [o for o in reported.operator if BY_NAME[o].arity == BY_NAME[operator].arity]
        asked = weight / reported[reported.operator.isin(same)].probability.sum()
        kept = statistics.operators[operator] / sum(statistics.operators[o] for o in same)
        lines.append(
            {
                "operator": operator,
                "weight, paper": weight,
                "weight, ours": BY_NAME[operator].weight,
                "share asked": round(asked, 3),
                "share kept": round(kept, 3),
            }
        )
    return pd.DataFrame(lines)


def benchmark_list(equations: dict[str, Expression]) -> pd.DataFrame:
    """Tables 7 and 8: every equation with its variables and its canonical form."""
    return pd.DataFrame(
        {
            "id": list(equations),
            "equation": [to_infix(to_tree(e), 4) for e in equations.values()],
            "variables": [len(e.variables) for e in equations.values()],
            "canonical form": [to_infix(to_tree(canonical(e)), 4) for e in equations.values()],
        }
    )
