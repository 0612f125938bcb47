"""Files that are given to the window: kernels are read at once and again when they are edited, recordings apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from gui.background import Background
from kernels.catalog import read_kernel
from kernels.errors import InputError, TilescopeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gui.recording import Recording
    from gui.session import Selection, Session

_REREAD_MS: Final = 200
"""An editor writes a file in several goes."""

KINDS: Final = (".cu", ".trace")
"""What can be opened."""


class Opening(QObject):
    """Opens one file after another in a session; of recordings under way, the newest counts.

    The selected kernel's file is followed: when it is edited, every view changes with it.

    Signals
    -------
    reading(Path)
        A recording is being read.
    played()
        It is shown.
    refused(str)
        One line: why a file cannot be used. The session is as it was.
    """

    reading = Signal(object)
    played = Signal()
    refused = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._work = Background(self)
        self._work.finished.connect(self._play)
        self._work.failed.connect(lambda error: self.refused.emit(str(error)))
        self._watcher = QFileSystemWatcher(self)
        self._reread_soon = QTimer(self, singleShot=True, interval=_REREAD_MS)
        self._reread_soon.timeout.connect(self._reread)
        self._watcher.fileChanged.connect(lambda _: self._reread_soon.start())
        session.changed.connect(self._watch)
        self._watch(session.selection)

    @property
    def busy(self) -> bool:
        """Whether a recording is being read."""
        return self._work.busy

    def open(self, file: Path) -> None:
        """Select the kernel of a `.cu` file, or show a recording."""
        file = file.resolve()
        if file.suffix == ".trace":
            self.reading.emit(file)
            self._work.start(partial(_read, file))
            return
        self._work.cancel()
        try:
            if file.suffix not in KINDS:
                raise InputError(f"{file}: only {' and '.join(KINDS)} files can be opened")
            self._session.open(read_kernel(file))
        except TilescopeError as error:
            self.refused.emit(str(error))

    def close(self) -> None:
        """Drop what is under way and wait until its thread is back."""
        self._reread_soon.stop()
        self._work.close()

    def _watch(self, selection: Selection) -> None:
        file = str(selection.kernel.file or "")
        others = [path for path in self._watcher.files() if path != file]
        if others:
            self._watcher.removePaths(others)
        if file and file not in self._watcher.files():
            self._watcher.addPath(file)

    def _reread(self) -> None:
        file = self._session.selection.kernel.file
        if file is None:
            return
        try:
            self._session.reread(read_kernel(file))
        except TilescopeError as error:
            self.refused.emit(str(error))
        self._watch(self._session.selection)  # an editor that replaces the file ends the watch

    def _play(self, recording: Recording) -> None:
        self._session.play(recording)
        self.played.emit()


def _read(file: Path, cancelled: Callable[[], bool]) -> Recording:
    # It brings the simulator along, which the window's start need not wait for.
    from gui.recording import read_recording

    return read_recording(file)
