"""Rows to figures and tables; Figures 2 and 3 run the searches that they show."""
