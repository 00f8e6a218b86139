"""PIE: implicit equations f(x) = 0 from a cloud of points, without degenerate answers.

>>> import pie
>>> result = pie.discover([[1.0, 1.0], [2.0, 0.5]])
Traceback (most recent call last):
pie.discovery.measurements.BadTable: 2 different rows; expected more than the 2 columns
"""

import os
import sys
from pathlib import Path

__version__ = "0.1.0"

HOMES = {
    "BadTable": "discovery.measurements",
    "ImplicitRegressor": "discovery.regressor",
    "Law": "discovery.result",
    "PlusConfig": "search.plus",
    "Result": "discovery.result",
    "discover": "discovery.laws",
    "from_pretrained": "discovery.pretrained",
    "plot": "report.pictures",
}
__all__ = list(HOMES)
NEED = {"ImplicitRegressor": "sklearn", "plot": "matplotlib"}  # packages of the extras


AVX2 = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+bmi,+bmi2"}


def _compute_as_with_avx2() -> None:
    """Compiled code, BLAS and NumPy leave AVX-512 unused: one code for all processors with AVX2.

    In effect where pie is imported before numba and NumPy, and in the processes that are started
    from there. A variable ``NUMBA_CPU_NAME`` that is set already wins.
    """
    cpu = Path("/proc/cpuinfo")
    has = set(cpu.read_text().split()) if cpu.exists() else set()
    if not {"avx2", "fma", "bmi1", "bmi2"} <= has:
        return
    if "numba" not in sys.modules and "NUMBA_CPU_NAME" not in os.environ:
        os.environ.update(AVX2)
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
        if "avx512f" in has:
            os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")


_compute_as_with_avx2()


def __getattr__(name: str):
    """What a user needs, from its own module; imported when it is first asked for."""
    if name not in HOMES:
        raise AttributeError(f"module 'pie' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"pie.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Without what cannot be imported here: ``help(pie)`` asks for every name."""
    from importlib.util import find_spec

    lacks = {name for name, package in NEED.items() if find_spec(package) is None}
    return sorted({*__all__, "__version__"} - lacks)
