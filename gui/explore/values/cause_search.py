"""Search for the causes of an element under the pointer, in parts: those of a matrix product may be a thousand."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from gui.explore.stage.focus import Focus
    from gui.explore.stage.stage import Stage
    from kernels.analysis import Frame

_PART_S: Final = 0.02
"""Seconds that one part takes from the window."""


class CauseSearch(QObject):
    """Computes what the picture of an element in focus needs; a new search replaces the one before.

    Signals
    -------
    found(Focus)
        The focus can be shown without a delay: at once if the search is short, and for all but elements.
    """

    found = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._go_on)
        self._wanted: tuple[Stage, Frame, Focus] | None = None

    def start(self, stage: Stage, frame: Frame, focus: Focus) -> None:
        """Search for the causes of an element, at the moment that a frame shows."""
        self._wanted = stage, frame, focus
        self._go_on()

    def stop(self) -> None:
        """Give the search up."""
        self._timer.stop()
        self._wanted = None

    def _go_on(self) -> None:
        if self._wanted is None:
            return
        stage, frame, focus = self._wanted
        end = monotonic() + _PART_S
        if focus.kind != "element" or stage.causes.prepare(
            focus.array, focus.index, *frame, focus.lane, enough=lambda: monotonic() > end
        ):
            self.stop()
            self.found.emit(focus)
        else:
            self._timer.start()
