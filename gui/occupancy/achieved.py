"""Panel of the occupancy achieved: recorded launches, a button that records one here, the picture and its words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QScrollBar, QSplitter, QTextEdit, QWidget

from gui.occupancy.block_recorder import BlockRecorder
from gui.occupancy.explanation import Explanation, unbroken
from gui.occupancy.timeline_picture import TimelineData, TimelinePicture, prepare
from gui.shell.jobs import JobRunner
from gui.widgets.controls import Choice, add_parts, hbox, push_button, show_text, vbox
from gui.widgets.flow_layout import FlowLayout
from kernels.errors import TilescopeError
from kernels.occupancy.block_timeline import SHIPPED, file_name, read_timeline, timelines_in, write_timeline_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtGui import QCloseEvent, QShowEvent

    from gui.selection.session import Selection, Session
    from gui.theming.theme import Theme

_SM_COUNTS: Final = (32, 16, 8, 4, 2, 1)


class AchievedPanel(QWidget):
    """Timelines of recorded launches: those shipped with the program, and those of this machine.

    Parameters
    ----------
    session : Session
        Names the GPU of this machine, or what is missing.
    folder : Path
        Folder of the user's recordings.
    shipped : Path
        Folder of the shipped ones.

    Signals
    -------
    list_read()
        The recordings of both folders can be chosen.
    """

    list_read = Signal()

    def __init__(self, session: Session, folder: Path, shipped: Path = SHIPPED, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._folder, self._shipped = session, folder, shipped
        self._found: list[TimelineData] = []
        self._read_once = False
        self._reader, self._saver = JobRunner(self), JobRunner(self)
        self._reader.finished.connect(self._show_list)
        self._saver.finished.connect(self._show_new)
        self._saver.failed.connect(lambda error: self._say(str(error)))
        self.recorder = BlockRecorder(session, self)
        self.recorder.progress_made.connect(lambda words: self._say(f"{words} …"))
        self.recorder.line_received.connect(self._save)
        self.recorder.ended.connect(self._ended)

        self.choice = Choice("Recorded launch")
        self.choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.record = push_button("Record", slot=self._start)
        self.stop = QPushButton("Stop")
        self.sms = Choice("SMs that are drawn")
        self.status = Explanation()
        """Progress of a recording, or why there is none."""
        self.note = Explanation(role="muted")
        """What is missing here, and what is shown instead."""
        self.picture = TimelinePicture()
        self.first_sm = QScrollBar(Qt.Orientation.Vertical)
        self.first_sm.setAccessibleName("First SM that is drawn")
        self.words = QTextEdit(readOnly=True)
        self.words.setAccessibleName("Occupancy achieved, in words")
        self.words.setTabChangesFocus(True)
        self._lay_out()

        self.choice.activated.connect(self._show_chosen)
        self.sms.activated.connect(self._set_range)
        self.first_sm.valueChanged.connect(self._scrolled)
        self.stop.clicked.connect(self.recorder.stop)
        session.offers_changed.connect(self._show_state)
        self._show(None)
        self._say("")
        self._fill()
        self._show_state()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self.picture.set_theme(theme)

    def show_selection(self, selection: Selection) -> None:
        """Choose the recording that is nearest to a selection: of its kernel, size and block as far as there is one."""
        if self._found:
            self._show(max(self._found, key=lambda data: _nearness(data, selection)))
        self._show_state()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the recordings when they are first needed."""
        super().showEvent(event)
        if not self._read_once:
            self._read_once = True
            folder, shipped = self._folder, self._shipped
            self._reader.start(lambda _cancelled: _read_all(folder, shipped))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the child process and the threads."""
        self.recorder.close()
        self._reader.close()
        self._saver.close()
        super().closeEvent(event)

    @property
    def _chosen(self) -> TimelineData | None:
        place = self.choice.currentIndex()
        return self._found[place] if 0 <= place < len(self._found) else None

    # --- recordings ------------------------------------------------------------------------------------

    def _show_list(self, found: list[TimelineData]) -> None:
        self._found = [*self._found, *found]
        self._fill()
        self.show_selection(self._session.selection)
        self.list_read.emit()

    def _show_new(self, data: TimelineData) -> None:
        self._found.insert(0, data)
        self._fill()
        self._show(data)
        self._show_state()

    def _show_chosen(self) -> None:
        self._show(self._chosen)
        self._show_state()

    def _fill(self) -> None:
        self.choice.clear()
        self.choice.addItems([data.title for data in self._found])
        self.choice.setVisible(bool(self._found))

    def _show(self, data: TimelineData | None) -> None:
        if data is not None:
            self.choice.setCurrentIndex(self._found.index(data))
            self.choice.setToolTip(data.title)
        self.picture.show_timeline(data)
        self.words.setPlainText(unbroken("\n".join(data.sentences)) if data else "")
        count = data.timeline.measured.sm_count if data else 0
        self.sms.clear()
        for number in (count, *(n for n in _SM_COUNTS if n < count)):
            self.sms.addItem(f"all {number} SMs" if number == count else f"{number} SM{'s' * (number > 1)}", number)
        for widget in (self.sms, self._bottom):
            widget.setVisible(data is not None)
        self._set_range()

    def _set_range(self) -> None:
        data = self.picture.data
        shown = int(self.sms.currentData() or 1)
        count = data.timeline.measured.sm_count if data else shown
        self.first_sm.setPageStep(shown)
        self.first_sm.setRange(0, count - shown)
        self.first_sm.setVisible(count > shown)
        self._scrolled()

    def _scrolled(self) -> None:
        self.picture.set_sms(self.first_sm.value(), int(self.sms.currentData() or 1))

    # --- recording -------------------------------------------------------------------------------------

    def _start(self) -> None:
        try:
            self.recorder.start(self._session.selection)
        except TilescopeError as error:
            self._say(str(error))
            return
        self._say("Starting …")
        self._show_state()

    def _save(self, line: str) -> None:
        folder = self._folder
        self._say("Reading the recording …")
        self._saver.start(lambda _cancelled: _read_and_save(line, folder))

    def _ended(self, why: str) -> None:
        self._say(f"Not recorded: {why}" if why else "")
        self._show_state()

    def _say(self, words: str) -> None:
        show_text(self.status, words)

    def _show_state(self) -> None:
        """Enable the buttons that work now, and say what is missing."""
        present = next((device for device in self._session.devices if device.present), None)
        running = self.recorder.running
        self.record.setText(f"Record on {present.name}" if present else "Record")
        self.record.setEnabled(present is not None and not running)
        self.record.setToolTip("Run the selected launch on this machine's GPU, with a timer in every block")
        self.stop.setVisible(running)
        note = " ".join(self._notes(here=present is not None))
        show_text(self.note, note)

    def _notes(self, *, here: bool) -> Iterator[str]:
        """Yield what is missing; `here` if there is a GPU."""
        shown, wanted = self.picture.data, self._session.selection.kernel
        if shown is None:
            yield "There is no recording yet."
        elif shown.timeline.measured.kernel != wanted.id:
            yield f"“{wanted.title}” is not recorded: another kernel is shown."
        if not here:
            yield f"A recording needs an NVIDIA GPU. Here: {self._session.gpu_missing}."
        elif shown is None:
            yield "Record runs the selected launch on this machine's GPU, with a timer in every block."

    def _lay_out(self) -> None:
        controls = QWidget()
        row = FlowLayout(controls)
        row.setContentsMargins(0, 0, 0, 0)
        add_parts(row, self.record, self.stop, self.sms)
        drawn = QWidget()
        across = hbox(drawn, spacing=0)
        across.addWidget(self.picture, 1)
        across.addWidget(self.first_sm)
        self._bottom = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self._bottom.addWidget(drawn)
        self._bottom.addWidget(self.words)
        self._bottom.setStretchFactor(0, 3)
        self._bottom.setStretchFactor(1, 1)
        column = vbox(self, (6, 6, 6, 6), spacing=4)
        add_parts(column, self.choice, controls, self.status, self.note)
        column.addWidget(self._bottom, 1)
        column.addStretch(0)  # keeps the controls at the top while there is no picture


def _nearness(data: TimelineData, selection: Selection) -> tuple[bool, bool, bool, bool]:
    m = data.timeline.measured
    return (
        m.kernel == selection.kernel.id,
        m.block == selection.block,
        m.size == selection.size,
        selection.device.name in m.gpu,
    )


def _read_all(folder: Path, shipped: Path) -> list[TimelineData]:
    """Read the user's recordings, the latest first, then the shipped ones."""
    own = sorted(timelines_in(folder), key=lambda timeline: timeline.measured.taken, reverse=True)
    return [
        *(prepare(t, f"recorded {t.measured.taken[:16].replace('T', ' ')}") for t in own),
        *(prepare(t, "shipped with tilescope") for t in timelines_in(shipped)),
    ]


def _read_and_save(line: str, folder: Path) -> TimelineData:
    """Read the line of a recording, and keep it in the user's folder."""
    timeline = read_timeline(json.loads(line)["timeline"], "the recording")
    taken = "".join(c for c in timeline.measured.taken[:19] if c.isdigit())
    folder.mkdir(parents=True, exist_ok=True)
    write_timeline_file(timeline, folder / f"{taken}-{file_name(timeline)}")
    return prepare(timeline, "recorded now")
