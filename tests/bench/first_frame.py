"""Time until the window is painted, on Explore and at its first start on Home, compared with a bare window.

Both are started as processes of their own, alternately; the clock runs from before the process is made
until its first picture is painted. The ratio of the medians should not exceed 1. With PYTHONDONTWRITEBYTECODE every
process compiles our modules again, and those of pyqtgraph never: the ratio is higher by about 0.2.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.offscreen import OFFSCREEN
from tests.user_folders import USER_FOLDERS

_ROUNDS: Final = 7

_PAINTED: Final = """
import sys, time
from PySide6.QtCore import QEvent, QObject

class First(QObject):
    seen = False
    def eventFilter(self, watched, event):
        self.seen = self.seen or event.type() == QEvent.Type.Paint
        return False

def wait(app, window):
    first = First()
    app.installEventFilter(first)
    window.show()
    while not first.seen:
        app.processEvents()
    print(time.monotonic() - float(sys.argv[1]), flush=True)
"""

_OURS: Final = (
    _PAINTED
    + """
from gui.shell.display import keep_plain_imports
keep_plain_imports()
from gui.shell.application import application
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
settings = Settings()
app = application(settings.theme)
window = MainWindow(settings)
number = 0
if sys.argv[2] == "home":
    window.resume()
    number = window.header.page
wait(app, window)
painted = time.monotonic()
bare = [name for name in ("pyqtgraph", "numba", "PIL", "pygments", "cupy") if name in sys.modules]
print(",".join(bare))
if number not in window._pages:
    while number not in window._pages:
        app.processEvents()
    app.processEvents()
    painted = time.monotonic()
print(painted - float(sys.argv[1]), flush=True)
window.close()
"""
)

_BARE: Final = (
    _PAINTED
    + """
from PySide6.QtWidgets import QMainWindow
import pyqtgraph
app = pyqtgraph.mkQApp()
window = QMainWindow()
window.setCentralWidget(pyqtgraph.PlotWidget())
window.resize(1280, 800)
wait(app, window)
"""
)


def once(code: str, environment: dict[str, str], page: str = "") -> list[str]:
    """Start a process; return the lines it prints, its seconds to the first picture first."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, str(started), page],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": OFFSCREEN,
            **dict.fromkeys(USER_FOLDERS, folder),
        }
        root = str(Path(__file__).parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        times: dict[str, list[float]] = {"ours": [], "bare": [], "page": [], "home": []}
        loaded = ""
        for _ in range(_ROUNDS + 1):
            with tempfile.TemporaryDirectory() as empty:
                first = environment | dict.fromkeys(USER_FOLDERS, empty)
                times["home"].append(float(once(_OURS, first, "home")[-1]))
            for name, code in (("ours", _OURS), ("bare", _BARE)):
                seconds, *more = once(code, environment)
                times[name].append(float(seconds))
                if more:
                    loaded = more[0]
                    times["page"].append(float(more[1]))
    # The first round warms the disk.
    ours, bare, page, home = (statistics.median(times[name][1:]) for name in ("ours", "bare", "page", "home"))
    print(f"first frame: {ours * 1e3:.0f} ms; bare PySide6 + pyqtgraph window: {bare * 1e3:.0f} ms")
    print(f"ratio {ours / bare:.2f} (medians of {_ROUNDS}, lower is better)")
    print(f"Explore page built and painted: {page * 1e3:.0f} ms, ratio {page / bare:.2f}")
    print(f"Home page built and painted at the first start: {home * 1e3:.0f} ms, ratio {home / bare:.2f}")
    print(f"loaded before the first frame although not needed: {loaded or 'nothing'}")


if __name__ == "__main__":
    main()
