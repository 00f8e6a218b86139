r"""Standard errors of constants, and removal of constants and terms that are not significant.

The residual is the first-order distance r_n = f(x_n; c)/‖u·∇f(x_n; c)‖ in units u of the columns,
(D,) or, where they differ from point to point, (N, D). With J = ∂r/∂c the covariance of c is
σ²(JᵀJ)⁻¹, σ² = Σr²/(N − P). Outliers (:func:`pie.zeroset.outliers.near`) are left out; points
with r_n = 0 and ∂r_n/∂c = 0, as where a factor x_j of f vanishes, are not counted. What is fitted
are the :func:`~pie.expr.known_numbers.free_numbers`: J is of these.
"""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from ..expr.canonical import canonical
from ..expr.derivatives import derivatives
from ..expr.expression import Expression, Tree, from_tree, to_tree
from ..expr.known_numbers import EXPONENT, WAVE, WHOLE, free_numbers, parts_of, simpler_values
from ..expr.terms import ONE, joined, terms, without_common_function
from ..zeroset.distance import first_order, root_mean_square
from ..zeroset.neighbours import squared_distances
from ..zeroset.outliers import near

STEPS = 8  # of Gauss and Newton at most
MOSTLY = 0.7  # smallest share of usual points; where there are fewer, none is an outlier
CLIPPED = 3.0  # robust standard deviations of a residual that is compared with its neighbour's
FARTHEST = 1e100  # coordinates beyond it have no neighbours: their squares overflow
CLOSE = 1e-7  # relative tolerance for equality with a simpler value
CONFIDENT = 2.5  # significance threshold, in standard errors
EXACT = 1e-9  # RMS residuals below this are rounding, in units of the columns
FACTORED = 0.2  # relative difference of a·d and b·c up to which a + b + c + d may be a product
UNITY = 0.1  # constants within this of ±1 may be that, several at once


def _at(units: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return units if units.ndim == 1 else units[chosen]


def _linearised(expression: Expression, points: np.ndarray, units: np.ndarray, free: np.ndarray):
    """r_n, (N,), and the Jacobian J, (N, F), of the numbers that are fitted, ``free`` (P, F)."""
    codes, constants = expression.arrays
    d, p = points.shape[1], constants.size
    with np.errstate(all="ignore"):
        columns = np.ascontiguousarray(points.T)
        residual, normal = first_order(expression, points, units)
        jet = derivatives(codes, constants, columns, d, p)
        gradient, sensitivity = jet[1 : 1 + d], jet[1 + d : 1 + d + p]
        mixed = jet[1 + d + p :].reshape(d, p, len(points))
        steep = np.isinf(gradient)  # the distance is along the other columns
        along = (normal * units).T
        norm = np.sum(along * np.where(steep, 0.0, gradient), axis=0)
        turning = np.einsum("jn,jpn->pn", along, np.where(steep[:, None], 0.0, mixed))
        return residual, ((sensitivity - residual * turning) / norm).T @ free


@np.errstate(all="ignore")
def usual_points(expression: Expression, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Which points are not outliers, (N,)."""
    residual, jacobian = _linearised(expression, points, units, free_numbers(expression))
    known = np.isfinite(residual) & np.isfinite(jacobian).all(axis=1)
    telling = known & ((residual != 0.0) | np.any(jacobian != 0.0, axis=1))
    usual = known & ~telling
    usual[telling] = near(residual[telling])
    return usual


@np.errstate(all="ignore")
def rms_distance(
    expression: Expression,
    points: np.ndarray,
    units: np.ndarray,
    usual: np.ndarray | None = None,
) -> float:
    """RMS residual of the usual points; inf if not finite, or if fewer than 70 % are usual.

    Two equations compare only on the same ``usual``.
    """
    usual = usual_points(expression, points, units) if usual is None else usual
    if usual.sum() < MOSTLY * len(points):
        return np.inf
    return root_mean_square(first_order(expression, points[usual], _at(units, usual))[0])


@np.errstate(all="ignore")
def polished(
    expression: Expression,
    points: np.ndarray,
    units: np.ndarray,
    usual: np.ndarray | None = None,
) -> Expression:
    """Constants refined by Gauss–Newton steps, each accepted only if the RMS residual falls.

    They are added, or taken in proportion (:mod:`pie.fit.sampson`), or a quarter of them is added.
    """
    usual = usual_points(expression, points, units) if usual is None else usual
    best = rms_distance(expression, points, units, usual)
    if not np.isfinite(best):
        return expression
    free = free_numbers(expression)
    for _ in range(STEPS if free.size else 0):
        residual, jacobian = _linearised(expression, points[usual], _at(units, usual), free)
        if len(residual) <= jacobian.shape[1] or not np.isfinite(jacobian).all():
            break
        size = np.linalg.norm(jacobian, axis=0).clip(1e-300)
        step = np.linalg.lstsq(jacobian / size, -residual, rcond=1e-12)[0] / size
        before, step = np.array(expression.constants), free @ step
        for moved in (before + step, before * np.exp(step / before), before + 0.25 * step):
            if not np.all(np.isfinite(moved)):
                continue
            trial = expression.with_constants(moved)
            error = rms_distance(trial, points, units, usual)
            if error < best * (1.0 - 1e-9):
                expression, best = trial, error
                break
        else:
            break
    return expression


def with_whole_numbers(expression: Expression, points: np.ndarray, units: np.ndarray) -> Expression:
    """Constants equal to one of ``WHOLE`` up to rounding are set to it, if the fit is exact."""
    numbers = []
    for constant in expression.constants:
        whole = [w for w in WHOLE if abs(abs(constant) - w) <= CLOSE * w]
        numbers.append(float(np.copysign(whole[0], constant)) if whole else constant)
    rounded = expression.with_constants(numbers)
    return rounded if rms_distance(rounded, points, units) <= EXACT else expression


@np.errstate(all="ignore")
def standard_errors(expression: Expression, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Standard errors of the constants, (P,): 0 for those that are known.

    inf for all others if points (N, D) do not determine them.
    """
    free = np.abs(free_numbers(expression))
    errors = np.where(free.any(axis=1), np.inf, 0.0)
    usual = usual_points(expression, points, units)
    residual, jacobian = _linearised(expression, points, units, free_numbers(expression))
    if usual.sum() < MOSTLY * len(points):
        usual = np.isfinite(residual) & np.isfinite(jacobian).all(axis=1)
    residual, jacobian = residual[usual], jacobian[usual]
    n = np.count_nonzero((residual != 0.0) | np.any(jacobian != 0.0, axis=1))
    p, size = jacobian.shape[1], np.linalg.norm(jacobian, axis=0)
    if not n > p > 0 or not np.all(size > 0.0):
        return errors
    _, values, rows = np.linalg.svd(jacobian / size, full_matrices=False)
    if values[-1] > 1e-12 * values[0]:
        variance = np.sum((rows.T / values) ** 2, axis=1) * np.sum(residual**2) / (n - p)
        errors = free @ (np.sqrt(variance) / size)
    return errors


@np.errstate(all="ignore")
def leverages(expression: Expression, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    """h = diag(J(JᵀJ)⁻¹Jᵀ), (N,), of constants fitted to points (N, D); 0 where J is not finite.

    To first order, the residual of a point is r/(1 − h) if it is left out of the fit (Allen 1974).
    """
    _, jacobian = _linearised(expression, points, units, free_numbers(expression))
    known = np.isfinite(jacobian).all(axis=1)
    found = np.zeros(len(points))
    size = np.linalg.norm(jacobian[known], axis=0)
    if known.any() and np.any(size > 0.0):
        columns, values, _ = np.linalg.svd((jacobian[known] / size)[:, size > 0.0], False)
        found[known] = np.sum(columns[:, values > 1e-12 * values[0]] ** 2, axis=1)
    return found


@np.errstate(all="ignore")
def expected_residual(
    expression: Expression, points: np.ndarray, units: np.ndarray, errors: np.ndarray
) -> float:
    """RMS of r_n that errors of the columns (D,) cause to first order; 0 where f is not defined."""
    residual, normal = first_order(expression, points, units)
    squares = np.sum((normal * errors / units)[np.isfinite(residual)] ** 2, axis=1)
    return float(np.sqrt(np.nanmean(squares))) if np.isfinite(squares).any() else 0.0


@np.errstate(all="ignore")
def neighbours_correlation(expression: Expression, points: np.ndarray) -> float:
    """Σ r_n·r_m / Σ r_n² with m the neighbour of n along the zero set: near 1 if f is off by a
    smooth function, about 0 for noise. Residuals are counted up to three robust deviations, points
    (N, D) are in coordinates in which errors are alike.
    """
    residual, normal = first_order(expression, points)
    feet = points - residual[:, None] * normal  # on the zero set, to first order
    known = np.isfinite(residual) & (np.abs(feet) < FARTHEST).all(axis=1)
    residual, feet = residual[known], feet[known]
    if len(residual) < 3 or not np.any(residual):
        return 0.0
    most = CLIPPED * 1.4826 * np.median(np.abs(residual))
    residual = np.clip(residual, -most, most)
    away = squared_distances(feet, feet)
    np.fill_diagonal(away, np.inf)
    other = np.argmin(away, axis=1)
    total = np.sum(residual**2)
    return float(np.sum(residual * residual[other]) / total) if total > 0.0 else 0.0


@np.errstate(all="ignore")
def _unseen(expression: Expression, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    """By how much each constant may change, (P,), for residuals to change by rounding alone."""
    _, jacobian = _linearised(expression, points, units, np.eye(len(expression.constants)))
    size = np.sqrt(np.mean(jacobian[np.isfinite(jacobian).all(axis=1)] ** 2, axis=0))
    return np.where(size > 0.0, EXACT / size, 0.0)


@np.errstate(all="ignore")
def _without_constants(
    expression: Expression, points: np.ndarray, units: np.ndarray
) -> list[tuple[float, Expression]]:
    """(change in standard errors, equation) with one constant or term removed, sorted."""
    errors = standard_errors(expression, points, units)
    error = rms_distance(expression, points, units)
    unseen = _unseen(expression, points, units) if error <= EXACT else np.zeros(len(errors))
    found = []
    for k, targets in enumerate(simpler_values(expression)):
        constant = expression.constants[k]
        for target in targets:
            away = abs(constant - target)
            if 0.0 < away <= max(CONFIDENT * errors[k], CLOSE * abs(constant), unseen[k]):
                changed = [target if i == k else c for i, c in enumerate(expression.constants)]
                found.append((away / max(errors[k], 1e-300), expression.with_constants(changed)))
    whole = [
        np.sign(c) if abs(abs(c) - 1.0) <= UNITY and part != EXPONENT and inside != WAVE else c
        for c, (part, inside) in zip(expression.constants, parts_of(expression.codes), strict=True)
    ]
    if np.sum(np.array(whole) != expression.constants) > 1:  # together, as their errors may be
        found.append((np.inf, expression.with_constants(whole)))
    # terms by size: the first coefficient is fixed at 1 and has no standard error
    pieces = terms(to_tree(expression))
    norm = np.linalg.norm(expression.value_and_gradient(points)[1] * units, axis=1)
    found += [(np.inf, changed) for changed in _factored(pieces, points)]
    for i, piece in enumerate(pieces if len(pieces) > 2 else ()):
        away = np.abs(from_tree(piece).values(points)) / norm
        size = np.median(np.nan_to_num(away, nan=np.inf, posinf=np.inf))  # 0/0 at some points
        if size <= max(CONFIDENT * error, CLOSE):
            rest = joined("add", pieces[:i] + pieces[i + 1 :])
            found.append((size / max(error, 1e-300), from_tree(rest)))
    return sorted(found, key=lambda entry: entry[0])


@np.errstate(all="ignore")
def _factored(pieces: list[Tree], points: np.ndarray) -> Iterator[Expression]:
    """Sums with a product for four terms a + b + c + d, where a·d is about b·c at all points.

    It is (a + b)·(1 + c/a), which has one number less.
    """
    values = np.array([from_tree(piece).values(points) for piece in pieces])
    for four in itertools.combinations(range(len(pieces)), 4):
        rest = [piece for k, piece in enumerate(pieces) if k not in four]
        for other in four[1:]:
            ends, middle = [four[0], other], [k for k in four[1:] if k != other]
            ratio = np.prod(values[ends], axis=0) / np.prod(values[middle], axis=0)
            ratio = ratio[np.isfinite(ratio)]  # 0/0 where a term is 0
            steady = len(ratio) > 0 and np.ptp(ratio) <= CLOSE
            if not (steady and abs(ratio[0] - 1.0) <= FACTORED):
                continue
            for k in four:
                a, (b, c) = pieces[k], [pieces[i] for i in (middle if k in ends else ends)]
                product = ("mul", ("add", a, b), ("add", ONE, ("div", c, a)))
                yield from_tree(joined("add", [product, *rest]))


def simplified(
    expression: Expression,
    points: np.ndarray,
    units: np.ndarray,
    cost: Callable[[Expression], float],
) -> Expression:
    """A canonical, fitted equation without constants and terms that are not significant.

    A constant is set to one of its :func:`~pie.expr.known_numbers.simpler_values` within 2.5
    standard errors; a term within 2.5 RMS residuals of 0 is dropped. A change that saves ``cost``,
    of numbers in nats, or nothing but tokens, is kept if after a new fit to points (N, D)
    N·ln(RMS residual) rises by less (or by 0.5).
    """
    n = len(points)
    usual = usual_points(expression, points, units)
    error = rms_distance(expression, points, units, usual)
    while np.isfinite(error):
        for _, changed in _without_constants(expression, points, units):
            try:
                trial = canonical(without_common_function(canonical(changed)))
            except ValueError:
                continue
            saved = cost(expression) - cost(trial)
            shorter = (-saved, len(trial.codes)) < (0.0, len(expression.codes))
            if trial.variables != expression.variables or not shorter:
                continue
            trial = polished(trial, points, units, usual)
            after = rms_distance(trial, points, units, usual)
            if n * np.log(max(after, EXACT) / max(error, EXACT)) < max(saved, 0.5):
                expression, error = trial, after
                break
        else:
            break
    return expression
