"""The points of a search, in units in which they are of ordinary size.

Equations are searched at points z = x/s and written in x at the end. The scales s are 1 where all
columns are of ordinary size: laws in the user's units have simpler numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.sampling import scales
from ..expr.coordinates import in_units, substituted
from ..expr.expression import Expression
from ..zeroset.metric import SET, set_columns
from ..zeroset.noise import Noise, noise_of

ORDINARY = 50.0  # the user's units are kept if the scales of all columns are within this of 1


@dataclass(frozen=True)
class Cloud:
    """Points z = x/s (N, D) of points x in the user's units, given, and units s (D,)."""

    given: np.ndarray  # x, (N, D)
    units: np.ndarray  # s, (D,)
    exact: np.ndarray  # columns whose values were set, without errors, (D,)

    @classmethod
    def of(cls, given: np.ndarray, exact: np.ndarray | None = None) -> "Cloud":
        """In the user's units or, unless they are of ordinary size, in those of
        :func:`pie.data.sampling.scales`; None: columns that look set are exact."""
        units = scales(given)
        if units.max() <= ORDINARY and units.min() >= 1.0 / ORDINARY:
            units = np.ones_like(units)
        return cls(given, units, set_columns(given) if exact is None else exact)

    @classmethod
    def as_given(cls, given: np.ndarray) -> "Cloud":
        """In the user's units, as in the paper; no column is exact."""
        d = given.shape[1]
        return cls(given, np.ones(d), np.zeros(d, bool))

    def __len__(self) -> int:
        return len(self.given)

    @property
    def n_variables(self) -> int:
        return self.given.shape[1]

    @cached_property
    def points(self) -> np.ndarray:
        """z, (N, D)."""
        return self.given / self.units

    @cached_property
    def noise(self) -> Noise:
        """The noise of the points, in units of the columns' spreads."""
        return noise_of(self.points / self._errors)

    @property
    def _errors(self) -> np.ndarray:
        return self.points.std(axis=0) * np.where(self.exact, SET, 1.0)

    def back(self, expression: Expression) -> Expression:
        """An equation in z, written in x."""
        return substituted(expression, np.zeros(self.n_variables), self.units)

    def into(self, expression: Expression) -> Expression:
        """An equation in x, written in z."""
        return in_units(expression, np.zeros(self.n_variables), self.units)

    @property
    def frames(self) -> list[tuple[np.ndarray, Callable[[Expression], Expression]]]:
        """Points for libraries of terms, with what writes an equation there in z: x and z."""
        same = [(self.points, lambda expression: expression)]
        return same if np.all(self.units == 1.0) else [(self.given, self.into), *same]
