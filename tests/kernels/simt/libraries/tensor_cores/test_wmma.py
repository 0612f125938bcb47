"""`wmma`: products, layouts, accesses, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.analysis import counts
from kernels.number_types import round_to_bfloat
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

USING = "#include <mma.h>\nusing namespace nvcuda;\n"
PRODUCT = (
    USING
    + """
__global__ void k(const {kind} *a, const {kind} *b, {sums} *c, int m, int n, int depth) {{
    wmma::fragment<wmma::matrix_a, {shape}, {element}, wmma::{a}_major> fa;
    wmma::fragment<wmma::matrix_b, {shape}, {element}, wmma::{b}_major> fb;
    wmma::fragment<wmma::accumulator, {shape}, {sums}> fc;
    wmma::fill_fragment(fc, 1);
    wmma::load_matrix_sync(fa, a, {ahead_a});
    wmma::load_matrix_sync(fb, b, {ahead_b});
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, {ahead_c}, wmma::mem_{c}_major);
}}"""
)
KINDS = {
    "half": np.float16,
    "float": np.float32,
    "int": np.int32,
    "signed char": np.int8,
    "unsigned char": np.uint8,
}


@pytest.mark.parametrize(
    ("shape", "kind", "element", "sums"),
    [
        ((16, 16, 16), "half", "half", "float"),
        ((16, 16, 16), "half", "half", "half"),
        ((16, 16, 16), "signed char", "signed char", "int"),
        ((16, 16, 16), "unsigned char", "unsigned char", "int"),
        ((16, 16, 8), "float", "wmma::precision::tf32", "float"),
        ((16, 16, 16), "__nv_bfloat16", "__nv_bfloat16", "float"),
    ],
)
@pytest.mark.parametrize(("a", "b", "c"), [("row", "row", "row"), ("row", "col", "col"), ("col", "row", "col")])
def test_products_of_tiles(
    shape: tuple[int, int, int], kind: str, element: str, sums: str, a: str, b: str, c: str
) -> None:
    m, n, depth = shape
    random = np.random.default_rng(1)
    low = 0 if kind == "unsigned char" else -4
    left, right = random.integers(low, 5, (m, depth)), random.integers(low, 5, (depth, n))
    held_left, held_right = (
        tile.astype(KINDS[kind]) if kind in KINDS else round_to_bfloat(tile) for tile in (left, right)
    )
    source = PRODUCT.format(
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
    )
    given: dict[str, Any] = {
        "a": held_left if a == "row" else held_left.T.copy(),
        "b": held_right if b == "row" else held_right.T.copy(),
        "c": Unwritten(KINDS[sums], (m, n) if c == "row" else (n, m)),
        "m": m,
        "n": n,
        "depth": depth,
    }
    found = trace(source, given, block=(32,))
    result = found.outputs["c"] if c == "row" else found.outputs["c"].T
    assert result.tolist() == (left @ right + 1).tolist()
    assert found.hazards == ()


def test_every_warp_has_a_tile_and_a_kernel_works_on_its_elements() -> None:
    source = (
        USING
        + """
    typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sums;
    __device__ void scale(Sums &sums, float by) { for (int i = 0; i < sums.num_elements; i++) sums.x[i] *= by; }
    __global__ void k(const half *a, const half *b, float *c, int n) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        Sums fc[2];
        int column = 16 * (threadIdx.x / 32);
        for (int i = 0; i < 2; i++) wmma::fill_fragment(fc[i], 0.0f);
        for (int at = 0; at < n; at += 16) {
            wmma::load_matrix_sync(fb, b + at * n + column, n);
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(fa[i], &a[(16 * i) * n + at], n);
                wmma::mma_sync(fc[i], fa[i], fb, fc[i]);
            }
        }
        for (int i = 0; i < 2; i++) {
            scale(fc[i], 0.5f);
            wmma::store_matrix_sync(c + 16 * i * n + column, fc[i], n, wmma::mem_row_major);
        }
    }"""
    )
    random = np.random.default_rng(2)
    a, b = (random.integers(-4, 5, (32, 32)).astype(np.float16) for _ in range(2))
    found = trace(source, {"a": a, "b": b, "c": Unwritten("float32", (32, 32)), "n": 32}, block=(64,))
    assert found.outputs["c"].tolist() == (a.astype(float) @ b.astype(float) / 2).tolist()
    assert found.hazards == ()
    sectors = {count.array: (count.sectors, count.ideal_sectors) for count in counts(found).arrays}
    assert sectors["c"] == (128, 128)
    assert sectors["b"] == (64, 64)
