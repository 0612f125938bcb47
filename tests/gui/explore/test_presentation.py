"""Presenting: everything can be read from the last row, the presenter's keys work, and nothing changes by it.

The plain command looks for long captions of two kernels on one of the screens, in turn; the exhaustive command takes
all of them on both.
"""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gui.explore.page import ExplorePage
from gui.explore.presentation.presentation import Presentation
from gui.explore.stage.focus import NOTHING
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from gui.theming import style
from kernels.catalog import Kernel
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import cell_of, kernel
from tests.gui.explore.test_keys import PRESSES, press, state
from tests.sweeps import in_turn

OpenPage = Callable[..., ExplorePage]


Key, Modifier = Qt.Key, Qt.KeyboardModifier


SCREENS = ((1280, 800), (1920, 1080))


def present(page: ExplorePage, screen: tuple[int, int] = SCREENS[0]) -> Presentation:
    """Present on a screen of a size."""
    window = page.presentation
    window.setUpdatesEnabled(False)  # at the sizes in between
    page.present()
    QApplication.processEvents()  # the offscreen screen is small: widen the window once it has its state
    window.setWindowState(Qt.WindowState.WindowNoState)
    QApplication.processEvents()
    window.setGeometry(0, 0, *screen)
    window.setUpdatesEnabled(True)
    QApplication.processEvents()
    assert window.size().toTuple() == screen
    return window


@pytest.fixture
def page(open_page: OpenPage) -> ExplorePage:
    return open_page(kernel("matmul_tiled"), size=Size(6, 5, 7), block=Dim3(4, 4))


@pytest.fixture
def own_page(open_page: OpenPage) -> ExplorePage:
    """A page for a test that changes what it shows, or closes it."""
    return open_page(kernel("matmul_tiled"), new=True, size=Size(6, 5, 7), block=Dim3(4, 4))


@pytest.fixture
def large_text(qapp: QApplication) -> Iterator[Callable[[float], None]]:
    font = qapp.font()
    yield lambda points: style.set_text(qapp, points)
    qapp.setFont(font)


@pytest.mark.parametrize(
    ("name", "screen"),
    in_turn(
        ("matmul_tiled", "matmul_registers_2d", "lesson_missing_barrier", "mmt_symmetric"),
        SCREENS,
        str,
        plain=lambda name: name in ("matmul_registers_2d", "lesson_missing_barrier"),
    ),
)
def test_every_caption_is_whole_and_large(open_page: OpenPage, name: str, screen: tuple[int, int]) -> None:
    page = open_page(kernel(name))
    present(page, screen)
    for position in range(0, len(page.frames), max(1, len(page.frames) // 12)):
        page.timeline.go(position)
        assert not page.caption.elided
        assert QFontInfo(page.caption.font()).pixelSize() >= 0.035 * screen[1]


@pytest.mark.parametrize(("size", "screen"), in_turn(["3", "6x5x7", "8"], SCREENS, str))
def test_cells_are_large_where_the_matrices_allow_it(open_page: OpenPage, size: str, screen: tuple[int, int]) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size.parse(size), block=Dim3(4, 4))
    before = cell_of(page)
    present(page, screen)
    assert cell_of(page) >= 0.03 * screen[1]
    assert cell_of(page) > before


def test_larger_text_makes_nothing_smaller(
    page: ExplorePage, qtbot: QtBot, large_text: Callable[[float], None]
) -> None:
    present(page)
    control = Modifier.ControlModifier

    def sizes() -> tuple[float, float, int]:
        return page.code.font().pointSizeF(), cell_of(page), QFontInfo(page.caption.font()).pixelSize()

    normal = sizes()
    press(Key.Key_Plus, control)
    larger = sizes()
    assert larger[0] > normal[0]
    assert larger[1:] == normal[1:]
    press(Key.Key_0, control)
    assert sizes() == normal
    press(Key.Key_Minus, control)
    assert sizes()[0] < normal[0]
    # Larger text makes nothing smaller.
    page.presentation.leave()
    window = present(page)
    cell, caption = cell_of(page), QFontInfo(page.caption.font()).pixelSize()
    window.leave()
    large_text(20.0)
    present(page)
    assert cell_of(page) >= cell
    assert QFontInfo(page.caption.font()).pixelSize() >= caption


def whereabouts(page: ExplorePage) -> dict[QWidget, tuple[QWidget | None, QRect, float]]:
    """Return parent, geometry and text size of all parts of the page that are shown."""
    parts = [part for part in page.findChildren(QWidget) if part.window() is page and part.isVisibleTo(page)]
    parts = [part for part in parts if not part.objectName().startswith("qt_")]
    return {part: (part.parentWidget(), part.geometry(), part.font().pointSizeF()) for part in parts}


def differing(page: ExplorePage, before: dict[QWidget, tuple[QWidget | None, QRect, float]]) -> set[str]:
    """Return the types of the parts that are shown now but were not, or the other way round."""
    found = {f"{type(part).__name__} {part.accessibleName()}" for part in whereabouts(page).keys() ^ before.keys()}
    if found:
        print(found)
    return found


@pytest.mark.parametrize("leave", ["Esc", "F11", "button", "close"])
def test_everything_is_as_it_was(own_page: ExplorePage, qtbot: QtBot, leave: str) -> None:
    page = own_page
    QApplication.processEvents()
    before = whereabouts(page)
    picture = page.canvas.grab().toImage()
    window = present(page)
    assert page.canvas.window() is page.caption.window() is page.timeline.window() is window
    assert window.screen() is page.screen()
    assert page.side.window() is page
    for button in (page.panes.buttons["code"], page.panes.buttons["memory"], window.spotlight_button):
        button.click()
    window.pen_button.click()
    draw(window, QPoint(600, 300), QPoint(700, 400))
    if leave == "Esc":
        press(Key.Key_Escape)
        press(Key.Key_Escape)
        assert window.active
    if leave == "button":
        next(b for b in window.bar.findChildren(QToolButton) if b.text() == "Leave").click()
    elif leave == "close":
        window.close()
    else:
        window.setFocus()
        press(Key.Key_Escape if leave == "Esc" else Key.Key_F11)
    assert not window.active
    assert not window.isVisible()
    QApplication.processEvents()
    # The pointer, which rests where the stroke ended, may light up what now lies below it.
    QApplication.sendEvent(page.canvas, QEvent(QEvent.Type.Leave))
    # The handle of the block stands where it is once the canvas has been painted in its window.
    qtbot.waitUntil(lambda: page.canvas.grab().toImage() == picture)
    qtbot.waitUntil(lambda: differing(page, before) == set())
    QApplication.processEvents()
    assert whereabouts(page) == before


def test_keys_act_in_the_presentation_and_in_the_page_again(page: ExplorePage, qtbot: QtBot) -> None:
    window = present(page)
    with qtbot.waitActive(window):
        window.activateWindow()
    for name, keys in PRESSES.items():
        page.timeline.go(8)
        before = state(page)
        press(*keys)
        assert state(page) != before, name
        page.timeline.pause()
    # Keys act in the page again.
    page.setFocus()
    present(page).leave()
    qtbot.waitUntil(page.hasFocus)
    page.timeline.go(8)
    press(Key.Key_Right)
    assert page.timeline.position == 9


def test_listing_and_memory_row_come_on_demand(page: ExplorePage) -> None:
    window = present(page)
    assert not page.code.isVisible()
    width = page.canvas.width()
    press(Key.Key_L)
    assert page.code.isVisible()
    assert page.code.window() is window
    assert 0.55 * width < page.canvas.width() < 0.75 * width
    press(Key.Key_L)
    assert not page.code.isVisible()
    assert page.canvas.width() == width
    # The memory row comes on demand and stays with the step.
    page.presentation.leave()
    present(page)
    assert not page.memory.isVisible()
    page.timeline.step(1)
    assert not page.memory.isVisible()
    press(Key.Key_R)
    assert page.memory.isVisible()


def test_blank_hides_everything_until_it_is_pressed_again_or_a_step_is_shown(page: ExplorePage) -> None:
    window = present(page)
    for key in [Key.Key_B, Key.Key_Period]:
        page.timeline.play()
        press(key)
        assert window.cover.isVisible()
        assert window.cover.geometry() == window.rect()
        assert window.grab().toImage().pixelColor(400, 400).name() == "#000000"
        assert not page.timeline.playing
        press(key)
        assert not window.cover.isVisible()
        press(key)
        press(Key.Key_PageDown)
        assert not window.cover.isVisible()
        press(key)
        QTest.mouseClick(window.cover, Qt.MouseButton.LeftButton)
        assert not window.cover.isVisible()


@pytest.mark.parametrize("screen", SCREENS)
def test_the_controls_are_in_a_slim_bar_below_the_picture(page: ExplorePage, screen: tuple[int, int]) -> None:
    window = present(page, screen)
    picture = QRect(page.canvas.mapTo(window, QPoint()), page.canvas.size())
    assert page.timeline.parentWidget() is page.stage_bar.parentWidget() is page.panes.parentWidget() is window.bar
    assert not window.bar.geometry().intersects(picture)
    assert window.bar.y() > picture.bottom()
    assert window.bar.height() <= 0.065 * screen[1]
    assert page.timeline.scrubber.width() >= 0.12 * screen[0]
    assert picture.width() >= 0.97 * screen[0]
    assert picture.height() >= 0.74 * screen[1]  # fonts for Chinese and Japanese have tall lines
    page.stage_bar.set_colouring("warp")
    page.stage_bar.set_reads(True)
    page.timeline.set_stride("barrier")
    page.timeline.start_loop()
    QApplication.processEvents()
    assert page.timeline.scrubber.width() >= 0.08 * screen[0]
    assert window.width() == screen[0]
    assert window.rect().contains(window.bar.geometry())


def draw(window: Presentation, *places: QPoint) -> None:
    """Draw a stroke with the mouse, which the window gets before its widgets."""
    handle, left, none = window.windowHandle(), Qt.MouseButton.LeftButton, Modifier.NoModifier
    QTest.mousePress(handle, left, none, places[0])
    for place in places[1:]:
        QTest.mouseMove(handle, place)
    QTest.mouseRelease(handle, left, none, places[-1])


def lightness(window: Presentation, place: QPoint) -> int:
    return window.grab().toImage().pixelColor(place).lightness()


def test_the_spotlight_dims_all_but_what_the_pointer_shows_and_lets_the_mouse_through(page: ExplorePage) -> None:
    window = present(page)
    shown, elsewhere = (page.canvas.mapTo(window, QPoint(x, 12)) for x in (300, 1000))
    before = lightness(window, shown), lightness(window, elsewhere)
    press(Key.Key_S)
    QTest.mouseMove(window.windowHandle(), shown)
    assert lightness(window, shown) == before[0]
    assert lightness(window, elsewhere) < 0.6 * before[1]
    QTest.mouseMove(window.windowHandle(), elsewhere)
    assert lightness(window, shown) < 0.6 * before[0]
    assert lightness(window, elsewhere) == before[1]
    press(Key.Key_S)
    assert (lightness(window, shown), lightness(window, elsewhere)) == before
    # With the spotlight the mouse reaches the picture.
    press(Key.Key_S)
    assert page.scene is not None
    raster = page.canvas.picture_layout.rasters[0]  # type: ignore[union-attr]
    place = page.canvas.mapTo(window, QPoint(round(raster.x + raster.cell / 2), round(raster.y + raster.cell / 2)))
    draw(window, place)
    assert page.selected.kind == "element"
    assert not page.inspector.isVisible()  # the picture stays where it is
    press(Key.Key_T)
    assert page.inspector.window() is window
    assert page.inspector.isVisible()


def test_the_pen_draws_on_the_picture_and_its_strokes_go_with_it(page: ExplorePage) -> None:
    window = present(page)
    middle = page.canvas.mapTo(window, page.canvas.rect().center())
    draw(window, middle, middle + QPoint(80, 0))
    assert window.overlay.strokes == []
    page.select(NOTHING)
    press(Key.Key_D)
    draw(window, middle, middle + QPoint(80, 0))
    draw(window, middle + QPoint(0, 40))
    assert len(window.overlay.strokes) == 2
    assert page.selected == NOTHING
    image = window.grab().toImage()
    assert image.pixelColor(middle + QPoint(40, 0)).name() == image.pixelColor(middle + QPoint(0, 40)).name()
    assert image.pixelColor(middle + QPoint(40, 0)).name() == page.theme.hazard
    draw(window, page.caption.mapTo(window, QPoint(9, 9)))
    draw(window, page.panes.buttons["code"].mapTo(window, QPoint(9, 9)))
    assert page.code.isVisible()  # the bar can be used
    press(Key.Key_L)
    press(Key.Key_B)
    draw(window, middle)
    assert not window.cover.isVisible()
    press(Key.Key_D)
    draw(window, middle)
    assert window.overlay.strokes == []
    # Strokes stay from step to step and go with the picture.
    press(Key.Key_D)
    draw(window, middle, middle + QPoint(80, 0))
    for key in (Key.Key_Right, Key.Key_Right, Key.Key_PageDown, Key.Key_H):
        press(key)
        QApplication.processEvents()
        assert len(window.overlay.strokes) == 1
    press(Key.Key_Z, Modifier.ShiftModifier)
    QApplication.processEvents()
    assert window.overlay.strokes == []


def test_escape_and_leaving_end_the_pen_and_the_spotlight(page: ExplorePage) -> None:
    window = present(page)
    middle = page.canvas.mapTo(window, page.canvas.rect().center())
    press(Key.Key_S)
    press(Key.Key_D)
    draw(window, middle, middle + QPoint(80, 0))
    press(Key.Key_D)  # put down: its strokes stay
    assert window.overlay.strokes
    press(Key.Key_Escape)
    assert not window.overlay.strokes
    assert window.spotlight_button.isChecked()
    press(Key.Key_D)
    press(Key.Key_Escape)
    assert not window.pen_button.isChecked()
    assert window.spotlight_button.isChecked()
    press(Key.Key_Escape)
    assert not window.spotlight_button.isChecked()
    assert window.active
    press(Key.Key_Escape)
    assert not window.active
    # Leaving ends pen and spotlight.
    present(page)
    cursor = page.canvas.cursor().shape()
    press(Key.Key_S)
    press(Key.Key_D)
    draw(window, page.canvas.mapTo(window, page.canvas.rect().center()))
    window.leave()
    assert page.canvas.cursor().shape() == cursor
    present(page)
    assert not window.spotlight_button.isChecked()
    assert not window.pen_button.isChecked()
    assert not window.overlay.strokes


def test_panes_of_a_presentation_are_its_own(own_page: ExplorePage) -> None:
    page = own_page
    page.panes.show_only({"code", "totals"})
    settings = Settings()
    page.remember_choices(settings)
    present(page)
    assert page.panes.shown == set()
    press(Key.Key_R)
    press(Key.Key_U)
    assert page.memory.area.isVisible()
    assert page.memory.totals.isVisible()
    page.presentation.leave()
    assert page.panes.shown == {"code", "totals"}
    assert settings.text("explore/panes") == ""
    settings.flush()


def test_the_palette_begins_to_present_with_the_spotlight(window: MainWindow) -> None:
    window.show()
    window.show_page(0)
    explore: ExplorePage = window.page(0)  # type: ignore[assignment]
    window.show_palette()
    assert window._palette is not None
    found = {command.keys: command for command in window._palette.shown}
    found["S"].run()
    assert explore.presentation.active
    assert explore.presentation.spotlight_button.isChecked()
    assert found["D"].title.startswith("Draw with a pen")


def test_question_mark_lists_the_keys_and_another_launch_is_shown(page: ExplorePage, qtbot: QtBot) -> None:
    window = present(page)
    press(Key.Key_Question, Modifier.ShiftModifier)
    assert page._keys.isVisible()
    assert page._keys.window() is window
    press(Key.Key_Escape)
    assert not page._keys.isVisible()
    assert window.active
    # An edit while presenting is shown.
    page._session.select(size=Size(5, 5, 5))
    qtbot.waitUntil(lambda: not page.busy)
    assert window.active
    assert page.scene is not None
    assert page.canvas.window() is window


def test_closing_while_presenting_leaves_nothing(own_page: ExplorePage) -> None:
    page = own_page
    window = present(page)
    page.close()
    assert not window.active
    assert not window.isVisible()


def test_a_field_with_the_focus_may_be_gone_at_the_end(page: ExplorePage, qtbot: QtBot) -> None:
    field = QLineEdit(page)
    field.show()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    page.present()
    delete(field)
    page.presentation.leave()
    assert not page.presentation.active
    assert page.timeline.isVisible()


def test_f11_presents_on_explore_and_is_full_screen_elsewhere(window: MainWindow, qtbot: QtBot, wild: Kernel) -> None:
    window.show()
    window.show_page(0)
    explore = window.page(0)
    window.header.full_screen_requested.emit()
    assert explore.presentation.active  # type: ignore[attr-defined]
    assert not window.isFullScreen()
    explore.presentation.leave()  # type: ignore[attr-defined]
    window.show_page(2)
    window.header.full_screen_requested.emit()
    assert window.isFullScreen()
    window.header.full_screen_requested.emit()
    assert not window.isFullScreen()


def test_a_comparison_is_presented_with_both_pictures_and_the_figures(page: ExplorePage, qtbot: QtBot) -> None:
    assert page.story is not None
    page.compare(page.story, "one", "the other")
    qtbot.waitUntil(lambda: page.panes.isVisible() and page.caption_row.height() >= page.caption.minimumHeight())
    before = whereabouts(page)
    window = present(page)
    QApplication.processEvents()
    assert page.other.window() is page.figures.window() is window
    assert abs(page.other.width() - page.stage_column.width()) <= 2
    assert page.figures.legend.isVisible()
    for part in (page.figures.legend, *page.figures.findChildren(QLabel)):
        assert QFontInfo(part.font()).pixelSize() >= 0.022 * window.height()
    window.leave()
    qtbot.waitUntil(lambda: whereabouts(page) == before)
    present(page)
    for caption in (page.caption, page.other.caption):
        assert QFontInfo(caption.font()).pixelSize() >= 0.025 * window.height()
    for label in page.figures.findChildren(QLabel):
        assert label.height() >= label.fontMetrics().height()
    page.stop_comparing()
    assert not page.other.isVisible()
    window.leave()
    assert page.code.isVisible()
    present(page)
    page.compare(page.story, "one", "the other")
    window.leave()
    QApplication.processEvents()
    assert abs(page.other.width() - page.stage_column.width()) <= 2
