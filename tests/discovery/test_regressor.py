import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import pie
from pie import ImplicitRegressor
from pie.discovery import laws, measurements, pretrained


def hyperbola(n=60):
    x = np.random.default_rng(0).uniform(0.5, 2.0, n)
    return np.column_stack([x, np.full(n, 7.0), 3.0 / x])


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(hyperbola(), columns=["p", "k", "v"])


@pytest.fixture(scope="module")
def fitted(frame):
    return ImplicitRegressor().fit(frame)


def test_it_fits_without_y_and_measures_distances(fitted, frame):
    assert fitted.fit(frame, np.zeros(len(frame))).law_ is not None, "y is ignored"
    assert np.abs(fitted.predict(frame)).max() < 1e-9 and fitted.score(frame) > -1e-9
    off = fitted.predict(frame.assign(v=frame.v + 0.01))
    assert (np.sign(off) == np.sign(off[0])).all() and 1e-3 < np.abs(off).mean() < 1e-2


def test_columns_keep_their_names_and_a_constant_one_is_left_out(fitted, frame):
    assert list(fitted.feature_names_in_) == ["p", "k", "v"] and fitted.n_features_in_ == 3
    assert fitted.result_.names == ("p", "v")
    assert {s.name for s in fitted.law_.expression.free_symbols} == {"p", "v"}
    with pytest.raises(ValueError, match="names should match"):
        fitted.predict(frame[["v", "k", "p"]])


def test_it_can_be_cloned_pickled_and_asked_for_its_parameters(fitted, frame):
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(frame), fitted.predict(frame))
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params() and not hasattr(fresh, "result_")
    assert fresh.set_params(beam=8).beam == 8


def test_it_is_a_step_of_a_pipeline():
    cloud = hyperbola()[:, [0, 2]]
    pipeline = make_pipeline(StandardScaler(), ImplicitRegressor()).fit(cloud)
    assert pipeline.score(cloud) > -1e-6


def test_it_says_when_it_was_not_fitted_or_gets_other_points(fitted):
    with pytest.raises(NotFittedError):
        ImplicitRegressor().predict(hyperbola())
    other = ImplicitRegressor(proposers=("relations", "network"), beam=2).fit(hyperbola())
    with pytest.raises(ValueError, match="X has 2 features, but ImplicitRegressor is expecting 3"):
        other.predict(hyperbola()[:, :2])
    with pytest.raises(ValueError, match="row 1, column 'x1' is 'a'; expected a number"):
        other.predict([["a", "b", "c"]])


def test_without_a_law_the_best_candidate_measures_and_law_is_none():
    cloud = np.random.default_rng(0).standard_normal((100, 2))
    fitted = ImplicitRegressor(proposers=("relations", "network"), beam=16).fit(cloud)
    assert fitted.law_ is None and np.isfinite(fitted.predict(cloud)).all()
    assert not hasattr(fitted, "feature_names_in_")


def test_no_equation_at_all_measures_nothing(monkeypatch, fitted):
    empty = clone(fitted).fit(hyperbola())
    empty.result_ = replace(empty.result_, candidates=())
    empty.law_ = None
    assert np.isnan(empty.predict(hyperbola())).all()


OTHERWISE = {"check_dtype_object": "the message quotes row, column and value, in other words"}


@pytest.mark.slow
@parametrize_with_checks(
    [ImplicitRegressor(beam=2, proposers=("network",))],
    expected_failed_checks=lambda _: OTHERWISE,
)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_the_package_offers_what_a_user_needs_and_nothing_else():
    assert pie.discover is laws.discover and pie.from_pretrained is pretrained.from_pretrained
    assert pie.ImplicitRegressor is ImplicitRegressor and pie.BadTable is measurements.BadTable
    assert {name for name in dir(pie) if name[0] != "_"} == set(pie.__all__)
    assert len(pie.__all__) == 8
    with pytest.raises(AttributeError, match="no attribute 'disc'"):
        _ = pie.disc


def test_all_names_are_those_that_can_be_imported_without_the_extras():
    asked = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import pie; from pie import *; print({*pie.HOMES} - {*pie.__all__}, 'plot' in dir(pie))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert done.stdout == "{'ImplicitRegressor'} True\n", done.stderr


def test_importing_the_package_imports_nothing_that_takes_long():
    asked = "import sys, pie; print({'torch', 'numba', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_predict_takes_the_table_of_fit():
    x = np.linspace(0.5, 2.0, 40)
    table = pd.DataFrame({"name": ["a", "b"] * 20, "x": x, "y": 3.0 / x})
    model = ImplicitRegressor(proposers=("relations",), missing="drop").fit(table)
    assert np.abs(model.predict(table)).max() < 1e-9
    table.loc[3, "x"] = np.nan
    assert np.flatnonzero(np.isnan(model.predict(table))).tolist() == [3]
    assert model.score(table) > -1e-9 and np.isnan(model.score(table.assign(x=np.nan)))
    table["x"] = ["na" if k == 5 else str(value) for k, value in enumerate(table.x)]
    assert np.flatnonzero(np.isnan(model.predict(table))).tolist() == [3, 5]


def test_dates_are_columns_as_they_are_for_discover():
    days = pd.date_range("2001-01-01", periods=60, freq="30D")
    years = (days - days[0]) / pd.Timedelta(365.25, "D")
    table = pd.DataFrame({"date": days, "y": 3.0 + 0.5 * years})
    fitted = ImplicitRegressor(proposers=("shapes",)).fit(table)
    assert fitted.law_.scales[0].unit == "years"
    assert np.abs(fitted.predict(table)).max() < 0.01
