"""Counts as written: sectors, passes and wavefronts of single requests, executions of lines, and their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import MemoryCount, counts, playlist, touches
from kernels.analysis.metrics import element_counts
from kernels.analysis.metrics.collisions import colliding_atomics
from kernels.analysis.metrics.requests import NO_ADDRESS, Requests, contention, requests_of, sectors, wavefronts
from kernels.analysis.metrics.warp_access import warp_accesses, warps_in
from kernels.analysis.order.divergence import next_execution
from kernels.analysis.syntax.inline_ptx import instruction_names
from kernels.catalog import find_kernel
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source
from tests.kernels.trace.wide_traces import vector_copy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.trace import Trace

CASES = Cases(__file__)


def total(trace: Trace, space: str, access: str) -> tuple[int, int]:
    """Requests and sectors of all arrays of a space."""
    found = [c for c in counts(trace).arrays if (c.space, c.access) == (space, access)]
    return sum(c.requests for c in found), sum(c.sectors for c in found)


@pytest.mark.parametrize(
    ("name", "requests", "sectors"), [("matmul_naive", 16_384, 32_768), ("matmul_tiled", 1_024, 4_096)]
)
def test_global_loads_equal_what_nsight_compute_counted(name: str, requests: int, sectors: int) -> None:
    assert total(catalogue(name, "64", "16,16"), "global", "read") == (requests, sectors)


def only(trace: Trace, access: str = "read") -> MemoryCount:
    return next(c for c in counts(trace).arrays if c.access == access)


READ = "__global__ void k(const float *a) {{ float x = a[{}]; }}"


@pytest.mark.parametrize(("index", "sectors", "ideal", "used"), CASES("sectors_of_one_request"))
def test_sectors_of_one_request(index: str, sectors: int, ideal: int, used: int) -> None:
    found = only(source(READ.format(index), "1", "32", "a=f32[256]:iota"))
    assert (found.requests, found.sectors, found.ideal_sectors, found.used_bytes) == (1, sectors, ideal, used)
    assert found.efficiency == used / (32 * sectors)


def test_efficiency_is_bytes_used_of_bytes_moved() -> None:
    found = only(source(READ.format("threadIdx.x / 8 * 8"), "1", "32", "a=f32[256]:iota"))
    assert found.efficiency == 0.125  # 16 of 128 bytes, though one sector would hold them
    found = only(source(SHARED.format("float", "threadIdx.x * 2"), "1", "32"), "write")
    assert (found.used_bytes, found.efficiency) == (0, 0.5)  # one wavefront would do instead of two


SHARED = "__global__ void k() {{ __shared__ {0} s[1024]; s[{1}] = 1; }}"


@pytest.mark.parametrize(("kind", "index", "wavefronts", "ideal"), CASES("wavefronts_of_one_request"))
def test_wavefronts_of_one_request(kind: str, index: str, wavefronts: int, ideal: int) -> None:
    found = only(source(SHARED.format(kind, index), "1", "32"), "write")
    assert (found.wavefronts, found.ideal_wavefronts) == (wavefronts, ideal)
    assert found.excess_wavefronts == wavefronts - ideal


def test_warps_do_not_reach_across_blocks_or_rows_of_a_request() -> None:
    found = only(source(READ.format("blockIdx.x * 40 + threadIdx.x"), "2", "40", "a=f32[80]:iota"))
    assert found.requests == 4


def test_lines_add_up_to_arrays() -> None:
    found = counts(catalogue("mmt_symmetric", "8", "4,4"))
    for array in found.arrays:
        lines = [c for c in found.lines if (c.array, c.access) == (array.array, array.access)]
        assert sum(c.requests for c in lines) == array.requests
        assert sum(c.sectors for c in lines) == array.sectors
    assert len([c for c in found.lines if c.array == "M"]) == 2


def test_reuse_is_accesses_over_different_elements() -> None:
    naive, tiled = (counts(catalogue(name, "16", "8,8")).reuse for name in ("matmul_naive", "matmul_tiled"))
    assert next(r.per_element for r in naive if r.array == "A") == 16
    assert next(r.per_element for r in tiled if r.array == "A") == 2  # fewer by the width of the tile
    assert touches(catalogue("matmul_naive", "16", "8,8"), 0).tolist() == [[16] * 16] * 16


def test_large_arrays_use_a_sorted_set_of_elements(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = {name: counts(catalogue(name, "16", "8,8")).reuse for name in ("matmul_tiled", "mmt_symmetric")}
    monkeypatch.setattr(element_counts, "_MOST_FLAGS", 0)
    assert found == {name: counts(catalogue(name, "16", "8,8")).reuse for name in found}


def test_divergence_is_active_lanes_a_warp() -> None:
    text = "__global__ void k(int *a) {\nif (threadIdx.x < 8)\na[threadIdx.x] = 1;\n}"
    issued = counts(source(text, "2", "64", "a=i32[8]:uninit")).issued
    assert [(i.line, i.warps, i.active_lanes) for i in issued] == [(2, 4, 32.0), (3, 2, 8.0)]


def test_contention_of_atomics() -> None:
    text = "__global__ void k(int *a) { atomicAdd(&a[threadIdx.x / 8], 1); }"
    found = only(source(text, "1", "64", "a=i32[8]:zeros"), "atomic")
    assert (found.requests, found.contention) == (2, 16)


def test_a_trace_without_accesses_has_no_counts() -> None:
    assert counts(catalogue("hello_grid")).arrays == ()


def request(size: int, address: Callable[[int], int | None], *, stores: bool = False) -> Requests:
    """One request of one warp, given the byte address of every lane; None for a lane that takes no part."""
    row = [NO_ADDRESS if (at := address(lane)) is None else at for lane in range(32)]
    return Requests(size, np.zeros(1, np.int32), np.zeros(1, np.int64), np.array([row]), stores)


@pytest.mark.parametrize(
    ("size", "address", "waves", "ideal"),
    [
        # 4 bytes and fewer: one pass
        (4, lambda n: 4 * n, 1, 1),
        (4, lambda n: 8 * n, 2, 1),
        (4, lambda n: 128 * n, 32, 1),
        (4, lambda n: 64, 1, 1),
        (2, lambda n: 2 * n, 1, 1),
        (1, lambda n: 128 * n if n < 5 else None, 5, 1),
        # 8 bytes: half a warp at a time
        (8, lambda n: 8 * n, 2, 2),
        (8, lambda n: 16 * n, 4, 2),
        (8, lambda n: 128 * n, 32, 2),
        (8, lambda n: 8 * n if n < 16 else None, 1, 1),
        (8, lambda n: 8 * (n % 16), 2, 2),  # the halves read the same, but no two neighbours do
        (8, lambda n: 8 * (n // 2), 1, 1),  # lane ^ 1 reads the same: the halves go together
        (8, lambda n: 8 * (n % 2 + n // 4 * 2), 1, 1),  # lane ^ 2 does
        (8, lambda n: 8 * (n // 4 * 2 + (n + 1) // 2 % 2), 2, 2),  # lanes 1 and 2, 0 and 3 do: neither
        (8, lambda n: 0, 1, 1),
        (8, lambda n: 0 if n < 16 else 1024, 2, 1),  # together, and in conflict
        (8, lambda n: 8 * (n // 2) if n % 2 else None, 1, 1),  # lane ^ 1 takes no part
        # 16 bytes: a quarter at a time, the quarters of a half may go together
        (16, lambda n: 16 * n, 4, 4),
        (16, lambda n: 0, 2, 2),
        (16, lambda n: 64 * (n // 16), 2, 2),  # one word a half: As[ty][k … k + 3] of a 16×16 tile
        (16, lambda n: 64 * (n % 16), 16, 4),  # rows of a 16×16 tile: eight rows conflict by four, four times
        (16, lambda n: 16 * (n // 2), 2, 2),
        (16, lambda n: 16 * (n % 8), 4, 4),  # the quarters read the same, but no two neighbours do
        (16, lambda n: 128 * n, 32, 4),
        (16, lambda n: 16 * n if n < 8 else None, 1, 1),
        (
            16,
            lambda n: 16 * (n // 21),
            4,
            4,
        ),  # two words, an odd number of lanes each: as measured in mmt_stripe
        (
            16,
            lambda n: 16 * (n // 2) if n < 16 else 16 * n,
            4,
            4,
        ),  # all lanes of a warp have to, not those of a half
    ],
)
def test_wavefronts(size: int, address: Callable[[int], int | None], waves: int, ideal: int) -> None:
    assert wavefronts(request(size, address)) == (waves, ideal)


def pairs(width: int, active: Callable[[int], bool]) -> Callable[[int], int | None]:
    """Addresses of which lane and lane ^ 1 have the same."""
    return lambda lane: width * (lane // 2) if active(lane) else None


@pytest.mark.parametrize(
    ("active", "loads_8", "stores_8", "loads_16", "stores_16"),
    [
        (lambda n: True, 1, 2, 2, 4),
        (lambda n: n < 31, 1, 2, 2, 4),
        (lambda n: n > 0, 1, 2, 2, 4),
        (lambda n: n % 2 == 0, 1, 2, 2, 4),
        (lambda n: n % 2 == 1, 1, 2, 2, 4),
        (lambda n: n % 4 == 0, 1, 2, 2, 4),
        (lambda n: n % 4 in (0, 3), 1, 2, 2, 4),
        (lambda n: n < 25, 1, 2, 2, 4),
        (lambda n: n < 24, 1, 2, 2, 3),
        (lambda n: n < 17, 1, 2, 2, 3),
        (lambda n: n < 16, 1, 1, 1, 2),
        (lambda n: n < 9, 1, 1, 1, 2),
        (lambda n: n < 8, 1, 1, 1, 1),
        (lambda n: n == 9, 1, 1, 1, 1),
    ],
)
def test_an_inactive_lane_agrees_with_any_address_and_stores_are_not_merged(
    active: Callable[[int], bool], loads_8: int, stores_8: int, loads_16: int, stores_16: int
) -> None:
    """What an H200's data pipe counts (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum` and `…_st.sum`)."""
    expected = {(8, False): loads_8, (8, True): stores_8, (16, False): loads_16, (16, True): stores_16}
    for (width, stores), waves in expected.items():
        found = request(width, pairs(width, active), stores=stores)
        assert wavefronts(found)[0] == waves, (width, stores)


@pytest.mark.parametrize(
    ("size", "address", "touched", "ideal", "used"),
    [
        (4, lambda n: 4 * n, 4, 4, 128),
        (4, lambda n: 4 * n + 4, 5, 4, 128),
        (4, lambda n: 32 * n, 32, 4, 128),
        (8, lambda n: 8 * n, 8, 8, 256),
        (16, lambda n: 16 * n, 16, 16, 512),
        (16, lambda n: 0, 1, 1, 16),
        (16, lambda n: 256 * n if n < 3 else None, 3, 2, 48),
        (4, lambda n: -4 - 4 * n, 4, 4, 128),  # before the array's begin is an address too
    ],
)
def test_sectors(size: int, address: Callable[[int], int | None], touched: int, ideal: int, used: int) -> None:
    assert sectors(request(size, address)) == (touched, ideal, used)


@pytest.mark.parametrize(
    ("address", "most"),
    [
        (lambda n: 4 * n, 1),
        (lambda n: 0, 32),
        (lambda n: 4 * (n // 8), 8),
        (lambda n: 0 if n % 2 else None, 16),
    ],
)
def test_contention(address: Callable[[int], int | None], most: int) -> None:
    assert contention(request(4, address)) == most


def test_a_vector_access_is_one_request_of_its_size() -> None:
    trace = vector_copy()
    read = requests_of(trace, next(n for n, site in enumerate(trace.sites) if site.access == "read"))
    assert (read.size, len(read)) == (16, 2)
    assert read.warp.tolist() == [0, 1]
    assert (read.address[0, :8] - trace.arrays[trace.array_number("A")].address).tolist() == [16 * n for n in range(8)]
    assert (read.address[:, 8:] == NO_ADDRESS).all()


@pytest.mark.parametrize("name", ["kmeans_update_atomic", "kmeans_update_privatized", "kmeans_update_warp"])
def test_collisions_are_the_contention_of_each_request(name: str) -> None:
    kernel = find_kernel(name)
    trace = trace_kernel(kernel, Size(70, 2, 3), kernel.blocks[0])
    seen = 0
    for step in range(trace.steps):
        for warp in warps_in(trace, step):
            found = [c for c in colliding_atomics(trace, step, warp // trace.launch.warps_per_block) if c.warp == warp]
            for access in warp_accesses(trace, step, warp):
                own = [len(c.lanes) for c in found if c.site == access.site]
                if access.site.access == "atomic":
                    assert max(own, default=1) == max(request.contention for request in access.requests)
                seen += len(own)
    assert (seen > 0) == (name != "kmeans_update_warp")  # one lane of each label adds


@pytest.mark.parametrize("detail", ["memory", "statement"])
def test_every_execution_of_a_line_is_met_in_order_and_the_first_again(detail: str) -> None:
    trace = catalogue("matmul_tiled")
    frames = playlist(trace, "memory" if detail == "memory" else "statement")
    line = next(s.span.line for s in trace.statements if s.text.startswith("sum +="))
    positions = [
        position for position, frame in enumerate(frames.frames) if trace.statement(frame.step).span.line == line
    ]
    assert len(positions) > 3
    met = [next_execution(trace, frames, -1, line)]
    for _ in positions:
        met.append(next_execution(trace, frames, met[-1] or 0, line))
    assert met == [*positions, positions[0]]


def test_a_line_without_frames_has_no_execution() -> None:
    trace = catalogue("matmul_tiled")
    line = next(s.span.line for s in trace.statements if s.text.startswith("int tx"))
    assert next_execution(trace, playlist(trace, "memory"), 0, line) is None
    assert next_execution(trace, playlist(trace, "statement"), 0, line) is not None
    assert next_execution(trace, playlist(trace, "statement"), 0, 1) is None


@pytest.mark.parametrize(("template", "names"), CASES("instructions_are_named_once", tuples=True))
def test_instructions_are_named_once_without_labels_guards_and_declarations(
    template: str, names: tuple[str, ...]
) -> None:
    assert instruction_names(template) == names
