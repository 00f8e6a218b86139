"""A digest follows the code that runs: not its prose, and nothing is forgotten."""

import ast

import pytest

from pie import sources
from pie.experiments.parts import OTHERS
from pie.sources import digest_of, digests

CODE = "from .a import x\n\n\ndef f(x):\n    return x + 1\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes modules of a package that stands for pie: name → text."""
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)

    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / (name.replace("__", "/", 1) + ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    return write


@pytest.mark.parametrize(
    "text, same",
    [
        ('"""Other prose."""\n' + CODE, True),
        ("# why\n" + CODE.replace("\n\n", "\n"), True),
        (CODE.replace("x + 1", "(x\n            + 1)  # one"), True),
        (CODE.replace("def f(x):", 'def f(x):\n    """f."""'), True),
        (CODE.replace("1", "2"), False),
        (CODE.replace("def f", "@cache\ndef f"), False),
    ],
    ids=["docstring", "comment", "layout", "docstring of a function", "number", "decorator"],
)
def test_only_what_runs_counts(package, text, same):
    package(fit__a="x = 1\n", fit__b=CODE)
    before = digest_of(["fit.b"])
    package(fit__b=text)
    assert (digest_of(["fit.b"]) == before) == same


@pytest.mark.parametrize(
    "text",
    [
        "from .a import x",
        "from . import a",
        "from ..fit import a",
        "from ..fit.a import x as y",
        "def f():\n    from . import a",
        "import pie.fit.a",
        "from pie.fit import a",
        "from ..outer import a",
    ],
)
def test_every_way_of_importing_is_seen(package, text):
    package(fit__a="x = 1\n", fit__b=text, outer____init__="from ..fit import a\n")
    before = digest_of(["fit.b"])
    assert "fit.a" in digests(["fit.b"])
    package(fit__a="x = 2\n")
    assert digest_of(["fit.b"]) != before


def test_the_init_of_a_package_runs_with_each_of_its_modules(package):
    package(fit____init__="from .a import x\n", fit__a="x = 1\n", fit__b="y = 1\n")
    assert sorted(digests(["fit.b"])) == ["fit", "fit.a", "fit.b"]


def test_a_file_that_a_module_names_counts(package, tmp_path):
    package(report__style='from pathlib import Path\nPath(__file__).with_name("look.css")\n')
    (tmp_path / "report/look.css").write_text("a {}")
    before = digest_of(["report.style"])
    (tmp_path / "report/look.css").write_text("b {}")
    sources._read.cache_clear()
    assert digest_of(["report.style"]) != before


def test_settings_and_files_count(tmp_path):
    (tmp_path / "weights").write_bytes(b"1")
    known = {digest_of(["expr.kernel"], settings, files)
             for settings in (1, 2) for files in ((), [tmp_path / "weights"])}  # fmt: skip
    assert len(known) == 4


def test_a_module_that_does_not_exist_is_quoted():
    with pytest.raises(FileNotFoundError, match="no module 'nothing' in pie"):
        digests(["nothing"])


def test_what_a_part_leaves_out_is_not_its_own():
    """Rows of the baselines do not wait for PIE+, and no part leaves out what it runs."""
    own = {
        "pie": "experiments.paper_methods",
        "plus": "search.plus",
        "baselines": "baselines.methods",
    }
    for part, module in own.items():
        assert not {*OTHERS[part]} & digests([module]).keys()


def test_no_module_imports_by_a_computed_name():
    """Which a walk over imports could not see; but for ``pie.discover`` and the like."""
    for path in sources.PACKAGE.rglob("*.py"):
        names = {
            getattr(n, "attr", getattr(n, "id", "")) for n in ast.walk(ast.parse(path.read_text()))
        }
        assert path.parent == sources.PACKAGE or not names & {"import_module", "__import__"}, path
