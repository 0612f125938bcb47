"""The whole window under 500 random actions: no exception, no warning, nothing left behind, and it still answers.

The same driver runs longer with ``python -m tests.bench.monkey 5200``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QLabel

from gui.shell.application import SWITCH_S
from gui.shell.main_window import MainWindow
from gui.shell.pages import EXPLORE, PAGES
from gui.shell.settings import Settings
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.monkey import Monkey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

SEED = 1
ACTIONS = 500


@pytest.fixture
def switches() -> Iterator[None]:
    """Let worker threads give way to the window as often as in the started application."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switches")
def test_the_window_answers_after_random_actions(qtbot: QtBot, tmp_path: Path) -> None:
    window = MainWindow(Settings())
    qtbot.addWidget(window)
    window._started = True  # without the search for this machine's GPUs
    window.session.set_devices((), "this is a test")
    window.resize(1280, 800)
    window.show()
    monkey = Monkey(window, tmp_path, SEED)
    try:
        with qtbot.captureExceptions() as exceptions:
            for _ in range(ACTIONS):
                monkey.act()
                assert not exceptions
                assert not monkey.faults
            monkey.calm()
            for number in range(len(PAGES)):
                window.show_page(number)
                assert not isinstance(window.page(number), QLabel), "an error is shown in place of the page"
            window.show_page(EXPLORE)
            window.session.select(kernel=find_kernel("matmul_naive"), size=Size(4, 4, 4), block=Dim3(2, 2))
            qtbot.waitUntil(lambda: monkey.shown_kernel() == "matmul_naive", timeout=20_000)
        assert not exceptions
        assert not monkey.faults
    except Exception:
        print(monkey.story())  # pytest shows it with the failure
        raise
