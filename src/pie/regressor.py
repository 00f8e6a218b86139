"""scikit-learn's conventions for discovery: ``fit(X)`` without y, ``predict``, ``score``."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .laws import Law, Result, discover
from .measurements import MAX_POINTS, BadTable
from .plus import PlusConfig


class ImplicitRegressor(BaseEstimator):
    """An implicit equation f(x) = 0 that the rows of X obey.

    Args:
        weights: folder of a network; None = the released one.
        beam: skeletons per view that the network proposes.
        rounds: of refinement.
        missing: ``error``, or ``drop`` for rows in which a value is missing.
        max_points: more are thinned at random.
        random_state: seed of what is drawn at random.

    Attributes:
        result_: everything that was found (:class:`pie.laws.Result`).
        law_: the law, or None where no equation passed.
        n_features_in_: columns of X.
        feature_names_in_: their names, if X had any.

    >>> x = np.linspace(0.5, 2.0, 40)
    >>> model = ImplicitRegressor(rounds=0).fit(np.column_stack([x, 1.0 / x]))
    >>> bool(abs(model.predict([[1.0, 1.0]])[0]) < 1e-9)
    True
    """

    def __init__(
        self,
        weights=None,
        beam=128,
        rounds=5,
        missing="error",
        max_points=MAX_POINTS,
        random_state=0,
    ):
        self.weights = weights
        self.beam = beam
        self.rounds = rounds
        self.missing = missing
        self.max_points = max_points
        self.random_state = random_state

    def fit(self, X, y=None) -> "ImplicitRegressor":
        """Search. ``y`` is ignored: no column plays a special part.

        Raises:
            BadTable: a table that cannot be used, quoting what is wrong.
        """
        config = PlusConfig(beam=self.beam, rounds=self.rounds)
        result = discover(
            X, self.weights, self.missing, self.max_points, config, int(self.random_state or 0)
        )
        named = isinstance(X, pd.DataFrame)
        columns = [str(c) for c in X.columns] if named else _default_names(X)
        if named:
            self.feature_names_in_ = np.array(columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_ = len(columns)
        self._names = columns
        self.result_: Result = result
        self.law_: Law | None = result.best
        return self

    def _equation(self) -> Law:
        check_is_fitted(self, "result_")
        if self.law_ is not None:
            return self.law_
        if not self.result_.candidates:
            raise ValueError("no equation could be fitted; there is nothing to predict with")
        return self.result_.candidates[0]

    def predict(self, X) -> np.ndarray:
        """Signed first-order distance of each row to the zero set, in the units of the data, (N,).

        Of the law; where none was found, of the best candidate.
        """
        equation = self._equation()
        used = [self._names.index(name) for name in equation.names]
        return equation.distance(self._checked(X)[:, used])

    def score(self, X, y=None) -> float:
        """Minus the root mean square of :meth:`predict`: 0 is a perfect fit."""
        return -float(np.sqrt(np.mean(self.predict(X) ** 2)))

    def _checked(self, X) -> np.ndarray:
        """X as numbers, (N, n_features_in_)."""
        if isinstance(X, pd.DataFrame) and hasattr(self, "feature_names_in_"):
            given = [str(c) for c in X.columns]
            if given != list(self.feature_names_in_):
                raise BadTable(
                    f"the columns are {', '.join(given)}; expected "
                    f"{', '.join(self.feature_names_in_)}"
                )
        try:
            points = np.asarray(X, np.float64)
        except (TypeError, ValueError) as error:
            raise BadTable(f"points are not numbers: {error}") from None
        if points.ndim != 2 or points.shape[1] != self.n_features_in_:
            raise BadTable(f"points have shape {points.shape}; expected (N, {self.n_features_in_})")
        return points


def _default_names(X) -> list[str]:
    return [f"x{j + 1}" for j in range(np.asarray(X).shape[1])]
