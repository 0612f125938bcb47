"""Transpositions: every kernel at every kind of size, and the counts that tell the kernels apart."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.analysis.metrics.counts import MemoryCount, counts
from kernels.catalog import Kernel, catalog, find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill, Fills
from kernels.launch import Dim3
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import WORKLOADS, Size, verify
from tests.kernels.analysis.traces import catalogue

KERNELS = [v for k in catalog() if k.workload.id in ("copy", "transpose") and k.runs_on == "cuda" for v in k.variants()]
TILES = ("transpose_tiled", "transpose_padded", "transpose_swizzled")


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 33), (31, 32), (33, 31), (32, 64), (1000, 3), (70, 129)])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_every_kernel_is_right_at_every_kind_of_size(kernel: Kernel, m: int, n: int) -> None:
    size, fills = Size(m, n, 1), Fills.parse("iota")
    case = prepare_case(kernel.workload.id, size, fills)
    for block in kernel.blocks:
        outputs, hazard = simulate(kernel, size, block, fills)
        checks = check(kernel, size, case.inputs, outputs, fills, case.expected)
        assert (hazard, checks.correct) == ("", True), f"block {block}: {hazard} {checks.message}"


@pytest.mark.parametrize("name", ["transpose_copy", *TILES])
def test_small_tiles_fit_small_pictures(name: str) -> None:
    kernel = find_kernel(name)
    for block in (Dim3(1), Dim3(4, 2), Dim3(8, 1), Dim3(16, 16)):
        size, fills = Size(9, 14, 1), Fills.parse("iota")
        case = prepare_case(kernel.workload.id, size, fills)
        outputs, hazard = simulate(kernel, size, block, fills)
        assert (hazard, check(kernel, size, case.inputs, outputs, fills).correct) == ("", True), str(block)


@pytest.mark.parametrize(
    ("name", "block", "reason"),
    [
        ("transpose_naive", Dim3(8, 4, 2), r"choose two numbers, as in block 32,8$"),
        ("transpose_copy", Dim3(32, 5), r"choose up to 64 wide, and a height that divides it, as in block 32,8$"),
        ("transpose_tiled", Dim3(128, 2), r"choose up to 64 wide, and a height that divides it, as in block 32,8$"),
        ("transpose_padded", Dim3(8, 16), r"choose up to 64 wide, and a height that divides it, as in block 32,8$"),
        ("transpose_swizzled", Dim3(24, 8), r"columns, and a height that divides it: choose such as block 32,8$"),
    ],
)
def test_other_blocks_are_refused_in_one_line(name: str, block: Dim3, reason: str) -> None:
    with pytest.raises(LaunchError, match=reason):
        find_kernel(name).launch(Size(64, 64, 1), block)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_more_elements_than_an_int_can_count_are_refused(kernel: Kernel) -> None:
    for size in (Size(2**16, 2**15 - 1, 1), Size(2**31 - 1, 1, 1), Size(46340, 46341, 1)):
        kernel.launch(size, kernel.block)
    for size in (Size(2**16, 2**15, 1), Size(2, 2**30, 1)):
        with pytest.raises(LaunchError, match=r"choose at most 2,147,483,647 elements$"):
            kernel.launch(size, kernel.block)


def test_the_grid_follows_the_side_that_is_contiguous() -> None:
    reads, writes = find_kernel("transpose_naive").variants()
    assert reads.launch(Size(8, 100, 1), Dim3(32, 4)).grid == Dim3(4, 2)
    assert writes.launch(Size(8, 100, 1), Dim3(32, 4)).grid == Dim3(1, 25)


# --- the result ---------------------------------------------------------------------------------------------


def test_a_transposition_is_exact_and_no_copy() -> None:
    size = Size(3, 4, 1)
    for name in ("transpose", "copy"):
        workload = WORKLOADS[name]
        inputs = workload.inputs(size, Fill("iota"))
        result = np.array(inputs["A"].T if name == "transpose" else inputs["A"], np.float32)
        assert verify(workload, size, inputs, {"B": result}).correct
        other = result.copy()
        other[-1, -1] += np.spacing(other[-1, -1])
        assert not verify(workload, size, inputs, {"B": other}).correct
        assert not verify(workload, size, inputs, {"B": inputs["A"].T if name == "copy" else inputs["A"]}).correct


def test_of_a_large_result_rows_are_checked() -> None:
    workload, size = WORKLOADS["transpose"], Size(2048, 1024, 1024)
    inputs = workload.inputs(size, Fill("random", (1,)))
    result = np.array(inputs["A"].T, np.float32)
    verdict = verify(workload, size, inputs, {"B": result})
    assert (verdict.correct, verdict.checked) == (True, "48 of 1024 rows")
    result[-1, 7] += 1
    assert not verify(workload, size, inputs, {"B": result}).correct


def test_useful_bytes_are_read_and_written_once() -> None:
    workload = WORKLOADS["transpose"]
    assert workload.rate is not None
    assert workload.rate.of(Size(1000, 500, 1), 1.0) == pytest.approx(8 * 1000 * 500 / 1e6)
    assert workload.least_bytes(Size(1000, 500, 1)) == 8 * 1000 * 500


# --- what the kernels show --------------------------------------------------------------------------------


def row(name: str, array: str, access: str, block: str = "32,8") -> MemoryCount:
    found = counts(catalogue(name, "64,96,1", block)).arrays
    return next(count for count in found if (count.array, count.access) == (array, access))


def sectors(name: str) -> tuple[float, float]:
    """Sectors of a request, of reads of A and of writes to B."""
    both = row(name, "A", "read"), row(name, "B", "write")
    return tuple(count.sectors / count.requests for count in both)  # type: ignore[return-value]


def test_one_side_of_a_naive_transposition_takes_32_sectors_a_request() -> None:
    assert sectors("transpose_copy") == (4, 4)
    assert sectors("transpose_naive") == (4, 32)
    assert sectors("transpose_naive:contiguous=writes") == (32, 4)


@pytest.mark.parametrize("name", TILES)
def test_tiles_take_4_sectors_a_request_on_both_sides(name: str) -> None:
    assert sectors(name) == (4, 4)


@pytest.mark.parametrize("block", ["32,8", "64,8"])
def test_only_the_plain_tile_has_conflicts_of_32_lanes(block: str) -> None:
    found = {}
    for name in TILES:
        rows = [row(name, "tile", access, block) for access in ("write", "read")]
        found[name] = [count.wavefronts / count.requests for count in rows]
    assert found == {"transpose_tiled": [1, 32], "transpose_padded": [1, 1], "transpose_swizzled": [1, 1]}


def test_a_swizzled_tile_has_no_unused_word() -> None:
    shapes = {}
    for name in TILES:
        trace = catalogue(name, "64,96,1", "32,8")
        shapes[name] = next(array.shape for array in trace.arrays if array.name == "tile")
    assert list(shapes.values()) == [(32, 32), (32, 33), (32, 32)]
