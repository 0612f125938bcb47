"""Play the tour in the window, which then stays open."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from gui.demo.guide import Guide
from gui.shell.application import application
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings

if TYPE_CHECKING:
    from gui.theming.style import ThemeChoice


def play_tour(theme: ThemeChoice) -> int:
    """Open the window, play the tour, and stay until it is closed; returns the exit status."""
    app = application(theme)
    window = MainWindow(Settings())
    window.set_theme(theme)
    sys.excepthook = window.report
    guide = Guide(window, play=True)
    guide.finished.connect(lambda: window.notice.say("That was the tour: choose a kernel and look around."))
    window.show()
    QTimer.singleShot(0, window.start)
    QTimer.singleShot(0, guide.start)
    return app.exec()
