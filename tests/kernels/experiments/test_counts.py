"""The counts behind what the experiments say of today's hardware, computed with the simulator."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import counts
from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.catalog import find_kernel
from kernels.experiments import find_experiment
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from kernels.analysis import MemoryCount
    from kernels.trace import Trace
    from kernels.verify import Checks

CASES = Cases(__file__)

N = 64
"""A multiple of every tile: no edges."""


@cache
def trace(kernel: str, width: int, size: Size | None = None) -> Trace:
    return trace_kernel(find_kernel(kernel), size or Size(N, N, N), Dim3(width, width))


def written(kernel: str, width: int) -> tuple[MemoryCount, ...]:
    return counts(trace(kernel, width)).arrays


def reads(found: tuple[MemoryCount, ...], space: str, what: str) -> float:
    """Return the cost of the reads for 32 products, one for each thread of a warp."""
    total = sum(getattr(count, what) for count in found if (count.space, count.access) == (space, "read"))
    return float(total / (N**3 / 32))


def sum_of(kernel: str) -> Trace:
    """Trace of a sum of 1,024 elements in blocks of 128."""
    found = find_kernel(kernel)
    return trace_kernel(found, found.workload.fit(Size(1024, 1024, 1024)), Dim3(128))


def said(experiment: str, *quotes: str) -> None:
    """The experiment's sentences must have these figures."""
    text = " ".join(find_experiment(experiment).today)
    for quote in quotes:
        assert quote in text


@pytest.mark.parametrize("option", ["", ":x=column"])
class TestWidth:
    def test_the_naive_product_touches_fewest_sectors_in_blocks_8_wide_whichever_way_x_runs(self, option: str) -> None:
        """A warp reads as many rows of M as its block is wide and as it is high: w + 32/w, and half warps below 8."""
        sectors = {w: reads(written(f"mmt_naive{option}", w), "global", "sectors") for w in (2, 4, 8, 16, 32)}
        assert sectors == {2: 32, 4: 16, 8: 12, 16: 18, 32: 33}
        said("mmt_width", "12 sectors in blocks 8 wide, 18 in blocks 16 wide and 33 in blocks 32 wide")

    def test_the_tiled_product_has_fewest_wavefronts_in_blocks_8_wide(self, option: str) -> None:
        """Rows of a tile that stand w words apart meet in the same banks: w²/32 ways, at most w."""
        waves = {w: reads(written(f"mmt_tiled{option}", w), "shared", "wavefronts") for w in (2, 4, 8, 16, 32)}
        assert waves == {2: 16, 4: 4, 8: 3, 16: 9, 32: 33}
        said("mmt_width", "3 wavefronts at width 8, 9 at 16 and 33 at 32")


@pytest.mark.parametrize(
    ("kernel", "sectors"),
    [
        ("matmul_naive_row_x", {2: 24, 4: 10, 8: 9, 16: 17, 32: 33}),
        ("matmul_naive", {2: 24, 4: 10, 8: 5, 16: 4, 32: 5}),
    ],
)
def test_in_a_product_of_two_matrices_the_way_of_x_decides_which_width_is_best(
    kernel: str, sectors: dict[int, float]
) -> None:
    """x on the row: w rows of A, 32/w neighbours of B. x on the column: w neighbours of B, 32/w rows of A."""
    assert {w: reads(written(kernel, w), "global", "sectors") for w in sectors} == sectors
    said("mmt_width", "9, 17 and 33 sectors at widths 8, 16 and 32", "5, 4 and 5")


def test_stripes_conflict_and_turned_ones_do_not() -> None:
    stripe, turned = "mmt_stripe", "mmt_stripe_transposed"
    assert [reads(written(stripe, w), "shared", "wavefronts") for w in (8, 16, 32)] == [9, 17, 33]
    assert [reads(written(turned, w), "shared", "wavefronts") for w in (8, 16, 32)] == [2, 2, 2]
    said("mmt_versions", "17 wavefronts", "v9 2;")


def test_wider_stripes_make_fewer_blocks_and_fewer_atomic_additions() -> None:
    for width, times in ((8, 128), (16, 64), (32, 32)):
        found = find_kernel("mmt_stripe").launch(Size(1024, 1024, 1024), Dim3(width, width))
        assert found.grid.count == times
        assert found.dynamic_shared_bytes == 4 * 1024 * width
        atomics = sum(count.accesses for count in written("mmt_stripe", width) if count.access == "atomic")
        assert atomics == N**2 * N / width  # each block adds to each result
    assert find_kernel("mmt_stripe").launch(Size(8192, 8192, 8192), Dim3(8, 8)).dynamic_shared_bytes == 262_144
    said("mmt_width", "128, 64 and 32 blocks of 64, 256 and 1,024 threads", "needs 262,144 at width 8")


def test_the_inner_guard_does_not_diverge() -> None:
    guarded = trace("mmt_tiled_guard_inner", 8)
    assert {issued.active_lanes for issued in counts(guarded).issued} == {32}
    said("mmt_width", "all lanes of a warp agree")


def test_half_of_the_blocks_return_at_once() -> None:
    whole, half = (reads(written(name, 8), "global", "accesses") for name in ("mmt_tiled", "mmt_symmetric"))
    side = N // 8
    assert half / whole == (side + 1) / (2 * side)


def test_a_32_wide_tile_has_no_bank_conflicts_and_a_32nd_of_the_global_loads() -> None:
    naive, tiled = written("matmul_naive", 32), written("matmul_tiled", 32)
    assert sum(count.excess_wavefronts for count in tiled if count.space == "shared") == 0
    assert reads(naive, "global", "requests") == 32 * reads(tiled, "global", "requests")
    assert reads(naive, "global", "requests") == reads(tiled, "shared", "requests") == 2
    said("ladder", "0 excess wavefronts", "fall 32 times", "the naive product has 2")


def test_each_step_of_the_ladder_loads_less_from_shared_memory() -> None:
    def cost(kernel: str, size: Size, block: Dim3, what: str) -> float:
        found = counts(trace_kernel(find_kernel(kernel), size, block)).arrays
        return reads_at(found, size, what)

    def reads_at(found: tuple[MemoryCount, ...], size: Size, what: str) -> float:
        total = sum(getattr(c, what) for c in found if (c.space, c.access) == ("shared", "read"))
        return 32 * float(total) / (size.m * size.n * size.k)

    large = Size(128, 128, 8)
    assert reads(written("matmul_tiled", 32), "shared", "requests") == 2
    assert cost("matmul_registers_1d", Size(64, 64, 64), Dim3(64, 8), "requests") == 1.125
    assert cost("matmul_registers_2d", large, Dim3(16, 16), "requests") == 0.25
    assert cost("matmul_vectorized", large, Dim3(16, 16), "requests") == 0.0625
    rows = cost("matmul_vectorized", large, Dim3(16, 16), "wavefronts")
    assert cost("matmul_warp_tiled", large, Dim3(256), "wavefronts") == rows * 2 / 3
    said("past_cublas", "tiles 2, a column of 8 results 1.125, 8×8 results 0.25", "0.0625", "two thirds")


def test_at_the_boundary_few_threads_load_zeros() -> None:
    small = counts(trace("matmul_tiled", 4, Size(7, 3, 7)))
    loads = {
        count.array: count.accesses for count in small.arrays if count.space == "global" and count.access == "read"
    }
    assert loads == {"A": 7 * 7 * 1, "B": 7 * 3 * 2}  # every element once for each tile beside or below it

    m, n, k = 2051, 1027, 2051
    m_full, n_full, k_full = (-(-side // 32) * 32 for side in (m, n, k))
    assert 1 - m * k / (m_full * k_full) == pytest.approx(0.028, abs=5e-4)
    assert 1 - k * n / (k_full * n_full) == pytest.approx(0.041, abs=5e-4)
    assert m_full * n_full * k_full / (m * n * k) == pytest.approx(1.0575, abs=5e-4)
    said("boundary", "5.75 % more products", "2.8 % of the loads of A and 4.1 % of those of B")


def checks(n: int, kernel: str = "mmt_stripe", *, fmad: bool = False) -> Checks:
    """Compare the result of a kernel in 8×8 blocks for `iota` with the sequential one."""
    plan = Plan((), fill=Fills.parse("iota"), fmad=fmad, task="simulate")
    found = measure(Point(Entry(kernel, Dim3(8, 8)), Size(n, n, n)), plan, "").checks
    assert found
    return found


def test_sums_differ_where_entries_pass_what_float32_counts_in_ones() -> None:
    """Up to 2^24 every whole number is a float32, so that no order of summation matters."""
    largest = {n: sum((n * (n - 1) + k) ** 2 for k in range(n)) for n in (20, 30)}
    assert largest[20] < 2**24 < largest[30]
    assert checks(20).l2 == 0
    assert (checks(30).unlike_bits, checks(30).l2) == (26, 26 * 4**2)
    assert sum((500 * 499 + k) ** 2 for k in range(500)) == pytest.approx(3.1e13, rel=0.01)
    assert np.spacing(np.float32(3.1e13)) == 2_097_152
    said("mmt_sanity", "differ by 4", "it is 416", "3.1e13", "2,097,152", "2^24")


def test_with_fused_operations_the_naive_product_differs_too() -> None:
    assert checks(100, "mmt_naive").unlike_bits == 0
    assert checks(100, "mmt_naive", fmad=True).unlike_bits == 1286
    said("mmt_sanity", "at n = 100 1,286 elements of v1 differ")


def test_reuse_grows_with_the_side() -> None:
    loads = {side: reads(written("matmul_tiled_dynamic", side), "global", "accesses") for side in (8, 32)}
    assert loads[8] == 4 * loads[32]
    said("occupancy_block", "4 times as often")


@pytest.mark.parametrize(("kernel", "additions", "wavefronts", "barriers", "atomics"), CASES("rungs_of_the_sum"))
def test_rungs_of_the_sum(kernel: str, additions: int | None, wavefronts: int, barriers: int, atomics: int) -> None:
    found = sum_of(kernel)
    counted, lines = counts(found), find_kernel(kernel).text.splitlines()
    executed = [row.warps for row in counted.issued if "+= sums[" in lines[row.line - 1]]
    waits = [row.warps for row in counted.issued if "__syncthreads();" in lines[row.line - 1]]
    assert executed == ([] if additions is None else [additions])
    assert sum(count.wavefronts for count in counted.arrays) == wavefronts
    assert sum(waits) == barriers * found.launch.grid.count * found.launch.warps_per_block
    assert sum(count.accesses for count in counted.arrays if count.access == "atomic") == atomics
