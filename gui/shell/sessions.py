"""Saving of what the window shows as a file, and opening it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from gui.shell.pages import PAGES, RECORDINGS, SavesSession, page_of_title
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from gui.shell.main_window import MainWindow

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
