"""The loop of both searches, *PIE* and *PIE+*: propose, fit, keep.

A *proposer* takes the cloud and the pool of earlier fits and yields batches of drafts. Each batch
is fitted before the next one is requested, so that a proposer can build on it. A search ends with
its proposers, or as soon as the pool holds a fit that is good enough.
"""

import bisect
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from ..expr.canonical import canonical
from ..expr.expression import Expression, from_tree, to_tree
from ..expr.terms import shared_factors
from ..fit.constants import Fit
from .cloud import Cloud

UNKNOWN = -100.0  # log-probability of a draft that is not from the network


@dataclass(frozen=True)
class Draft:
    """An equation to fit; its constants are a start only if the effort is warm."""

    expression: Expression
    proposer: str
    log_probability: float = UNKNOWN


@dataclass(frozen=True)
class Effort:
    """Starts of the constants and descents from the best; ``warm``: first from the draft's own."""

    starts: int
    descents: int
    warm: bool = False


WARM = Effort(1, 1, True)


@dataclass(frozen=True)
class Batch:
    drafts: Sequence[Draft]
    effort: Effort
    last: bool = False  # of an interrupted proposer: fitted all the same, and no other after it


@dataclass(frozen=True)
class Found:
    draft: Draft
    fit: Fit


Rank = Callable[[Found], tuple]
Fitter = Callable[[Batch, Cloud], list[Fit]]


def lowest(items: Iterable, bound: Callable, key: Callable, most: int) -> list:
    """The ``most`` items of smallest ``key``, smallest first, of which ``bound`` is a lower bound.

    The key is asked for in the order of the bound, until no other item can be among them.
    """
    kept: list[tuple] = []
    for place, item in enumerate(sorted(items, key=bound)):
        if len(kept) == most and bound(item) >= kept[-1][0]:
            break
        bisect.insort(kept, (key(item), place, item))
        del kept[most:]
    return [item for _, _, item in kept]


class Pool:
    """The best fit of every skeleton, by the sort key ``judge``.

    ``rank`` is a sort key that is never more and costs less; ``judge`` None: the same.
    """

    def __init__(self, rank: Rank, judge: Rank | None = None):
        self.rank, self.judge = rank, functools.cache(judge or rank)
        self.found: dict[tuple, Found] = {}

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found.values())

    def keep(self, found: Found) -> None:
        """Add a fit, unless its skeleton has a better one."""
        skeleton = found.draft.expression.codes
        known = self.found.get(skeleton)
        if known is None or self.judge(found) < self.judge(known):
            self.found[skeleton] = found

    def ranked(self) -> list[Found]:
        return sorted(self, key=self.rank)

    def best(self, most: int) -> list[Found]:
        """The ``most`` best by ``judge`` of the fits that did not fail, best first."""
        usable = [found for found in self if np.isfinite(found.fit.fitness)]
        return lowest(usable, self.rank, self.judge, most)


Proposer = Callable[[Cloud, Pool], Iterator[Batch]]
Watcher = Callable[[str, Cloud, Pool], None]  # of who proposed last, the cloud, the pool
_WATCHER: ContextVar[Watcher] = ContextVar("watcher", default=lambda proposer, cloud, pool: None)


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Searches within, and those that these begin, call ``by`` before a batch is fitted.

    Where it raises :class:`TimeIsUp`, they end as if they were interrupted.
    """
    token = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(token)


class TimeIsUp(KeyboardInterrupt):
    """Raised by a watcher."""


class Interrupted(KeyboardInterrupt):
    """A search was interrupted; ``found`` is what it had found."""

    def __init__(self, found):
        super().__init__()
        self.found = found


def reduced(expression: Expression, nonzero: set[int]) -> Expression:
    """Canonical form without factors x_j, j in ``nonzero``: with x_j ≠ 0, f·x_j = 0 means f = 0.

    NoZeroSet if by its form it has no zeros or if it is too long.
    """
    form = canonical(expression)
    while len(form.variables) > 1 and (factors := shared_factors(form) & nonzero):
        form = canonical(from_tree(("div", to_tree(form), ("x", min(factors)))))
    return form


def new_drafts(
    expressions: Iterable[Expression],
    cloud: Cloud,
    pool: Pool,
    proposer: str,
    max_tokens: int,
) -> list[Draft]:
    """Drafts: reduced, at most ``max_tokens`` long, with all variables, new, distinct."""
    drafts: dict[tuple, Draft] = {}
    nonzero = {int(j) + 1 for j in np.flatnonzero(np.all(cloud.points != 0.0, axis=0))}
    for expression in expressions:
        try:
            form = reduced(expression, nonzero)
        except ValueError:  # no zeros, or too long
            continue
        short = len(form.codes) <= max_tokens
        every = len(form.variables) == cloud.n_variables
        if short and every and form.codes not in pool.found:
            drafts.setdefault(form.codes, Draft(form, proposer))
    return list(drafts.values())


def search(
    cloud: Cloud,
    proposers: Iterable[Proposer],
    fit: Fitter,
    pool: Pool,
    enough: Callable[[Pool], bool] = lambda pool: False,
) -> Pool:
    """Fit what the proposers yield, one proposer after another, until ``enough``.

    ``fit`` maps a batch to one fit per draft, in order. ``enough`` is asked after each batch.
    Raises :class:`Interrupted` with the pool where the user or a watcher interrupts: at once, or
    after the last batch of a proposer that they interrupted.
    """
    watch = _WATCHER.get()
    try:
        for proposer in proposers:
            for batch in proposer(cloud, pool):
                if batch.drafts and not batch.last:
                    watch(batch.drafts[0].proposer, cloud, pool)
                for draft, found in zip(batch.drafts, fit(batch, cloud), strict=True):
                    pool.keep(Found(draft, found))
                if batch.last:
                    raise KeyboardInterrupt
                if enough(pool):
                    return pool
    except KeyboardInterrupt:
        raise Interrupted(pool) from None
    return pool
