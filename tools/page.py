"""Write reports/index.html: every figure and table in one page, with what made it.

python tools/page.py
"""

import subprocess
from pathlib import Path

from pie.params import read_yaml
from pie.report.page import History, render, stages

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("reports/figures", "reports/tables")


def files(root: Path) -> dict[str, bytes]:
    """Every file of reports/figures and reports/tables by its path in reports/."""
    reports = root / "reports"
    paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*"))
    return {
        path.relative_to(reports).as_posix(): path.read_bytes()
        for path in paths
        if path.is_file() and not path.name.startswith(".")
    }


def history(root: Path) -> History | None:
    """What git knows of these files; None without git, or where the project is not in it."""

    def git(*arguments: str) -> str:
        command = ["git", "--no-optional-locks", "-c", "core.quotepath=off", "-C", str(root)]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    names = ("--relative", "--no-renames", "--name-only")
    try:
        head = git("log", "-1", "--format=%h").strip()
        log = git("log", "-c", *names, "--format=%x00%h", "--", "dvc.yaml", *FOLDERS)
        changed = git("diff", *names, "HEAD", "--", *FOLDERS)
        changed += git("ls-files", "--others", "--", *FOLDERS)
    except (OSError, subprocess.CalledProcessError):
        return None
    commits = [(name, frozenset(rest)) for name, *rest in map(_lines, log.split("\0")[1:])]
    if not any("dvc.yaml" in touched for _, touched in commits):
        return None
    return History(head, commits, frozenset(_lines(changed)))


def _lines(text: str) -> list[str]:
    return [line.removeprefix("reports/") for line in text.splitlines() if line]


def page(root: Path = ROOT) -> str:
    """The page of a checkout."""
    return render(files(root), stages(read_yaml(root / "dvc.yaml")), history(root))


def write(text: str, path: Path) -> None:
    """Whole or not at all: a reader never sees half a page."""
    partial = path.with_suffix(".tmp")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


if __name__ == "__main__":
    write(page(), ROOT / "reports/index.html")
