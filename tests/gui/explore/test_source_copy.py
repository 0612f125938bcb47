"""A copy of a kernel's source that is edited, and compared with the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.shell.main_window import MainWindow


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files that are opened in the desktop's editor."""
    files: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: files.append(url.toLocalFile()))
    return files


@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_fast"])
def test_a_copy_is_shown_edited_and_compared(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, opened: list[str], name: str
) -> None:
    window.show_page(0)
    page = cast("ExplorePage", window.page(0))
    original = find_kernel(name)
    size, block = (original.size, original.block) if name == "matmul_fast" else (Size(4, 4, 4), Dim3(2, 2))
    window.session.select(kernel=original, size=size, block=block)
    file = tmp_path / "mine.cu"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    page._edit_copy()
    copy = window.session.selection
    assert (copy.kernel.file, copy.size, copy.block) == (file.resolve(), size, block)
    assert file.read_text("utf-8") == original.text
    assert opened == [str(file.resolve())]
    qtbot.waitUntil(lambda: page.story is not None and page.story.selection == copy, timeout=60_000)
    page.compare_button.click()
    page.compare_menu.close()
    assert original.title in [action.text() for action in page.compare_menu.actions()]
    with qtbot.waitSignal(page.ready, timeout=60_000):
        file.write_text(original.text + "\n// edited\n", "utf-8")
    page.compare_button.click()
    page.compare_menu.close()
    assert page.compare_menu.actions()[1].text() == "Before the edit"


def test_the_original_is_not_overwritten(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    window.show_page(0)
    page = cast("ExplorePage", window.page(0))
    original = find_kernel("matmul_tiled")
    window.session.select(kernel=original)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(original.file), ""))
    page._edit_copy()
    assert "choose another name" in page.caption.whole
    assert window.session.selection.kernel == original
    assert not opened
