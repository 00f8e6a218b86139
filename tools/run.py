"""From a bare Python (3.11 to 3.13) to results: make the environment once, run a command in it.

    python3 tools/run.py repro     # environment, then dvc repro
    python3 tools/run.py test      # environment, all tests and notebooks, as with AVX2 and no more
    python3 tools/run.py COMMAND … # any command inside the environment

Needs the standard library only. The environment is .venv, made from requirements.lock
and remade when the lock changes.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from processors import AVX2  # noqa: E402

VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "lock.sha256"


def create_environment() -> None:
    """Make .venv unless it already matches the lock."""
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == digest:
        return
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        sys.exit(f"this is Python {sys.version.split()[0]}; expected 3.11, 3.12 or 3.13")
    print("creating .venv from requirements.lock (about two minutes, once)", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    pip = [VENV / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input"]
    subprocess.run([*pip, "-r", LOCK], check=True, cwd=ROOT)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", ROOT], check=True, cwd=ROOT)
    STAMP.write_text(digest)


def environment() -> dict[str, str]:
    """The process environment with .venv first on PATH."""
    return os.environ | {
        "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(VENV),
    }


def run(*command: str, **variables: str) -> None:
    """Run one command in the environment; stop with its exit code if it fails."""
    code = subprocess.run(command, cwd=ROOT, env=environment() | variables).returncode
    if code:
        sys.exit(code)


def processor() -> str:
    """What Linux says about the processor; empty elsewhere."""
    file = Path("/proc/cpuinfo")
    return file.read_text() if file.exists() else ""


def main() -> None:
    """Dispatch on the first argument."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    create_environment()
    python = str(VENV / "bin" / "python")
    if sys.argv[1] == "repro":
        if not (ROOT / ".git").exists():
            run("dvc", "config", "--local", "core.no_scm", "true")
        run("dvc", "repro", *sys.argv[2:])
    elif sys.argv[1] == "test":
        pytest = [
            python, "-m", "pytest", "-n", str(min(4, os.cpu_count() or 1)), "--nbval",
            "--nbval-current-env", "--nbval-sanitize-with", "tests/nbval_sanitize.cfg",
            *sys.argv[2:],
        ]  # fmt: skip
        like = AVX2 if "avx512f" in processor() else {}
        run("pie", "warm-up", **like)  # once, for all that test
        run(*pytest, "tests", "src", "notebooks", **like)
    else:
        run(*sys.argv[1:])


if __name__ == "__main__":
    main()
