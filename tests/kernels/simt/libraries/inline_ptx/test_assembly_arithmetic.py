"""Results of PTX's register instructions, against Python's integers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels.simt.libraries.inline_ptx.arithmetic import operation
from kernels.simt.libraries.inline_ptx.conversions import comparison, conversion
from tests.kernels.simt.programs import THREADS, lanes

if TYPE_CHECKING:
    from collections.abc import Callable

A32: Final = [0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 0xFEDCBA98]
B32: Final = [3, 0, 31, 32, 2, 0xFFFFFFFF, 7, 0x80000001]
C32: Final = [1, 8, 0, 31, 32, 40, 0xFFFFFFF0, 4]
A64: Final = [0, 1, 5, 1 << 63, (1 << 64) - 1, 0x123456789ABCDEF0, 1 << 32, 0xFEDCBA9876543210]
B64: Final = [3, 0, 1 << 40, 2, (1 << 64) - 1, 7, 1 << 63, 99]


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def field(value: int, position: int, length: int) -> int:
    """The PTX ISA's own description of `bfe.u`."""
    position, length = position & 255, length & 255
    return sum((value >> position + i & 1) << i for i in range(length) if position + i < 32)


def signed_field(value: int, position: int, length: int) -> int:
    """The PTX ISA's own description of `bfe.s`."""
    position, length = position & 255, length & 255
    fill = 0 if length == 0 else value >> min(position + length - 1, 31) & 1
    return sum((value >> position + i & 1 if i < length and position + i < 32 else fill) << i for i in range(32))


def inserted(a: int, b: int, position: int, length: int) -> int:
    """The PTX ISA's own description of `bfi`."""
    for i in range(length & 255):
        place = (position & 255) + i
        if place < 32:
            b = b & ~(1 << place) | (a >> i & 1) << place if i < 32 else b & ~(1 << place)
    return b


def permuted(a: int, b: int, selector: int) -> int:
    source = (a | b << 32).to_bytes(8, "little")
    made = []
    for n in range(4):
        chosen = selector >> 4 * n & 15
        byte = source[chosen & 7]
        made.append((255 if byte & 128 else 0) if chosen & 8 else byte)
    return int.from_bytes(bytes(made), "little")


UNSIGNED: Final[dict[str, Callable[..., int]]] = {
    "add.u32": lambda a, b: a + b,
    "sub.s32": lambda a, b: a - b,
    "mul.lo.s32": lambda a, b: a * b,
    "mul.hi.u32": lambda a, b: a * b >> 32,
    "mul.hi.s32": lambda a, b: signed(a) * signed(b) >> 32,
    "mul24.lo.u32": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "min.u32": min,
    "max.u32": max,
    "min.s32": lambda a, b: min(signed(a), signed(b)),
    "and.b32": lambda a, b: a & b,
    "or.b32": lambda a, b: a | b,
    "xor.b32": lambda a, b: a ^ b,
    "shl.b32": lambda a, b: a << b if b < 32 else 0,
    "shr.u32": lambda a, b: a >> b if b < 32 else 0,
    "shr.s32": lambda a, b: signed(a) >> min(b, 31),
    "shr.b32": lambda a, b: a >> b if b < 32 else 0,
    "mad.lo.u32": lambda a, b, c: a * b + c,
    "mad.hi.u32": lambda a, b, c: (a * b >> 32) + c,
    "mad.hi.s32": lambda a, b, c: (signed(a) * signed(b) >> 32) + c,
    "bfe.u32": field,
    "bfe.s32": signed_field,
    "bfi.b32": inserted,
    "prmt.b32": permuted,
    "shf.l.wrap.b32": lambda a, b, c: (b << 32 | a) << (c & 31) >> 32,
    "shf.r.clamp.b32": lambda a, b, c: (b << 32 | a) >> min(c, 32),
    "lop3.b32": lambda a, b, c: a & b | ~a & c,
    "sad.u32": lambda a, b, c: abs(a - b) + c,
    "not.b32": lambda a: ~a,
    "cnot.b32": lambda a: int(a == 0),
    "neg.s32": lambda a: -a,
    "abs.s32": lambda a: abs(signed(a)),
    "popc.b32": lambda a: a.bit_count(),
    "clz.b32": lambda a: 32 - a.bit_length(),
    "brev.b32": lambda a: int(f"{a:032b}"[::-1], 2),
    "bfind.u32": lambda a: a.bit_length() - 1,
    "bfind.s32": lambda a: (a if signed(a) >= 0 else a ^ 0xFFFFFFFF).bit_length() - 1,
    "bfind.shiftamt.u32": lambda a: 32 - a.bit_length() if a else -1,
    "vabsdiff4.u32.u32.u32.add": lambda a, b, c: c + sum(abs((a >> n & 255) - (b >> n & 255)) for n in (0, 8, 16, 24)),
    "dp4a.u32.u32": lambda a, b, c: c + sum((a >> n & 255) * (b >> n & 255) for n in (0, 8, 16, 24)),
    "dp4a.s32.s32": lambda a, b, c: c + sum(signed(a >> n, 8) * signed(b >> n, 8) for n in (0, 8, 16, 24)),
}


@pytest.mark.parametrize("name", UNSIGNED)
def test_whole_numbers(name: str) -> None:
    compute = UNSIGNED[name]
    count = compute.__code__.co_argcount if hasattr(compute, "__code__") else 2
    third = [7 * n % 53 | 0x8070 << n for n in range(8)] if name == "prmt.b32" else C32
    given: dict[str, Any] = {word: ("unsigned", v) for word, v in zip("abc"[:count], (A32, B32, third), strict=False)}
    extra = ""
    if name == "bfi.b32":  # four operands
        given["d"] = ("unsigned", [4, 8, 31, 40, 0, 1, 16, 32])
        count = 4
    if name == "lop3.b32":
        extra = ", 0xCA"
    registers = ", ".join(f"%{n}" for n in range(count + 1))
    inputs = ", ".join(f'"r"({word})' for word in given)
    found = lanes(f'asm("{name} {registers}{extra};" : "=r"(r) : {inputs});', "unsigned", **given)
    expected = [compute(*row) & 0xFFFFFFFF for row in zip(*(v for _, v in given.values()), strict=True)]
    assert found == expected


WIDE: Final[dict[str, Callable[..., int]]] = {
    "add.u64": lambda a, b: a + b,
    "mul.lo.u64": lambda a, b: a * b,
    "mul.hi.u64": lambda a, b: a * b >> 64,
    "mul.hi.s64": lambda a, b: signed(a, 64) * signed(b, 64) >> 64,
    "xor.b64": lambda a, b: a ^ b,
    "max.s64": lambda a, b: max(signed(a, 64), signed(b, 64)),
    "mad.lo.s64": lambda a, b, c: a * b + c,
}


@pytest.mark.parametrize("name", WIDE)
def test_whole_numbers_of_64_bits(name: str) -> None:
    compute = WIDE[name]
    count = compute.__code__.co_argcount
    given: dict[str, Any] = {
        word: ("long long", [signed(v, 64) for v in values])
        for word, values in zip("abc"[:count], (A64, B64, B64[::-1]), strict=False)
    }
    registers = ", ".join(f"%{n}" for n in range(count + 1))
    inputs = ", ".join(f'"l"({word})' for word in given)
    found = lanes(f'asm("{name} {registers};" : "=l"(r) : {inputs});', "long long", **given)
    rows = zip(*([v % (1 << 64) for v in values] for _, values in given.values()), strict=True)
    assert found == [signed(compute(*row), 64) for row in rows]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("mul.wide.u32 %0, %1, %2;", "u", [a * b for a, b in zip(A32, B32, strict=True)]),
        ("mul.wide.s32 %0, %1, %2;", "s", [signed(a) * signed(b) for a, b in zip(A32, B32, strict=True)]),
        ("cvt.u64.u32 %0, %1;", "u", A32),
        ("cvt.s64.s32 %0, %1;", "s", [signed(a) for a in A32]),
        ("mov.b64 %0, {%1, %2};", "u", [a | b << 32 for a, b in zip(A32, B32, strict=True)]),
    ],
)
def test_results_of_twice_the_size(text: str, kind: str, expected: list[int]) -> None:
    body = f'asm("{text}" : "=l"(r) : "r"(a), "r"(b));'
    found = lanes(body, "long long", a=("unsigned", A32), b=("unsigned", B32))
    assert found == [signed(value, 64) for value in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mov.b64 {%0, _}, %1;", [a & 0xFFFFFFFF for a in A64]),
        ("mov.b64 {_, %0}, %1;", [a >> 32 for a in A64]),
        ("cvt.u32.u64 %0, %1;", [a & 0xFFFFFFFF for a in A64]),
        ("cvt.u16.u64 %0, %1;", [a & 0xFFFF for a in A64]),
        ("cvt.s8.s64 %0, %1;", [signed(a, 8) & 0xFFFFFFFF for a in A64]),
        ("popc.b64 %0, %1;", [a.bit_count() for a in A64]),
        ("clz.b64 %0, %1;", [64 - a.bit_length() for a in A64]),
        ("bfind.u64 %0, %1;", [a.bit_length() - 1 & 0xFFFFFFFF for a in A64]),
    ],
)
def test_results_of_half_the_size(text: str, expected: list[int]) -> None:
    given = ("long long", [signed(a, 64) for a in A64])
    assert lanes(f'asm("{text}" : "=r"(r) : "l"(a));', "unsigned", a=given) == expected


X: Final = [0.0, -0.0, 1.5, -2.25, 3e38, 1e-40, math.inf, 0.1]
Y: Final = [1.0, 2.0, -1.5, 0.3, 3e38, 1e-39, 2.0, 0.7]
FLOATS: Final = {
    "add.f32": "a + b",
    "add.rn.f32": "__fadd_rn(a, b)",
    "add.rz.f32": "__fadd_rz(a, b)",
    "sub.rm.f32": "__fsub_rd(a, b)",
    "mul.rp.f32": "__fmul_ru(a, b)",
    "div.rn.f32": "a / b",
    "div.full.f32": "a / b",
    "min.f32": "fminf(a, b)",
    "fma.rn.f32": "fmaf(a, b, a)",
    "mad.rz.f32": "__fmaf_rz(a, b, a)",
    "neg.f32": "-a",
    "abs.f32": "fabsf(a)",
    "sqrt.rn.f32": "sqrtf(b)",
    "rcp.rn.f32": "1.0f / b",
    "rcp.approx.f32": "1.0f / b",
    "ex2.approx.f32": "exp2f(b)",
    "lg2.approx.f32": "log2f(b)",
    "tanh.approx.f32": "tanhf(b)",
    "copysign.f32": "copysignf(b, a)",
    "mul.rn.sat.f32": "__saturatef(__fmul_rn(a, b))",
}


def same(left: list[Any], right: list[Any]) -> bool:
    return np.array_equal(np.array(left, np.float32).view(np.uint32), np.array(right, np.float32).view(np.uint32))


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name: str) -> None:
    given: dict[str, Any] = {"a": ("float", X), "b": ("float", Y)}
    of_b = "(b)" in FLOATS[name] or ("/ b" in FLOATS[name] and "a" not in FLOATS[name])
    operands = "%2" if of_b else ", ".join(["%1", "%2", "%1"][: len(operation(name.split(".")).operands)])  # type: ignore[union-attr]
    ptx = lanes(f'asm("{name} %0, {operands};" : "=f"(r) : "f"(a), "f"(b));', "float", **given)
    assert same(ptx, lanes(f"r = {FLOATS[name]};", "float", **given))


def test_subnormal_numbers_become_zero() -> None:
    given: dict[str, Any] = {"a": ("float", [1e-40, -1e-40, 1.0, 2e-20, -2e-20])}
    text = 'asm("mul.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"({}));'
    kept = lanes(text.format("1e30f"), "float", **given)
    assert same(kept[:3], [0.0, -0.0, 1e30])
    lost = lanes(text.format("1e-20f"), "float", **given)
    assert same(lost[3:5], [0.0, -0.0])
    assert math.copysign(1, lost[4]) == -1


@pytest.mark.parametrize(
    ("body", "fused"),
    [
        ("p = a * b; r = p + c;", True),
        ('asm("mul.f32 %0, %1, %2;" : "=f"(p) : "f"(a), "f"(b)); r = p + c;', True),
        ('p = a * b; asm("add.f32 %0, %1, %2;" : "=f"(r) : "f"(p), "f"(c));', True),
        ('asm("add.f32 %0, %1, %2;" : "=f"(r) : "f"(a_[t] * b), "f"(c));', True),
        (
            """asm("mul.f32 %0, %1, %2;" : "=f"(p) : "f"(a), "f"(b));
            asm("add.f32 %0, %1, %2;" : "=f"(r) : "f"(p), "f"(c));""",
            True,
        ),
        ('asm("{ .reg .f32 q; mul.f32 q, %1, %2; add.f32 %0, q, %3; }" : "=f"(r) : "f"(a), "f"(b), "f"(c));', True),
        ('asm("{ .reg .f32 q; mul.rn.f32 q, %1, %2; add.f32 %0, q, %3; }" : "=f"(r) : "f"(a), "f"(b), "f"(c));', False),
        ('asm("{ .reg .f32 q; mul.f32 q, %1, %2; add.rn.f32 %0, q, %3; }" : "=f"(r) : "f"(a), "f"(b), "f"(c));', False),
    ],
)
def test_a_product_goes_into_a_sum_unless_they_say_how_they_round(body: str, fused: bool) -> None:
    """As in the machine code that ptxas 13 makes of these for sm_90."""
    factor = np.float32(1 + 2**-12)
    rest = -float(factor * factor)
    found = lanes(f"float p; {body}", "float", a=("float", [factor]), b=("float", [factor]), c=("float", [rest]))
    assert found == [2.0**-24 if fused else 0.0] * THREADS


@pytest.mark.parametrize(
    ("text", "source", "cuda"),
    [
        ("cvt.rn.f32.s32 %0, %1;", "r", "(float)(int)n"),
        ("cvt.rn.f32.u32 %0, %1;", "r", "(float)n"),
        ("cvt.rni.f32.f32 %0, %1;", "f", "rintf(x)"),
        ("cvt.sat.f32.f32 %0, %1;", "f", "__saturatef(x)"),
        ("cvt.f32.f16 %0, %1;", "h", "__half2float(__ushort_as_half((unsigned short)n))"),
        ("mov.b32 %0, %1;", "r", "__uint_as_float(n)"),
        ("mov.f32 %0, 0f40490FDB;", "r", "3.14159274101257324f"),
        ("{ .reg .f32 half; mov.f32 half, 0.5; mul.f32 %0, half, %1; }", "f", "0.5f * x"),
    ],
)
def test_conversions_to_float(text: str, source: str, cuda: str) -> None:
    given: dict[str, Any] = {
        "n": ("unsigned", [0, 1, 0x3C01, 0x7BFF, 0xFFFFFFFF, 0x80000001, 77, 3]),
        "x": ("float", X),
    }
    operand = {"r": "n", "f": "x", "h": "(unsigned short)n"}[source]
    ptx = lanes(f'asm("{text}" : "=f"(r) : "{source}"({operand}));', "float", **given)
    assert same(ptx, lanes(f"r = {cuda};", "float", **given))


@pytest.mark.parametrize(
    ("text", "cuda"),
    [
        ("cvt.rzi.s32.f32 %0, %1;", "__float2int_rz(x)"),
        ("cvt.rni.u32.f32 %0, %1;", "__float2uint_rn(x)"),
        ("cvt.rmi.s32.f32 %0, %1;", "__float2int_rd(x)"),
        ("cvt.rna.tf32.f32 %0, %1;", "__float_as_uint(nvcuda::wmma::__float_to_tf32(x))"),
        (
            "cvt.rn.f16x2.f32 %0, %1, %2;",
            "(unsigned)__half_as_ushort(__float2half(x)) << 16 | __half_as_ushort(__float2half(y))",
        ),
        ("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.u32.u16 %0, h; }", "__half_as_ushort(__float2half(x))"),
        ("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.b32 %0, 1, 0, p; }", "x < y"),
        ("{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.b32 %0, 1, 0, p; }", "x < y || x > y"),
        ("{ .reg .pred p; setp.geu.f32 p, %1, %2; selp.b32 %0, 1, 0, p; }", "!(x < y)"),
        (
            "{ .reg .pred p, q; setp.nan.f32 p, %1, %2; not.pred q, p; selp.b32 %0, 5, 6, q; }",
            "isnan(x) || isnan(y) ? 6 : 5",
        ),
        (
            "{ .reg .pred p, q; setp.gt.f32 p, %1, 0.0; setp.lt.and.f32 p|q, %2, 1.0, p; selp.b32 %0, 1, 0, q; }",
            "!(y < 1) && x > 0",
        ),
        ("{ .reg .pred p; testp.infinite.f32 p, %1; selp.b32 %0, 1, 0, p; }", "isinf(x)"),
        ("set.gt.u32.f32 %0, %1, %2;", "x > y ? -1 : 0"),
    ],
)
def test_conversions_and_comparisons_of_floats(text: str, cuda: str) -> None:
    given: dict[str, Any] = {"x": ("float", [*X[:6], math.nan, 3.5]), "y": ("float", Y)}
    ptx = lanes(f'asm("{text}" : "=r"(r) : "f"(x), "f"(y));', "unsigned", **given)
    assert ptx == lanes(f"r = {cuda};", "unsigned", "#include <mma.h>\n#include <cuda_fp16.h>", **given)


def limited(value: float, least: int, most: int) -> int:
    """Return an integer in a range, with the bits of the word that holds it."""
    return round(min(max(value, least), most)) & 0xFFFFFFFF


FAR = [0.4, -0.6, 2.5, 127.6, -128.4, 254.5, 40000.0, -1e20]


@pytest.mark.parametrize(
    ("name", "values", "range_"),
    [
        ("rni.sat.s8.f32", FAR, (-128, 127)),
        ("rni.u8.f32", FAR, (0, 255)),
        ("rni.s16.f32", FAR, (-(2**15), 2**15 - 1)),
        ("rni.sat.u16.f32", FAR, (0, 2**16 - 1)),
        ("rni.sat.s32.f32", FAR, (-(2**31), 2**31 - 1)),
        ("sat.s8.s32", [signed(a) for a in A32], (-128, 127)),
        ("sat.u8.s32", [signed(a) for a in A32], (0, 255)),
        ("sat.u8.u32", A32, (0, 255)),
        ("sat.s32.u32", A32, (0, 2**31 - 1)),
        ("sat.u32.s32", [signed(a) for a in A32], (0, 2**32 - 1)),
    ],
)
def test_integers_that_saturate(name: str, values: list[float], range_: tuple[int, int]) -> None:
    kind, letter = ("float", "f") if name.endswith("f32") else ("unsigned", "r")
    given = values if kind == "float" else [int(v) & 0xFFFFFFFF for v in values]
    found = lanes(f'asm("cvt.{name} %0, %1;" : "=r"(r) : "{letter}"(x));', "unsigned", x=(kind, given))
    assert found == [limited(round(v), *range_) for v in values]


def test_integers_that_saturate_side_by_side() -> None:
    given: dict[str, Any] = {"x": ("int", [1, 300, -5, -300]), "y": ("int", [70000, -2, 127, 128])}
    pack = 'asm("cvt.pack.sat.{} %0, %1, %2{};" : "=r"(r) : "r"(x), "r"(y), "r"(0x5432));'
    bytes_ = lanes(pack.format("s8.s32.b32", ", %3"), "unsigned", **given)
    assert bytes_[:4] == [0x5432017F, 0x54327FFE, 0x5432FB7F, 0x5432807F]
    halves = lanes(pack.format("u16.s32", ""), "unsigned", **given)
    assert halves[:4] == [0x0001FFFF, 0x012C0000, 0x0000007F, 0x00000080]


@pytest.mark.parametrize(
    ("text", "cuda"),
    [
        ("add.f16x2 %0, %1, %2;", "__hadd2"),
        ("mul.f16x2 %0, %1, %2;", "__hmul2"),
        ("fma.rn.f16x2 %0, %1, %2, %1;", "__hfma2"),
        ("max.f16x2 %0, %1, %2;", "__hmax2"),
    ],
)
def test_pairs_of_halves(text: str, cuda: str) -> None:
    given: dict[str, Any] = {
        "a": ("unsigned", [0x3C00BC00, 0x00014000, 0x7BFF0400, 0x35553C01]),
        "b": ("unsigned", [0x42003C00, 0x00010001, 0x7BFF8400, 0x3555BC02]),
    }
    third = ", *(half2 *)&a" if "fma" in text else ""
    plain = f"half2 d = {cuda}(*(half2 *)&a, *(half2 *)&b{third}); r = *(unsigned *)&d;"
    ptx = lanes(f'asm("{text}" : "=r"(r) : "r"(a), "r"(b));', "unsigned", **given)
    assert ptx == lanes(plain, "unsigned", "#include <cuda_fp16.h>", **given)


@pytest.mark.parametrize(
    ("register", "cuda"),
    [
        ("%%tid.x", "threadIdx.x"),
        ("%%ntid.x", "blockDim.x"),
        ("%%ctaid.y", "blockIdx.y"),
        ("%%nctaid.z", "gridDim.z"),
        ("%laneid", "threadIdx.x % 32"),
        ("%%warpid", "threadIdx.x / 32"),
        ("%%lanemask_lt", "(1u << threadIdx.x) - 1"),
        ("%%lanemask_ge", "~((1u << threadIdx.x) - 1)"),
        ("%%smid", "0"),
        ("WARP_SZ", "32"),
    ],
)
def test_special_registers(register: str, cuda: str) -> None:
    assert lanes(f'asm("mov.u32 %0, {register};" : "=r"(r));', "unsigned") == lanes(f"r = {cuda};", "unsigned")


def test_clocks_count_steps() -> None:
    for register in ("clock64", "globaltimer"):
        body = (
            f'long long u, v; asm volatile("mov.u64 %0, %%{register};" : "=l"(u)); r = 1; '
            f'asm volatile("mov.u64 %0, %%{register};" : "=l"(v)); r = v - u;'
        )
        assert lanes(body, "int") == [2] * THREADS


@pytest.mark.parametrize(
    "name",
    [
        "abs.u32",
        "add.b32",
        "and.u32",
        "popc.u32",
        "mov.ftz.f32",
        "div.rn.sat.f32",
        "add.u8",
        "add.sat.s32",
        "add.cc.u32",
        "mul.wide.u64",
        "mul.hi.u16",
        "fma.f32",
        "add.rn.ftz.f64",
        "sin.f32",
        "mov.b128",
        "min.NaN.f32",
        "ex2.approx.f64",
        "prmt.b32.f4e",
        "fma.rn.relu.f16x2",
        "dp4a.u32.s32",
        "mul.f32.f32",
        "add",
    ],
)
def test_what_is_not_known(name: str) -> None:
    assert operation(name.split(".")) is None


@pytest.mark.parametrize(
    "name",
    [
        "cvt.f32.f64",
        "cvt.rn.ftz.f64.s32",
        "cvt.u32.b32",
        "cvt.sat.s32.u8",
        "cvt.rni.u8.f64",
        "cvt.rn.bf16.f64",
        "cvt.sat.s64.s64",
        "cvt.rn.sat.f16.f32",
        "cvt.pack.s8.s32.b32",
        "cvt.pack.sat.s8.s32",
        "cvt.pack.sat.s32.s32",
        "cvt.rz.f16x2.f32",
        "cvt.rn.f32",
        "cvt.s32.f32",
    ],
)
def test_conversions_that_are_not_known(name: str) -> None:
    assert conversion(name.split(".")) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lt", "b32"),
        ("hi", "s32"),
        ("lo", "f32"),
        ("eq", "pred"),
        ("eq", "f16x2"),
        ("lt", "f16"),
        ("nan", "s32"),
        ("eq", "u8"),
        ("", "u32"),
        ("same", "u32"),
    ],
)
def test_comparisons_that_are_not_known(name: str, kind: str) -> None:
    assert comparison(name, kind) is None


def test_only_eight_bits_say_where_a_field_is() -> None:
    body = 'asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(1u), "r"(2u), "r"(0x80000100u), "r"(0x71fu));'
    assert lanes(body, "unsigned") == [inserted(1, 2, 0, 31)] * 8 == [1] * 8
