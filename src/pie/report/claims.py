"""The paper's claims, one by one, on our rows: confirmed, refuted or undecided.

Every verdict rests on mean differences over the same equations in pairs, with 95 % intervals
(:mod:`pie.experiments.comparisons`), in points of per cent. "Better" is confirmed if all intervals lie above 0,
refuted if one lies below. "Insensitive" and "suffices" need a margin, which the paper does not
give: :data:`MARGIN`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from ..experiments.comparisons import (
    CONFIRMED,
    Difference,
    difference,
    is_at_most,
    is_higher,
    is_within,
)
from ..experiments.evaluation import Row
from .tables import TITLES

PAPER_BASELINES = ("GP (Vanilla)", "GP (CL-FEM)", "DSO (Vanilla)", "DSO (CL-FEM)")
MARGIN = 0.1  # of a score between 0 and 1, within which it counts as unchanged
SYNTHETIC = "synthetic"
ACC = "acc_0.99"
SCORES = ("fitness", ACC)
Rows = Sequence[Row]


def _groups(rows: Rows, by: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(getattr(row, by), []).append(row)
    return groups


@dataclass(frozen=True)
class Rule:
    """What a claim says of its differences, and which of them speaks least for it: the highest."""

    verdict: Callable[[Iterable[Difference]], str]
    against: Callable[[Difference], float]


HIGHER = Rule(is_higher, lambda d: -d.mean)
UNCHANGED = Rule(lambda found: is_within(found, MARGIN), lambda d: abs(d.mean))
NO_HIGHER = Rule(lambda found: is_at_most(found, MARGIN), lambda d: d.mean)


def _line(claim: str, where: str, score: str, named: dict[str, Difference], rule: Rule) -> dict:
    name, worst = max(named.items(), key=lambda pair: rule.against(pair[1]))
    alone = sum(rule.verdict([found]) == CONFIRMED for found in named.values())
    return {
        "claim": claim,
        "on": TITLES.get(where, where),
        "score": score.replace("acc_", "Acc "),
        "speaks least for it: difference in points [95 %] (equations)": f"{name}: {worst}",
        "comparisons that hold alone": f"{alone} of {len(named)}",
        "verdict": rule.verdict(named.values()),
    }


def _against(rows: Rows, method: str, rivals: Sequence[str], score: str) -> dict[str, Difference]:
    of = _groups(rows, "method")
    return {
        f"{method} − {rival}": difference(of[method], of[rival], score)
        for rival in rivals
        if rival in of and method in of
    }


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
        for test_set, members in _groups(rows, "test_set").items()
        if (named := _against(members, method, rivals, score))
    ]


def _settings(rows: Rows, kind: str) -> dict[float, list[Row]]:
    """Rows by the value of one condition, ``beam 32`` or ``examples-1024``, lowest first."""
    groups = _groups(rows, "condition").items()
    matches = [(re.fullmatch(rf"{kind}[ -](\S+)", name), members) for name, members in groups]
    return dict(sorted((float(found[1]), members) for found, members in matches if found))


def _plain(value: float) -> str:
    """A setting as one writes it.

    >>> _plain(1024000.0), _plain(1e-8)
    ('1,024,000', '1e-08')
    """
    return f"{value:,.0f}" if value >= 1.0 and value.is_integer() else f"{value:g}"


def _steps(settings: dict[float, list[Row]], base: float, score: str) -> dict[str, Difference]:
    """Every other setting less that of ``base``."""
    return {
        f"{_plain(value)} − {_plain(base)}": difference(members, settings[base], score)
        for value, members in settings.items()
        if value != base
    }


def robustness(rows: Rows) -> list[dict]:
    """Section 4.2, Figure 4, and the same beyond the paper.

    Args:
        rows: of Synthetic and *wild* under several conditions.
    """
    better = [
        ("PIE is better than every baseline of the paper at every noise level", SYNTHETIC,
         "relative noise", "PIE", PAPER_BASELINES),
        ("PIE is better than the null space at every noise level (ours)", SYNTHETIC,
         "relative noise", "PIE", ["Null space"]),
        ("PIE+ is better than PIE at every noise level (ours)", SYNTHETIC,
         "relative noise", "PIE+", ["PIE"]),
        ("PIE+ is better than the null space at every noise level (ours)", "wild",
         "noise", "PIE+", ["Null space"]),
        ("PIE+ is better than the null space with outliers (ours)", "wild",
         "outliers", "PIE+", ["Null space"]),
    ]  # fmt: skip
    lines = []
    for claim, where, kind, method, rivals in better:
        score = "fitness" if where == SYNTHETIC else "skeleton"
        levels = _settings([row for row in rows if row.benchmark == where], kind)
        named = {
            f"{kind} {level:g}, {name}": found
            for level, members in levels.items()
            for name, found in _against(members, method, rivals, score).items()
        }
        if named:
            title = where if where == SYNTHETIC else "wild, whole extent"
            lines.append(_line(claim, title, score, named, HIGHER))
    for claim, kind, base in (
        ("PIE is robust to noise", "relative noise", 0.0),
        ("PIE is insensitive to the number of points given", "points", 200.0),
    ):
        mine = [row for row in rows if row.benchmark == SYNTHETIC and row.method == "PIE"]
        settings = _settings(mine, kind)
        if base in settings and len(settings) > 1:
            lines += [
                _line(claim, SYNTHETIC, score, _steps(settings, base, score), UNCHANGED)
                for score in SCORES
            ]
    return lines


def sensitivity(rows: Rows) -> list[dict]:
    """Section 4.3, Figure 5, on Synthetic.

    Args:
        rows: of *PIE*, their condition ``examples-1024``, ``points-50``, ``beam 32`` or
            ``tau 1e-4``.
    """
    lines = []
    for score in SCORES:
        examples = _settings(rows, "examples")
        sizes = list(examples)
        steps = {
            f"{_plain(high)} − {_plain(low)}": difference(examples[high], examples[low], score)
            for low, high in zip(sizes, sizes[1:], strict=False)
        }
        if steps:
            lines.append(
                _line("a larger K is better, at every step", SYNTHETIC, score, steps, HIGHER)
            )
            low, high = sizes[0], sizes[-1]
            ends = {
                f"{_plain(high)} − {_plain(low)}": difference(examples[high], examples[low], score)
            }
            lines.append(
                _line("the largest K is better than the least", SYNTHETIC, score, ends, HIGHER)
            )
        for claim, kind, base, least, rule in (
            ("PIE is insensitive to N in training", "points", 200.0, 0.0, UNCHANGED),
            ("a beam of 32 suffices", "beam", 32.0, 32.0, NO_HIGHER),
            ("PIE is insensitive to τ", "tau", 1e-4, 0.0, UNCHANGED),
        ):
            settings = {v: m for v, m in _settings(rows, kind).items() if v >= least}
            if base in settings and len(settings) > 1:
                lines.append(_line(claim, SYNTHETIC, score, _steps(settings, base, score), rule))
    return lines


def table(lines: Sequence[dict]) -> pd.DataFrame:
    """One line per claim, test set and score."""
    return pd.DataFrame(lines)
