r"""Curves and surfaces that people fit (:mod:`pie.search.shapes`).

Each is a relation :math:`\sum_k c_k\,\varphi_k(x; θ) = 0` with numbers θ inside. θ is drawn many
times by the part that it plays: a rate as ±1 over the range of what it multiplies, a shift within
that range or somewhat beyond, an exponent between −3 and 4. The smallest √λ of all draws
(:mod:`pie.search.relations`) gives the start of the fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...expr.canonical import canonical
from ...expr.expression import Expression, Tree, from_tree, to_tree, with_variables
from ...expr.terms import bare, terms
from ...zeroset.spreads import robust_spreads
from .. import shapes as library
from ..cloud import Cloud
from ..pool import WARM, Batch, Pool, Proposer, new_drafts
from ..price import Prices, form_price
from ..relations import Moments

RATES = (0.3, 15.0)  # of exp(θu), over the range of u
BEYOND = 1.0  # ranges by which a shift may be outside
EXPONENTS = (-3.0, 4.0)


@dataclass(frozen=True)
class Shapes:
    """Limits of this proposer."""

    draws: int = 64  # of the numbers inside a shape
    points: int = 60  # of the screening
    fitted: int = 40  # shapes with the smallest √λ and price of form


def _opened(tree: Tree, first: int) -> tuple[Tree, int]:
    """The tree with the variables ``first``, … for its constants, and the next free one."""
    if tree[0] == "c":
        return ("x", first), first + 1
    if tree[0] == "x":
        return tree, first
    children = []
    for child in tree[1:]:
        opened, first = _opened(child, first)
        children.append(opened)
    return (tree[0], *children), first


def _drawn(
    tree: Tree, points: np.ndarray, draws: int, rng: np.random.Generator, found: list[np.ndarray]
) -> np.ndarray:
    """Values (B, N) of the tree at points (N, D), its constants drawn B times.

    The constants, (B, 1), are appended to ``found`` in order.
    """
    if tree[0] == "x":
        return points[None, :, tree[1] - 1]
    if tree[0] == "c":
        found.append(np.ones((draws, 1)))
        return found[-1]
    places, values = [], []
    for child in tree[1:]:
        places.append(len(found))
        values.append(_drawn(child, points, draws, rng, found))
    for mine, child in enumerate(tree[1:]):
        if child[0] == "c" and len(values) == 2:
            beside = values[1 - mine]
            if tree[0] == "div" and mine == 0:
                beside = 1.0 / beside
            values[mine] = found[places[mine]] = _numbers(tree[0], beside, draws, rng)
    names: list[Tree] = [("x", j) for j in range(1, len(values) + 1)]
    shape = (draws, len(points))
    columns = np.stack([np.broadcast_to(v, shape).ravel() for v in values], axis=1)
    return from_tree((tree[0], *names)).values(columns).reshape(shape)


def _numbers(operator: str, beside: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers (B, 1) that play their part beside values (B, N), or (1, N), of an operand."""
    low, high = (edge(beside, axis=1, keepdims=True) for edge in (np.min, np.max))
    reach = high - low
    if operator == "pow":
        return rng.uniform(*EXPONENTS, (draws, 1))
    if operator in ("mul", "div"):
        size = np.exp(rng.uniform(*np.log(RATES), (draws, 1))) / np.where(reach > 0.0, reach, 1.0)
        return rng.choice([-1.0, 1.0], (draws, 1)) * size
    sign = 1.0 if operator == "sub" else -1.0
    return sign * (low + reach * rng.uniform(-BEYOND, 1.0 + BEYOND, (draws, 1)))


@np.errstate(all="ignore")
def started(
    form: Expression, points: np.ndarray, limits: Shapes = Shapes()
) -> tuple[Expression, float] | None:
    """A shape with numbers near those of points (N, D), and its √λ; None where it is undefined."""
    rng = np.random.default_rng(0)
    points = rng.permutation(points)[: limits.points]
    n, d = points.shape
    parts = [bare(term) for term in terms(to_tree(canonical(form)))]
    opened, count = [], d + 1
    for part in parts:
        tree, count = (("c", 1.0), count) if part[0] == "c" else _opened(part, count)
        opened.append(tree)
    if n <= len(parts) + count - d - 1:
        return None
    draws = np.ones((1, 0))
    if count > d + 1:
        numbers: list[np.ndarray] = []
        for part in parts:
            if part[0] != "c":
                _drawn(part, points, limits.draws, rng, numbers)
        draws = np.concatenate(numbers, axis=1)
    many = np.column_stack([np.tile(points, (len(draws), 1)), np.repeat(draws, n, axis=0)])
    columns, slopes = [], []
    for tree in opened:
        value, gradient = from_tree(tree).value_and_gradient(many)
        columns.append(value)
        slopes.append(gradient[:, :d] * robust_spreads(points))
    values = np.stack(columns, axis=-1).reshape(len(draws), n, -1)
    gradients = np.stack(slopes, axis=-1).reshape(len(draws), n, d, -1).swapaxes(1, 2)
    sound = np.isfinite(values).all(axis=(1, 2)) & np.isfinite(gradients).all(axis=(1, 2, 3))
    if not sound.any():
        return None
    moments = Moments.of(values[sound], gradients[sound])
    if len(moments.usable) < len(parts):
        return None
    every = np.tile(np.arange(len(parts)), (sound.sum(), 1))
    try:
        sizes, weights = moments.at(every, np.arange(len(every)))
    except np.linalg.LinAlgError:
        return None
    best = int(np.nanargmin(sizes))
    places: dict[int, Tree] = {j: ("x", j) for j in range(1, d + 1)}
    places |= {d + 1 + k: ("c", float(v)) for k, v in enumerate(draws[sound][best])}
    coefficients = weights[best] / np.abs(weights[best]).max()
    tree = None
    for part, weight in zip(opened, coefficients, strict=True):
        piece = ("mul", ("c", float(weight)), with_variables(part, places))
        tree = piece if tree is None else ("add", tree, piece)
    return from_tree(tree), float(sizes[best])


def shapes(limits: Shapes, prices: Prices, max_tokens: int) -> Proposer:
    """The proposer, in the home view and in the centred one, where there is one."""

    def propose(cloud: Cloud, pool: Pool) -> Iterator[Batch]:
        views = {view.name: view for view in (cloud.home, *cloud.views)}
        for view in [v for v in views.values() if v is cloud.home or v.name == "centred"]:
            priced = []
            for _, form in library.shapes(cloud.n_variables):
                if found := started(form, cloud.seen(view), limits):
                    cost = len(cloud) * np.log(found[1]) + form_price(canonical(form), prices)
                    priced.append((round(cost, 6), found[0]))
            drafts = [start for _, start in sorted(priced, key=lambda p: p[0])[: limits.fitted]]
            yield Batch(new_drafts(drafts, cloud, view, pool, "shapes", max_tokens), WARM)

    return propose
