"""Claims of the kernels' descriptions and gains of each step, counted in the simulator."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import counts
from kernels.catalog import find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3, Limits, check
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue
from tests.kernels.catalog.counting import counted, total

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)


def order_of_writes(trace: Trace, array: str) -> list[tuple[int, int]]:
    """Lane and element of each write, in order."""
    groups = [g for step in range(trace.steps) for g in trace.accesses(step)]
    return [
        (int(lane), int(index))
        for g in groups
        if g.array.name == array and g.site.access == "write"
        for lane, index in zip(g.lanes, g.index, strict=True)
    ]


def multiplications(trace: Trace) -> int:
    """Multiplication signs that threads come by."""
    return sum(trace.statement(s).text.count("*") * len(trace.lanes(s)) for s in range(trace.steps))


# Threads and indices


@pytest.mark.parametrize(("block", "threads"), [("2,2", 16), ("4,2", 32)])
def test_every_thread_says_hello_once(block: str, threads: int) -> None:
    lines = catalogue("hello_grid", "", block).printf
    assert len(lines) == len(set(lines)) == threads


def test_the_order_of_hellos_is_the_schedule_s() -> None:
    plain, reverse = (catalogue("hello_grid", "", "8,8", order).printf for order in ("warps", "reversed"))
    assert plain != reverse
    assert sorted(plain) == sorted(reverse)


def test_a_block_of_512_by_2_has_a_thread_for_each_element() -> None:
    out = catalogue("index_map", "2,512,1", "512,2").outputs["out"]
    assert out.tolist() == np.arange(1024).reshape(2, 512).tolist()


# On the CPU


def test_one_worker_completes_row_by_row() -> None:
    assert order_of_writes(catalogue("cpu_sequential", "3,4,2"), "C") == [(0, e) for e in range(12)]


def test_twice_the_size_is_eight_times_the_work() -> None:
    small, large = (total("accesses", "global", "read", "cpu_sequential", n, "1") for n in ("4", "8"))
    assert large == 8 * small


@pytest.mark.parametrize(("rows", "workers", "owners"), CASES("rows_computed_by_each_thread"))
def test_rows_computed_by_each_thread(rows: int, workers: int, owners: list[int]) -> None:
    writes = order_of_writes(catalogue("cpu_parallel", f"{rows},3,2", str(workers)), "C")
    assert len(writes) == 3 * rows
    assert {(element // 3, lane) for lane, element in writes} == set(enumerate(owners))


# One thread per element


def test_every_thread_loads_k_elements_of_each_matrix() -> None:
    for kernel in ("matmul_single_block", "matmul_naive", "matmul_naive_row_x", "matmul_unified"):
        loads = {c.array: c.accesses for c in counted(kernel, "16", "16,16") if c.access == "read"}
        assert loads == {"A": 16**3, "B": 16**3}


@pytest.mark.parametrize(("block", "along", "down"), [("8,8", 5, 9), ("16,16", 4, 17), ("32,32", 5, 33)])
def test_x_on_the_row_scatters_what_a_warp_loads(block: str, along: int, down: int) -> None:
    """Sectors for one k and one warp: along a row the block's width hardly matters, down a column it does."""
    warps_and_k = 64 * 64 // 32 * 64
    for kernel, expected in (("matmul_naive", along), ("matmul_naive_row_x", down)):
        assert total("sectors", "global", "read", kernel, "64", block) == expected * warps_and_k
        assert total("accesses", "global", "read", kernel, "64", block) == 2 * 64**3


def test_the_kernel_about_scattered_accesses_opens_where_they_are_scattered() -> None:
    scattered, along = (
        [c for c in counted(kernel, "32", "32,8") if (c.array, c.access) == ("A", "read")]
        for kernel in ("matmul_naive_row_x", "matmul_naive")
    )
    assert scattered == [c for c in counted("matmul_naive_row_x", "", "") if (c.array, c.access) == ("A", "read")]
    assert sum(c.sectors for c in scattered) == 32 * sum(c.sectors for c in along)


def test_unified_memory_changes_no_access() -> None:
    assert counted("matmul_unified", "20", "8,8") == counted("matmul_naive", "20", "8,8")


# Tiles


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("kernel", CASES("tiles_divide_the_loads"))
def test_tiles_divide_the_loads_by_their_width(kernel: str, width: int) -> None:
    where = ("32", f"{width},{width}")
    naive = total("accesses", "global", "read", "matmul_naive", *where)
    assert total("accesses", "global", "read", kernel, *where) * width == naive
    assert total("accesses", "shared", "write", kernel, *where) * width == naive


@pytest.mark.parametrize(
    ("block", "phase", "outside"),
    [
        (0, 0, {"As": set(), "Bs": set()}),
        (0, 1, {"As": {(1, 0), (1, 1)}, "Bs": {(0, 1), (1, 1)}}),  # column 3 of A, row 3 of B
        (3, 0, {"As": {(0, 1), (1, 1)}, "Bs": {(1, 0), (1, 1)}}),  # row 3 of A, column 3 of B
    ],
)
def test_threads_of_the_3x3_example_that_load_nothing(
    block: int, phase: int, outside: dict[str, set[tuple[int, int]]]
) -> None:
    """Threads (x, y) that write into a tile without having read: they write the zero."""
    trace = catalogue("matmul_tiled", "3", "2,2")
    for tile, expected in outside.items():
        step = next(
            int(s)
            for s in trace.block_steps(block)
            if trace.step_phase[s] == phase and trace.statement(int(s)).text.startswith(f"{tile}[")
        )
        lanes = {
            access: {
                int(n) for g in trace.accesses(step) if g.site.access == access for n in g.lanes if n // 4 == block
            }
            for access in ("read", "write")
        }
        assert len(lanes["write"]) == 4
        assert {(n % 2, n // 2 % 2) for n in lanes["write"] - lanes["read"]} == expected


@pytest.mark.parametrize("size", ["16", "17"])
@pytest.mark.parametrize("kernel", ["matmul_tiled_unrolled", "matmul_tiled_hoisted"])
def test_the_ladder_keeps_every_access(kernel: str, size: str) -> None:
    for space, access in (("global", "read"), ("global", "write"), ("shared", "read"), ("shared", "write")):
        for what in ("accesses", "requests", "sectors", "wavefronts"):
            words = (what, space, access)
            assert total(*words, kernel, size, "8,8") == total(*words, "matmul_tiled", size, "8,8")


def test_unrolling_takes_fewer_steps_and_hoisting_fewer_multiplications() -> None:
    tiled, unrolled, hoisted = (
        catalogue(f"matmul_tiled{name}", "32", "16,16") for name in ("", "_unrolled", "_hoisted")
    )
    assert unrolled.steps < 0.8 * tiled.steps
    assert multiplications(hoisted) < multiplications(tiled)


@pytest.mark.parametrize(
    ("kernel", "excess"), [("matmul_tiled", 0), ("matmul_tiled_transposed", 31), ("matmul_tiled_padded", 0)]
)
def test_bank_conflicts_appear_and_vanish(kernel: str, excess: int) -> None:
    """Excess wavefronts for each load and store of Bs by a warp, at a width of 32."""
    for access in ("read", "write"):
        requests = sum(c.requests for c in counted(kernel, "32", "32,32") if (c.array, c.access) == ("Bs", access))
        assert total("excess_wavefronts", "shared", access, kernel, "32", "32,32") == excess * requests > -1


@pytest.mark.parametrize(("kernel", "excess"), [("matmul_tiled_transposed", 31), ("matmul_tiled_padded", 0)])
def test_a_kernel_about_bank_conflicts_opens_where_a_whole_warp_shows_them(kernel: str, excess: int) -> None:
    found = [c for c in counted(kernel, "", "") if (c.array, c.access) == ("Bs", "read")]
    requests = sum(c.requests for c in found)
    assert sum(c.excess_wavefronts for c in found) == excess * requests
    assert sum(c.accesses for c in found) == 32 * requests


def test_one_allocation_is_carved_in_two() -> None:
    trace = catalogue("matmul_tiled_dynamic", "8", "4,4")
    assert [(a.name, a.size) for a in trace.arrays if a.space == "shared"] == [("tiles", 2 * 4 * 4)]
    assert total("accesses", "shared", "read", "matmul_tiled_dynamic", "8", "4,4") == 2 * 8**3


# M times its transpose


@pytest.mark.parametrize("size", ["16", "17"])
def test_the_direction_of_x_changes_only_the_stores(size: str) -> None:
    """Both operands are rows of one matrix, so that the loads are the same the other way round."""
    row, column = (
        [total("sectors", "global", access, f"mmt_naive{x}", size, "16,16") for access in ("read", "write")]
        for x in ("", ":x=column")
    )
    assert row[0] == column[0]
    assert row[1] > 2 * column[1]


def cost(kernel: str, width: int) -> float:
    """Return the cost of one k for 32 threads: sectors for loads from global memory, else wavefronts."""
    what, space = ("sectors", "global") if kernel == "mmt_naive" else ("wavefronts", "shared")
    where = (space, "read", kernel, "64", f"{width},{width}")
    products = total("accesses", *where) / 2
    return 32 * total(what, *where) / products


@pytest.mark.parametrize(
    ("kernel", "costs"),
    [
        ("mmt_naive", {2: 32, 4: 16, 8: 12, 16: 18, 32: 33}),
        ("mmt_tiled", {2: 16, 4: 4, 8: 3, 16: 9, 32: 33}),
        ("mmt_symmetric_diagonal", {2: 16, 4: 4, 8: 3, 16: 9, 32: 33}),
    ],
)
def test_a_width_of_8_costs_least(kernel: str, costs: dict[int, int]) -> None:
    """A warp in a block of width w meets w rows and 32 / w others; narrower blocks leave lanes empty."""
    found = {width: cost(kernel, width) for width in costs}
    assert found == pytest.approx(costs, rel=0.1)
    assert min(found, key=lambda width: found[width]) == 8


def test_a_width_of_8_is_the_largest_whose_stripe_of_1024_rows_fits() -> None:
    kernel = find_kernel("mmt_stripe")
    check(kernel.launch(Size(1024, 1024, 1024), Dim3(8, 8)), Limits())
    with pytest.raises(LaunchError, match="65,536 bytes of shared memory, the device allows 49,152"):
        check(kernel.launch(Size(1024, 1024, 1024), Dim3(16, 16)), Limits())


def test_a_guard_in_the_inner_loop_is_asked_for_every_product_and_parts_the_lanes() -> None:
    inner, hoisted = (catalogue(name, "17", "16,16") for name in ("mmt_tiled_guard_inner", "mmt_tiled"))
    asked = [
        Counter(t.statement(s).text.startswith("if (i < n && j < n") for s in range(t.steps))[True]
        for t in (inner, hoisted)
    ]
    assert asked == [32 + 1, 2 + 1]  # a k each, or a phase; and the store
    line = next(n for n, text in enumerate(inner.text.splitlines(), 1) if "sum +=" in text)
    issued = next(i for i in counts(inner).issued if i.line == line)
    assert issued.active_lanes < 32
    assert inner.steps > 1.2 * hoisted.steps


def test_half_of_the_symmetric_blocks_leave_at_once() -> None:
    where = ("32", "8,8")  # 4 × 4 blocks, of which 10 stay, 4 of them on the diagonal
    tiles = {
        name: total("accesses", "global", "read", name, *where) / (64 * 4)
        for name in ("mmt_tiled_exact", "mmt_symmetric", "mmt_symmetric_diagonal")
    }
    assert tiles == {"mmt_tiled_exact": 2 * 16, "mmt_symmetric": 2 * 10, "mmt_symmetric_diagonal": 2 * 10 - 4}
    stores = {total("accesses", "global", "write", name, *where) for name in tiles}
    assert stores == {32 * 32}


def test_unrolling_by_eight_changes_no_access() -> None:
    plain, unrolled = ("mmt_symmetric", "mmt_symmetric_unrolled")
    assert counted(unrolled, "33", "16,16") == counted(plain, "33", "16,16")
    assert catalogue(unrolled, "33", "16,16").steps < 0.8 * catalogue(plain, "33", "16,16").steps


@pytest.mark.parametrize("width", [8, 16, 32])
def test_a_stripe_has_conflicts_unless_it_is_stored_as_rows(width: int) -> None:
    where = ("64", f"{width},{width}")
    assert total("excess_wavefronts", "shared", "read", "mmt_stripe", *where) > 0
    assert total("excess_wavefronts", "shared", "read", "mmt_stripe_transposed", *where) == 0


@pytest.mark.parametrize(("kernel", "excess"), [("mmt_stripe", 7), ("mmt_stripe_transposed", 0)])
def test_stripes_open_where_a_whole_warp_shows_their_conflicts(kernel: str, excess: int) -> None:
    """Neighbouring lanes of `stripe[j * TILE_WIDTH + k]` are 8 words apart: 8 lanes of a warp fall on one bank."""
    found = [c for c in counted(kernel, "", "") if (c.array, c.access) == ("stripe", "read")]
    warps_and_k = 32 * 32 // 32 * 32
    assert sum(c.excess_wavefronts for c in found) == excess * warps_and_k


@pytest.mark.parametrize("kernel", ["mmt_stripe", "mmt_stripe_transposed"])
def test_a_stripe_reads_m_once_and_adds_to_every_result_for_each_stripe(kernel: str) -> None:
    assert total("accesses", "global", "read", kernel, "20", "8,8") == 20 * 20
    assert total("accesses", "global", "atomic", kernel, "20", "8,8") == 3 * 20 * 20


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


def test_half_of_the_products_of_m_times_its_transpose() -> None:
    """Two tiles of 32 by 64, where the triangle of 32 by 32 would have three."""
    assert find_kernel("mmt_fast").launch(Size(64, 64, 64), Dim3(160)).grid.count == 2
    copied = total("accesses", "global", "read", "mmt_fast", "64", "160")
    assert copied == 2 * 64 * (32 + 64)
    assert (
        total("sectors", "global", "write", "mmt_fast", "64", "160") == 64 * 64 // 8
    )  # both stores take whole sectors


@pytest.mark.parametrize(("size", "blocks"), [("64,64,192", 3), ("64,96,24", 6), ("128,64,48", 6), ("32,64,192", 3)])
def test_blocks_share_the_tiles_that_fill_no_wave(size: str, blocks: int) -> None:
    """With tiles of 32 by 32 and three SMs: 4, 6 (two full waves), 8 and 2 tiles; each share is as large as another."""
    trace = catalogue("matmul_fast", size, "96")
    read = [0] * trace.launch.grid.count
    for step in range(trace.steps):
        for group in trace.accesses(step):
            if (group.array.name, group.site.access) == ("tiles", "read"):
                for lane in group.lanes.tolist():
                    read[lane // trace.launch.block.count] += 1
    assert len(read) == blocks
    assert len(set(read[-3:])) == 1


@pytest.mark.parametrize("size", ["32,32,8", "32,32,72", "33,65,96", "1,1,200"])
def test_a_tile_with_fewer_phases_than_blocks_is_computed(size: str) -> None:
    """No block waits for one that has no share."""
    trace = catalogue("matmul_fast", size, "96")
    assert not trace.hazards
    assert np.isfinite(trace.outputs["C"]).all()


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
