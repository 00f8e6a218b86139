"""exp, log, sin, cos and pow of contiguous rows, in place, by SIMD instructions.

The vector functions of the GNU C library (libmvec, within 4 ulp) are six to fifteen times faster
than scalar calls. Without them (another system, an older processor) scalar calls are used.
"""

import platform

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_PREFIX = {8: "_ZGVeN8", 4: "_ZGVdN4"}  # names in the vector ABI: AVX-512, AVX2
_NAMES = ("exp", "log", "sin", "cos")


def _lanes() -> int:
    """Doubles per vector call: 8 (AVX-512), 4 (AVX2), 1 (no libmvec)."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return 1
    try:
        llvm.load_library_permanently("libmvec.so.1")
    except RuntimeError:
        return 1
    features = llvm.get_host_cpu_features()
    lanes = 8 if features.get("avx512f") else 4 if features.get("avx2") else 1
    symbols = [f"{_PREFIX[lanes]}v_{name}" for name in _NAMES] if lanes > 1 else []
    return lanes if all(llvm.address_of_symbol(symbol) for symbol in symbols) else 1


LANES = _lanes()
jit = njit(cache=True, error_model="numpy", nogil=True)


def _block(name: str, operands: int = 1):
    """Intrinsic ``block(address, second, count)``: f of min(``LANES``, count) doubles, in place.

    ``second`` is the address of the second operand; unused if there is one operand.
    """
    symbol = f"{_PREFIX[LANES]}{'v' * operands}_{name}"

    @intrinsic
    def block(typing_context, address, second, count):
        def generate(context, builder, signature, values):
            count = values[2]
            vector = ir.VectorType(ir.DoubleType(), LANES)
            integers = ir.VectorType(ir.IntType(64), LANES)
            int32, mask_type = ir.IntType(32), ir.VectorType(ir.IntType(1), LANES)
            module = builder.module

            def function(label, result, takes):
                known = module.globals.get(label)
                return known or ir.Function(module, ir.FunctionType(result, takes), label)

            pointer = vector.as_pointer()
            load = function(
                f"llvm.masked.load.v{LANES}f64.p0", vector, [pointer, int32, mask_type, vector]
            )
            store = function(
                f"llvm.masked.store.v{LANES}f64.p0",
                ir.VoidType(), [vector, pointer, int32, mask_type],
            )  # fmt: skip
            undefined = ir.Constant(integers, ir.Undefined)
            one = builder.insert_element(undefined, count, int32(0))
            first = ir.Constant(ir.VectorType(int32, LANES), [0] * LANES)
            counts = builder.shuffle_vector(one, undefined, first)
            mask = builder.icmp_signed("<", ir.Constant(integers, list(range(LANES))), counts)
            ones = ir.Constant(vector, [1.0] * LANES)
            pointers = [builder.inttoptr(address, pointer) for address in values[:operands]]
            loaded = [builder.call(load, [p, int32(8), mask, ones]) for p in pointers]
            result = builder.call(function(symbol, vector, [vector] * operands), loaded)
            builder.call(store, [result, pointers[0], int32(8), mask])
            return context.get_dummy_value()

        return types.void(types.intp, types.intp, types.intp), generate

    return block


if LANES > 1:
    _exp, _log, _sin, _cos = (_block(name) for name in _NAMES)
    _pow = _block("pow", 2)

    @jit
    def exp_row(row):
        for i in range(0, row.size, LANES):
            _exp(row.ctypes.data + 8 * i, 0, row.size - i)

    @jit
    def log_row(row):
        """Natural logarithm; nan unless positive."""
        for i in range(row.size):
            row[i] = row[i] if row[i] > 0.0 else np.nan
        for i in range(0, row.size, LANES):
            _log(row.ctypes.data + 8 * i, 0, row.size - i)

    @jit
    def sin_row(row):
        for i in range(0, row.size, LANES):
            _sin(row.ctypes.data + 8 * i, 0, row.size - i)

    @jit
    def cos_row(row):
        for i in range(0, row.size, LANES):
            _cos(row.ctypes.data + 8 * i, 0, row.size - i)

    @jit
    def pow_row(row, exponents):
        """row ** exponents; nan for a negative base with a fractional exponent."""
        for i in range(0, row.size, LANES):
            _pow(row.ctypes.data + 8 * i, exponents.ctypes.data + 8 * i, row.size - i)

else:

    @jit
    def exp_row(row):
        for i in range(row.size):
            row[i] = np.exp(row[i])

    @jit
    def log_row(row):
        for i in range(row.size):
            row[i] = np.log(row[i]) if row[i] > 0.0 else np.nan

    @jit
    def sin_row(row):
        for i in range(row.size):
            row[i] = np.sin(row[i])

    @jit
    def cos_row(row):
        for i in range(row.size):
            row[i] = np.cos(row[i])

    @jit
    def pow_row(row, exponents):
        for i in range(row.size):
            row[i] = row[i] ** exponents[i]
