"""Points to ranked equations: Algorithm 2 of the paper, and PIE+."""
