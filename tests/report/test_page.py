"""The page of all results is whole, valid, self-contained, and says what made each item."""

import base64
import os
import re
import runpy
import shutil
import subprocess
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from pie.report.page import LARGEST_SVG, NO_HISTORY, SECTIONS, Stage, render, stages, stem_of

VOID = {"meta", "img", "wbr"}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
STAGES = [
    Stage("evaluation", "desc", ("python tools/notebook.py 04_evaluation",),
          ("reports/figures/figure1.svg", "reports/figures/figure1.png")),
    Stage("robustness", "", ("python make.py",), ("reports/figures/robustness.svg",)),
    Stage("paper", "", ("a", "b"), ("reports/tables/paper",)),
]  # fmt: skip


class Page(HTMLParser):
    """A page that was read: tags that close what they open, attributes, and the text by id."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self.open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        assert self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data):
        for _, name in self.open:
            if name:
                self.text[name] = self.text.get(name, "") + data

    def values(self, attribute):
        return [a[attribute] for _, a in self.tags if attribute in a]


@pytest.fixture(scope="module")
def tool(root):
    """tools/page.py."""
    return SimpleNamespace(**runpy.run_path(str(root / "tools/page.py")))


@pytest.fixture(scope="module")
def checkout(root, tool):
    text = tool.page(root)
    return text, Page(text)


def test_every_file_of_figures_and_tables_is_on_the_page(root, checkout):
    _, page = checkout
    reports = root / "reports"
    made = [p for f in ("figures", "tables") for p in (reports / f).rglob("*") if p.is_file()]
    assert len(made) > 50
    links = page.values("href")
    for path in made:
        assert links.count(path.relative_to(reports).as_posix()) == 1, path


def test_every_item_of_the_paper_is_on_the_page_in_its_order(checkout):
    _, page = checkout
    ids = page.values("id")
    order = [
        "headline", "figure-1", "figure-2", "figure-3", "table-1", "table-2", "figure-4",
        "figure-5", *(f"table-{n}" for n in range(3, 9)), "claims", "differences", "wild",
    ]  # fmt: skip
    assert [i for i in ids if i in order] == order


def test_ids_are_unique_and_every_inner_link_leads_to_one(checkout):
    _, page = checkout
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    inner = {h[1:] for h in page.values("href") if h.startswith("#")}
    assert inner <= set(ids)


def test_links_lead_to_files_that_exist(root, checkout):
    _, page = checkout
    for link in page.values("href"):
        if not link.startswith("#"):
            assert (root / "reports" / link).is_file(), link


def test_the_page_loads_nothing(checkout):
    text, page = checkout
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "iframe", "object", "base"}
    assert all(source.startswith("data:image/") for source in page.values("src"))
    assert not any(re.match(r"\w+:|//", link) for link in page.values("href"))
    assert "url(" not in text and "@import" not in text
    assert not {a for _, attributes in page.tags for a in attributes if a.startswith("on")}


def test_headings_have_no_gaps_and_images_have_text(checkout):
    text, page = checkout
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))
    assert all(a["alt"] for tag, a in page.tags if tag == "img")
    assert text.startswith("<!DOCTYPE html>") and ("html", {"lang": "en"}) in page.tags
    assert "title" in {tag for tag, _ in page.tags}


def test_the_page_stays_small(checkout):
    assert len(checkout[0].encode()) < 4_000_000


def test_the_written_page_shows_the_files_as_they_are(root, checkout):
    """But for commits, which are known only after the page has been written."""
    path = root / "reports/index.html"
    if not path.exists():
        pytest.skip("reports/index.html is not made yet")
    commit = re.compile(r'<span class="commit">.*?</span>')
    assert commit.sub("", path.read_text()) == commit.sub("", checkout[0])


def test_text_from_files_is_escaped():
    hostile = '<script>alert("1")</script> & </td>'
    cell = hostile.replace('"', '""')
    files = {
        "tables/paper/table1.csv": f'"{cell}",n\n"{cell}",1\n'.encode(),
        "tables/notes.csv": f'"{cell}",n\n'.encode(),
        'figures/#"<b>.svg': SVG,
    }
    names = [Stage("<i>", hostile, (hostile,), ("reports/tables/paper",))]
    page = Page(render(files, names, lambda names: "<u> with changes"))
    assert not {"script", "b", "u"} & {tag for tag, _ in page.tags}
    assert page.text["table-1"].count(hostile) == 3  # heading, cell, command
    assert hostile in page.text["tables-notes"]
    assert "dvc repro <i>" in page.text["table-1"] and "commit <u> with" in page.text["table-1"]
    assert "figures/%23%22%3Cb%3E.svg" in page.values("href")


def table_of(text):
    """The HTML table of a CSV file."""
    page = render({"tables/x.csv": text.encode()}, [], None)
    return re.search(r"<table>.*?</table>", page, re.DOTALL)[0]


@pytest.mark.parametrize("text, columns", [("a,b\n", 2), ("\n", 0)], ids=["headings", "nothing"])
def test_a_table_without_rows_is_shown(text, columns):
    table = table_of(text)
    assert table.count("<tr>") == 1 and table.count("<th ") == columns


def test_numbers_stand_right_and_words_left():
    first, second = re.findall(r"<td[^>]*>", table_of("a,b,c\nx,1.5e-3,y\nx,12 %,–\n"))[:2]
    assert (first, second) == ('<td class="number">', "<td>")


def test_the_cells_of_a_table_are_those_of_its_file():
    table = ElementTree.fromstring(table_of("law,n,a\na<b & c,3,1.5e-3\n–,12,\n"))
    cells = [[cell.text for cell in row] for row in table.iter("tr")]
    assert cells == [["law", "n", "a"], ["a<b & c", "3", "1.5e-3"], ["–", "12", None]]


def test_lines_end_in_formulas_but_not_in_intervals():
    table = table_of('a\n"61.5 % [51, 73] (45.0 %)"\nx1**2 - 0.25*sqrt(x2*x3)*exp(x1/x2)\n')
    assert "61.5\u00a0% [51,\u00a073] (45.0\u00a0%)" in table
    assert "x1**2 - 0.25*<wbr>sqrt(<wbr>x2*<wbr>x3)*<wbr>exp(<wbr>x1/<wbr>x2)" in table


def test_what_is_missing_names_the_stage_that_makes_it():
    page = Page(render({}, STAGES, None))
    assert "Not made yet: dvc repro robustness" in page.text["figure-4"]
    assert "Not made yet: dvc repro paper" in page.text["table-7"]
    assert "Not made yet: no stage of dvc.yaml makes it" in page.text["figure-3"]
    assert "kepler" not in page.text, "beyond the paper, neither a file nor a stage"
    assert "kepler" in Page(render({"figures/kepler.svg": SVG}, [], None)).text


def test_what_no_one_listed_is_under_more():
    page = Page(render({"tables/new/thing.csv": b"a\n1\n", "figures/new.pdf": b"%PDF"}, [], None))
    assert "No stage of dvc.yaml makes it" in page.text["tables-new-thing"]
    assert page.text["more"].count("files") == 2
    assert {"tables/new/thing.csv", "figures/new.pdf"} <= set(page.values("href"))
    assert "more" not in Page(render({}, [], None)).text


def test_what_made_an_item_stands_below_it():
    page = Page(render({"figures/figure1.svg": SVG}, STAGES, lambda names: f"of {[*names]}"))
    text = page.text["figure-1"]
    assert "dvc repro evaluation" in text and "python tools/notebook.py 04_evaluation" in text
    assert "commit of ['figures/figure1.svg']" in text
    links = page.values("href")
    assert "../notebooks/04_evaluation.ipynb" in links
    without = Page(render({"figures/figure1.svg": SVG}, STAGES, None)).text["figure-1"]
    assert NO_HISTORY in without


@pytest.mark.parametrize(
    "size, kind", [(LARGEST_SVG, "svg+xml"), (LARGEST_SVG + 1, "png")], ids=["small", "large"]
)
def test_a_large_svg_gives_way_to_its_png(size, kind):
    files = {"figures/figure1.svg": SVG.ljust(size), "figures/figure1.png": b"png"}
    (source,) = Page(render(files, STAGES, None)).values("src")
    content = files[f"figures/figure1.{kind[:3]}"]
    assert source == f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def test_listed_items_are_listed_once():
    stems = [item.stem for section in SECTIONS.values() for item in section]
    assert len(stems) == len(set(stems))
    assert all(stem == stem_of(f"{stem}.csv") for stem in stems)


def test_stages_are_read_with_all_that_they_make():
    pipeline = {
        "a": {"cmd": "x", "desc": "d", "outs": [{"p": {}}, "q"], "metrics": [{"m": {}}]},
        "b": {"matrix": {"k": [1]}, "cmd": ["x", "y"], "outs": [{"r": {}}]},
    }
    assert stages({"stages": pipeline}) == [
        Stage("a", "d", ("x",), ("p", "q", "m")),
        Stage("b", "", ("x", "y"), ("r",)),
    ]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project, and a function that runs git in it."""
    if not shutil.which("git"):
        pytest.skip("no git")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "n")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "e@example.org")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    home = tmp_path / "project"

    def git(*arguments):
        done = subprocess.run(["git", "-C", home, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    for folder in ("figures", "tables/paper"):
        (home / "reports" / folder).mkdir(parents=True)
    (home / "dvc.yaml").write_text("stages: {}\n")
    (home / ".gitignore").write_text("*.pdf\n")
    for name in ("figures/a.svg", "figures/a.png", "figures/b c.svg", "tables/paper/é.csv"):
        (home / "reports" / name).write_text("1")
    return home, git


def commit_all(git, message):
    git("add", "-A")
    git("commit", "-q", "-m", message)
    return git("log", "-1", "--format=%h")


def test_the_commit_is_the_last_that_changed_the_files(tool, project):
    home, git = project
    git("init", "-q")
    first = commit_all(git, "first")
    (home / "reports/figures/a.png").write_text("2")
    second = commit_all(git, "second")
    (home / "other").write_text("1")
    third = commit_all(git, "third")
    commit = tool.history(home)
    assert commit(["figures/a.svg"]) == first
    assert commit(["figures/a.svg", "figures/a.png"]) == second
    assert commit(["figures/b c.svg"]) == commit(["tables/paper/é.csv"]) == first

    (home / "reports/figures/a.svg").write_text("3")
    (home / "reports/figures/new.svg").write_text("1")
    (home / "reports/figures/ignored.pdf").write_text("1")
    (home / "reports/tables/paper/staged.csv").write_text("1")
    git("add", "reports/tables/paper/staged.csv")
    git("rm", "-q", "--cached", "reports/figures/b c.svg")
    commit = tool.history(home)
    for name in ("figures/a.svg", "figures/new.svg", "figures/ignored.pdf",
                 "tables/paper/staged.csv", "figures/b c.svg"):  # fmt: skip
        assert commit([name]) == f"{third} with changes"
    assert commit(["figures/a.png"]) == second


def test_a_project_inside_another_has_paths_of_its_own(tool, project):
    home, git = project
    subprocess.run(["git", "init", "-q", home.parent], check=True)
    first = commit_all(git, "first")
    assert tool.history(home)(["figures/a.svg"]) == first


@pytest.mark.parametrize("where", ["no repository", "no commit", "another project's", "no git"])
def test_without_a_history_the_page_says_so(tool, project, where, monkeypatch):
    home, git = project
    if where != "no repository":
        git("init", "-q")
    if where == "another project's":
        git("add", "reports")
        git("commit", "-q", "-m", "the project is not in this history")
    if where == "no git":
        commit_all(git, "first")
        monkeypatch.setenv("PATH", str(home))
    assert tool.history(home) is None
    assert tool.page(home).count(NO_HISTORY) == 3


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
LOOK = """<script>addEventListener("load", () => {
  const images = [...document.images], box = document.documentElement;
  const cut = e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight;
  document.body.dataset.cut = [...document.querySelectorAll(".scroll")].filter(cut).length;
  document.body.dataset.images = images.filter(i => i.complete && i.naturalWidth > 0).length;
  document.body.dataset.overflow = box.scrollWidth - box.clientWidth;
})</script></body>"""


@pytest.mark.skipif(not BROWSER, reason="no Chromium")
@pytest.mark.parametrize("width", [500, 1280], ids=["narrow: tables scroll", "wide: nothing does"])
def test_in_a_browser_every_image_shows_and_only_tables_scroll(checkout, tmp_path, width):
    text, page = checkout
    (tmp_path / "page.html").write_text(text.replace("</body>", LOOK))
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900",
        f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"file://{tmp_path}/page.html",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    (seen,) = (a for tag, a in Page(done.stdout).tags if tag == "body")
    assert int(seen["data-images"]) == len(page.values("src")) > 0
    assert seen["data-overflow"] == "0" and (seen["data-cut"] == "0") == (width == 1280)
