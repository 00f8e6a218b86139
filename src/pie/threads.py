"""Work shared among threads: compiled code and NumPy let other threads run meanwhile."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Item, Result = TypeVar("Item"), TypeVar("Result")


def mapped(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int,
    cost: Callable[[Item], float] = lambda item: 0.0,
) -> list[Result]:
    """``function`` of each item, in order, by up to ``workers`` threads.

    Those of most ``cost`` are begun first, so that no thread waits long for another. What holds in
    this context only, as :class:`numpy.errstate`, holds in all threads.

    >>> mapped(abs, [-1, 2], workers=2)
    [1, 2]
    """
    items = [*items]
    if workers == 1:
        return [function(item) for item in items]
    order = sorted(range(len(items)), key=lambda k: -cost(items[k]))
    asked = [(k, copy_context()) for k in order]
    with ThreadPoolExecutor(workers) as pool:
        found = [*pool.map(lambda one: one[1].run(function, items[one[0]]), asked)]
    return [found for _, found in sorted(zip(order, found, strict=True), key=lambda one: one[0])]
