r"""Control characters of a user's file are shown in the window as \x1b, \r and \u202e."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from pytestqt.qtbot import QtBot

from gui.explore.code.hazard_list import HazardList
from gui.explore.export.film import picture
from gui.explore.stage.canvas import Canvas
from gui.explore.stage.caption import Caption
from gui.shell.main_window import MainWindow
from gui.theming.theme import LIGHT
from gui.widgets.controls import ElidedLabel
from kernels.trace import Hazard
from tests.gui.explore.conftest import scene_on, stage

RAW, SHOWN = "a\x1b[31mb\r\u202ec\x9bd", r"a\x1b[31mb\r\u202ec\x9bd"


SIZE = QSize(640, 360)


@pytest.mark.usefixtures("qapp")
def test_printed_lines_are_painted_with_escapes() -> None:
    scene = scene_on(stage("hello_grid"), "printf")
    pictures = [picture(replace(scene, printed=(line, "next")), SIZE, LIGHT) for line in (RAW, SHOWN, "a")]
    assert pictures[0] == pictures[1]
    assert pictures[0] != pictures[2]


def test_words_and_lists_show_escapes(qtbot: QtBot) -> None:
    caption, words, hazards, canvas = Caption(), ElidedLabel(), HazardList(), Canvas(LIGHT)
    for widget in (caption, words, hazards, canvas):
        qtbot.addWidget(widget)
    caption.say(RAW)
    words.say(RAW)
    canvas.show_message(RAW)
    hazards.show_hazards([Hazard("assertion", "", "", -1, 7, 1, (), RAW, 0)])
    assert caption.text() == SHOWN
    assert words.whole == SHOWN
    assert canvas.accessibleDescription() == SHOWN
    assert hazards.item(0).text() == f"Line 7: {SHOWN}"
    assert hazards.item(0).toolTip() == SHOWN


def test_messages_of_the_window_show_escapes(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.notice.say(RAW, "error")
    assert window.notice.text == f"⚠ {SHOWN}"
    with qtbot.waitSignal(window.opening.file_refused):
        window.open_file(tmp_path / "no\x1b[31m\nsuch.cu")
    assert "no\\x1b[31m\\nsuch.cu" in window.notice.text
