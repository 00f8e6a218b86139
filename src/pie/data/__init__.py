"""Equations and points: random ones, test sets, validation problems, noise."""
