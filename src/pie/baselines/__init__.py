"""The baselines of Tables 1 and 2, and others."""
