"""What the page of all results shows: the sections of contents.yaml, in the paper's order."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import yaml

from .provenance import Stage


class Item(NamedTuple):
    """A figure or a table: its path in reports/ without suffix, its title, one sentence."""

    stem: str
    title: str
    caption: str = ""

    @property
    def anchor(self) -> str:
        """What stands before the first full stop of the title, as an id.

        >>> Item("figures/robustness", "Figure 4. Robustness").anchor
        'figure-4'
        """
        return slug(self.title.partition(". ")[0])


_LISTED = yaml.safe_load(Path(__file__).with_name("contents.yaml").read_text(encoding="utf-8"))
SECTIONS = {title: [Item(*entry) for entry in items] for title, items in _LISTED.items()}


def sections(names: Iterable[str], pipeline: Sequence[Stage]) -> dict[str, list[Item]]:
    """:data:`SECTIONS`, then under "More" every other item of which there is a file.

    The paper's items are always there; an item beyond it, if there is a file or a stage for it.
    """
    present = {stem_of(name) for name in names}

    def shown(item: Item, section: str) -> bool:
        made = item.stem in present or any(stage.makes(item.stem) for stage in pipeline)
        return made or section == "The paper"

    found = {title: [i for i in items if shown(i, title)] for title, items in SECTIONS.items()}
    listed = {item.stem for items in SECTIONS.values() for item in items}
    more = [Item(stem, stem) for stem in sorted(present - listed)]
    return found | ({"More": more} if more else {})


def stem_of(name: str) -> str:
    """A path without its suffix: what the files of one item share."""
    return str(PurePosixPath(name).with_suffix(""))


def slug(text: str) -> str:
    """Lower case, with a dash for what is neither a letter, a digit, nor one of ``_`` and ``.``."""
    return re.sub(r"[^\w.]+", "-", text.lower()).strip("-")
