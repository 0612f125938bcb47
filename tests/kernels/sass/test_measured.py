"""Counts as compiled, of the shipped instructions, against what Nsight Compute counted on an H200.

The figures are those of `python -m tests.bench.counters`. These kernels leave remainders: of tiles, of loops that the
compiler unrolled, and of warps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.sass.counts import count_as_compiled
from kernels.sass.instructions import compiled_instructions
from tests.kernels.analysis.traces import catalogue

if TYPE_CHECKING:
    from kernels.analysis.counts import MemoryCount


def counted(kernel: str, n: int, width: int) -> tuple[MemoryCount, ...]:
    """Counts for sm_90; what is measured is known, so nothing may be unknown."""
    trace = catalogue(kernel, str(n), f"{width},{width}")
    found = count_as_compiled(trace, compiled_instructions(trace, "sm_90").memory)
    assert "unknown" not in {accesses.fate for accesses in found.accesses}
    return found.arrays


def total(found: tuple[MemoryCount, ...], space: str, access: str, what: str) -> int:
    return sum(getattr(count, what) for count in found if (count.space, count.access) == (space, access))


@pytest.mark.parametrize(
    ("kernel", "n", "width", "requests", "wavefronts", "conflicts"),
    [
        # unrolled by 16, 8 and 4; two columns are left over
        ("mmt_tiled", 50, 8, 4_550, 10_496, 3_900),
        ("mmt_tiled", 50, 16, 5_000, 33_250, 26_100),
        ("mmt_tiled", 50, 32, 5_000, 65_100, 57_350),
        ("mmt_stripe", 50, 8, 2_054, 10_491, 4_381),
        ("mmt_stripe", 50, 16, 2_054, 18_291, 12_181),
        ("mmt_stripe", 50, 32, 2_054, 35_100, 28_990),
        ("mmt_stripe", 77, 16, 7_440, 69_000, 45_220),
        # two at a time on the rungs, four for what is left over
        ("lesson_lost_last_tile", 64, 8, 7_168, 17_920, 7_168),
        ("lesson_lost_last_tile", 64, 16, 6_144, 52_224, 43_008),
        ("lesson_lost_last_tile", 64, 32, 4_096, 67_584, 61_440),
        ("lesson_lost_last_tile", 50, 8, 4_550, 10_496, 3_900),
        ("lesson_lost_last_tile", 50, 16, 5_000, 33_250, 26_100),
        ("lesson_lost_last_tile", 50, 32, 5_000, 65_100, 57_350),
        # both sides of a branch begin with the same load, which stands before it
        ("mmt_symmetric_diagonal", 64, 8, 2_304, 11_520, 4_608),
        ("mmt_symmetric_diagonal", 64, 16, 2_560, 23_040, 15_360),
        ("mmt_symmetric_diagonal", 50, 32, 3_072, 52_224, 43_008),
        # a condition for every product: warps at the edge execute the loads for no lane
        ("mmt_tiled_guard_inner", 50, 8, 10_976, 13_000, 3_900),
        ("mmt_tiled_guard_inner", 50, 16, 16_384, 36_250, 26_250),
    ],
)
def test_shared_reads(kernel: str, n: int, width: int, requests: int, wavefronts: int, conflicts: int) -> None:
    found = counted(kernel, n, width)
    assert [total(found, "shared", "read", what) for what in ("requests", "wavefronts", "excess_wavefronts")] == [
        requests,
        wavefronts,
        conflicts,
    ]


@pytest.mark.parametrize(
    ("kernel", "n", "width", "requests"),
    [
        ("mmt_tiled", 50, 8, 1_372),
        ("mmt_tiled", 50, 16, 1_024),
        ("mmt_tiled", 50, 32, 512),
        ("mmt_tiled_guard_inner", 50, 8, 1_372),
        ("mmt_tiled_guard_inner", 50, 32, 512),
        ("lesson_lost_last_tile", 64, 8, 2_048),
        ("lesson_lost_last_tile", 64, 32, 512),
        ("lesson_lost_last_tile", 50, 16, 1_024),
        # in a loop: some rungs have conditions, some branches
        ("mmt_stripe", 50, 8, 94),
        ("mmt_stripe", 50, 16, 196),
        ("mmt_stripe", 50, 32, 128),
        ("mmt_stripe", 77, 16, 196),
        ("mmt_stripe_transposed", 50, 8, 94),
        ("mmt_stripe_transposed", 50, 16, 196),
    ],
)
def test_shared_writes_are_executed_for_no_lane_too(kernel: str, n: int, width: int, requests: int) -> None:
    assert total(counted(kernel, n, width), "shared", "write", "requests") == requests


@pytest.mark.parametrize("block", ["128,1", "256,1"])
def test_a_load_of_the_remainder_is_executed_for_no_lane(block: str) -> None:
    """50 coordinates, 48 by fours: of two loads after the first one that remains, the second is never needed."""
    trace = catalogue("kmeans_assign_shared", "33x50x17", block)
    found = count_as_compiled(trace, compiled_instructions(trace, "sm_90").memory)
    assert total(found.arrays, "shared", "read", "requests") == 1_734


@pytest.mark.parametrize(("kernel", "conflicts"), [("mmt_stripe", 450), ("mmt_stripe_transposed", 0)])
def test_lanes_that_take_a_turn_more_than_others_load_and_store_by_themselves(kernel: str, conflicts: int) -> None:
    """50 rows by 16 lanes: two lanes take four turns at once, fourteen take three one by one."""
    found = counted(kernel, 50, 16)
    assert total(found, "global", "read", "requests") == 175
    assert total(found, "shared", "write", "excess_wavefronts") == conflicts
