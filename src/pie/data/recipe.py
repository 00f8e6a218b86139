"""What a corpus is made from, and its first skeletons: the same bytes on every processor."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from .benchmarks import HELD_OUT, read_equations
from .corpus import Corpus

FIRST = 16  # items


def first_skeletons(corpus: Corpus) -> list[str]:
    """Tokens of the first items."""
    return [" ".join(corpus[k].target.tokens) for k in range(FIRST)]


def write_recipes(corpora: Mapping[str, Corpus], benchmarks: Path, folder: Path) -> None:
    """For each corpus ``NAME.json``, its recipe, and ``NAME.txt``, skeletons of its first items.

    The recipe is the settings, and a digest of the test equations that are held out. Training
    depends on it alone: what is computed could differ in a last bit.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    equations = [str(e) for n in HELD_OUT for e in read_equations(benchmarks, n).values()]
    held_out = hashlib.sha256("\n".join(equations).encode()).hexdigest()[:16]
    for name, corpus in corpora.items():
        recipe = {"settings": asdict(corpus.config), "held_out": held_out}
        (folder / f"{name}.json").write_text(json.dumps(recipe, indent=2) + "\n")
        (folder / f"{name}.txt").write_text("\n".join(first_skeletons(corpus)) + "\n")
