"""Ours beside the paper's: Tables 1 and 2, and where they differ."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..experiments.metrics import THRESHOLDS
from .tables import TITLES, with_interval

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


def headline(
    summary: Sequence[dict], reported: dict[str, pd.DataFrame], columns: dict[str, Sequence[str]]
) -> pd.DataFrame:
    """Methods down, test sets across: ours with 95 % intervals, the paper's value in brackets.

    Args:
        summary: from :func:`pie.experiments.evaluation.summarise`.
        reported: the paper's table per test set; none where it reports none.
        columns: per test set the scores to show, as ``fitness``, ``acc_0.99``, ``recovered``.
    """
    lines: dict[str, dict] = {}
    for e in (e for e in summary if e["benchmark"] in columns):
        line = lines.setdefault(e["method"], {"Method": e["method"]})
        table = reported.get(e["benchmark"])
        theirs = table[table.method == e["method"]] if table is not None else []
        for column in columns[e["benchmark"]]:
            title = f"{TITLES.get(e['benchmark'], e['benchmark'])} ({e['equations']})"
            percent = column != "fitness"
            text = with_interval(e, column) if percent else f"{e[column]:.3f}"
            if len(theirs) and column in theirs:
                value = theirs.iloc[0][column]
                text += f" ({value:.1f} %)" if percent else f" ({value:.3f})"
            line[f"{title}: {_SCORES[column]}"] = text
    return pd.DataFrame(lines.values()).fillna("–")


_SCORES = {
    "fitness": "fitness (paper)",
    "acc_0.99": "Acc 0.99 [95 %] (paper)",
    "recovered": "recovered [95 %]",
    "skeleton": "right skeleton [95 %]",
}


def differences(summary: Sequence[dict], reported: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Where our 95 % interval does not hold the paper's value: fitness and Acc 0.99."""
    lines = []
    for e in summary:
        table = reported.get(e["benchmark"])
        theirs = table[table.method == e["method"]] if table is not None else []
        for column, scale in (("fitness", 1.0), ("acc_0.99", 100.0)):
            if not len(theirs):
                continue
            low, high = (scale * e[f"{column}_{end}"] for end in ("low", "high"))
            value = float(theirs.iloc[0][column])
            if not low - 5e-4 * scale <= value <= high + 5e-4 * scale:
                lines.append(
                    {"Method": e["method"], "Test set": TITLES[e["benchmark"]],
                     "score": _SCORES[column].split(" (")[0].split(" [")[0],
                     "ours [95 %]": f"{scale * e[column]:.3g} [{low:.3g}, {high:.3g}]",
                     "paper": f"{value:.3g}"}
                )  # fmt: skip
    return pd.DataFrame(lines)
