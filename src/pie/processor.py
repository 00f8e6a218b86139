"""One code for all processors with AVX2."""

import os
import sys
from pathlib import Path

AVX2 = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+bmi,+bmi2"}


def compute_as_with_avx2() -> None:
    """Compiled code, BLAS and NumPy leave AVX-512 unused, where the processor has AVX2.

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
