"""Boxes, linear or logarithmic."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Box:
    """Bounds ``low`` and ``high`` (D,) of the coordinates, or of their natural logarithms."""

    low: np.ndarray
    high: np.ndarray
    logarithmic: bool = False

    def uniform(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Points (n, D), uniform (log-uniform if ``logarithmic``) in the box."""
        points = rng.uniform(self.low, self.high, (n, len(self.low)))
        return np.exp(points) if self.logarithmic else points

    def contains(self, points: np.ndarray) -> np.ndarray:
        if self.logarithmic:
            with np.errstate(all="ignore"):
                points = np.log(points)
        return np.all((points >= self.low) & (points <= self.high), axis=1)
