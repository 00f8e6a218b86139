"""The points of a search, and the views in which they are looked at: other units and origins.

The answer must not depend on whether lengths come in metres or millimetres. The network sees the
points as they are, in units of their own (x/s), and about their centre ((x − m)/σ); what is found
in a view is written back in the user's coordinates.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.sampling import scales
from ..expr.coordinates import in_units, substituted
from ..expr.expression import Expression

VIEWS = ("as_given", "scaled", "centred")
ORDINARY_SIZE = 50.0  # points are decoded as they are if columns lie within this factor of 1
OFF_CENTRE = 0.5  # standard deviations of a median from 0, beyond which the origin is moved


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

    def into(self, expression: Expression) -> Expression:
        """An equation in the user's coordinates, as it looks from here."""
        return in_units(expression, self.shift, self.scale)


def views_of(points: np.ndarray, names: tuple[str, ...] = VIEWS) -> list[View]:
    """The views of points (N, D) that are worth decoding.

    ``as_given`` only for columns of ordinary size, ``centred`` only where some column lies off
    its origin; ``scaled`` always, and alone where no other remains.

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
            if size.max() <= ORDINARY_SIZE and size.min() >= 1.0 / ORDINARY_SIZE:
                made.append(View(name, zero, one))
        else:
            centre, spread = np.median(points, axis=0), points.std(axis=0)
            if np.any(np.abs(centre) > OFF_CENTRE * spread):
                made.append(View(name, centre, spread))
    return made or [View("scaled", zero, size)]


@dataclass(frozen=True)
class Cloud:
    """Points (N, D) in the user's units, with the views in which they are searched."""

    points: np.ndarray
    views: tuple[View, ...]

    @classmethod
    def of(cls, points: np.ndarray, names: tuple[str, ...] = VIEWS) -> "Cloud":
        """Points with those of the named views that are worth decoding."""
        return cls(points, tuple(views_of(points, names)))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def n_variables(self) -> int:
        """D."""
        return self.points.shape[1]

    @cached_property
    def _seen(self) -> dict[str, np.ndarray]:
        return {view.name: view.of(self.points) for view in self.views}

    def seen(self, view: View) -> np.ndarray:
        """The points as they look in a view, (N, D)."""
        return self._seen[view.name]

    @property
    def home(self) -> View:
        """The first view with the user's origin, if one has it: relations are fitted there."""
        return next((view for view in self.views if view.name != "centred"), self.views[0])

    @property
    def frames(self) -> list[View]:
        """Units in which term libraries are evaluated: the user's own, then those of ``home``."""
        d = self.n_variables
        user = View("user", np.zeros(d), np.ones(d))
        return [user] if self.home.name == "as_given" else [user, self.home]
