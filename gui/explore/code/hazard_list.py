"""Hazards of a run above the listing, and the lines that the selected GPU runs in place of those in the picture."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from gui.widgets.controls import label, vbox
from kernels.control_characters import escape_controls
from kernels.narration.hazards import PROPOSED, hazard_message, wrong_read_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QResizeEvent

    from kernels.trace import Hazard, Trace

_SHOWN: Final = 3
_LINES: Final = 6
"""Most lines of text that are visible at once: the listing below needs room too."""

_HEIGHT_PX: Final = 210
"""Height in which more lines may be visible."""


class HazardList(QListWidget):
    """List as high as its first entries; a click or Enter shows the step of a hazard.

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


class SideBar(QWidget):
    """Number and list of the hazards of a run.

    Signals
    -------
    hazard_chosen(Hazard)
        A hazard in the list was clicked.
    """

    hazard_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told = True
        self.badge = QLabel(self)
        self.badge.setProperty("role", "warning")
        self.badge.setToolTip(
            "Errors of this run, or errors that can occur on a GPU or in another order of warps "
            "even if this result is correct."
        )
        self.badge.setWordWrap(True)
        self.badge.hide()
        self.other_code = label(role="muted", line=True)
        self.other_code.hide()
        self.hazards = HazardList(self)
        self.hazards.hazard_chosen.connect(self.hazard_chosen)
        outer = vbox(self, (4, 0, 0, 0))
        outer.addWidget(self.other_code)
        outer.addWidget(self.badge)
        outer.addWidget(self.hazards)

    @property
    def found(self) -> bool:
        """True if the run has hazards, or did not end."""
        return not self.badge.isHidden()

    def say_other_code(self, words: str) -> None:
        """Say that the selected GPU runs other lines of the listing than the picture; "" where it does not."""
        self.other_code.setText(words)
        self.other_code.setVisible(bool(words))

    def set_told(self, *, told: bool) -> None:
        """Choose whether hazards are told here, or where somebody else tells them: from the next run on."""
        self._told = told

    def show_trace(self, trace: Trace | None, *, proposed: bool = False) -> None:
        """List the hazards of a run; first say if its launch was proposed, which may be their cause."""
        if trace is None:
            self.say_other_code("")
        found = trace.hazards if trace is not None and self._told else ()
        self.hazards.show_hazards(found, trace)
        stopped = trace.stopped if trace is not None and self._told else ""
        found_words = (
            f"⚠ {len(found)} hazards: click one to see its step"
            if len(found) > 1
            else "⚠ 1 hazard: click it to see its step"
        )
        words = [PROPOSED] * (proposed and bool(found or stopped)) + [found_words] * bool(found)
        self.badge.setText("; ".join(words + ([f"⚠ {stopped}"] if stopped else [])))
        self.badge.setVisible(bool(found or stopped))
