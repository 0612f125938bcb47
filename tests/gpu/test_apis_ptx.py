"""Inline PTX and asynchronous copies give the GPU's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cases import Cases
from tests.gpu.apis import both, identical
from tests.kernels.simt.intrinsics import test_async_copies

CASES = Cases(__file__)

N = 1 << 12
C_TYPES = {"r": "unsigned", "l": "unsigned long long", "f": "float"}
DTYPES = {"r": np.uint32, "l": np.uint64, "f": np.float32}
EDGES = np.array([0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint64)

WHOLE = """add.u32 a,b|sub.s32 a,b|mul.lo.s32 a,b|mad.lo.u32 a,b,c|and.b32 a,b|or.b32 a,b|xor.b32 a,b|not.b32 a
    |shl.b32 a,b|shr.u32 a,b|shr.b32 a,b|bfe.u32 a,b,c|bfind.u32 a|vabsdiff4.u32.u32.u32.add a,b,c|cvt.u16.u32 a
    |cvt.s8.s32 a"""
LONG = "add.u64 a,b|mul.lo.u64 a,b|mad.lo.s64 a,b,a|xor.b64 a,b|not.b64 a"


def values(letter: str) -> dict[str, Any]:
    """Integers of every size."""
    random, dtype = np.random.default_rng(5), np.dtype(DTYPES[letter])
    operands: dict[str, Any] = {}
    for name in "abc":
        numbers = random.integers(0, 2 ** (8 * dtype.itemsize), N, dtype)
        numbers[: N // 2] >>= random.integers(0, 8 * dtype.itemsize, N // 2).astype(dtype)
        numbers[:256] = random.choice(EDGES, 256).astype(dtype)
        operands[name] = numbers
    return operands


def compared(table: str, letter: str, result: str) -> None:
    """Compare each instruction of a table, all in one kernel."""
    given = values(letter)
    instructions = ["".join(entry).strip() for entry in table.split("|")]
    lines = []
    for at, entry in enumerate(instructions):
        name, _, operands = entry.partition(" ")
        words = operands.split(",")
        numbered = [f"%{1 + n}" if word in given else word for n, word in enumerate(words)]
        inputs = ", ".join(f'"{letter}"({word})' for word in words if word in given)
        text = f'asm("{name} %0, {", ".join(numbered)};" : "={result}"(r) : {inputs});'
        lines.append(f"{{ {C_TYPES[result]} r; {text} out[{at * N} + t] = r; }}")
    kind = C_TYPES[letter]
    parameters = ", ".join(f"const {kind} *{name}_" for name in given)
    loads = " ".join(f"{kind} {name} = {name}_[t];" for name in given)
    source = f"""__global__ void k({parameters}, {C_TYPES[result]} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {loads}
        {"".join(lines)} }}"""
    out = np.zeros(N * len(instructions), DTYPES[result])
    arrays = {f"{name}_": numbers for name, numbers in given.items()}
    ours, theirs = both(source, {**arrays, "out": out}, grid=N // 128, block=128)
    wrong = []
    for text, one, other in zip(instructions, ours["out"].reshape(-1, N), theirs["out"].reshape(-1, N), strict=True):
        try:
            identical(one, other)
        except AssertionError:
            at = int(np.flatnonzero((one != other) & ~((one != one) & (other != other)))[0])
            wrong.append((text, {name: v[at] for name, v in given.items()}, one[at], other[at]))
    assert not wrong


@pytest.mark.parametrize(
    ("table", "letter", "result"),
    [
        (WHOLE, "r", "r"),
        (LONG, "l", "l"),
        ("cvt.u32.u64 a", "l", "r"),
        ("cvt.s64.s32 a|cvt.u64.u32 a", "r", "l"),
    ],
)
def test_instructions(table: str, letter: str, result: str) -> None:
    compared(table, letter, result)


BODIES = {
    "cvt.rn.bf16x2": 'asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(x), "f"(y));',
    "narrow loads": """int m; asm("ld.global.s8 %0, [%2]; ld.global.u16 %1, [%2+2];"
        : "=r"(m), "=r"(n) : "l"(words + t)); n += 3 * m;""",
    "narrow stores": """asm volatile("st.shared.b8 [%0], %1; st.shared.u16 [%0+2], %1;"
        :: "r"(at + 4 * t), "r"(words[t])); n = s[t] & 0xffff00ff;""",
    "vectors": """if (t < 16) asm volatile("st.shared.v4.b32 [%0], {%1, %2, %1, 7};"
            :: "r"(at + 16 * t), "r"(5), "r"(6));
        __syncthreads(); asm volatile("ld.shared.v2.u32 {%0, _}, [%1+8];" : "=r"(n) : "r"(at + 8 * (t & 15)));""",
    "guards": """asm("{ .reg .pred p; setp.gt.s32 p, %1, 9; @p mov.u32 %0, 5; @!p sub.u32 %0, %0, 9; }"
        : "+r"(n) : "r"(t));""",
    "packing": """asm("{ .reg .b32 l, h; mov.b64 {l, h}, %1; xor.b32 l, l, h; mov.b64 %0, {h, l}; }"
        : "=l"(wide) : "l"(wide + words[t])); n = (unsigned)(wide >> 32);""",
    "halves of a block": """s[t] = words[t];
        asm volatile("bar.sync %0, %1;" :: "r"(1 + t / 32), "n"(32)); n = s[t ^ 31];""",
    "lanes": """unsigned u; asm("mov.u32 %0, %%laneid; mov.u32 %1, %%lanemask_lt;" : "=r"(n), "=r"(u)); n += u;""",
    "sum of a warp": 'asm("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(n) : "r"(words[t]));',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies(body: str) -> None:
    source = f"""__global__ void k(const unsigned *words, const float *floats, unsigned *out) {{
        __shared__ __align__(16) unsigned s[64]; int t = threadIdx.x; s[t] = 0; __syncthreads();
        unsigned at = (unsigned)__cvta_generic_to_shared(s), n = 0; unsigned long long wide = 77;
        float x = floats[t], y = floats[63 - t]; {body} out[t] = n; }}"""
    random = np.random.default_rng(9)
    given = {
        "words": random.integers(0, 2**32, 64, np.uint32),
        "floats": random.standard_normal(64).astype(np.float32),
        "out": np.zeros(64, np.uint32),
    }
    ours, theirs = both(source, given, block=64)
    identical(ours["out"], theirs["out"])


@pytest.mark.parametrize("letter", ["f", "r"])
def test_a_product_of_tiles_whose_sums_are_held_as_bits(letter: str) -> None:
    kind = C_TYPES[letter]
    start = "1.5f" if letter == "f" else "0x3fc00000u"
    source = f"""__global__ void k(const unsigned *a, const unsigned *b, {kind} *out) {{
        int t = threadIdx.x; {kind} d[4];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}},"
            "{{%8,%9}}, {{%10,%10,%10,%10}};"
            : "={letter}"(d[0]), "={letter}"(d[1]), "={letter}"(d[2]), "={letter}"(d[3])
            : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]),
              "{letter}"({start}));
        for (int i = 0; i < 4; ++i) out[4 * t + i] = d[i]; }}"""
    random = np.random.default_rng(1)
    given = {
        "a": random.integers(-8, 8, 256).astype(np.float16).view(np.uint32),
        "b": random.integers(-8, 8, 128).astype(np.float16).view(np.uint32),
        "out": np.zeros(128, DTYPES[letter]),
    }
    ours, theirs = both(source, given)
    identical(ours["out"], theirs["out"])


VALUES = np.random.default_rng(1).standard_normal((128, 4)).astype(np.float32)


def test_stages_of_a_pipeline() -> None:
    ours, theirs = both(CASES.source("stages"), {"in": VALUES, "out": np.zeros(32, np.float32)})
    identical(ours["out"], theirs["out"])


@pytest.mark.parametrize("words", [test_async_copies.PTX, test_async_copies.CALLS])
def test_copies_of_a_thread(words: dict[str, str]) -> None:
    source = f"""#include <cuda_pipeline_primitives.h>
    __global__ void k(const float *A, float *out) {{
        __shared__ __align__(16) float s[128]; int t = threadIdx.x;
        {test_async_copies.ADDRESS}
        {words["copy"]} {words["commit"]} {words["wait"]} __syncthreads();
        for (int i = t; i < 128; i += 32) out[i] = s[127 - i]; }}"""
    given = {"A": VALUES.reshape(-1)[:128], "out": np.zeros(128, np.float32)}
    ours, theirs = both(source, given)
    identical(ours["out"], theirs["out"])


def test_copies_of_a_group() -> None:
    source = CASES.source("copies_of_a_group")
    given = {"in": VALUES.reshape(-1)[:480], "out": np.zeros(480, np.float32)}
    ours, theirs = both(source, given, grid=5)
    identical(ours["out"], theirs["out"])
