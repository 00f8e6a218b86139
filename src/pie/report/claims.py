"""The paper's claims, one by one, on our rows: confirmed, refuted or undecided.

Every verdict rests on mean differences over the same equations in pairs, with 95 % intervals
(:mod:`pie.experiments.comparisons`), in points of per cent. "Better" is confirmed if all intervals
lie above 0, refuted if one lies below. "Insensitive" and "suffices" need a margin, which the paper
does not give: :data:`MARGIN`.
"""

import itertools
import re
from collections.abc import Sequence

import pandas as pd

from ..experiments.comparisons import HIGHER, Difference, Rule, at_most, difference, within
from ..experiments.evaluation import Row, grouped
from .tables import TITLES

PAPER_BASELINES = ("GP (Vanilla)", "GP (CL-FEM)", "DSO (Vanilla)", "DSO (CL-FEM)")
MARGIN = 0.1  # of a score between 0 and 1, within which it counts as unchanged
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
        ("CL-FEM lowers the fitness of GP", "fitness", "GP (Vanilla)", ["GP (CL-FEM)"]),
        ("CL-FEM lowers the fitness of DSO", "fitness", "DSO (Vanilla)", ["DSO (CL-FEM)"]),
    ]
    return [
        _line(claim, test_set, score, named, HIGHER)
        for claim, score, method, rivals in claims
        for (test_set,), members in grouped(rows, "test_set").items()
        if (named := _against(members, method, rivals, score))
    ]


def _settings(rows: Rows, kind: str) -> dict[float, list[Row]]:
    """Rows by the value of one condition, ``beam 32`` or ``examples-1024``, lowest first."""
    groups = grouped(rows, "condition").items()
    matches = [(re.fullmatch(rf"{kind}[ -](\S+)", name), members) for (name,), members in groups]
    return dict(sorted((float(found[1]), members) for found, members in matches if found))


def _plain(value: float) -> str:
    """A setting as one writes it.

    >>> _plain(1024000.0), _plain(1e-8)
    ('1,024,000', '1e-08')
    """
    return f"{value:,.0f}" if value >= 1.0 and value.is_integer() else f"{value:g}"


def _steps(settings: dict[float, list[Row]], pairs, score: str) -> dict[str, Difference]:
    """One setting less another, for pairs of their values."""
    return {
        f"{_plain(a)} − {_plain(b)}": difference(settings[a], settings[b], score) for a, b in pairs
    }


def _from_base(
    claim: str, rows: Rows, kind: str, base: float, rule: Rule, lowest: float = 0.0
) -> list[dict]:
    """Every other setting from ``lowest`` on less that of ``base``: a line for each score."""
    settings = {v: m for v, m in _settings(rows, kind).items() if v >= lowest}
    pairs = [(value, base) for value in settings if value != base]
    return [
        _line(claim, "synthetic", score, _steps(settings, pairs, score), rule)
        for score in ("fitness", ACC)
        if base in settings and pairs
    ]


def robustness(rows: Rows) -> list[dict]:
    """Section 4.2, Figure 4, and the same beyond the paper.

    ``rows`` are of Synthetic and *wild* under several conditions.
    """
    noise = "at every noise level"
    better = [
        (f"PIE is better than every baseline of the paper {noise}", "relative noise", "PIE",
         PAPER_BASELINES),
        (f"PIE is better than the null space {noise} (ours)", "relative noise", "PIE",
         ["Null space"]),
        (f"PIE+ is better than PIE {noise} (ours)", "relative noise", "PIE+", ["PIE"]),
        (f"PIE+ is better than the null space {noise} (ours)", "noise", "PIE+", ["Null space"]),
        ("PIE+ is better than the null space with outliers (ours)", "outliers", "PIE+",
         ["Null space"]),
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
    lines += _from_base("PIE is robust to noise", pie, "relative noise", 0.0, within(MARGIN))
    return lines + _from_base(given, pie, "points", 200.0, within(MARGIN))


def sensitivity(rows: Rows) -> list[dict]:
    """Section 4.3, Figure 5, on Synthetic.

    ``rows`` are of *PIE*, their condition ``examples-1024``, ``points-50``, ``beam 32`` or
    ``tau 1e-4``.
    """
    examples = _settings(rows, "examples")
    sizes = list(examples)
    claims = [
        ("PIE is insensitive to N in training", rows, "points", 200.0, within(MARGIN)),
        ("a beam of 32 suffices", rows, "beam", 32.0, at_most(MARGIN), 32.0),
        ("PIE is insensitive to τ", rows, "tau", 1e-4, within(MARGIN)),
    ]
    others = [line for claim in claims for line in _from_base(*claim)]
    lines = []
    for score in ("fitness", ACC):
        if len(sizes) > 1:
            steps = _steps(examples, [(b, a) for a, b in itertools.pairwise(sizes)], score)
            ends = _steps(examples, [(sizes[-1], sizes[0])], score)
            where = ("synthetic", score)
            lines.append(_line("a larger K is better, at every step", *where, steps, HIGHER))
            lines.append(_line("the largest K is better than the least", *where, ends, HIGHER))
        lines += [line for line in others if line["score"] == score.replace("acc_", "Acc ")]
    return lines
