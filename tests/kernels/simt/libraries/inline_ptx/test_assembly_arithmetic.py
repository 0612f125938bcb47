"""Results of PTX's register instructions, against Python's integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels.simt.libraries.inline_ptx.arithmetic import operation
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


UNSIGNED: Final[dict[str, Callable[..., int]]] = {
    "add.u32": lambda a, b: a + b,
    "sub.s32": lambda a, b: a - b,
    "mul.lo.s32": lambda a, b: a * b,
    "mad.lo.u32": lambda a, b, c: a * b + c,
    "and.b32": lambda a, b: a & b,
    "or.b32": lambda a, b: a | b,
    "xor.b32": lambda a, b: a ^ b,
    "not.b32": lambda a: ~a,
    "shl.b32": lambda a, b: a << b if b < 32 else 0,
    "shr.u32": lambda a, b: a >> b if b < 32 else 0,
    "shr.b32": lambda a, b: a >> b if b < 32 else 0,
    "bfe.u32": field,
    "bfind.u32": lambda a: a.bit_length() - 1,
    "vabsdiff4.u32.u32.u32.add": lambda a, b, c: c + sum(abs((a >> n & 255) - (b >> n & 255)) for n in (0, 8, 16, 24)),
}


@pytest.mark.parametrize("name", UNSIGNED)
def test_integers(name: str) -> None:
    compute = UNSIGNED[name]
    count = compute.__code__.co_argcount
    given: dict[str, Any] = {word: ("unsigned", v) for word, v in zip("abc"[:count], (A32, B32, C32), strict=False)}
    registers = ", ".join(f"%{n}" for n in range(count + 1))
    inputs = ", ".join(f'"r"({word})' for word in given)
    found = lanes(f'asm("{name} {registers};" : "=r"(r) : {inputs});', "unsigned", **given)
    expected = [compute(*row) & 0xFFFFFFFF for row in zip(*(v for _, v in given.values()), strict=True)]
    assert found == expected


WIDE: Final[dict[str, Callable[..., int]]] = {
    "add.u64": lambda a, b: a + b,
    "mul.lo.u64": lambda a, b: a * b,
    "xor.b64": lambda a, b: a ^ b,
    "mad.lo.s64": lambda a, b, c: a * b + c,
}


@pytest.mark.parametrize("name", WIDE)
def test_integers_of_64_bits(name: str) -> None:
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
    ],
)
def test_results_of_half_the_size(text: str, expected: list[int]) -> None:
    given = ("long long", [signed(a, 64) for a in A64])
    assert lanes(f'asm("{text}" : "=r"(r) : "l"(a));', "unsigned", a=given) == expected


@pytest.mark.parametrize("comparison", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("kind", ["u32", "s32"])
def test_comparisons(comparison: str, kind: str) -> None:
    text = f"{{ .reg .pred p; setp.{comparison}.{kind} p, %1, %2; selp.b32 %0, 1, 0, p; }}"
    given: dict[str, Any] = {"a": ("unsigned", A32), "b": ("unsigned", [*B32[:4], *A32[4:]])}
    op = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[comparison]
    seen = ("a", "b") if kind == "u32" else ("(int)a", "(int)b")
    ptx = lanes(f'asm("{text}" : "=r"(r) : "r"(a), "r"(b));', "unsigned", **given)
    assert ptx == lanes(f"r = {seen[0]} {op} {seen[1]};", "unsigned", **given)


def test_two_floats_as_a_pair_of_bfloat16() -> None:
    given: dict[str, Any] = {"x": ("float", [1.5, -0.1, 3e38, 1e-40]), "y": ("float", [2.0, 7.7, -0.0, 1.0])}
    ptx = lanes('asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));', "unsigned", **given)
    pair = "__nv_bfloat162 p = __floats2bfloat162_rn(y, x); r = *(unsigned *)&p;"
    assert ptx == lanes(pair, "unsigned", "#include <cuda_bf16.h>", **given)


@pytest.mark.parametrize(
    "body",
    [
        "p = a * b; r = p + c;",
        'asm("mov.f32 %0, %1;" : "=f"(p) : "f"(a * b)); r = p + c;',
        'p = a * b; asm("{ .reg .f32 q; mov.f32 q, %1; mov.f32 %0, q; }" : "=f"(p) : "f"(p)); r = p + c;',
    ],
)
def test_a_product_that_is_moved_goes_into_a_sum(body: str) -> None:
    """As in the machine code that ptxas 13 makes of these for sm_90."""
    factor = np.float32(1 + 2**-12)
    rest = -float(factor * factor)
    found = lanes(f"float p; {body}", "float", a=("float", [factor]), b=("float", [factor]), c=("float", [rest]))
    assert found == [2.0**-24] * THREADS


@pytest.mark.parametrize(
    ("register", "cuda"),
    [("%laneid", "threadIdx.x % 32"), ("%%lanemask_lt", "(1u << threadIdx.x) - 1"), ("%%smid", "0")],
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
        "add.f32",
        "and.u32",
        "popc.b32",
        "mov.ftz.f32",
        "add.u8",
        "add.sat.s32",
        "add.cc.u32",
        "mul.wide.u32",
        "mov.b128",
        "bfe.s32",
        "shr.s32",
        "setp.lt.b32",
        "setp.eq.f32",
        "setp.hi.u32",
        "setp.eq.and.u32",
        "cvt.rn.f32.s32",
        "cvt.u32.b32",
        "cvt.sat.s8.s32",
        "add",
    ],
)
def test_instructions_that_are_not_supported(name: str) -> None:
    assert operation(name.split(".")) is None
