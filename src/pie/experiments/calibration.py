r"""When is "no law found" the right answer? Thresholds from clouds with a law and without one.

Every cloud of :mod:`pie.data.null_clouds` is searched once, and what is known of its candidates is
kept, so that any rule can be tried afterwards. With S the sound candidates of a cloud, the rule
(p₀, c₀) of :mod:`pie.discovery.certificate` says *law* where

.. math:: \min_{s ∈ S,\ p_s ≤ p_0} contrast_s ≤ c_0.

*Detection* is the share of lawful clouds of which it says so, right law or not; a *false discovery*
is a null cloud of which it does. (The search itself uses the library's own thresholds for one thing
only: which sets of three columns it skips.)
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from joblib import Parallel, delayed
from scipy.stats import binomtest
from tqdm import tqdm

from ..data.null_clouds import LAWFUL, Cloud
from ..discovery.certificate import CONTRAST, SIGNIFICANT
from ..discovery.laws import default_weights, discover
from ..expr.expression import parse, to_infix, to_tree
from ..search.plus import PlusConfig
from ..sources import digest_of
from ..zeroset.degeneracy import NO_EQUATION, SOUND
from .evaluation import interval

FIELDS = ("names", "degeneracy", "p", "contrast", "gain", "covered", "complexity", "equation")
DIGITS = 4  # of numbers in rows
P = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4)  # thresholds that are tried
CONTRASTS = (0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.17, 0.15, 0.12, 0.1, 0.07, 0.05)


class Rule(NamedTuple):
    """Thresholds of a law: the largest p, and the largest contrast."""

    p: float
    contrast: float


LIBRARY = Rule(SIGNIFICANT, CONTRAST)


def _searched(cloud: Cloud, weights: Path, config: PlusConfig) -> list[list]:
    """:data:`FIELDS` of each candidate, the smallest contrast first; none: a line that says so."""
    torch.set_num_threads(1)
    found = []
    result = discover(cloud.points, weights, config=config, seconds=np.inf, workers=1)
    for law in result.candidates:
        of = law.certificate
        numbers = [float(f"{v:.{DIGITS}g}") for v in (of.p, of.contrast, of.gain, of.covered)]
        found.append([" ".join(law.names), of.kind, *numbers, law.complexity, str(law.program)])
    found.sort(key=lambda line: (line[3], line[2], line[-1]))
    return found or [["", NO_EQUATION, 1.0, np.inf, np.inf, 0.0, 0, ""]]


def search(
    clouds: Sequence[Cloud],
    weights: Path | None = None,
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """All candidates of every cloud, a row each, the smallest contrast first.

    Columns: part, kind, cloud, points, variables; names of the columns that the candidate is about;
    degeneracy (``no equation`` where there is no candidate), p, contrast, gain and covered as in
    :class:`pie.discovery.certificate.Certificate`; complexity, equation.

    Args:
        clouds: lawful and null ones.
        weights: of *PIE+*; None = the released ones.
        config: of the search.
        workers: processes.
        folder: receives a journal; a run that was cut goes on from there. A change of settings,
            weights or sources begins another one.
    """
    weights = Path(weights or default_weights())
    journal, done = None, {}
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        digest = digest_of(["discovery.laws"], config, sorted(weights.glob("*.saf*"))).hex()
        journal = Path(folder) / f"{digest[:12]}.jsonl"
        if journal.exists():
            lines = (x for x in journal.read_text().splitlines() if x.endswith("}"))
            done = {entry["points"]: entry["found"] for entry in map(json.loads, lines)}
    keys = [hashlib.sha256(np.ascontiguousarray(c.points)).hexdigest()[:16] for c in clouds]

    def run(key: str, cloud: Cloud) -> tuple[str, list[list]]:
        return key, _searched(cloud, weights, config)

    jobs = [delayed(run)(k, c) for k, c in zip(keys, clouds, strict=True) if k not in done]
    results = Parallel(workers, return_as="generator_unordered")(jobs)
    for key, found in tqdm(results, "search", len(jobs), disable=None):
        done[key] = found
        if journal:
            with open(journal, "a") as lines:
                line = json.dumps({"points": key, "found": found})
                lines.write("\n" * (lines.tell() > 0) + line)
    return pd.DataFrame(
        [
            (c.part, c.kind, c.name, *c.points.shape, *candidate)
            for key, c in zip(keys, clouds, strict=True)
            for candidate in done[key]
        ],
        columns=["part", "kind", "cloud", "points", "variables", *FIELDS],
    )


def scores(table: pd.DataFrame, p: float) -> pd.DataFrame:
    """Per cloud, the smallest contrast of its sound candidates with at most this p; inf: none has.

    Returns:
        One row per cloud: part, kind, cloud, and ``score``.
    """
    passing = (table.degeneracy == SOUND) & (table.p <= p)
    score = table.contrast.where(passing, np.inf)
    clouds = table.assign(score=score).groupby(["part", "kind", "cloud"], sort=False)
    return clouds.score.min().reset_index()


def roc(table: pd.DataFrame, p: float) -> pd.DataFrame:
    """Detection and false discoveries, as shares, at every contrast that changes either.

    ``table`` is of one part of the study, ``p`` the rule's.
    """
    of = scores(table, p)
    lawful, null = (np.sort(of.score[chosen]) for chosen in (of.kind == LAWFUL, of.kind != LAWFUL))
    levels = np.unique(np.concatenate([lawful, null, [0.0]]))
    levels = levels[np.isfinite(levels)]
    detection, false = (
        np.searchsorted(s, levels, "right") / max(len(s), 1) for s in (lawful, null)
    )
    return pd.DataFrame({"detection": detection, "false": false, "contrast": levels})


def choose(table: pd.DataFrame, most: float = 0.03) -> Rule:
    """The rule of :data:`P` × :data:`CONTRASTS` that detects most, false discoveries permitting.

    Of rules that detect equally many, the one with the larger contrast, which noisier laws than
    these pass, then the smaller p. ``most`` is the share of null clouds of which it may say that
    they have a law.

    Raises:
        ValueError: every rule has more.
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
    """Of how many clouds the rule says that they have a law: each kind, and all null ones together.

    Returns:
        part, kind, clouds, laws, share with its 95 % interval ``low`` to ``high``: Wilson's, or,
        where several clouds are of one law, the percentile bootstrap over laws.
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
    """Lawful clouds called ``W06-whole`` and ``W06-patch`` are of one law."""
    law = group.cloud.str.partition("-")[0].where(group.kind == LAWFUL, group.cloud)
    if law.nunique() < len(group):
        return interval(group.said, law, resamples=2000)
    wilson = binomtest(int(group.said.sum()), len(group)).proportion_ci(method="wilson")
    return wilson.low, wilson.high


def mistakes(table: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    """Null clouds that the rule takes for lawful, and lawful ones that it misses.

    Returns:
        One row each, with the sound candidate of the smallest contrast; false discoveries first.
    """
    passing = (table.degeneracy == SOUND) & (table.p <= rule.p)
    order = {"by": ["passing", "contrast"], "ascending": [False, True], "kind": "stable"}
    ordered = table.assign(passing=passing).sort_values(**order)
    best = ordered.drop_duplicates(["part", "cloud"])
    said = best.passing & (best.contrast <= rule.contrast)
    wrong = best[said == (best.kind != LAWFUL)].copy()
    wrong["mistake"] = np.where(wrong.kind == LAWFUL, "missed", "false discovery")
    columns = ["part", "mistake", "kind", "cloud", "points", "p", "contrast", "equation"]
    wrong["equation"] = [to_infix(to_tree(parse(e)), 3) if e else "" for e in wrong.equation]
    return wrong.sort_values(["part", "mistake", "kind", "cloud"])[columns].reset_index(drop=True)


def write(table: pd.DataFrame, path: Path) -> None:
    """Rows as CSV, the file whole or not at all.

    Of the equations, the one with the smallest contrast of every cloud, in four digits.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    sound = table[table.degeneracy == SOUND].sort_values("contrast", kind="stable")
    shown = sound.drop_duplicates(["part", "cloud"]).equation
    short = pd.Series("", index=table.index)
    short[shown.index] = [to_infix(to_tree(parse(e)), DIGITS) for e in shown]
    partial = path.with_suffix(".tmp")
    table.assign(equation=short).to_csv(partial, index=False, lineterminator="\n")
    partial.replace(path)
