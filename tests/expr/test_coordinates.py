"""The same law in other coordinates."""

import numpy as np

from pie.expr.coordinates import in_units, substituted
from pie.expr.expression import parse


def test_substitution_and_its_inverse(rng):
    f = parse("x1**2*sin(x2) - exp(x1/x2) + 0.3")
    points = rng.uniform(0.5, 2.0, (50, 2))
    shift, scale = np.array([0.3, -2.0]), np.array([10.0, 0.01])
    there = substituted(f, shift, scale)
    np.testing.assert_allclose(there.values(shift + scale * points), f.values(points), rtol=1e-9)
    np.testing.assert_allclose(
        in_units(there, shift, scale).values(points), f.values(points), rtol=1e-9
    )


def test_nothing_is_written_where_nothing_changes():
    f = parse("x1 + x2 - 1")
    assert substituted(f, np.zeros(2), np.ones(2)) == f
    assert str(substituted(f, np.zeros(2), np.array([1.0, 2.0]))) == "x1 + x2/2.0 - 1.0"
