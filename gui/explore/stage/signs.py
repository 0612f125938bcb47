"""Signs of the picture, for the help: each painted as in the legend, with its meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPixmap

from gui.explore.stage.legend import Mark, paint_sample
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.text_painter import TextPainter
from gui.shell.pages import Sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gui.theming.theme import Theme

SIGNS: Final[Mapping[Mark, tuple[str, str]]] = {
    "read": ("Read", "A thread reads this element in the step shown."),
    "wrote": ("Written", "A thread writes this element in the step shown: the corner is filled."),
    "unwritten": ("Not written yet", "The element has no value. To read it is a mistake."),
    "in-shared": ("In shared memory", "The block has a copy of this element in shared memory now."),
    "zero": (
        "Fills in 0",
        "A thread writes 0 into the tile, because its element lies outside the matrix: its guard is false.",
    ),
    "active": ("Active thread", "The thread takes part in the step shown. Where threads are small, a dot."),
    "guarded-off": ("Skips this", "The condition around the statement is false for this thread."),
    "padding": ("Padding", "An element that no thread accesses; it only makes the row longer."),
    "outside": ("Does not exist", "A thread accesses an element outside the array, at the place where it would be."),
    "landing": ("Has that address", "The element whose address an access outside the array reaches in its place."),
    "wrong": (
        "Wrong result",
        "The element's last value differs from the correct one. A click on the result line leads there.",
    ),
    "hues": ("A colour for each", "Blocks, warps or threads, and what they access, have a colour each (Shift+C)."),
    "several": ("Of several", "Threads of several groups access this element in the step."),
    "not-drawn": ("Not drawn", "Arrays that the run accesses and the picture has no place for."),
    "lane-runs": ("Lane runs", "The lane executes the statement."),
    "lane-masked": ("Lane is masked", "The lane has taken the other side of a branch, and takes no part."),
    "lane-waits": ("Lane waits", "The lane waits at the barrier."),
    "lane-returned": ("Lane has returned", "The thread of this lane has ended."),
    "used": ("Bytes used", "The elements that a warp's request wants, in the sectors that are moved for it."),
    "wasted": ("Moved, not used", "Bytes of these sectors that no lane of the request wants."),
    "conflict": ("Bank conflict", "The bank serves one word at a time: this lane waits for a later wavefront."),
    "no-label": ("No label yet", "An object that k-means has not assigned to a centre."),
    "lit-object": ("Object of the thread", "The object that the thread in focus works on."),
    "collides": ("Atomics collide", "Several threads update the same element: they take turns."),
}
"""Title and meaning of each mark."""


def signs(theme: Theme, side: int, ratio: float) -> Iterator[Sign]:
    """Yield the signs, `side` pixels high, in a theme's colours, for a screen with a ratio of pixels."""
    texts = TextPainter(QGuiApplication.font().family())
    for mark, (title, meaning) in SIGNS.items():
        picture = QPixmap(round(side * ratio), round(side * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(theme.panel))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_sample(Tools(painter, theme, texts, side), mark, QRectF(2, 2, side - 4, side - 4))
        painter.end()
        yield Sign(picture, title, meaning)
