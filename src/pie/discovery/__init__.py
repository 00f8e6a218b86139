"""A table to its laws: columns, certificate, result, regressor, command line."""
