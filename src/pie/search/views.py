"""Views of a cloud: the same points in other units and origins.

The answer must not depend on whether lengths come in metres or millimetres. The network sees
the points as they are, in units of their own (x/s), and about their centre ((x − m)/σ); what is
found in a view is written back in the user's coordinates.
"""

from dataclasses import dataclass

import numpy as np

from ..data.sampling import scales
from ..expr.coordinates import substituted
from ..expr.expression import Expression

VIEWS = ("as_given", "scaled", "centred")
NEAR = 50.0  # as they are, only where the sizes of the columns lie within this factor of 1


@dataclass(frozen=True)
class View:
    """z = (x − shift)/scale, per column (D,)."""

    name: str
    shift: np.ndarray
    scale: np.ndarray

    def of(self, points: np.ndarray) -> np.ndarray:
        """Points (N, D) as they look from here."""
        return (points - self.shift) / self.scale

    def back(self, expression: Expression) -> Expression:
        """An equation of this view in the user's coordinates."""
        return substituted(expression, self.shift, self.scale)


def views_of(points: np.ndarray, names: tuple[str, ...] = VIEWS) -> list[View]:
    """The views of points (N, D) that are worth decoding.

    ``as_given`` only for columns of ordinary size, ``centred`` only where some column lies off
    its origin; ``scaled`` always.

    Raises:
        ValueError: a name that is not one of :data:`VIEWS`.
    """
    d = points.shape[1]
    size, zero, one = scales(points), np.zeros(d), np.ones(d)
    made = []
    for name in names:
        if name not in VIEWS:
            raise ValueError(f"unknown view {name!r}; known are {', '.join(VIEWS)}")
        if name == "scaled":
            made.append(View(name, zero, size))
        elif name == "as_given":
            if size.max() <= NEAR and size.min() >= 1.0 / NEAR:
                made.append(View(name, zero, one))
        else:
            centre, spread = np.median(points, axis=0), points.std(axis=0)
            if np.any(np.abs(centre) > 0.5 * spread):
                made.append(View(name, centre, spread))
    return made or [View("scaled", zero, size)]
