"""Edits of a kernel in the window: each is run after a pause, and nothing that ran or was typed is lost."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.explore.code.draft import Outcome
from gui.explore.menus import RecentFiles
from gui.selection.unread_source import UnreadSource
from gui.shell.main_window import MainWindow
from kernels.catalog import find_kernel
from tests.gui.explore.editor.conftest import Typist
from tests.gui.windows import benchmark

CTRL = Qt.KeyboardModifier.ControlModifier


def begin(typist: Typist) -> None:
    """Edit a copy of the shown kernel, by the key."""
    typist.page.setFocus()
    QTest.keyClick(typist.page, Qt.Key.Key_E)
    assert typist.page.editing.active


def test_a_copy_is_edited_in_place_and_measured_beside_its_original(typist: Typist) -> None:
    page, session, original = typist.page, typist.window.session, find_kernel("matmul_tiled")
    page.timeline.go(5)
    shape = session.selection.shape
    begin(typist)
    copy = session.selection
    typist.window.set_theme("dark")
    assert not page.busy  # the copy is the same code: it is not run again, neither are other colours
    assert not page.editing._pause.isActive()
    assert (copy.shape, copy.kernel.entry, page.position) == (shape, "matmul_tiled", 5)
    assert copy.kernel.file is not None
    assert copy.kernel.file != original.file
    assert copy.kernel in session.kernels
    assert typist.area.text == copy.kernel.text
    assert typist.area.executing_line == page.code.executing_line > 0
    # An unknown name is answered by the nearest.
    typist.area.replace_text(typist.area.text.replace("if (row < M", "if (rwo < M"))
    typist.settle()
    assert typist.page.listing.status.whole.endswith("unknown name 'rwo'; the nearest is row")
    # An edit is measured beside its original.
    QTest.keyClick(typist.area, Qt.Key.Key_M, CTRL)
    window = typist.window
    assert window.header.page == 1
    tree = benchmark(window).setup.tree
    checked = {kernel.title for item, kernel in tree.items() if item.checkState(0) == Qt.CheckState.Checked}
    assert checked == {"Shared-memory tiles", "Shared-memory tiles (edited)"}


def test_the_executing_line_is_in_sight_below_long_lines(typist: Typist) -> None:
    page, area = typist.page, typist.area
    begin(typist)
    area.replace_text(area.text.replace("\n{\n", "\n{\n" + "    // long " * 40 + "\n", 1))
    typist.settle()
    page.timeline.setFocus()
    page.timeline.go(0)
    page.timeline.go(len(page.frames) - 1)
    tops = dict(area.line_tops())
    assert 0 <= tops[area.executing_line] < area.viewport().height() - area.fontMetrics().lineSpacing()


def test_a_removed_barrier_is_a_hazard_until_it_is_undone(typist: Typist) -> None:
    page = typist.page
    outcomes = list[Outcome]()
    page.editing.ran.connect(outcomes.append)
    begin(typist)
    typist.go_to("sum +=")
    line = typist.area.textCursor().blockNumber() + 1
    for _ in range(3):
        page.show_line(line)
    position = page.position
    typist.go_to("__syncthreads")
    QTest.keyClick(typist.area, Qt.Key.Key_Slash, CTRL)
    assert typist.line == "        // __syncthreads();"
    typist.settle()
    assert page.story is not None
    assert [hazard.kind for hazard in page.story.stage.trace.hazards] == ["data-race"]
    assert page.side.badge.isVisible()
    assert outcomes[-1].error is None
    assert outcomes[-1].text == page.story.stage.trace.text
    assert typist.area.executing_line == line
    assert page.position < position  # fewer steps lead to the same execution of the line
    QTest.keyClick(typist.area, Qt.Key.Key_Z, CTRL)
    typist.settle()
    assert page.position == position
    assert not page.story.stage.trace.hazards
    assert page.story.stage.trace.text == typist.area.text


def test_a_mistake_keeps_the_last_picture_and_step(typist: Typist) -> None:
    page, area = typist.page, typist.area
    begin(typist)
    page.stage_bar.set_zoom("warp")
    page.timeline.go(7)
    story, scene = page.story, page.scene
    typist.go_to("sum +=", end=True)
    QTest.keyClick(area, Qt.Key.Key_Backspace)
    typist.settle()
    line = area.textCursor().blockNumber() + 1
    assert page.listing.status.whole.startswith(f"✗ Line {line}, column 41: syntax error: expected ';' after")
    underlined = [s for s in area.extraSelections() if s.format.underlineColor().name() == area.theme.hazard]
    assert [s.cursor.blockNumber() + 1 for s in underlined] == [line]
    assert page.story is story
    assert page.scene is scene
    assert all(veil.isVisible() for veil in page.editing._veils[:2])
    QTest.keyClick(area, Qt.Key.Key_Z, CTRL)
    typist.settle()
    assert page.position == 7
    assert page.options.zoom == "warp"
    assert not any(veil.isVisible() for veil in page.editing._veils)
    assert not page.listing.status.whole.startswith("✗")
    # A mistake in the launch comment keeps the picture.
    story = typist.page.story
    typist.go_to("workload =", end=True)
    QTest.keyClick(typist.area, Qt.Key.Key_Backspace)
    typist.settle()
    assert "its tilescope comment is not TOML" in typist.page.listing.status.whole
    assert typist.page.story is story
    watcher = typist.window.opening._reread_soon
    typist.qtbot.waitUntil(watcher.isActive)
    typist.qtbot.waitUntil(lambda: not watcher.isActive())
    assert typist.window.notice.isHidden()


def test_the_original_returns_and_is_compared_with(typist: Typist) -> None:
    page = typist.page
    begin(typist)
    text = typist.area.text
    typist.go_to("__syncthreads")
    QTest.keyClick(typist.area, Qt.Key.Key_Slash, CTRL)
    typist.settle()
    page.compare_button.click()
    page.compare_menu.close()
    original = page.compare_menu.actions()[1]
    assert original.text() == "The original"
    original.trigger()
    typist.qtbot.waitUntil(lambda: page.comparison is not None)
    assert page.comparison is not None
    assert page.figures.sentence.text().endswith(
        "⚠ Shared-memory tiles (edited) has 1 hazard and Shared-memory tiles has no hazards."
    )
    page.stop_comparing()
    typist.window.activateWindow()
    typist.qtbot.waitUntil(typist.area.hasFocus)
    QTest.keyClick(typist.area, Qt.Key.Key_D, CTRL)
    typist.qtbot.waitUntil(lambda: page.comparison is not None)
    page.other.close_requested.emit()
    assert page.comparison is None
    assert typist.area.hasFocus()
    QTest.keyClick(typist.area, Qt.Key.Key_R, CTRL | Qt.KeyboardModifier.ShiftModifier)
    typist.settle()
    assert typist.area.text == text
    QTest.keyClick(typist.area, Qt.Key.Key_Z, CTRL)
    assert "// __syncthreads();" in typist.area.text


def test_the_text_is_saved_as_another_file_which_is_edited_then(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(typist)
    first, file = typist.window.session.selection.kernel.file, tmp_path / "other.cu"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    QTest.keyClick(typist.area, Qt.Key.Key_S, CTRL)
    assert typist.window.session.selection.kernel.file == file
    assert first is not None
    before = first.read_text()
    typist.go_to("sum +=")
    QTest.keyClicks(typist.area, "/**/")
    typist.settle()
    assert file.read_text() == typist.area.text
    assert first.read_text() == before


def test_a_change_outside_is_shown_and_can_be_undone(typist: Typist) -> None:
    begin(typist)
    page, file = typist.page, typist.window.session.selection.kernel.file
    assert file is not None
    typist.go_to("sum +=")
    QTest.keyClicks(typist.area, "/* mine */")
    typist.settle()
    mine = typist.area.text
    with typist.qtbot.waitSignal(page.ready, timeout=20_000):
        file.write_text(mine.replace("/* mine */", "/* theirs */"))
    assert "/* theirs */" in typist.area.text
    assert "was changed outside" in page.listing.status.whole
    QTest.keyClick(typist.area, Qt.Key.Key_Z, CTRL)
    assert typist.area.text == mine
    typist.settle()
    assert file.read_text() == mine


def test_a_file_that_does_not_parse_is_edited_until_it_runs(
    typist: Typist, qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "add.cu"
    file.write_text("__global__ void add(float *a) {\n    a[blockIdx.x * blockDim.x + threadIdx.x] += 1\n}\n")
    window.open_file(file)
    qtbot.waitUntil(lambda: isinstance(window.session.recording, UnreadSource))
    begin(typist)
    assert typist.page.listing.status.whole.startswith("✗ Line 2")
    typist.go_to("+= 1", end=True)
    with qtbot.waitSignal(typist.page.ready, timeout=20_000):
        QTest.keyClicks(typist.area, ";")
    assert typist.page.story is not None
    assert typist.page.editing.active
    assert "+= 1;" in file.read_text()
    typist.page.timeline.go(1)
    typist.go_to("+= 1;", end=True)
    QTest.keyClicks(typist.area, " ")
    typist.settle()
    assert typist.page.position == 1
    window.session.play(None)


def test_another_kernel_leaves_the_editor_and_keeps_the_text(typist: Typist) -> None:
    begin(typist)
    file = typist.window.session.selection.kernel.file
    typist.go_to("sum +=")
    QTest.keyClicks(typist.area, "/* last */")
    typist.window.session.select(kernel=find_kernel("matmul_naive"))
    typist.settle()
    assert not typist.page.editing.active
    assert file is not None
    assert "/* last */" in file.read_text()
    assert typist.page.story is not None
    assert typist.page.story.stage.trace.kernel == "matmul_naive"


@pytest.mark.parametrize(
    ("hostile", "words"),
    [
        ("while (true) {}", "stopped in a loop that never ends"),
        ("float all[2000000000]; all[tx] = 1;", "arrays take"),
        ('for (;;) printf("%1000000d", tx);', "not supported: printf of a field with 1,000,000 characters"),
    ],
)
def test_a_hostile_text_is_stopped_and_mended(typist: Typist, hostile: str, words: str) -> None:
    page = typist.page
    begin(typist)
    text = typist.area.text
    typist.area.replace_text(text.replace("float sum = 0.0f;", f"{hostile} float sum = 0.0f;"))
    typist.settle()
    assert page.story is not None
    assert words in page.listing.status.whole + page.side.badge.text()
    typist.area.undo()
    typist.settle()
    assert page.story is not None
    assert not page.story.stage.trace.stopped
    assert page.story.stage.trace.text == text
    assert not page.listing.status.whole.startswith("✗")


def test_a_text_that_cannot_be_written_runs_and_is_not_lost(typist: Typist, tmp_path: Path) -> None:
    begin(typist)
    page, file = typist.page, typist.window.session.selection.kernel.file
    assert file is not None
    file.unlink()
    file.mkdir()
    typist.go_to("sum +=")
    QTest.keyClicks(typist.area, "/* kept */")
    typist.settle()
    assert "cannot be written" in page.listing.status.whole
    assert page.story is not None
    assert "/* kept */" in page.story.stage.trace.text
    page.editing.save_as(tmp_path / "other.cu")
    typist.settle()
    assert "/* kept */" in (tmp_path / "other.cu").read_text()
    assert page.story.stage.trace.text == typist.area.text


def test_recent_files_are_opened_again(typist: Typist, qtbot: QtBot) -> None:
    begin(typist)
    file = typist.window.session.selection.kernel.file
    typist.window.session.select(kernel=find_kernel("matmul_naive"))
    typist.settle()
    recent = typist.page.listing.recent
    assert recent.files == (file,)
    recent.actions()[0].trigger()
    assert typist.window.session.selection.kernel.file == file
    again = RecentFiles()
    qtbot.addWidget(again)
    again.remember_in(typist.window._settings)
    assert again.files == (file,)
    typist.settle()
