"""The paper's claims, one by one, on our rows: confirmed, refuted or undecided.

A verdict rests on mean differences over the same equations in pairs, with 95 % intervals, in points
of per cent (:mod:`pie.experiments.comparisons`). "Better" is confirmed if all intervals lie above
0, refuted if one lies below. "Insensitive" and "suffices" need a margin, which the paper does not
give: :data:`MARGIN`.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..experiments.comparisons import HIGHER, Difference, Rule, difference, equal, within
from ..experiments.evaluation import Row, grouped, value_of
from ..expr.expression import Expression
from .tables import TITLES

PAPER_BASELINES = ("GP (Vanilla)", "GP (CL-FEM)", "DSO (Vanilla)", "DSO (CL-FEM)")
MARGIN = 0.1  # of a score between 0 and 1, within which it counts as unchanged
UNCHANGED = within(-MARGIN, MARGIN)
ACC = "acc_0.99"
Rows = Sequence[Row]
table = pd.DataFrame  # one line per claim, test set and score


def _line(claim: str, where: str, score: str, named: dict[str, Difference], rule: Rule) -> dict:
    name, worst = max(named.items(), key=lambda pair: rule.against(pair[1]))
    return {
        "claim": claim,
        "on": TITLES.get(where, where),
        "score": score.replace("acc_", "Acc "),
        "speaks least for it: difference in points [95 %] (equations)": f"{name}: {worst}",
        "comparisons that hold alone": f"{sum(map(rule.holds, named.values()))} of {len(named)}",
        "verdict": rule.verdict(named.values()),
    }


def _against(rows: Rows, method: str, rivals: Sequence[str], score: str) -> dict[str, Difference]:
    of = {name: members for (name,), members in grouped(rows, "method").items()}
    found = [rival for rival in rivals if rival in of and method in of]
    return {f"{method} − {rival}": difference(of[method], of[rival], score) for rival in found}


def comparative(rows: Rows) -> list[dict]:
    """Section 4.2, Tables 1 and 2, on every test set: a line per claim and test set."""
    names = list(dict.fromkeys(row.method for row in rows))
    others = [m for m in names if m not in PAPER_BASELINES and not m.startswith("PIE")]
    claims = [
        ("CL-FEM improves PIE", "fitness", "PIE", ["PIE (Vanilla)"]),
        ("PIE is better than every baseline of the paper", ACC, "PIE", PAPER_BASELINES),
        ("PIE is better than what the paper leaves out (ours)", ACC, "PIE", others),
        ("PIE+ is better than all baselines (ours)", ACC, "PIE+", [*PAPER_BASELINES, *others]),
        ("PIE+ gains by its network (ours)", "skeleton", "PIE+", ["PIE+ (no network)"]),
        ("CL-FEM lowers the fitness of GP", "fitness", "GP (Vanilla)", ["GP (CL-FEM)"]),
        ("CL-FEM lowers the fitness of DSO", "fitness", "DSO (Vanilla)", ["DSO (CL-FEM)"]),
    ]
    return [
        _line(claim, test_set, score, named, HIGHER)
        for claim, score, method, rivals in claims
        for (test_set,), members in grouped(rows, "test_set").items()
        if (named := _against(members, method, rivals, score))
    ]


def shorter(ours: Sequence[Expression], sets: dict[str, Sequence[Expression]]) -> list[dict]:
    """Section 4.2: AI-Feynman's equations, ``ours``, have 23 % fewer tokens than Synthetic's.

    The difference is relative to the mean of a set, with Welch's interval on the ratio of means.
    """
    lines = []
    for name, theirs in sets.items():
        a, b = (np.array([len(f.codes) for f in equations]) for equations in (ours, theirs))
        ratio = a.mean() / b.mean()
        parts = [x.var(ddof=1) / len(x) / x.mean() ** 2 for x in (a, b)]
        reach = 1.96 * ratio * math.sqrt(sum(parts))
        found = Difference(ratio - 1.0, ratio - 1.0 - reach, ratio - 1.0 + reach, len(a) + len(b))
        claim = "AI-Feynman's equations are 23 % shorter"
        lines.append(_line(claim, name, "tokens", {"relative": found}, equal(-0.23)))
    return lines


def _settings(rows: Rows, kind: str) -> dict[float, list[Row]]:
    """Rows by the value of one condition, ``beam 32`` or ``examples-1024``, lowest first."""
    groups = grouped(rows, "condition").items()
    found = {value_of(condition, kind): members for (condition,), members in groups}
    return {value: found[value] for value in sorted(v for v in found if v is not None)}


def _between(claim: str, settings: dict[float, list[Row]], pairs, rule: Rule) -> list[dict]:
    """One setting less another on Synthetic, for pairs of their values: a line for each score."""
    lines = []
    for score in ("fitness", ACC) if pairs else ():
        named = {
            f"{a:,.15g} − {b:,.15g}": difference(settings[a], settings[b], score) for a, b in pairs
        }
        lines.append(_line(claim, "synthetic", score, named, rule))
    return lines


def _from_base(
    claim: str, rows: Rows, kind: str, base: float, rule: Rule, lowest: float = 0.0
) -> list[dict]:
    """Every other setting from ``lowest`` on less that of ``base``."""
    settings = {v: m for v, m in _settings(rows, kind).items() if v >= lowest}
    pairs = [(value, base) for value in settings if value != base and base in settings]
    return _between(claim, settings, pairs, rule)


def robustness(rows: Rows) -> list[dict]:
    """Section 4.2, Figure 4: ``rows`` of Synthetic and, beyond the paper, of *wild*."""
    every, null_space = "at every noise level", ["Null space"]
    better = [
        (f"PIE is better than every baseline of the paper {every}", "relative noise", "PIE",
         PAPER_BASELINES),
        (f"PIE is better than the null space {every} (ours)", "relative noise", "PIE", null_space),
        (f"PIE+ is better than PIE {every} (ours)", "relative noise", "PIE+", ["PIE"]),
        (f"PIE+ is better than the null space {every} (ours)", "noise", "PIE+", null_space),
        ("PIE+ is better than the null space with outliers (ours)", "outliers", "PIE+", null_space),
    ]  # fmt: skip
    lines = []
    synthetic, wild = ([r for r in rows if r.benchmark == b] for b in ("synthetic", "wild"))
    for claim, kind, method, rivals in better:
        of_paper = kind == "relative noise"
        score, title = ("fitness", "synthetic") if of_paper else ("skeleton", "wild, whole extent")
        named = {
            f"{kind} {level:g}, {name}": found
            for level, members in _settings(synthetic if of_paper else wild, kind).items()
            for name, found in _against(members, method, rivals, score).items()
        }
        lines += [_line(claim, title, score, named, HIGHER)] if named else []
    pie = [row for row in synthetic if row.method == "PIE"]
    given = "PIE is insensitive to the number of points given"
    lines += _from_base("PIE is robust to noise", pie, "relative noise", 0.0, UNCHANGED)
    return lines + _from_base(given, pie, "points", 200.0, UNCHANGED)


def sensitivity(rows: Rows) -> list[dict]:
    """Section 4.3, Figure 5: ``rows`` of *PIE* on Synthetic.

    Conditions are ``examples-1024``, ``points-50``, ``beam 32`` and ``tau 1e-4``.
    """
    examples = _settings(rows, "examples")
    sizes = list(examples)
    steps = [(b, a) for a, b in itertools.pairwise(sizes)]
    ends = [(sizes[-1], sizes[0])] if steps else []
    points = _settings(rows, "points")
    few = [(200.0, n) for n in list(points)[:1] if n < 200.0 in points]
    many = [(200.0, n) for n in list(points)[-1:] if n > 200.0 in points]
    lines = [
        *_between("a larger K is better, at every step", examples, steps, HIGHER),
        *_between("the largest K is better than the least", examples, ends, HIGHER),
        *_between("too few points in training are worse", points, few, HIGHER),
        *_between("too many points in training are worse", points, many, HIGHER),
        *_from_base("PIE is insensitive to N in training", rows, "points", 200.0, UNCHANGED),
        *_from_base("a beam of 32 suffices", rows, "beam", 32.0, within(-math.inf, MARGIN), 32.0),
        *_from_base("PIE is insensitive to τ", rows, "tau", 1e-4, UNCHANGED),
    ]
    return sorted(lines, key=lambda line: line["score"] != "fitness")
