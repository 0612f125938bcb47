"""Recording of a block timeline in a child process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from gui.shell.worker import Worker
from kernels.catalog import kernel_name
from kernels.child_process import child_command

if TYPE_CHECKING:
    from gui.selection.session import Selection, Session
    from gui.shell.worker import ProcessOutcome

_TIMEOUT_S: Final = 180.0
_TITLE: Final = "Occupancy"


class BlockRecorder(QObject):
    """Records one launch at a time.

    Signals
    -------
    progress_made(str)
        The present stage, in words.
    line_received(str)
        The line with the timeline, as `tilescope occupancy --achieved --json` prints it.
    ended(str)
        The process has ended; one line why there is no timeline, "" if there is one or the user stopped it.
    """

    progress_made = Signal(str)
    line_received = Signal(str)
    ended = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._complete = False
        self._worker = Worker(self)
        self._worker.line_received.connect(self._read)
        self._worker.process_ended.connect(self._finish)

    @property
    def running(self) -> bool:
        """True while a launch is recorded."""
        return self._worker.running

    def start(self, selection: Selection) -> None:
        """Record the launch of a selection; raises InputError while something else is measured."""
        self._session.check_not_measuring()
        s, self._complete = selection, False
        self._session.measuring = _TITLE
        block, size = (",".join(map(str, numbers)) for numbers in (s.block, s.size))
        command = child_command(
            "occupancy", kernel_name(s.kernel), "--block", block, "--size", size, "--achieved", "--json"
        )
        self._worker.start(command, timeout_s=_TIMEOUT_S)

    def stop(self) -> None:
        """End the process; `ended` follows."""
        self._worker.stop()

    def close(self) -> None:
        """End the process, without a signal."""
        if self.running:
            self._session.measuring = ""
        self._worker.close()

    def _read(self, line: str) -> None:
        if line.startswith('{"event": "timeline"'):
            self._complete = True
            self.line_received.emit(line)
            return
        try:
            message = json.loads(line)
        except ValueError:
            return  # what the kernel prints
        if isinstance(message, dict) and message.get("event") == "progress":
            self.progress_made.emit(str(message["words"]))

    def _finish(self, outcome: ProcessOutcome) -> None:
        self._session.measuring = ""
        silent = self._complete or outcome.how == "stopped"
        self.ended.emit("" if silent else outcome.words or str(outcome))
