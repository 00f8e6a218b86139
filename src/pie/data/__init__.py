"""Random equations, sampling, corpora, test sets, validation problems, noise."""
