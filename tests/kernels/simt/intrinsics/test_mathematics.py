"""CUDA's mathematical functions against Python's, lane by lane."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable

X = [0.25, 1.0, 2.5, -0.75, 3.0, -2.5, 0.5, 7.0]
P = [abs(x) for x in X]
U = [x / 8 for x in X]

UNARY: list[tuple[str, list[float], Callable[[float], float]]] = [
    ("sqrt", P, math.sqrt),
    ("rsqrt", P, lambda x: 1 / math.sqrt(x)),
    ("cbrt", X, math.cbrt),
    ("rcbrt", X, lambda x: 1 / math.cbrt(x)),
    ("exp", X, math.exp),
    ("exp2", X, math.exp2),
    ("exp10", X, lambda x: 10**x),
    ("expm1", X, math.expm1),
    ("log", P, math.log),
    ("log2", P, math.log2),
    ("log10", P, math.log10),
    ("log1p", P, math.log1p),
    ("sin", X, math.sin),
    ("cos", X, math.cos),
    ("tan", X, math.tan),
    ("asin", U, math.asin),
    ("acos", U, math.acos),
    ("atan", X, math.atan),
    ("sinh", X, math.sinh),
    ("cosh", X, math.cosh),
    ("tanh", X, math.tanh),
    ("asinh", X, math.asinh),
    ("acosh", [x + 1 for x in P], math.acosh),
    ("atanh", U, math.atanh),
    ("erf", X, math.erf),
    ("erfc", X, math.erfc),
    ("tgamma", P, math.gamma),
    ("lgamma", P, math.lgamma),
    ("fabs", X, abs),
    ("floor", X, math.floor),
    ("ceil", X, math.ceil),
    ("trunc", X, math.trunc),
    ("rint", X, round),
    ("nearbyint", X, round),
    ("round", X, lambda x: math.copysign(math.floor(abs(x) + 0.5), x)),
    ("logb", X, lambda x: math.frexp(x)[1] - 1),
    ("normcdf", X, lambda x: (1 + math.erf(x / math.sqrt(2))) / 2),
]

BINARY: list[tuple[str, list[float], list[float], Callable[[float, float], float]]] = [
    ("pow", P, X, math.pow),
    ("fmod", X, P[::-1], math.fmod),
    ("remainder", X, P[::-1], math.remainder),
    ("hypot", X, P, math.hypot),
    ("atan2", X, X[::-1], math.atan2),
    ("fmin", X, U, min),
    ("fmax", X, U, max),
    ("fdim", X, U, lambda x, y: max(x - y, 0)),
    ("copysign", P, X, math.copysign),
    ("fdivide", X, P, lambda x, y: x / y),
]


@pytest.mark.parametrize(("name", "numbers", "expected"), UNARY)
def test_functions_of_one_number(name: str, numbers: list[float], expected: Callable[[float], float]) -> None:
    wanted = [expected(x) for x in numbers]
    assert lanes(f"r = {name}f(x);", "float", x=("float", numbers)) == pytest.approx(wanted, rel=1e-7)
    assert lanes(f"r = {name}(x);", "float", x=("float", numbers)) == pytest.approx(wanted, rel=1e-7)
    assert lanes(f"r = std::{name}(x);", "double", x=("double", numbers)) == pytest.approx(wanted, rel=4e-15)


@pytest.mark.parametrize(("name", "x", "y", "expected"), BINARY)
def test_functions_of_two_numbers(
    name: str, x: list[float], y: list[float], expected: Callable[[float, float], float]
) -> None:
    wanted = [expected(a, b) for a, b in zip(x, y, strict=True)]
    for suffix, kind, rel in (("f", "float", 1e-7), ("", "double", 4e-15)):
        found = lanes(f"r = {name}{suffix}(x, y);", kind, x=(kind, x), y=(kind, y))
        assert found == pytest.approx(wanted, rel=rel)


def test_sines_and_cosines_at_once() -> None:
    body = "float s, c; double d[2]; sincosf(x, &s, &c); sincos((double)x, d, d + 1); r = s * 2 + c + d[0] - d[1];"
    wanted = [2 * math.sin(x) + math.cos(x) + math.sin(x) - math.cos(x) for x in X]
    assert lanes(body, "double", x=("float", X)) == pytest.approx(wanted, rel=1e-6)


def test_parts_of_numbers() -> None:
    body = "float whole; int e; float f = modff(x, &whole); double m = frexp(x * 1.0, &e); r = f + whole * 8 + m + e;"
    wanted = [math.modf(x)[0] + math.modf(x)[1] * 8 + sum(math.frexp(x)) for x in X]
    assert lanes(body, "double", x=("float", X)) == pytest.approx(wanted, rel=1e-6)


A = [0, 1, -1, 12345678, -(2**31), 2**31 - 1, -77, 40]
B = [3, -5, -1, 87654321, 2**31 - 1, -(2**31), 19, 8]


def cut(value: int, bits: int = 32, *, signed: bool = True) -> int:
    """Wrap an integer."""
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> bits - 1 else value


def word(value: int) -> int:
    return cut(value, signed=False)


def bit_string(value: int, bits: int = 32) -> str:
    return format(cut(value, bits, signed=False), f"0{bits}b")


def low24(value: int) -> int:
    return cut(value, 24)


INTEGERS: list[tuple[str, Callable[[int, int], int]]] = [
    ("__popc(a)", lambda a, b: bit_string(a).count("1")),
    ("__popcll((long long)a << 7 | 1)", lambda a, b: bit_string(a << 7 | 1, 64).count("1")),
    ("__clz(a)", lambda a, b: 32 - word(a).bit_length()),
    ("__clzll((long long)a)", lambda a, b: 64 - cut(a, 64, signed=False).bit_length()),
    ("__ffs(a)", lambda a, b: (a & -a).bit_length()),
    ("__ffsll((long long)a << 20)", lambda a, b: (a << 20 & -(a << 20)).bit_length()),
    ("(int)__brev(a)", lambda a, b: cut(int(bit_string(a)[::-1], 2))),
    ("(int)(__brevll(a) >> 32)", lambda a, b: cut(int(bit_string(a, 64)[::-1], 2) >> 32)),
    (
        "(int)__byte_perm(a, b, 0x5142)",
        lambda a, b: cut(int.from_bytes([(word(a) | word(b) << 32) >> 8 * n & 255 for n in (2, 4, 1, 5)], "little")),
    ),
    ("(int)__funnelshift_l(a, b, 5)", lambda a, b: cut((word(a) | word(b) << 32) << 5 >> 32)),
    ("(int)__funnelshift_r(a, b, 37)", lambda a, b: cut((word(a) | word(b) << 32) >> 5)),
    ("(int)__funnelshift_rc(a, b, 40)", lambda a, b: b),
    ("__mul24(a, b)", lambda a, b: cut(low24(a) * low24(b))),
    ("(int)__umul24(a, b)", lambda a, b: cut((a & 0xFFFFFF) * (b & 0xFFFFFF))),
    ("__mulhi(a, b)", lambda a, b: a * b >> 32),
    ("(int)__umulhi(a, b)", lambda a, b: cut(word(a) * word(b) >> 32)),
    ("(int)__mul64hi((long long)a << 31, (long long)b << 31)", lambda a, b: cut((a << 31) * (b << 31) >> 64)),
    ("(int)__umul64hi(a, b)", lambda a, b: cut(cut(a, 64, signed=False) * cut(b, 64, signed=False) >> 64)),
    ("(int)__sad(a, b, 7u)", lambda a, b: cut(abs(a - b) + 7)),
    ("(int)__usad(a, b, 7u)", lambda a, b: cut(abs(word(a) - word(b)) + 7)),
    ("__hadd(a, b)", lambda a, b: a + b >> 1),
    ("__rhadd(a, b)", lambda a, b: a + b + 1 >> 1),
    ("min(a, b)", min),
    ("max(a, b)", max),
    ("abs(a)", lambda a, b: cut(abs(a))),
    ("(int)umin(a, b)", lambda a, b: cut(min(word(a), word(b)))),
    ("(int)ullmax(a, b)", lambda a, b: cut(max(cut(a, 64, signed=False), cut(b, 64, signed=False)))),
    ("(int)(llabs(a) + labs(b))", lambda a, b: cut(abs(a) + abs(b))),
    ("__int_as_float(a) == __uint_as_float(a) || isnan(__int_as_float(a))", lambda a, b: 1),
    ("__float_as_int((float)a)", lambda a, b: struct.unpack("i", struct.pack("f", a))[0]),
    ("(int)__float_as_uint((float)b)", lambda a, b: struct.unpack("i", struct.pack("f", b))[0]),
    ("(int)(__double_as_longlong((double)a) >> 32)", lambda a, b: struct.unpack("q", struct.pack("d", a))[0] >> 32),
    (
        "__double2hiint((double)a) + __double2loint((double)a)",
        lambda a, b: cut(sum(struct.unpack("ii", struct.pack("d", a)))),
    ),
    ("__hiloint2double(__double2hiint((double)b), __double2loint((double)b)) == b", lambda a, b: 1),
]


@pytest.mark.parametrize(("expression", "expected"), INTEGERS)
def test_integer_functions(expression: str, expected: Callable[[int, int], int]) -> None:
    wanted = [expected(a, b) for a, b in zip(A, B, strict=True)]
    assert lanes(f"r = {expression};", a=("int", A), b=("int", B)) == wanted
    first, second = (f"({x})" if x < 0 else str(x) for x in (A[3], B[3]))
    known = expression.replace("a,", f"{first},").replace("b)", f"{second})").replace("a)", f"{first})")
    assert lanes(f"const int a = {first}, b = {second}; r = {known};") == [wanted[3]] * 8


@pytest.mark.parametrize(
    ("kind", "number", "results"),
    [
        # int, unsigned, long long, short, unsigned char: as an H200 gives them
        ("float", "NAN", [0, 0, -(2**63), 0, 0]),
        ("double", "(double)NAN", [-(2**31), 2**31, -(2**63), 0, 0]),
        ("float", "1e20f", [2**31 - 1, 2**32 - 1, 2**63 - 1, -1, 255]),
        ("float", "-1e20f", [-(2**31), 0, -(2**63), 0, 0]),
        ("float", "70000.9f", [70000, 70000, 70000, 4464, 112]),
        ("double", "-70000.9", [-70000, 0, -70000, -4464, 0]),
    ],
)
def test_casts_of_what_does_not_fit(kind: str, number: str, results: list[int]) -> None:
    types = ("int", "unsigned", "long long", "short", "unsigned char")
    for target, result in zip(types, results, strict=True):
        assert lanes(f"{kind} x = {number}; x += t * 0; r = ({target})x;", "long long") == [result] * 8
        assert lanes(f"r = ({target})({number});", "long long") == [result] * 8


def test_conversions_to_floating_point() -> None:
    assert lanes("r = __int2float_rn(16777217) + __uint2float_rn(4294967295u);", "double")[0] == 2.0**32 + 2**24
    assert lanes("r = __ll2double_rn(9007199254740993LL);", "double")[0] == 2.0**53
    assert lanes("r = __double2float_rn(0.1);", "double")[0] == float(np.float32(0.1))


@pytest.mark.parametrize("load", ["__ldg", "__ldcs", "__ldcg", "__ldca", "__ldcv"])
def test_loads_with_hints_are_loads(load: str) -> None:
    source = f"__global__ void k(const float *a, float *c) {{ int t = threadIdx.x; __stcs(&c[t], {load}(a + t)); }}"
    found = trace(source, {"a": np.array(X, np.float32), "c": Unwritten("float32", (8,))})
    assert found.outputs["c"].tolist() == X
    assert [(site.access, site.width) for site in found.sites] == [("read", 1), ("write", 1)]
    assert found.hazards == ()


def test_the_clock_only_goes_forward() -> None:
    body = "long long a = clock64(); for (int i = 0; i < 3; ++i) r += i; long long b = clock(); r = b > a ? b - a : -1;"
    assert lanes(body)[0] > 0
