r"""Linear relations among terms: coefficients c with :math:`\sum_k c_k \varphi_k(x_n) \approx 0`.

*Exact points* (:func:`exact_relation`): c is the null vector of the matrix of terms
:math:`\Phi = [\varphi_k(x_n)]` (N, M). Terms are dropped one by one while the smallest singular
value stays at rounding.

*Noisy points* (:func:`smallest`): c minimises the first-order orthogonal distance of the points
from the zero set (Taubin 1991),

.. math:: \lambda = \min_c \frac{c^T A\, c}{c^T G\, c}, \qquad
          A = \sum_n w_n \varphi(x_n)\varphi(x_n)^T, \quad
          G = \sum_n w_n \nabla\varphi(x_n)\, \Sigma_x\, \nabla\varphi(x_n)^T,

with :math:`\Sigma_x = diag(s_j^2)` from the spreads s of the columns. λ does not depend on the
scale of a term, and :math:`\sqrt\lambda` estimates the noise in units of s. The weights keep a few
points next to a pole from dominating:

.. math:: 1/w_n = mean_k\, (g_{nk} / median_m\, g_{mk})^2, \qquad
          g_{nk} = \lVert s \odot \nabla\varphi_k(x_n) \rVert .

λ is computed for *every* subset of K terms that contains all variables, K small. With A = LLᵀ, 1/λ
is the largest eigenvalue of L⁻¹GL⁻ᵀ (G may be singular: constants have no gradient), by power
iteration: of a few steps for all subsets, of more for the best ones. Terms with a number t inside
give one pair A, G for each of B values of t. √λ is a ratio of means over the points: a few of them
can make it small where most distances are not, which :func:`nearest` asks for.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..expr.elementary import jit
from ..expr.expression import Expression, Tree, from_tree, with_variables
from ..expr.operators import BY_NAME
from ..expr.terms import weighted_sum

SINGULAR = 1e-11  # largest ratio of smallest to largest singular value of an exact relation
JUMP = 1e7  # factor by which that ratio rises when a needed term is dropped
NEGLIGIBLE = 1e-7  # contributions below this share of the largest are rounding
LARGEST = 1e100  # usable terms are smaller than this, and larger than its inverse
JITTER = 1e-13  # times K, added to the diagonal of A, which is 1
SQUARINGS = 3  # of the matrix in the power iteration
EXACTLY = 12  # the same, for the relations that are kept
CONVERGED = 1.0 - 1e-13  # trace of a power, the one before of trace 1, that has one eigenvector
ROUNDING = 1e-9  # relative error of a sum of distances, well above rounding
LANES = 8  # subsets that are solved at once
POINTS = 32  # whose distances are computed at once
PLACE = np.int16  # of a term in its library


Values = tuple[np.ndarray, np.ndarray]  # of terms, and their gradients times the spreads


@dataclass(frozen=True)
class Relation:
    """Σ c_k·φ_k: ``indices`` (K,) of the terms, and ``coefficients`` (K,).

    ``size`` is √λ, or the ratio of the smallest to the largest singular value (exact points).
    """

    indices: np.ndarray
    coefficients: np.ndarray
    size: float

    def of(self, terms: Sequence[Tree]) -> Expression:
        """The equation Σ c_k·φ_k; ``terms`` are those of the columns."""
        return weighted_sum([terms[i] for i in self.indices], self.coefficients)


_term = functools.lru_cache(maxsize=4096)(from_tree)  # of libraries, which are used again


@functools.lru_cache(maxsize=4096)
def weighted_codes(term: Tree) -> tuple[int, ...]:
    """Codes of a term with its coefficient."""
    return weighted_sum([term], np.ones(1)).codes


def codes_of_sum(weighted: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Codes of Σ c_k·φ_k from :func:`weighted_codes`, without making the equation."""
    return sum(weighted, (BY_NAME["add"].code,) * (len(weighted) - 1))


@np.errstate(all="ignore")
def columns_of(terms: Sequence[Tree], points: np.ndarray) -> np.ndarray:
    """Values (N, M) of terms at points (N, D)."""
    return np.stack([_term(term).values(points) for term in terms], axis=1)


def numbered(tree: Tree, d: int, numbers: Sequence[float]) -> Tree:
    """The tree with numbers for the variables after the first ``d``."""
    return with_variables(tree, {j: ("c", float(one)) for j, one in enumerate(numbers, d + 1)})


@np.errstate(all="ignore")
def terms_at(
    terms: Sequence[Tree],
    points: np.ndarray,
    spreads: np.ndarray,
    numbers: np.ndarray = np.empty((1, 0)),
) -> tuple[np.ndarray, np.ndarray]:
    """Values (B, N, M) of terms and gradients times the spreads, (B, D, N, M), at points (N, D).

    In the terms the variables after the first D are B times numbers (B, P); by default none, once.
    """
    (n, d), b = points.shape, len(numbers)
    many = np.column_stack([np.tile(points, (b, 1)), np.repeat(numbers, n, axis=0)])
    columns, slopes = np.empty((b, n, len(terms))), np.empty((b, d, n, len(terms)))
    for k, term in enumerate(terms):
        value, gradient = _term(term).value_and_gradient(many)
        columns[..., k] = value.reshape(b, n)
        slopes[..., k] = (gradient[:, :d] * spreads).reshape(b, n, d).swapaxes(1, 2)
    return columns, slopes


def eliminated(columns: np.ndarray, negligible: float = 0.0) -> Iterator[Relation]:
    """Null vectors of columns (N, M) of norm 1; each step drops the term of least contribution.

    Columns that are 0 or not finite are dropped first. Terms that contribute less than
    ``negligible`` times the largest are dropped together.
    """
    norms = np.linalg.norm(columns, axis=0)
    alive = np.flatnonzero(np.isfinite(norms) & (norms > 0.0))
    while len(alive) >= 2:
        scaled = columns[:, alive] / norms[alive]
        # R of QR (M, M) has the same singular values and right singular vectors
        triangle = np.linalg.qr(scaled, mode="r") if len(scaled) > len(alive) else scaled
        _, values, rows = np.linalg.svd(triangle)
        smallest = values[-1] if len(values) == len(alive) else 0.0
        yield Relation(alive, rows[-1] / norms[alive], float(smallest / values[0]))
        weight = np.abs(rows[-1])
        absent = np.flatnonzero(weight < negligible * weight.max())
        alive = np.delete(alive, absent if len(absent) else weight.argmin())


@np.errstate(all="ignore")
def of_like_size(
    columns: np.ndarray, most: int, largest: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of the first ``most`` usable columns (N, M), their medians, and they over these.

    Usable are those with all magnitudes below ``largest`` and a median of them above its inverse.
    """
    size = np.median(np.abs(columns), axis=0)
    usable = (size > 1.0 / largest) & (np.abs(columns).max(axis=0) < largest)
    chosen = np.flatnonzero(usable)[:most]
    return chosen, size[chosen], columns[:, chosen] / size[chosen]


def exact_relation(columns: np.ndarray, max_terms: int) -> Relation | None:
    """The sparsest relation that columns (N, M) obey to rounding, or None.

    Only the first N/2 columns that are defined at all points are used. None also if more than
    ``max_terms`` are left, or if dropping one more raises the ratio of singular values by less than
    :data:`JUMP`: the terms are then nearly dependent without a law.
    """
    usable, size, scaled = of_like_size(columns, len(columns) // 2, LARGEST)
    if len(usable) < 2:
        return None
    # else far points dominate
    scaled /= np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1.0 / LARGEST)
    found = None
    for relation in eliminated(scaled, NEGLIGIBLE):
        if relation.size > SINGULAR:
            if found is not None and relation.size < JUMP * max(found.size, 1e-16):
                return None
            break
        found = relation
    if found is None or len(found.indices) > max_terms:
        return None
    coefficients = found.coefficients / size[found.indices]
    return Relation(usable[found.indices], coefficients, found.size)


@dataclass(frozen=True)
class Moments:
    """A and G (B, M, M) for B sets of M terms, the terms in units of ``scale`` (B, M).

    ``usable`` (M,) are their indices among all terms: those that are defined at all points.
    """

    a: np.ndarray
    g: np.ndarray
    scale: np.ndarray
    usable: np.ndarray

    @classmethod
    @np.errstate(all="ignore")
    def of(cls, columns: np.ndarray, slopes: np.ndarray, fixed: Values | None = None) -> "Moments":
        """From values (B, N, M) and gradients times the spreads, (B, D, N, M).

        ``fixed`` are the same of terms that stand before these in every set, (1, …).
        """
        b, d, n, _ = slopes.shape
        none = np.empty((1, n, 0)), np.empty((1, d, n, 0))
        usable, kept = [], []
        for both in (fixed or none, (columns, slopes)):
            values, gradients = map(np.ascontiguousarray, both)
            steepness, size = steepness_and_size(values, gradients)
            good = (size > 1.0 / LARGEST) & (size < LARGEST)
            parts = values, gradients, steepness
            if not good.all():
                parts = tuple(np.ascontiguousarray(part[..., good]) for part in parts)
            usual = _medians(parts[-1])
            kept.append((*parts[:-1], parts[-1] / np.where(usual > 0.0, usual, 1.0)))
            usable.append(good)
        places = np.flatnonzero(np.concatenate(usable))
        columns, slopes = np.empty((b, n, len(places))), np.empty((b, d, n, len(places)))
        weigh(*kept[0], *kept[1], columns, slopes)
        flat = slopes.reshape(b, d * n, len(places))
        a, g = (np.matmul(m.swapaxes(1, 2), m) for m in (columns, flat))
        scale = np.sqrt(np.diagonal(a, axis1=1, axis2=2))
        units = scale[:, :, None] * scale[:, None, :]
        return cls(a / units, g / units, scale, places)

    def relations(self, chosen: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """√λ (S,) and coefficients (S, K) of subsets (S, K), each in the set of terms ``which``.

        One subset (1, K) stands for all.
        """
        weights = np.empty((len(which), chosen.shape[1]))
        sizes = solved(self.a, self.g, chosen, which, EXACTLY, weights)
        return sizes, weights / self.scale[which[:, None], chosen]

    def sizes(self, chosen: np.ndarray) -> np.ndarray:
        """√λ (B, S) of subsets (S, K) in all sets of terms, approximately."""
        which = np.repeat(np.arange(len(self.a)), len(chosen))
        none = np.empty((0, chosen.shape[1]))
        return solved(self.a, self.g, chosen, which, SQUARINGS, none).reshape(len(self.a), -1)


@jit
def steepness_and_size(values, slopes):
    """‖s ⊙ ∇φ‖ (B, N, M), and the largest |φ| (M,) of each term; inf where one is not defined.

    From values (B, N, M) and gradients times the spreads, (B, D, N, M).
    """
    (b, d, n, m), size = slopes.shape, np.zeros(slopes.shape[-1])
    steepness = np.empty((b, n, m))
    for k in range(b):
        for i in range(n):
            for j in range(m):
                square = 0.0
                for h in range(d):
                    square += slopes[k, h, i, j] * slopes[k, h, i, j]
                steepness[k, i, j] = np.sqrt(square)
                value = abs(values[k, i, j])
                if not (value < np.inf and square < np.inf):
                    value = np.inf
                size[j] = max(size[j], value)
    return steepness, size


@jit
def weigh(first, of_first, steep_first, then, of_then, steep_then, columns, slopes):
    """√w_n·φ and √w_n·s ⊙ ∇φ into ``columns`` (B, N, M) and ``slopes`` (B, D, N, M).

    Of terms that are the same in all sets (1, …) and others (B, …): values, gradients, steepness
    over its median.
    """
    (b, d, n, m), f = slopes.shape, first.shape[-1]
    for k in range(b):
        for i in range(n):
            total = 0.0
            for j in range(f):
                total += steep_first[0, i, j] * steep_first[0, i, j]
            for j in range(m - f):
                total += steep_then[k, i, j] * steep_then[k, i, j]
            weight = np.sqrt(m / total) if total > 0.0 else 1.0
            for j in range(f):
                columns[k, i, j] = first[0, i, j] * weight
            for j in range(m - f):
                columns[k, i, f + j] = then[k, i, j] * weight
            for h in range(d):
                for j in range(f):
                    slopes[k, h, i, j] = of_first[0, h, i, j] * weight
                for j in range(m - f):
                    slopes[k, h, i, f + j] = of_then[k, h, i, j] * weight


def _medians(values: np.ndarray) -> np.ndarray:
    """Medians (B, 1, M) of finite values (B, N, M); NumPy's own take five times as long."""
    ordered, half = values.swapaxes(1, 2).copy(), values.shape[1] // 2
    ordered.partition(half, axis=2)
    upper = ordered[..., half]
    lower = upper if values.shape[1] % 2 else ordered[..., :half].max(axis=2)
    return (0.5 * (lower + upper))[:, None]


def capped(away: np.ndarray) -> np.ndarray:
    """Distances of any sign, at most 1 spread; 1 where there is none."""
    return np.minimum(np.nan_to_num(np.abs(away), nan=1.0), 1.0)


@np.errstate(all="ignore")
def with_distances(
    columns: np.ndarray, slopes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of all M terms, for B sets: coefficients (B, M) of the smallest λ, √λ (B,), distances (B, N).

    From values (B, N, M) and gradients times the errors, (B, D, N, M). √λ is a ratio of means, and
    may be small where the first-order distances of most points, at most 1, are not. Both are inf
    where a term is not defined at all points, or not usable.
    """
    size = np.abs(columns).max(axis=1)
    sound = np.all((size > 1.0 / LARGEST) & (size < LARGEST), axis=1)
    sound &= np.abs(slopes).max(axis=(1, 2, 3)) < LARGEST
    weights = np.zeros((len(columns), columns.shape[-1]))
    sizes, away = np.full(len(columns), np.inf), np.full(columns.shape[:2], np.inf)
    if not sound.any():
        return weights, sizes, away
    moments = Moments.of(columns[sound], slopes[sound])
    steady = np.isfinite(moments.a + moments.g).all(axis=(1, 2))
    sound[sound] = steady
    every = np.arange(columns.shape[-1], dtype=PLACE)[None]
    sizes[sound], weights[sound] = moments.relations(every, np.flatnonzero(steady))
    value = np.einsum("bnm,bm->bn", columns[sound], weights[sound])
    slope = np.einsum("bdnm,bm->bdn", slopes[sound], weights[sound])
    away[sound] = capped(value / np.linalg.norm(slope, axis=1))
    return weights, sizes, away


@jit
def solved(a, g, chosen, which, squarings, weights):
    """√λ (P,) of subsets (S, K), in turn, each in a set of terms ``which`` (P,).

    By power iteration on L⁻¹GL⁻ᵀ by squaring. Coefficients are left in ``weights`` (P, K), unless
    it has no rows. ``LANES`` subsets are solved at once, each as it would be alone.
    """
    pairs, (subsets, k) = len(which), chosen.shape
    found = np.empty(pairs)
    lower, m = np.zeros((k, k, LANES)), np.empty((k, k, LANES))
    power, square = np.empty((k, k, LANES)), np.empty((k, k, LANES))
    total, inverse, alive = np.empty(LANES), np.empty((k, LANES)), np.empty(LANES, np.bool_)
    for first in range(0, pairs, LANES):
        for z in range(LANES):
            pair = min(first + z, pairs - 1)
            b, s = which[pair], pair % subsets
            for i in range(k):
                for j in range(i + 1):
                    lower[i, j, z] = a[b, chosen[s, i], chosen[s, j]]
                for j in range(k):
                    m[i, j, z] = g[b, chosen[s, i], chosen[s, j]]
        for i in range(k):
            for j in range(i + 1):
                for z in range(LANES):
                    total[z] = lower[i, j, z] + (JITTER * k if i == j else 0.0)
                for h in range(j):
                    for z in range(LANES):
                        total[z] -= lower[i, h, z] * lower[j, h, z]
                if i == j:
                    for z in range(LANES):
                        lower[i, i, z] = np.sqrt(max(total[z], JITTER))
                        inverse[i, z] = 1.0 / lower[i, i, z]
                else:
                    for z in range(LANES):
                        lower[i, j, z] = total[z] * inverse[j, z]
        for j in range(k):  # (L⁻¹G)ᵀ
            for i in range(k):
                for z in range(LANES):
                    total[z] = m[i, j, z]
                for h in range(i):
                    for z in range(LANES):
                        total[z] -= lower[i, h, z] * square[j, h, z]
                for z in range(LANES):
                    square[j, i, z] = total[z] * inverse[i, z]
        for j in range(k):  # M = L⁻¹GL⁻ᵀ, symmetric like its powers
            for i in range(j, k):
                for z in range(LANES):
                    total[z] = square[i, j, z]
                for h in range(i):
                    for z in range(LANES):
                        total[z] -= lower[i, h, z] * m[h, j, z]
                for z in range(LANES):
                    m[i, j, z] = total[z] * inverse[i, z]
                    m[j, i, z] = m[i, j, z]
        for i in range(k):
            for j in range(k):
                for z in range(LANES):
                    power[i, j, z] = m[i, j, z]
        for z in range(LANES):
            alive[z] = True
        for step in range(squarings):
            for z in range(LANES):
                total[z] = 0.0
            for i in range(k):
                for z in range(LANES):
                    total[z] += power[i, i, z]
            some = False
            for z in range(LANES):
                ended = step > 0 and total[z] > CONVERGED
                alive[z] = alive[z] and not ended and 0.0 < total[z] < LARGEST
                some |= alive[z]
                total[z] = 1.0 / (total[z] * total[z])
            if not some:
                break
            for i in range(k):
                for j in range(i + 1):
                    for z in range(LANES):
                        square[i, j, z] = power[i, 0, z] * power[j, 0, z]
                    for h in range(1, k):
                        for z in range(LANES):
                            square[i, j, z] += power[i, h, z] * power[j, h, z]
                    for z in range(LANES):
                        new = square[i, j, z] * total[z]
                        square[i, j, z] = new if alive[z] else power[i, j, z]
                        square[j, i, z] = square[i, j, z]
            power, square = square, power
        for z in range(min(LANES, pairs - first)):
            pair, best = first + z, 0  # column of the power that approximates the eigenvector
            for i in range(k):
                if power[i, i, z] > power[best, best, z]:
                    best = i
            above, below = 0.0, 0.0
            for i in range(k):
                row = 0.0
                for j in range(k):
                    row += m[i, j, z] * power[j, best, z]
                above += row * power[i, best, z]
                below += power[i, best, z] * power[i, best, z]
            largest = above / below if 0.0 < below < np.inf else 0.0
            found[pair] = 1.0 / np.sqrt(max(largest, 1e-300))
            if len(weights):
                for i in range(k - 1, -1, -1):  # Lᵀw = v
                    row = power[i, best, z] if largest > 0.0 else 1.0
                    for j in range(i + 1, k):
                        row -= lower[j, i, z] * weights[pair, j]
                    weights[pair, i] = row / lower[i, i, z]
    return found


@jit
def mean_distances(columns, slopes, chosen, weights, turn, best):
    """(mean_n √d_n)², (S,), of the first-order distances of Σ w_k φ_k, terms ``chosen`` (S, K).

    From values (M, N) and gradients times the errors, (D, M, N). Exact for the ``best`` smallest;
    infinite where it is known to be larger: the sooner, the earlier small ones have their ``turn``.
    """
    n, d, k = columns.shape[1], slopes.shape[0], chosen.shape[1]
    found = np.full(len(chosen), np.inf)
    least = np.full(best, np.inf)  # sums of the smallest so far, ascending
    value, slope, steepness = np.empty((3, POINTS))
    for s in turn:
        total = 0.0
        for first in range(0, n, POINTS):
            some = slice(first, min(first + POINTS, n))
            count = some.stop - first
            value[:], steepness[:] = 0.0, 0.0
            for h in range(k):
                weight, column = weights[s, h], columns[chosen[s, h], some]
                for i in range(count):
                    value[i] += weight * column[i]
            for j in range(d):
                slope[:] = 0.0
                for h in range(k):
                    weight, column = weights[s, h], slopes[j, chosen[s, h], some]
                    for i in range(count):
                        slope[i] += weight * column[i]
                for i in range(count):
                    steepness[i] += slope[i] * slope[i]
            for i in range(count):
                distance = abs(value[i]) / np.sqrt(steepness[i])
                value[i] = np.sqrt(distance if distance < 1.0 else 1.0)
            for i in range(count):
                total += value[i]
            if total > (1.0 + ROUNDING) * least[-1]:
                break
        else:
            found[s] = (total / n) ** 2
            if total < least[-1]:
                place = best - 1
                while place > 0 and total < least[place - 1]:
                    least[place] = least[place - 1]
                    place -= 1
                least[place] = total
    return found


@np.errstate(all="ignore")
def nearest(
    moments: Moments,
    columns: np.ndarray,
    slopes: np.ndarray,
    chosen: np.ndarray,
    screened: int,
    best: int,
) -> list[Relation]:
    """Of subsets (S, K) those nearest to the points, among the ``screened`` of smallest √λ.

    ``size`` is (mean_n √d_n)² of the first-order distances, at most 1, which a few far points
    hardly change; 0.68 standard deviations of normal errors. The moments are those of values (N, M)
    and of gradients times the errors, (D, N, M), of usable terms.
    """
    if not len(chosen):
        return []
    few = chosen[_least(moments.sizes(chosen)[0], screened)]
    sizes, weights = moments.relations(few, np.zeros(len(few), int))
    rows = np.ascontiguousarray(columns.T), np.ascontiguousarray(slopes.swapaxes(1, 2))
    errors = mean_distances(*rows, few, weights, np.argsort(sizes), best)
    order = np.argsort(np.round(np.log(errors), 6), kind="stable")[:best]
    return [Relation(few[k], weights[k], float(errors[k])) for k in order if errors[k] < np.inf]


def _least(sizes: np.ndarray, most: int) -> np.ndarray:
    """Places of the ``most`` smallest to six digits, and of all that are as small as the last."""
    rounded = np.round(np.log(sizes), 6)
    most = min(most, len(sizes))
    return np.flatnonzero(rounded <= np.partition(rounded, most - 1)[most - 1])


def subsets(terms: Sequence[Tree], size: int, most: int | None = None) -> np.ndarray:
    """Indices (S, size) of terms that together contain every variable of all ``terms``.

    Where there are more than ``most`` subsets of all terms, only those with the first term; none
    where these are more than that, too.
    """
    held, m = tuple(_term(term).variables for term in terms), len(terms)
    if most is None or math.comb(m, size) <= most:
        return _covering(held, size, m)
    return _covering(held, size, 1 if math.comb(m - 1, size - 1) <= most else 0)


def covering(terms: Sequence[Tree], size: int, most: int) -> np.ndarray:
    """As :func:`subsets`, for many variables, of which most subsets leave out some.

    None if there are more than ``most``, counted by inclusion and exclusion.
    """
    held = tuple(_term(term).variables for term in terms)
    every = set().union(*held)
    count = sum(
        (-1) ** k * math.comb(sum(left_out.isdisjoint(h) for h in held), size)
        for k in range(len(every) + 1)
        for left_out in map(set, combinations(every, k))
    )
    return _covering(held, size, len(terms) if 0 < count <= most else 0)


@functools.lru_cache(maxsize=128)  # up to 2 MB each
def _covering(held: tuple[tuple[int, ...], ...], size: int, starts: int) -> np.ndarray:
    """All ascending (S, size), in order, that begin below ``starts`` and hold all variables.

    ``held`` are the variables of each term. Subsets grow term by term, as long as the terms that
    are still to come may hold the variables that are missing.
    """
    n, every = len(held), sorted(set().union(*held))
    lacks = np.array([[v not in h for v in every] for h in held], bool).reshape(n, len(every))
    widest = max(map(len, held), default=0)
    chosen, missing = np.empty((1, 0), PLACE), np.ones((1, len(every)), bool)
    for left in reversed(range(size)):
        grown = chosen.shape[1] > 0
        first = chosen[:, -1] + 1 if grown else np.zeros(1, int)
        follow = (n if grown else starts) - first
        rows = np.repeat(np.arange(len(chosen)), follow)
        new = np.arange(len(rows)) - np.repeat(np.cumsum(follow) - follow - first, follow)
        still = missing[rows] & lacks[new]
        kept = still.sum(axis=1) <= left * widest
        chosen = np.column_stack([chosen[rows[kept]], new[kept].astype(PLACE)])
        missing = still[kept]
    return chosen


def smallest(moments: Moments, chosen: np.ndarray, best: int) -> list[tuple[int, Relation]]:
    """The ``best`` of the subsets (S, K) with the smallest √λ, each with its set of terms.

    A subset counts once, in the set of terms in which its √λ is smallest.
    """
    if not len(chosen) or not len(moments.a):
        return []
    sizes = moments.sizes(chosen)
    which = sizes.argmin(axis=0)
    few = np.argsort(sizes.min(axis=0), kind="stable")[: 2 * best]
    exact, weights = moments.relations(chosen[few], which[few])
    order = np.argsort(np.round(np.log(exact), 6), kind="stable")[:best]
    usable = moments.usable
    return [
        (int(which[few[i]]), Relation(usable[chosen[few[i]]], weights[i], float(exact[i])))
        for i in order
    ]
