"""Sums and transpositions: references with bounds, every kernel at every kind of size, and counts of the kernels."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.analysis.metrics.counts import Counts, Issued, MemoryCount, counts
from kernels.catalog import Kernel, catalog, find_kernel
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill, Fills
from kernels.launch import Dim3
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import WORKLOADS, Size, verify
from kernels.workload.reduce import Sum
from tests.kernels.analysis.traces import catalogue
from tests.sweeps import in_turn

KERNELS = [v for k in catalog() if k.id.startswith("reduce_") and k.runs_on == "cuda" for v in k.variants()]
TREES = ("reduce_interleaved", "reduce_strided", "reduce_sequential", "reduce_two_loads")


def of(n: int) -> Size:
    return Size(n, n, n)


@pytest.mark.parametrize(("kernel", "n"), in_turn(KERNELS, [1, 31, 32, 33, 1000], lambda kernel: kernel.id, first=2))
def test_every_kernel_is_right_at_every_kind_of_size(kernel: Kernel, n: int) -> None:
    for text in ("random(1)", "mod(7)"):
        fills = Fills.parse(text)
        case = prepare_case(kernel.workload.id, of(n), fills)
        for block in (32, 128, 1024):
            outputs, hazard = simulate(kernel, of(n), Dim3(block), fills)
            checks = check(kernel, of(n), case.inputs, outputs, fills, case.expected)
            assert (hazard, checks.correct) == ("", True), f"{text}, block {block}: {hazard} {checks.message}"


@pytest.mark.parametrize("name", TREES)
def test_a_tree_takes_blocks_that_are_smaller_than_a_warp(name: str) -> None:
    for block in (1, 2, 16):
        outputs, hazard = simulate(find_kernel(name), of(33), Dim3(block), Fills.parse("iota"))
        assert (hazard, float(outputs["s"][0])) == ("", 33 * 32 / 2)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
@pytest.mark.parametrize("block", [Dim3(48), Dim3(96), Dim3(8, 8)], ids=str)
def test_a_block_that_is_no_power_of_two_is_refused_in_one_line(kernel: Kernel, block: Dim3) -> None:
    with pytest.raises(LaunchError, match=r"choose one power of two( from 32 up)?, as in block 128$"):
        kernel.launch(of(64), block)


def test_an_empty_sum_is_refused() -> None:
    with pytest.raises(InputError, match="'0' is not a problem size"):
        Size.parse("0")


@pytest.mark.parametrize("n", [2**20 - 1, 2**20 + 1, 2**28, 2**30])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_no_index_exceeds_an_int(kernel: Kernel, n: int) -> None:
    """The largest number that a thread computes before it compares with n: one past its grid, or a turn past n."""
    for block in kernel.blocks:
        launch = kernel.launch(of(n), block)
        threads = launch.grid.count * block.count
        assert n + max(threads if threads < n else 0, 2 * block.count) < 2**31
        assert launch.grid.x < 2**31


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000])
@pytest.mark.parametrize("fill", ["random(1)", "mod(7)", "iota", "zeros", "random(3)"])
def test_the_index_of_a_maximum_is_the_first_one(n: int, fill: str) -> None:
    x = Fill.parse(fill).make((n,), "float32")
    assert x is not None
    for block in (32, 128, 1024):
        outputs, hazard = simulate(find_kernel("reduce_maximum"), of(n), Dim3(block), Fills.parse(fill))
        assert (hazard, outputs["largest"][0], outputs["place"][0]) == ("", x.max(), np.flatnonzero(x == x.max())[0])


def test_a_later_index_of_the_same_maximum_is_wrong() -> None:
    workload, size, x = WORKLOADS["maximum"], of(4), np.array([1, 3, 3, 2], np.float32)
    for place, correct in ((1, True), (2, False)):
        outputs = {"largest": np.array([3], np.float32), "place": np.array([place], np.int32)}
        assert verify(workload, size, {"x": x}, outputs).correct is correct


# --- the bound --------------------------------------------------------------------------------------------


def test_a_sum_of_few_whole_numbers_has_no_error() -> None:
    found = Sum(np.arange(1000, dtype=np.float32)).reference()
    assert (found.rows.tolist(), found.bound.tolist()) == ([499_500.0], [0.0])
    assert Sum(np.array([0.5, 0.25, -8], np.float32)).reference().bound.tolist() == [0.0]
    assert Sum(np.array([2.0**24, 1], np.float32)).reference().bound[0] > 0


def test_a_sum_is_right_in_any_order_and_wrong_without_a_block() -> None:
    workload, size = WORKLOADS["reduce"], of(2**20 + 1)
    for fill in ("random(1)", "iota", "mod(3)"):
        inputs = workload.inputs(size, Fill.parse(fill))
        values = inputs["x"].astype(np.float32)
        strided = np.concatenate([values[first::1024] for first in range(1024)])
        for order in (values, values[::-1], strided, np.random.default_rng(1).permutation(values)):
            for found in (Sum(order).sequential(), np.array([order.sum()])):
                assert verify(workload, size, inputs, {"s": found}).correct, fill
        assert not verify(workload, size, inputs, {"s": np.zeros(1, np.float32)}).correct
        assert not verify(workload, size, inputs, {"s": np.array([np.nan], np.float32)}).correct
    lost = np.array([values[:-4096].sum()])
    assert not verify(workload, size, inputs, {"s": lost}).correct


def test_a_chain_that_loses_ones_is_wrong() -> None:
    """Beyond 2²⁴ a float has no place for one more."""
    values = np.ones(2**25, np.float32)
    reference = Sum(values).reference()
    (found,) = Sum(values).sequential()
    assert found == 2**24
    assert reference.error(np.array([float(found)]))[0] > reference.bound[0]


def test_what_is_not_finite_is_wrong() -> None:
    workload, size = WORKLOADS["reduce"], of(2)
    for x in ([np.inf, 1], [np.nan, 1], [np.inf, -np.inf]):
        values = np.array(x, np.float32)
        assert not verify(workload, size, {"x": values}, {"s": np.array([1], np.float32)}).correct


# --- what the kernels show --------------------------------------------------------------------------------


def counted(name: str) -> Counts:
    return counts(catalogue(name, "1024", "256"))


def issued(name: str, text: str) -> Issued:
    trace = catalogue(name, "1024", "256")
    lines = find_kernel(name).text.splitlines()
    return next(found for found in counts(trace).issued if text in lines[found.line - 1])


def test_an_interleaved_tree_needs_more_warps_for_the_same_additions() -> None:
    """Of a block's 8 warps all work in the steps 1 to 16, then 4, 2 and 1; of the others 4, 2, 1 and 5 more times 1."""
    assert issued("reduce_interleaved", "sums[t] +=") == Issued(19, 4 * (5 * 8 + 4 + 2 + 1), 4 * 255)
    for name, text in (("reduce_strided", "sums[left] +="), ("reduce_sequential", "sums[t] +=")):
        found = issued(name, text)
        assert (found.warps, found.lanes) == (4 * (4 + 2 + 1 + 5), 4 * 255)


def test_only_strided_pairs_meet_in_banks() -> None:
    excess = {name: sum(count.excess_wavefronts for count in counted(name).arrays) for name in TREES}
    assert excess["reduce_strided"] > 400
    assert [excess[name] for name in TREES if name != "reduce_strided"] == [0, 0, 0]


def test_two_loads_halve_warps_and_atomics() -> None:
    for text in ("__syncthreads();", "atomicAdd"):
        before, after = (issued(name, text) for name in ("reduce_sequential", "reduce_two_loads"))
        assert before.warps == 2 * after.warps


@pytest.mark.parametrize(("name", "barriers"), [("reduce_sequential", 1 + 8), ("reduce_shuffle", 1)])
def test_shuffles_need_one_barrier(name: str, barriers: int) -> None:
    lines = find_kernel(name).text.splitlines()
    found = sum(row.warps for row in counted(name).issued if "__syncthreads" in lines[row.line - 1])
    assert found == barriers * 1024 // 32


def test_atomics_are_those_of_threads_of_warps_or_of_blocks() -> None:
    found = {}
    for name in ("reduce_atomic:by=thread", "reduce_atomic", "reduce_shuffle", "reduce_grid_stride"):
        (row,) = (row for row in counted(name).arrays if row.access == "atomic")
        found[name] = row.accesses, row.contention
    assert list(found.values()) == [(1024, 1024), (32, 32), (4, 4), (1, 1)]


@pytest.mark.parametrize(("sides", "warps"), [("lanes", 8), ("half_warps", 8), ("warps", 4)])
def test_a_warp_executes_two_sides_unless_its_lanes_agree(sides: str, warps: int) -> None:
    name = f"divergence:sides={sides}".removesuffix(":sides=lanes")
    lines = find_kernel(name).text.splitlines()
    rows = [row for row in counts(catalogue(name)).issued if "out[i]" in lines[row.line - 1]]
    assert (sum(row.warps for row in rows), sum(row.lanes for row in rows)) == (warps, 128)


TRANSPOSITIONS = [
    v for k in catalog() if k.workload.id in ("copy", "transpose") and k.runs_on == "cuda" for v in k.variants()
]
TILES = ("transpose_tiled", "transpose_padded", "transpose_swizzled")


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 33), (31, 32), (33, 31), (32, 64), (1000, 3), (70, 129)])
@pytest.mark.parametrize("kernel", TRANSPOSITIONS, ids=lambda kernel: kernel.id)
def test_every_kernel_is_right_at_every_kind_of_size_of_transpose(kernel: Kernel, m: int, n: int) -> None:
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


@pytest.mark.parametrize("kernel", TRANSPOSITIONS, ids=lambda kernel: kernel.id)
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
