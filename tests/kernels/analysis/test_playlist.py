from __future__ import annotations

import pytest

from kernels.analysis import Frame, frame_count, playlist
from kernels.analysis.playlist import playlist_of_warp
from kernels.narration.narrate import describe
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source

CASES = Cases(__file__)


@pytest.mark.parametrize("detail", ["memory", "statement"])
@pytest.mark.parametrize("name", ["hello_grid", "index_map", "matmul_naive", "matmul_tiled", "mmt_symmetric"])
def test_frames_show_every_block_in_order_with_its_own_steps(name: str, detail: str) -> None:
    trace = catalogue(name)
    frames = list(playlist(trace, "memory" if detail == "memory" else "statement").frames)
    assert len(frames) == frame_count(trace) or (detail == "memory" and len(frames) < frame_count(trace))
    assert frames == sorted(frames)
    assert {frame.block for frame in frames} == set(range(trace.launch.grid.count))
    for block in range(trace.launch.grid.count):
        own = [frame.step for frame in frames if frame.block == block]
        every = trace.block_steps(block).tolist()
        assert own == every if detail == "statement" else set(own) <= set(every)


def test_memory_detail_keeps_accesses_and_barriers() -> None:
    trace = catalogue("matmul_tiled")
    kept = {trace.statement(frame.step).text.split("(")[0] for frame in playlist(trace, "memory").frames}
    assert kept == {
        "As[ty][tx] = ",
        "Bs[ty][tx] = ",
        "__syncthreads",
        "sum += As[ty][k] * Bs[k][tx];",
        "C[row * N + col] = sum;",
    }


def test_a_block_that_returns_at_once_is_still_seen() -> None:
    trace = catalogue("mmt_symmetric")
    alone = [frame for frame in playlist(trace, "memory").frames if frame.block == 1]
    assert [trace.statement(frame.step).text for frame in alone] == ["return;"]


def test_a_block_without_accesses_is_shown_at_its_last_step() -> None:
    trace = source(
        "__global__ void k(int *a, int n) { int i = blockIdx.x * 2 + threadIdx.x; if (i < n) a[i] = i; }",
        "3",
        "2",
        "a=i32[2]:uninit",
        "n=2",
    )
    frames = list(playlist(trace, "memory").frames)
    assert [(f.block, trace.statement(f.step).text) for f in frames] == [
        (0, "a[i] = i;"),
        (1, "if (i < n)"),
        (2, "if (i < n)"),
    ]


def test_marks_point_at_frames() -> None:
    trace = catalogue("matmul_tiled")
    shown = playlist(trace, "memory")
    assert shown.turn_starts.tolist() == [0, 13, 26, 39]
    assert shown.phase_starts.tolist() == [0, 6, 13, 19, 26, 32, 39, 45]
    assert all(trace.statement(shown.frames[at].step).kind == "barrier" for at in shown.barriers.tolist())
    assert len(shown.barriers) == 4 * 4
    assert not len(shown.hazards)


def test_a_hazard_is_marked_in_the_block_of_its_access() -> None:
    trace = source("__global__ void k(int *a) { a[blockIdx.x * 2 + threadIdx.x] = 1; }", "3", "2", "a=i32[5]:uninit")
    shown = playlist(trace, "memory")
    assert [shown.frames[at].block for at in shown.hazards.tolist()] == [2]


def test_races_reported_together_are_each_marked() -> None:
    trace = source(
        "__global__ void k(int *a) { __shared__ int s[2][64]; int t = threadIdx.x; s[0][t] = t;\ns[1][t] = t;\n"
        "a[t] = s[0][63 - t];\na[t] += s[1][63 - t]; }",
        "1",
        "64",
        "a=i32[64]:uninit",
    )
    (hazard,) = trace.hazards
    assert len(hazard.others) == 1
    assert len(playlist(trace, "memory").hazards) == 2


def test_position_finds_a_step_or_the_next_that_is_shown() -> None:
    shown = playlist(catalogue("matmul_tiled"), "memory")
    first, second = shown.frames[0], shown.frames[1]
    assert shown.position(first.block, first.step) == 0
    assert shown.position(0, 0) == 0
    assert shown.position(second.block, second.step) == 1
    assert shown.position(0, 10_000) == 12
    assert shown.position(99, 0) is None


def test_frames_are_a_sequence() -> None:
    frames = playlist(catalogue("hello_grid"), "statement").frames
    assert frames[0] == Frame(0, 0)
    assert list(frames[1:3]) == [Frame(1, 0), Frame(2, 0)]
    assert frames[-1] == Frame(3, 0)


@pytest.mark.parametrize("schedule", ["warps", "reversed", "shuffle:3"])
def test_every_schedule_can_be_watched(schedule: str) -> None:
    trace = catalogue("matmul_tiled", "9", "8,8", schedule)
    for frame in playlist(trace, "statement").frames[::7]:
        assert describe(trace, frame.step, frame.block).text


def test_the_frames_of_one_warp() -> None:
    trace = source(CASES.source("two_warps"), "2", "40", "A=f32[40]:zeros", schedule="warps")
    whole = playlist(trace, "statement")
    parts = [playlist_of_warp(trace, whole, warp) for warp in (0, 1)]
    for warp, part in enumerate(parts):
        lanes = [trace.lanes(frame.step, frame.block) % 40 // 32 for frame in part.frames]
        assert all((numbers == warp).any() for numbers in lanes)
        assert [frame.block for frame in part.frames] == sorted(frame.block for frame in part.frames)
        texts = [trace.statement(part.frames[at].step).kind for at in part.barriers.tolist()]
        assert texts == ["barrier"] * 2
        assert part.turn_starts.tolist() == [0, len(part) // 2]
    assert sum(map(len, parts)) == len(whole)
    assert len(parts[0]) > len(parts[1])  # only warp 0 stores
