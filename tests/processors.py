"""Environments in which x86-64 processors compute as others do, or with all that they have."""

# compiled code, BLAS, the C library and NumPy
AVX2 = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+bmi,+bmi2",
    "OPENBLAS_CORETYPE": "Haswell",
    "ATEN_CPU_CAPABILITY": "avx2",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
SLOW = {"NUMBA_OPT": "0"}  # no vectors


def own() -> dict[str, str]:
    """Compiled code with the widest vectors of this processor, which pie leaves unused."""
    from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

    features = get_host_cpu_features().flatten()
    return {"NUMBA_CPU_NAME": get_host_cpu_name(), "NUMBA_CPU_FEATURES": features}
