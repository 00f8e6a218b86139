"""The test set of noisy laws: its file agrees with itself. Nothing is searched here."""

from collections import Counter

import numpy as np
import pytest
import sympy

from pie.data.benchmarks import read_equations, read_rows
from pie.data.corpus import HeldOut
from pie.data.field import POINTS, field
from pie.expr.canonical import canonical
from pie.expr.expression import parse

LAWS, FIELDS, POLYNOMIALS, NEW = 112, 34, 26, 48


@pytest.fixture(scope="module")
def problems(root):
    return field(root / "data/field")


@pytest.fixture(scope="module")
def rows(root):
    return read_rows(root / "data/field/field.csv")


def test_the_set_is_what_the_documents_say(rows, root):
    text = (root / "docs/data.md").read_text()
    assert f"{LAWS} laws of two or three columns from {FIELDS} fields" in text
    assert len(rows) == LAWS and len({row["field"] for row in rows}) == FIELDS
    assert len({row["name"] for row in rows}) == LAWS and all(row["source"] for row in rows)


def test_fewer_than_a_third_are_polynomials(rows):
    forms = [sympy.sympify(row["equation"].replace("ln", "log")) for row in rows]
    cleared = [sympy.numer(sympy.together(form)) for form in forms]
    assert sum(bool(f.is_polynomial(*f.free_symbols)) for f in cleared) == POLYNOMIALS < LAWS / 3


def test_no_form_is_that_of_another_test_set(problems, root):
    """Under no naming of the variables, whatever the constants."""
    held_out = HeldOut([p.truth for p in problems], tolerance=np.inf)
    for name in ("feynman", "synthetic", "synthetic_printed", "wild", "examples"):
        others = read_equations(root / "data/benchmarks", name)
        assert [key for key, other in others.items() if canonical(other) in held_out] == [], name


def test_no_form_is_there_twice(problems):
    forms = [HeldOut([p.truth], tolerance=np.inf) for p in problems]
    for p in problems:
        assert sum(canonical(p.truth) in form for form in forms) == 1, p.equation_id


def test_so_many_forms_are_new_to_the_prior(problems, root):
    prior = read_rows(root / "data/prior/formulas.csv")
    known = [canonical(parse(row["equation"])) for row in prior]
    forms = [HeldOut([p.truth], tolerance=np.inf) for p in problems]
    assert sum(not any(other in form for other in known) for form in forms) == NEW


def test_every_law_uses_all_columns_and_a_way_of_its_own(problems, rows):
    for problem, row in zip(problems, rows, strict=True):
        d = problem.n_variables
        assert d in (2, 3) and problem.truth.variables == tuple(range(1, d + 1)), row["name"]
        assert 0.003 <= float(row["noise"]) <= 0.1, row["name"]
        asked = POINTS[row["way"]]
        assert asked / 2 <= len(problem.points) <= asked and np.isfinite(problem.points).all()
    assert min(Counter(row["way"] for row in rows).values()) > LAWS / 6


def test_points_lie_off_their_law_by_the_noise_that_is_named(problems, rows):
    """To first order |f| / |∇f·σ| is the size of a standard normal number, 0.67 in the median."""
    for problem, row in zip(problems, rows, strict=True):
        sd = float(row["noise"]) * problem.points.std(axis=0)
        with np.errstate(all="ignore"):
            value, gradient = problem.truth.value_and_gradient(problem.points)
            off = np.abs(value) / np.linalg.norm(gradient * sd, axis=1)
        assert np.isfinite(off).mean() > 0.7, row["name"]
        assert 0.35 < np.nanmedian(off) < 1.2, (row["name"], np.nanmedian(off))
