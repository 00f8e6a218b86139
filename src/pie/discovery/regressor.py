"""scikit-learn's conventions for discovery: ``fit(X)`` without y, ``predict``, ``score``."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "ImplicitRegressor needs scikit-learn: pip install scikit-learn"
    ) from error

from ..search.plus import PlusConfig
from .laws import discover
from .measurements import MAX_POINTS
from .result import Law, Result


@dataclass(eq=False, repr=False)
class ImplicitRegressor(BaseEstimator):
    """An implicit equation f(x) = 0 that the rows of X obey.

    Args:
        weights: folder of a network; None = the released one.
        beam: skeletons that the network proposes for each choice of coordinates.
        proposers: names of :data:`pie.search.plus.PROPOSERS`, in the order in which they are asked.
        missing: ``error``, or ``drop`` for rows in which a value is missing.
        max_points: more are thinned at random.
        random_state: seed of what is drawn at random; None = 0.
        uncertainties, units: of the columns, by name or in order; see :func:`pie.discover`.
        operators, involving, max_sets, seconds: as there.

    Attributes:
        result_: everything that was found (:class:`pie.discovery.result.Result`).
        law_: the law, or None where no equation passed.
        n_features_in_: columns of X.
        feature_names_in_: their names, if X had any.

    >>> x = np.linspace(0.5, 2.0, 40)
    >>> model = ImplicitRegressor(proposers=("relations",)).fit(np.column_stack([x, 1.0 / x]))
    >>> bool(abs(model.predict([[1.0, 1.0]])[0]) < 1e-9)
    True
    """

    weights: Path | str | None = None
    beam: int = PlusConfig.beam
    proposers: Sequence[str] = PlusConfig.proposers
    missing: str = "error"
    max_points: int = MAX_POINTS
    random_state: int | None = 0
    uncertainties: Mapping[str, float] | Sequence[float] | None = None
    units: Mapping[str, str] | Sequence[str] | None = None
    operators: Sequence[str] = ()
    involving: str | Sequence[str] = ()
    max_sets: int = 20
    seconds: float = 600.0

    def fit(self, X, y=None) -> "ImplicitRegressor":
        """Search; ``y`` is ignored. ValueError quotes what is wrong with the table."""
        checked = self._checked(
            X, dtype=None, ensure_min_samples=2, ensure_min_features=2,
            ensure_all_finite="allow-nan",
        )  # fmt: skip
        own = getattr(self, "feature_names_in_", range(checked.shape[1]))
        self._names = [*(X.columns if isinstance(X, pd.DataFrame) else own)]
        how = self.get_params()
        config = PlusConfig(beam=how.pop("beam"), proposers=tuple(how.pop("proposers")))
        seed = int(how.pop("random_state") or 0)
        frame = pd.DataFrame(checked, columns=self._names)
        self.result_: Result = discover(frame, config=config, seed=seed, **how)
        self.law_: Law | None = self.result_.best
        return self

    def predict(self, X) -> np.ndarray:
        """Signed first-order distance of each row to the zero set, in the units of the data, (N,).

        Of the law; where none was found, of the best candidate; nan where there is none either.
        """
        check_is_fitted(self, "result_")
        gaps = "allow-nan" if self.missing == "drop" else True
        points = self._checked(X, reset=False, dtype=None, ensure_all_finite=gaps)
        equation = self.law_ or next(iter(self.result_.candidates), None)
        if equation is None:
            return np.full(len(points), np.nan)
        return equation.distance(pd.DataFrame(points, columns=self._names))

    def score(self, X, y=None) -> float:
        """Minus the root mean square of :meth:`predict`, of complete rows: 0 is a perfect fit."""
        away = self.predict(X)
        known = away[~np.isnan(away)]
        with np.errstate(over="ignore"):
            return -float(np.sqrt(np.mean(known**2))) if len(known) else math.nan

    @np.errstate(all="ignore")
    def _checked(self, X, **how) -> np.ndarray:
        """scikit-learn's checks, which warn of sums that overflow and of sparse frames."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "pandas.DataFrame with sparse columns")
            if isinstance(X, pd.DataFrame):  # dates beside numbers have no common type
                X = X.astype({name: object for name in X.select_dtypes(["datetime", "datetimetz"])})
            return validate_data(self, X, **how)
