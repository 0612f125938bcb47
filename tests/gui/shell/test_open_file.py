"""A shown file that disappears or changes on disk: its text has been read once, and everything goes on with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, cast

import pytest

from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.shell.main_window import MainWindow


def _delete(file: Path) -> None:
    file.unlink()


def _move(file: Path) -> None:
    file.rename(file.with_name("moved.cu"))


def _replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _replace_by_link(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_name("nothing.cu"))


def _replace_by_large_file(file: Path) -> None:
    file.unlink()
    with file.open("wb") as made:
        os.truncate(made.fileno(), 1 << 30)  # it has no blocks on the disk


LOSSES: Final = (_delete, _move, _replace_by_folder, _replace_by_link, _replace_by_large_file)


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, own_kernel: Path) -> ExplorePage:
    """The Explore page with the picture of a file of the user."""
    window.show()
    window.show_page(0)
    page = cast("ExplorePage", window.page(0))
    qtbot.waitUntil(lambda: not page.busy, timeout=60_000)
    with qtbot.waitSignal(page.ready, timeout=60_000):
        window.open_file(own_kernel)
    return page


@pytest.mark.parametrize("lose", LOSSES)
def test_size_and_block_go_on_with_the_text_that_was_read(
    window: MainWindow, page: ExplorePage, qtbot: QtBot, own_kernel: Path, lose: Callable[[Path], None]
) -> None:
    text = own_kernel.read_text(encoding="utf-8")
    lose(own_kernel)
    with qtbot.waitSignal(page.ready, timeout=60_000):
        window.session.select(size=Size(4, 4, 4), block=Dim3(2, 2))
    assert page.story is not None
    assert page.story.stage.trace.text == text
    assert page.story.stage.trace.launch.block == Dim3(2, 2)
