from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.analysis import MemoryCount, counts, element_counts, touches
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source

if TYPE_CHECKING:
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
