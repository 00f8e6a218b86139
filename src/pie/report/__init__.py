"""Rows to figures and tables; nothing here computes a result."""
