"""The obvious laws: points that obey them, and errors where they are said to be."""

import numpy as np
import pytest

from pie.data.obvious import LAWS, POINTS, problems
from pie.expr.expression import parse
from pie.zeroset.distance import distance_to_zero_set

NAMED = pytest.mark.parametrize("law", LAWS, ids=[law.name for law in LAWS])


def drawn(law, noise, seed=3):
    (found,) = (p for p in problems([noise], [seed]) if p.equation_id == f"{law.name}-{seed}")
    return found.points


def test_every_law_has_a_name_of_its_own_and_comes_at_every_level_with_every_seed():
    assert len({law.name for law in LAWS}) == len(LAWS) == 15
    made = problems([0.0, 0.01], iter([1, 2, 3]))
    assert len({(p.equation_id, p.sampling) for p in made}) == len(made) == 15 * 2 * 3
    assert made[0].equation_id == "proportionality-1" and made[-1].sampling == "noise 0.01"


@NAMED
def test_points_without_noise_obey_their_law_to_rounding(law):
    points, f = drawn(law, 0.0), parse(law.equation)
    assert points.shape == (POINTS, max(f.variables))
    assert (distance_to_zero_set(f, points) / points.std(axis=0).min()).max() < 1e-12


@NAMED
def test_errors_are_in_the_last_column_alone_but_for_closed_curves(law):
    """And a tenth of its spread."""
    off = drawn(law, 0.1) - drawn(law, 0.0)
    share = off.std(axis=0) / drawn(law, 0.0).std(axis=0)
    wrong = [0.1] * len(share) if law.ends is None else [0.0] * (len(share) - 1) + [0.1]
    np.testing.assert_allclose(share, wrong, atol=0.03)


@NAMED
def test_inputs_are_within_their_ends_and_reach_them(law):
    points = drawn(law, 0.0)
    if law.ends is None:
        f = parse(law.equation)
        signs = {tuple(row) for row in np.sign(points).astype(int)}
        assert len(signs) == 4 and f.variables == (1, 2), "all around the curve"
        return
    low, high = law.ends
    inputs = points[:, :-1]
    assert low <= inputs.min() < low + 0.1 * (high - low)
    assert high - 0.1 * (high - low) < inputs.max() <= high


def test_points_are_a_function_of_law_and_seed_and_not_of_one_another():
    (first,), (again,) = (
        [p.points for p in problems([0.01], [seed]) if p.equation_id.startswith("line")]
        for seed in (4, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(drawn(LAWS[1], 0.01, 5), first)
    two_columns = [drawn(law, 0.0)[:, 0] for law in LAWS if law.ends == (-2.0, 4.0)]
    assert len(two_columns) == 2 and not np.array_equal(*two_columns)
