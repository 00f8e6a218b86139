"""Write docs/api.md: the public names of pie, from their docstrings.

python tools/api.py
"""

import inspect
import re
from dataclasses import is_dataclass
from pathlib import Path

import pie

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# What `import pie` gives

Made from the docstrings by `python tools/api.py`. In a notebook `help(pie.discover)` says the same.
"""


def plain(text: str) -> str:
    """A docstring as Markdown: roles and double backticks as code, doctests as blocks.

    >>> plain("See :func:`pie.discover` and ``x``.")
    'See `pie.discover` and `x`.'
    """
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", inspect.cleandoc(text)).replace("``", "`")
    text = re.sub(r"(?m)^((?:>>>|\.\.\.) .*(?:\n(?!\n).*)*)", r"```python\n\1\n```", text)
    return re.sub(r"(?m)^(Args|Raises|Attributes):((?:\n(?: .*)?)*)", _listed, text)


def _listed(section: re.Match) -> str:
    """Arguments as a list: ``name: what it is``, continued on deeper lines."""
    lines = re.sub(r"(?m)^ {4}([\w, ]+): ", r"- `\1`: ", section[2])
    return f"**{section[1]}**\n" + re.sub(r"(?m)^ {8,}", "  ", lines)


def members(kind: type) -> list[tuple[str, object]]:
    """Public methods and properties of a class, in the order of its code."""
    return [
        (name, member)
        for name, member in vars(kind).items()
        if not name.startswith("_")
        and (inspect.isroutine(member) or isinstance(member, property | classmethod))
    ]


def section(name: str) -> str:
    """One public name, with the members of a class."""
    thing = getattr(pie, name)
    lines = [f"## `pie.{name}`\n", f"{plain(thing.__doc__ or '')}\n"]
    if not inspect.isclass(thing):
        lines.insert(1, f"```python\n{_signature(name, thing)}\n```\n")
    elif not issubclass(thing, Exception):
        for attribute, member in members(thing):
            what = member.fget if isinstance(member, property) else member
            shown = f"`.{attribute}`" if isinstance(member, property) else f"`.{attribute}()`"
            first = plain(inspect.getdoc(what) or "").split("\n\n")[0].replace("\n", " ")
            lines.append(f"- {shown}: {first}")
        lines.append("")
    return "\n".join(lines)


def _signature(name: str, function) -> str:
    """The call with the defaults, a line for each argument."""
    parts = []
    for argument in inspect.signature(function).parameters.values():
        default, given = argument.default, ""
        if is_dataclass(default):
            given = f"={type(default).__name__}()"
        elif default is not argument.empty:
            given = f"={default!r}"
        parts.append(f"    {argument.name}{given},\n")
    return f"pie.{name}(\n{''.join(parts)})"


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(name) for name in sorted(pie.__all__, key=str.lower))])


if __name__ == "__main__":
    (ROOT / "docs/api.md").write_text(page().rstrip("\n") + "\n")
