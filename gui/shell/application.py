"""Application object of the window."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from gui.shell import garbage
from gui.shell.heap import limit_heap
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from gui.theming import style
from kernels import RESOURCES

if TYPE_CHECKING:
    from pathlib import Path


SWITCH_S: Final = 0.0005
"""Longest time that a worker thread keeps Python's lock while the window waits for it, seconds.

A turn of the event loop releases the lock at many calls of Qt; with Python's 5 ms it would wait that long at each.
"""


def application(theme: style.ThemeChoice) -> QApplication:
    """Return the QApplication, with name, icon and style."""
    limit_heap()
    found = QApplication.instance()
    made = found if isinstance(found, QApplication) else QApplication([sys.argv[0]])
    made.setApplicationName("tilescope")
    made.setApplicationDisplayName("tilescope")
    made.setDesktopFileName("tilescope")
    made.setWindowIcon(QIcon(str(RESOURCES / "icons" / "tilescope.svg")))
    style.apply(made, style.resolve(theme))
    sys.setswitchinterval(SWITCH_S)
    return made


def run(file: Path | None = None, theme: style.ThemeChoice | None = None) -> int:
    """Open the window, run the event loop until it is closed, and return the exit status.

    Parameters
    ----------
    file : Path, optional
        A `.cu` file to select, or a `.trace` to show.
    theme : {"light", "dark", "system"}, optional
        For this start only; the saved choice by default.
    """
    settings = Settings()
    app = application(theme or settings.theme)
    window = MainWindow(settings)
    if theme is not None:
        window.set_theme(theme)
    sys.excepthook = window.report
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program at once
    if file is not None:
        window.open_file(file)
    else:
        window.resume()
    window.show()
    garbage.begin(app)
    try:
        return app.exec()
    finally:
        sys.excepthook = sys.__excepthook__
