"""Ours beside the paper's: Tables 1 and 2, and where they differ."""

from collections.abc import Sequence

import pandas as pd

from ..experiments.metrics import THRESHOLDS
from .tables import TITLES, by_method, with_interval

NAMES = {
    "fitness": "fitness (paper)",
    "acc_0.99": "Acc 0.99 [95 %] (paper)",
    "recovered": "recovered [95 %]",
    "skeleton": "right skeleton [95 %]",
}
LITERAL = {"PIE": "PIE (strict)"}  # which of ours follows the paper's method to the letter
read_reported = pd.read_csv  # a table of the paper from data/paper; accuracies in percent


def comparison(
    summary: Sequence[dict],
    benchmark: str,
    reported: pd.DataFrame,
    otherwise: Sequence[dict] = (),
) -> pd.DataFrame:
    """Table 1 or 2: every method with our value, its 95 % interval, and the paper's.

    Beside the paper's value stands what follows it to the letter (:data:`LITERAL`), then the rest.
    ``otherwise`` is the summary of the rows if starts count as zeros
    (:func:`pie.experiments.evaluation.rescored`), shown where it differs.
    """
    ours = {e["method"]: e for e in summary if e["benchmark"] == benchmark}
    counted = {e["method"]: e for e in otherwise if e["benchmark"] == benchmark}
    theirs = {row["method"]: row for row in reported.to_dict("records")}
    columns = {f"Acc {t:g}": f"acc_{t:g}" for t in THRESHOLDS}

    def line(e: dict, label: str) -> dict:
        fitness = f"{e['fitness']:.3f} [{e['fitness_low']:.2f}, {e['fitness_high']:.2f}]"
        cells = {"Method": e["method"], "": label, "fitness": fitness}
        cells |= {title: with_interval(e, column) for title, column in columns.items()}
        cells["two-sided"] = f"{e['two_sided']:.3f}"
        return cells | {"recovered": f"{100 * e['recovered']:.1f} %"}

    lines = []
    for method in dict.fromkeys([*theirs, *ours]):
        if e := theirs.get(method):
            cells = {"Method": method, "": "paper", "fitness": f"{e['fitness']:.3f}"}
            cells |= {title: f"{e[column]:.1f} %" for title, column in columns.items()}
            lines.append(cells)
        for name in (LITERAL.get(method), method):
            if e := ours.pop(name, None):
                lines.append(line(e, "ours"))
                other = counted.get(name, e)
                if abs(other["fitness"] - e["fitness"]) >= 1e-3:
                    lines.append(line(other, "ours, starts count"))
    return pd.DataFrame(lines).fillna("–")


def _reported(entry: dict, reported: dict[str, pd.DataFrame]) -> dict:
    """The paper's values for a method on a test set; empty where it has none."""
    for record in reported.get(entry["benchmark"], pd.DataFrame()).to_dict("records"):
        if LITERAL.get(record["method"], record["method"]) == entry["method"]:
            return record
    return {}


def headline(
    summary: Sequence[dict], reported: dict[str, pd.DataFrame], columns: dict[str, Sequence[str]]
) -> pd.DataFrame:
    """Methods down, test sets across: ours with 95 % intervals, the paper's value in brackets.

    ``reported`` is the paper's table per test set, ``columns`` the scores (:data:`NAMES`) to show.
    """

    def cells(e: dict) -> dict:
        title = f"{TITLES.get(e['benchmark'], e['benchmark'])} ({e['equations']})"
        theirs, found = _reported(e, reported), {}
        for column in columns[e["benchmark"]]:
            percent = column != "fitness"
            text = with_interval(e, column) if percent else f"{e[column]:.3f}"
            if column in theirs:
                text += f" ({theirs[column]:.1f} %)" if percent else f" ({theirs[column]:.3f})"
            found[f"{title}: {NAMES[column]}"] = text
        return found

    shown = [e for e in summary if e["benchmark"] in columns]
    return by_method(shown, cells).fillna("–")


def differences(summary: Sequence[dict], reported: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Where our 95 % interval does not hold the paper's value: fitness and Acc 0.99."""
    lines = []
    for e in summary:
        theirs = _reported(e, reported)
        for column, scale in (("fitness", 1.0), ("acc_0.99", 100.0)) if theirs else ():
            low, high = (scale * e[f"{column}_{end}"] for end in ("low", "high"))
            value = float(theirs[column])
            if not low - 5e-4 * scale <= value <= high + 5e-4 * scale:
                line = {"Method": e["method"], "Test set": TITLES[e["benchmark"]]}
                line |= {"score": column.replace("acc_", "Acc "), "paper": f"{value:.3g}"}
                line["ours [95 %]"] = f"{scale * e[column]:.3g} [{low:.3g}, {high:.3g}]"
                lines.append(line)
    return pd.DataFrame(lines, columns=["Method", "Test set", "score", "ours [95 %]", "paper"])
