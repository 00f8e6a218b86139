"""Tables: ours beside the paper's, as a data frame, Markdown, LaTeX (booktabs) and CSV."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..canonical import canonical
from ..corpus import Statistics
from ..evaluation import Row
from ..expression import Expression, parse, to_infix, to_tree
from ..metrics import THRESHOLDS
from ..operators import BY_NAME

TITLES = {
    "feynman": "AI-Feynman (39)",
    "synthetic": "Synthetic (80, ours)",
    "synthetic_printed": "Synthetic, printed (50)",
}
COLUMNS = ["fitness", *(f"acc_{t:g}" for t in THRESHOLDS)]


def read_reported(path: Path) -> pd.DataFrame:
    """A table of the paper from ``data/paper``; accuracies in percent."""
    return pd.read_csv(path)


def comparison(summary: Sequence[dict], benchmark: str, reported: pd.DataFrame) -> pd.DataFrame:
    """Table 1 or 2: every method with our value, its 95 % interval, and the paper's.

    Methods that the paper reports and we have not run yet keep an empty cell of ours.
    """
    ours = {e["method"]: e for e in summary if e["benchmark"] == benchmark}
    theirs = {row["method"]: row for row in reported.to_dict("records")}
    lines = []
    for method in dict.fromkeys([*theirs, *ours]):
        for source, values in (("paper", theirs.get(method)), ("ours", ours.get(method))):
            if values is None:
                continue
            line = {"Method": method, "": source}
            for column in COLUMNS:
                percent = column != "fitness"
                title = f"Acc {column[4:]}" if percent else "fitness"
                if source == "paper":
                    line[title] = f"{values[column]:.1f} %" if percent else f"{values[column]:.3f}"
                elif percent:
                    low, high = (100 * values[f"{column}_{end}"] for end in ("low", "high"))
                    line[title] = f"{100 * values[column]:.1f} % [{low:.0f}, {high:.0f}]"
                else:
                    low, high = (values[f"{column}_{end}"] for end in ("low", "high"))
                    line[title] = f"{values[column]:.3f} [{low:.2f}, {high:.2f}]"
            line["two-sided"] = f"{values['two_sided']:.3f}" if source == "ours" else "–"
            line["recovered"] = f"{100 * values['recovered']:.1f} %" if source == "ours" else "–"
            lines.append(line)
    return pd.DataFrame(lines)


def headline(summary: Sequence[dict], reported: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Fitness, Acc 0.99 and two-sided recovery of our methods, the paper's value beside ours.

    Args:
        summary: from :func:`pie.evaluation.summarise`.
        reported: the paper's table per test set; none where it reports none.
    """
    lines = []
    for e in summary:
        table = reported.get(e["benchmark"])
        theirs = table[table.method == e["method"]] if table is not None else []
        paper = theirs.iloc[0] if len(theirs) else None
        low, high = (100 * e[f"acc_0.99_{end}"] for end in ("low", "high"))
        lines.append(
            {
                "Test set": f"{TITLES[e['benchmark']]}",
                "Method": e["method"],
                "fitness": f"{e['fitness']:.3f}",
                "paper": "–" if paper is None else f"{paper.fitness:.3f}",
                "Acc 0.99 [95 %]": f"{100 * e['acc_0.99']:.1f} % [{low:.0f}, {high:.0f}]",
                "paper ": "–" if paper is None else f"{paper['acc_0.99']:.1f} %",
                "two-sided recovery": f"{100 * e['recovered']:.1f} %",
            }
        )
    return pd.DataFrame(lines)


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


def hyperparameters(sections: dict) -> pd.DataFrame:
    """Table 4 from the parameters that were run, nested keys joined by dots."""
    lines = []

    def walk(prefix: str, value) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(f"{prefix}.{key}" if prefix else key, inner)
        else:
            lines.append({"parameter": prefix, "value": value})

    walk("", {name: section for name, section in sections.items() if name != "notebooks"})
    return pd.DataFrame(lines)


def write(table: pd.DataFrame, stem: Path, caption: str) -> None:
    """``stem``.csv, .md and .tex."""
    stem = Path(stem)
    stem.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(stem.with_suffix(".csv"), index=False, lineterminator="\n")
    stem.with_suffix(".md").write_text(f"**{caption}**\n\n{table.to_markdown(index=False)}\n")
    latex = table.to_latex(index=False, escape=True, caption=caption, position="t")
    stem.with_suffix(".tex").write_text(latex)


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


def claims(summary: Sequence[dict]) -> pd.DataFrame:
    """Claims of Section 4.2 that our rows can test: confirmed only if the intervals say so."""
    value = {(e["method"], e["benchmark"]): e for e in summary}
    lines = []
    for benchmark in dict.fromkeys(e["benchmark"] for e in summary):
        pie, vanilla = value.get(("PIE", benchmark)), value.get(("PIE (Vanilla)", benchmark))
        if pie and vanilla:
            if pie["fitness_low"] > vanilla["fitness_high"]:
                verdict = "confirmed"
            elif pie["fitness_high"] < vanilla["fitness_low"]:
                verdict = "refuted"
            else:
                verdict = "undecided (intervals overlap)"
            lines.append(
                {"claim": "CL-FEM improves the fitness", "test set": benchmark,
                 "PIE": f"{pie['fitness']:.3f}", "PIE (Vanilla)": f"{vanilla['fitness']:.3f}",
                 "verdict": verdict}
            )  # fmt: skip
    return pd.DataFrame(lines)
