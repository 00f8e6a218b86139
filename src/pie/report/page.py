"""One page of all results: every figure and table in the paper's order, and what made it."""

import base64
import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

import yaml
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

HERE = Path(__file__).parent
LARGEST_SVG = 200_000  # bytes; beyond, the PNG is smaller
NO_HISTORY = "no git history"
NUMBER = re.compile(r"[-−+]?[\d.]+(e[-+]?\d+)?( %)?|–|")
LONG_WORD, OPERATOR = re.compile(r"\S{20,}"), re.compile(r"(?<!\*)\*(?!\*)|[/·(]")


class Stage(NamedTuple):
    """A stage of dvc.yaml; paths are from the root of the project.

    >>> stage = Stage("draw", "", (), ("reports/figures/a.svg", "reports/tables/paper"))
    >>> stage.makes("figures/a"), stage.makes("tables/paper/b"), stage.makes("figures/ab")
    (True, True, False)
    """

    name: str
    description: str
    commands: tuple[str, ...]
    outs: tuple[str, ...]

    def makes(self, stem: str) -> bool:
        """Whether an output is ``stem`` in reports/ with any suffix, or a folder that has it."""
        path = PurePosixPath("reports", stem)
        outs = [PurePosixPath(out) for out in self.outs]
        return any(path == out.with_suffix("") or path.is_relative_to(out) for out in outs)

    @property
    def notebooks(self) -> list[str]:
        """Notebooks that the stage runs."""
        words = [command.split() for command in self.commands]
        return [w[2] for w in words if w[:2] == ["python", "tools/notebook.py"]]


def stages(pipeline: Mapping) -> list[Stage]:
    """The stages of a parsed dvc.yaml, in its order."""
    found = []
    for name, stage in pipeline["stages"].items():
        given = [out for kind in ("outs", "metrics") for out in stage.get(kind, ())]
        outs = [path for out in given for path in ([out] if isinstance(out, str) else out)]
        commands = stage["cmd"] if isinstance(stage["cmd"], list) else [stage["cmd"]]
        found.append(Stage(name, stage.get("desc", ""), tuple(commands), tuple(outs)))
    return found


class Item(NamedTuple):
    """A figure or a table: its path in reports/ without suffix, its title, one sentence."""

    stem: str
    title: str
    caption: str = ""

    @property
    def anchor(self) -> str:
        """The title up to its first full stop, as an id: ``figure-4``."""
        return slug(self.title.partition(". ")[0])


_LISTED = yaml.safe_load((HERE / "contents.yaml").read_text(encoding="utf-8"))
SECTIONS = {title: [Item(*entry) for entry in items] for title, items in _LISTED.items()}


def stem_of(name: str) -> str:
    """A path without its suffix: what the files of one item share."""
    return str(PurePosixPath(name).with_suffix(""))


def slug(text: str) -> str:
    """Lower case, a dash for what is neither a letter, a digit, nor one of ``_`` and ``.``."""
    return re.sub(r"[^\w.]+", "-", text.lower()).strip("-")


def _unbroken(value: object) -> object:
    """Text in which no line ends before a per cent sign or within ``[0.1, 0.2]``.

    Whatever else is shown, as it is.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return re.sub(r" (?=%)|(?<=,) (?=[^][\s]+\])", "\u00a0", value)


def _breakable(cell: str) -> Markup:
    """A cell in whose long words a line may end after an operator or an opening bracket."""
    return Markup(
        LONG_WORD.sub(lambda m: OPERATOR.sub(r"\g<0><wbr>", m[0]), escape(_unbroken(cell)))
    )


PAGES = Environment(
    loader=FileSystemLoader(HERE), autoescape=True, keep_trailing_newline=True, finalize=_unbroken
)
PAGES.filters |= {"slug": slug, "breakable": _breakable}


def render(
    files: Mapping[str, bytes],
    pipeline: Sequence[Stage],
    commit: Callable[[Iterable[str]], str] | None,
) -> str:
    """The page, which loads nothing: images and style are within.

    All items of the paper are shown, others of :data:`SECTIONS` if there is a file or a stage for
    them; items that are not listed follow under "More". ``files`` are contents by path in reports/;
    ``commit`` gives the last one that changed some of them, None where there is no git.
    """
    listed = {item.stem for items in SECTIONS.values() for item in items}
    more = [Item(stem, stem) for stem in sorted({stem_of(name) for name in files} - listed)]
    shown = []
    for title, items in (SECTIONS | ({"More": more} if more else {})).items():
        entries = [_entry(item, files, pipeline, commit) for item in items]
        kept = [e for e in entries if e["files"] or e["makers"] or title == "The paper"]
        shown.append((title, kept))
    style = Markup((HERE / "page.css").read_text(encoding="utf-8"))
    return PAGES.get_template("page.html").render(sections=shown, pipeline=pipeline, style=style)


def _entry(item: Item, files: Mapping[str, bytes], pipeline: Sequence[Stage], commit) -> dict:
    """What the template needs to know of an item."""
    own = {PurePosixPath(n).suffix: n for n in sorted(files) if stem_of(n) == item.stem}
    makers = [stage for stage in pipeline if stage.makes(item.stem)]
    return {
        "item": item,
        "makers": makers,
        "commands": "; ".join(c for s in makers for c in s.commands),
        "notebooks": dict.fromkeys(name for s in makers for name in s.notebooks),
        "files": [(quote(name), suffix[1:] or name) for suffix, name in own.items()],
        "commit": f"commit {commit(own.values())}" if commit and own else NO_HISTORY,
        **_content({suffix: files[name] for suffix, name in own.items()}),
    }


def _content(own: Mapping[str, bytes]) -> dict:
    """Of the files of an item, by suffix: the picture, else the table."""
    if ".svg" in own and len(own[".svg"]) <= LARGEST_SVG:
        return {"image": _image("svg+xml", own[".svg"])}
    if ".png" in own:
        return {"image": _image("png", own[".png"])}
    return _table(own[".csv"].decode()) if ".csv" in own else {}


def _image(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _table(text: str) -> dict:
    """Rows of a CSV, the first one its heading; columns of numbers are marked."""
    rows = list(csv.reader(io.StringIO(text)))
    numbers = [all(NUMBER.fullmatch(row[i]) for row in rows[1:]) for i in range(len(rows[0]))]
    return {"rows": rows, "numeric": [Markup(' class="number"') if n else "" for n in numbers]}
