r"""The two fitness functions of the paper: vanilla (Eq. 2) and CL-FEM (Eq. 6).

.. math::
    r(f) = -\frac1N \sum_n |f(x_n)|^\ell, \qquad
    r^{CL}(f) = -\infty \text{ if some } d_j \le \tau, \text{ else } r(f), \qquad
    d_j = \frac1N \sum_n \left(f(x_n) - f(x_n^j)\right)^2

where x_n^j is x_n with coordinate j redrawn from U(−1, 1); ℓ = 2 here, differentiable at 0.
"""

import numpy as np

from ..expr.elementary import jit


def vanilla(value: np.ndarray) -> float:
    """Eq. 2 from f at the points, (N,); −inf if not finite."""
    with np.errstate(all="ignore"):
        mean = float(np.mean(np.square(value)))
    return -mean if np.isfinite(mean) else -np.inf


def stochastic_copies(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The sets D^j (Eq. 4), (D, N, D): column j of points (N, D) redrawn; drawn once per fit."""
    n, d = points.shape
    copies = np.repeat(points[None].astype(np.float64), d, 0)
    for j in range(d):
        copies[j, :, j] = rng.uniform(-1.0, 1.0, n)
    return copies


def copies_for(fitness: str, points: np.ndarray, seed: int) -> np.ndarray | None:
    """The sets D^j for the fitness ``cl-fem``; None for ``vanilla``. ValueError for another one."""
    if fitness not in ("cl-fem", "vanilla"):
        raise ValueError(f"fitness is {fitness!r}; expected cl-fem or vanilla")
    return stochastic_copies(points, np.random.default_rng(seed)) if fitness == "cl-fem" else None


@jit
def varies(value, copy_values, tau):
    """Whether every d_j (Eq. 5) exceeds τ, from f at the points (N,) and at the copies (D·N,).

    Copies where f is undefined are left out; a d_j with none left is inf.
    """
    n = value.size
    for j in range(copy_values.size // n):
        total, known = 0.0, 0
        for i in range(n):
            square = (value[i] - copy_values[j * n + i]) ** 2
            if not np.isnan(square):
                total += square
                known += 1
        if known and total / known <= tau:
            return False
    return True


def cl_fem(value: np.ndarray, copy_values: np.ndarray, tau: float) -> float:
    """Eq. 6 from f at the points (N,) and at the copies (D, N)."""
    return vanilla(value) if varies(value, copy_values.ravel(), tau) else -np.inf
