"""Memory of the window under many random actions, and the time to close it.

Run as ``python -m tests.bench.monkey 5200``, with ``--seed`` for other actions. The driver is that of
``tests/gui/test_monkey.py``. It prints the resident memory every 500 actions, and the exceptions, warnings of Qt and
internal errors as they come; garbage collection is that of the started application. ``--objects`` prints the kinds of
objects whose number has grown most since the first 500 actions.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.offscreen import OFFSCREEN

os.environ.setdefault("QT_QPA_PLATFORM", OFFSCREEN)

from PySide6.QtCore import qInstallMessageHandler

from gui.shell import garbage
from gui.shell.application import application
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from tests.gui.monkey import Monkey
from tests.user_folders import USER_FOLDERS

if TYPE_CHECKING:
    from types import TracebackType

_EVERY: Final = 500
_KINDS: Final = 25
_HARMLESS: Final = "This plugin does not support"


def main() -> None:
    """Drive, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("actions", type=int, nargs="?", default=5200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--objects", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in USER_FOLDERS:
            os.environ[name] = folder
        _drive(Path(folder), asked.actions, asked.seed, objects=asked.objects)


def _drive(folder: Path, actions: int, seed: int, *, objects: bool) -> None:
    app = application("light")
    window = MainWindow(Settings())
    window._started = True  # without the search for this machine's GPUs
    window.session.set_devices((), "this is a benchmark")
    window.resize(1280, 800)
    window.show()
    monkey = Monkey(window, folder, seed)

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        print("".join(traceback.format_exception(kind, error, trace)), monkey.story(), sep="\n")

    sys.excepthook = report
    qInstallMessageHandler(lambda _, __, text: None if text.startswith(_HARMLESS) else print(text, monkey.last[-1]))
    garbage.begin(app)
    print(f"{0:6} actions {_resident_mb():5.0f} MB")
    begun, first = time.perf_counter(), Counter[str]()
    for number in range(1, actions + 1):
        monkey.act()
        while monkey.faults:
            print(monkey.faults.pop(), monkey.story(), sep="\n")
        if number % _EVERY == 0 or number == actions:
            print(f"{number:6} actions {_resident_mb():5.0f} MB {time.perf_counter() - begun:6.1f} s", flush=True)
            if objects and not first:
                first = _objects()
    if objects:
        for kind, count in (_objects() - first).most_common(_KINDS):
            print(f"    {count:+8,} {kind}")
    begun = time.perf_counter()
    window.close()
    print(f"closed in {time.perf_counter() - begun:.2f} s")


def _resident_mb() -> float:
    """Return the resident memory of this process, in MB, as Linux counts it."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _objects() -> Counter[str]:
    """Return the number of objects that garbage collection follows, by their type."""
    gc.unfreeze()
    gc.collect()
    return Counter(f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.get_objects())


if __name__ == "__main__":
    main()
