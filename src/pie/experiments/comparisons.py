"""Two settings on the same equations: the mean difference of a score, and what it says of a claim.

Both settings were asked for the same equations, so that equations that are easy or hard for both
cancel; equations are resampled in pairs (a law that is drawn in several ways with all of them).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .evaluation import Row
from .metrics import RECOVERED

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
RESAMPLES = 4000


def score_of(row: Row, score: str) -> float:
    """``fitness``, ``two_sided``, ``skeleton``, ``recovered``, or ``acc_0.99`` of a row.

    Raises:
        ValueError: another score, quoted.
    """
    if score in ("fitness", "two_sided", "skeleton"):
        return float(getattr(row, score))
    if score == "recovered":
        return float(row.two_sided >= RECOVERED)
    if score.startswith("acc_"):
        return float(row.fitness >= float(score[4:]))
    raise ValueError(f"score is {score!r}; expected fitness, acc_0.99, recovered or skeleton")


@dataclass(frozen=True)
class Difference:
    """Mean over common equations of one score less another, with its 95 % interval."""

    mean: float
    low: float
    high: float
    equations: int

    def __str__(self) -> str:
        low, high = f"{100 * self.low:+.1f}", f"{100 * self.high:+.1f}"
        return f"{100 * self.mean:+.1f} [{low}, {high}] ({self.equations})"


def difference(ours: Sequence[Row], theirs: Sequence[Row], score: str) -> Difference:
    """``ours`` − ``theirs`` on the equations that both have, in pairs.

    Args:
        ours: rows of one method in one setting, an equation at most once.
        theirs: rows of another.
        score: see :func:`score_of`.

    Raises:
        ValueError: no equation in common, or one twice.

    >>> row = Row("A", "b", "E1", "x1", "", 0.5, 0.0, 0, 1.0, 0, "", "ok")
    >>> print(difference([row], [row], "fitness"))
    +0.0 [+0.0, +0.0] (1)
    """
    first, second = ({(r.benchmark, r.equation_id): r for r in rows} for rows in (ours, theirs))
    if len(first) < len(ours) or len(second) < len(theirs):
        raise ValueError("an equation stands twice in a setting; expected once")
    common = [key for key in first if key in second]
    if not common:
        raise ValueError("no equation in common; expected at least one")
    gaps = np.array([score_of(first[k], score) - score_of(second[k], score) for k in common])
    laws = ["/".join((benchmark, name.partition("-")[0])) for benchmark, name in common]
    _, law = np.unique(laws, return_inverse=True)
    size, total = np.bincount(law), np.bincount(law, weights=gaps)
    picks = np.random.default_rng(0).integers(len(size), size=(RESAMPLES, len(size)))
    means = total[picks].sum(1) / size[picks].sum(1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Difference(float(gaps.mean()), float(low), float(high), len(common))


def is_higher(differences: Iterable[Difference]) -> str:
    """Of the claim that all of these are positive.

    >>> is_higher([Difference(0.2, 0.1, 0.3, 9), Difference(0.1, -0.1, 0.3, 9)])
    'undecided'
    """
    found = list(differences)
    if all(d.low > 0.0 for d in found):
        return CONFIRMED
    return REFUTED if any(d.high < 0.0 for d in found) else UNDECIDED


def is_within(differences: Iterable[Difference], margin: float) -> str:
    """Of the claim that all of these lie between −margin and margin.

    >>> is_within([Difference(0.2, 0.15, 0.25, 9)], 0.1)
    'refuted'
    """
    found = list(differences)
    if all(-margin <= d.low and d.high <= margin for d in found):
        return CONFIRMED
    beyond = any(d.low > margin or d.high < -margin for d in found)
    return REFUTED if beyond else UNDECIDED


def is_at_most(differences: Iterable[Difference], margin: float) -> str:
    """Of the claim that none of these exceeds the margin.

    >>> is_at_most([Difference(-0.2, -0.3, -0.1, 9)], 0.05)
    'confirmed'
    """
    found = list(differences)
    if all(d.high <= margin for d in found):
        return CONFIRMED
    return REFUTED if any(d.low > margin for d in found) else UNDECIDED
