"""What a corpus is made from, and its first skeletons: the same bytes on every processor."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from .corpus import Corpus

FIRST = 16  # items


def first_skeletons(corpus: Corpus) -> list[str]:
    """Tokens of the first items."""
    return [" ".join(corpus[k].target.tokens) for k in range(FIRST)]


def write_recipes(corpora: Mapping[str, Corpus], folder: Path) -> None:
    """``NAME.json``, the settings, for each corpus; ``NAME.txt``, the skeletons of its first items.

    Training depends on the settings only: what is computed could differ in a last bit.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, corpus in corpora.items():
        settings = json.dumps(asdict(corpus.config), indent=2)
        (folder / f"{name}.json").write_text(settings + "\n")
        (folder / f"{name}.txt").write_text("\n".join(first_skeletons(corpus)) + "\n")
