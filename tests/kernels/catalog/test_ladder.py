"""Gains of each step beyond tiles in shared memory, counted in the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.analysis import counts
from kernels.catalog import find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue
from tests.kernels.catalog.counting import total

CASES = Cases(__file__)

SHARED_READS = ("shared", "read")


def reads_of_shared(kernel: str, size: str, block: str) -> float:
    """Elements read from shared memory for each product, where the tiles divide the matrices."""
    m, n, k = (int(side) for side in size.split(",")) if "," in size else (int(size),) * 3
    return total("accesses", *SHARED_READS, kernel, size, block) / (m * n * k)


@pytest.mark.parametrize(("block", "results"), [("4,2", 2), ("16,4", 4), ("8,1", 8)])
def test_a_column_of_results_shares_what_it_reads_of_b(block: str, results: int) -> None:
    size = block.partition(",")[0]
    assert reads_of_shared("matmul_tiled", "8", "4,4") == 2
    assert reads_of_shared("matmul_registers_1d", size, block) == 1 + 1 / results


def test_a_square_of_results_shares_what_it_reads_of_both() -> None:
    assert reads_of_shared("matmul_registers_2d", "16", "4,4") == 2 / 4


def test_sixteen_bytes_a_load_take_a_quarter_of_the_requests() -> None:
    where = ("32", "8,8")
    for space in ("global", "shared"):
        plain, wide = (
            total("requests", space, "read", f"matmul_{name}", *where) for name in ("registers_2d", "vectorized")
        )
        assert plain == 4 * wide


def test_groups_of_four_columns_next_to_each_other_have_no_bank_conflicts() -> None:
    excess = [
        sum(
            c.excess_wavefronts
            for c in counts(catalogue(f"matmul_{name}", "128,128,8", "16,16")).arrays
            if (c.array, c.access) == ("Bs", "read")
        )
        for name in ("registers_2d", "vectorized")
    ]
    assert excess[0] > 0
    assert excess[1] == 0


def test_lanes_in_squares_take_fewer_wavefronts_than_lanes_in_rows() -> None:
    squares = total("wavefronts", *SHARED_READS, "matmul_warp_tiled", "32", "64")
    requests = total("requests", *SHARED_READS, "matmul_warp_tiled", "32", "64")
    assert squares == 2 * requests  # a load of 16 bytes takes four, unless quarters of a warp go together
    rows = total("wavefronts", *SHARED_READS, "matmul_split_k", "16,32,16", "96")
    assert rows > 2 * total("requests", *SHARED_READS, "matmul_split_k", "16,32,16", "96")


def test_copies_that_run_ahead_need_one_barrier_a_phase() -> None:
    phases = 5  # of 8 columns each
    barriers = {
        name: sum(trace.statement(s).kind == "barrier" for s in range(trace.steps))
        for name in ("matmul_warp_tiled", "matmul_async")
        for trace in [catalogue(name, "32,32,40", "64")]
    }
    assert barriers == {"matmul_warp_tiled": 2 * phases, "matmul_async": phases}


def test_producers_copy_and_consumers_multiply() -> None:
    trace = catalogue("matmul_specialized", "32,32,24", "96")
    lanes: dict[tuple[str, str], set[int]] = {}
    for step in range(trace.steps):
        for group in trace.accesses(step):
            lanes.setdefault((group.array.name, group.site.access), set()).update(group.lanes.tolist())
    assert lanes["A", "read"] == lanes["B", "read"] == lanes["tiles", "write"] == set(range(64, 96))
    assert lanes["tiles", "read"] == lanes["C", "write"] == set(range(64))


def test_slices_share_the_products_of_a_tile() -> None:
    """Both read every k of their share once, and add up in the same order in every run."""
    trace = catalogue("matmul_split_k", "16,32,32", "96")
    products: dict[int, int] = {}
    for step in range(trace.steps):
        for group in trace.accesses(step):
            if (group.array.name, group.site.access) == ("tiles", "read"):
                for lane in group.lanes.tolist():
                    products[lane // 32] = products.get(lane // 32, 0) + 1
    assert products[0] == products[1]


def test_rows_and_columns_left_over_get_no_tiles() -> None:
    """66 rows and 34 columns: two tiles of 32 by 32, a block for two rows, and one for two columns of 24 rows each."""
    launch = find_kernel("matmul_fast").launch(Size(66, 34, 8), Dim3(96))
    assert launch.grid.count == 2 + 1 + 3
    tiles = find_kernel("matmul_specialized").launch(Size(66, 34, 8), Dim3(96))
    assert tiles.grid.count == 3 * 2
    assert total("accesses", "global", "write", "matmul_fast", "34,34,8", "96") == 34 * 34  # each element once


def test_half_of_the_products_of_m_times_its_transpose() -> None:
    """Two tiles of 32 by 64, where the triangle of 32 by 32 would have three."""
    assert find_kernel("mmt_fast").launch(Size(64, 64, 64), Dim3(160)).grid.count == 2
    copied = total("accesses", "global", "read", "mmt_fast", "64", "160")
    assert copied == 2 * 64 * (32 + 64)
    assert (
        total("sectors", "global", "write", "mmt_fast", "64", "160") == 64 * 64 // 8
    )  # both stores take whole sectors


def test_blocks_share_the_tiles_of_the_last_wave() -> None:
    """Four tiles for three SMs: after the first wave, three blocks compute a third of the phases each."""
    trace = catalogue("matmul_fast", "64,64,24", "96")
    read = [0] * trace.launch.grid.count
    for step in range(trace.steps):
        for group in trace.accesses(step):
            if (group.array.name, group.site.access) == ("tiles", "read"):
                for lane in group.lanes.tolist():
                    read[lane // trace.launch.block.count] += 1
    assert len(read) == 6
    assert read[:3] == [3 * read[3]] * 3
    assert read[3:] == [read[3]] * 3


@pytest.mark.parametrize("schedule", ["reversed", "shuffle:1"])
@pytest.mark.parametrize(
    ("name", "size", "result"),
    [
        ("matmul_fast", Size(64, 64, 24), "C"),
        pytest.param("mmt_fast", Size(65, 65, 65), "P", marks=pytest.mark.exhaustive),
    ],
)
def test_shared_tiles_are_the_same_in_every_order_of_blocks(name: str, size: Size, result: str, schedule: str) -> None:
    kernel = find_kernel(name)
    size = kernel.workload.fit(size)
    inputs = kernel.workload.inputs(size, Fill("random", (1,)))
    first, second = (
        trace_kernel(kernel, size, kernel.block, Fill("random", (1,)), Options(order, record=False))
        for order in ("lockstep", schedule)
    )
    assert first.hazards == second.hazards == ()
    assert verify(kernel.workload, size, inputs, first.outputs, tolerance=kernel.tolerance).correct
    np.testing.assert_array_equal(first.outputs[result], second.outputs[result])


def test_two_numbers_of_tf32_are_nearly_a_float() -> None:
    """A number of tf32 has 11 significant bits, two have 22: the error is far below that of one."""
    kernel, size = find_kernel("matmul_3xtf32"), Size(32, 32, 64)
    inputs = kernel.workload.inputs(size, Fill("random", (1,)))
    trace = trace_kernel(kernel, size, kernel.block, Fill("random", (1,)), Options(record=False))
    found = verify(kernel.workload, size, inputs, trace.outputs, tolerance=kernel.tolerance)
    assert found.correct
    assert found.relative_error < 2.0**-21


@pytest.mark.parametrize(("kernel", "block", "reason"), CASES("an_illegal_block_names_the_legal"))
def test_an_illegal_block_names_the_legal_ones(kernel: str, block: str, reason: str) -> None:
    with pytest.raises(LaunchError, match=reason):
        find_kernel(kernel).launch(Size(64, 64, 64), Dim3.parse(block))
