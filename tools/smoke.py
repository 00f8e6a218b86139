"""Every stage of the pipeline at its smallest, in a copy of this project.

    python tools/smoke.py FOLDER

copies the project without its weights, results and reports, lays configs/smoke.yaml over
params.yaml, and runs `dvc repro` there: from random equations to the last table, in minutes.
Nothing here is touched.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from pie.params import merged, read_yaml

ROOT = Path(__file__).resolve().parent.parent
MADE = ("data/corpus/", "data/models/", "data/results/", "reports/", "dvc.lock")  # by the pipeline
APART = ("tests/",)


def copy(folder: Path, root: Path = ROOT) -> None:
    """The project's files, without what the pipeline makes, and tests."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if (root / name).is_file() and not name.startswith((*MADE, *APART)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
    (folder / ".dvc/config.local").write_text("[core]\n    no_scm = true\n")


def shrink(folder: Path) -> None:
    """Lay configs/smoke.yaml over params.yaml."""
    params = merged(read_yaml(folder / "params.yaml"), read_yaml(folder / "configs/smoke.yaml"))
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))


def main() -> None:
    """Copy, shrink, run."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty; expected a folder to be made")
    copy(folder)
    shrink(folder)
    sys.exit(subprocess.run(["dvc", "repro"], cwd=folder).returncode)


if __name__ == "__main__":
    main()
