"""Recent files: the user's sources that were edited last, kept for the next start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from gui.shell.settings import Settings

MOST: Final = 10
_NAME: Final = "editor/recent"


class RecentFiles(QMenu):
    """Menu of files, the last first.

    Signals
    -------
    chosen(Path)
        A file is to be opened.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Recent files", parent)
        self._settings: Settings | None = None
        self._files: list[str] = []
        self.aboutToShow.connect(self._fill)
        self._fill()

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that still exist, the last first."""
        return tuple(Path(file) for file in self._files if Path(file).is_file())

    def remember_in(self, settings: Settings) -> None:
        """Restore the list, and keep it from now on."""
        self._settings = settings
        stored = [file for file in settings.text(_NAME).split("\n") if file]
        self._files = list(dict.fromkeys([*self._files, *stored]))[:MOST]
        self._fill()

    def add(self, file: Path) -> None:
        """Put a file at the head of the list."""
        self._files = list(dict.fromkeys([str(file), *self._files]))[:MOST]
        if self._settings is not None:
            self._settings.remember(_NAME, "\n".join(self._files))
        self._fill()

    def _fill(self) -> None:
        self.clear()
        files = self.files
        for file in files:
            action = self.addAction(escape_controls(file.name).replace("&", "&&"))
            action.setToolTip(escape_controls(str(file)))
            action.triggered.connect(lambda _=False, file=file: self.chosen.emit(file))
        if not files:
            self.addAction("No file was edited yet").setEnabled(False)
