"""The memory row of a frame: the warp that is shown, its strips of memory and banks, totals, and the gutter."""

import numpy as np
import pytest

from gui.explore.memory.row import AccessRow, MemoryRow, build_memory_row, fitting_facts
from gui.explore.stage.focus import Focus
from gui.explore.stage.stage import Stage
from kernels.analysis import Frame, counts, playlist
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.kernels.analysis.traces import catalogue, source


def row_on(found: Stage, text: str, focus: Focus | None = None, nth: int = 0) -> MemoryRow:
    row = build_memory_row(found, Frame(0, step_on(found, text, nth=nth)), focus or Focus())
    assert row is not None
    return row


def access(row: MemoryRow, name: str) -> AccessRow:
    return next(found for found in row.accesses if found.name == name)


def test_requests_in_words() -> None:
    texts = {}
    for name in ("matmul_naive", "matmul_naive_row_x"):
        row = row_on(stage(name, "32", "32,32"), "sum +=")
        texts[name] = [(found.name, found.text) for found in row.accesses]
    assert texts["matmul_naive"] == [
        ("A", "32 lanes → 1 sector, ideal 1 · 4 of 32 bytes used"),
        ("B", "32 lanes → 4 sectors, ideal 4 · 128 of 128 bytes used"),
    ]
    assert texts["matmul_naive_row_x"] == [
        ("A", "32 lanes → 32 sectors, ideal 4 · 128 of 1,024 bytes used"),
        ("B", "32 lanes → 1 sector, ideal 1 · 4 of 32 bytes used"),
    ]
    # Fewer words of a request keep the bytes used longer than the ideal.
    sums = access(row_on(stage("kmeans_update_atomic"), "atomicAdd(&sums"), "sums")
    assert sums.wordings == (
        "8 lanes → 1 sector, ideal 1 · 12 of 32 bytes used",  # three sums of 4 bytes
        "1 sector · 12 of 32 bytes used",
        "12 of 32 bytes used",
        "1 sector",
    )
    # Local and constant memory have requests only.
    text = (
        "__constant__ float c[4]; __global__ void k(float *a) { float x[2]; x[threadIdx.x % 2] = c[threadIdx.x % 4]; }"
    )
    found = Stage(source(text, "1", "8", "a=f32[8]:zeros", "c=f32[4]:iota"), ())
    row = row_on(found, "x[")
    assert {access_.text for access_ in row.accesses} == {
        "8 lanes → 1 request of constant memory",
        "8 lanes → per-thread array: registers or local memory",
    }


def test_strips_of_near_and_scattered_accesses() -> None:
    (near,) = access(row_on(stage("matmul_naive", "32", "32,32"), "sum +=", nth=1), "B").strips
    assert near.offsets.tolist() == [128]  # row 1 of B
    assert near.touched.tolist() == [[True] * 4]
    assert near.wanted.tolist() == [[32] * 4]
    assert near.lane_byte.tolist() == list(range(0, 128, 4))
    (far,) = access(row_on(stage("matmul_naive_row_x", "32", "32,32"), "sum +=", nth=9), "A").strips
    assert far.offsets.tolist() == [128 * n for n in range(32)]
    assert far.touched.tolist() == [[False, True, False, False]] * 32  # column 9 is in the second sector
    assert far.wanted.tolist() == [[0, 4, 0, 0]] * 32
    assert far.lane_line.tolist() == list(range(32))
    assert far.lane_sector.tolist() == [1] * 32
    assert not far.gaps.any()
    # Gaps between lines and sectors outside of the array.
    text = "__global__ void k(float *a) { a[threadIdx.x * 96] = 1; }"
    (strip,) = access(row_on(Stage(source(text, "1", "4", "a=f32[290]:zeros"), ()), "a["), "a").strips
    assert strip.offsets.tolist() == [0, 384, 768, 1152]
    assert strip.gaps.tolist() == [0, 2, 2, 2]  # 3 lines of 32 floats on
    # 290 floats end at byte 1160, inside the first sector of the last line.
    assert strip.inside.tolist() == [[True] * 4] * 3 + [[True, False, False, False]]


@pytest.mark.parametrize(
    ("name", "text", "collisions"),
    [
        (
            "matmul_tiled_transposed",
            "32 lanes → 32 wavefronts, ideal 1",
            ("bank 0: lanes 0…31",),
        ),
        ("matmul_tiled_padded", "32 lanes → 1 wavefront, ideal 1", ()),
    ],
)
def test_the_bank_card_of_a_transposed_tile_and_its_padded_twin(
    name: str, text: str, collisions: tuple[str, ...]
) -> None:
    row = row_on(stage(name, "32", "32,32"), "sum +=")
    found = access(row, "Bs")
    (card,) = found.banks
    assert (found.text, card.collisions, found.strips) == (text, collisions, ())
    assert card.note.startswith("32-way bank conflict" if collisions else "no conflict")
    assert len(card.use.lane) == 32
    assert "32 lanes share one word" in access(row, "As").banks[0].note
    assert access(row, "As").text == "32 lanes → 1 wavefront, ideal 1"


def test_the_row_follows_the_thread_in_focus() -> None:
    found = stage("matmul_naive", "32", "32,32")
    assert row_on(found, "sum +=").warp == 0
    row = row_on(found, "sum +=", Focus.on_thread(7 * 32 + 3))
    assert (row.warp, row.warps) == (7, tuple(range(32)))
    assert access(row, "A").strips[0].offsets.tolist() == [7 * 128]
    # A focus on a warp that takes no part shows no access.
    text = "__global__ void k(float *a) { if (threadIdx.x < 32) a[threadIdx.x] = 1; }"
    found = Stage(source(text, "1", "64", "a=f32[64]:zeros"), ())
    assert row_on(found, "a[", Focus.on_thread(40)).accesses == ()
    assert row_on(found, "a[").accesses[0].counts.accesses == 32


def words(row: MemoryRow, length: int) -> str:
    return fitting_facts(row.facts, lambda words: len(words) <= length)


@pytest.mark.parametrize(
    ("length", "shown"),
    [
        (
            125,
            "16 loads, 16 sectors · 4 stores, 4 sectors · 48 wavefronts (ideal) · each A and B read 2× · "
            "intensity 0.2 FLOP/byte",
        ),
        (80, "16 loads, 16 sectors · 48 wavefronts (ideal) · each A and B read 2×"),
        (50, "16 loads, 16 sectors · each A and B read 2×"),
        (42, "16 loads, 16 sectors · 4 stores, 4 sectors"),
        (19, "16 sectors"),
    ],
)
def test_narrow_totals_leave_out_what_matters_least(length: int, shown: str) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    row = build_memory_row(found, playlist(found.trace, "memory").frames[-1])
    assert row is not None
    assert words(row, length) == shown


def test_bank_conflicts_matter_more_than_reads() -> None:
    found = stage("matmul_tiled_transposed", "32", "32,32")
    row = build_memory_row(found, playlist(found.trace, "memory").frames[-1])
    assert row is not None
    assert words(row, 70) == "64 loads, 256 sectors · 34,848 wavefronts, ideal 2,112"


def test_totals_so_far_grow_to_those_of_the_run() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    frames = playlist(found.trace, "memory").frames
    rows = [build_memory_row(found, frame) for frame in frames]
    history = found.memory_history
    loads = [history.totals(frame).global_loads for frame in frames]
    assert len(loads) == len(frames)
    assert loads == sorted(loads)
    last = rows[-1]
    assert last is not None
    assert history.totals(frames[-1]).arrays == counts(found.trace).arrays
    assert history.reads(found.global_inputs[0], frames[-1]).reads.tolist() == [[2] * 3] * 3
    # 4 blocks × 2 phases × 2 tiles. C has 36 bytes: C[2][2] is in its second sector.
    assert words(last, 200) == (
        "16 loads, 16 sectors · 4 stores, 4 sectors · 48 wavefronts, ideal 48 · each A read 2× · each B read 2× · "
        "intensity 0.2 FLOP/byte"
    )
    assert rows[0] is not None
    assert words(rows[0], 200) == "1 load, 1 sector · 1 wavefront, ideal 1 · A: 4 of 9 read 1× · B not read yet"
    # Block 2 has loaded its first tile: rows 0 and 1 of A were read by two blocks, A[2][0] and A[2][1] by one.
    half = rows[len(rows) // 2]
    assert half is not None
    reads = history.reads(found.global_inputs[0], frames[len(rows) // 2]).reads
    assert reads.tolist() == [[2, 2, 2], [2, 2, 2], [1, 1, 0]]
    assert "A: 8 of 9 read 1.75× on average" in words(half, 200)


@pytest.mark.parametrize(("name", "size", "block"), [("mmt_stripe", "12", "6,6"), ("lesson_uncleared_target", "", "")])
def test_totals_and_gutter_grow_by_what_each_frame_shows_where_blocks_take_turns(
    name: str, size: str, block: str
) -> None:
    found = Stage(catalogue(name, size, block, "reversed"), kernel(name).workload.panels)
    assert not found.order.one_turn_each
    executions = loads = 0
    for frame in playlist(found.trace, "statement", found.order).frames:
        row = build_memory_row(found, frame)
        assert row is not None
        executions += len(row.warps)
        accesses = (access for warp in row.warps for access in _accesses_of(found, frame, warp))
        loads += sum(len(a.counts.requests) for a in accesses if (a.counts.array.space, a.kind) == ("global", "read"))
        assert sum(count.now.executions for count in row.gutter if count.now is not None) == executions
        assert found.memory_history.totals(frame).global_loads == loads


def _accesses_of(found: Stage, frame: Frame, warp: int) -> tuple[AccessRow, ...]:
    thread = frame.block * found.trace.launch.block.count + 32 * warp
    row = build_memory_row(found, frame, Focus.on_thread(thread))
    assert row is not None
    return row.accesses


def test_the_gutter_counts_so_far_and_in_the_whole_run() -> None:
    found = stage("matmul_naive_row_x", "32", "32,32")
    step = step_on(found, "sum +=")
    row = row_on(found, "sum +=")
    line = next(count for count in row.gutter if count.line == found.trace.statement(step).span.line)
    assert line.now is not None
    assert (line.now.executions, line.now.requests, line.now.sectors) == (32, 64, 32 * 33)
    assert (line.whole.executions, line.whole.requests, line.whole.sectors) == (1024, 2048, 1024 * 33)
    store = row.gutter[-1]
    assert (store.now, store.whole.sectors) == (None, 32 * 32)
    assert [count.line for count in row.gutter] == sorted({count.line for count in row.gutter})
    # The same frame has the same row in any order.
    found = stage("matmul_tiled", "5", "2,2")
    frames = playlist(found.trace, "memory").frames
    numbers = np.random.default_rng(3).permutation(len(frames)).tolist()
    forward = [build_memory_row(found, frame) for frame in frames]
    for number in numbers:
        again, before = build_memory_row(found, frames[number]), forward[number]
        assert again is not None
        assert before is not None
        assert (again.gutter, again.facts) == (before.gutter, before.facts)
        assert [a.text for a in again.accesses] == [a.text for a in before.accesses]
    # A CPU baseline has no warps.
    shown = stage("cpu_sequential")
    assert build_memory_row(Stage(shown.trace, shown.panels, on_cpu=True), Frame(0, 0)) is None
    assert kernel("cpu_sequential").runs_on == "cpu"


@pytest.mark.parametrize(
    ("statement", "note"),
    [
        ("a[i] = s[0];", "no conflict: 32 lanes share one word of bank 0 (broadcast)"),
        ("s[0] = i;", "no conflict, but 32 lanes write one address, and one of them stays"),
        ("atomicAdd(&s[0], 1.0f);", "no conflict, but 32 lanes update one address, one after another"),
        ("atomicAdd(&s[i / 4], 1.0f);", "no conflict, but 4 lanes update one address, one after another"),
        ("atomicAdd(&a[0], 1.0f);", "1 line of 128 bytes, 32 lanes update one address, one after another"),
        ("a[i / 32] = i;", "1 line of 128 bytes, 32 lanes write one address, and one of them stays"),
    ],
)
def test_only_loads_share_a_word(statement: str, note: str) -> None:
    text = f"__global__ void k(float *a) {{ __shared__ float s[32]; int i = threadIdx.x; s[i] = 0; {statement} }}"
    found = Stage(source(text, "1", "32", "a=f32[32]:zeros"), ())
    row = row_on(found, statement.removesuffix(";"), nth=-1)
    shown = row.accesses[0]
    assert [*(strip.wordings[0] for strip in shown.strips), *(card.note for card in shown.banks)] == [note]
