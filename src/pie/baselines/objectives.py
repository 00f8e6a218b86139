r"""Objectives of genetic programming, computed from a program's values on stacked rows.

A gplearn fitness function sees only the values of a program. So one matrix holds all rows that an
objective needs: the points, their stochastic copies (Eq. 4), or points shifted by h for

.. math:: \frac{\partial f}{\partial x_j} \approx \frac{f(x + h e_j) - f(x)}{h}

Higher is better; :data:`WORST` stands for −∞ and for undefined values.
"""

import contextlib
import functools

import numpy as np

from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..fit.fitness import cl_fem, stochastic_copies, vanilla
from ..fit.sampson_fits import fit_sampson
from ..zeroset.spreads import permuted

WORST = -1e30
STEP = 1e-6  # h, in standard deviations of the column
NEIGHBOURS = 12  # nearest points in local PCA
NEGLIGIBLE = 1e-9  # coefficient of a normalised column


class Vanilla:
    """Eq. 2 on points (N, D): minus the mean square of f. Degenerate f reach its maximum, 0."""

    as_in_paper = True  # protected operators, ranked by fitness alone

    def __init__(self, points: np.ndarray, seed: int, tau: float):
        self.points, self.n, self.tau = points, len(points), tau
        self.rows = self.stacked(seed)  # (R, D), the points first

    def stacked(self, seed: int) -> np.ndarray:
        """The points and all other rows that the score needs, (R, D)."""
        return self.points

    def score(self, values: np.ndarray) -> float:
        """Fitness of a program from its values on the rows, (R,)."""
        return self.score_finished(values)

    @np.errstate(all="ignore")
    def score_finished(self, values: np.ndarray) -> float:
        """Fitness of an equation of :meth:`finish` from its values on the rows, (R,)."""
        score = self._score(values)
        return score if np.isfinite(score) else WORST

    def _score(self, values: np.ndarray) -> float:
        return vanilla(values)

    def finish(self, expressions: list[Expression]) -> list[Expression]:
        """Equations from evolved programs, with fitted constants where the objective has any.

        Without those that become too long.
        """
        return expressions


class ClFem(Vanilla):
    """Eq. 6: as Eq. 2, but −∞ if some d_j ≤ τ. The copies are drawn once."""

    def stacked(self, seed):
        return np.concatenate(
            [self.points, *stochastic_copies(self.points, np.random.default_rng(seed))]
        )

    def _score(self, values):
        return cl_fem(values[: self.n], values[self.n :].reshape(-1, self.n), self.tau)


def _stepped(points: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Points, then the points shifted along each axis, ((1 + D)·N, D)."""
    return np.concatenate([points, *(points + h for h in np.diag(STEP * spreads))])


def _gradient(values: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """f (N,) and its gradient in standardised columns (D, N), from values on these rows."""
    f, *moved = values.reshape(1 + d, -1)
    return f, (np.stack(moved) - f) / STEP


class Sampson(Vanilla):
    """Minus the mean Sampson distance |f|/‖∇f‖, over its median on permuted points (ours).

    Distances are in standard deviations of the columns, capped at 1. An f that is small or steep
    everywhere gains nothing, because it is so at permuted points, too.
    """

    as_in_paper = False

    def stacked(self, seed):
        null, spreads = permuted(self.points, seed)[::2], self.points.std(0)
        return np.concatenate([_stepped(cloud, spreads) for cloud in (self.points, null)])

    def _score(self, values):
        d = self.rows.shape[1]
        near = []
        for part in np.split(values, [(1 + d) * self.n]):
            f, gradient = _gradient(part, d)
            near.append(np.minimum(np.abs(f) / np.linalg.norm(gradient, axis=0), 1.0))
        return -float(np.mean(near[0]) / np.median(near[1]))

    def finish(self, expressions):
        """Constants fitted by Sampson distance; unchanged if the guards reject every fit."""
        fits = fit_sampson(expressions, self.points, warm=True, n_starts=1, descents=2)
        return [fit.expression for fit in fits if fit.status == "ok"] or expressions


class ImplicitDerivatives(Vanilla):
    """Minus the mean of ln(1 + |sin θ|), θ the angle between ∇f and the normal of the cloud.

    Schmidt & Lipson (2009) compare derivatives along an ordered trajectory. Without order, normals
    come from local PCA. The score does not depend on the level of f, which :meth:`finish` sets to
    the median over the points.
    """

    as_in_paper = False

    def stacked(self, seed):
        return _stepped(self.points, self.points.std(0))

    @functools.cached_property
    def _normals(self) -> np.ndarray:
        return normals(self.points).T

    def _score(self, values):
        _, gradient = _gradient(values, self.rows.shape[1])
        cosine = np.sum(gradient * self._normals, axis=0) / np.linalg.norm(gradient, axis=0)
        sine = np.sqrt(np.maximum(1.0 - cosine**2, 0.0))
        return -float(np.mean(np.log1p(sine)))

    def finish(self, expressions):
        levels = [float(np.median(e.values(self.points))) for e in expressions]
        trees = zip(map(to_tree, expressions), levels, strict=True)
        return _short([("sub", tree, ("c", level)) for tree, level in trees])


def _short(trees: list[Tree]) -> list[Expression]:
    """Equations from those that are not too long."""
    found = []
    for tree in trees:
        with contextlib.suppress(ValueError):
            found.append(from_tree(tree))
    return found


def normals(points: np.ndarray) -> np.ndarray:
    """Unit normals by local PCA, (N, D), in units of the columns' spread, of points (N, D)."""
    scaled = points / points.std(0)
    square = ((scaled[:, None] - scaled[None]) ** 2).sum(-1)
    nearest = np.argsort(square, axis=1, kind="stable")[:, :NEIGHBOURS]
    patches = scaled[nearest]
    _, _, axes = np.linalg.svd(patches - patches.mean(1, keepdims=True), full_matrices=False)
    return axes[:, -1]


class LeastSquares(ClFem):
    """CL-FEM of c₀·φ + Σ c_j·x_j + c: φ is evolved, the coefficients are fitted.

    They are the smallest singular vector of the columns [φ, x₁ … x_D, 1], each normalised to mean
    square 1, so they cannot all vanish. The fitness is minus the root of the mean square in Eq. 6,
    on the scale of the price of a token.
    """

    as_in_paper = False

    @np.errstate(all="ignore")
    def _combined(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Its values on all rows (R,) and its coefficients, nan if undefined."""
        columns = np.column_stack([values, self.rows, np.ones(len(values))])
        size = np.sqrt(np.mean(columns[: self.n] ** 2, axis=0))
        weights = np.full(len(size), np.nan)
        if np.all(np.isfinite(size)) and np.all(size > 0.0):
            given = columns[: self.n] / size
            vector = np.linalg.eigh(given.T @ given)[1][:, 0]
            weights = np.where(np.abs(vector) > NEGLIGIBLE, vector / size, 0.0)
        return columns @ weights, weights

    def score(self, values):
        return super().score(self._combined(values)[0])

    def _score(self, values):
        return -float(np.sqrt(-super()._score(values)))

    def finish(self, expressions):
        """Each program with its coefficients, negligible terms left out."""
        equations = []
        for expression in expressions:
            _, weights = self._combined(expression.values(self.rows))
            terms = [to_tree(expression), *(("x", j) for j in range(1, len(weights) - 1))]
            tree = ("c", float(weights[-1]))
            for term, weight in zip(terms, weights[:-1], strict=True):
                if weight != 0.0:
                    tree = ("add", ("mul", ("c", float(weight)), term), tree)
            equations.append(tree)
        return _short(equations)


OBJECTIVES = {
    "vanilla": Vanilla,
    "cl-fem": ClFem,
    "sampson": Sampson,
    "implicit derivatives": ImplicitDerivatives,
    "least squares": LeastSquares,
}
