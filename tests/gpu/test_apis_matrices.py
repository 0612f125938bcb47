"""Tensor cores: products of tiles in PTX and with wmma, and the moves of tiles between memory and registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.number_types import round_to_bfloat
from tests.cases import Cases
from tests.gpu.apis import both, identical
from tests.kernels.simt.libraries.tensor_cores import test_mma, test_wmma

CASES = Cases(__file__)

TILES = 64
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <mma.h>\n"
SHAPES = [
    ("f16", 16, "f32"),
    ("f16", 16, "f16"),
    ("f16", 8, "f32"),
    ("f16", 8, "f16"),
    ("bf16", 16, "f32"),
]


def spread(shape: tuple[int, ...], how: str, seed: int) -> Any:
    """Return numbers of one size, of many sizes, such as nearly cancel, or the smallest and the special ones."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if how == "sizes":
        values *= 2.0 ** random.integers(-9, 9, shape)
    elif how == "cancelling":
        values = np.where(random.random(shape) < 0.5, 1, -1) * (1 + random.integers(0, 64, shape) * 2.0**-10)
    elif how == "few":
        values = values * 2.0 ** random.integers(-12, 12, shape) * (random.random(shape) < 0.2)
    elif how == "smallest":
        values *= 2.0 ** random.integers(-24, -10, shape)
    elif how == "tiny":
        values *= 2.0 ** random.integers(-80, -40, shape)
    elif how == "largest":
        values *= 2.0 ** random.integers(60, 65, shape)
    elif how == "zeros":
        values = random.choice([0.0, -0.0, 0.0, -0.0, 1.0, -1.0], shape, p=[0.3, 0.3, 0.3, 0.04, 0.03, 0.03])
    elif how == "special":
        special = random.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 65504.0], shape)
        values = np.where(random.random(shape) < 0.02, special, values)
    return values


HOW = ("same size", "sizes", "cancelling", "few", "smallest", "special", "tiny", "largest", "zeros")


def held(values: Any, factors: str) -> Any:
    """Return numbers as arguments of a kernel."""
    with np.errstate(all="ignore"):
        if factors in ("bf16", "__nv_bfloat16"):
            return round_to_bfloat(values)
        return values.astype({"f16": np.float16, "half": np.float16}.get(factors, np.float32))


def multiplied(factors: str, depth: int, sums: str, given: dict[str, Any]) -> tuple[Any, Any]:
    """Return C + A·B of many tiles."""
    tile = f"A += blockIdx.x * 16 * {depth}; B += blockIdx.x * 8 * {depth}; C += blockIdx.x * 128; const int K"
    source = HEADERS + test_mma.product(factors, depth, sums).replace("const int K", tile)
    ours, theirs = both(source, given, grid=TILES)
    return ours["C"], theirs["C"]


def tiles(factors: str, depth: int, sums: str, how: str) -> dict[str, Any]:
    """Return many tiles to multiply."""
    shapes = {"A": (TILES, 16, depth), "B": (TILES, depth, 8), "C": (TILES, 16, 8)}
    numbers = {name: spread(shape, how, seed) for seed, (name, shape) in enumerate(shapes.items())}
    return {name: held(values, factors if name != "C" else sums) for name, values in numbers.items()}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("factors", "depth", "sums"), SHAPES)
def test_products(factors: str, depth: int, sums: str, how: str) -> None:
    identical(*multiplied(factors, depth, sums, tiles(factors, depth, sums, how)))


def test_products_of_integers() -> None:
    random = np.random.default_rng(1)
    shapes = {"A": (TILES, 16, 32), "B": (TILES, 32, 8)}
    given = {name: random.integers(-128, 128, shape).astype(np.int8) for name, shape in shapes.items()}
    given["C"] = random.integers(-(2**31), 2**31, (TILES, 16, 8)).astype(np.int32)
    identical(*multiplied("s8", 32, "s32", given))


def of_fragments(
    shape: tuple[int, int, int], kind: str, element: str, sums: str, a: str, b: str, c: str, how: str
) -> tuple[Any, Any]:
    """Return what wmma makes of many tiles."""
    m, n, depth = shape
    source = test_wmma.PRODUCT.format(
        shape=", ".join(map(str, shape)),
        kind=kind,
        element=element,
        sums=sums,
        a=a,
        b=b,
        c=c,
        ahead_a="depth" if a == "row" else "m",
        ahead_b="n" if b == "row" else "depth",
        ahead_c="n" if c == "row" else "m",
    ).replace("wmma::fill_fragment(fc, 1);", "")
    source = source.replace(
        "wmma::load_matrix_sync(fa",
        f"a += blockIdx.x * m * depth; b += blockIdx.x * n * depth; c += blockIdx.x * m * n;"
        f"wmma::load_matrix_sync(fc, c, {'n' if c == 'row' else 'm'}, wmma::mem_{c}_major); wmma::load_matrix_sync(fa",
    )
    shapes = {"a": (TILES, m, depth), "b": (TILES, depth, n), "c": (TILES, m, n)}
    given: dict[str, Any]
    if "char" in kind:
        random, dtype = np.random.default_rng(1), np.int8 if "s" in kind[0] else np.uint8
        given = {name: random.integers(0, 256, size).astype(dtype) for name, size in shapes.items()}
        given["c"] = random.integers(-(2**20), 2**20, shapes["c"]).astype(np.int32)
    else:
        given = {
            name: held(spread(size, how, seed), kind if name != "c" else sums)
            for seed, (name, size) in enumerate(shapes.items())
        }
    ours, theirs = both(HEADERS + source, {**given, "m": m, "n": n, "depth": depth}, grid=TILES)
    return ours["c"], theirs["c"]


@pytest.mark.parametrize(("a", "b", "c"), [("row", "row", "row"), ("row", "col", "col"), ("col", "row", "col")])
@pytest.mark.parametrize(("shape", "kind", "element", "sums"), CASES("fragments", tuples=True))
def test_fragments(shape: tuple[int, int, int], kind: str, element: str, sums: str, a: str, b: str, c: str) -> None:
    for how in HOW if "char" not in kind else ("",):
        identical(*of_fragments(shape, kind, element, sums, a, b, c, how))


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_moves_of_tiles(count: int, trans: str) -> None:
    registers = ", ".join(f"%{i}" for i in range(count))
    outputs = ", ".join(f'"=r"(r[{i}])' for i in range(count))
    inputs = ", ".join(f'"r"(r[{i}])' for i in range(count))
    stored = ", ".join(f"%{i + 1}" for i in range(count))
    source = f"""{HEADERS}__global__ void k(const half *in, half *out) {{
        __shared__ __align__(16) half from[256], to[256];
        unsigned r[4];
        for (int i = threadIdx.x; i < 256; i += 32) {{ from[i] = in[i]; to[i] = in[i]; }}
        __syncwarp();
        unsigned at = (unsigned)__cvta_generic_to_shared(from + threadIdx.x * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [%{count}];"
                     : {outputs} : "r"(at));
        unsigned into = (unsigned)__cvta_generic_to_shared(to + threadIdx.x * 8);
        asm volatile("stmatrix.sync.aligned.m8n8.x{count}.shared.b16 [%0], {{{stored}}};"
                     :: "r"(into), {inputs} : "memory");
        __syncwarp();
        for (int i = threadIdx.x; i < 256; i += 32) out[i] = to[i]; }}"""
    given = {"in": np.arange(256, dtype=np.float16), "out": np.zeros(256, np.float16)}
    ours, theirs = both(source, given)
    identical(ours["out"], theirs["out"])


def test_rounding_to_tf32() -> None:
    values = np.random.default_rng(1).integers(0, 2**32, 1 << 18, np.uint32).view(np.float32)
    source = """#include <mma.h>
        __global__ void k(float *x) { int t = blockIdx.x * blockDim.x + threadIdx.x;
        x[t] = nvcuda::wmma::__float_to_tf32(x[t]); }"""
    ours, theirs = both(source, {"x": values}, grid=1024, block=256)
    identical(ours["x"], theirs["x"])
