r"""Families of level sets: laws g(u(x)) = 0 with many zeros of g, such as sin(u) = c.

Points on many sheets at once, each of them u = another number, are what a fit finds hardest: no
sheet holds more than a few points. Without noise a count does it. Two points on one sheet of
u = φ_1 − s·φ_2 give the same slope s = Δφ_1/Δφ_2, wherever that sheet is; so among the slopes of
all pairs of points s recurs to rounding (a Hough transform), and nothing else does. Where the
levels of u, or of a function of it, are two arithmetic progressions of one period, they are the
zeros of a sine less a number.
"""

from collections.abc import Iterator

import numpy as np

from ..expr.expression import Expression, Tree, from_tree
from ..zeroset.spreads import permuted
from .dictionary import products

FEW = 60  # points, whose pairs are looked at
LEAST = 5  # equal slopes
SAME = 1e-9  # relative difference of equal slopes
STEEP = 1e6  # slopes beyond this, or below one over this, are of no use
EQUAL = 1e-7  # of the levels' spread: differences within one level
ROUNDED = 1e-3  # of the terms: a smaller spread of the levels counts as this
POINTS_PER_LEVEL = 3.0  # at least, on average
LEVELS = 4  # at least, to be a progression; of a function of u one more
PERIODIC = 1e-6  # of a period: deviation from a progression
FRACTIONS = (1, 2, 3)  # periods in a step
STEPS = 8  # different ones between levels, the smallest
LARGEST = 1e8  # value of a term
STEADY = 1e-6  # of a term: a range as good as none
MOST = 12  # families looked at


@np.errstate(all="ignore")
def level_sets(points: np.ndarray) -> list[tuple[Tree, np.ndarray]]:
    """Terms u, or differences φ_1 − s·φ_2 of two, that take few values at points (N, D).

    Returns:
        u and its levels (L,), in order; single terms and few levels first.

    >>> rng = np.random.default_rng(0)
    >>> x1, level = rng.uniform(-1.0, 1.0, 80), rng.integers(-4, 5, 80)
    >>> (u, levels), *_ = level_sets(np.column_stack([x1, 0.5 * level - x1**2]))
    >>> [round(float(level), 6) for level in levels[:3]]
    [-2.0, -1.5, -1.0]
    """
    n = len(points)
    if any(_recur(column) for column in points.T):
        return []
    terms = products(points)
    values = np.stack([from_tree(term).values(points) for term in terms], axis=1)
    size = np.median(np.abs(values), axis=0)
    usable = (size > 1.0 / LARGEST) & (np.abs(values).max(axis=0) < LARGEST)
    usable &= np.ptp(values, axis=0) > STEADY * size
    terms = [term for term, use in zip(terms, usable, strict=True) if use]
    values = values[:, usable] / size[usable]
    found: list[tuple[Tree, np.ndarray]] = []
    for first, second, slope in _counted(values):
        u = values[:, first] - (slope * values[:, second] if slope else 0.0)
        levels = _levels(u, 1.0)
        if POINTS_PER_LEVEL * len(levels) > n:
            continue
        of_first, of_second = size[usable][[first, second]]
        tree = terms[first]
        if slope:
            weight = ("c", float(-slope * of_first / of_second))
            tree = ("add", tree, ("mul", weight, terms[second]))
        of_others = from_tree(tree).values(permuted(points, 0)) / of_first
        if len(_levels(of_others, 1.0)) > len(levels):  # else of any points
            found.append((tree, levels * of_first))
    return sorted(found, key=lambda family: (family[0][0] == "add", len(family[1])))


def _recur(column: np.ndarray) -> bool:
    """Whether differences of a column (N,) recur: rounded numbers, or equal steps."""
    chosen = np.random.default_rng(0).permutation(column)[:FEW]
    i, j = np.triu_indices(len(chosen), 1)
    steps = np.sort(np.abs(chosen[i] - chosen[j]))
    return int((np.diff(steps) <= SAME * steps[1:]).sum()) >= LEAST


def _counted(values: np.ndarray) -> Iterator[tuple[int, int, float]]:
    """Pairs of columns of (N, M) and their slopes that recur, often ones first; 0: one column."""
    chosen = values[np.random.default_rng(0).permutation(len(values))[:FEW]]
    i, j = np.triu_indices(len(chosen), 1)
    steps = np.ascontiguousarray((chosen[i] - chosen[j]).T)
    if len(i) <= LEAST:
        return
    counted = []
    for second, step in enumerate(steps):
        alone = int((np.abs(step) <= SAME).sum())
        if alone >= LEAST:
            counted.append((-alone, second, second, 0.0))
        slopes = np.sort(steps[second + 1 :] / step, axis=1)
        low, high = slopes[:, : 1 - LEAST], slopes[:, LEAST - 1 :]
        size = np.abs(high)
        equal = (high - low <= SAME * size) & (size < STEEP) & (size > 1.0 / STEEP)
        for offset in np.flatnonzero(equal.any(axis=1)):
            places = np.flatnonzero(equal[offset])
            middle = float(high[offset, places[len(places) // 2]])
            counted.append((-len(places), second + 1 + int(offset), second, middle))
    for _, first, second, slope in sorted(counted)[:MOST]:
        yield first, second, slope


def _levels(u: np.ndarray, size: float) -> np.ndarray:
    """Different values of u (N,), in order; ``size`` is that of its terms."""
    ordered = np.sort(u)
    spread = ordered[int(0.9 * len(u))] - ordered[int(0.1 * len(u))]
    tolerance = EQUAL * max(spread, ROUNDED * size)
    groups = np.split(ordered, np.flatnonzero(np.diff(ordered) > tolerance) + 1)
    return np.array([np.median(group) for group in groups])


def progression(levels: np.ndarray) -> tuple[float, float, float] | None:
    """Period T, centre m and distance h of two progressions m ± h + k·T that hold levels (L,).

    The longest such period, and the centre of m + k·T/2 that is closest to 0; None if they have no
    period.

    >>> [round(v, 6) for v in progression(np.array([-5.0, -4.0, -1.0, 0.0, 3.0, 12.0]))]
    [4.0, -0.5, 0.5]
    """
    ordered = np.sort(levels)
    if len(ordered) < LEVELS:
        return None
    least = np.diff(ordered).min()
    steps = np.sort(np.concatenate([np.diff(ordered), ordered[2:] - ordered[:-2]]))
    steps = steps[np.diff(steps, prepend=0.0) > PERIODIC * steps]
    periods = np.unique([step / k for step in steps[:STEPS] for k in FRACTIONS])[::-1]
    for period in periods[10.0 * PERIODIC * periods < least]:
        phases = np.mod((ordered - ordered[0]) / period + 0.5 * PERIODIC, 1.0)
        other = phases[phases > PERIODIC]
        if len(other) == 0 or np.ptp(other) <= PERIODIC:
            half = 0.5 * (np.median(other) - 0.5 * PERIODIC) if len(other) else 0.0
            centre = ordered[0] / period + half
            turns = np.round(2.0 * centre)
            half = abs(half - 0.5 * (turns % 2.0))
            return float(period), float((centre - 0.5 * turns) * period), float(half * period)
    return None


_OUTER = ("", "ln", "exp", "sqrt", "pow2", "sin", "cos", "div")


def _functions(u: Tree) -> Iterator[Tree]:
    """u and functions of it, where its unit matters also in that of its second term."""
    units = [1.0, 1.0 / u[2][1][1]] if u[0] == "add" else [1.0]
    for name in _OUTER:
        for unit in units if name in ("exp", "sin", "cos") else [1.0]:
            for scale in (unit, -unit) if name in ("exp", "ln", "sqrt") else (unit,):
                inside = u if scale == 1.0 else ("mul", ("c", scale), u)
                yield {"": u, "div": ("div", ("c", 1.0), u)}.get(name, (name, inside))


def _wave(y: Tree, period: float, centre: float, half: float) -> Expression:
    """cos(2π/T·(y − m)) = cos(2π/T·h); a sine where that needs no shift."""
    omega = 2.0 * np.pi / period
    level = float(np.cos(omega * half))
    angle: Tree = ("mul", ("c", omega), y)
    name, shift = "cos", -omega * centre
    if abs(shift) > 0.5 * np.pi - PERIODIC:
        name, level = "sin", -level if shift > 0.0 else level
    elif abs(shift) > PERIODIC:
        angle = ("add", angle, ("c", shift))
    wave: Tree = (name, angle)
    return from_tree(wave if abs(level) < PERIODIC else ("add", wave, ("c", -level)))


@np.errstate(all="ignore")
def _periodic(u: Tree, levels: np.ndarray) -> Iterator[Expression]:
    """Waves of h(u), at whose zeros u has its levels (L,); h is 1 or one of a few functions."""
    for outer in _functions(u):
        of = from_tree(_with_x1(outer, u)).values(levels[:, None])
        if np.isfinite(of).all() and len(of) >= LEVELS + (outer != u):
            size = 1.0 if outer[0] in ("sin", "cos") else np.abs(of).max()
            found = progression(_levels(of, size))
            if found:
                yield _wave(outer, *found)


def _with_x1(tree: Tree, u: Tree) -> Tree:
    """x1 in place of u."""
    if tree == u:
        return ("x", 1)
    return tree if tree[0] in ("x", "c") else (tree[0], *(_with_x1(part, u) for part in tree[1:]))


def laws(points: np.ndarray) -> Iterator[Expression]:
    """Laws of points (N, D) on level sets: of one or two levels, or of levels with a period.

    >>> rng = np.random.default_rng(0)
    >>> x1, level = rng.uniform(-1.0, 1.0, 80), rng.integers(-4, 5, 80)
    >>> x = np.column_stack([x1, np.pi * level - 3.0 * x1**2])
    >>> [round(c, 6) for c in next(laws(x)).constants]
    [1.0, 3.0]
    """
    for u, levels in level_sets(points):
        if len(levels) == 1:
            yield from_tree(("sub", u, ("c", float(levels[0]))))
        elif len(levels) == 2:
            factors = [("sub", u, ("c", float(level))) for level in levels]
            yield from_tree(("mul", *factors))
        else:
            yield from _periodic(u, levels)
