"""Numbers and headings that an arrow crosses are painted again over it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath

from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.paint_flows import paint_arrow
from gui.explore.stage.text_log import TextLog
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT

ARROW = QColor("#ff0000")


@pytest.mark.usefixtures("qapp")
def test_an_arrow_passes_behind_the_text_that_it_crosses_only() -> None:
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    log = TextLog(TextPainter("Sans"))
    tools = Tools(painter, LIGHT, log, 18.0)
    log.start(painter, 20, QColor(Qt.GlobalColor.black))
    log.draw_all_centred(painter, [(100, 50), (100, 80)], ["8", "8"], 20)
    paint_arrow(tools, QPointF(10, 50), QPointF(190, 50), ARROW, 3.0, Qt.PenStyle.SolidLine, (0, 0))
    assert any(image.pixelColor(x, 50) == ARROW for x in range(95, 106))
    below = image.copy(80, 65, 40, 30)
    log.paint_crossed(painter, tools.over_texts)
    painter.end()
    assert not any(image.pixelColor(x, 50) == ARROW for x in range(95, 106))
    assert image.pixelColor(60, 50) == ARROW
    assert image.copy(80, 65, 40, 30) == below


@pytest.mark.usefixtures("qapp")
def test_nothing_is_painted_again_without_arrows() -> None:
    image = QImage(50, 50, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    log = TextLog(TextPainter("Sans"))
    log.start(painter, 20, QColor(Qt.GlobalColor.black))
    log.draw_centred(painter, 25, 25, "8", 20)
    before = image.copy()
    log.paint_crossed(painter, [QPainterPath(QPointF(0, 0))])
    painter.end()
    assert image == before
