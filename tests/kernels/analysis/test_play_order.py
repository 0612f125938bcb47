"""The order in which a run is played is itself an execution of the launch, and the playlists are its steps."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.analysis import Frame, frame_count, play_order, playlist
from kernels.analysis.order.playlist import playlist_of_warp
from kernels.cli import main
from kernels.narration.narrate import describe
from kernels.trace.file import load
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source
from tests.kernels.hazards.corpus import cases
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.trace import Trace
    from tests.kernels.hazards.corpus import Case

CASES = Cases(__file__)

LAST_PAIRS = 60
"""Of a long run, looked at one by one."""

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:3")

TOTAL = "__global__ void total(int *sum) { atomicAdd(sum, threadIdx.x + 1); sum[1] = sum[0]; }"
LOST = "__global__ void lost(int *a) { a[0] = a[0] + 1; }"


def every_pair(trace: Trace) -> list[tuple[int, int]]:
    return [(frame.block, frame.step) for frame in playlist(trace, "statement").frames]


def sharing(schedule: str) -> dict[str, Trace]:
    return {
        "stripes": catalogue("mmt_stripe", "", "", schedule),
        "uncleared": catalogue("lesson_uncleared_target", "", "", schedule),
        "no guard": catalogue("lesson_missing_guard", "", "", schedule),
        "no guard, two warps": catalogue("lesson_missing_guard", "9", "8,8", schedule),
        "turns": source(
            CASES.source("takes_turns"), "2", "1", "flag=i32[1]:zeros", "out=i32[8]:uninit", "n=3", schedule=schedule
        ),
        "total": source(TOTAL, "3", "64", "sum=i32[2]:zeros", schedule=schedule),
        "lost updates": source(LOST, "3", "2", "a=i32[1]:zeros", schedule=schedule),
        "neighbours": source(CASES.source("neighbour"), "3", "64", "a=i32[193]:zeros", "n=192", schedule=schedule),
    }


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_contents_never_run_backwards_and_end_as_the_run(schedule: str) -> None:
    for name, trace in sharing(schedule).items():
        order = play_order(trace)
        written = {site.array for site in trace.sites if site.access != "read"}
        for array in (n for n in written if trace.arrays[n].space == "global"):
            known = [order.contents(array, block, step)[1] for block, step in every_pair(trace)]
            assert all((after >= before).all() for before, after in pairwise(known)), name
            last = every_pair(trace)[-1]
            values, seen = order.contents(array, *last)
            expected, all_seen = trace.contents(array, trace.steps)
            np.testing.assert_array_equal(seen, all_seen, name)
            np.testing.assert_array_equal(values, expected, name)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_only_the_block_that_is_shown_changes_memory(schedule: str) -> None:
    for name, trace in sharing(schedule).items():
        order = play_order(trace)
        for array, info in enumerate(trace.arrays):
            if info.space != "global":
                continue
            before = trace.contents(array, -1)[0]
            for block, step in every_pair(trace):
                groups = [g for g in trace.accesses(step, block) if g.site.array == array and g.values is not None]
                wrote = np.zeros(info.size, bool)
                for group in groups:
                    inside = (group.elements >= 0) & (group.elements < info.size)
                    wrote[group.elements[inside]] = True
                after = order.contents(array, block, step)[0]
                changed = ~np.isclose(before, after, rtol=0, atol=0, equal_nan=True).reshape(-1)
                assert not (changed & ~wrote).any(), (name, block, step)
                before = after


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_pair_is_played_once_and_blocks_keep_their_order(schedule: str) -> None:
    for name, trace in sharing(schedule).items():
        pairs = every_pair(trace)
        assert len(set(pairs)) == len(pairs), name
        for block in range(trace.launch.grid.count):
            assert [step for b, step in pairs if b == block] == trace.block_steps(block).tolist(), name
        order = play_order(trace)
        blocks, steps = (np.array(column) for column in zip(*pairs, strict=True))
        for at, (block, step) in enumerate(pairs):
            played = order.happened(blocks, steps, block, step)
            assert played.tolist() == [n <= at for n in range(len(pairs))], name


@pytest.mark.parametrize("name", ["mmt_stripe", "lesson_uncleared_target", "lesson_missing_guard", "matmul_tiled"])
def test_blocks_are_played_one_after_another_where_that_gives_the_same_values(name: str) -> None:
    trace = catalogue(name)
    blocks = [block for block, _ in every_pair(trace)]
    assert blocks == sorted(blocks)


def test_blocks_that_wait_for_each_other_take_turns() -> None:
    trace = sharing("lockstep")["turns"]
    stores = [pair for pair in every_pair(trace) if trace.statement(pair[1]).text.startswith("out[")]
    assert [block for block, _ in stores] == [0, 1, 0, 1, 0, 1]


def test_phases_are_not_marked_again_where_a_block_continues() -> None:
    trace = source(
        "__global__ void k(int *a) { __shared__ int s; for (int p = 0; p < 2; ++p) {\n"
        "s = p; a[0] += s;\n__syncthreads();\n} }",
        "2",
        "1",
        "a=i32[1]:zeros",
    )
    shown = playlist(trace, "statement")
    assert len(shown.turn_starts) > 2
    assert len(shown.phase_starts) == 4


@pytest.mark.parametrize(
    ("case", "schedule"),
    in_turn(cases()[::3], SCHEDULES, lambda case: case.name, plain=lambda case: case in cases()[::12]),
)
def test_the_corpus_is_played_as_executions(case: Case, schedule: str, tmp_path: Path) -> None:
    file = tmp_path / "run.trace"
    CliRunner().invoke(main, ["trace", str(case.file), *case.words, "--schedule", schedule, "--out", str(file)])
    if not file.exists():
        return  # stopped before the first step
    trace = load(file)
    order, pairs = play_order(trace), every_pair(trace)
    for array in (n for n, info in enumerate(trace.arrays) if info.space == "global" and pairs):
        for before, after in pairwise(pairs[-LAST_PAIRS:]):
            wrote = {int(e) for g in trace.accesses(after[1], after[0]) if g.site.array == array for e in g.elements}
            old, new = (order.contents(array, *pair)[0].reshape(-1) for pair in (before, after))
            bits = f"V{old.itemsize}"  # also of a NaN
            assert set(np.flatnonzero(old.view(bits) != new.view(bits)).tolist()) <= wrote
        values, written = order.contents(array, *pairs[-1])
        expected, all_written = trace.contents(array, trace.steps)
        assert values.tobytes() == expected.tobytes()
        np.testing.assert_array_equal(written, all_written)


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
