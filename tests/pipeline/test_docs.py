"""What the documents show runs as it stands."""

import csv
import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_pipeline import tool

OPERATOR = "## An operator\n"  # what follows runs in a copy of the library that has the operator

SECOND_DERIVATIVES = """
>>> import sympy
>>> from pie.expr.derivatives import derivatives
>>> from pie.expr.sympy_bridge import to_sympy
>>> a, b, x = sympy.symbols("a b x1", real=True)
>>> exact = sympy.lambdify((a, b, x), sympy.diff(to_sympy(law, (a, b)), x, b))
>>> ours = derivatives(*law.arrays, points.T.copy(), points.shape[1], 2)[6]
>>> bool(np.allclose(ours, exact(*law.constants, points[:, 0]), rtol=1e-10))
True
"""


DOCUMENTS = (
    "README.md", "docs/api.md", "docs/data.md", "docs/deviations.md", "docs/extending.md",
    "docs/reproducing.md", "docs/results.md", "docs/scaling.md", "docs/search.md", "docs/sweeps.md",
)  # fmt: skip


def test_every_document_is_listed_and_linked_from_the_readme(root):
    assert {f"docs/{path.name}" for path in (root / "docs").glob("*.md")} == {*DOCUMENTS[1:]}
    readme = (root / "README.md").read_text()
    assert [name for name in DOCUMENTS[1:] if f"]({name})" not in readme] == []


def counted(cell: str) -> tuple[int, int]:
    """Hits and tries of a cell such as ``88.5 % [82, 93] of 122`` or ``3 of 200: 1.5 %``."""
    if share := re.match(r"([\d.]+) % \[.*\] of (\d+)", cell):
        return round(float(share[1]) * int(share[2]) / 100.0), int(share[2])
    hits, tries = re.match(r"(\d+) of (\d+)", cell).groups()
    return int(hits), int(tries)


def test_the_limits_that_the_readme_tells_are_those_of_the_tables(root):
    def table(name, key):
        with (root / f"reports/tables/{name}.csv").open(encoding="utf-8") as file:
            return {tuple(row[k] for k in key): row for row in csv.DictReader(file)}

    readme = (root / "README.md").read_text()
    every = table("columns/found", ["laws"])[("all",)]
    found = [
        [counted(every[f"{name}, noise {level} %"]) for name in ("AI-Feynman", "textbooks")]
        for level in (0, 1)
    ]
    laws = sum(tries for _, tries in found[0])
    shares = [round(100.0 * sum(hits for hits, _ in both) / laws) for both in found]
    assert f"Of {laws} laws of four to eight, {shares[0]} % are found, {shares[1]} %" in readme
    tested = table("measured/summary", ["part", "units"])["test", "–"]
    first, among = (
        tested[f"it is {what}"].partition(" ")[0]
        for what in ("the best answer", "among the answers")
    )
    asked = tested["tables with a textbook relation"]
    assert f"in {first} of {asked}, and it is among the answers in {among} (" in readme
    few, many = table("no_law/shares", ["kind"])[("all null",)], table("columns/claims", ["tables"])
    null = [counted(few[part]) for part in ("calibration", "test")]
    null.append(counted(many[("no law",)]["a law"]))
    hits, tries = (sum(column) for column in zip(*null, strict=True))
    assert f"of {tries} tables without a law {hits} got one" in readme


def stands(number: str, cells: list[float]) -> bool:
    """Whether a number is one of the cells or a hundred times one, rounded."""
    half = 0.5 * 10.0 ** -len(number.partition(".")[2]) + 1e-9
    return any(abs(k * cell - float(number)) <= half for cell in cells for k in (1.0, 100.0))


def test_every_number_of_the_results_stands_in_a_table_that_its_paragraph_links(root):
    """But for those of commands, settings and the numbers of figures; 95 % are all intervals."""
    text = (root / "docs/results.md").read_text()
    text = re.sub(r"^```.*?^```|<!-- (\w+) -->.*?<!-- /\1 -->", "", text, flags=re.M | re.S)
    missing, found = [], 0
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith(("#", "|", "![")):
            continue
        links = re.findall(r"\]\((\.\./(?:reports|benchmarks)/[^)]*\.(?:md|json|csv))\)", paragraph)
        tables = " ".join((root / "docs" / link).read_text() for link in links)
        cells = [float(cell) for cell in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", tables)]
        prose = re.sub(
            r"`[^`]*`|\]\([^)]*\)|95 %|(?:Algorithm|Figure|Table) \d+|AVX-512", "", paragraph
        )
        numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)", prose.replace(",000", "000"))
        found += len(numbers)
        missing += [(n, paragraph[:60]) for n in numbers if not stands(n, cells)]
    assert missing == [] and found > 100


def test_the_page_of_functions_is_that_of_the_docstrings(root):
    page = subprocess.run(
        [sys.executable, "-c", "import api; print(api.page().rstrip())"],
        cwd=root / "tools", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert page.stdout == (root / "docs/api.md").read_text(), "run python tools/api.py"


def test_the_readme_has_at_most_900_words(root):
    assert len((root / "README.md").read_text().split()) <= 900


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_lead_somewhere(root, name):
    prose = re.sub(r"^```.*?^```", "", (root / name).read_text(), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)\s]+)\)", prose)
    for link in links:
        if link.startswith("http"):
            continue
        target, _, anchor = link.partition("#")
        path = (root / name).parent / target if target else root / name
        assert path.exists(), link
        assert not anchor or anchor in anchors(path.read_text()), link


def anchors(text: str) -> set[str]:
    """Of the headings of a document, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_example_of_the_readme_prints_what_it_says(root, monkeypatch, capsys):
    blocks = re.findall(r"```(python|text)\n(.*?)```", (root / "README.md").read_text(), re.S)
    (_, code), (_, said) = blocks[:2]
    assert len(code.splitlines()) == 5
    monkeypatch.chdir(root)
    exec(code, {})
    printed = capsys.readouterr().out
    assert printed.splitlines()[1:] == said.splitlines()[1:], "but for the seconds"


@pytest.fixture
def sections(root, tmp_path) -> tuple[Path, Path]:
    """docs/extending.md in two files: up to the operator, and the rest."""
    parts = (root / "docs/extending.md").read_text().split(OPERATOR)
    paths = tmp_path / "before.md", tmp_path / "operator.md"
    for path, text in zip(paths, parts, strict=True):
        path.write_text(text)
    return paths


def changed(source: Path, changes: str) -> None:
    """Apply a diff without line numbers: what each hunk replaces stands once in its file."""
    for part in changes.split("+++ ")[1:]:
        name, *hunks = re.split(r"^@@\n", part, flags=re.M)
        path = source / name.strip()
        text = path.read_text()
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            old, new = ("".join(x[1:] for x in lines if x[0] in marks) for marks in (" -", " +"))
            assert text.count(old) == 1, f"{path.name} has {text.count(old)} times\n{old}"
            text = text.replace(old, new)
        path.write_text(text)


def test_the_examples_of_extending_run(sections):
    failed, tried = doctest.testfile(str(sections[0]), module_relative=False, encoding="utf-8")
    assert tried >= 20 and failed == 0


def test_the_package_on_other_pythons_is_asked_for_the_law_of_the_readme(root):
    law = tool(root, "pythons").LAW
    assert f"\n{law} " in (root / "README.md").read_text()


@pytest.mark.slow
def test_the_operator_of_extending_runs_in_a_copy_of_the_library(root, tmp_path, sections):
    shutil.copytree(root / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (changes,) = re.findall(r"```diff\n(.*?)```", sections[1].read_text(), re.S)
    changed(tmp_path / "src/pie", changes)
    examples = tmp_path / "examples.md"
    examples.write_text(sections[1].read_text() + SECOND_DERIVATIVES)
    command = [sys.executable, "-W", "error", "-m", "doctest", str(examples)]
    env = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
