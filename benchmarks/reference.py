"""The reference path: the same work written plainly with sympy.lambdify and scipy.

No compiled kernel, no batches: an equation becomes a NumPy function by SymPy, points are found
by ``fsolve`` one by one, constants by scipy's BFGS (numeric gradient, as the paper describes it)
and by ``least_squares`` on the Sampson residual from one start.
"""

import warnings

import numpy as np
import sympy
from scipy.optimize import fsolve, least_squares, minimize

from pie.data.corpus import CorpusConfig
from pie.data.generator import random_tree
from pie.expr.expression import Expression, from_tree
from pie.expr.sympy_bridge import to_sympy
from pie.fit.fitness import cl_fem

X = sympy.symbols("x1:4", real=True)


def corpus_item(rng: np.random.Generator, config: CorpusConfig) -> np.ndarray:
    """Random equations until one gives N points (N, D); Section 3.2 of the paper."""
    while True:
        expression = to_sympy(from_tree(random_tree(rng, config.generator)))
        symbols = sorted(expression.free_symbols & set(X), key=str)
        if len(symbols) < 2 or not expression.is_finite and expression.has(sympy.zoo, sympy.nan):
            continue
        points = points_on(expression, symbols, config.n_points, config.max_trials, rng)
        if points is not None and points.std(axis=0).min() > 1e-3:
            return points


def points_on(expression, symbols, n_points: int, max_trials: int, rng) -> np.ndarray | None:
    """One coordinate of each normal start solved for by ``fsolve``; None if too few roots."""
    function = sympy.lambdify(symbols, expression, "numpy")
    chosen = int(rng.integers(len(symbols)))
    found: list[np.ndarray] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for trial in range(max_trials * n_points):
            point = rng.standard_normal(len(symbols))

            def residual(value, point=point):
                point[chosen] = value[0]
                return float(function(*point))

            try:
                root, _, success, _ = fsolve(residual, point[chosen], full_output=True)
            except (TypeError, ZeroDivisionError, OverflowError, ValueError):
                return None
            if success == 1 and abs(residual(root)) < 1e-8:
                found.append(point.copy())
            if len(found) == n_points:
                return np.array(found)
            if trial == n_points and not found:
                return None
    return None


def _functions(skeleton: Expression, n_variables: int):
    """f(points, c) and its gradient in x, from a skeleton, by SymPy."""
    constants = sympy.symbols(f"c1:{len(skeleton.constants) + 1}", real=True)
    expression = to_sympy(skeleton, constants)
    variables = X[:n_variables]
    value = sympy.lambdify((variables, constants), expression, "numpy")
    slopes = [
        sympy.lambdify((variables, constants), sympy.diff(expression, x), "numpy")
        for x in variables
    ]
    return value, slopes


def fit_sampson(skeleton: Expression, points: np.ndarray) -> float:
    """Root mean square Sampson residual after ``least_squares`` from all ones; inf if it fails."""
    value, slopes = _functions(skeleton, points.shape[1])
    columns = points.T

    def residual(constants):
        gradient = [np.broadcast_to(s(columns, constants), len(points)) for s in slopes]
        return value(columns, constants) / np.sqrt(np.sum(np.square(gradient), axis=0))

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = least_squares(residual, np.ones(len(skeleton.constants)), method="lm")
        except (ValueError, TypeError, ZeroDivisionError):
            return np.inf
    return float(np.sqrt(2.0 * result.cost / len(points)))


def fit_bfgs(skeleton: Expression, points: np.ndarray, copies: np.ndarray, tau: float) -> float:
    """CL-FEM fitness after scipy's BFGS with numeric gradients from all ones; −inf if it fails."""
    value, _ = _functions(skeleton, points.shape[1])
    columns = points.T

    def loss(constants):
        at = np.broadcast_to(value(columns, constants), len(points))
        moved = np.stack([np.broadcast_to(value(c.T, constants), len(points)) for c in copies])
        fitness = cl_fem(at, moved, tau)
        return -fitness if np.isfinite(fitness) else 1e30

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            start = np.ones(len(skeleton.constants))
            return -float(minimize(loss, start, method="BFGS").fun if start.size else loss(start))
        except (TypeError, ValueError, ZeroDivisionError):
            return -np.inf
