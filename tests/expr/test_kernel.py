"""The kernel against SymPy in 30 digits: values, and derivatives in x, in c and in both."""

import os
import platform
import subprocess
import sys

import mpmath
import numpy as np
import pytest
import sympy
from processors import SLOW, own

from pie.data.generator import GeneratorConfig, random_tree
from pie.expr import elementary, kernel
from pie.expr.derivatives import derivatives
from pie.expr.expression import from_tree, parse
from pie.expr.sympy_bridge import to_sympy

CONFIG = GeneratorConfig(insertion_probability=0.7, min_operators=2, max_operators=6)
ROWS = {
    "exp": elementary.exp_row,
    "log": elementary.log_row,
    "sin": lambda row: elementary.wave_row(row, False),
    "cos": lambda row: elementary.wave_row(row, True),
}
X = sympy.symbols("x1:4", real=True)


def programs(n, seed=5):
    """Random programs with constants; one in six has a free exponent."""
    rng = np.random.default_rng(seed)
    made = []
    while len(made) < n:
        tree = random_tree(rng, CONFIG)
        if len(made) % 6 == 0:
            tree = ("pow", ("add", ("pow2", ("x", 2)), ("c", 0.3)), tree)
        f = from_tree(tree)
        if f.constants and f.variables and len(f.constants) <= 4:
            made.append(f)
    return made


def exactly(functions, numbers):
    """Values in 30 digits, nan where they are not real; None where one is undefined."""
    with mpmath.workdps(30):
        try:
            values = [complex(f(*map(mpmath.mpf, numbers))) for f in functions]
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):
            return None
    return np.array([v.real if abs(v.imag) < 1e-25 else np.nan for v in values])


def test_values_and_all_derivatives_agree_with_sympy_to_ten_digits():
    rng = np.random.default_rng(0)
    checked = skipped = 0
    for f in programs(60):
        constants = sympy.symbols(f"c1:{len(f.constants) + 1}", real=True)
        symbolic = to_sympy(f, constants)
        first = [symbolic] + [sympy.diff(symbolic, s) for s in (*X, *constants)]
        mixed = [sympy.diff(d, c) for d in first[1:4] for c in constants]
        functions = [sympy.lambdify((*X, *constants), e, "mpmath") for e in first + mixed]
        columns = rng.uniform(0.2, 2.0, (3, 3)) * rng.choice([-1.0, 1.0], (3, 3))
        mine = derivatives(*f.arrays, columns, 3, len(f.constants))
        for i in range(3):
            numbers = [*columns[:, i], *f.constants]
            exact = exactly(functions, numbers)
            nearby = exactly(functions, [v * (1.0 + 1e-12) for v in numbers])
            if exact is None or nearby is None or np.abs(exact).max() > 1e8:
                skipped += 1
                continue
            size = np.maximum(1.0, np.abs(exact))
            steady = np.abs(nearby - exact) <= 1e-10 * size  # well conditioned, and real
            skipped += not steady.all()
            ours = mine[:, i]
            both = steady & np.isfinite(ours)
            assert np.all(np.abs(ours - exact)[both] <= 1e-10 * size[both]), (str(f), numbers)
            assert np.isfinite(ours[0]) or np.isnan(exact[0]) or np.isnan(exact).any(), str(f)
            checked += both.sum()
    assert checked > 1200 and skipped < 60, (checked, skipped)


def units_in_the_last_place(found, expected):
    """Distances from values in extended precision, (N,)."""
    spacing = np.spacing(np.abs(expected.astype(float)))
    return np.abs(found.astype(np.longdouble) - expected) / spacing


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision")
@pytest.mark.parametrize(
    "name, ranges, most",
    [
        ("exp", [(-700, 700), (-1, 1)], 1.0),
        ("log", [(1e-300, 1e-9), (0.5, 2), (1, 1e9)], 0.8),
        ("sin", [(-4, 4), (-1e6, 1e6)], 1.5),
        ("cos", [(-4, 4), (-1e6, 1e6)], 1.5),
    ],
    ids=["exp", "log", "sin", "cos"],
)
def test_vector_functions_are_as_exact_as_they_say(name, ranges, most, rng):
    """Of rows of any length; extended precision is the oracle."""
    for n in (1, 3, 7, 8, 9, 20_000):
        for low, high in ranges:
            row = rng.uniform(low, high, n)
            expected = getattr(np, name)(row.astype(np.longdouble))
            ROWS[name](row)
            assert units_in_the_last_place(row, expected).max() <= most


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision")
def test_powers_are_as_exact_as_they_say(rng):
    base, exponents = np.exp(rng.uniform(-90, 90, 20_000)), rng.uniform(-7, 7, 20_000)
    expected = base.astype(np.longdouble) ** exponents.astype(np.longdouble)
    elementary.pow_row(base, exponents)
    normal = (base > 1e-300) & (base < 1e300)
    assert units_in_the_last_place(base[normal], expected[normal]).max() <= 1.1


BITS = """
import hashlib, numpy as np
from pie.expr import elementary
far, near = np.arange(-9999.0, 9999.0) / 14.0, np.arange(-9999.0, 9999.0) / 4096.0
found = []
sine = lambda row: elementary.wave_row(row, False)
cosine = lambda row: elementary.wave_row(row, True)
for f in (elementary.exp_row, elementary.log_row, sine, cosine):
    for given in (far, near, np.ldexp(1.0 + np.abs(near), np.arange(len(near)) % 600 - 300)):
        row = given.copy()
        f(row)
        found.append(np.where(np.isnan(row), 7.0, row))
row = np.abs(near) + 0.25
elementary.pow_row(row, far / 128.0)
print(hashlib.sha256(np.concatenate([*found, row]).tobytes()).hexdigest()[:16])
"""
OTHERS = {"as released": {}, "all of this processor": own(), "no vectors": SLOW}


@pytest.mark.slow
@pytest.mark.parametrize("environment", OTHERS.values(), ids=OTHERS)
def test_vector_functions_have_the_same_bits_on_every_processor(environment, tmp_path):
    if environment and platform.machine() != "x86_64":
        pytest.skip("another architecture")
    env = os.environ | environment | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", BITS], env=env, capture_output=True, text=True)
    assert done.stdout.strip() == "959fb9e3d07cbb2b", done.stderr


def test_vector_functions_know_their_domains():
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, 720.0, -800.0, 1e22])
    with np.errstate(all="ignore"):
        for name in ("exp", "sin", "cos"):
            row = special.copy()
            ROWS[name](row)
            np.testing.assert_allclose(row, getattr(np, name)(special), rtol=1e-15)
    row = special.copy()
    elementary.log_row(row)
    assert np.isnan(row[[0, 2, 3, 4, 7]]).all() and row[1] == np.inf
    base = np.array([-8.0, -8.0, 0.0, 0.0, 2.0])
    elementary.pow_row(base, np.array([3.0, 0.5, 2.0, -1.0, np.nan]))
    np.testing.assert_array_equal(base, [-512.0, np.nan, 0.0, np.inf, np.nan])


def test_what_does_not_depend_stays_zero_beside_a_pole():
    """0·inf is not nan: 1/x1 at 0 does not depend on x2 or on the constant of the other term."""
    f = parse("1/x1 + 3*x2")
    jet = derivatives(*f.arrays, np.array([[0.0], [2.0]]), 2, 2)
    assert jet[2, 0] == 3.0 and jet[4, 0] == 2.0  # in x2, in the second constant
    assert jet[8, 0] == 1.0  # in both


def test_a_power_of_0_does_not_change_with_its_exponent():
    """x**p·ln x is 0 at x = 0 for p > 0; for p < 1 its slope in x is infinite."""
    slopes = [derivatives(*parse(f"x1**{p}").arrays, np.zeros((1, 1)), 1, 1) for p in (0.3, 1.7)]
    np.testing.assert_array_equal([s[:3, 0] for s in slopes], [[0.0, np.inf, 0.0], [0.0] * 3])


def test_the_stack_is_as_deep_as_it_has_to_be():
    texts = ["x1", "x1 + (x2 + x3)", "(x1 + x2) + x3", "sin(x1)*(x2 - x1/x3)"]
    assert [kernel.stack_depth(parse(t).arrays[0]) for t in texts] == [1, 2, 3, 2]
