"""The start page: every tile has its picture and leads to its answer, by mouse, keyboard and remote."""

from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImageReader
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, EXPLORE, OCCUPANCY, PAGES, START
from gui.shell.settings import Settings
from gui.start.page import StartPage
from kernels.catalog import find_kernel
from kernels.lessons import find_lesson
from kernels.start_tiles import Tile, start_tiles
from tests.gui.windows import explore, learn, opened, settle

TILES = start_tiles()


@pytest.fixture
def page(qtbot: QtBot) -> StartPage:
    window = opened(qtbot)
    window.show_page(START)
    return cast("StartPage", window.page(START))


def window_of(page: StartPage) -> MainWindow:
    return cast("MainWindow", page.window())


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.id)
def test_a_tile_names_what_exists(tile: Tile) -> None:
    for theme in ("light", "dark"):
        reader = QImageReader(str(tile.picture(theme)))
        assert reader.supportsAnimation()
        assert reader.imageCount() > 1
    assert tile.says.endswith((".", "?"))
    if tile.lesson:
        lesson = find_lesson(tile.lesson)
        assert 1 <= tile.step <= len(lesson.steps)
        assert lesson.minutes == tile.minutes
        assert any(step.ask is not None for step in lesson.steps[tile.step - 1 :])
    for kernel in (tile.kernel, *tile.curves):
        assert not kernel or find_kernel(kernel).id == kernel
    assert not tile.page or tile.page in {spec.title for spec in PAGES}
    assert sum(map(bool, (tile.lesson, tile.kernel, tile.page, tile.opens))) == 1


@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_a_tile_explains_the_words_of_its_question(page: StartPage, qtbot: QtBot, width: int) -> None:
    window_of(page).resize(width, 800)
    qtbot.waitUntil(lambda: page.width() >= width - 40)
    for tile in page.tiles:
        assert tile.lines_in(tile.width()) <= tile._lines  # nothing of it is cut off
        assert tile.rect().height() >= tile.sizeHint().height() - 1
    assert len({tile._lines for tile in page.tiles}) == 1  # questions of a row are at one height


def test_the_picture_moves_while_a_tile_is_pointed_at(qtbot: QtBot, page: StartPage) -> None:
    tile = page.tiles[2]
    at_rest = tile._movie.currentImage()
    QTest.mouseMove(page, QPoint(2, 2))
    QTest.mouseMove(tile, tile.rect().center())
    qtbot.waitUntil(lambda: tile._movie.currentFrameNumber() > 0, timeout=5000)
    QTest.mouseMove(page, QPoint(2, 2))
    qtbot.waitUntil(lambda: tile._movie.state() == tile._movie.MovieState.NotRunning)
    assert tile._movie.currentImage() == at_rest


def test_a_click_presents_the_answer_and_its_end_leads_on(qtbot: QtBot, page: StartPage) -> None:
    window = window_of(page)
    tile = next(tile for tile in page.tiles if tile.tile.id == "barriers")
    QTest.mouseClick(tile, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    stage, runner = explore(window), learn(window).runner
    assert stage.presentation.active
    assert runner.lesson == find_lesson(tile.tile.lesson)
    assert runner.number == tile.tile.step - 1
    assert stage.timeline.playing
    moment = stage.timeline.position + tile.tile.lead
    qtbot.waitUntil(lambda: not stage.timeline.playing, timeout=20_000)
    assert stage.timeline.position == moment
    assert runner.drawer.window() is stage.presentation
    runner.leave()
    settle(qtbot, window)
    assert window.header.page == START


def test_the_remote_chooses_a_tile_and_starts_its_answer(qtbot: QtBot, page: StartPage) -> None:
    window = window_of(page)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    page.tiles[0].setFocus()
    QTest.keyClick(window, Qt.Key.Key_PageDown)
    assert page.tiles[1].hasFocus()
    QTest.keyClick(window, Qt.Key.Key_PageUp)
    QTest.keyClick(window, Qt.Key.Key_PageUp)
    assert page.tiles[-1].hasFocus()
    page.tiles[0].setFocus()
    window._fill_screen()
    settle(qtbot, window)
    assert learn(window).runner.lesson == find_lesson(TILES[0].lesson)


def test_a_kernel_is_played_and_a_page_is_shown(qtbot: QtBot, page: StartPage) -> None:
    window = window_of(page)
    chosen = {tile.tile.id: tile for tile in page.tiles}
    chosen["fast"].click()
    assert window.header.page == BENCHMARK
    window.show_page(START)
    chosen["tensor"].click()
    qtbot.waitUntil(lambda: not explore(window).busy, timeout=20_000)
    assert window.session.selection.kernel.id == chosen["tensor"].tile.kernel
    assert explore(window).timeline.playing
    explore(window).presentation.leave()
    explore(window).timeline.pause()


def test_the_first_start_asks_and_later_ones_go_on(qtbot: QtBot) -> None:
    first = MainWindow(Settings())
    qtbot.addWidget(first)
    first.resume()
    assert first.header.page == START
    first.show_page(OCCUPANCY)
    first.close()
    second = MainWindow(Settings())
    qtbot.addWidget(second)
    second.resume()
    assert second.header.page == OCCUPANCY
    assert EXPLORE not in second._pages
    second.close()


@pytest.mark.parametrize("width", [700, 1280, 1920])
def test_all_tiles_lie_side_by_side_at_every_width(qtbot: QtBot, page: StartPage, width: int) -> None:
    window_of(page).resize(width, 800)
    QTest.qWaitForWindowExposed(window_of(page))
    places = [tile.geometry() for tile in page.tiles]
    assert not any(a.intersects(b) for n, a in enumerate(places) for b in places[:n])
    assert all(page.rect().contains(place) for place in places)
