r"""When is "no law found" the right answer? Thresholds from clouds with and without a law.

Every cloud of :mod:`pie.data.null_clouds` is searched once, and all its candidates are stored, so
that any rule can be evaluated later. With S the sound candidates of a cloud that are worth their
form (evidence), the rule (p₀, c₀) of :mod:`pie.discovery.certificate` says *law* where

.. math:: \min_{s ∈ S,\ p_s ≤ p_0} contrast_s ≤ c_0.

*Detection* is the share of lawful clouds of which it says *law*, right or not; a *false discovery*
is a null cloud of which it does. (The search itself uses the library's thresholds only to skip sets
of three columns.)
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..data.null_clouds import LAWFUL, Cloud
from ..discovery.certificate import CONTRAST, EVIDENCE, SIGNIFICANT
from ..discovery.laws import discover
from ..expr.expression import parse, to_infix, to_tree
from ..search.plus import PlusConfig
from ..zeroset.degeneracy import NO_EQUATION, SOUND
from .evaluation import interval, wilson
from .journal import search_all, write_table

FIELDS = (
    "names", "degeneracy", "p", "contrast", "evidence", "gain", "covered", "complexity", "equation",
)  # fmt: skip
DIGITS = 4  # significant digits of numbers in rows
P = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4)  # candidate thresholds
CONTRASTS = (0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.17, 0.15, 0.12, 0.1, 0.07, 0.05)


class Rule(NamedTuple):
    """Thresholds of a law: largest p and largest contrast."""

    p: float
    contrast: float


LIBRARY = Rule(SIGNIFICANT, CONTRAST)


def _searched(points: np.ndarray, weights: Path, config: PlusConfig) -> list[list]:
    """FIELDS of each candidate, smallest contrast first; one row if there is no candidate."""
    found = []
    for law in discover(points, weights, config=config, seconds=np.inf, workers=1).candidates:
        of = law.certificate
        p = max((of.p, *of.p_of_parts))
        values = (p, of.contrast, of.evidence, of.gain, of.covered)
        numbers = [float(f"{v:.{DIGITS}g}") for v in values]
        found.append([" ".join(law.names), of.kind, *numbers, law.complexity, str(law.program)])
    found.sort(key=lambda line: (line[3], line[2], line[-1]))
    return found or [["", NO_EQUATION, 1.0, np.inf, -np.inf, np.inf, 0.0, 0, ""]]


def search(
    clouds: Sequence[Cloud],
    weights: Path,
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """All candidates of every cloud, a row each, the smallest contrast first.

    Columns: part, kind, cloud, points and variables (counts), then :data:`FIELDS`: columns of the
    candidate; degeneracy (``no equation`` if there is no candidate); p, the largest of p and those
    of parts, contrast, evidence, gain and covered of
    :class:`pie.discovery.certificate.Certificate`; complexity; equation.
    ``folder`` is for a journal (:func:`pie.experiments.journal.search_all`).
    """
    points = [cloud.points for cloud in clouds]
    found = search_all(_searched, points, weights, config, workers, folder)
    return pd.DataFrame(
        [
            (c.part, c.kind, c.name, *c.points.shape, *candidate)
            for c, candidates in zip(clouds, found, strict=True)
            for candidate in candidates
        ],
        columns=["part", "kind", "cloud", "points", "variables", *FIELDS],
    )


def _passing(table: pd.DataFrame, p: float) -> pd.Series:
    """Which candidates are not degenerate, worth their form, and have p at most ``p``."""
    return (table.degeneracy == SOUND) & (table.evidence >= EVIDENCE) & (table.p <= p)


def scores(table: pd.DataFrame, p: float) -> pd.DataFrame:
    """Per cloud ``score``: smallest contrast of a sound candidate with p at most ``p``, or inf."""
    score = table.contrast.where(_passing(table, p), np.inf)
    clouds = table.assign(score=score).groupby(["part", "kind", "cloud"], sort=False)
    return clouds.score.min().reset_index()


def roc(table: pd.DataFrame, p: float) -> pd.DataFrame:
    """Detection and false discoveries (shares) at every contrast that changes either, for one p."""
    of = scores(table, p)
    lawful, null = (np.sort(of.score[chosen]) for chosen in (of.kind == LAWFUL, of.kind != LAWFUL))
    levels = np.unique([0.0, *of.score[np.isfinite(of.score)]])
    detection, false = (
        np.searchsorted(s, levels, "right") / max(len(s), 1) for s in (lawful, null)
    )
    return pd.DataFrame({"detection": detection, "false": false, "contrast": levels})


def choose(table: pd.DataFrame, most: float = 0.03) -> Rule:
    """The rule of :data:`P` × :data:`CONTRASTS` with most detections.

    Its false discoveries are at most ``most``, as a share of the null clouds; ValueError if no rule
    has so few. Ties go to the larger contrast, which noisier laws pass, then to the smaller p.
    """
    ranked = []
    for p in P:
        of = scores(table, p)
        for contrast in CONTRASTS:
            said = of.score <= contrast
            false, detection = said[of.kind != LAWFUL].mean(), said[of.kind == LAWFUL].mean()
            if false <= most:
                ranked.append((detection, contrast, -p))
    if not ranked:
        raise ValueError(f"no rule has at most {most:g} false discoveries per cloud")
    _, contrast, p = max(ranked)
    return Rule(-p, contrast)


def rates(table: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    """How many clouds the rule calls lawful, by kind and for all null clouds.

    ``low`` to ``high`` is the 95 % interval of ``share``: Wilson's, or, where several clouds have
    one law, the bootstrap over laws.
    """
    of = scores(table, rule.p)
    of["said"] = of.score <= rule.contrast
    lines = []
    for part, members in of.groupby("part", sort=False):
        null = members[members.kind != LAWFUL].assign(kind="all null")
        for kind, group in pd.concat([members, null]).groupby("kind", sort=False):
            said = group.said
            lines.append((part, kind, len(group), said.sum(), said.mean(), *_interval(group)))
    return pd.DataFrame(lines, columns=["part", "kind", "clouds", "laws", "share", "low", "high"])


def _interval(group: pd.DataFrame) -> tuple[float, float]:
    """Lawful clouds ``W06-whole`` and ``W06-patch`` have one law."""
    law = group.cloud.str.partition("-")[0].where(group.kind == LAWFUL, group.cloud)
    if law.nunique() < len(group):
        return interval(group.said, law, resamples=2000)
    return wilson(group.said)


def mistakes(table: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    """False discoveries and missed laws of the rule, a row each.

    The row has the sound candidate of the smallest contrast with p at most the rule's, if any. Its
    equation is empty where :func:`write` kept another one.
    """
    judged = table.assign(passing=_passing(table, rule.p))
    ordered = judged.sort_values(["passing", "contrast"], ascending=[False, True], kind="stable")
    best = ordered.drop_duplicates(["part", "cloud"])
    said = best.passing & (best.contrast <= rule.contrast)
    wrong = best[said == (best.kind != LAWFUL)].copy()
    wrong["mistake"] = np.where(wrong.kind == LAWFUL, "missed", "false discovery")
    columns = ["part", "mistake", "kind", "cloud", "points", "p", "contrast", "equation"]
    wrong["equation"] = [_short(e, 3) if e else "" for e in wrong.equation]
    return wrong.sort_values(["part", "mistake", "kind", "cloud"])[columns].reset_index(drop=True)


def _short(equation: str, digits: int) -> str:
    return to_infix(to_tree(parse(equation)), digits)


def write(table: pd.DataFrame, path: Path) -> None:
    """Write rows as CSV, atomically; of each cloud's equations one is kept, in four digits.

    It is that of the sound candidate of the smallest contrast.
    """
    sound = table[table.degeneracy == SOUND].sort_values("contrast", kind="stable")
    best = sound.drop_duplicates(["part", "cloud"]).equation
    short = best.map(lambda equation: _short(equation, DIGITS)).reindex(table.index, fill_value="")
    write_table(table.assign(equation=short), path)
