"""The package in fresh environments of other Pythons: what it takes from the wheel to a first law.

    python tools/pythons.py python3.11 python3.12 python3.13

For each Python given, by name or path: a new environment, the wheel as this Python builds it with
what it needs from the package index, and ``pie discover`` on a table outside this repository,
twice. Prints seconds and size, and fails if the law is not Kepler's.
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
LAW = "axis**3 = c1*period**2"


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
        (folder / "planets.csv").write_bytes(TABLE.read_bytes())
        for place, python in enumerate(options.pythons):
            venv, wheels = folder / f"env{place}", folder / f"wheel{place}"
            _, version = seconds([python, "--version"], folder)
            seconds([python, "-m", "venv", venv], folder)
            bare = size_of(venv)
            pip = [venv / "bin/python", "-m", "pip"]
            build = [*pip, "wheel", "--quiet", "--no-deps", "-w", wheels, ROOT]
            built, _ = seconds(build, folder)
            (wheel,) = wheels.glob("*.whl")
            installed, _ = seconds([*pip, "install", "--quiet", wheel], folder)
            size = size_of(venv) - bare
            search = [venv / "bin/pie", "discover", "planets.csv", "--columns", "axis,period"]
            (first, text), (second, _) = seconds(search, folder), seconds(search, folder)
            if LAW not in text:
                sys.exit(f"{version.strip()} found {text!r}; expected {LAW!r}")
            print(
                f"{version.strip()}: wheel of {wheel.stat().st_size / 1e6:.0f} MB in {built:.0f} s, "
                f"installed in {installed:.0f} s, {size / 1e6:.0f} MB; "
                f"first law in {first:.1f} s, the next in {second:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
