import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from gui.shell.main_window import MainWindow
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.windows import explore


class Typist:
    """Edits the text of a page's editor, and waits for the runs."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self.page = explore(window)
        self.area = self.page.listing.area

    def go_to(self, text: str, *, end: bool = False) -> None:
        """Place the cursor in the first line that contains a text."""
        number = next(n for n, line in enumerate(self.area.text.split("\n")) if text in line)
        self.area.setTextCursor(QTextCursor(self.area.document().findBlockByNumber(number)))
        if end:
            self.area.moveCursor(QTextCursor.MoveOperation.EndOfBlock)

    @property
    def line(self) -> str:
        """Line with the cursor."""
        return self.area.textCursor().block().text()

    def settle(self) -> None:
        """Wait until what was typed has run."""
        self.qtbot.waitUntil(lambda: not (self.page.busy or self.page.editing._pause.isActive()), timeout=20_000)


@pytest.fixture
def typist(qtbot: QtBot, window: MainWindow) -> Typist:
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    window.session.select(kernel=find_kernel("matmul_tiled"), size=Size(4, 4, 4), block=Dim3(2, 2))
    made = Typist(qtbot, window)
    made.settle()
    return made
