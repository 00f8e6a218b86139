"""Problems of the validation split on which no choice has been made."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..data.benchmarks import Problem
from ..data.recipe import corpora
from ..data.validation import noisy_problems
from .settings import Settings


def fresh_problems(
    settings: Settings, benchmarks: Path, noise: Sequence[float], each: int, first: int
) -> list[Problem]:
    """``each`` problems the paper's way and of the mixture, per noise and number of variables.

    ``noise`` are levels in spreads of the columns; ``first`` is the first item of the validation
    split that may be used. The mixture's own noise and outliers are left out.
    """
    clean = replace(settings.corpus_plus.mixture, share=1.0, noisy=0.0, outliers=0.0)
    sources = {"paper": settings.corpus, "mixture": replace(settings.corpus_plus, mixture=clean)}
    drawn = [(name, corpora(config, benchmarks)[1]) for name, config in sources.items()]
    return noisy_problems(drawn, noise, each, first)
