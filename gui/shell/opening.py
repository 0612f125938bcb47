"""Opening of files: kernels, read again after each edit, recordings, and sessions, which are saved here as well."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from gui.selection.unread_source import UnreadSource
from gui.shell.jobs import JobRunner
from gui.shell.pages import PAGES, RECORDINGS, SavesSession, page_of_title
from kernels.catalog import kernel_of, read_kernel, read_source, says_launch
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import InputError, TilescopeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.selection.recording import Recording
    from gui.selection.session import Session
    from gui.shell.main_window import MainWindow

_REREAD_MS: Final = 200
"""Milliseconds to wait after a change: editors write a file in several steps."""

KINDS: Final = (".cu", ".trace")
"""Suffixes of files that can be opened."""


class Opening(QObject):
    """Opens files in a session; opening another recording cancels the previous one.

    The shown file is watched: an edit updates every view, and mends a source that could not be read.

    Signals
    -------
    reading_started(Path)
        A file is being read.
    recording_opened()
        A recording or custom launch is shown.
    launch_missing(tuple of CustomLaunch)
        A kernel file has no launch comment: proposals, one for each of its kernels.
    file_refused(str)
        One line: why a file cannot be used, which has no source to show with the error. The session is unchanged.
    """

    reading_started = Signal(object)
    recording_opened = Signal()
    launch_missing = Signal(object)
    file_refused = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._offers: tuple[CustomLaunch, ...] = ()
        self._file: Path | None = None
        """File that is read, or was read last."""
        self._mending = False
        """True if it is read again after an error: it is shown at once."""
        self._work = JobRunner(self)
        self._work.finished.connect(self._show_result)
        self._work.failed.connect(self._refuse)
        self._watcher = QFileSystemWatcher(self)
        self._reread_soon = QTimer(self, singleShot=True, interval=_REREAD_MS)
        self._reread_soon.timeout.connect(self._reread)
        self._watched = ""
        """File that is watched."""
        self._watcher.fileChanged.connect(lambda _: self._reread_soon.start())
        self._watcher.directoryChanged.connect(lambda _: self._reread_soon.start())
        session.file_requested.connect(self.open)
        session.selection_changed.connect(self._watch)
        session.recording_changed.connect(self._watch)
        self._watch()

    @property
    def busy(self) -> bool:
        """True while a file is being read."""
        return self._work.busy

    def open(self, file: Path) -> None:
        """Select the kernel of a `.cu` file, or show a recording."""
        self._file, self._mending = file.resolve(), False
        self._read(self._file)

    def _read(self, file: Path) -> None:
        if file.suffix == ".trace":
            self.reading_started.emit(file)
            self._work.start(partial(_read_recording, file))
            return
        self._work.cancel()
        try:
            if file.suffix not in KINDS:
                raise InputError(f"{file}: only {' and '.join(KINDS)} files can be opened")
            if file.suffix == ".cu" and not says_launch(file):
                self.reading_started.emit(file)
                self._work.start(partial(_propose, file))
            else:
                self._session.open(read_kernel(file))
        except TilescopeError as error:
            self._refuse(error)

    def launch(self, launched: CustomLaunch) -> None:
        """Show a custom launch."""
        self._session.play(launched)
        self.recording_opened.emit()

    def again(self) -> None:
        """Request the launch dialog again for the shown source; its proposals are cached."""
        shown = self._session.recording
        if shown is None:
            return
        if any((offer.file, offer.text) == (shown.file, shown.text) for offer in self._offers):
            self.launch_missing.emit(self._offers)
        else:
            self._work.cancel()
            self._file, self._mending = shown.file, False
            self.reading_started.emit(shown.file)
            self._work.start(partial(_propose, shown.file, text=shown.text))

    def cancel(self) -> None:
        """Cancel reading; the session is unchanged."""
        self._work.cancel()

    def close(self) -> None:
        """Cancel reading and wait for its thread; the file is watched no more."""
        if paths := [*self._watcher.files(), *self._watcher.directories()]:
            self._watcher.removePaths(paths)
        self._reread_soon.stop()
        self._work.close()

    def _watch(self) -> None:
        """Watch the file that is shown, and while it is gone its folder, in which it may return."""
        shown = self._session.recording
        file = str((self._session.selection.kernel.file if shown is None else shown.file) or "")
        if file != self._watched:
            self._watched = file
            self._session.set_file_state("as on disk")
        paths = {file} if file.endswith(".cu") else set()
        if self._session.file_state == "gone":
            paths = {str(Path(file).parent)}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if others := watched - paths:
            self._watcher.removePaths([*others])
        for path in paths - watched:
            self._watcher.addPath(path)

    def _reread(self) -> None:
        shown, file = self._session.recording, self._session.selection.kernel.file
        present = file if shown is None else shown.file
        if present is None:
            return
        try:
            text = read_source(present)
        except InputError:
            self._session.set_file_state("gone")
            self._watch()
            return
        before = self._session.selection.kernel.text if shown is None else shown.text
        returned = self._session.file_state == "gone" and text == before
        if returned or self._session.written == (present, text):
            self._session.set_file_state("as on disk")
            self._watch()
            return
        self._session.written = None
        self._session.set_file_state("as on disk")
        try:
            if isinstance(shown, UnreadSource):
                self._file, self._mending = shown.file, True
                self._read(shown.file)
            elif isinstance(shown, CustomLaunch):
                self._session.play(replace(shown, text=text))
            elif shown is None:
                self._session.reread(kernel_of(present, text))
        except TilescopeError as error:
            self._session.set_file_state("changed on disk")
            self.file_refused.emit(str(error))
        self._watch()  # an editor that replaces the file ends the watch

    def _refuse(self, error: TilescopeError) -> None:
        """Show an error with its source, which is watched; without a text to show, report it."""
        file = self._file
        try:
            if file is None or file.suffix != ".cu":
                raise error
            source = UnreadSource(file, read_source(file), error)
        except TilescopeError as refused:
            self.file_refused.emit(str(refused))
            return
        self._session.play(source)
        self.recording_opened.emit()

    def _show_result(self, result: Recording | tuple[CustomLaunch, ...]) -> None:
        if isinstance(result, tuple):
            self._offers = result
            if self._mending:
                self.launch(result[0])
            else:
                self.launch_missing.emit(result)
        else:
            self._session.play(result)
            self.recording_opened.emit()


def _read_recording(file: Path, cancelled: Callable[[], bool]) -> Recording:
    # Imported here because it loads the simulator, which would delay the window's start.
    from gui.selection.recording import read_recording

    return read_recording(file)


def _propose(file: Path, cancelled: Callable[[], bool], text: str | None = None) -> tuple[CustomLaunch, ...]:
    from kernels.launch_inference.proposals import proposals

    return proposals(file, cancelled, text)


SESSION: Final = ".tilescope"
"""Suffix of a session file."""


class Sessions(QObject):
    """Saves and opens sessions of a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def ask(self) -> None:
        """Ask for a file, and save the session."""
        chosen, _ = QFileDialog.getSaveFileName(
            self._window.header, "Save session", f"session{SESSION}", f"Sessions (*{SESSION})"
        )
        if chosen:
            self.save(Path(chosen).with_suffix(SESSION))

    def save(self, path: Path) -> None:
        """Save the session, or report why it cannot be saved."""
        page = self._explore()
        try:
            if page is not None:
                page.save_session(path, PAGES[self._window.header.page].title)
                self._window.notice.say(f"Session saved to {path}. Open… shows it again as it is now")
        except TilescopeError as error:
            self._window.notice.say(str(error), "error")

    def open(self, path: Path) -> None:
        """Show a session, or report why it cannot be shown; the window then stays as it is."""
        shown = self._window.header.page
        self._window.show_page(RECORDINGS)
        page, session = self._explore(), self._window.session
        if page is None:
            return
        try:
            saved = page.open_session(path)
        except TilescopeError as error:
            self._window.show_page(shown)
            self._window.notice.say(str(error), "error")
            return
        device = next((device for device in session.devices if device.id == saved.device), None)
        if device is not None:
            session.select(device=device)
        number = page_of_title(saved.page, RECORDINGS)
        if number != RECORDINGS:
            self._window.show_page(number)
            if saved.shape is not None and session.scale != "picture":
                session.select(size=saved.shape[0], block=saved.shape[1])

    def _explore(self) -> SavesSession | None:
        try:
            page = self._window.page(RECORDINGS)
        except KeyError:  # it has not been shown yet
            return None
        return page if isinstance(page, SavesSession) else None
