"""Problems from the validation split: what every choice of *PIE+* is made on, never a test set.

Items of the validation corpora (the next seed) beyond those whose loss is computed. Items of the
mixture come as data come: boxes, arcs, tracks, units, noise, outliers, few points.
"""

from collections.abc import Iterable

import numpy as np

from ..zeroset.box import Box
from .benchmarks import Problem
from .corpus import Corpus

FIRST = 100_000  # items before this one are left to the validation loss


def validation_problems(corpus: Corpus, name: str, items: Iterable[int]) -> list[Problem]:
    """Items FIRST + k of a validation corpus as problems, scored where their points lie.

    Args:
        corpus: of the validation seed (:func:`pie.network.pretraining.corpora`).
        name: what the test set shall be called.
        items: k.
    """
    problems = []
    for k in items:
        item = corpus[FIRST + k]
        # an item with few points has them again and again
        points = np.unique(item.points, axis=0)
        points = np.random.default_rng(k).permutation(points)
        low, high = np.quantile(points, [0.02, 0.98], axis=0)
        problems.append(
            Problem(
                name, f"V{k:03d}", item.equation, points, Box(low, high), f"{len(points)} points"
            )
        )
    return problems
