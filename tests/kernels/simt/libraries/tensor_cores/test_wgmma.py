"""wgmma: every form of its factors, sums and descriptors against products in double, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.architecture import Architecture
from kernels.errors import SourceError
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.tracing import trace_source
from tests.kernels.hazards.corpus import FOLDER, read_case
from tests.kernels.hazards.reports import report

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace

SM_90A = Architecture.parse("sm_90a").among(())
SWIZZLES = {0: 1, 1: 8, 2: 4, 3: 2}
"""By code: chunks of 16 bytes in a contiguous row."""


def kernel(columns: int, factors: str, sums: str, *, a: str, ends: str, depth: int) -> str:
    """One warpgroup, one instruction; a and b are written as they are into shared memory, d comes from c."""
    count = columns // 2 if sums == "f32" else columns // 4
    kind, letter = ("float", "f") if sums == "f32" else ("unsigned", "r")
    targets = ", ".join(f"%{n}" for n in range(count))
    outputs = ", ".join(f'"+{letter}"(d[{n}])' for n in range(count))
    left = f"{{{', '.join(f'%{count + n}' for n in range(4))}}}" if a == "registers" else f"%{count}"
    more = 4 if a == "registers" else 1
    inputs = ", ".join(f'"r"(own[{n}])' for n in range(4)) if a == "registers" else '"l"(a_word)'
    return f"""
__global__ void f(const unsigned *A, const unsigned *B, const unsigned *own_a, const {kind} *C, {kind} *D,
                  unsigned long long a_fields, unsigned long long b_fields, int add)
{{
    __shared__ __align__(1024) unsigned a[4096], b[4096];
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += 128) {{
        a[i] = A[i];
        b[i] = B[i];
    }}
    unsigned own[4];
    for (int i = 0; i < 4; ++i)
        own[i] = own_a[t * 4 + i];
    {kind} d[{count}];
    for (int i = 0; i < {count}; ++i)
        d[i] = C[t * {count} + i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    unsigned long long a_word = __cvta_generic_to_shared(a) / 16 | a_fields;
    unsigned long long b_word = __cvta_generic_to_shared(b) / 16 | b_fields;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{count + more + 1}, 0;\\n"
                 "wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{sums}.{factors}.{factors} "
                 "{{{targets}}}, {left}, %{count + more}, p, {ends};\\n}}"
                 : {outputs} : {inputs}, "l"(b_word), "r"(add));
    asm volatile("wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < {count}; ++i)
        D[t * {count} + i] = d[i];
}}
"""


def encoded(values: NDArray[np.float64], factors: str) -> NDArray[np.uint8]:
    """Return the bytes of small integers in a format, a row for each row."""
    single = values.astype(np.float32)
    if factors == "tf32":
        return single.view(np.uint8)
    if factors == "bf16":
        return np.ascontiguousarray((single.view(np.uint32) >> 16).astype(np.uint16)).view(np.uint8)
    return values.astype(np.float16).view(np.uint8)


def place(rows: NDArray[np.uint8], code: int, *, turned: bool, leading: int, stride: int) -> NDArray[np.uint32]:
    """Write a tile as PTX ISA's figures show it, one 16-byte chunk after the other, with offsets in bytes.

    `rows` are those of m or n, or with `turned` those of k.
    """
    wide, memory = SWIZZLES[code], np.zeros(4096 * 4, np.uint8)
    for row in range(len(rows)):
        for chunk in range(rows.shape[1] // 16):
            if turned and code == 0:
                at = chunk * stride + row // 8 * leading + row % 8 * 16
            elif turned:
                at = chunk % wide * 16 + chunk // wide * leading + row % 8 * wide * 16 + row // 8 * stride
            elif code == 0:
                at = row % 8 * 16 + row // 8 * stride + chunk * leading
            else:
                at = row % 8 * wide * 16 + row // 8 * stride + chunk * 16
            if code:  # the chunk's number in its row is XORed with that of the line of 128 bytes
                at = at // 16 // wide * wide * 16 + (at // 16 % wide ^ at // 128 % wide) * 16
            memory[at : at + 16] = rows[row, chunk * 16 : chunk * 16 + 16]
    return memory.view(np.uint32)


def fields(code: int, leading: int, stride: int) -> int:
    return leading // 16 << 16 | stride // 16 << 32 | code << 62


def offsets(code: int, *, turned: bool, across: int) -> tuple[int, int]:
    """Return leading and stride byte offsets of a tile without gaps."""
    wide = SWIZZLES[code]
    if turned:
        return (across // 8 * 128, 128) if code == 0 else (16 * wide * 16, 8 * wide * 16)
    return (across // 8 * 128, 128) if code == 0 else (16, 8 * wide * 16)


def own_registers(a: NDArray[np.float64], factors: str) -> NDArray[np.uint32]:
    """Return the four registers of each thread that hold a."""
    words = np.ascontiguousarray(encoded(a, factors)).view(np.uint32)  # [64, 8]: eight registers a row
    found = np.zeros((128, 4), np.uint32)
    for thread in range(128):
        warp, lane = divmod(thread, 32)
        for number in range(4):
            found[thread, number] = words[warp * 16 + lane // 4 + number % 2 * 8, lane % 4 + number // 2 * 4]
    return found.reshape(-1)


def sums_of(d: NDArray[np.generic], columns: int, sums: str) -> NDArray[np.float64]:
    """Return the 64 rows of the sums from the registers of the threads."""
    found = np.zeros((64, columns))
    values = d.view(np.float16) if sums == "f16" else d
    values = values.reshape(128, -1)
    for thread in range(128):
        warp, lane = divmod(thread, 32)
        for number in range(columns // 2):
            row = warp * 16 + lane // 4 + number // 2 % 2 * 8
            found[row, number // 4 * 8 + lane % 4 * 2 + number % 2] = values[thread, number]
    return found


def product(
    factors: str,
    sums: str,
    columns: int,
    a_code: int = -1,
    b_code: int = 1,
    *,
    turned: tuple[bool, bool] = (False, False),
    signs: tuple[int, int] = (1, 1),
    add: int = 1,
) -> None:
    """Multiply small integers, whose sums are exact, and compare; a is in registers with a_code -1."""
    depth = 8 if factors == "tf32" else 16
    random = np.random.default_rng(columns + depth + a_code + 4 * b_code)
    a, b = (random.integers(-4, 5, shape).astype(np.float64) for shape in ((64, depth), (columns, depth)))
    c = random.integers(-9, 10, (128, columns // 2)).astype(np.float32 if sums == "f32" else np.float16)
    memory, words = [], []
    for values, code, turn in ((a, max(a_code, 0), turned[0]), (b, b_code, turned[1])):
        leading, stride = offsets(code, turned=turn, across=len(values))
        rows = encoded(np.ascontiguousarray(values.T) if turn else values, factors)
        memory.append(place(rows, code, turned=turn, leading=leading, stride=stride))
        words.append(fields(code, leading, stride))
    turns = [] if factors == "tf32" else [*([int(turned[0])] if a_code >= 0 else []), int(turned[1])]
    ends = ", ".join(map(str, [*signs, *turns]))
    text = kernel(columns, factors, sums, a="registers" if a_code < 0 else "shared", ends=ends, depth=depth)
    registers = c.reshape(-1) if sums == "f32" else c.reshape(-1).view(np.uint32)
    trace = run(
        text,
        {
            "A": memory[0],
            "B": memory[1],
            "own_a": own_registers(a, factors),
            "C": registers,
            "D": np.zeros_like(registers),
            "a_fields": words[0],
            "b_fields": words[1],
            "add": add,
        },
    )
    assert not trace.hazards
    wanted = signs[0] * signs[1] * (a @ b.T) + (sums_of(registers, columns, sums) if add else 0)
    assert (sums_of(trace.outputs["D"], columns, sums) == wanted).all()


def run(text: str, arguments: dict[str, object]) -> Trace:
    launch = Launch(Dim3(1), Dim3(128))
    return trace_source(text, "f.cu", None, launch, arguments, SM_90A, options=Options(schedule="warps"))  # type: ignore[arg-type]


@pytest.mark.parametrize(("factors", "sums"), [("tf32", "f32"), ("bf16", "f32"), ("f16", "f32"), ("f16", "f16")])
@pytest.mark.parametrize("columns", [8, 24, 128])
def test_factors_and_sums(factors: str, sums: str, columns: int) -> None:
    product(factors, sums, columns)
    product(factors, sums, columns, a_code=1, add=0)


@pytest.mark.parametrize("code", SWIZZLES)
def test_swizzles_of_rows_along_k(code: int) -> None:
    product("bf16", "f32", 32, a_code=code, b_code=code)
    product("tf32", "f32", 16, a_code=code, b_code=code)


@pytest.mark.parametrize("code", SWIZZLES)
def test_swizzles_of_transposed_tiles(code: int) -> None:
    product("f16", "f32", 64, a_code=code, b_code=code, turned=(True, True))
    product("bf16", "f32", 128, b_code=code, turned=(False, True))


def test_signs_of_the_factors() -> None:
    product("f16", "f32", 8, a_code=0, b_code=0, signs=(-1, 1))
    product("tf32", "f32", 8, signs=(-1, -1))


def test_a_descriptor_with_the_wrong_swizzle_gives_another_product() -> None:
    right, wrong = (
        report(read_case(FOLDER / f"{name}.cu"), "lockstep") for name in ("wgmma_tile", "wgmma_tile_wrong_swizzle")
    )
    assert right["output"]["C"]["sha256"] != wrong["output"]["C"]["sha256"]


@pytest.mark.parametrize(
    ("text", "macros", "threads", "words"),
    [
        ("wgmma.fence.sync.aligned;", (), 128, "an instruction of sm_90a, and this launch is the code for sm_80"),
        ("wgmma.fence.sync.aligned;", SM_90A, 96, "a block of 96 has a part of one"),
        ("wgmma.wait_group.sync.aligned;", SM_90A, 128, "'wgmma.wait_group.sync.aligned'"),
        ("setmaxnreg.inc.sync.aligned.u32 30;", SM_90A, 128, "a multiple of 8 from 24 to 256, not 30"),
    ],
)
def test_what_is_refused(text: str, macros: tuple[tuple[str, str], ...], threads: int, words: str) -> None:
    source = f'__global__ void f(int *p)\n{{\n    asm volatile("{text}");\n}}\n'
    with pytest.raises(SourceError, match=words) as refused:
        trace_source(source, "f.cu", None, Launch(Dim3(1), Dim3(threads)), {"p": np.zeros(1, np.int32)}, macros)
    assert refused.value.line == 3


@pytest.mark.parametrize(
    ("factors", "sums", "columns", "words"),
    [("s8", "s32", 8, "use m64nNk16"), ("tf32", "f32", 12, "a multiple of 8"), ("bf16", "f16", 8, "both alike")],
)
def test_other_forms_are_refused_with_what_there_is(factors: str, sums: str, columns: int, words: str) -> None:
    depth = 8 if factors == "tf32" else 16
    text = kernel(columns, factors, "f32", a="shared", ends="1, 1", depth=depth).replace(".f32.", f".{sums}.")
    with pytest.raises(SourceError, match=words):
        run(
            text,
            dict.fromkeys(("A", "B", "own_a"), np.zeros(4096, np.uint32))
            | {
                "C": np.zeros(4096, np.float32),
                "D": np.zeros(4096, np.float32),
                "a_fields": 0,
                "b_fields": 0,
                "add": 0,
            },
        )
