"""A shown file that disappears or changes on disk: its text has been read once, and everything goes on with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, cast

import pytest
from PySide6.QtWidgets import QFileDialog

from gui.explore.code.line_map import without_footer
from kernels.launch import Dim3
from kernels.workload import Size
from tests.sweeps import exhaustive

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


LOSSES: Final = (_delete, *exhaustive(_move, _replace_by_folder, _replace_by_link), _replace_by_large_file)


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


@pytest.mark.parametrize("lose", LOSSES)
def test_a_file_that_is_gone_is_said_and_its_text_is_saved(
    window: MainWindow,
    page: ExplorePage,
    qtbot: QtBot,
    own_kernel: Path,
    lose: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, story = own_kernel.read_text(encoding="utf-8"), page.story
    lose(own_kernel)
    qtbot.waitUntil(lambda: window.session.file_state == "gone")
    assert page.story is story
    assert "gone from the disk" in page.listing.gone.whole
    assert page.listing.save_button.isVisible()
    saved = own_kernel.with_name("saved.cu")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    page.listing.save_button.click()
    assert without_footer(saved.read_text(encoding="utf-8")) == without_footer(text)
    assert window.session.selection.kernel.file == saved
    assert window.session.file_state == "as on disk"
    assert not page.listing.save_button.isVisible()


@pytest.mark.parametrize("lose", LOSSES)
def test_a_text_whose_file_is_gone_is_edited(
    window: MainWindow, page: ExplorePage, qtbot: QtBot, own_kernel: Path, lose: Callable[[Path], None]
) -> None:
    lose(own_kernel)
    qtbot.waitUntil(lambda: window.session.file_state == "gone")
    page.editing.begin()
    assert page.editing.active
    with qtbot.waitSignal(page.ready, timeout=60_000):
        page.listing.area.replace_text(page.editing.text.replace("= 0.0f", "= 1.0f"))
    assert page.story is not None
    assert "= 1.0f" in page.story.stage.trace.text


def test_a_file_that_returns_is_followed_again(
    window: MainWindow, page: ExplorePage, qtbot: QtBot, own_kernel: Path
) -> None:
    text = own_kernel.read_text(encoding="utf-8")
    own_kernel.unlink()
    qtbot.waitUntil(lambda: window.session.file_state == "gone")
    own_kernel.write_text(text, encoding="utf-8")
    qtbot.waitUntil(lambda: window.session.file_state == "as on disk")
    with qtbot.waitSignal(page.ready, timeout=60_000):
        own_kernel.write_text(text.replace("= 0.0f", "= 1.0f"), encoding="utf-8")
    assert page.story is not None
    assert "= 1.0f" in page.story.stage.trace.text


def test_a_changed_file_that_cannot_be_used_changes_no_picture(
    window: MainWindow, page: ExplorePage, qtbot: QtBot, own_kernel: Path
) -> None:
    text, story = own_kernel.read_text(encoding="utf-8"), page.story
    own_kernel.write_text(text.replace('"matmul"', '"matmull"'), encoding="utf-8")
    qtbot.waitUntil(lambda: window.session.file_state == "changed on disk")
    assert page.story is story
    assert window.session.selection.kernel.text == text
