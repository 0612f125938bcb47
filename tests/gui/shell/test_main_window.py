from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QByteArray, QMimeData, QPoint, QPointF, QRect, QSize, Qt, QUrl
from PySide6.QtGui import QColor, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from gui.selection.launch_check import size_labels
from gui.selection.unread_source import UnreadSource
from gui.shell.application import application
from gui.shell.main_window import MainWindow, least_size
from gui.shell.pages import PAGES
from gui.shell.settings import Settings
from gui.theming.style import TEXT_PT
from kernels.catalog import catalog, read_kernel
from kernels.launch import Dim3
from kernels.user_folder import old_path, user_folder
from kernels.workload import WORKLOADS, Size
from tests.sweeps import in_handful, in_turn
from tests.user_folders import USER_FOLDERS

NONSENSE = ("", "0", "-1", "1.5", "abc", "1e3", "∞", "9" * 12, "1,2,3,4", "16,", "' OR 1=1", "🙂")


def block_field(window: MainWindow) -> QLineEdit:
    field = window.bar.block.lineEdit()
    assert field is not None
    return field


def type_into(field: QLineEdit, text: str) -> None:
    field.setText(text)
    QTest.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.parametrize("text", NONSENSE)
@pytest.mark.parametrize("name", ["size", "block"])
def test_nonsense_is_named_and_changes_nothing(window: MainWindow, name: str, text: str) -> None:
    before = window.session.selection
    box = window.bar.block if name == "block" else window.bar.lengths
    field = box.lineEdit()
    assert field is not None
    type_into(field, text)
    assert window.session.selection == before
    assert window.notice.text
    assert box.property("illegal") is True


def test_a_block_is_read_in_every_spelling_and_a_legal_one_takes_the_complaint_away(window: MainWindow) -> None:
    type_into(block_field(window), "100,100")
    assert "10,000 threads" in window.notice.text
    type_into(block_field(window), "4,4")
    assert window.notice.text == ""
    assert window.bar.block.property("illegal") is False
    # A block is read in every spelling.
    for text, block in [("4,4", Dim3(4, 4)), ("8x8", Dim3(8, 8)), ("2×2", Dim3(2, 2))]:
        type_into(block_field(window), text)
        assert window.session.selection.block == block
        assert window.notice.text == ""


@pytest.mark.parametrize(
    ("workload", "labels"),
    [
        ("matmul", {"m": "M", "n": "N", "k": "K"}),
        ("mmt", {"n": "n"}),
        ("index", {"m": "height", "n": "width"}),
        ("none", {}),
    ],
)
def test_size_fields_are_those_that_the_workload_has(workload: str, labels: dict[str, str]) -> None:
    assert size_labels(WORKLOADS[workload]) == labels


def test_every_kernel_with_a_source_can_be_picked(window: MainWindow) -> None:
    box = window.bar.kernel
    wanted = [k for k in catalog() if k.file is not None]
    listed = [box.itemData(i) for i in range(box.count()) if box.itemData(i) is not None]
    assert sorted(k.id for k in listed) == sorted(k.id for k in wanted)
    for index in range(box.count()):
        if box.itemData(index) is not None:
            box.setCurrentIndex(index)
            box.activated.emit(index)
            assert window.session.selection.kernel == box.itemData(index)


def test_a_dropped_file_is_selected(window: MainWindow, own_kernel: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(own_kernel))])
    action, keys = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), action, data, Qt.MouseButton.NoButton, keys))
    assert window.session.selection.kernel == read_kernel(own_kernel.resolve())
    assert window.bar.kernel.currentText() == "Mine"


@pytest.mark.parametrize("text", ["", "not CUDA at all", "/* tilescope\ntitle = 3 */", "/* tilescope\n]] */"])
def test_a_file_that_cannot_be_used_is_named_with_the_reason(
    window: MainWindow, qtbot: QtBot, own_kernel: Path, text: str
) -> None:
    own_kernel.write_text(text, encoding="utf-8")
    before = window.session.selection
    window.open_file(own_kernel)
    qtbot.waitUntil(lambda: window.session.recording is not None)
    shown = window.session.recording
    assert isinstance(shown, UnreadSource)
    assert "mine.cu" in str(shown.error)
    assert window.session.selection == before


def test_an_edit_on_disk_reaches_the_session(qtbot: QtBot, window: MainWindow, own_kernel: Path) -> None:
    window.open_file(own_kernel)
    with qtbot.waitSignal(window.session.selection_changed, timeout=10_000):
        own_kernel.write_text(own_kernel.read_text("utf-8").replace("Nothing", "Something"), "utf-8")
    assert window.session.selection.kernel.teaches == "Something."


def test_unexpected_errors_and_too_little_memory_are_shown(
    window: MainWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    window.report(ZeroDivisionError, ZeroDivisionError("division by zero"))
    assert "ZeroDivisionError: division by zero" in window.notice.text
    assert "ZeroDivisionError" in capsys.readouterr().err
    # Too little memory is one line that says what would work.
    window.report(MemoryError, MemoryError())
    assert window.notice.text.endswith("This machine does not have enough memory for that: choose a smaller size")
    assert capsys.readouterr().err == ""


def test_a_page_that_cannot_be_built_says_why_and_the_others_work(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = PAGES[0]._replace(module="gui.shell.no_such_page")
    monkeypatch.setattr("gui.shell.main_window.PAGES", (broken, *PAGES[1:]))
    window.show_page(0)
    assert "no_such_page" in window.notice.text
    window.show_page(2)
    assert window._pages.keys() == {0, 2}
    assert "no_such_page" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "theme"), in_turn(range(len(PAGES)), ["light", "dark"]))
def test_every_page_follows_the_selection_and_leaves_nothing_behind(
    window: MainWindow, number: int, theme: str
) -> None:
    window.show_page(number)
    window.set_theme(theme)  # type: ignore[arg-type]
    window.show()
    for kernel in (k for k in catalog() if k.runs_on == "cuda" and in_handful(k)):
        window.session.select(kernel=kernel)
    window.session.select(block=Dim3(1, 1))
    assert window.notice.text == ""


def test_window_fits_a_small_projector(window: MainWindow) -> None:
    window.resize(1280, 800)
    window.show()
    assert (window.width(), window.height()) == (1280, 800)
    assert window.minimumSizeHint().width() <= 1280


def test_larger_text_needs_a_larger_window(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = QRect(0, 0, 1920, 1080)
    monkeypatch.setattr(window, "screen", lambda: SimpleNamespace(availableGeometry=lambda: screen))
    window.appearance.step_text(0)
    window.resize(960, 600)
    assert window.minimumSize() == QSize(960, 600)
    for _ in TEXT_PT:
        window.appearance.step_text(1)
    assert window.size() == window.minimumSize() == least_size(TEXT_PT[-1])
    screen.setSize(QSize(1024, 768))
    window.appearance.step_text(-1)
    assert 960 < window.minimumWidth() < 1024  # never larger than the screen without the frame
    window.appearance.step_text(0)
    assert window.minimumSize() == QSize(960, 600)


def test_the_selection_survives_a_crash(qtbot: QtBot, window: MainWindow) -> None:
    kernel = [k for k in catalog() if k.runs_on == "cuda" and k.workload.id == "matmul"][-1]
    window.session.select(kernel=kernel, size=Size(9, 9, 9), block=Dim3(4, 4))
    qtbot.waitUntil(lambda: not window._settings._later.isActive())  # written a moment later, not at the end
    assert Settings().selection() == replace(window.session.selection)


def test_settings_are_written_together_and_only_when_they_change(qtbot: QtBot, tmp_path: Path) -> None:
    for settings in (Settings(), Settings()):
        first = settings.text("selection/size") == ""
        settings.remember("selection/size", "16,16,16")
        assert settings._later.isActive() is first
        settings.flush()
        settings.remember("selection/size", "16,16,16")
        assert not settings._later.isActive()
    # Settings are written together a moment after the first change.
    # A window that is dragged has a new size with each turn of the event loop.
    file = tmp_path / "settings.ini"
    settings = Settings(file=file)
    for width in range(3):
        settings.remember("width", str(width))
        QApplication.processEvents()
        assert settings.text("width") == str(width)
        assert not file.exists()
    qtbot.waitUntil(file.exists)
    assert Settings(file=file).text("width") == "2"


def test_settings_that_make_no_sense_are_replaced(qtbot: QtBot) -> None:
    settings = Settings()
    for name in ("kernel", "size", "block", "device"):
        settings.remember(f"selection/{name}", "nonsense")
    settings.remember("theme", "mauve")
    settings.flush()
    window = MainWindow(Settings())
    qtbot.addWidget(window)
    assert window.session.selection.kernel in catalog()
    assert window._settings.theme == "system"


def test_a_message_does_not_move_the_page(qtbot: QtBot, window: MainWindow) -> None:
    window.show()
    window.show_page(0)
    QApplication.processEvents()
    before = window.page(0).geometry(), window.page(0).mapTo(window, QPoint())
    for text in ("Short.", "Long. " * 60):
        window.notice.say(text, "error")
        QApplication.processEvents()
        assert window.notice.isVisible()
        assert window.childAt(window.notice.mapTo(window, QPoint(20, 6))) in (window.notice, window.notice._text)
        assert (window.page(0).geometry(), window.page(0).mapTo(window, QPoint())) == before


def test_escape_leaves_full_screen_and_nothing_else(qtbot: QtBot, window: MainWindow) -> None:
    window.showMaximized()
    QTest.qWaitForWindowExposed(window)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.isMaximized()
    window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
    assert window.isFullScreen()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert window.isMaximized()


def test_settings_of_an_earlier_version_are_carried_over(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in USER_FOLDERS:
        monkeypatch.setenv(name, str(tmp_path / name))
    old = old_path("settings")
    assert old is not None
    before = Settings(file=old)
    before.remember("theme", "dark")
    before.remember("geometry/screen", QByteArray(b"\x01\xff"))
    before.flush()
    settings = Settings()
    assert settings.theme == "dark"
    assert settings.bytes("geometry/screen") == QByteArray(b"\x01\xff")
    settings.remember("theme", "light")
    settings.flush()
    assert Settings(file=user_folder() / "settings.ini").theme == "light"
    assert not old.exists()


def test_the_window_has_the_icon(window: MainWindow) -> None:
    application("light")
    icon = window.windowIcon()
    assert icon.pixmap(32).toImage().pixelColor(16, 16) == QColor("#009e73")  # the element that is computed
