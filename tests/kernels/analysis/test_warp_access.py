"""Accesses of single warps: hand-computed cases, a reading of the trace with plain sets, and sums against `counts`.

The sums of all kernels but one of each kind are left to the exhaustive command.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.analysis import counts
from kernels.analysis.metrics.warp_access import warp_accesses, warps_in
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, catalogue_launches, source, step_of, trace_of_launch

if TYPE_CHECKING:
    from kernels.analysis.metrics.warp_access import WarpAccess
    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.trace import Trace
    from kernels.workload import Size

CASES = Cases(__file__)

NUMBERS = (
    "accesses",
    "bytes",
    "sectors",
    "ideal_sectors",
    "used_bytes",
    "wavefronts",
    "ideal_wavefronts",
    "contention",
)


def of_array(trace: Trace, step: int, name: str, warp: int = 0) -> WarpAccess:
    return next(found for found in warp_accesses(trace, step, warp) if found.array.name == name)


@pytest.mark.parametrize(
    ("kernel", "array", "sectors", "ideal", "used", "lines"), CASES("a_coalesced_and_a_scattered_load")
)
def test_a_coalesced_and_a_scattered_load(
    kernel: str, array: str, sectors: int, ideal: int, used: int, lines: int
) -> None:
    trace = catalogue(kernel, "32", "32,32")
    found = of_array(trace, step_of(trace, "sum +="), array)
    (request,) = found.requests
    assert (found.sectors, found.ideal_sectors, found.used_bytes) == (sectors, ideal, used)
    assert found.efficiency == used / (32 * sectors)
    assert request.lanes.tolist() == list(range(32))
    assert len(set(request.lane_sectors.tolist())) == sectors
    assert len(set(request.lane_lines.tolist())) == lines
    assert (found.wavefronts, request.banks) == (0, None)


def test_lanes_have_byte_addresses() -> None:
    trace = catalogue("matmul_naive_row_x", "32", "32,32")
    a = trace.arrays[trace.array_number("A")]
    (request,) = of_array(trace, step_of(trace, "sum +="), "A").requests
    assert (request.addresses - a.address).tolist() == [row * 32 * 4 for row in range(32)]
    assert request.size == 4


@pytest.mark.parametrize(
    ("kernel", "wavefronts", "colliding"),
    [
        ("matmul_tiled_transposed", 32, ((0, tuple(range(32))),)),  # Bs[tx][k]: every lane in the bank of column k
        ("matmul_tiled_padded", 1, ()),
    ],
)
def test_a_transposed_tile_and_its_padded_twin(kernel: str, wavefronts: int, colliding: tuple[Any, ...]) -> None:
    trace = catalogue(kernel, "32", "32,32")
    found = of_array(trace, step_of(trace, "sum +="), "Bs")
    (request,) = found.requests
    assert (found.wavefronts, found.ideal_wavefronts) == (wavefronts, 1)
    assert found.efficiency == 1 / wavefronts
    assert request.banks is not None
    assert request.banks.conflict == wavefronts
    # Bs begins after As, 4096 bytes, at bank 0; k is 0 in the first execution.
    assert request.banks.colliding == colliding
    assert len(set(request.banks.bank.tolist())) == (1 if colliding else 32)
    assert (found.sectors, found.ideal_sectors) == (0, 0)


def test_a_wide_access_is_served_in_passes() -> None:
    text = "__global__ void k() { __shared__ float4 s[64]; s[threadIdx.x * 2] = make_float4(0, 0, 0, 0); }"
    trace = source(text, "1", "32")
    (found,) = warp_accesses(trace, 0, 0)
    (request,) = found.requests
    # Eight lanes of 32 bytes cover 64 words, of which every second four are accessed: two words in 16 banks.
    assert (found.wavefronts, found.ideal_wavefronts) == (8, 4)
    assert request.banks is not None
    assert request.banks.ways.shape == (4, 32)
    assert request.banks.ways.max(axis=1).tolist() == [2, 2, 2, 2]
    assert request.banks.part.tolist() == [lane // 8 for lane in range(32) for _ in range(4)]
    assert request.banks.colliding[0] == (0, (0, 4))


def test_a_branch_leaves_lanes_out_and_a_block_its_last_warp_short() -> None:
    text = "__global__ void k(float *a) { if (threadIdx.x % 2) a[threadIdx.x] = 1; }"
    trace = source(text, "2", "40", "a=f32[40]:zeros")
    step = step_of(trace, "a[")
    assert warps_in(trace, step) == (0, 1, 2, 3)
    assert (warps_in(trace, step, 0), warps_in(trace, step, 1)) == ((0, 1), (2, 3))
    (whole,), (short,) = warp_accesses(trace, step, 2), warp_accesses(trace, step, 3)
    assert whole.requests[0].lanes.tolist() == list(range(1, 32, 2))
    assert short.requests[0].lanes.tolist() == [1, 3, 5, 7]
    # 16 elements need 64 bytes, 2 sectors, and are spread over 128.
    assert (whole.sectors, whole.ideal_sectors) == (4, 2)
    assert (short.sectors, short.ideal_sectors) == (1, 1)


def test_contention_of_an_atomic() -> None:
    text = "__global__ void k(int *a) { atomicAdd(&a[threadIdx.x / 8], 1); }"
    trace = source(text, "1", "64", "a=i32[8]:zeros")
    assert [warp_accesses(trace, 0, warp)[0].contention for warp in warps_in(trace, 0)] == [8, 8]


def read_with_sets(trace: Trace, step: int) -> dict[tuple[Any, ...], list[int]]:
    """By warp, span, array and access, of at most 4 bytes per lane: accesses, sectors, ideal, bytes, wavefronts."""
    launch = trace.launch
    found: dict[tuple[Any, ...], list[int]] = {}
    for group in trace.accesses(step):
        item = group.array.dtype.itemsize
        size = group.site.width * item
        of_warp: dict[int, list[int]] = {}
        for lane, index in zip(group.lanes.tolist(), group.index.tolist(), strict=True) if size <= 4 else ():
            block, thread = divmod(lane, launch.block.count)
            warp = block * launch.warps_per_block + thread // 32
            of_warp.setdefault(warp, []).append(group.array.address + index * item)
        for warp, addresses in of_warp.items():
            row = found.setdefault((warp, group.site.span, group.array.name, group.site.access), [0, 0, 0, 0, 0])
            row[0] += len(addresses)
            if group.array.space == "global":
                row[1] += len({address // 32 for address in addresses})
                row[2] += (len(set(addresses)) * size + 31) // 32
                row[3] += len({address + byte for address in addresses for byte in range(size)})
            if group.array.space == "shared":
                row[4] += max(Counter(word % 32 for word in {address // 4 for address in addresses}).values())
    return found


@pytest.mark.parametrize(("kernel", "size", "block"), catalogue_launches())
def test_warps_add_up_to_the_counts_of_the_run(kernel: Kernel, size: Size, block: Dim3) -> None:
    trace = trace_of_launch(kernel, size, block)
    found: dict[tuple[Any, ...], list[int]] = {}
    for step in np.unique(trace.group_step).tolist():
        plain = read_with_sets(trace, step)
        for warp in warps_in(trace, step):
            for access in warp_accesses(trace, step, warp):
                span, name, kind = access.site.span, access.array.name, access.site.access
                row = found.setdefault((span.line, span.column, name, kind), [0] * (1 + len(NUMBERS)))
                row[0] += len(access.requests)
                for at, number in enumerate(NUMBERS, 1):
                    row[at] += getattr(access, number)
                by_set = plain.pop((warp, span, name, kind), None)
                if by_set is not None:
                    moved = access.sectors, access.ideal_sectors, access.used_bytes
                    assert [access.accesses, *moved, access.wavefronts] == by_set
        assert not plain
    assert found == {
        (c.line, c.column, c.array, c.access): [c.requests, *(getattr(c, name) for name in NUMBERS)]
        for c in counts(trace).sites
    }
