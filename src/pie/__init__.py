"""PIE: implicit equations f(x) = 0 from a cloud of points, without degenerate answers."""

__version__ = "0.1.0"
