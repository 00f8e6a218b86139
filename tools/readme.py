"""Put the headline tables of reports/ into README.md, between their two markers."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- results -->", "<!-- /results -->"


def updated(readme: str, table: str) -> str:
    """README text with ``table`` between the markers."""
    head, rest = readme.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n{table.strip()}\n{END}{tail}"


def table(root: Path = ROOT) -> str:
    """The headline tables as Markdown, without their captions."""
    texts = [
        (root / f"reports/tables/paper/{name}.md").read_text() for name in ("headline", "wild")
    ]
    return "\n".join(text.split("\n\n", 1)[1] for text in texts)


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(updated(path.read_text(), table()))
