"""Menus of the launches that a picture can be compared with, of the questions about it, and of recent files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint

    from gui.explore.compare.comparison import Comparable
    from gui.explore.stage.questions import Answer, Question
    from gui.shell.settings import Settings


MOST_FILES: Final = 10
_FILES: Final = "editor/recent"


class CompareMenu(QMenu):
    """Launches to compare with, by group.

    Signals
    -------
    chosen(Selection)
        The launch to compare with.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTipsVisible(True)

    def offer(self, launches: Sequence[Comparable], why_none: str) -> None:
        """Fill the menu; without a launch, with the reason."""
        self.clear()
        group = ""
        for launch in launches:
            if launch.group != group:
                group = launch.group
                self.addSection(group)
            action = self.addAction(launch.title.replace("&", "&&"))
            action.setToolTip(launch.selection.kernel.teaches)
            action.triggered.connect(lambda _=False, made=launch.selection: self.chosen.emit(made))
        if not launches:
            self.addAction(why_none).setEnabled(False)


class QuestionMenu(QMenu):
    """Questions about what is drawn, or about a line of the listing; one without an answer is disabled.

    Signals
    -------
    chosen(Answer)
        The answer to a question.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._more: QMenu | None = None

    def ask(self, questions: Sequence[Question], place: QPoint, more: QMenu | None = None) -> None:
        """Open at a place of the screen, with the actions of another menu after the questions."""
        self.clear()
        if self._more is not None:
            self._more.deleteLater()
        self._more = more
        for question in questions:
            action = self.addAction(question.words.replace("&", "&&"), partial(self._choose, question.answer))
            action.setEnabled(question.answer is not None)
        if more is not None:
            self.addSeparator()
            self.addActions(more.actions())
        if self.actions():
            self.popup(place)

    def _choose(self, answer: Answer | None) -> None:
        self.chosen.emit(answer)


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
        stored = [file for file in settings.text(_FILES).split("\n") if file]
        self._files = list(dict.fromkeys([*self._files, *stored]))[:MOST_FILES]
        self._fill()

    def add(self, file: Path) -> None:
        """Put a file at the head of the list."""
        self._files = list(dict.fromkeys([str(file), *self._files]))[:MOST_FILES]
        if self._settings is not None:
            self._settings.remember(_FILES, "\n".join(self._files))
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
