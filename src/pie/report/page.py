"""One page of all results: every figure and table in the paper's order, and what made it."""

import base64
import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from .contents import Item, sections, slug, stem_of
from .provenance import NO_HISTORY, History, Stage

TITLE = "PIE: implicit equations from clouds of points"
INTRODUCTION = """\
<p>Given only a cloud of points (no inputs, no outputs, no order), PIE finds the implicit equation
<i>f</i>(<i>x</i>) = 0 that they obey. A Transformer pre-trained on random equations translates the
points into a skeleton, and the constants are fitted.</p>
<p>Every figure and table of the reproduction of <cite>A Pre-training Framework for Non-degenerate
Implicit Equation Discovery</cite> (Kuang et al.) follows, in the paper’s order, with the command
that makes it and the last commit that changed it. “With changes”: its files differ from the commit
that was checked out, or are not in it. Links work in a checkout; an executed notebook is there
after its command has run.</p>
"""
STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
LARGEST_SVG = 200_000  # bytes; beyond, the PNG is smaller


def render(files: Mapping[str, bytes], pipeline: Sequence[Stage], history: History | None) -> str:
    """The page, which loads nothing: images and style are within.

    Args:
        files: contents of the files of reports/figures and reports/tables, by path in reports/.
        pipeline: from :func:`pie.report.provenance.stages`.
        history: what git knows of ``files``; None where there is no git.
    """
    contents, body = [], []
    for title, section in sections(files, pipeline).items():
        items = "".join(_item(item, files, pipeline, history) for item in section)
        links = "".join(f"<li>{_link(f'#{i.anchor}', i.title)}</li>\n" for i in section)
        contents.append(f"<li>{_link(f'#{slug(title)}', title)}\n<ul>\n{links}</ul>\n</li>\n")
        body.append(f'<section id="{slug(title)}">\n<h2>{title}</h2>\n{items}</section>\n')
    first, *others = body
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{TITLE}</h1>\n{INTRODUCTION}</header>\n<main>\n{first}"
        '<nav aria-labelledby="contents">\n<h2 id="contents">Contents</h2>\n<ul>\n'
        f'{"".join(contents)}<li><a href="#stages">Stages</a></li>\n</ul>\n</nav>\n'
        f"{''.join(others)}{_stages(pipeline)}</main>\n</body>\n</html>\n"
    )


def table(text: str) -> str:
    """An HTML table from CSV: the first row and the first column are headings.

    >>> table("law,n\\na<b,3\\n").splitlines()[3]
    '<tr><th scope="row">a&lt;b</th><td class="number">3</td></tr>'
    """
    head, *rows = csv.reader(io.StringIO(text))
    number = re.compile(r"[-−+]?[\d.]+(e[-+]?\d+)?( %)?|–|")
    numeric = [all(number.fullmatch(row[i]) for row in rows) for i in range(len(head))]
    kinds = [' class="number"' if n else "" for n in numeric]
    titles = "".join(
        f'<th scope="col"{k}>{_text(c)}</th>' for k, c in zip(kinds, head, strict=True)
    )
    lines = "".join(
        f'<tr><th scope="row"{kinds[0]}>{_text(row[0])}</th>'
        + "".join(f"<td{k}>{_text(c)}</td>" for k, c in zip(kinds[1:], row[1:], strict=True))
        + "</tr>\n"
        for row in rows
    )
    return f"<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n"


def _item(item: Item, files: Mapping[str, bytes], pipeline, history) -> str:
    own = {PurePosixPath(n).suffix: n for n in sorted(files) if stem_of(n) == item.stem}
    makers = [stage for stage in pipeline if stage.makes(item.stem)]
    repro = " and ".join(
        _code_link(f"#stage-{slug(s.name)}", f"dvc repro {s.name}") for s in makers
    )
    head = f'<section id="{item.anchor}">\n<h3>{_link(f"#{item.anchor}", item.title)}</h3>\n'
    if item.caption:
        head += f"<p>{_text(item.caption)}</p>\n"
    if not own:
        how = repro or "no stage of dvc.yaml makes it"
        return f'{head}<p class="missing">Not made yet: {how}</p>\n</section>\n'
    made = [
        f"Made by {repro} (<code>{_text('; '.join(c for s in makers for c in s.commands))}</code>)"
        if makers
        else "No stage of dvc.yaml makes it",
        f'<span class="commit">{_commit(history, own.values())}</span>',
    ]
    for name in dict.fromkeys(name for s in makers for name in s.notebooks):
        made.append(_link(f"../notebooks/{name}.ipynb", f"notebook {name}"))
        made.append(_link(f"notebooks/{name}.ipynb", "executed"))
    made.append("files " + " ".join(_link(quote(n), suffix[1:] or n) for suffix, n in own.items()))
    content = _content(item, {suffix: files[name] for suffix, name in own.items()})
    return f'{head}{content}<p class="made">{" · ".join(made)}</p>\n</section>\n'


def _commit(history: History | None, files: Iterable[str]) -> str:
    return f"commit {escape(history.commit(files))}" if history else NO_HISTORY


def _content(item: Item, own: Mapping[str, bytes]) -> str:
    """The picture, else the table, else the text of an item."""
    if ".svg" in own and (len(own[".svg"]) <= LARGEST_SVG or ".png" not in own):
        return _image("svg+xml", own[".svg"], item.title)
    if ".png" in own:
        return _image("png", own[".png"], item.title)
    if ".csv" in own:
        return _scroll(item.title, table(own[".csv"].decode()))
    texts = [own[suffix].decode() for suffix in (".md", ".tex") if suffix in own]
    return _scroll(item.title, f"<pre>{escape(texts[0])}</pre>\n") if texts else ""


def _stages(pipeline: Sequence[Stage]) -> str:
    rows = "".join(
        f'<tr id="stage-{slug(s.name)}"><th scope="row">{_text(s.name)}</th>'
        f"<td>{_text(s.description)}</td>"
        f"<td><code>{_text('; '.join(s.commands))}</code></td></tr>\n"
        for s in pipeline
    )
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Stage", "What", "Its command"))
    inside = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    return (
        '<section id="stages">\n<h2>Stages</h2>\n<p><code>dvc repro STAGE</code> runs a stage of '
        "dvc.yaml after those on which it depends, as far as something has changed.</p>\n"
        f"{_scroll('Stages', inside)}</section>\n"
    )


def _image(kind: str, content: bytes, title: str) -> str:
    data = base64.b64encode(content).decode()
    return f'<img class="card" src="data:image/{kind};base64,{data}" alt="{escape(title)}">\n'


def _scroll(label: str, inside: str) -> str:
    box = f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">'
    return f"{box}\n{inside}</div>\n"


def _link(path: str, text: str) -> str:
    return f'<a href="{path}">{_text(text)}</a>'


def _code_link(path: str, text: str) -> str:
    return f'<a href="{path}"><code>{_text(text)}</code></a>'


def _text(text: str) -> str:
    """Escaped, and no line ends before a per cent sign."""
    return escape(text).replace(" %", "\u00a0%")
