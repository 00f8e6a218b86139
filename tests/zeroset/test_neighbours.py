"""Neighbours and their groups, beside SciPy's."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

from pie.zeroset.neighbours import groups_of_neighbours, squared_distances, ward


def test_distances_are_those_of_scipy(rng):
    points, others = rng.standard_normal((30, 3)), rng.standard_normal((20, 3))
    np.testing.assert_allclose(squared_distances(points, others), cdist(points, others) ** 2)


@pytest.mark.parametrize("groups", [1, 2, 8, 50, 100])
def test_wards_groups_are_those_of_scipy(rng, groups):
    points = rng.standard_normal((100, 2))
    ours, theirs = ward(points, groups), fcluster(linkage(points, "ward"), groups, "maxclust")
    pairs = {*zip(ours.tolist(), theirs.tolist(), strict=True)}
    assert len(pairs) == len({*ours.tolist()}) == len({*theirs.tolist()}) == groups


def test_points_on_a_grid_and_equal_points_are_grouped(rng):
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 2), -1).reshape(-1, 2)
    assert len(np.unique(ward(np.concatenate([grid, grid]), 9))) == 9


def test_whole_numbers_are_grouped_as_their_values(rng):
    points, free = rng.integers(0, 100, (60, 2)), np.zeros(2, bool)
    groups = groups_of_neighbours(points, free)
    np.testing.assert_array_equal(groups, groups_of_neighbours(points.astype(float), free))


def test_few_values_that_were_set_make_few_groups(rng):
    points = np.column_stack([np.repeat(np.arange(7.0), 20), rng.standard_normal(140)])
    free, some = (groups_of_neighbours(points, np.array([set_, False])) for set_ in (False, True))
    assert (free.max(), some.max()) == (8, 2)
