"""Put the headline table of reports/ into README.md, between its two markers."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- results -->", "<!-- /results -->"


def updated(readme: str, table: str) -> str:
    """README text with ``table`` between the markers."""
    head, rest = readme.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n{table.strip()}\n{END}{tail}"


def table(root: Path = ROOT) -> str:
    """The headline table as Markdown, without its caption."""
    text = (root / "reports/tables/paper/headline.md").read_text()
    return text.split("\n\n", 1)[1]


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(updated(path.read_text(), table()))
