"""Colours and size of the text, and that nothing is cut off by them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast

import pytest
from PySide6.QtGui import QAction, QFont, QFontDatabase, QFontMetricsF, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, PAGES
from gui.shell.settings import Settings
from gui.theming import style
from gui.theming.fonts import fixed_pitch_font
from gui.theming.theme import DARK
from tests.gui.windows import benchmark, explore, occupancy

pytestmark = pytest.mark.usefixtures("usual_text")


@pytest.fixture
def usual_text(qapp: QApplication) -> Iterator[None]:
    before = qapp.font().pointSizeF()
    yield
    style.set_text(qapp, before)


def action(window: MainWindow, keys: str) -> QAction:
    wanted = QKeySequence(keys)
    return next(found for found in window.header.actions() if wanted in found.shortcuts())


def test_text_grows_step_by_step_up_to_the_largest_and_back(window: MainWindow) -> None:
    sizes = []
    for keys in ("Ctrl++", "Ctrl+=", "Ctrl+-", "Ctrl+0", *["Ctrl++"] * 9):
        action(window, keys).trigger()
        sizes.append(QApplication.font().pointSizeF())
    assert sizes[:4] == [*style.TEXT_PT[1:3], style.TEXT_PT[1], style.TEXT_PT[0]]
    assert sizes[-1] == style.TEXT_PT[-1]


def test_a_chosen_size_is_there_at_the_next_start(window: MainWindow, qtbot: QtBot) -> None:
    window.appearance.step_text(1)
    window._settings.flush()
    style.set_text(cast("QApplication", QApplication.instance()), style.TEXT_PT[0])
    qtbot.addWidget(MainWindow(Settings()))
    assert QApplication.font().pointSizeF() == style.TEXT_PT[1]


@pytest.mark.parametrize("text", ["", "huge", "3", "300", "nan"])
def test_a_size_that_makes_no_sense_is_the_usual_one(text: str) -> None:
    settings = Settings()
    settings.remember("text_pt", text)
    assert settings.text_pt is None


def test_rows_of_a_table_are_as_high_as_before_when_the_text_is_normal_again(window: MainWindow) -> None:
    window.show()
    window.show_page(BENCHMARK)
    results = benchmark(window).results
    results.setCurrentIndex(results.count() - 1)
    rows = results.table.view.verticalHeader()
    heights = []
    for step in (0, 1, 1, 1, 0):
        window.appearance.step_text(step)
        QApplication.processEvents()
        heights.append(rows.defaultSectionSize())
    assert heights[0] == heights[-1] < heights[-2]


def test_widgets_with_a_font_size_of_their_own_follow(window: MainWindow) -> None:
    for number in (0, 2):
        window.show_page(number)
    stage, chart = explore(window), occupancy(window)
    for _ in style.TEXT_PT:
        window.appearance.step_text(1)
    window.show_page(0)  # a page takes what has changed when it is shown
    largest = style.TEXT_PT[-1]
    axis = chart.tabs.blocks.plot.getAxis("left").style["tickFont"]
    for font in (stage.code.font(), stage.inspector.text.font(), chart.headline.remedy.font(), axis):
        assert font.pointSizeF() >= largest


def test_tabs_and_pages_that_are_built_later_are_dressed(window: MainWindow) -> None:
    window.show()
    window.show_page(0)
    QApplication.processEvents()
    window.appearance.step_text(1)
    window.show_page(2)
    assert occupancy(window).caption.font().pointSizeF() == style.TEXT_PT[1]
    # A tab that is built later is dressed.
    window.show_page(1)
    window.set_theme("dark")
    results = benchmark(window).results
    results.show_tab("% of peak")
    tab = results.chart_tab("% of peak")
    assert tab.plot._theme == DARK
    assert around(tab).styleSheet() == style.sheet(DARK)


def test_no_button_is_cut_off(window: MainWindow) -> None:
    for width, height, steps in [(1024, 700, 0), (1280, 800, 1), (1920, 1080, 3)]:
        window.appearance.step_text(0)
        for _ in range(steps):
            window.appearance.step_text(1)
        window.resize(width, height)
        window.show()
        for number, page in enumerate(PAGES):
            window.show_page(number)
            for _ in range(3):  # a page is laid out after it is shown
                QApplication.processEvents()
            buttons = [found for found in window.findChildren(QAbstractButton) if found.isVisible()]
            least = {button: button.minimumSizeHint() for button in buttons}
            cut = [button for button, size in least.items() if button.size().expandedTo(size) != button.size()]
            assert not [(page.title, button.text()) for button in cut]
            assert max(button.mapTo(window, button.rect().bottomRight()).x() for button in buttons) <= width, page.title


def around(widget: QWidget) -> QWidget:
    found = widget.parentWidget()
    assert found is not None
    return found


def test_only_what_is_in_sight_is_dressed_and_the_rest_when_it_is_shown(window: MainWindow) -> None:
    window.show_page(0)
    window.show_page(1)
    window.set_theme("light")
    page = benchmark(window)
    results = page.results
    results.show_tab("Time")
    results.show_tab("Rate")
    shown = [window.header, page.setup, page.lines, around(results.gflops)]
    hidden = [window.page(0), page.runs, around(results.chart_tab("Time"))]
    before = {part.styleSheet() for part in hidden}
    window.set_theme("dark")
    window.appearance.step_text(1)
    assert {part.styleSheet() for part in shown} == {style.sheet(DARK)}
    assert {part.styleSheet() for part in hidden} == before
    for tabs in (page.left, results):
        assert tabs.palette().window().color().name() == DARK.window
        assert tabs.tabBar().font().pointSizeF() == QApplication.font().pointSizeF()
    results.show_tab("Time")
    page.left.setCurrentWidget(page.runs)
    window.show_page(0)
    assert {part.styleSheet() for part in hidden} == {style.sheet(DARK)}
    assert results.chart_tab("Time").plot._theme == DARK


CODE = """
import json
from PySide6.QtGui import QFontDatabase, QFontMetricsF
from PySide6.QtWidgets import QApplication
application = QApplication([])
from gui.explore.code.text_area import TextArea
from gui.explore.code.code import CodeView
from gui.learn.exercise_list import ExerciseList
from gui.learn.progress import Progress
from gui.theming.theme import LIGHT
exercises = ExerciseList([], [], Progress())
exercises.set_theme(LIGHT)
fonts = {
    "system": QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont),
    "listing": CodeView(LIGHT).font(),
    "editor": TextArea(LIGHT).font(),
    "exercise": exercises.given.font(),
}
print(json.dumps({name: [QFontMetricsF(font).horizontalAdvance(c) for c in "iM0 "] for name, font in fonts.items()}))
"""


ALIAS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <match target="pattern">
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="assign" binding="strong"><string>{family}</string></edit>
  </match>
  <include>{present}</include>
</fontconfig>
"""
"""Resolves "monospace" to a proportional font, as a Chinese, Japanese or Korean locale may."""


def pitches(**environment: str) -> dict[str, set[float]]:
    """Return the different advances of each view's font in a process with these environment variables."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return {name: set(advances) for name, advances in json.loads(done.stdout).items()}


def test_source_keeps_its_fixed_pitch_where_the_fixed_font_of_the_system_is_proportional(
    qapp: QApplication, tmp_path: Path
) -> None:
    if sys.platform != "linux":
        pytest.skip("fontconfig chooses the fonts of Linux only")
    families = QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
    advances = {family: QFontMetricsF(QFont(family)).horizontalAdvance for family in families}
    proportional = next(family for family, advance in advances.items() if advance("i") < advance("M"))
    file = tmp_path / "fonts.conf"
    present = os.environ.get("FONTCONFIG_FILE", "/etc/fonts/fonts.conf")
    file.write_text(ALIAS.format(present=present, family=proportional), encoding="utf-8")
    found = pitches(FONTCONFIG_FILE=str(file))
    assert len(found.pop("system")) > 1  # else the file has no effect
    assert [len(advances) for advances in found.values()] == [1, 1, 1]


def test_source_keeps_its_fixed_pitch_in_japanese() -> None:
    """Where a Japanese font is installed, fontconfig prefers it to the fixed-pitch ones."""
    found = pitches(LC_ALL="ja_JP.UTF-8")
    found.pop("system")
    assert [len(advances) for advances in found.values()] == [1, 1, 1]


def test_the_fixed_font_of_the_system_is_used_where_it_is_one(qapp: QApplication) -> None:
    system, font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont), fixed_pitch_font(14.0)
    advance = QFontMetricsF(system).horizontalAdvance
    assert font.pointSizeF() == 14.0
    assert (font.families() == system.families()) is (advance("i") == advance("M") == advance("0") == advance(" "))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_buttons_of_a_file_dialog_show_their_icons(
    window: MainWindow, tmp_path: Path, theme: Literal["light", "dark"]
) -> None:
    window.set_theme(theme)
    dialog = QFileDialog(window, "", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.show()
    for button in dialog.findChildren(QToolButton):
        picture = button.grab().toImage()
        inside = picture.copy(picture.rect().adjusted(4, 4, -4, -4))
        colours = {inside.pixel(x, y) for x in range(inside.width()) for y in range(inside.height())}
        assert len(colours) > 1, button.accessibleName()
    dialog.close()
    dialog.deleteLater()
