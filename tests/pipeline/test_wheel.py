"""The package that is built from this repository works alone: its weights are inside."""

import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

EXTRAS = (
    "torch", "matplotlib", "scipy", "sklearn", "joblib", "gplearn", "deap", "distributed", "jinja2",
    "papermill", "dvc",
)  # fmt: skip


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
    return folder


@pytest.mark.slow
def test_a_circle_is_found_without_the_checkout_and_without_the_extras(installed, cloud):
    np.savetxt(installed / "circle.csv", cloud("x1**2 + x2**2 - 1"), delimiter=",", header="x,y",
               comments="")  # fmt: skip
    script = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {EXTRAS}:\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import pie, pie.discovery.cli as cli\n"
        "print(pie.__file__)\n"
        "try:\n"
        "    pie.ImplicitRegressor\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error)\n"
        "sys.exit(cli.main(['discover', 'circle.csv']))\n"
    )
    env = os.environ | {"PYTHONPATH": str(installed / "site"), "NUMBA_CACHE_DIR": str(installed)}
    env.pop("PIE_WEIGHTS", None)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=installed, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(installed / "site")), "not the package that was built"
    assert "ImplicitRegressor needs scikit-learn: pip install" in done.stdout
    assert "x**2 + y**2" in done.stdout


def test_the_package_has_its_types_styles_and_license(installed):
    names = {p.relative_to(installed / "site").as_posix() for p in installed.rglob("site/**/*")}
    assert {"pie/py.typed", "pie/weights/config.json", "pie/report/page.css"} <= names
    assert any(name.endswith("LICENSE") for name in names)
