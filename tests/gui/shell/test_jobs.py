"""Work away from the window's thread ends in a result or in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.shell.jobs import JobRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot


def test_too_little_memory_is_one_line_that_says_what_would_work(qtbot: QtBot) -> None:
    def work(cancelled: Callable[[], bool]) -> object:
        return np.zeros(1 << 60, np.uint8)

    background = JobRunner()
    with qtbot.waitSignal(background.failed) as failed:
        background.start(work)
    background.close()
    assert str(failed.args[0]) == "This machine does not have enough memory for that: choose a smaller size"
