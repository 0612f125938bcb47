"""Gains of each step on tensor cores, counted in the simulator."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernels.analysis import counts
from kernels.catalog import find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify
from tests.kernels.analysis.traces import catalogue
from tests.kernels.catalog.counting import total

BLOCKS = ("32", "128", "256")
WHOLE = "128,128,64"


def wavefronts(kernel: str, size: str, block: str, access: str) -> dict[str, float]:
    """Wavefronts of each shared array over the ideal ones."""
    return {
        count.array: count.wavefronts / count.ideal_wavefronts
        for count in counts(catalogue(kernel, size, block)).arrays
        if (count.space, count.access) == ("shared", access)
    }


def test_a_warp_alone_reads_every_tile_from_global_memory() -> None:
    m, n, k = 32, 48, 64
    read = total("bytes", "global", "read", "matmul_wmma", f"{m},{n},{k}", "32,2")
    assert read == 2 * (m * k * (n // 16) + k * n * (m // 16))


def test_a_block_shares_what_it_reads() -> None:
    read = total("bytes", "global", "read", "matmul_mma", WHOLE, "256")
    assert read == 2 * (128 * 64 + 64 * 128)


@pytest.mark.parametrize("block", BLOCKS)
def test_eight_rows_of_a_tile_begin_in_the_same_bank(block: str) -> None:
    of_a = 8 if block == "256" else 4  # of rows of 32 elements, four of eight
    assert wavefronts("matmul_mma", WHOLE, block, "read") == {"As": of_a, "Bs": 8}


@pytest.mark.parametrize("size", [WHOLE, "33,17,20", "40,72,68"])
@pytest.mark.parametrize("block", BLOCKS)
def test_after_the_swizzle_reads_take_the_ideal_wavefronts(size: str, block: str) -> None:
    assert wavefronts("matmul_mma_swizzled", size, block, "read") == {"As": 1, "Bs": 1}


@pytest.mark.parametrize("block", BLOCKS)
def test_the_swizzle_costs_no_wavefront_and_no_byte(block: str) -> None:
    assert wavefronts("matmul_mma_swizzled", WHOLE, block, "write") == {"As": 1, "Bs": 1}
    plain, swizzled = (
        sum(
            array.size * array.dtype.itemsize
            for array in catalogue(name, WHOLE, block).arrays
            if array.space == "shared"
        )
        for name in ("matmul_mma", "matmul_mma_swizzled")
    )
    assert plain == swizzled


@pytest.mark.parametrize("kernel", ["matmul_mma", "matmul_mma_swizzled", "matmul_mma_async"])
def test_other_blocks_are_explained(kernel: str) -> None:
    with pytest.raises(LaunchError, match="choose block 32, whose tile is 16 by 64, 128 with 64 by 64, or 256"):
        trace_kernel(find_kernel(kernel), Size(16, 16, 16), Dim3(64))


@pytest.mark.parametrize("block", BLOCKS)
def test_copies_that_run_ahead_have_no_conflicts_and_half_of_the_barriers(block: str) -> None:
    assert wavefronts("matmul_mma_async", WHOLE, block, "read") == {"tiles": 1}
    assert wavefronts("matmul_mma_async", WHOLE, block, "write") == {"tiles": 1}
    ahead, waiting = (
        len(catalogue(name, "16,16,128", "32").barrier_steps(0)) for name in ("matmul_mma_async", "matmul_mma_swizzled")
    )
    assert (ahead, waiting) == (4, 8)


@pytest.mark.parametrize("size", ["16,64,192", "17,64,100", "20,24,40"])
@pytest.mark.parametrize("block", ["32", "128"])
def test_a_copy_that_is_not_waited_for_is_found(size: str, block: str) -> None:
    kernel = find_kernel("matmul_mma_async")
    hasty = replace(kernel, source=kernel.text.replace('"n"(STAGES - 2)', '"n"(STAGES - 1)'))
    fine, broken = (
        trace_kernel(one, Size.parse(size), Dim3.parse(block), options=Options(record=False)).hazards
        for one in (kernel, hasty)
    )
    assert fine == ()
    assert broken


@pytest.mark.parametrize("kernel", ["matmul_wmma", "matmul_mma", "matmul_mma_swizzled", "matmul_mma_async"])
@pytest.mark.parametrize("size", [Size(128, 128, 256), Size(130, 72, 88), Size(65, 129, 131)])
def test_products_of_large_tiles_are_right(kernel: str, size: Size) -> None:
    found, fill = find_kernel(kernel), Fill("random", (1,))
    inputs = found.workload.inputs(size, fill)
    trace = trace_kernel(found, size, found.blocks[-1], fill, Options(record=False))
    assert trace.hazards == ()
    verdict = verify(found.workload, size, inputs, trace.outputs)
    assert verdict.correct, verdict.message
