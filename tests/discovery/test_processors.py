"""The same law on every processor, with any number of threads."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from processors import AVX2, own

from pie.data.sampling import add_noise

SEARCH = """
import sys
import numpy as np, pie
with np.load(sys.argv[1]) as clouds:
    for name in clouds:
        result = pie.discover(clouds[name], workers=int(sys.argv[2]))
        print(name, [repr(law) for law in result.laws], [repr(law) for law in result.rivals])
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="another architecture")
def test_laws_do_not_depend_on_the_processor_or_on_threads(root, tmp_path):
    """AVX2 and one thread beside code compiled for this processor and two: to four digits."""
    rng = np.random.default_rng(3)
    t, x, y = np.linspace(0.0, 6.0, 90), rng.uniform(0.5, 3.0, 90), rng.uniform(0.5, 3.0, 90)
    laws = {
        "ellipse": np.column_stack([2.0 * np.cos(t), np.sin(t)]),
        "saturation": np.column_stack([x, 3.0 * x / (0.8 + x)]),
        "wave": np.column_stack([t, 1.5 * np.sin(1.7 * t + 0.3)]),
        "gas": np.column_stack([x, y, 8.31 * x / y]),
        "decay": np.column_stack([x, y, 2.0 * y * np.exp(-0.7 * x)]),
    }
    noise = {f"{name} with noise": add_noise(points, 0.01, rng) for name, points in laws.items()}
    np.savez(tmp_path / "clouds.npz", **laws, **noise)
    weights = {"PIE_WEIGHTS": str(root / "data/models/pie-plus"), "PYTHONPATH": str(root / "src")}
    other = {**AVX2, "OMP_NUM_THREADS": "1"}
    found = []
    for environment, threads in ((own(), 2), (other, 1)):
        command = [sys.executable, "-c", SEARCH, str(tmp_path / "clouds.npz"), str(threads)]
        unset = {k: v for k, v in os.environ.items() if k not in AVX2}
        env = unset | weights | environment
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.splitlines())
    assert len(found[0]) == len(laws) + len(noise)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "first, compiled, kernels",
    [("pie", "haswell", "Haswell"), ("numpy", "haswell", "None"), ("numba", "None", "None")],
)
def test_avx_512_is_left_unused_where_pie_is_imported_first(root, first, compiled, kernels):
    cpu = Path("/proc/cpuinfo")
    about = set(cpu.read_text().split()) if cpu.exists() else set()
    if not {"avx2", "fma", "bmi1", "bmi2"} <= about:
        pytest.skip("not an x86-64 processor with AVX2 on Linux")
    script = f"""
import os, {first}, pie, numpy, numba, threadpoolctl
numpy.linalg.svd(numpy.eye(2))
(blas,) = (x for x in threadpoolctl.threadpool_info() if x["internal_api"] == "openblas")
wanted, unused = map(os.environ.get, ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"))
print(numba.config.CPU_NAME, wanted, blas["architecture"] in ("Haswell", "Zen") or wanted is None,
      unused is not None)
"""
    env = {k: v for k, v in os.environ.items() if k not in AVX2} | {"PYTHONPATH": str(root / "src")}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    without = first == "pie" and "avx512f" in about
    assert done.stdout.split() == [compiled, kernels, "True", str(without)]


def test_a_processor_that_the_user_asks_for_is_compiled_for(root):
    env = {k: v for k, v in os.environ.items() if k not in AVX2}
    env |= {"PYTHONPATH": str(root / "src"), "NUMBA_CPU_NAME": "generic"}
    script = "import pie, numba; print(numba.config.CPU_NAME, repr(numba.config.CPU_FEATURES))"
    said = subprocess.check_output([sys.executable, "-c", script], env=env, text=True)
    assert said.split() == ["generic", "''"]
