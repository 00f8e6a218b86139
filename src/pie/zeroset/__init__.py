"""The zero set of an equation: points on it, distances to it, degeneracy."""
