"""Drag of the block: sizes that snap, refusals by their fields, keys, and a session and a frame that follow."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.explore.packing.layout import arrange
from gui.explore.page import ExplorePage
from gui.explore.playback.block_sizes import BlockSizes
from gui.explore.playback.same_place import Place
from gui.explore.stage.block_handle import BlockHandle, block_handle
from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Options, Zoom
from gui.selection.session import Selection
from kernels.analysis import Frame
from kernels.device import devices
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage, step_on

OpenPage = Callable[..., ExplorePage]


def sizes(name: str, n: int = 8, block: Dim3 | None = None) -> BlockSizes:
    found = kernel(name)
    return BlockSizes(Selection(found, Size(n, n, n), block or found.block, devices()[0]))


def handle(name: str, zoom: Zoom = "grid", size: str = "", block: str = "") -> BlockHandle | None:
    scene = build_scene(stage(name, size, block), Frame(0, 0), Options(zoom=zoom))
    return block_handle(scene, arrange(scene, 1000, 700, 18))


# --- sizes


@pytest.mark.parametrize(
    ("name", "wanted", "snapped"),
    [
        ("matmul_naive", (5, 3), (5, 3)),  # every block up to 1024 threads
        ("matmul_naive", (34, 32), None),  # too many threads
        ("matmul_tiled", (3, 2), (2, 2)),  # the tile is square
        ("matmul_tiled", (8, 7), (7, 7)),
        ("matmul_tiled", (6, 2), None),
        ("matmul_registers_2d", (7, 7), (8, 8)),  # 4×4, 8×8 and 16×16 only
        ("kmeans_assign", (12, 2), (12, 1)),  # one dimension
        ("kmeans_assign", (12, 4), None),
    ],
)
def test_a_legal_block_near_the_wanted_one_snaps(
    name: str, wanted: tuple[int, int], snapped: tuple[int, int] | None
) -> None:
    found = sizes(name).nearest(Dim3(*wanted))
    assert found == (Dim3(*snapped) if snapped else None)


def test_refusals_name_the_limit_or_the_requirement() -> None:
    refusal = sizes("matmul_naive").refusal(Dim3(64, 32))
    assert refusal is not None
    assert (refusal.limit, refusal.block.count, refusal.most) == ("threads", 2048, 1024)
    assert refusal.words == "64×32 = 2,048 threads: a block has at most 1,024"
    # A refusal gives the requirement of the kernel.
    found = kernel("matmul_tiled")
    refusal = sizes("matmul_tiled").refusal(Dim3(6, 2))
    assert refusal is not None
    assert refusal.limit == "requirement"
    assert refusal.reason == found.require[0][1]
    assert sizes("matmul_tiled").refusal(Dim3(6, 6)) is None
    # The limit of a device is a refusal too.
    refusal = sizes("kmeans_assign").refusal(Dim3(8, 1, 65))
    assert refusal is not None
    assert refusal.limit == "requirement"
    refusal = sizes("matmul_naive").refusal(Dim3(2, 1, 65))
    assert refusal is not None
    assert refusal.limit == "device"
    # A kernel with one block has no choice.
    assert sizes("matmul_tiled").several
    assert not sizes("cpu_sequential").several


@pytest.mark.parametrize(
    ("name", "block", "axis", "direction", "found"),
    [
        ("matmul_naive", (2, 2), "x", 1, (3, 2)),
        ("matmul_naive", (2, 2), "y", -1, (2, 1)),
        ("matmul_naive", (1, 2), "x", -1, None),
        ("matmul_naive", (32, 32), "x", 1, None),
        ("matmul_tiled", (2, 2), "x", 1, (3, 3)),  # both sides
        ("kmeans_update_warp", (32, 1), "x", 1, (64, 1)),  # the next multiple of a warp
    ],
)
def test_the_next_legal_block(
    name: str, block: tuple[int, int], axis: str, direction: int, found: tuple[int, int] | None
) -> None:
    following = sizes(name).next(Dim3(*block), "x" if axis == "x" else "y", direction)
    assert following == (Dim3(*found) if found else None)


def test_the_handle_is_on_the_corner_of_the_block() -> None:
    scene = build_scene(stage("matmul_tiled"), Frame(0, 0), Options(zoom="grid"))
    layout = arrange(scene, 1000, 700, 18)
    found = block_handle(scene, layout)
    assert found is not None
    corner = layout.thread_raster.rect(0, 0, 2, 2)
    assert (found.x, found.y) == (corner.x + corner.width, corner.y + corner.height)
    cell = layout.thread_raster.cell
    assert found.dragged(cell * 2.1, cell * 0.9) == Dim3(4, 3)
    assert found.dragged(-cell * 9, -cell * 9) == Dim3(1, 1)
    # X can grow down.
    found = handle("matmul_naive_row_x")
    assert found is not None
    assert found.dragged(0, found.along.rows * 3) == Dim3(35, 8)
    # Threads with several results are dragged by all of them.
    found = handle("matmul_registers_2d")
    scene = build_scene(stage("matmul_registers_2d"), Frame(0, 0), Options(zoom="grid"))
    assert found is not None
    assert found.along.rows == arrange(scene, 1000, 700, 18).thread_raster.cell * 4
    # No handle where threads do not lie in rows.
    assert handle("matmul_tiled", zoom="block") is not None
    assert handle("matmul_tiled", zoom="warp") is None
    assert handle("matmul_async") is None  # 64 threads in a row compute a tile of 32×32


def test_a_frame_keeps_its_share_of_grid_and_phases() -> None:
    before, after = stage("matmul_tiled", "8", "4,4"), stage("matmul_tiled", "8", "2,2")
    frame = Frame(3, step_on(before, "Bs[", 3, phase=1))
    found = Place(before.trace, frame).in_run(after.trace)
    assert after.trace.launch.grid.member(found.block) == Dim3(2, 2, 0)
    assert int(after.trace.step_phase[found.step]) == 2
    assert after.trace.statement(found.step).text.startswith("Bs[")
    # A frame after the last phase stays there.
    before, after = stage("matmul_tiled", "8", "4,4"), stage("matmul_tiled", "8", "8,8")
    store = step_on(before, "C[", 2)
    found = Place(before.trace, Frame(2, store)).in_run(after.trace)
    assert found == Frame(0, step_on(after, "C[", 0))
    # A frame of the same launch is itself.
    trace = stage("matmul_tiled").trace
    assert Place(trace, Frame(2, 17)).in_run(trace) == Frame(2, 17)


# --- the page


def way(page: ExplorePage, columns: float, rows: float) -> QPoint:
    """Return the pixels of so many threads."""
    layout, scene = page.canvas.picture_layout, page.scene
    assert layout is not None
    assert scene is not None
    found = block_handle(scene, layout)
    assert found is not None
    return QPoint(round(columns * found.along.columns), round(rows * found.along.rows))


def take(page: ExplorePage) -> QPoint:
    """Press the handle; return its place on the canvas."""
    grip = page.block_drag.grip
    assert grip.isVisible()
    QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=grip.rect().center())
    return grip.mapTo(page.canvas, grip.rect().center())


def drag_to(page: ExplorePage, place: QPoint) -> None:
    grip = page.block_drag.grip
    QTest.mouseMove(grip, grip.mapFrom(page.canvas, place))


def leave(page: ExplorePage) -> None:
    QTest.mouseRelease(page.block_drag.grip, Qt.MouseButton.LeftButton)


def open_grid(open_page: OpenPage, qtbot: QtBot, name: str = "matmul_tiled") -> ExplorePage:
    page = open_page(kernel(name), size=Size(4, 4, 4), block=Dim3(2, 2))
    page.stage_bar.set_zoom("grid")
    qtbot.waitUntil(page.block_drag.grip.isVisible)
    return page


def test_the_session_follows_a_drag(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot)
    start, cells = take(page), way(page, 2, 2)
    drag_to(page, start + cells)
    assert page._session.selection.block == Dim3(4, 4)
    assert page.block_drag.note.isVisible()
    qtbot.waitUntil(lambda: not page.busy)
    assert page.scene is not None
    assert page.scene.block_dim == Dim3(4, 4)
    assert page.options.zoom == "grid"
    drag_to(page, start)  # measured where the drag began, though the picture has changed
    assert page._session.selection.block == Dim3(2, 2)
    leave(page)
    qtbot.waitUntil(lambda: not page.busy)
    assert not page.block_drag.active
    assert not page.block_drag.note.isVisible()


def test_an_illegal_block_says_why_while_it_is_held(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot)
    start = take(page)
    drag_to(page, start + way(page, 6, 0))
    refusal = page.block_drag.refusal
    assert refusal is not None
    assert (refusal.block, refusal.limit) == (Dim3(8, 2), "requirement")
    assert page.block_drag.note.text() == refusal.words
    assert page.canvas.rect().contains(page.block_drag.note.geometry())
    assert page._session.selection.block == Dim3(2, 2)
    leave(page)
    assert page.block_drag.refusal is None
    assert not page.block_drag.note.isVisible()


def test_escape_takes_the_drag_back(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot)
    page.timeline.go(len(page.frames) // 2 + 3)
    before = page._session.selection, page.position, page.options, page.playback.every_statement, page.selected
    start = take(page)
    drag_to(page, start + way(page, 2, 2))
    qtbot.waitUntil(lambda: not page.busy)
    drag_to(page, start + QPoint(1, 1) + way(page, -1, -1))
    qtbot.waitUntil(lambda: not page.busy)
    QTest.keyClick(page.block_drag.grip, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not page.busy)
    after = page._session.selection, page.position, page.options, page.playback.every_statement, page.selected
    assert after == before
    assert not page.block_drag.note.isVisible()
    drag_to(page, start + way(page, 2, 2))  # the mouse has let go
    assert page._session.selection == before[0]


def test_the_frame_stays_at_its_share_of_the_run(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot)
    assert page.story is not None
    trace = page.story.stage.trace
    position = next(n for n, frame in enumerate(page.frames) if frame.block == 0 and trace.step_phase[frame.step] == 1)
    page.timeline.go(position)
    line = page.code.executing_line
    drag_to(page, take(page) + way(page, -1, -1))
    leave(page)
    qtbot.waitUntil(lambda: not page.busy)
    assert page.scene is not None
    assert page.scene.block_dim == Dim3(1, 1)
    assert page.code.executing_line == line
    assert int(page.story.stage.trace.step_phase[page.scene.step]) == 2


def test_keys_change_the_block_and_back(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot, "matmul_naive")
    page.timeline.go(len(page.frames) // 2)
    position = page.position
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    for key, block in (
        (Qt.Key.Key_Right, Dim3(3, 2)),
        (Qt.Key.Key_Down, Dim3(3, 3)),
        (Qt.Key.Key_Left, Dim3(2, 3)),
        (Qt.Key.Key_Up, Dim3(2, 2)),
    ):
        QTest.keyClick(page, key, both)
        assert page._session.selection.block == block
        qtbot.waitUntil(lambda: not page.busy)
    assert page.position == position


def test_a_key_without_a_legal_block_says_why(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"), block=Dim3(32, 32))
    QTest.keyClick(page, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    refusal = page.block_drag.refusal
    assert refusal is not None
    assert (refusal.limit, refusal.block) == ("threads", Dim3(33, 32))
    assert refusal.words in page.caption.text()


def test_no_handle_without_a_choice(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot)
    page._session.select(kernel=kernel("cpu_parallel"))
    qtbot.waitUntil(lambda: not page.busy and page.scene is not None)
    qtbot.waitUntil(lambda: not page.block_drag.grip.isVisible())


def test_another_selection_begins_at_its_start(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_grid(open_page, qtbot)
    page.timeline.go(len(page.frames) // 2)
    drag_to(page, take(page) + way(page, 2, 2))
    leave(page)
    qtbot.waitUntil(lambda: not page.busy)
    page._session.select(size=Size(6, 6, 6))
    qtbot.waitUntil(lambda: not page.busy)
    assert page.position == 0
