"""Put tables into README.md, docs/results.md and docs/search.md, each between its two markers."""

import csv
import re
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ("paper/headline", "paper/wild")  # of reports/tables, with every method
OURS, PAPERS = r"([\d.]+) % \[", r"\(([\d.]+) %\)$"  # in a cell such as 62.5 % [51, 73] (45.0 %)
ROWS = {
    "PIE (paper's value)": ("PIE (strict)", PAPERS),
    "PIE (strict)": ("PIE (strict)", OURS),
    "PIE+": ("PIE+", OURS),
    "PIE+ (no network)": ("PIE+ (no network)", OURS),
    "PIE+ (network alone)": ("PIE+ (network alone)", OURS),
    "Null space": ("Null space", OURS),
}
COLUMNS = {
    "AIF": r"AI-Feynman \(\d+\): Acc 0\.99",
    "Syn": r"Synthetic \(ours\) \(\d+\): Acc 0\.99",
    "Wild": r"Wild, noise-free \(\d+\): recovered",
    "Noisy": r"Wild, 1 % noise \(\d+\): right skeleton",
    "Fresh": r"noise 0\.01 \(\d+\)$",
}


def updated(text: str, table: str, name: str = "results") -> str:
    """A document with ``table`` between the markers of that name."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    return f"{head}{begin}\n{table.strip()}\n{end}{tail}"


def headline(root: Path = ROOT) -> str:
    """The few numbers of the README as Markdown, in percent; a dash where there is none."""
    cells: dict[str, dict[str, str]] = {}
    for name in (*TABLES, "ablation"):
        with (root / f"reports/tables/{name}.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                cells.setdefault(row["Method"], {}).update(row)

    def value(method: str, title: str, number: str) -> str:
        texts = [c for name, c in cells.get(method, {}).items() if re.match(title, name)]
        found = re.search(number, texts[0]) if texts else None
        return found[1] if found else "–"

    lines = [["Method", *COLUMNS], ["---", *["--:"] * len(COLUMNS)]]
    lines += [
        [shown, *(value(method, title, number) for title in COLUMNS.values())]
        for shown, (method, number) in ROWS.items()
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def whole(*names: str, root: Path = ROOT) -> str:
    """Tables of reports/ as Markdown, without captions."""
    texts = [(root / f"reports/tables/{name}.md").read_text() for name in names]
    return "\n".join(text.split("\n\n", 1)[1] for text in texts)


def measured(name: str, root: Path = ROOT) -> str:
    """A table of benchmarks/."""
    return (root / f"benchmarks/{name}.md").read_text()


BLOCKS = (
    ("README.md", "results", headline),
    ("docs/results.md", "results", partial(whole, *TABLES)),
    ("docs/results.md", "measured", partial(whole, "measured/summary", "measured/obvious")),
    ("docs/results.md", "speed", partial(measured, "speed")),
    ("docs/results.md", "shares", partial(measured, "shares")),
    ("docs/search.md", "ablation", partial(whole, "ablation")),
    ("docs/search.md", "misses", partial(whole, "misses/ended")),
)

if __name__ == "__main__":
    for name, block, table in BLOCKS:
        path = ROOT / name
        path.write_text(updated(path.read_text(), table(), block))
