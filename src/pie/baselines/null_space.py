r"""Baseline without search: sparse null vectors of term libraries, by SVD.

A law Σ c_k·φ_k(x) = 0 that is linear in the terms of a library is a null vector of the matrix
[φ_k(x_n)]. Libraries: 1 and all ln|x_j| (products of powers Π x_j^e_j = const), and all monomials
up to each total degree. Columns and rows are normalised, against units and far points.

Terms are eliminated one by one (:func:`pie.search.relations.eliminated`) while the smallest
singular value s stays within a factor of that of the whole library, or below 1e-9. The sparsest and
the dense relation are candidates. Exact ones rank first, then those of the lowest score

.. math:: ratio = \max(s / s_0, 10^{-9}), \qquad score = N \ln(ratio) / degree + price · terms

with s₀ from permuted points: without a law the ratio is about 1. It is divided by the degree
because f² squares the ratio.
"""

import itertools
import time
from collections.abc import Iterator

import numpy as np

from ..expr.expression import Expression, Tree, from_tree, power_tree
from ..expr.operators import MAX_VARIABLES
from ..expr.terms import joined, monomials
from ..fit.fitness import vanilla
from ..search.candidates import Candidate, Discovery, check_points
from ..search.relations import columns_of, eliminated
from ..zeroset.spreads import permuted
from .config import NullSpaceConfig

ROUNDING = 1e-12  # smallest singular value that is not rounding error
EXACT = 1e-9  # largest relative singular value of an exact relation
LONGEST = 24  # terms; so many always fit into an equation
Relation = list[tuple[Tree, float]]  # terms and their coefficients


@np.errstate(all="ignore")
def null_space(
    points: np.ndarray, config: NullSpaceConfig = NullSpaceConfig(), seconds: float = np.inf
) -> Discovery:
    """Products of powers and polynomials that vanish at points (N, D), in any units.

    Ordered by score, with the fitness of Eq. 2; refused ones last, with fitness −∞ and the reason.
    ``seconds`` is ignored: it takes milliseconds. ValueError for unusable points.

    >>> ellipse = np.array([[2.0 * np.cos(t), np.sin(t)] for t in np.linspace(0.0, 6.0, 60)])
    >>> null_space(ellipse).best.expression.tokens.count("pow2")
    2
    """
    points = check_points(points, MAX_VARIABLES)
    began, (n, d) = time.perf_counter(), points.shape
    found = []
    logarithms = [("c", 1.0), *(("ln", ("x", j)) for j in range(1, d + 1))]
    degrees = range(1, max(2, config.degree + 2 - d) + 1)
    for degree, pool in [(1, logarithms), *((k, monomials(d, k)) for k in degrees)]:
        powers = pool is logarithms
        cloud = np.abs(points) if powers else points
        for relation, ratio in _relations(pool, cloud, config.factor):
            equation = _product(relation, points, ratio) if powers else _sum(relation)
            score = n * float(np.log(ratio)) / degree + config.price * len(relation)
            if equation is not None:
                refused = ratio >= config.largest_ratio
                found.append((refused, ratio > EXACT, score, ratio, equation))
    candidates = {}
    for refused, *_, ratio, equation in sorted(found, key=lambda entry: entry[:3]):
        fitness = -np.inf if refused else vanilla(equation.values(points))
        status = f"no law: {ratio:.2f} of the singular value without one" if refused else "ok"
        candidates.setdefault(equation.codes, Candidate(equation, fitness, np.nan, status))
    return Discovery(tuple(candidates.values()), time.perf_counter() - began)


def _relations(pool: list[Tree], points: np.ndarray, factor: float) -> Iterator:
    """The sparsest and the dense relation of a library, each with its ratio."""
    both = (columns_of(pool, cloud) for cloud in (points, permuted(points)))
    columns, null = (values[np.isfinite(values).all(axis=1)] for values in both)
    if min(len(columns), len(null)) < 2 * len(pool):
        return
    size = np.median(np.abs(columns), axis=0)
    size[size == 0.0] = 1.0
    columns, null = columns / size, null / size
    matrix, without = (m / np.linalg.norm(m, axis=1)[:, None] for m in (columns, null))
    path = list(eliminated(matrix))
    if not path:
        return
    kept = itertools.takewhile(lambda r: r.size <= max(factor * path[0].size, EXACT), path)
    for found in (list(kept)[-1], path[0]):
        alive = found.indices
        if len(alive) <= LONGEST:
            reference = next(eliminated(without[:, alive]), None)
            if reference is None:  # its terms are 0 at most points
                continue
            ratio = max(found.size, ROUNDING) / max(reference.size, ROUNDING)
            weights = map(float, found.coefficients / size[alive])
            yield list(zip((pool[i] for i in alive), weights, strict=True)), max(ratio, EXACT)


def _sum(relation: Relation) -> Expression:
    """Σ c_k·φ_k, scaled so that the largest coefficient is 1."""
    largest, pieces = max((c for _, c in relation), key=abs), []
    for term, c in relation:
        weight = ("c", c / largest)
        if term[0] == "c":
            pieces.append(weight)
        else:
            pieces.append(term if c == largest else ("mul", weight, term))
    return from_tree(joined("add", pieces))


def _product(relation: Relation, points: np.ndarray, ratio: float) -> Expression | None:
    """Π x_j^e_j − const with simple exponents if the product has one sign, else with |x_j|."""
    found = {term[1][1]: c for term, c in relation if term[0] == "ln"}
    sizes = [abs(c) for c in found.values()]
    if len(found) < 2 or min(sizes) <= 1e-3 * max(sizes):
        return None
    exponents = np.array(list(found.values()))
    exponents *= np.sign(exponents[0]) / min(sizes)  # smallest 1 in size, first positive
    columns, bases = points[:, [j - 1 for j in found]], [("x", j) for j in found]
    readings = [(columns, bases, e) for e in _readings(exponents, 1e-6 + min(ratio, 0.05))]
    squared = (columns**2, [("pow2", base) for base in bases], exponents / 2.0)
    for columns, bases, powers in [*readings, squared]:
        value = np.prod(columns**powers, axis=1)
        if np.all(value > 0.0) or np.all(value < 0.0):
            tree = None
            for base, e in zip(bases, powers, strict=True):
                factor = power_tree(base, ("c", float(abs(e))))
                tree = ("mul" if e > 0.0 else "div", tree, factor) if tree else factor
            return from_tree(("sub", tree, ("c", float(np.median(value)))))
    return None


def _readings(exponents: np.ndarray, tolerance: float) -> Iterator[np.ndarray]:
    """Exponents near the fitted ones: fractions, integers, even integers; else as they are."""
    for k in range(1, 6):
        whole = np.round(k * exponents)
        if np.abs(whole - k * exponents).max() <= k * tolerance:
            yield from (whole / k, whole, 2.0 * whole)
            return
    near = np.abs(np.round(exponents) - exponents) <= tolerance
    yield np.where(near, np.round(exponents), exponents)
