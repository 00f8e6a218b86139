r"""A prior on forms: how often formulas of science use each operator, where.

The canonical form of an equation is a tree. Each node is drawn given its parent, the place among
its parent's operands, and its grandparent; a variable is one of D,

.. math:: -\ln P(tree) = -\sum_{nodes} \ln P(node \mid place, parent, grandparent)
                         + \ln D \cdot variables.

The probabilities are those of the formulas in data/prior/formulas.csv, with shorter contexts where
a context is rare (Witten and Bell 1991): with c(s, h) the count of s in the context h, T(h) the
number of different nodes seen in it and h' the next shorter context,

.. math:: P(s \mid h) = \frac{c(s, h) + T(h)\,P(s \mid h')}{c(h) + T(h)}.

Such priors on operators in context are from Bartlett, Desmond and Ferreira (2023). Half of the
probability is for the named curves and surfaces of :mod:`pie.search.shapes`, each as likely as any.

A table holds some quantities of a formula, and the others stay the same: its law is a *slice* of
the formula, as y = c·x² of E = ½·m·v². A form of two or three variables is its own longest context.
Of N formulas that have slices with so many variables, T of different forms, n(f, v) have the form f
and give x_v by the others,

.. math:: P(f) = \operatorname{mean}_v \frac{n(f, v) + T\,P'(f)}{N + T},

where P' is the probability above; all slices of one formula count as one. The mean is over all
variables, or those that were measured where the others were set: people write what they measured as
a function of what they set, and an exponential of time is no logarithm of a concentration.
"""

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..expr.expression import Expression, Tree, to_tree
from ..expr.operators import CONSTANT, MAX_VARIABLES, OPERATORS
from .shapes import shapes, usual_form

COUNTS = Path(__file__).with_name("forms.json")  # tools/forms.py makes it
NODES = ("x", "c", *(operator.name for operator in OPERATORS))
Context = tuple[str, ...]
ROOT: Context = ("root", "root")
UNNAMED = float(np.log(2.0))  # nats: half of the probability is for the named shapes


def nodes(tree: Tree, above: Context = ROOT) -> Iterator[tuple[str, Context]]:
    """Every node with its context: the parent with the place in it, and the grandparent."""
    yield tree[0], above
    if tree[0] in ("x", "c"):
        return
    for place, child in enumerate(tree[1:]):
        yield from nodes(child, (f"{tree[0]} {place}", above[0].partition(" ")[0]))


class Slices:
    """Counts of whole forms, by their tokens; ``total`` is N of :mod:`pie.search.forms`."""

    def __init__(self, counts: dict[str, float]):
        self.counts, self.total = counts, sum(counts.values())

    def log_probability(self, tokens: str, shorter: float) -> float:
        """ln of (n + T·P')/(N + T), for −ln P' = ``shorter``."""
        kinds, count = len(self.counts), self.counts.get(tokens)
        both = np.log(kinds) - shorter
        both = both if count is None else np.logaddexp(both, np.log(count))
        return float(both - np.log(self.total + kinds))


class Forms:
    """The prior with the counts of (context, node); a context is a prefix of the whole one.

    ``slices`` are the counts of whole forms, by the number of variables and the place of the one
    that is given by the others.
    """

    def __init__(
        self,
        counts: dict[str, dict[str, int]],
        slices: dict[str, dict[str, dict[str, float]]],
    ):
        self.counts = counts
        self.slices = {
            int(n): {int(place): Slices(seen) for place, seen in by_place.items()}
            for n, by_place in slices.items()
        }
        self.node_cost = functools.lru_cache(maxsize=4096)(self._node_cost)
        self.cost = functools.lru_cache(maxsize=65536)(self._cost)

    def _probability(self, node: str, context: Context) -> float:
        shorter = self._probability(node, context[:-1]) if context else 1.0 / len(NODES)
        seen = self.counts.get("|".join(context))
        if not seen:
            return shorter
        total, kinds = sum(seen.values()), len(seen)
        return (seen.get(node, 0) + kinds * shorter) / (total + kinds)

    def _node_cost(self, node: str, context: Context) -> float:
        return -float(np.log(self._probability(node, context)))

    def _cost(
        self, codes: tuple[int, ...], n_variables: int, measured: tuple[int, ...] = ()
    ) -> float:
        """−ln P of an equation in canonical form, of which only the codes matter, in nats.

        ``measured``: the variables that may be given by the others; () = all.
        """
        form = Expression(codes, (1.0,) * codes.count(CONSTANT))
        variables = sum(CONSTANT < code <= MAX_VARIABLES for code in codes)
        drawn = sum(self.node_cost(*one) for one in nodes(to_tree(form)))
        drawn += float(np.log(n_variables)) * variables
        named = float(np.log(len(shapes(n_variables)))) if usual_form(form).shape else np.inf
        shorter = UNNAMED - float(np.logaddexp(-drawn, -named))
        by_place = self.slices.get(n_variables)
        if by_place is None:
            return shorter
        name = " ".join(form.tokens)
        found = [by_place[v].log_probability(name, shorter) for v in measured or by_place]
        return float(np.log(len(found)) - np.logaddexp.reduce(found))


@functools.cache
def forms() -> Forms:
    """The prior of the formulas of science."""
    return Forms(**json.loads(COUNTS.read_text()))
