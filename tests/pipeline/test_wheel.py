"""The package that is built from this repository works alone: its weights are inside."""

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import numpy as np
import pytest


def needed(package: Distribution, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """What a distribution needs without extras, by name, as it is installed here."""
    for requirement in package.requires or ():
        name = re.match(r"[\w.-]+", requirement)[0].lower()
        if not re.search(r"extra ==|python_version <", requirement) and name not in found:
            found[name] = distribution(name)
            needed(found[name], found)
    return found


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    """A folder with the package as pip installs it, built from a copy of what git has."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "tree").mkdir()
    names = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", "--", "src", "data/models/pie-plus",
         "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"],
        cwd=root, text=True,
    ).split()  # fmt: skip
    for name in names:
        if (root / name).exists():
            (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "tree" / name).write_bytes((root / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--quiet", "--no-input"]
    alone = ["--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "wheel", *alone, "-w", folder, folder / "tree"], check=True)
    (wheel,) = folder.glob("pie-*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder, wheel


@pytest.fixture(scope="module")
def environment(installed):
    """A fresh environment with the wheel and with what the wheel says that it needs, no more."""
    folder, wheel = installed
    venv.create(folder / "env", with_pip=False)
    python = folder / "env/bin/python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--no-input", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True)
    (site,) = (folder / "env/lib").glob("python*/site-packages")
    (metadata,) = (folder / "site").glob("pie-*.dist-info")
    for package in needed(Distribution.at(metadata), {}).values():
        for part in {file.parts[0] for file in package.files}:
            source = Path(package.locate_file(part))
            if part not in ("..", "__pycache__") and source.exists():
                (site / part).symlink_to(source)
    return folder / "env/bin"


def compiled(environment: Path) -> dict[Path, bytes]:
    """Compiled code below an environment."""
    files = environment.parent.rglob("site-packages/pie/**/*.nb[ci]")
    return {file: file.read_bytes() for file in files}


@pytest.mark.slow
def test_a_circle_is_found_in_a_fresh_environment(environment, cloud, tmp_path):
    np.savetxt(tmp_path / "circle.csv", cloud("x1**2 + x2**2 - 1"), delimiter=",", header="x,y",
               comments="")  # fmt: skip
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PIE_", "PYTHON"))}
    run = {"cwd": tmp_path, "env": env, "capture_output": True, "text": True}
    assert (before := compiled(environment))
    done = subprocess.run([environment / "pie", "discover", "circle.csv"], **run)
    assert done.returncode == 0, done.stderr
    assert "x**2 + y**2" in done.stdout
    assert compiled(environment) == before, "what a search calls is in the wheel"
    script = (
        "import pie, pydoc; print(pie.__file__); pydoc.render_doc(pie)\n"
        "for name in ('ImplicitRegressor', 'plot'):\n"
        "    try: getattr(pie, name)\n"
        "    except ModuleNotFoundError as error: print(error)\n"
    )
    done = subprocess.run([environment / "python", "-c", script], **run)
    assert done.returncode == 0, done.stderr
    where, regressor, plot = done.stdout.splitlines()
    assert where.startswith(str(environment.parent)), "not the package that was built"
    assert regressor == "ImplicitRegressor needs scikit-learn: pip install scikit-learn"
    assert "matplotlib" in plot


def test_the_package_has_its_types_styles_and_license(installed):
    folder, _ = installed
    names = {p.relative_to(folder / "site").as_posix() for p in folder.rglob("site/**/*")}
    assert {"pie/py.typed", "pie/weights/config.json", "pie/report/page.css"} <= names
    assert any(name.endswith("LICENSE") for name in names)


def test_compiled_code_is_kept_per_user_where_the_package_cannot_be_written(installed, tmp_path):
    folder, _ = installed
    without = shutil.ignore_patterns("weights", "__pycache__")
    shutil.copytree(folder / "site/pie", tmp_path / "pie", ignore=without)
    for place in [tmp_path / "pie", *filter(Path.is_dir, (tmp_path / "pie").rglob("*"))]:
        (place / "__pycache__").touch()  # a file, in which nothing can be written, even by root
    script = (
        "import numpy as np; from pie.expr.kernel import stack_depth\n"
        "stack_depth(np.zeros(1, np.int64)); print(sum(stack_depth.stats.cache_hits.values()))"
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NUMBA"))}
    env |= {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home/cache")}
    command = [sys.executable, "-c", script]
    hits = [subprocess.check_output(command, cwd=tmp_path, env=env, text=True) for _ in range(2)]
    assert [int(text) for text in hits] == [0, 1], "compiled once, then loaded"
    assert list((tmp_path / "home").rglob("*.nbi"))
