"""Counts up to a frame: hand-computed cases, a reading of the trace with plain sets, and the end against `counts`.

The ends of all kernels but one of each kind are left to the exhaustive command.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import Frame, counts, play_order, playlist, touches
from kernels.analysis.metrics.counts import sum_counts
from kernels.analysis.metrics.memory_history import MemoryHistory
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, catalogue_launches, source, step_of, trace_of_launch
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.trace import Trace
    from kernels.workload import Size

CASES = Cases(__file__)


@pytest.mark.parametrize(("kernel", "size", "block"), catalogue_launches())
def test_the_end_has_the_counts_of_the_run(kernel: Kernel, size: Size, block: Dim3) -> None:
    trace = trace_of_launch(kernel, size, block)
    history, expected = MemoryHistory(play_order(trace)), counts(trace)
    assert history.totals(history.end).arrays == expected.arrays
    assert sum_counts(history.sites(history.end)) == (expected.arrays, expected.lines, expected.sites)
    assert history.issued(history.end) == expected.issued
    for line in history.lines(history.end):
        accesses = [c for c in expected.lines if c.line == line.line]
        assert line.executions == sum(i.warps for i in expected.issued if i.line == line.line)
        for name in ("requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"):
            assert getattr(line, name) == sum(getattr(c, name) for c in accesses)
    for array in {site.array for site in trace.sites}:
        assert history.reads(array, history.end).reads.tolist() == touches(trace, array, "read").tolist()


def plain_counts(trace: Trace, frame: Frame) -> Counter[str]:
    """Read what one frame shows, with sets: its requests, sectors, wavefronts and executions."""
    launch, found = trace.launch, Counter[str]()
    block, step = frame
    lanes = trace.lanes(step, block)
    found["executions"] += len({lane % launch.block.count // 32 for lane in lanes.tolist()})
    for group in trace.accesses(step, block):
        item = group.array.dtype.itemsize
        assert group.site.width * item <= 4
        of_warp: dict[int, set[int]] = {}
        for lane, index in zip(group.lanes.tolist(), group.index.tolist(), strict=True):
            warp = lane % launch.block.count // 32
            of_warp.setdefault(warp, set()).add(group.array.address + index * item)
            if group.site.access == "read" and group.array.space == "global":
                found[f"{group.array.name}[{index}]"] += 1
        for addresses in of_warp.values():
            found[f"{group.array.space} {group.site.access}"] += 1
            if group.array.space == "global":
                found["sectors"] += len({address // 32 for address in addresses})
            if group.array.space == "shared":
                banks = Counter(word % 32 for word in {address // 4 for address in addresses})
                found["wavefronts"] += max(banks.values())
    return found


@pytest.mark.parametrize("schedule", ["lockstep", "reversed", "shuffle:1"])
@pytest.mark.parametrize(("name", "size", "block"), CASES("counts_of_what_was_played"))
@pytest.mark.parametrize("table_bytes", [1 << 26, *exhaustive(1 << 9)])
def test_counts_of_what_was_played_against_a_reading_with_sets(
    name: str, size: str, block: str, schedule: str, table_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernels.analysis.metrics.memory_history._TURN_BYTES", table_bytes)
    trace = catalogue(name, size, block, schedule)
    history, plain = MemoryHistory(play_order(trace)), Counter[str]()
    frames = playlist(trace, "statement").frames
    looked_at = set(np.linspace(0, len(frames) - 1, 60).astype(int).tolist())
    for at, frame in enumerate(frames):
        plain += plain_counts(trace, frame)
        if at not in looked_at:
            continue
        found = history.totals(frame)
        assert found.global_loads == plain["global read"]
        assert found.requests("global", "write") == plain["global write"]
        assert found.requests("shared") == plain["shared read"] + plain["shared write"]
        assert (found.sectors, found.wavefronts) == (plain["sectors"], plain["wavefronts"])
        assert found.sector_bytes == 32 * plain["sectors"]
        lines = history.lines(frame)
        assert sum(line.executions for line in lines) == plain["executions"]
        assert sum(line.sectors for line in lines) == plain["sectors"]
        for number, info in enumerate(trace.arrays):
            if info.space == "global":
                reads = history.reads(number, frame).reads.reshape(-1).tolist()
                assert reads == [plain[f"{info.name}[{index}]"] for index in range(info.size)]


@pytest.mark.parametrize("name", ["mmt_stripe", "lesson_uncleared_target"])
def test_reversed_blocks_of_the_cases_above_take_turns(name: str) -> None:
    assert not play_order(catalogue(name, "", "", "reversed")).one_turn_each


def test_blocks_that_are_played_later_have_not_begun() -> None:
    trace = catalogue("matmul_naive", "8", "4,4")
    history = MemoryHistory(play_order(trace))
    step = trace.steps - 1
    # Each of four blocks reads 4 rows of 8 elements for each of 4 columns; one warp of 16 lanes, 16 loads.
    assert [history.totals(Frame(block, step)).global_loads for block in range(4)] == [16, 32, 48, 64]
    a = trace.array_number("A")
    first = history.reads(a, Frame(0, step))
    assert first.reads.tolist() == [[4] * 8] * 4 + [[0] * 8] * 4
    assert (first.total, first.elements, first.average, first.most) == (128, 32, 4.0, 4)
    assert history.reads(a, Frame(1, step)).reads.tolist() == [[8] * 8] * 4 + [[0] * 8] * 4
    assert history.reads(a, Frame(3, step)).average == 8
    assert history.totals(Frame(0, -1)).arrays == ()
    assert history.lines(Frame(0, -1)) == ()
    assert history.reads(a, Frame(0, -1)).average == 0


def test_tiles_read_each_element_less_often() -> None:
    """3×3 in tiles of 2×2: each element of A is read by 2 blocks; without tiles, by the 3 threads of its row."""
    reads = {}
    for name in ("matmul_tiled", "matmul_naive"):
        trace = catalogue(name, "3", "2,2")
        history = MemoryHistory(play_order(trace))
        reads[name] = [history.reads(trace.array_number(array), history.end).average for array in "AB"]
    assert reads == {"matmul_tiled": [2, 2], "matmul_naive": [3, 3]}


@pytest.mark.parametrize(("name", "size", "block", "flops"), CASES("floating_point_operations"))
def test_floating_point_operations(name: str, size: str, block: str, flops: int | None) -> None:
    trace = catalogue(name, size, block)
    history = MemoryHistory(play_order(trace))
    found = history.totals(history.end).flops
    assert found is not None
    if flops is not None:
        assert found == flops
    else:
        assert found >= 2 * 16**3


def test_arithmetic_intensity() -> None:
    """A tile of 16×16 loads each element once per block of 16×16 results, so that 2·16 FLOP share two floats."""
    trace = catalogue("matmul_tiled", "64", "16,16")
    history = MemoryHistory(play_order(trace))
    total = history.totals(history.end)
    assert total.flops == 2 * 64**3
    assert total.accessed_bytes == 4 * (2 * 64**3 // 16 + 64**2)
    assert total.sector_bytes == total.accessed_bytes  # every sector is used whole, once
    assert total.intensity == 2 * 64**3 / total.sector_bytes
    assert 3.5 < total.intensity < 4
    naive = MemoryHistory(play_order(catalogue("matmul_naive", "64", "16,16")))
    found = naive.totals(naive.end)
    # Per step of k a warp of two rows of 16 reads 2 sectors of A, one element of each row, and 2 of B.
    assert found.sectors == 64**3 // 32 * 4 + 64**2 // 8
    assert found.accessed_bytes == 4 * (2 * 64**3 + 64**2)


def test_operations_that_the_source_does_not_determine_are_unknown() -> None:
    text = "__global__ void k(float *a) { a[threadIdx.x] = sqrtf(a[threadIdx.x]) + 1; }"
    trace = source(text, "1", "32", "a=f32[32]:iota")
    history = MemoryHistory(play_order(trace))
    total = history.totals(history.end)
    assert (total.flops, total.intensity) == (None, None)
    assert total.sectors == 8


@pytest.mark.parametrize(("statement", "flops"), CASES("operations_of_a_statement"))
def test_operations_of_a_statement(statement: str, flops: int) -> None:
    text = f"__global__ void k(float *a, float x, int n) {{ int i = threadIdx.x; {statement} }}"
    trace = source(text, "1", "8", "a=f32[8]:iota", "x=1.5", "n=3")
    history = MemoryHistory(play_order(trace))
    assert history.totals(history.end).flops == 8 * flops


@pytest.mark.parametrize("statement", ["a[i] = i < 4 ? x + 1 : x;", "a[i] = i < 4 && x * 2 > 1;"])
def test_operations_of_some_lanes_are_unknown(statement: str) -> None:
    text = f"__global__ void k(float *a, float x) {{ int i = threadIdx.x; {statement} }}"
    trace = source(text, "1", "8", "a=f32[8]:iota", "x=1.5")
    history = MemoryHistory(play_order(trace))
    assert history.totals(history.end).flops is None


def test_reads_between_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernels.analysis.metrics.memory_history._CHECKPOINT", 50)
    trace = catalogue("matmul_naive", "9,10,7", "4,4")
    history, b = MemoryHistory(play_order(trace)), trace.array_number("B")
    expected = np.zeros(trace.arrays[b].shape, np.int64)
    for block, step in playlist(trace, "statement").frames:
        for group in trace.accesses(step, block):
            if group.site.array == b:
                np.add.at(expected.reshape(-1), group.elements, 1)
        assert history.reads(b, Frame(block, step)).reads.tolist() == expected.tolist()


def test_gutter_of_the_two_naive_kernels() -> None:
    """One warp, 32 steps of k: coalesced and broadcast 4 + 1 sectors each, against 32 + 1."""
    found = {}
    for name in ("matmul_naive", "matmul_naive_row_x"):
        trace = catalogue(name, "32", "32,32")
        history = MemoryHistory(play_order(trace))
        step = step_of(trace, "sum +=")
        line = trace.statement(step).span.line
        first, whole = (
            next(count for count in history.lines(moment) if count.line == line)
            for moment in (Frame(0, step), history.end)
        )
        found[name] = first.executions, first.requests, first.sectors, whole.executions, whole.sectors
    # 32 warps execute the line in each of 32 steps.
    assert found["matmul_naive"] == (32, 64, 32 * 5, 32 * 32, 32 * 32 * 5)
    assert found["matmul_naive_row_x"] == (32, 64, 32 * 33, 32 * 32, 32 * 32 * 33)
