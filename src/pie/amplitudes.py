r"""Exact laws with one function whose amplitude varies: Σ c_k·φ_k(x) + (a + b·ψ(x))·g(u(x)) = 0.

As in :mod:`pie.composites`, but g(u) comes with factors: x2 + (1.2 - 4.2·x1)·cos(exp(x1)) = 0, or
(x1 - 1.4)·sin(2.5·x2) + 0.4 = 0, whose frequency is found by variable projection. What a base
leaves of the columns g(u) and ψ·g(u) is one dimension, not two, where there is such a law.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np

from .completion import monomials
from .dictionary import bases, exact_relations, functions_of
from .expression import Expression, Tree, from_tree
from .spans import Span, columns_of, turning, usable

FEW = 64  # points that are looked at
NOTHING = 1e-9  # singular value of columns of norm 1 that is none
NEARLY = 1e-6  # none, as far as a product of matrices tells
NEW = 1e-5  # what the span leaves of a function that is not in it
FREQUENCIES = np.arange(0.5, 60.0, 0.25)  # times the range of u
STARTS = 8  # of Gauss and Newton's steps, the deepest of the grid
STEPS = 10
DRAFTS = 60  # at most of each base
SHAKEN = 1e-3  # relative change of the points, by which laws break and identities do not
LEAST = 12  # points
NESTED = ("sin", "cos", "exp", "ln", "sqrt")
FUNCTIONS = (*NESTED, "pow2", "pow3")
INVERSE = ({"exp", "ln"}, {"sqrt", "pow2"})


def amplitudes(points: np.ndarray) -> list[Tree]:
    """What may vary in an amplitude: variables, their squares, roots of those that are positive."""
    d = points.shape[1]
    variables: list[Tree] = [("x", j) for j in range(1, d + 1)]
    roots = [("sqrt", x) for x, column in zip(variables, points.T, strict=True) if column.min() > 0]
    return [*variables, *(("pow2", x) for x in variables), *roots]


def _insides(points: np.ndarray) -> list[Tree]:
    """What a function may be of: simple terms and functions of these, sums of two variables."""
    d = points.shape[1]
    short = [*monomials(d, 2)[1:], *(("div", ("c", 1.0), ("x", j)) for j in range(1, d + 1))]
    short += [f for j in range(1, d + 1) for f in functions_of(points, j)]
    pairs = [*combinations(range(1, d + 1), 2)]
    short += [("div", ("x", i), ("x", j)) for pair in pairs for i, j in (pair, pair[::-1])]
    short += [(sign, ("x", i), ("x", j)) for sign in ("add", "sub") for i, j in pairs]
    return [*short, *((name, term) for name in NESTED for term in short)]


class _Pair:
    """The columns g and ψ·g of many g, less the span of a base."""

    def __init__(self, span: Span, factor: np.ndarray):
        self.span, self.factor = span, factor[:, None]

    def left(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is left (M, N, K) of the columns of g (N, M), and their norms (M, K).

        K is 2, or 4 for waves, which have real and imaginary parts.
        """
        parts = [g.real, g.imag] if np.iscomplexobj(g) else [g]
        columns = np.stack([c for part in parts for c in (part, part * self.factor)], axis=2)
        n, m, k = columns.shape
        size = np.linalg.norm(columns * self.span.weights[:, :, None], axis=0)
        left = self.span.left(columns.reshape(n, -1)).reshape(n, m, k)
        return left.transpose(1, 0, 2), size

    def least(self, g: np.ndarray) -> np.ndarray:
        """The least singular values (M,) of columns of norm 1, to 1e-8."""
        left, size = self.left(g)
        scaled = left / size[:, None]
        usable = np.isfinite(scaled).all(axis=(1, 2))
        scaled[~usable] = 0.0
        values = np.linalg.eigvalsh(scaled.transpose(0, 2, 1) @ scaled)[:, 0]
        return np.where(usable, np.sqrt(np.maximum(values, 0.0)), np.inf)

    def singular(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Singular vectors (M, N, K), values (M, K), and the coefficients (M, K) of the least one.

        As exact as can be.
        """
        left, size = self.left(g)
        scaled = np.nan_to_num(left / size[:, None], posinf=0.0, neginf=0.0)
        vectors, values, rows = np.linalg.svd(scaled, full_matrices=False)
        return vectors, values, rows[:, -1] / size


def _new(span: Span, g: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Of which g (N, M) neither g nor ψ·g is in the span."""
    return (span.least(g) > NEW) & (span.least(g * factor[:, None]) > NEW)


def _plain(pair: _Pair, elsewhere: _Pair, g: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which functions (N, M) have such an amplitude, but not where the points are shaken."""
    short = np.flatnonzero(pair.least(g) < NEARLY)
    short = short[_new(pair.span, g[:, short], pair.factor[:, 0])]
    exact = pair.singular(g[:, short])[1][:, -1] < NOTHING
    identity = elsewhere.singular(others[:, short])[1][:, -1] < NOTHING
    return short[exact & ~identity]


def _frequencies(
    pair: _Pair, elsewhere: _Pair, u: np.ndarray, others: np.ndarray
) -> Iterator[tuple[int, float]]:
    """Insides u (N, M) and frequencies of waves with such amplitudes."""
    reach = np.subtract(*np.quantile(u, [0.9, 0.1], axis=0))  # a few may be far out
    unit = u / reach
    rest = np.stack([pair.least(turning(t * unit)) for t in FREQUENCIES])
    low = (rest[1:-1] <= rest[:-2]) & (rest[1:-1] <= rest[2:]) & np.isfinite(rest[1:-1])
    order = np.argsort(np.where(low, rest[1:-1], np.inf), axis=0)[:STARTS]
    begin, which = np.nonzero(np.take_along_axis(low, order, axis=0))
    t, unit = FREQUENCIES[order[begin, which] + 1], unit[:, which]
    for _ in range(STEPS):
        wave = turning(t * unit)
        vectors, values, weights = pair.singular(wave)
        slope = np.einsum("mnk,mk->mn", pair.left(1j * unit * wave)[0], weights)
        for k in range(vectors.shape[2] - 1):  # the other directions are free
            slope -= vectors[:, :, k] * (vectors[:, :, k] * slope).sum(axis=1, keepdims=True)
        now = values[:, -1:] * vectors[:, :, -1]
        step = (now * slope).sum(axis=1) / (slope * slope).sum(axis=1)
        t = t - np.clip(np.where(np.isfinite(step), step, 0.0), -0.25, 0.25)
    least = pair.singular(turning(t * unit))[1][:, -1]
    shaken = elsewhere.singular(turning(t * (others / reach)[:, which]))[1][:, -1]
    for k in np.flatnonzero((least < NOTHING) & ~(shaken < NOTHING)):
        yield int(which[k]), float(t[k] / reach[which[k]])


def _varying(trees: list[Tree], few: np.ndarray) -> list[Tree]:
    return usable(trees, columns_of(trees, few))[0]


@np.errstate(all="ignore")
def modulated(points: np.ndarray, numbers: bool = True, workers: int = 1) -> list[Expression]:
    """Exact laws of points (N, D) with one function whose amplitude varies.

    With a frequency where none without is found and ``numbers`` are asked for. ``workers`` threads,
    of which one for each base is used.

    >>> x = np.random.default_rng(0).standard_normal((80, 2))
    >>> x[:, 0] = 1.5 - 0.3 / np.sin(2.3 * x[:, 1])
    >>> law = modulated(x)[0]
    >>> law.variables, [round(c, 6) for c in law.constants]
    ((1, 2), [1.0, 2.3, -0.666667, 2.3, -0.2])
    """
    if len(points) < LEAST or any(2 * len(np.unique(c)) < len(points) for c in points.T):
        return []
    rng = np.random.default_rng(0)
    few = points[rng.permutation(len(points))[:FEW]]
    others = few * np.exp(SHAKEN * rng.standard_normal(few.shape))
    most = len(points) // 2 - 4
    factors = amplitudes(points)
    varying = [columns_of(factors, at) for at in (few, others)]
    spans = [[Span(base, at, most) for at in (few, others)] for base in bases(points)]
    plain = _varying(
        [(f, u) for u in _insides(points) for f in FUNCTIONS if {f, u[0]} not in INVERSE], few
    )
    waves = monomials(points.shape[1], 2)[1:]

    def drafts(both: list[Span], numbers: bool) -> list[list[Tree]]:
        with np.errstate(all="ignore"):  # holds for one thread only
            found: list[list[Tree]] = []
            trees = waves if numbers else plain
            g, shaken = columns_of(trees, few), columns_of(trees, others)
            for j, factor in enumerate(factors):
                pairs = [_Pair(s, v[:, j]) for s, v in zip(both, varying, strict=True)]
                if numbers:
                    insides: list[Tree] = [
                        ("mul", ("c", t), trees[k]) for k, t in _frequencies(*pairs, g, shaken)
                    ]
                    for u in insides:
                        wave: list[Tree] = [("sin", u), ("cos", u)]
                        found.append([*wave, *(("mul", factor, part) for part in wave)])
                else:
                    chosen = _plain(*pairs, g, shaken)
                    found += [[trees[k], ("mul", factor, trees[k])] for k in chosen]
            return sorted(found, key=lambda new: len(from_tree(new[-1]).codes))[:DRAFTS]

    for frequency in (False, True)[: 1 + numbers]:
        with ThreadPoolExecutor(workers) as pool:
            drawn = pool.map(lambda both: drafts(both, frequency), spans)
            found = [
                relation
                for (span, _), new in zip(spans, drawn, strict=True)
                for relation in exact_relations(new, span.base, points)
            ]
        if found:
            return found
    return []
