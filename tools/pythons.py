"""The package in fresh environments of other Pythons: what it takes from the wheel to a first law.

    python tools/pythons.py python3.11 python3.12 python3.13

Builds the wheel, and for each Python given, by name or path: a new environment, the wheel and what
it needs from the package index, and ``pie discover`` on a table outside this repository, twice.
Prints seconds and size, and fails if the law is not Kepler's.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "data/real/planets.csv"
LAW = "axis**c1 = period"


def seconds(command: list, folder: Path) -> tuple[float, str]:
    """Of a command in a folder, with no setting of the library; and what it prints."""
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("PIE_", "PYTHON"))
    }
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
    return time.perf_counter() - began, done.stdout


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Build, install, search, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", nargs="+", help="names or paths of interpreters")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT]
        seconds(pip, folder)
        (wheel,) = folder.glob("*.whl")
        (folder / "planets.csv").write_bytes(TABLE.read_bytes())
        print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.0f} MB")
        for place, python in enumerate(options.pythons):
            venv = folder / f"env{place}"
            _, version = seconds([python, "--version"], folder)
            seconds([python, "-m", "venv", venv], folder)
            bare = size_of(venv)
            install = [venv / "bin/python", "-m", "pip", "install", "--quiet", wheel]
            installed, _ = seconds(install, folder)
            size = size_of(venv) - bare
            search = [venv / "bin/pie", "discover", "planets.csv", "--columns", "axis,period"]
            (first, text), (second, _) = seconds(search, folder), seconds(search, folder)
            if LAW not in text:
                sys.exit(f"{version.strip()} found {text!r}; expected {LAW!r}")
            print(
                f"{version.strip()}: installed in {installed:.0f} s, {size / 1e6:.0f} MB; "
                f"first law in {first:.0f} s, the next in {second:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
