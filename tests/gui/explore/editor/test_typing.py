"""Text of the editor: indents, comments, brackets, completion, find and replace, and the files of edits."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.explore.code.draft import copy_kernel, draft_of_file, drafts_folder, with_entry
from gui.explore.code.find_bar import FindBar
from gui.explore.code.line_edits import matching_bracket, toggle_comment
from gui.explore.code.line_map import LineMap
from gui.explore.code.text_area import TextArea
from gui.explore.code.vocabulary import completions, nearest_names
from gui.theming.theme import LIGHT
from kernels.catalog import catalog, find_kernel, read_kernel, read_source
from kernels.catalog.footer import kernel_of
from tests.gui.conftest import LESSON, OWN_KERNEL
from tests.gui.explore.editor.conftest import Typist

CODE = "void f(int tile) {\n    int sum = 0;\n    sum += tile;\n}\n"


CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def area(qtbot: QtBot) -> TextArea:
    made = TextArea(LIGHT)
    qtbot.addWidget(made)
    made.open(CODE)
    made.show()
    made.setFocus()
    return made


def go_to(area: TextArea, line: int, *, end: bool = True) -> None:
    area.setTextCursor(QTextCursor(area.document().findBlockByNumber(line - 1)))
    if end:
        area.moveCursor(QTextCursor.MoveOperation.EndOfBlock)


def test_new_lines_tabs_and_braces_are_indented(area: TextArea) -> None:
    go_to(area, 2, end=False)
    area.moveCursor(QTextCursor.MoveOperation.Down, QTextCursor.MoveMode.KeepAnchor)
    QTest.keyClick(area, Qt.Key.Key_Tab)
    assert area.text == CODE.replace("    int sum", "        int sum")
    QTest.keyClick(area, Qt.Key.Key_Backtab)
    assert area.text == CODE
    # New lines are indented and braces step back.
    go_to(area, 3)
    QTest.keyClicks(area, "\rif (tile) {\rsum = 1;\r}")
    assert area.text == CODE.replace("tile;\n}", "tile;\n    if (tile) {\n        sum = 1;\n    }\n}")


@pytest.mark.parametrize(
    ("lines", "toggled"),
    [
        (["  a;", "", "    b;"], ["  // a;", "", "  //   b;"]),
        (["a;", "// b;"], ["// a;", "// // b;"]),
        (["  "], ["  "]),
    ],
)
def test_comments_are_toggled_and_come_back(lines: list[str], toggled: list[str]) -> None:
    assert toggle_comment(lines) == toggled
    assert toggle_comment(toggled) == lines


@pytest.mark.parametrize(
    ("text", "place", "pair"),
    [
        ("a[b(c)]", 1, (1, 6)),
        ("a[b(c)]", 7, (6, 1)),
        ("{ '}' /* } */ }", 0, (0, 14)),
        ("(]", 0, None),
        ("f(", 2, None),
        ("abc", 1, None),
    ],
)
def test_brackets_that_belong_together(text: str, place: int, pair: tuple[int, int] | None) -> None:
    assert matching_bracket(text, place) == pair


def test_names_and_marks_of_the_text() -> None:
    moved = LineMap.between("a\nb\nc\nd", "a\nx\ny\nc\nd")
    assert [moved.edited_line(line) for line in (1, 2, 3, 4)] == [1, 0, 4, 5]
    assert [moved.ran_line(line) for line in (1, 2, 3, 4, 5)] == [1, 0, 0, 3, 4]
    # Names of the text come before those of cuda.
    found = completions("s", "int sumOfRows = 0; sumOfRows += s; // sorry")
    assert found[0] == "sumOfRows"
    assert "sorry" not in found
    assert "__syncthreads" in completions("__sy", "")
    assert "threadIdx" in completions("thr", "")


@pytest.mark.parametrize(
    ("unknown", "near"),
    [
        ("tz", ["tx", "ty"]),
        ("rwo", ["row"]),
        ("__syncthread", ["__syncthreads"]),
        ("threadidx", ["threadIdx"]),
        ("qq", []),
    ],
)
def test_the_nearest_names_of_an_unknown_one(unknown: str, near: list[str]) -> None:
    assert nearest_names(unknown, "int t, tx, ty, row; tx = ty + tx + ty;") == near


def test_a_word_is_completed(typist: Typist) -> None:
    typist.page.editing.begin()
    area = typist.area
    typist.go_to("sum +=", end=True)
    QTest.keyClicks(area, " TILE")
    assert area.completion.is_open
    assert area.completion.names[0] == "TILE_WIDTH"
    QTest.keyClick(area, Qt.Key.Key_Tab)
    assert typist.line.endswith("; TILE_WIDTH")
    assert not area.completion.is_open
    QTest.keyClicks(area, " // TILE")
    assert not area.completion.is_open


def test_matches_are_found_counted_and_replaced(typist: Typist) -> None:
    typist.page.editing.begin()
    area, bar = typist.area, typist.page.listing.find_bar
    QTest.keyClick(area, Qt.Key.Key_H, CTRL)
    assert bar.isVisible()
    bar.wanted.setText("sum")
    bar.exact.setChecked(True)
    before = area.text
    count = before.count("sum")
    assert bar.found.text().endswith(f"of {count}")
    first = area.textCursor().selectionStart()
    QTest.keyClick(bar.wanted, Qt.Key.Key_Return)
    assert area.textCursor().selectedText() == "sum"
    assert area.textCursor().selectionStart() != first
    QTest.keyClick(bar.wanted, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert area.textCursor().selectionStart() == first
    bar.replacement.setText("total")
    bar.replacement.setFocus()
    QTest.keyClick(bar.replacement, Qt.Key.Key_Return)
    assert area.text.count("sum") == count - 1
    bar.replace_all()
    assert area.text == before.replace("sum", "total")
    typist.settle()
    assert typist.page.story is not None
    assert not typist.page.story.stage.trace.hazards
    area.undo()
    area.undo()
    assert area.text == before
    QTest.keyClick(bar.wanted, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_an_unknown_text_is_not_found(area: TextArea, qtbot: QtBot) -> None:
    bar = FindBar(area)
    qtbot.addWidget(bar)
    bar.open(replacing=False)
    bar.wanted.setText("nowhere")
    assert bar.found.text() == "no match"
    bar.go(1)
    bar.replace_all()
    assert area.text == CODE


@pytest.mark.parametrize("kernel", [k for k in catalog() if k.file is not None], ids=lambda k: k.id)
def test_a_copy_launches_the_same_function(tmp_path: Path, kernel) -> None:  # type: ignore[no-untyped-def]
    copy = read_kernel(copy_kernel(kernel, tmp_path).file)
    assert (copy.entry, copy.workload, copy.block_rules) == (kernel.entry, kernel.workload, kernel.block_rules)
    assert copy.title == f"{kernel.title} (edited)"
    assert not copy.flaw


def test_copies_have_names_of_their_own_and_know_their_original() -> None:
    kernel, folder = find_kernel("matmul_tiled"), drafts_folder()
    files = [copy_kernel(kernel, folder).file for _ in range(2)]
    assert [file.name for file in files] == ["my_matmul_tiled.cu", "my_matmul_tiled_2.cu"]
    for file in files:
        file.write_text(file.read_text().replace("sum", "total"))
        assert draft_of_file(file, read_source(file)).original == kernel.file
        assert draft_of_file(file, read_source(file)).original_text == kernel.text


def test_own_files_are_edited_in_place_unless_they_would_lose_letters(own_kernel: Path, tmp_path: Path) -> None:
    own_kernel.write_bytes(OWN_KERNEL.replace("\n", "\r\n").encode())
    draft = draft_of_file(own_kernel, read_source(own_kernel))
    draft.write(OWN_KERNEL + "// more\n")
    assert own_kernel.read_bytes() == (OWN_KERNEL + "// more\n").replace("\n", "\r\n").encode()
    assert draft.original.read_text() == OWN_KERNEL
    assert draft.original.stem == own_kernel.stem
    # A file that would lose letters is copied.
    file = tmp_path / "old.cu"
    file.write_bytes("// größer\n".encode("latin-1"))
    draft = draft_of_file(file, read_source(file))
    assert draft.file.parent == drafts_folder()
    assert file.read_bytes() == "// größer\n".encode("latin-1")
    # The function to launch is named for another file name.
    two = LESSON + OWN_KERNEL
    named = with_entry(two, "mine")
    assert kernel_of(tmp_path / "other.cu", named).entry == "mine"
    assert with_entry(named, "other") == named
    assert with_entry("no comment", "mine") == "no comment"
