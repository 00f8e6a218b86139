"""Constants of a skeleton: the paper's fit, Sampson fits, standard errors."""
