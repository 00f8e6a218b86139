"""A built package holds the weights of PIE+, and what a search needs compiled.

Weights live in data/models of the repository. Compiled code is that of numba's cache, for the
Python and the numba that build and for every processor with AVX2; elsewhere the first search
compiles.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
WEIGHTS = [*sorted((ROOT / "data/models/pie-plus").glob("*.safetensors"))]
WEIGHTS.append(ROOT / "data/models/pie-plus/config.json")


class Build(build_py):
    """As setuptools does, pie/weights, and compiled code beside the modules."""

    def run(self):
        super().run()
        if not self.editable_mode:
            Path(self.build_lib, "pie/weights").mkdir(parents=True, exist_ok=True)
            for source, target in zip(WEIGHTS, self._weights(), strict=True):
                shutil.copy(source, target)
            for old in Path(self.build_lib).rglob("*.nb[ci]"):  # numba sees a change in its own file
                old.unlink()
            env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
            paths = [str(Path(self.build_lib).resolve()), *filter(None, [env.get("PYTHONPATH")])]
            env |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
            script = "from pie.discovery.compilation import compile_all; compile_all()"
            subprocess.run([sys.executable, "-c", script], env=env, check=True)

    def get_outputs(self, include_bytecode=1):
        compiled = map(str, Path(self.build_lib).rglob("*.nb[ci]"))
        return super().get_outputs(include_bytecode) + self._weights() + [*compiled]

    def _weights(self) -> list[str]:
        return [str(Path(self.build_lib, "pie/weights", path.name)) for path in WEIGHTS]


setup(cmdclass={"build_py": Build})
