"""exp, log, sin, cos and pow of contiguous rows, in place, with the same bits on every processor.

Reductions and polynomials (those of FDLIBM, Sun Microsystems 1993, and Taylor's for exp) are plain
arithmetic with fused multiply–adds where they are written, which the compiler turns into vector
instructions of any width: every number goes through the same operations. Largest errors: log 0.8,
exp 1.0, pow 1.1, sin and cos 1.5 units in the last place. Beyond ±1e6 sin and cos, and pow of 0,
inf or nan, are those of the C library.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from .. import processor  # noqa: F401 - what is compiled here is code of that kind

jit = njit(cache=True, error_model="numpy", nogil=True)
# of few callers: compiled with them, as everything that is called is compiled again by each caller
inlined = njit(error_model="numpy", inline="always")

_ROUND = 6755399441055744.0  # 1.5·2⁵²: added, it leaves the nearest whole number in the last bits
_WHOLE = np.uint64(0x4330000000000000)  # 2⁵², with a whole number in its last bits
_OFFSET = 4503599627370496.0 + 1023.0  # 2⁵² and the bias of exponents
_EXPONENT = np.uint64(52)  # place of the exponent
_BIAS = np.uint64(1023)
_FRACTION = np.uint64(0x000FFFFFFFFFFFFF)
_ONE = np.uint64(0x3FF0000000000000)
_SIGN = np.uint64(63)
_SQRT2 = np.uint64(0x0006A09E667F3BCD)  # fraction of √2
_SMALLEST = 2.2250738585072014e-308  # of normal numbers
_SCALE = 18014398509481984.0  # 2⁵⁴
_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_TWO_OVER_PI = 6.36619772367581382433e-01
_PI1, _PI2, _PI3 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33  # of π/2
_FAR = 1.0e6  # arguments of sin and cos
_GREAT = 1.0e15  # exponents


@intrinsic
def _bits(typing_context, value):
    """The 64 bits of a double."""

    def generate(context, builder, signature, values):
        return builder.bitcast(values[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic
def _double(typing_context, bits):
    """The double that has these bits."""

    def generate(context, builder, signature, values):
        return builder.bitcast(values[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@intrinsic
def _fma(typing_context, a, b, c):
    """a·b + c, rounded once."""

    def generate(context, builder, signature, values):
        return builder.fma(*values)

    return types.float64(types.float64, types.float64, types.float64), generate


@jit
def _exp(x, rest):
    """exp(x + rest) for |rest| far below |x|: 2^k·exp(r) with |r| ≤ ½ ln 2."""
    bounded = min(max(x, -746.0), 710.0)
    shifted = _fma(bounded, _LOG2E, _ROUND)
    k = shifted - _ROUND
    r = _fma(-k, _LN2_LOW, _fma(-k, _LN2_HIGH, bounded)) + rest
    q = _fma(1.0 / 6227020800.0, r, 1.0 / 479001600.0)
    q = _fma(q, r, 1.0 / 39916800.0)
    q = _fma(q, r, 1.0 / 3628800.0)
    q = _fma(q, r, 1.0 / 362880.0)
    q = _fma(q, r, 1.0 / 40320.0)
    q = _fma(q, r, 1.0 / 5040.0)
    q = _fma(q, r, 1.0 / 720.0)
    q = _fma(q, r, 1.0 / 120.0)
    q = _fma(q, r, 1.0 / 24.0)
    q = _fma(q, r, 1.0 / 6.0)
    q = _fma(q, r, 0.5)
    y = 1.0 + _fma(r * r, q, r)
    first = _fma(0.5, k, _ROUND)  # of two factors, as 2^k may be beyond the range
    second = (k - (first - _ROUND)) + _ROUND
    y = y * _double((_bits(first) + _BIAS) << _EXPONENT)
    y = y * _double((_bits(second) + _BIAS) << _EXPONENT)
    return y if x == x else x


@jit
def _split(x):
    """k and f of x = 2^k·(1 + f), with √½ ≤ 1 + f < √2; for x > 0."""
    small = x < _SMALLEST
    bits = _bits(x * _SCALE if small else x)
    fraction = bits & _FRACTION
    above = fraction >= _SQRT2
    exponent = _double((bits >> _EXPONENT) | _WHOLE) - _OFFSET
    k = exponent + (1.0 if above else 0.0) - (54.0 if small else 0.0)
    m = _double(fraction | _ONE)
    return k, (0.5 * m if above else m) - 1.0


@jit
def _series(z):
    """(ln((1 + s)/(1 − s)) − 2s)/s for z = s²."""
    w = z * z
    even = _fma(w, 1.531383769920937332e-01, 2.222219843214978396e-01)
    even = _fma(w, even, 3.999999999940941908e-01)
    odd = _fma(w, 1.479819860511658591e-01, 1.818357216161805012e-01)
    odd = _fma(w, odd, 2.857142874366239149e-01)
    return _fma(z, _fma(w, odd, 6.666666666666735130e-01), w * even)


@jit
def _log(x):
    """k ln 2 + ln(1 + f) with s = f/(2 + f); nan unless positive."""
    k, f = _split(x)
    s = f / (2.0 + f)
    h = 0.5 * f * f
    y = _fma(k, _LN2_HIGH, f - (h - _fma(s, h + _series(s * s), k * _LN2_LOW)))
    y = y if x < np.inf else x
    return y if x > 0.0 else np.nan


@inlined  # too long to be inlined, and vectorised, otherwise
def _pow(x, y):
    """x^y for finite y and finite x ≠ 0: exp(y ln|x|), with the logarithm in two parts."""
    k, f = _split(abs(x))
    q = 2.0 + f
    s = f / q
    rest = _fma(-s, q, f) - s * (f - (q - 2.0))
    high = _fma(k, _LN2_HIGH, 2.0 * s)
    lost = _fma(k, _LN2_HIGH, -high) + 2.0 * s
    low = lost + _fma(k, _LN2_LOW, _fma(s, _series(s * s), 2.0 * rest / q))
    product = y * high
    value = _exp(product, _fma(y, high, -product) + y * low)
    odd = _bits(y + _ROUND) << _SIGN
    signed = _double(_bits(value) ^ odd) if (y + _ROUND) - _ROUND == y else np.nan
    return value if x > 0.0 else signed


@jit
def _turned(x, quarters):
    """sin(x + quarters·π/2) for |x| < 1e6: ± sin or cos of |r| ≤ π/4."""
    shifted = _fma(x, _TWO_OVER_PI, _ROUND)
    k = shifted - _ROUND
    r = _fma(-k, _PI3, _fma(-k, _PI2, _fma(-k, _PI1, x)))
    z = r * r
    s = _fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08)
    s = _fma(z, s, 2.75573137070700676789e-06)
    s = _fma(z, s, -1.98412698298579493134e-04)
    s = _fma(z, s, 8.33333333332248946124e-03)
    s = _fma(z, s, -1.66666666666666324348e-01)
    s = _fma(r * z, s, r)
    c = _fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09)
    c = _fma(z, c, -2.75573143513906633035e-07)
    c = _fma(z, c, 2.48015872894767294178e-05)
    c = _fma(z, c, -1.38888888888741095749e-03)
    c = _fma(z, c, 4.16666666666666019037e-02)
    h = 1.0 - 0.5 * z
    c = h + _fma(z * z, c, (1.0 - h) - 0.5 * z)
    turn = _bits(shifted) + quarters
    value = c if turn & np.uint64(1) else s
    return -value if turn & np.uint64(2) else value


@jit
def _all_near(row):
    beyond = 0
    for i in range(row.size):
        beyond += not abs(row[i]) < _FAR
    return beyond == 0


@jit
def _is_plain(x, y):
    return (0.0 < abs(x) < np.inf) & (abs(y) < _GREAT)


@jit
def fill(row, value):
    """row[:] = value, which numba compiles for a tenth of a second wherever it stands."""
    for i in range(row.size):
        row[i] = value


@jit
def copy(source, row):
    """row[:] = source, likewise."""
    for i in range(row.size):
        row[i] = source[i]


@jit
def mean_of(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total / numbers.size


@jit
def ascending(numbers):
    """Places (N,) in ascending order by merging, equal ones as they come, nan last.

    numpy's sorts take a second to compile, each.
    """
    n = numbers.size
    order, merged = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            left, right = low, low + width
            middle, high = min(right, n), min(right + width, n)
            for place in range(low, high):
                first = left < middle
                if first and right < high:
                    a, b = numbers[order[left]], numbers[order[right]]
                    first = not (b < a or (a != a and b == b))
                if first:
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@jit
def exp_row(row):
    for i in range(row.size):
        row[i] = _exp(row[i], 0.0)


@jit
def log_row(row):
    """Natural logarithm; nan unless positive."""
    for i in range(row.size):
        row[i] = _log(row[i])


@jit
def wave_row(row, quarters):
    """sin(x + quarters·π/2): 0 for the sine, 1 for the cosine."""
    turn = np.uint64(quarters)
    if _all_near(row):
        for i in range(row.size):
            row[i] = _turned(row[i], turn)
    else:
        for i in range(row.size):
            far = np.cos(row[i]) if quarters else np.sin(row[i])
            row[i] = _turned(row[i], turn) if abs(row[i]) < _FAR else far


@jit
def pow_row(row, exponents):
    """row ** exponents; nan for a negative base with a fractional exponent."""
    special = 0
    for i in range(row.size):
        special += not _is_plain(row[i], exponents[i])
    given = row.copy() if special else row
    for i in range(row.size):
        row[i] = _pow(row[i], exponents[i])
    if special:
        for i in range(row.size):
            if not _is_plain(given[i], exponents[i]):
                row[i] = given[i] ** exponents[i]
