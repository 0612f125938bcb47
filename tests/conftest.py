"""Fixtures of all tests: no display, no files of the user, and nothing left behind by any test."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.offscreen import OFFSCREEN
from tests.sweeps import mark_repetitions
from tests.user_folders import USER_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Tests start several hundred processes: without bytecode, each of them compiles the whole project.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if os.environ.setdefault("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    os.environ["QT_QPA_PLATFORM"] = OFFSCREEN


def pytest_configure(config: pytest.Config) -> None:
    """Qt's offscreen platform says of what it cannot do that it cannot: that is no fault of a test."""
    if config.pluginmanager.hasplugin("pytest-qt"):  # a GPU's host may have no Qt
        config.addinivalue_line("qt_log_ignore", r"^This plugin does not support (raise|propagateSizeHints)\(\)$")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Before marks are selected, let the plain command run each case once."""
    mark_repetitions(items)


@pytest.fixture(scope="session")
def user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return new folders; `tmp_path_factory` itself looks through all earlier ones before it makes the next."""
    parent = tmp_path_factory.mktemp("users")
    return (parent / str(number) for number in itertools.count())


@pytest.fixture(scope="module", autouse=True)
def frozen_objects() -> None:
    """Exempt what lives before a module's tests (modules, catalogues) from the collections after each test."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_folders(user_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a new folder for settings and samples."""
    folder = next(user_folders)
    folder.mkdir()
    for name in USER_FOLDERS:
        monkeypatch.setenv(name, str(folder))


@pytest.fixture
def measured_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure plans in this process, as a worker does in its own."""
    from kernels.bench.measure.worker import work

    monkeypatch.setattr("kernels.bench.hosts.supervise.supervise", work)
    monkeypatch.setattr("kernels.bench.ship.supervise", work)


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a process, a window, a running QThread or QTimer behind."""
    uses_qt = "qapp" in request.fixturenames
    threads, children = set(threading.enumerate()), _child_processes()
    windows = _windows() if uses_qt else set()
    failed_before = request.session.testsfailed
    yield
    if request.session.testsfailed > failed_before:
        return  # it stopped halfway; what it left is no news
    left = [f"thread {t.name}" for t in set(threading.enumerate()) - threads if t.is_alive()]
    if uses_qt:
        left += _qt_leftovers(windows)
    left += [f"child process {pid}" for pid in sorted(_child_processes() - children)]
    assert not left, f"left behind: {', '.join(left)}"


def _child_processes() -> set[int]:
    """Return ids of living children: from the kernel where it tells, else those that Python started."""
    multiprocessing.active_children()  # collects those that ended
    tasks = list(Path("/proc/self/task").glob("*/children"))
    if tasks:
        return {int(pid) for task in tasks for pid in _read(task).split() if not _ended(pid)}
    return {child.pid or 0 for child in multiprocessing.active_children()}


def _read(task: Path) -> str:
    """Return a thread's children, none when it has ended meanwhile."""
    try:
        return task.read_text()
    except OSError:
        return ""


def _ended(pid: str) -> bool:
    """Whether a process waits only for its status to be read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _windows() -> set[int]:
    from PySide6.QtWidgets import QApplication
    from shiboken6 import getCppPointer

    return {getCppPointer(widget)[0] for widget in QApplication.topLevelWidgets()}


def _qt_leftovers(windows: set[int]) -> list[str]:
    from PySide6.QtCore import QCoreApplication, QEvent, QProcess, QThread, QTimer
    from PySide6.QtWidgets import QApplication
    from shiboken6 import getCppPointer, isValid

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    gc.collect()
    left = [f"window {w!r}" for w in QApplication.topLevelWidgets() if getCppPointer(w)[0] not in windows]
    objects = gc.get_objects()
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, QTimer | QThread | QProcess)}
    for thing in objects:
        if type(thing) not in kinds or not isValid(thing):
            continue
        match thing:
            case QTimer():
                runs = thing.isActive()
            case QThread():
                runs = thing.isRunning() and thing is not QThread.currentThread()
            case _:
                runs = thing.state() != QProcess.ProcessState.NotRunning
        if runs:
            left.append(f"running {thing!r}")
    return left
