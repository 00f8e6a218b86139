"""The points of a search, and its *views*: the points in other units and about another origin.

The answer must not depend on the user's units. The network decodes the points as given, scaled
(x/s) and centred ((x − m)/σ); equations found in a view are converted to the user's coordinates.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.sampling import scales
from ..expr.coordinates import in_units, substituted
from ..expr.expression import Expression
from ..zeroset.metric import set_columns

VIEWS = ("as_given", "scaled", "centred")
ORDINARY_SIZE = 50.0  # as_given is used if the scales of all columns are within this factor of 1
OFF_CENTRE = 0.5  # centred is used if a |median| is above this many standard deviations


@dataclass(frozen=True)
class View:
    """Coordinates z = (x − shift)/scale, with shift and scale (D,)."""

    name: str
    shift: np.ndarray
    scale: np.ndarray

    def of(self, points: np.ndarray) -> np.ndarray:
        """z of points x (N, D)."""
        return (points - self.shift) / self.scale

    def back(self, expression: Expression) -> Expression:
        """An equation in z, written in x."""
        return substituted(expression, self.shift, self.scale)

    def into(self, expression: Expression) -> Expression:
        """An equation in x, written in z."""
        return in_units(expression, self.shift, self.scale)


def views_of(points: np.ndarray, names: tuple[str, ...] = VIEWS) -> list[View]:
    """Those of the named views that help for points (N, D).

    ``as_given`` needs columns of ordinary size, ``centred`` a column off its origin. ``scaled``
    needs nothing, and is the view where no other is left. ValueError quotes an unknown name.
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
    exact: np.ndarray  # columns whose values were set, without errors, (D,)

    @classmethod
    def of(
        cls, points: np.ndarray, names: tuple[str, ...] = VIEWS, exact: np.ndarray | None = None
    ) -> "Cloud":
        """Points with the views of :func:`views_of`; None: columns that look set are exact."""
        exact = set_columns(points) if exact is None else exact
        return cls(points, tuple(views_of(points, names)), exact)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def n_variables(self) -> int:
        return self.points.shape[1]

    @cached_property
    def _seen(self) -> dict[str, np.ndarray]:
        return {view.name: view.of(self.points) for view in self.views}

    def seen(self, view: View) -> np.ndarray:
        """The points in a view, (N, D)."""
        return self._seen[view.name]

    @property
    def home(self) -> View:
        """The first view that is not centred, if there is one: relations are fitted there."""
        return next((view for view in self.views if view.name != "centred"), self.views[0])

    @property
    def frames(self) -> list[View]:
        """Units for libraries of terms: the user's, and those of ``home`` if they differ."""
        d = self.n_variables
        user = View("user", np.zeros(d), np.ones(d))
        return [user] if self.home.name == "as_given" else [user, self.home]
