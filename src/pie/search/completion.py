"""Linear completion: sparse linear relations among the terms of a pool.

Many laws are one linear relation among simple terms: Σ c_k·φ_k(x) = 0. For a pool of terms (all
monomials of low degree; the terms of good candidates) the smallest singular vector of
[φ_k(x_n)] holds the coefficients. Leaving out one term after the other, each time the one that
matters least, gives a relation of every size; which of them is worth its terms, fits decide.
"""

from collections.abc import Sequence

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..expr.terms import weighted_sum

MAX_TERMS = 5  # of a relation that is not exact
LONGEST = 13  # terms of one that is
EXACT = 1e-9  # relative size of the smallest singular value
NEARLY = 0.1  # an exponent this near to a half-integer is taken for one


_OF_ONE = ("pow2", "sqrt", "ln", "exp", "sin", "cos")


def separable(points: np.ndarray) -> list[Tree]:
    """1 and functions of one variable each that are defined at points (N, D).

    Their linear relations are separable sums.
    """
    found: list[Tree] = [("c", 1.0)]
    for variable in range(1, points.shape[1] + 1):
        x = ("x", variable)
        candidates = [x, ("div", ("c", 1.0), x), *((name, x) for name in _OF_ONE)]
        with np.errstate(all="ignore"):
            found += [term for term in candidates if np.isfinite(_values(term, points)).all()]
    return found


def logarithms(n_variables: int) -> list[Tree]:
    """1 and the logarithms of all variables; their linear relations are products of powers."""
    return [("c", 1.0), *(("ln", ("x", j)) for j in range(1, n_variables + 1))]


@np.errstate(all="ignore")
def elimination(columns: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Sparse null vectors of a matrix, by leaving out columns one by one.

    Args:
        columns: (N, M), the values of M terms at N points.

    Returns:
        For M, M − 1, … 2 terms: their indices, the coefficients (of the columns as they are), and
        the smallest singular value over the largest of the columns scaled to norm 1.
    """
    norms = np.linalg.norm(columns, axis=0)
    alive = np.flatnonzero(np.isfinite(norms) & (norms > 0.0))
    path = []
    while len(alive) >= 2:
        scaled = columns[:, alive] / norms[alive]
        # Householder first: the singular vectors of the small triangle are those of the whole
        triangle = np.linalg.qr(scaled, mode="r") if len(scaled) > len(alive) else scaled
        _, values, rows = np.linalg.svd(triangle)
        smallest = values[-1] if len(values) == len(alive) else 0.0
        vector = rows[-1]
        path.append((alive, vector / norms[alive], float(smallest / values[0])))
        alive = np.delete(alive, np.abs(vector).argmin())
    return path


@np.errstate(all="ignore")
def whole(pool: Sequence[Tree], points: np.ndarray) -> Expression:
    """The linear relation among all terms of a pool that points (N, D) obey best, Σ c_k·φ_k = 0."""
    columns = np.stack([_values(term, points) for term in pool], axis=1)
    indices, coefficients, _ = elimination(columns)[0]
    return weighted_sum([pool[i] for i in indices], coefficients)


@np.errstate(all="ignore")
def relations(pool: Sequence[Tree], points: np.ndarray) -> list[Expression]:
    """Linear relations among the terms of a pool at points (N, D), sparse ones and exact ones.

    Returns:
        Equations Σ c_k·φ_k = 0 with their coefficients: of every size up to ``MAX_TERMS``, and the
        smallest that is exact.

    >>> angle = np.linspace(0.3, 2.0, 40)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> relation = relations(monomials(2, 2), circle)[2]
    >>> [round(c, 6) for c in relation.constants], relation.variables
    ([-1.0, 1.0, 1.0], (1, 2))
    """
    columns = np.stack([_values(term, points) for term in pool], axis=1)
    path = elimination(columns)
    exact = [entry for entry in path if entry[2] <= EXACT and 2 * len(entry[0]) <= len(points)]
    chosen = [entry for entry in path if len(entry[0]) <= MAX_TERMS]
    if exact and len(exact[-1][0]) > MAX_TERMS:
        chosen.insert(0, exact[-1])
    found = []
    for indices, coefficients, _ in chosen:
        terms = [pool[i] for i in indices]
        drafts = [weighted_sum(terms, coefficients)] if len(terms) <= LONGEST else []
        found += [f for f in (*drafts, _product(terms, coefficients)) if f is not None]
    return found


def _values(term: Tree, points: np.ndarray) -> np.ndarray:
    return from_tree(term).values(points)


def _product(terms: Sequence[Tree], coefficients: np.ndarray) -> Expression | None:
    """A relation of logarithms and a constant as Π x_j^e_j = level, e_j half-integers."""
    logs = [(term[1], c) for term, c in zip(terms, coefficients, strict=True) if term[0] == "ln"]
    level = sum(c for term, c in zip(terms, coefficients, strict=True) if term[0] == "c")
    if len(logs) < 2 or len(logs) + any(t[0] == "c" for t in terms) < len(terms):
        return None
    unit = min((c for _, c in logs), key=abs)
    if abs(unit) <= 1e-3 * max(abs(c) for _, c in logs):
        return None
    exponents = [c / unit for _, c in logs]
    halves = [round(2.0 * e) / 2.0 for e in exponents]
    if max(abs(e - h) for e, h in zip(exponents, halves, strict=True)) > NEARLY:
        return None
    tree: Tree = ("c", -float(np.exp(np.clip(-level / unit, -50.0, 50.0))))
    product: Tree = ("c", 1.0)
    for (x, _), exponent in zip(logs, halves, strict=True):
        product = ("mul", product, ("pow", x, ("c", exponent)))
    return from_tree(("add", product, tree))
