"""Tensor cores in PTX, against fragment layouts written out from the PTX ISA's tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.number_types import round_to_bfloat
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

KINDS: dict[str, tuple[str, Any]] = {
    "f16": ("half", np.float16),
    "bf16": ("__nv_bfloat16", None),
    "tf32": ("float", np.float32),
    "s8": ("signed char", np.int8),
}
SUMS = {"f16": ("half", np.float16), "f32": ("float", np.float32), "s32": ("int", np.int32)}

PRODUCT = """
__global__ void k(const {kind} *A, const {kind} *B, {sum} *C) {{  // A[16][K], B[K][8], C[16][8]
    const int K = {depth}, n = 4 / sizeof({kind}), group = threadIdx.x >> 2, part = threadIdx.x % 4;
    {kind} a[2 * {across}][4 / sizeof({kind})], b[{across}][4 / sizeof({kind})];
    {sum} c[4], d[4];
    for (int r = 0; r < 2 * {across}; r++) {{
        for (int i = 0; i < n; i++) a[r][i] = A[(group + 8 * (r % 2)) * K + n * part + i + 4 * n * (r / 2)];
    }}
    for (int r = 0; r < {across}; r++) {{
        for (int i = 0; i < n; i++) b[r][i] = B[(n * part + i + 4 * n * r) * 8 + group];
    }}
    for (int i = 0; i < 4; i++) c[i] = C[(group + 8 * (i / 2)) * 8 + 2 * part + i % 2];
    unsigned *ra = (unsigned *)a, *rb = (unsigned *)b;
    {declared}
    asm volatile("mma.sync.aligned.m16n8k{depth}.row.col.{sums}.{factors}.{factors}.{sums} "
                 "{registers}" : {outputs} : {inputs});
    for (int i = 0; i < 4; i++) C[(group + 8 * (i / 2)) * 8 + 2 * part + i % 2] = d[i];
}}"""


def product(factors: str, depth: int, sums: str) -> str:
    """Return the kernel: operands are numbered d, a, b, c."""
    kind, size = KINDS[factors][0], {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1}[factors]
    across, count = depth * size // 16, 2 if sums == "f16" else 4
    letter = "f" if sums == "f32" else "r"
    at, rows = 0, []
    for length in (count, 2 * across, across, count):
        rows.append("{" + ", ".join(f"%{at + i}" for i in range(length)) + "}")
        at += length
    packed = sums == "f16"
    target, source = ("rd", "rc") if packed else ("d", "c")
    outputs = ", ".join(f'"={letter}"({target}[{i}])' for i in range(count))
    inputs = [f'"r"(ra[{i}])' for i in range(2 * across)] + [f'"r"(rb[{i}])' for i in range(across)]
    inputs += [f'"{letter}"({source}[{i}])' for i in range(count)]
    return PRODUCT.format(
        kind=kind,
        sum=SUMS[sums][0],
        depth=depth,
        across=across,
        sums=sums,
        factors=factors,
        registers=", ".join(rows) + ";",
        outputs=outputs,
        inputs=", ".join(inputs),
        declared="unsigned *rc = (unsigned *)c, *rd = (unsigned *)d;" if packed else "",
    )


@pytest.mark.parametrize(
    ("factors", "depth", "sums"),
    [
        ("f16", 16, "f32"),
        ("f16", 16, "f16"),
        ("f16", 8, "f32"),
        ("bf16", 16, "f32"),
        ("f16", 8, "f16"),
        ("tf32", 8, "f32"),
        ("s8", 32, "s32"),
    ],
)
def test_products(factors: str, depth: int, sums: str) -> None:
    random = np.random.default_rng(1)
    a, b, c = (random.integers(-4, 5, shape) for shape in ((16, depth), (depth, 8), (16, 8)))
    dtype = KINDS[factors][1]
    given = {
        name: round_to_bfloat(tile) if dtype is None else tile.astype(dtype) for name, tile in (("A", a), ("B", b))
    }
    found = trace(product(factors, depth, sums), {**given, "C": c.astype(SUMS[sums][1])}, block=(32,))
    assert found.outputs["C"].tolist() == (a @ b + c).tolist()
    assert found.hazards == ()


MOVED = """
__global__ void k(const half *in, unsigned *out, half *back) {{
    __shared__ half tile[{count}][8][8], other[{count}][8][8];
    int t = threadIdx.x;
    for (int i = t; i < 64 * {count}; i += 32) (&tile[0][0][0])[i] = in[i];
    __syncwarp();
    unsigned r[4];
    unsigned from = __cvta_generic_to_shared(&tile[t / 8 % {count}][t % 8][0]);
    asm volatile("ldmatrix.sync.aligned.{load}.shared.b16 {{{names}}}, [%{count}];\\n" : {outputs} : "r"(from));
    for (int i = 0; i < {count}; i++) out[32 * i + t] = r[i];
    unsigned to = __cvta_generic_to_shared(&other[t / 8 % {count}][t % 8][0]);
    asm volatile("stmatrix.sync.aligned.{store}.shared.b16 [%0], {{{later}}};\\n" :: "r"(to), {inputs});
    __syncwarp();
    for (int i = t; i < 64 * {count}; i += 32) back[i] = (&other[0][0][0])[i];
}}"""


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize(("load", "store"), [("", ""), (".trans", ".trans"), (".trans", "")])
def test_moves_of_matrices(count: int, load: str, store: str) -> None:
    source = MOVED.format(
        count=count,
        load=f"m8n8.x{count}{load}",
        store=f"x{count}{store}.m8n8",
        names=", ".join(f"%{i}" for i in range(count)),
        later=", ".join(f"%{i + 1}" for i in range(count)),
        outputs=", ".join(f'"=r"(r[{i}])' for i in range(count)),
        inputs=", ".join(f'"r"(r[{i}])' for i in range(count)),
    )
    tiles = np.arange(64 * count, dtype=np.float16).reshape(count, 8, 8)
    given: dict[str, Any] = {
        "in": tiles,
        "out": Unwritten("uint32", (count, 32)),
        "back": Unwritten("float16", (count, 8, 8)),
    }
    found = trace(source, given, block=(32,))
    seen = tiles.swapaxes(1, 2) if load else tiles
    expected = [
        [seen[m, lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2].copy().view(np.uint32)[0] for lane in range(32)]
        for m in range(count)
    ]
    assert found.outputs["out"].tolist() == np.array(expected).tolist()
    assert np.array_equal(found.outputs["back"], tiles if load == store else tiles.swapaxes(1, 2))
    assert found.hazards == ()
    reads = [s for s in found.sites if found.arrays[s.array].name == "tile" and s.access == "read"]
    assert [site.width for site in reads] == [8]


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse(product("f16", 16, "f32"), "test.cu")
    given: dict[str, Any] = {
        "A": np.zeros(256, np.float16),
        "B": np.zeros(128, np.float16),
        "C": np.zeros(128, np.float32),
    }
    with pytest.raises(SourceError, match=r'test.cu:\d+:\d+: asm\("mma.sync\S* …"\) cannot be recorded on a GPU'):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(32)), given)
