"""Write reports/index.html: every figure and table in one page, with what made it.

python tools/page.py
"""

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from pie.files import whole
from pie.params import read_yaml
from pie.report.page import render, stages

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


def history(root: Path) -> Callable[[Iterable[str]], str] | None:
    """What gives the last commit that changed some of these files; "with changes" since, if any.

    None without git, or where the project is not in it.
    """

    def git(*arguments: str) -> str:
        command = ["git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.quotepath=off"]
        command += ["-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def last(*paths: str) -> str:
        return git("log", "-1", "--format=%h", "--", *paths).strip()

    try:
        if not last("dvc.yaml"):
            return None
        changed = git("diff", "--relative", "--no-renames", "--name-only", "HEAD", "--", *FOLDERS)
        changed += git("ls-files", "--others", "--", *FOLDERS)
        head = git("log", "-1", "--format=%h").strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    different = {*changed.splitlines()}

    def commit(names: Iterable[str]) -> str:
        paths = {f"reports/{name}" for name in names}
        return f"{head} with changes" if paths & different else last(*paths)

    return commit


def page(root: Path = ROOT) -> str:
    """The page of a checkout."""
    return render(files(root), stages(read_yaml(root / "dvc.yaml")), history(root))


if __name__ == "__main__":
    with whole(ROOT / "reports/index.html") as made:
        made.write_text(page(), encoding="utf-8")
