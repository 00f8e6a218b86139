"""One page of all results: every figure and table in the paper's order, and what made it."""

import base64
import csv
import html
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from .contents import Item, sections, slug, stem_of
from .provenance import NO_HISTORY, History, Stage

HERE = Path(__file__).parent
LARGEST_SVG = 200_000  # bytes; beyond, the PNG is smaller
NUMBER = re.compile(r"[-−+]?[\d.]+(e[-+]?\d+)?( %)?|–|")


def _attribute(text: str) -> Markup:
    return Markup(html.escape(text))


def _text(text: str) -> Markup:
    """Escaped, and no line ends before a per cent sign."""
    return _attribute(text).replace(" %", "\u00a0%")


PAGES = Environment(loader=FileSystemLoader(HERE), autoescape=True, keep_trailing_newline=True)
PAGES.filters |= {"text": _text, "attribute": _attribute, "slug": slug}


def render(files: Mapping[str, bytes], pipeline: Sequence[Stage], history: History | None) -> str:
    """The page, which loads nothing: images and style are within.

    Args:
        files: contents of the files of reports/figures and reports/tables, by path in reports/.
        pipeline: from :func:`pie.report.provenance.stages`.
        history: what git knows of ``files``; None where there is no git.
    """
    shown = [
        (title, [_entry(item, files, pipeline, history) for item in items])
        for title, items in sections(files, pipeline).items()
    ]
    style = Markup((HERE / "page.css").read_text(encoding="utf-8"))
    page = PAGES.get_template("page.html")
    return page.render(sections=shown, pipeline=pipeline, style=style)


def _entry(item: Item, files: Mapping[str, bytes], pipeline, history: History | None) -> dict:
    """What the template shows of an item: its picture, else its table, else its text."""
    own = {PurePosixPath(n).suffix: n for n in sorted(files) if stem_of(n) == item.stem}
    makers = [stage for stage in pipeline if stage.makes(item.stem)]
    entry = {
        "item": item,
        "makers": makers,
        "commands": "; ".join(c for s in makers for c in s.commands),
        "notebooks": dict.fromkeys(name for s in makers for name in s.notebooks),
        "files": [(quote(name), suffix[1:] or name) for suffix, name in own.items()],
        "commit": f"commit {history.commit(own.values())}" if history and own else NO_HISTORY,
        "text": None,
    }
    content = {suffix: files[name] for suffix, name in own.items()}
    if ".svg" in own and (len(content[".svg"]) <= LARGEST_SVG or ".png" not in own):
        return entry | {"image": _image("svg+xml", content[".svg"])}
    if ".png" in own:
        return entry | {"image": _image("png", content[".png"])}
    if ".csv" in own:
        return entry | _table(content[".csv"].decode())
    texts = [content[suffix].decode() for suffix in (".md", ".tex") if suffix in own]
    return entry | {"text": texts[0] if texts else None}


def _image(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _table(text: str) -> dict:
    """Rows of a CSV, the first one its heading; columns of numbers are marked."""
    rows = list(csv.reader(io.StringIO(text)))
    numbers = [all(NUMBER.fullmatch(row[i]) for row in rows[1:]) for i in range(len(rows[0]))]
    return {"rows": rows, "numeric": [Markup(' class="number"') if n else "" for n in numbers]}
