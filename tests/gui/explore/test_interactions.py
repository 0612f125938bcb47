"""Interactions of threads in a picture, against the trace."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from gui.explore.playback.story import panels_of
from gui.explore.stage.build import build_scene
from gui.explore.stage.interactions import LaneReads
from gui.explore.stage.motion import motion_between
from gui.explore.stage.scene import Options, Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.selection.recording import Recording
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.narration.barriers import late_words, waiting_words
from kernels.trace import Trace
from tests.gui.explore.conftest import stage as catalogue_stage
from tests.gui.explore.conftest import step_on
from tests.kernels.analysis.traces import catalogue, source
from tests.kernels.hazards.corpus import FOLDER, read_case

WARP = Options(zoom="warp")


def of_trace(trace: Trace) -> Stage:
    return Stage(trace, panels_of(Recording(FOLDER, trace, None)))


def of_corpus(name: str, schedule: str = "lockstep") -> Stage:
    case = read_case(FOLDER / f"{name}.cu")
    words = list(case.words)
    arguments = [words[at + 1] for at, word in enumerate(words) if word == "--arg"]
    grid, block = (words[words.index(option) + 1] for option in ("--grid", "--block"))
    return of_trace(source(case.file.read_text(encoding="utf-8"), grid, block, *arguments, schedule=schedule))


def painted(scene: Scene, width: int = 880, height: int = 620) -> QImage:
    return paint_still(scene, Surface(width, height, 18, LIGHT), TextPainter("sans-serif")).image


def pairs(reads: LaneReads) -> dict[int, int]:
    return dict(zip(reads.threads.tolist(), reads.sources.tolist(), strict=True))


def test_shuffles_have_arrows_from_the_lanes_that_they_read() -> None:
    found = of_corpus("warp_sum_shuffle")
    for number, distance in enumerate((16, 8, 4, 2, 1)):
        scene = build_scene(found, Frame(0, step_on(found, "sum +=", nth=number)))
        expected = {lane: lane + distance for lane in range(64) if lane % 32 + distance < 32}
        assert pairs(scene.shuffles) == expected
        assert not scene.shuffles.undefined.any()
    assert not len(build_scene(found, Frame(0, step_on(found, "out["))).shuffles.threads)
    # Threads of other blocks have numbers in their block.
    found = of_corpus("block_sum_shuffle")
    scene = build_scene(found, Frame(1, step_on(found, "x +=", block=1)))
    assert pairs(scene.shuffles) == {lane: lane ^ 16 for lane in range(128)}
    # An arrow from a lane that takes no part is marked.
    found = of_corpus("shuffle_from_other_branch")
    scene = build_scene(found, Frame(0, step_on(found, "x = __shfl")))
    assert pairs(scene.shuffles) == {lane: lane + 1 for lane in range(16)}
    assert scene.shuffles.threads[scene.shuffles.undefined].tolist() == [15]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("options", [Options(), WARP], ids=["block", "warp"])
@pytest.mark.parametrize(
    ("name", "statement"),
    [("warp_sum_shuffle", "sum +="), ("block_sum_shuffle", "x +="), ("shuffle_from_other_branch", "x = __shfl")],
)
def test_arrows_are_painted_where_lanes_read_each_other(name: str, statement: str, options: Options) -> None:
    found = of_corpus(name)
    scene = build_scene(found, Frame(0, step_on(found, statement)), options)
    none = np.zeros(0, np.int64)
    nothing = LaneReads(none, none, none.astype(bool))
    accent = QColor(LIGHT.accent).rgb()
    with_arrows, without = (pixels(painted(shown), accent) for shown in (scene, replace(scene, shuffles=nothing)))
    assert with_arrows > without + 100


def pixels(image: QImage, color: int) -> int:
    """Count the pixels of a colour."""
    return int(np.count_nonzero(pixels_of(image) == color))


# --- atomic operations ------------------------------------------------------------------------------------


def of_text(body: str, threads: int = 8, schedule: str = "lockstep") -> Stage:
    text = f"""__global__ void k(int *C, const int *in) {{
        __shared__ int s[4];
        int t = threadIdx.x;
        if (t < 4) s[t] = 0;
        __syncthreads();
        {body}
    }}"""
    return of_trace(source(text, "2", f"{threads}", "C=i32[4]:zeros", f"in=i32[{threads}]:iota", schedule=schedule))


def queues_in(scene: Scene) -> dict[str, tuple[list[int], list[int]]]:
    return {queue.element: (queue.threads.tolist(), queue.values.tolist()) for queue in scene.queues}


def test_threads_queue_at_the_element_that_they_add_to() -> None:
    found = of_text("atomicAdd(&C[0], t);")
    scene = build_scene(found, Frame(0, step_on(found, "atomicAdd")))
    assert queues_in(scene) == {"C[0]": (list(range(8)), [0, 1, 3, 6, 10, 15, 21, 28])}
    assert scene.queues[0].words == "8 threads add to C[0], one after another"
    assert scene.caption == "Block 0, store: all 8 threads add t to C[0] atomically, one after another"
    second = build_scene(found, Frame(1, step_on(found, "atomicAdd", block=1)))
    assert queues_in(second)["C[0]"][1][-1] == 2 * 28
    # Each element has its queue the longest first.
    found = of_text("atomicAdd(&s[t < 5 ? 0 : 1], 1);")
    scene = build_scene(found, Frame(0, step_on(found, "atomicAdd")))
    assert queues_in(scene) == {"s[0]": (list(range(5)), [1, 2, 3, 4, 5]), "s[1]": ([5, 6, 7], [1, 2, 3])}
    assert [queue.element for queue in scene.queues] == ["s[0]", "s[1]"]
    assert scene.caption.endswith("atomically, up to 5 of them one after another to one element")
    assert scene.cells[scene.queues[0].view].view.name == "s"
    # One warp alone has its part of the queue.
    found = of_text("atomicAdd(&s[0], 1);", 48)
    step = step_on(found, "atomicAdd")
    assert queues_in(build_scene(found, Frame(0, step), Options(warp=1)))["s[0]"] == (
        list(range(32, 48)),
        list(range(33, 49)),
    )


def test_where_no_two_threads_add_to_one_element_there_is_no_queue() -> None:
    found = of_text("if (t < 4) atomicMax(&s[t], t + 1);")
    assert not build_scene(found, Frame(0, step_on(found, "atomicMax"))).queues
    # Loads of atomic objects do not queue.
    text = """#include <cuda/atomic>
        __global__ void k(int *out) {
            __shared__ cuda::atomic<int, cuda::thread_scope_block> s;
            if (threadIdx.x == 0) s.store(3);
            __syncthreads();
            out[threadIdx.x] = s.load(); }"""
    found = of_trace(source(text, "1", "8", "out=i32[8]:zeros"))
    step = step_on(found, "out[")
    assert {group.site.access for group in found.trace.accesses(step, 0)} == {"atomic", "write"}
    assert not build_scene(found, Frame(0, step)).queues
    # Queues at shared memory are not in the picture of the grid.
    found = of_text("atomicAdd(&s[0], 1); atomicAdd(&C[1], 1);")
    for statement, count in (("atomicAdd(&s", 0), ("atomicAdd(&C", 1)):
        scene = build_scene(found, Frame(0, step_on(found, statement)), Options(zoom="grid"))
        assert len(scene.queues) == count
        assert all(scene.cells[queue.view].view.name == "C" for queue in scene.queues)


def test_atomics_of_the_catalogue_queue_at_the_sums() -> None:
    found = catalogue_stage("kmeans_update_atomic")
    step = step_on(found, "atomicAdd")
    scene = build_scene(found, Frame(0, step))
    (group,) = [group for group in found.trace.accesses(step, 0) if group.site.access == "atomic"]
    counts = {int(index): int(np.count_nonzero(group.index == index)) for index in group.index}
    assert sorted(len(queue.threads) for queue in scene.queues) == sorted(n for n in counts.values() if n > 1)
    for queue in scene.queues:
        assert queue.values[-1] == scene.cells[queue.view].values[queue.row, queue.column]


def test_values_that_queue_arrive_one_after_another() -> None:
    found = of_text("atomicAdd(&C[0], t);")
    step = step_on(found, "atomicAdd")
    before, after = (build_scene(found, Frame(0, at)) for at in (step - 1, step))
    (store,) = [flights for flights in motion_between(before, after).flights if flights.kind == "store"]
    assert store.threads.tolist() == list(range(8))
    assert (np.diff(store.begin) >= store.travel * 0.99).all()
    assert store.begin[-1] + store.travel == pytest.approx(1.0)
    assert store.known.all()
    assert store.values.tolist() == [0, 1, 3, 6, 10, 15, 21, 28]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", [600, 880, 1330])
def test_a_queue_covers_no_cells_and_no_texts(width: int) -> None:
    found = of_corpus("histogram")
    scene = build_scene(found, Frame(0, step_on(found, "atomicAdd(&mine")))
    still = paint_still(scene, Surface(width, 620, 18, LIGHT), TextPainter("sans-serif"))
    plain = paint_still(replace(scene, queues=()), still.surface, TextPainter("sans-serif"))
    (painted, without) = (pixels_of(image) for image in (still.image, plain.image))
    cell = still.layout.rasters[scene.queues[0].view].rect(scene.queues[0].row, scene.queues[0].column)
    for raster in still.layout.rasters:
        box = raster.box
        rows, columns = slice(int(box.y) + 4, int(box.y + box.height) - 4), slice(int(box.x), int(box.x + box.width))
        changed = (painted != without)[rows, columns]
        own = slice(max(0, int(cell.x - box.x) - 9), int(cell.x - box.x + cell.width) + 9)
        changed[:, own] = False  # the outline of the element, and the arrow to it
        assert not changed.any()


def pixels_of(image: QImage) -> np.ndarray:
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1).copy()


# --- barriers ---------------------------------------------------------------------------------------------

ROUND = """s[t % 4] = 1;
        __syncthreads();
        C[0] = s[0];"""


def arrivals_in(scene: Scene) -> dict[int, tuple[str, int]]:
    assert scene.barrier_line is not None
    return {warp.warp: (warp.state, warp.line) for warp in scene.barrier_line.warps}


def line_of(found: Stage, text: str) -> int:
    return next(s.span.line for s in found.trace.statements if s.text.startswith(text))


def barrier_steps(found: Stage) -> list[int]:
    trace = found.trace
    return [s for s in trace.block_steps(0).tolist() if trace.statement(s).kind == "barrier"]


@pytest.mark.parametrize("schedule", ["warps", "reversed", "shuffle:3"])
def test_warps_that_have_arrived_wait_for_the_late_ones(schedule: str) -> None:
    found = of_text(ROUND, 96, schedule)
    trace, seen = found.trace, 0
    for step in trace.block_steps(0).tolist():
        scene = build_scene(found, Frame(0, step))
        # The warps that have arrived, from the barriers that each lane has passed and where it is now.
        latest: dict[int, int] = {}
        for at in trace.block_steps(0).tolist():
            if at <= step:
                latest |= {int(lane) // 32: at for lane in trace.lanes(at, 0)}
        waiting = {
            warp
            for warp, at in latest.items()
            if trace.statement(at).kind == "barrier"
            and any(
                trace.step_epoch[at] == trace.step_epoch[other] and other >= step
                for other in barrier_steps(found)
                if other >= step
            )
        }
        if scene.barrier_line is None:
            assert not waiting
            continue
        seen += 1
        found_now = arrivals_in(scene)
        assert {warp for warp, (state, _) in found_now.items() if state == "waits"} == waiting
        for warp, (state, line) in found_now.items():
            if state == "runs":
                assert warp * 32 in trace.lanes(step, 0)
                assert line == trace.statement(step).span.line
    assert seen > 6


def test_the_late_warp_is_named_with_its_line() -> None:
    found = of_text(ROUND, 64, "warps")
    first, second = barrier_steps(found)[:2]
    barrier, start = line_of(found, "__syncthreads"), line_of(found, "int t")
    scene = build_scene(found, Frame(0, first))
    assert arrivals_in(scene) == {0: ("waits", barrier), 1: ("later", start)}
    assert scene.barrier_line is not None
    assert waiting_words(scene.barrier_line) == f"Barrier, line {barrier}: warp 0 waits"
    assert late_words(scene.barrier_line) == f"warp 1 has not arrived: its next line is {start}"
    assert scene.caption.endswith(late_words(scene.barrier_line))
    running = build_scene(found, Frame(0, first + 1))
    assert running.barrier_line is not None
    assert late_words(running.barrier_line) == f"warp 1 has not arrived: it runs line {start}"
    both = build_scene(found, Frame(0, second)).barrier_line
    assert both is not None
    assert (both.complete, both.at_once, late_words(both)) == (True, False, "")
    assert build_scene(found, Frame(0, second + 1)).barrier_line is None


def test_barriers_without_a_late_warp() -> None:
    found = of_text(ROUND, 64)
    scene = build_scene(found, Frame(0, barrier_steps(found)[0]))
    assert scene.barrier_line is not None
    assert scene.barrier_line.at_once
    assert scene.barrier_words == "all 2 warps arrive at once"
    assert waiting_words(scene.barrier_line).endswith("all 2 warps arrive at once")
    assert build_scene(found, Frame(0, barrier_steps(found)[0] - 1)).barrier_line is None
    # A warp that has returned does not come.
    text = """__global__ void k(int *a) {
        if (threadIdx.x >= 32) return;
        a[threadIdx.x] = 1;
        __syncthreads();
        a[0] = 2; }"""
    found = of_trace(source(text, "1", "64", "a=i32[64]:zeros", schedule="warps"))
    line = build_scene(found, Frame(0, barrier_steps(found)[0])).barrier_line
    assert line is not None
    assert [(warp.state, line.complete) for warp in line.warps] == [("waits", False), ("never", False)]
    assert late_words(line) == "warp 1 does not come here"
    # Blocks of one warp and the picture of the grid have no line.
    found = of_text(ROUND, 32, "warps")
    assert build_scene(found, Frame(0, barrier_steps(found)[0])).barrier_line is None
    several = of_text(ROUND, 64, "warps")
    step = barrier_steps(several)[0]
    assert build_scene(several, Frame(0, step), Options(zoom="grid")).barrier_line is None


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size", ["6x6", "8x8"])
def test_the_line_covers_no_cells(size: str) -> None:
    side = size.partition("x")[0]
    trace = catalogue("matmul_tiled", side, size, "warps")
    found = Stage(trace, catalogue_stage("matmul_tiled").panels)
    scene = build_scene(found, Frame(0, barrier_steps(found)[0]))
    still = paint_still(scene, Surface(880, 620, 18, LIGHT), TextPainter("sans-serif"))
    plain = paint_still(replace(scene, barrier_line=None), still.surface, TextPainter("sans-serif"))
    changed = pixels_of(still.image) != pixels_of(plain.image)
    assert changed.any()
    for raster in still.layout.rasters:
        box = raster.box
        assert not changed[int(box.y) + 1 : int(box.y + box.height), int(box.x) + 1 : int(box.x + box.width)].any()
