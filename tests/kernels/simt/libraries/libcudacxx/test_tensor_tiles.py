"""Copies of tiles by a tensor map: where their elements lie, what is outside of the array, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.architecture import Architecture
from kernels.catalog import kernel_of
from kernels.errors import InputError, SourceError
from kernels.launch import Dim3, Launch
from kernels.tensor_map import TensorMap
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt import Argument

SOURCE = """
struct alignas(64) Map { unsigned long long opaque[16]; };
extern "C" __global__ void f(const Number *A, Number *C, const __grid_constant__ Map map, int x, int y)
{
    __shared__ __align__(1024) Number tile[ROWS * COLUMNS];
    __shared__ unsigned long long full;
    unsigned barrier = __cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        unsigned to = __cvta_generic_to_shared(tile);
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"((int)sizeof(tile)));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(barrier));
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier));
    }
    __syncthreads();
    asm volatile("{\\n.reg .pred over;\\nagain:\\nmbarrier.try_wait.parity.shared.b64 over, [%0], 0;\\n"
                 "@!over bra again;\\n}" ::"r"(barrier));
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += 32)
        C[i] = tile[i];
}
"""
SM_90A = Architecture.parse("sm_90a")


def copied(tile: TensorMap, array: NDArray[Any], x: int, y: int) -> NDArray[Any]:
    """Return the tile as it lies in shared memory."""
    macros = {"Number": {4: "float", 2: "unsigned short"}[array.itemsize], "ROWS": tile.rows, "COLUMNS": tile.columns}
    defines = SM_90A.among((name, str(value)) for name, value in macros.items())
    result = np.zeros(tile.rows * tile.columns, array.dtype)
    arguments: dict[str, Argument] = {"A": array, "C": result, "map": tile, "x": x, "y": y}
    trace = trace_source(SOURCE, "f.cu", None, Launch(Dim3(1), Dim3(32)), arguments, defines)
    assert not trace.hazards
    return trace.outputs["C"].reshape(tile.rows, tile.columns)


@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("kind", [np.float32, np.uint16])
def test_a_tile_is_swizzled_as_its_map_says(swizzle: int, kind: type) -> None:
    array: NDArray[Any] = np.arange(32 * 128).reshape(32, 128).astype(kind)
    columns = (swizzle or 64) // np.dtype(kind).itemsize
    found = copied(TensorMap("A", columns, 16, swizzle), array, columns, 8)
    wanted = array[8:24, columns : 2 * columns]
    chunk = 16 // np.dtype(kind).itemsize
    wide = columns // chunk
    for row in range(16):
        for n in range(wide):
            line = row * columns * np.dtype(kind).itemsize // 128
            place = n ^ line % wide if swizzle else n
            assert (found[row, place * chunk :][:chunk] == wanted[row, n * chunk :][:chunk]).all()


@pytest.mark.parametrize(("x", "y"), [(24, 0), (0, 12), (-8, -4), (40, 40)])
def test_elements_outside_of_the_array_are_zeros(x: int, y: int) -> None:
    array = np.arange(1, 16 * 32 + 1).reshape(16, 32).astype(np.float32)
    padded = np.zeros((96, 112), np.float32)
    padded[40:56, 40:72] = array
    assert (copied(TensorMap("A", 16, 8), array, x, y) == padded[40 + y : 48 + y, 40 + x : 56 + x]).all()


@pytest.mark.parametrize(
    ("tile", "shape", "words"),
    [
        (TensorMap("A", 2, 8), (16, 32), "multiples of 16 bytes"),
        (TensorMap("A", 8, 8), (16, 30), "multiples of 16 bytes"),
        (TensorMap("A", 64, 8, 128), (16, 64), "a row of the tile has 256 bytes, its swizzle 128"),
        (TensorMap("A", 8, 300), (16, 32), "sides from 1 to 256"),
        (TensorMap("A", 8, 8, 16), (16, 32), "0, 32, 64 or 128 bytes"),
        (TensorMap("B", 8, 8), (16, 32), "no array of this launch"),
        (TensorMap("A", 8, 8), (512,), "1 dimension"),
    ],
)
def test_maps_that_a_gpu_refuses(tile: TensorMap, shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        copied(tile, np.zeros(shape, np.float32), 0, 0)


def test_a_struct_that_is_no_map_is_refused() -> None:
    arguments: dict[str, Argument] = {"A": np.zeros((8, 8), np.float32), "C": np.zeros(64, np.float32), "x": 0, "y": 0}
    arguments["map.opaque"] = np.zeros(16, np.uint64)
    defines = SM_90A.among([("Number", "float"), ("ROWS", "8"), ("COLUMNS", "8")])
    with pytest.raises(SourceError, match="takes the address of a tensor map"):
        trace_source(SOURCE, "f.cu", None, Launch(Dim3(1), Dim3(32)), arguments, defines)


FOOTER = """
struct alignas(64) Map { unsigned long long opaque[16]; };
extern "C" __global__ void k(const float *A, const float *B, float *C, int M, int N, int K,
                             const __grid_constant__ Map a)
{
    C[threadIdx.x] = (float)(a.opaque[5] + a.opaque[6]);
}

/* tilescope
title    = "Map"
teaches  = "A tensor map of the footer."
workload = "matmul"
size     = [4, 4, 4]
block    = [16]
blocks   = [[16]]
grid     = ["1"]
[define]
TILE     = "block_x / 4"
[tensor_map.a]
array    = "A"
columns  = "TILE"
rows     = "M / 2"
*/
"""


def test_a_footer_describes_the_map_of_a_parameter() -> None:
    kernel = kernel_of(Path("k.cu"), FOOTER)
    assert kernel.maps(Size(8, 4, 4), Dim3(16)) == {"a": TensorMap("A", 4, 4)}
    trace = trace_kernel(kernel, Size(4, 4, 4), Dim3(16))
    assert (trace.outputs["C"] == 6).all()


def test_a_footer_with_another_field_is_refused() -> None:
    with pytest.raises(InputError, match=r"tensor_map\.a has the fields array, columns, rows, swizzle"):
        kernel_of(Path("k.cu"), FOOTER.replace('rows     = "M / 2"', 'lines = "4"'))
