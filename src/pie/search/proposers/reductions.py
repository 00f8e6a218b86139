r"""Many columns reduced to few: by the units of the columns, and by pairs of them.

Where the units are known, a law without constants that have units is one of D − R dimensionless
products of powers of the columns, R the rank of their dimensions (Buckingham 1914).

A law f(x) = 0 of D columns in which x_i and x_j enter only by u = x_i·x_j (or x_i/x_j, x_i ± x_j,
x_i² ± x_j²) is a law of D − 1 columns. Whether it may be one is seen without knowing f: with φ the
M monomials of the columns that are left, or of their logarithms, and the c of the smallest λ
(:mod:`pie.search.relations`), the error σ of Σ c_k·φ_k = 0 stays small while M gets smaller,

.. math:: score = N \ln σ + \tfrac12 M \ln N, \qquad
          σ^2 = \frac{1}{N - M} \sum_n r_n^2,

with first-order distances r_n in x, in units of its errors. The best tables are reduced further,
down to two columns, and searched as any table is.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from ...expr.dimensions import Dimensions
from ...expr.expression import Expression, Tree, from_tree, to_tree, with_variables
from ...expr.terms import joined
from ...zeroset.distance import first_order
from ...zeroset.metric import errors_of
from ...zeroset.spreads import robust_spreads
from ..cloud import Cloud
from ..libraries import FEW_COLUMNS, power, variables
from ..pool import WARM, Batch, Interrupted, Pool, new_drafts
from ..price import Prices, form_price
from ..relations import LARGEST as LARGEST_TERM
from ..relations import capped, columns_of, with_distances

DEGREES = {2: 4, 3: 3}  # of the monomials; else 2
TOGETHER = 64  # tables in one array
BETTER = 0.9  # σ of a table that is searched, in the error of the best equation that is known
NEAR = 4.0  # the same, if that equation is long
SMALLEST = 1e-6  # exponent of a base unit
LARGEST = 2  # exponent in a dimensionless product
TOLD_BY = 8  # points by which equal columns are told
SHORT = 9.5  # nats of a form per column, up to which it is not long: about a plane

JOINED = {  # columns and their gradients → u and its gradient
    "mul": lambda a, b, da, db: (a * b, a * db + b * da),
    "div": lambda a, b, da, db: (a / b, (da - (a / b) * db) / b),
    "add": lambda a, b, da, db: (a + b, da + db),
    "sub": lambda a, b, da, db: (a - b, da - db),
}


@dataclass(frozen=True)
class Reductions:
    """Limits of this proposer."""

    points: int = 150  # of the scores
    kept: int = 8  # tables of each number of columns that are reduced further
    searched: int = 2  # tables of each number of columns that may be searched


@dataclass(frozen=True)
class Columns:
    """Columns u (N, K) as trees in x, with their gradients in x, (N, K, D)."""

    trees: tuple[Tree, ...]
    values: np.ndarray
    slopes: np.ndarray

    @classmethod
    @np.errstate(all="ignore")
    def of(cls, points: np.ndarray, trees: Sequence[Tree] = ()) -> "Columns":
        """Columns that are trees in x at points (N, D); () = the columns x themselves."""
        trees = trees or variables(points.shape[1])
        columns = [from_tree(tree).value_and_gradient(points) for tree in trees]
        values, slopes = zip(*columns, strict=True)
        return cls(tuple(trees), np.stack(values, axis=1), np.stack(slopes, axis=1))

    @np.errstate(all="ignore")
    def joined(self, i: int, j: int, operator: str, squared: bool = False) -> "Columns":
        """With u_i and u_j replaced by ``operator`` of both, or of their squares."""
        (a, b), (da, db) = self.values.T[[i, j], :, None], self.slopes.swapaxes(0, 1)[[i, j]]
        sides = self.trees[i], self.trees[j]
        if squared:
            da, db = 2.0 * a * da, 2.0 * b * db
            a, b, sides = a**2, b**2, (("pow2", sides[0]), ("pow2", sides[1]))
        new, slope = JOINED[operator](a, b, da, db)
        rest = [k for k in range(len(self.trees)) if k not in (i, j)]
        return Columns(
            (*(self.trees[k] for k in rest), (operator, *sides)),
            np.column_stack([self.values[:, rest], new]),
            np.concatenate([self.slopes[:, rest], slope[:, None]], axis=1),
        )

    @property
    def usable(self) -> bool:
        """Whether it is finite and every column varies."""
        finite = np.isfinite(self.values).all() and np.isfinite(self.slopes).all()
        return bool(finite and np.ptp(self.values, axis=0).min() > 0.0)

    @property
    @np.errstate(all="ignore")
    def key(self) -> frozenset:
        """The same for tables that differ in the order, scale or inverse of columns.

        A column that is 0 at the first point equals no other.
        """
        few = np.log(np.abs(self.values[:TOLD_BY]))
        away = few - few[:1]
        sign = np.sign(away[np.abs(away).argmax(axis=0), range(away.shape[1])])
        return frozenset(map(tuple, (sign * away).T.round(9).tolist()))


def reduced(table: Columns) -> Iterator[Columns]:
    """All tables with one column less."""
    for i, j in combinations(range(len(table.trees)), 2):
        for a, b, *way in (
            (i, j, "mul"), (i, j, "div"), (j, i, "div"), (i, j, "add"), (i, j, "sub"),
            (i, j, "add", True), (i, j, "sub", True),
        ):  # fmt: skip
            if (new := table.joined(a, b, *way)).usable:
                yield new


def dimensionless(dimensions: np.ndarray) -> tuple[Tree, ...]:
    """D − R independent products of powers of the columns without a dimension, the shortest.

    ``dimensions`` are the exponents of base units in each column, (D, B). None are found if one of
    them asks for an exponent above 2.

    >>> pendulum = np.array([[1.0, 0.0], [1.0, -2.0], [0.0, 1.0], [1.0, 0.0]])  # m, m/s², s, m
    >>> [str(from_tree(tree)) for tree in dimensionless(pendulum)]
    ['x1/x4', 'x2*x3**2/x4']
    """
    d = len(dimensions)
    choices = np.array([*product(range(-LARGEST, LARGEST + 1), repeat=d)])
    choices = choices[np.abs(choices @ dimensions).max(axis=1, initial=0.0) < SMALLEST]
    size, degree = np.abs(choices).sum(axis=1), choices.sum(axis=1)
    # ratios before products; of p and 1/p the one with the more factors above
    order = np.lexsort([*-choices.T[::-1], -degree, np.abs(degree), size])
    found: list[np.ndarray] = []
    missing = d - np.linalg.matrix_rank(dimensions, SMALLEST)
    for powers in choices[order]:
        if len(found) == missing:
            break
        if np.linalg.matrix_rank(np.array([*found, powers])) > len(found):
            found.append(powers)
    return tuple(map(_product, found)) if len(found) == missing else ()


def _product(powers: Sequence[int]) -> Tree:
    above, below = (
        [power(("x", j), abs(int(e))) for j, e in enumerate(powers, 1) if e * sign > 0]
        for sign in (1, -1)
    )
    trees = [joined("mul", side) for side in (above, below) if side]
    return ("div", *trees) if above and below else trees[0]


def degree(k: int, n: int) -> int:
    """Of the monomials of K columns that are looked at; lower where N points are too few."""
    highest = DEGREES.get(k, 2)
    return next((high for high in range(highest, 1, -1) if n > math.comb(k + high, k)), 1)


def n_monomials(k: int, n: int) -> int:
    """How many monomials of K columns are looked at, for N points."""
    return math.comb(k + degree(k, n), k)


def sizes(tables: Sequence[Columns], errors: np.ndarray) -> np.ndarray:
    """Errors of the best relations among monomials of the columns of tables, (B,).

    The lower of that of the columns as they are and of their logarithms. ``errors`` (D,) are the
    units of the errors of x.
    """
    parts = (tables[begin : begin + TOGETHER] for begin in range(0, len(tables), TOGETHER))
    return np.concatenate([_sizes_of_some(part, errors) for part in parts])


@np.errstate(all="ignore")
def _sizes_of_some(tables: Sequence[Columns], errors: np.ndarray) -> np.ndarray:
    values = np.stack([table.values for table in tables])  # (B, N, K)
    slopes = np.stack([table.slopes for table in tables]) * errors  # (B, N, K, D)
    positive = np.all(values > 0.0, axis=1, keepdims=True)
    ones = np.where(positive, values, 1.0)
    found = _sizes(values, slopes)
    if positive.any():
        logs = np.where(positive, np.log(ones), values)
        found = np.minimum(found, _sizes(logs, slopes / ones[..., None]))
    return found


def _sizes(values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    b, n, k = values.shape
    if n <= n_monomials(k, n):
        return np.full(b, np.inf)
    spread = robust_spreads(values, axis=1)[:, None]
    spread[spread == 0.0] = 1.0
    values = (values - np.median(values, axis=1, keepdims=True)) / spread
    slopes = slopes / spread[..., None]
    level = [(np.ones((b, n)), np.zeros((b, n, slopes.shape[-1])), 0)]
    terms = [*level]
    for _ in range(degree(k, n)):
        level = [
            (v * values[..., j], s * values[..., j, None] + v[..., None] * slopes[:, :, j], j)
            for v, s, first in level
            for j in range(first, k)
        ]
        terms += level
    columns = np.stack([v for v, _, _ in terms], axis=-1)
    gradients = np.stack([s.swapaxes(1, 2) for _, s, _ in terms], axis=-1)  # (B, D, N, M)
    _, _, away = with_distances(columns, gradients)
    return np.sqrt(np.sum(away**2, axis=1) / (n - len(terms)))


def tables(
    points: np.ndarray,
    errors: np.ndarray,
    limits: Reductions = Reductions(),
    dimensions: Dimensions | None = None,
) -> list[tuple[float, Columns]]:
    """The best tables of each number of columns for points (N, D), with σ, by their score.

    Products without dimensions are one of them if the ``dimensions`` of the columns are known.
    """
    found = []
    some = np.random.default_rng(0).permutation(points)[: limits.points]
    kept = [Columns.of(some)]
    trees = dimensionless(dimensions.exponents) if dimensions and dimensions.known else ()
    groups = Columns.of(some, trees) if len(trees) > 1 else None
    for k in range(points.shape[1] - 1, 1, -1):
        known = [groups] if groups and len(groups.trees) == k and groups.usable else []
        written = {frozenset(map(str, t.trees)): t for one in kept for t in reduced(one)}
        new = [*known, *written.values()]
        if not new:  # products without dimensions may come at a smaller k
            continue
        size, m = sizes(new, errors), n_monomials(k, len(some))
        ranked = np.argsort(np.round(np.log(size), 6), kind="stable")
        best: dict[frozenset, int] = {}  # of a/b and b/a the one with the smaller σ
        for i in ranked[np.isfinite(size[ranked])]:
            best.setdefault(new[i].key, i)
        order = [*best.values()][: limits.kept]
        kept = [new[i] for i in order]
        for i in {*order[: limits.searched], *range(len(known))}:
            score = len(some) * np.log(size[i]) + 0.5 * np.log(len(some)) * m
            found.append((round(float(score), 6), float(size[i]), new[i]))
    return [(size, table) for _, size, table in sorted(found, key=lambda one: one[0])]


@np.errstate(all="ignore")
def _known(pool: Pool, cloud: Cloud, prices: Prices) -> float:
    """Largest σ of tables that are searched, given the cheapest equation of the pool."""
    for found in pool.best(1):
        try:
            law = cloud.back(found.fit.expression)
        except ValueError:  # too long
            break
        away, _ = first_order(law, cloud.given, errors_of(cloud.given, cloud.exact))
        long = form_price(found.fit.expression.codes, prices) > SHORT * cloud.n_variables
        return float((NEAR if long else BETTER) * np.sqrt(np.mean(capped(away) ** 2)))
    return np.inf


def reductions(
    limits: Reductions,
    prices: Prices,
    max_tokens: int,
    few: Callable[[np.ndarray], list[Expression]],
    cloud: Cloud,
    pool: Pool,
) -> Iterator[Batch]:
    """The proposer; ``few`` are the best equations of a search in fewer columns.

    Where that search is interrupted, what it had found is the last batch.
    Tables are left out whose monomials fit no better than an equation that is known and short.
    """
    if cloud.n_variables <= FEW_COLUMNS:
        return
    errors = errors_of(cloud.given, cloud.exact)
    for size, table in tables(cloud.given, errors, limits, cloud.dimensions):
        if size > _known(pool, cloud, prices):
            continue
        columns = columns_of(table.trees, cloud.given)
        if not np.all(np.abs(columns) < LARGEST_TERM):
            continue
        places = dict(enumerate(table.trees, 1))
        found, stopped = [], False
        try:
            laws = few(columns)
        except Interrupted as stop:
            laws, stopped = stop.found, True
        for law in laws:
            with contextlib.suppress(ValueError):  # too long
                found.append(cloud.into(from_tree(with_variables(to_tree(law), places))))
        yield Batch(new_drafts(found, cloud, pool, "reductions", max_tokens), WARM, stopped)
