"""The start page: tiles with a question each, and the way to everything else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QWidget

from gui.explore.stage.motion_switch import reduces_motion
from gui.shell.pages import EXPLORE, LEARN, PAGES, AnswersQuestions, PlaysKernels, page_of_title
from gui.start.tile import QuestionTile
from gui.widgets.controls import add_parts, label, vbox
from gui.widgets.keys import bind
from kernels.start_tiles import start_tiles

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from gui.selection.session import Session
    from gui.shell.pages import Shell
    from gui.theming.theme import Theme

_GAP: Final = 14
_WIDE_LETTERS: Final = 110
"""Width from which four tiles are in a row, in letters; three below."""


class StartPage(QWidget):
    """Page of the questions that a course asks first; each is answered by one click, or by Enter or the remote."""

    def __init__(self, _session: Session) -> None:
        super().__init__()
        self._shell: Shell | None = None
        self.tiles = [QuestionTile(tile) for tile in start_tiles()]
        self._title = label("What do you want to see?", "heading")
        self._below = label("Each answer is the execution of a real CUDA kernel, line by line.", "muted")
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        column = vbox(self, (2 * _GAP, _GAP, 2 * _GAP, _GAP), spacing=4)
        add_parts(column, self._title, self._below)
        column.addSpacing(4)
        column.addLayout(self._grid, 1)
        column.addLayout(self._instruments())
        for tile in self.tiles:
            tile.clicked.connect(partial(self._answer, tile))
        bind(self, {"remote_forward": partial(self._move, 1), "remote_back": partial(self._move, -1)})
        self.setFocusProxy(self.tiles[0])
        self._place()

    def set_shell(self, shell: Shell) -> None:
        """Keep the window that shows the answers."""
        self._shell = shell

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setBold(True)
        self._title.setFont(font)
        moves = not reduces_motion(self)
        for tile in self.tiles:
            tile.moves = moves
            tile.set_theme(theme)
        self._place()

    def present(self) -> None:
        """Answer the question that has the focus: the key of a presenter's remote that starts a presentation."""
        self._answer(self.tiles[self._current()])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the tiles in rows of four, or of three where four are too narrow."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        columns = 4 if self.width() >= self.fontMetrics().averageCharWidth() * _WIDE_LETTERS else 3
        wide = (self.width() - 4 * _GAP - (columns - 1) * _GAP) // columns
        lines = max(tile.lines_in(wide) for tile in self.tiles)
        scale = min(tile.scale_in(wide) for tile in self.tiles)
        for number, tile in enumerate(self.tiles):
            tile.set_words(lines, scale)
            self._grid.addWidget(tile, *divmod(number, columns))

    def _current(self) -> int:
        return next((number for number, tile in enumerate(self.tiles) if tile.hasFocus()), 0)

    def _move(self, by: int) -> None:
        """Give the focus to the next tile, or the one before."""
        self.tiles[(self._current() + by) % len(self.tiles)].setFocus(Qt.FocusReason.TabFocusReason)

    def _answer(self, chosen: QuestionTile) -> None:
        tile, shell = chosen.tile, self._shell
        if shell is None:
            return
        if tile.lesson:
            shell.show_page(LEARN)
            page = shell.page(LEARN)
            if isinstance(page, AnswersQuestions):
                page.answer(tile.lesson, tile.step - 1, tile.lead)
        elif tile.kernel:
            shell.show_page(EXPLORE)
            page = shell.page(EXPLORE)
            if isinstance(page, PlaysKernels):
                page.play_kernel(tile.kernel)
        elif tile.opens:
            shell.choose_file()
        else:
            shell.show_page(page_of_title(tile.page, EXPLORE))

    def _show(self, page: int) -> None:
        if self._shell is not None:
            self._shell.show_page(page)

    def _instruments(self) -> QHBoxLayout:
        """Return a row with the other pages and what they are for."""
        row = QHBoxLayout()
        row.addWidget(label("Or go on by yourself:", "muted"))
        for number, spec in enumerate(PAGES):
            if spec.name != type(self).__name__:
                button = QPushButton(spec.title)
                button.setToolTip(spec.tip)
                button.setAccessibleName(f"Go on to {spec.title}")
                button.setProperty("look", "link")
                button.clicked.connect(partial(self._show, number))
                row.addWidget(button)
        row.addStretch(1)
        return row
