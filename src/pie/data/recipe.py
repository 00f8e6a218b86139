"""Recipes of the corpora and their first skeletons, identical on every processor."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from ..expr.expression import Expression
from .benchmarks import HELD_OUT, read_equations
from .corpus import Corpus, CorpusConfig, HeldOut

FIRST = 16  # items


def _held_out(benchmarks: Path) -> list[Expression]:
    return [e for name in HELD_OUT for e in read_equations(benchmarks, name).values()]


def corpora(config: CorpusConfig, benchmarks: Path) -> tuple[Corpus, Corpus]:
    """Training corpus and validation corpus (seed + 1), both without the test equations."""
    held_out = HeldOut(_held_out(benchmarks))
    return Corpus(config, held_out), Corpus(replace(config, seed=config.seed + 1), held_out)


def first_skeletons(corpus: Corpus) -> list[str]:
    """Target skeletons of the first items, tokens joined by spaces."""
    return [" ".join(corpus[k].target.tokens) for k in range(FIRST)]


def write_recipes(corpora: Mapping[str, Corpus], benchmarks: Path, folder: Path) -> None:
    """Write ``NAME.json``, the recipe, and ``NAME.txt``, the first skeletons, of each corpus.

    A recipe is the settings and a digest of the held-out test equations. Training depends on it,
    not on the points, whose last bits may differ between processors.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    equations = "\n".join(map(str, _held_out(benchmarks)))
    held_out = hashlib.sha256(equations.encode()).hexdigest()[:16]
    for name, corpus in corpora.items():
        recipe = {"settings": asdict(corpus.config), "held_out": held_out}
        (folder / f"{name}.json").write_text(json.dumps(recipe, indent=2) + "\n")
        (folder / f"{name}.txt").write_text("\n".join(first_skeletons(corpus)) + "\n")
