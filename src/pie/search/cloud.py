"""The points of a search, in the coordinates in which equations are sought.

Equations are sought at points z = x/s, or z = ln x, and written in x at the end. :func:`clouds`
says in which coordinates: laws in the user's units have the simpler numbers, and fits measure
distances in z, where a column of 0 to 1 beside one of 0 to 90 hardly counts.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..expr.coordinates import in_units, substituted
from ..expr.dimensions import Dimensions
from ..expr.expression import Expression
from ..zeroset.metric import errors_of, logarithms, of_logarithms
from ..zeroset.noise import Noise, noise_of
from ..zeroset.spreads import robust_spreads

EVEN = 3.0  # spreads of columns within this of 1 are alike
DEGREE = np.pi / 180.0
TURN = 360.0  # degrees; an angle is not beyond
WIDEST = 2.0 * np.pi  # columns up to it may be radians
LEAST_SPREAD = 10.0  # degrees; angles of less bend no law much
TAIL = 4.0  # standard deviations: no value of an angle is so far from the mean


@dataclass(frozen=True)
class Cloud:
    """Points z = y/s (N, D) with units s (D,); y is x or, in ``logarithmic`` columns, ln x."""

    given: np.ndarray  # y, (N, D)
    units: np.ndarray  # s, (D,)
    exact: np.ndarray  # columns whose values were set, without errors, (D,)
    angles: np.ndarray  # columns that may be angles, z in radians, (D,)
    logarithmic: tuple[bool, ...] = ()  # () = none
    dimensions: Dimensions | None = None  # of x, if they matter

    @classmethod
    def as_given(cls, given: np.ndarray, exact: np.ndarray | None = None) -> "Cloud":
        """In the user's units; None: no column is exact, as in the paper."""
        d = given.shape[1]
        none = np.zeros(d, bool)
        return cls(given, np.ones(d), none if exact is None else exact, none)

    @classmethod
    def even(
        cls,
        given: np.ndarray,
        exact: np.ndarray,
        logarithmic: tuple[bool, ...] = (),
        degrees: tuple[bool, ...] = (),
    ) -> "Cloud":
        """In units in which columns have like spreads, and what is or may be degrees is in radians.

        ``degrees`` are columns of which their unit says so.
        """
        spreads, logs = robust_spreads(given), np.array(logarithmic or exact & False)
        angles = (may_be_degrees(given) | np.array(degrees or exact & False)) & ~logs
        alike = logs | ((spreads > 1.0 / EVEN) & (spreads < EVEN))
        units = np.where(angles, 1.0 / DEGREE, np.where(alike, 1.0, spreads))
        return cls(given, units, exact, angles, logarithmic)

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
    def errors(self) -> np.ndarray:
        """Units of the errors of z, (D,)."""
        return errors_of(self.points, self.exact)

    @cached_property
    def noise(self) -> Noise:
        """The noise of the points, in units of the columns' spreads."""
        return noise_of(self.points / errors_of(self.points, self.exact, np.std))

    def back(self, expression: Expression) -> Expression:
        """An equation in z, written in x; ValueError if it is too long or has no zeros there."""
        of_y = substituted(expression, np.zeros(self.n_variables), self.units)
        return of_logarithms(of_y, self.logarithmic) if self.logarithmic else of_y

    def into(self, expression: Expression) -> Expression:
        """An equation in y, written in z."""
        return in_units(expression, np.zeros(self.n_variables), self.units)


def may_be_degrees(points: np.ndarray) -> np.ndarray:
    """Columns of points (N, D) that may be angles in degrees, (D,)."""
    size, spread = np.abs(points).max(axis=0), points.std(axis=0)
    within = np.abs(points - points.mean(axis=0)).max(axis=0) <= TAIL * spread
    return (size > WIDEST) & (size <= TURN) & (spread >= LEAST_SPREAD) & within


def clouds(
    points: np.ndarray,
    exact: np.ndarray,
    wide: tuple[bool, ...] = (),
    dimensions: Dimensions | None = None,
) -> list[Cloud]:
    """The coordinates in which points (N, D) are searched, in turn, until a fit is exact.

    The user's units; even ones, if they differ; logarithms of the columns marked as ``wide``, in
    even units of the others. Noisy points are searched in even units alone: no law is exact in the
    user's.
    """
    degrees = dimensions.degrees if dimensions else ()
    user, even = Cloud.as_given(points, exact), Cloud.even(points, exact, (), degrees)
    found = [user] if np.all(even.units == 1.0) else [even] if user.noise.seen else [user, even]
    if any(wide):
        found.append(Cloud.even(logarithms(points, wide), exact, wide, degrees))
    return [replace(cloud, dimensions=dimensions) for cloud in found]
