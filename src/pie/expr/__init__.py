"""Expressions: operators, values and derivatives, canonical form, text and tokens."""
