"""The window on its first start, on screens of several sizes and scale factors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sweeps import in_turn

SCREENS = ((1280, 720), (1366, 768), (1920, 1080))


SCALES = (1.0, 1.25, 1.5, 2.0)


PROGRAM = """
import json, sys
from pathlib import Path
from gui.shell.application import application
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings

app = application("light")
window = MainWindow(Settings(file=Path(sys.argv[1])))
window.resume()
window.show()
window.show_page(0)
if len(sys.argv) > 2:
    window.setGeometry(30, 40, 1000, 640)
for _ in range(5):
    app.processEvents()
available = window.screen().availableGeometry()
frame = window.geometry() if window.isMaximized() else window.frameGeometry()
body = window.header.parentWidget()
print(json.dumps({
    "fits": available.contains(frame),
    "least_fits": window.minimumWidth() <= available.width() and window.minimumHeight() <= available.height(),
    "uncut": body.width() >= body.minimumSizeHint().width() and body.height() >= body.minimumSizeHint().height(),
    "scrolls": window._scroll.verticalScrollBar().maximum() > 0,
    "maximised": window.isMaximized(),
    "height": available.height(),
    "geometry": window.geometry().getRect(),
}))
window.close()
"""


def start(folder: Path, size: tuple[int, int], scale: float, *arguments: str) -> dict[str, object]:
    """Start the window in a process of its own on one screen, and return the places of its parts."""
    screen = {"name": "one", "x": 0, "y": 0, "width": size[0], "height": size[1]}
    layout = {"screens": [screen | {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]}
    file = folder / "screens.json"
    file.write_text(json.dumps(layout))
    environment = os.environ | {"QT_QPA_PLATFORM": f"offscreen:configfile={file}", "QT_SCALE_FACTOR": str(scale)}
    command = [sys.executable, "-c", PROGRAM, str(folder / "settings.ini"), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize(("scale", "size"), in_turn(SCALES, SCREENS, plain=lambda scale: scale == 2.0))
def test_the_first_window_fits_the_screen(tmp_path: Path, scale: float, size: tuple[int, int]) -> None:
    check_fit(start(tmp_path, size, scale))


def check_fit(found: dict[str, object]) -> None:
    assert found["fits"], found
    assert found["least_fits"], found
    assert found["uncut"], found
    assert isinstance(found["height"], int)
    assert not found["scrolls"] or found["height"] < 600
    assert found["maximised"] or found["height"] >= 860


def test_each_screen_has_its_geometry(tmp_path: Path) -> None:
    moved = start(tmp_path, (1920, 1080), 1.0, "move")
    first = start(tmp_path, (1280, 720), 1.0)
    assert first["maximised"]
    check_fit(first)
    assert start(tmp_path, (1920, 1080), 1.0)["geometry"] == moved["geometry"]
