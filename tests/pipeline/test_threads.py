"""Work shared among threads gives what one thread gives."""

import warnings
from threading import Barrier, get_ident

import numpy as np
import pytest

from pie.threads import mapped


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_the_order_of_the_items_whatever_is_begun_first(workers):
    assert mapped(lambda x: x * x, range(20), workers, cost=lambda x: x % 7) == [
        x * x for x in range(20)
    ]


def test_what_costs_most_is_begun_first_and_others_beside_it():
    together, begun = Barrier(2, timeout=60), []

    def of(item):
        begun.append(item)
        together.wait()  # only where two threads work at once
        return get_ident()

    assert len({*mapped(of, [1, 3, 2, 4], 2, cost=lambda item: item)}) == 2
    assert {*begun[:2]} == {3, 4}


def test_what_holds_in_the_context_holds_in_the_threads():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        assert mapped(lambda x: np.log(np.float64(x)), [0.0, 1.0], 2) == [-np.inf, 0.0]


def test_an_error_in_a_thread_is_raised():
    with pytest.raises(ZeroDivisionError):
        mapped(lambda x: 1 / x, [1, 0, 2], 2)
