"""A built package holds the weights of PIE+, which live in data/models of the repository."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
WEIGHTS = [*sorted((ROOT / "data/models/pie-plus").glob("*.safetensors"))]
WEIGHTS.append(ROOT / "data/models/pie-plus/config.json")


class BuildWithWeights(build_py):
    """As setuptools does, and pie/weights."""

    def run(self):
        super().run()
        if not self.editable_mode:
            Path(self.build_lib, "pie/weights").mkdir(parents=True, exist_ok=True)
            for source, target in zip(WEIGHTS, self._targets(), strict=True):
                shutil.copy(source, target)

    def get_outputs(self, include_bytecode=1):
        return super().get_outputs(include_bytecode) + self._targets()

    def _targets(self) -> list[str]:
        return [str(Path(self.build_lib, "pie/weights", path.name)) for path in WEIGHTS]


setup(cmdclass={"build_py": BuildWithWeights})
