"""List of a run's hazards; a click or Enter shows the step of a hazard."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from kernels.control_characters import escape_controls
from kernels.narration.hazards import hazard_message
from kernels.narration.races import wrong_read_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QResizeEvent

    from kernels.trace import Hazard, Trace

_SHOWN: Final = 3
_LINES: Final = 5
"""Most lines of text that are visible at once: the listing below needs room too."""

_HEIGHT_PX: Final = 190
"""Height in which more lines may be visible."""


class HazardList(QListWidget):
    """List as high as its first entries.

    Signals
    -------
    hazard_chosen(Hazard)
        An entry was clicked, or Enter pressed on it.
    """

    hazard_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Hazards found in this run")
        self.setWordWrap(True)
        self.setAlternatingRowColors(True)  # where one entry ends and the next begins
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)
        self.hide()

    def show_hazards(self, hazards: Iterable[Hazard], trace: Trace | None = None) -> None:
        """List hazards, with `trace` each with the first read that it makes wrong; without any, hide the list."""
        self.clear()
        for hazard in hazards:
            message = hazard.message if trace is None else hazard_message(trace.launch, hazard)
            item = QListWidgetItem(hazard_words(hazard, trace))
            item.setData(Qt.ItemDataRole.UserRole, hazard)
            item.setToolTip(escape_controls(message))
            self.addItem(item)
        self.setVisible(self.count() > 0)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to the first entries: their lines break more often in a narrower list."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the first entries that are seen whole, or as the first one as far as there is room."""
        self.doItemsLayout()
        most = max(self.fontMetrics().lineSpacing() * _LINES, _HEIGHT_PX)
        heights = [self.visualItemRect(self.item(row)).height() for row in range(min(self.count(), _SHOWN))]
        whole = [total for total in accumulate(heights) if total <= most]
        self.setFixedHeight((whole[-1] if whole else most) + 2 * self.frameWidth())
        # A turn of the wheel or a click on an arrow is a message, and the end of a long one can still be seen.
        self.verticalScrollBar().setSingleStep(min([most, *heights]))

    def _choose(self, item: QListWidgetItem) -> None:
        self.hazard_chosen.emit(item.data(Qt.ItemDataRole.UserRole))


def hazard_words(hazard: Hazard, trace: Trace | None) -> str:
    """Return the report of a hazard, with the first read that it makes wrong if its run is known."""
    times = f" ({hazard.count:,} times)" if hazard.count > 1 else ""
    seen = wrong_read_sentence(trace, hazard) if trace is not None else ""
    message = hazard.message if trace is None else hazard_message(trace.launch, hazard)
    words = f"Line {hazard.at}: {message}{times}"
    return escape_controls(f"{words}. {seen}" if seen else words)
