"""Application object of the window."""

from __future__ import annotations

import ctypes
import signal
import sys
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from gui.shell import garbage
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from gui.theming import style
from kernels import RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
"""Parameters of mallopt(3), as in glibc's malloc.h."""

_LIMITS: Final = (
    (_M_ARENA_MAX, 1),
    (_M_MMAP_THRESHOLD, 1 << 18),  # bytes from which an array is mapped by itself, and unmapped when it is freed
    (_M_TRIM_THRESHOLD, 1 << 20),  # bytes that may stay free at the end of the heap
)


def limit_heap() -> bool:
    """Limit the C heap, so that freed memory returns to the system; return False where its library has no such limits.

    glibc gives each thread that allocates its own arena, up to eight for each core, and serves arrays of up to 32 MiB
    from the arenas once one of that size was freed. Worker threads then leave their temporary arrays in ten arenas
    whose free parts stay resident: 112 MB after 1,500 random actions on the window, 2 MB with these limits. Python's
    lock lets one thread allocate at a time, so a single arena costs no waiting.

    To be called before the first worker thread: an arena that exists stays.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # a C library other than glibc
        return False
    return all(mallopt(parameter, value) == 1 for parameter, value in _LIMITS)


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
