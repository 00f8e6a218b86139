"""Mean difference of a score between two settings, and the verdict on a claim about it.

Equations are resampled in pairs, so their difficulty cancels; a law sampled in several ways is
resampled with all of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .evaluation import Row, bootstrap

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"


class Difference(NamedTuple):
    """Mean difference of a score over common equations, with its 95 % interval."""

    mean: float
    low: float
    high: float
    equations: int

    def __str__(self) -> str:
        low, high = f"{100 * self.low:+.1f}", f"{100 * self.high:+.1f}"
        return f"{100 * self.mean:+.1f} [{low}, {high}] ({self.equations})"


def difference(ours: Sequence[Row], theirs: Sequence[Row], score: str) -> Difference:
    """``ours`` − ``theirs`` on the equations of both, in pairs.

    ``score`` is one of :meth:`pie.experiments.evaluation.Row.score`. ValueError if the equations of
    a setting repeat, or if none is common.
    """
    first, second = ({(r.benchmark, r.equation_id): r for r in rows} for rows in (ours, theirs))
    for rows, by_key in ((ours, first), (theirs, second)):
        if len(by_key) < len(rows):
            times = Counter((r.benchmark, r.equation_id) for r in rows)
            twice = ", ".join(times.most_common(1)[0][0])
            raise ValueError(f"equation {twice} stands twice in a setting; expected once")
    common = [key for key in first if key in second]
    if not common:
        raise ValueError("no equation in common; expected at least one")
    gaps = np.array([first[key].score(score) - second[key].score(score) for key in common])
    laws = [f"{first[key].benchmark}/{first[key].law}" for key in common]
    several = len({*laws}) > 1  # of one law no interval can be told
    ends = bootstrap(gaps, laws, resamples=4000) if several else (np.nan, np.nan)
    return Difference(float(gaps.mean()), *ends, len(common))


class Rule(NamedTuple):
    """A claim about differences: what confirms, what refutes it, how much one is against it."""

    holds: Callable[[Difference], bool]
    fails: Callable[[Difference], bool]
    against: Callable[[Difference], float]

    def verdict(self, differences: Iterable[Difference]) -> str:
        """Confirmed if it holds for all differences, refuted if it fails for one."""
        found = list(differences)
        if not found:
            return UNDECIDED
        if all(map(self.holds, found)):
            return CONFIRMED
        return REFUTED if any(map(self.fails, found)) else UNDECIDED


HIGHER = Rule(lambda d: d.low > 0.0, lambda d: d.high < 0.0, lambda d: -d.mean)


def within(low: float, high: float) -> Rule:
    """Claim: differences lie between these."""
    return Rule(
        lambda d: low <= d.low and d.high <= high,
        lambda d: d.low > high or d.high < low,
        lambda d: max(d.mean - high, low - d.mean),
    )


def equal(value: float) -> Rule:
    """Claim: differences are ``value``, as far as their intervals tell."""
    return Rule(
        lambda d: d.low <= value <= d.high,
        lambda d: value < d.low or d.high < value,
        lambda d: abs(d.mean - value),
    )
