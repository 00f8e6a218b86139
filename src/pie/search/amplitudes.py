r"""Exact laws with one function whose amplitude varies: Σ c_k·φ_k(x) + (a + b·ψ(x))·g(u(x)) = 0.

As in :mod:`pie.search.composites`, but g(u) comes with factors: x2 + (1.2 - 4.2·x1)·cos(exp(x1)) = 0, or
(x1 - 1.4)·sin(2.5·x2) + 0.4 = 0, whose frequency is found by variable projection. What a base
leaves of the columns g(u) and ψ·g(u) is one dimension, not two, where there is such a law.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..expr.terms import monomials
from .dictionary import bases, exact_relations, functions_of
from .spans import Span, columns_of, turning, usable

FEW = 64  # points that are looked at
NOTHING = 1e-9  # singular value of columns of norm 1 that is none
NEARLY = 1e-6  # none, as far as a product of matrices tells
FREQUENCIES = np.arange(0.5, 60.0, 0.25)  # times the range of u
STARTS = 8  # of Gauss and Newton's steps, the deepest of the grid
STEPS = 10
DROPPED = 4  # the step before which what is not nearly a law by now is dropped
CLOSE = 1e-2  # singular value of what is
BLOCK = 512  # waves that are looked at together
DRAFTS = 60  # at most of each base
SHAKEN = 1e-3  # relative change of the points, by which laws break and identities do not
LEAST = 12  # points
NESTED = ("sin", "cos", "exp", "ln", "sqrt")
FUNCTIONS = (*NESTED, "pow2", "pow3")
INVERSE = ({"exp", "ln"}, {"sqrt", "pow2"})

Place = tuple[int, int, float]  # numbers of the factor and of what is inside, and a frequency


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


@dataclass(frozen=True)
class _Base:
    """The span of a base at points (N, D), and what may vary in an amplitude (N, F) there."""

    span: Span
    factors: np.ndarray


class _Pair:
    """The columns g and ψ·g of many g (N, M), less the span of a base; ψ (N, 1) or (N, M)."""

    def __init__(self, span: Span, g: np.ndarray, factor: np.ndarray):
        both = [g, g * factor]
        waves = np.iscomplexobj(g)  # K parts: 2, or 4 as waves have real and imaginary parts
        self.size = np.repeat([span.size(c) for c in both], 1 + waves, axis=0)  # (K, M)
        left = [span.left(c) for c in both]
        parts = np.stack([p for c in left for p in ((c.real, c.imag) if waves else (c,))])
        parts /= self.size[:, None]
        self.usable = np.isfinite(parts).all(axis=(0, 1))
        self.parts = np.where(self.usable, parts, 0.0)  # (K, N, M), of columns of norm 1

    def _products(self) -> np.ndarray:
        """Scalar products (M, K, K) of the parts."""
        k, _, m = self.parts.shape
        found = np.empty((m, k, k))
        for i, j in combinations_with_replacement(range(k), 2):
            found[:, i, j] = found[:, j, i] = np.einsum("nm,nm->m", self.parts[i], self.parts[j])
        return found

    def least(self) -> np.ndarray:
        """The least singular values (M,), to 1e-8."""
        values = np.linalg.eigvalsh(self._products())[:, 0]
        return np.where(self.usable, np.sqrt(np.maximum(values, 0.0)), np.inf)

    def exactly(self) -> np.ndarray:
        """The least singular values (M,), as exact as can be."""
        values = np.linalg.svd(self.parts.transpose(2, 1, 0), compute_uv=False)[:, -1]
        return np.where(self.usable, values, np.inf)

    def step(self, slopes: "_Pair") -> np.ndarray:
        """Gauss and Newton's (M,) in a number inside g; the pairs of slopes are ``slopes``."""
        vectors = np.linalg.eigh(self._products())[1]
        mixed = np.einsum("knm,mkl->lnm", self.parts, vectors)  # orthogonal, the shortest first
        weights = vectors[:, :, 0].T * slopes.size / self.size
        slope = np.einsum("knm,km->nm", slopes.parts, weights)
        for other in mixed[1:]:  # these directions are free
            slope -= other * ((other * slope).sum(axis=0) / (other * other).sum(axis=0))
        step = (mixed[0] * slope).sum(axis=0) / (slope * slope).sum(axis=0)
        return np.where(np.isfinite(step), step, 0.0)


def _plain(here: _Base, elsewhere: _Base, g: np.ndarray, shaken: np.ndarray) -> Iterator[Place]:
    """Functions (N, M) that have such an amplitude, but not where the points are shaken."""
    for j, (factor, other) in enumerate(zip(here.factors.T, elsewhere.factors.T, strict=True)):
        factor, other = factor[:, None], other[:, None]
        short = np.flatnonzero(_Pair(here.span, g, factor).least() < NEARLY)
        exact = _Pair(here.span, g[:, short], factor).exactly() < NOTHING
        identity = _Pair(elsewhere.span, shaken[:, short], other).exactly() < NOTHING
        yield from ((j, int(k), 1.0) for k in short[exact & ~identity])


def _grid(base: _Base, unit: np.ndarray) -> np.ndarray:
    """The least singular values (T, F, M) of waves of all frequencies in u (N, M)."""
    n, m = unit.shape
    rest = np.empty((len(FREQUENCIES), base.factors.shape[1], m))
    together = max(1, BLOCK // m)
    for begin in range(0, len(FREQUENCIES), together):
        some = slice(begin, begin + together)
        wave = turning((FREQUENCIES[some, None] * unit[:, None]).reshape(n, -1))
        for j, factor in enumerate(base.factors.T):
            rest[some, j] = _Pair(base.span, wave, factor[:, None]).least().reshape(-1, m)
    return rest


def _frequencies(
    here: _Base, elsewhere: _Base, u: np.ndarray, others: np.ndarray
) -> Iterator[Place]:
    """Waves in insides (N, M) that have such an amplitude, but not where the points are shaken."""
    reach = np.subtract(*np.quantile(u, [0.9, 0.1], axis=0))  # a few may be far out
    unit, shaken = u / reach, others / reach
    rest = _grid(here, unit)
    low = (rest[1:-1] <= rest[:-2]) & (rest[1:-1] <= rest[2:]) & np.isfinite(rest[1:-1])
    order = np.argsort(np.where(low, rest[1:-1], np.inf), axis=0)[:STARTS]
    begin, j, k = np.nonzero(np.take_along_axis(low, order, axis=0))
    t = FREQUENCIES[order[begin, j, k] + 1]
    for step in range(STEPS):
        wave, factor = turning(t * unit[:, k]), here.factors[:, j]
        pair = _Pair(here.span, wave, factor)
        if step == DROPPED:
            near = pair.least() < CLOSE
            t, j, k = t[near], j[near], k[near]
            continue
        t = t - np.clip(pair.step(_Pair(here.span, 1j * unit[:, k] * wave, factor)), -0.25, 0.25)
    least, identity = (
        _Pair(base.span, turning(t * at[:, k]), base.factors[:, j]).exactly() < NOTHING
        for base, at in ((here, unit), (elsewhere, shaken))
    )
    for i in np.flatnonzero(least & ~identity):
        yield int(j[i]), int(k[i]), float(t[i] / reach[k[i]])


def _wave(u: Tree, t: float) -> list[Tree]:
    inside: Tree = ("mul", ("c", t), u)
    return [("sin", inside), ("cos", inside)]


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
    both = [
        [_Base(Span(base, at, most), v) for at, v in zip((few, others), varying, strict=True)]
        for base in bases(points)
    ]
    functions: list[Tree] = [
        (f, u) for u in _insides(points) for f in FUNCTIONS if {f, u[0]} not in INVERSE
    ]

    def laws(
        places: Callable[..., Iterator[Place]],
        trees: list[Tree],
        parts_of: Callable[[Tree, float], list[Tree]],
    ) -> list[Expression]:
        trees, values = usable(trees, columns_of(trees, few))
        if not trees:
            return []
        shaken = columns_of(trees, others)

        def drafts(of_base: list[_Base]) -> list[list[Tree]]:
            with np.errstate(all="ignore"):  # holds for one thread only
                found = []
                for j, k, t in places(*of_base, values, shaken):
                    parts = parts_of(trees[k], t)
                    found.append([*parts, *(("mul", factors[j], part) for part in parts)])
                return sorted(found, key=lambda new: len(from_tree(new[-1]).codes))[:DRAFTS]

        with ThreadPoolExecutor(workers) as pool:
            drawn = pool.map(drafts, both)
            return [
                relation
                for (base, _), new in zip(both, drawn, strict=True)
                for relation in exact_relations(new, base.span.base, points)
            ]

    found = laws(_plain, functions, lambda g, _: [g])
    if found or not numbers:
        return found
    return laws(_frequencies, monomials(points.shape[1], 2)[1:], _wave)
