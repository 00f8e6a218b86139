"""Methods on test sets: answers, scores, rows, and what they say."""
