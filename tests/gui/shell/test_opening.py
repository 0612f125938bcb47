"""Files that are opened: reading that is cancelled, and files that disappear or change on disk."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.explore.code.line_map import without_footer
from gui.explore.page import ExplorePage
from gui.selection.launch_dialog import LaunchDialog
from gui.selection.unread_source import UnreadSource
from gui.shell.jobs import JobRunner
from gui.shell.main_window import MainWindow
from kernels.cancellation import checkpoint
from kernels.catalog import find_kernel
from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.frontend.templates import struct_templates
from kernels.frontend.templates.struct_templates import StructTemplates
from kernels.launch import Dim3
from kernels.launch_inference.drafts import Draft
from kernels.launch_inference.trial import try_out
from kernels.simt.compiler.calls import functions
from kernels.simt.compiler.trace_tables import Tables
from kernels.workload import Size
from tests.gui.conftest import OWN_KERNEL
from tests.gui.windows import explore
from tests.sweeps import exhaustive

TWICE = "".join(f"__device__ float f{n}(float x) {{ return f{n + 1}(x) + f{n + 1}(x); }}\n" for n in range(40)).replace(
    "f40(x) + f40(x)", "x"
)


COMPILED = f"{TWICE}__global__ void k(float *x) {{ x[0] = f0(1); }}\n"


READ = (
    "template <int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n"
    "template <int M> struct F<0, M> { static const int v = 1; };\n"
    "__global__ void k(float *x) { x[0] = F<30, 0>::v; }\n"
)


ADD = "__global__ void add(const float *a, float *b) { b[threadIdx.x] += a[threadIdx.x]; }\n"


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without their limits, `COMPILED` and `READ` take hours."""
    monkeypatch.setattr(functions, "MAX_INLINED", sys.maxsize)
    monkeypatch.setattr(struct_templates, "MAX_INSTANCES", sys.maxsize)


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Tell whenever a hundred instances were read, or statements compiled."""
    reached = threading.Event()

    def counted(owner: type, name: str) -> None:
        calls: list[None] = []
        before = getattr(owner, name)

        def count(*arguments: Any) -> Any:
            calls.append(None)
            if len(calls) % 100 == 0:
                reached.set()
            return before(*arguments)

        monkeypatch.setattr(owner, name, count)

    counted(StructTemplates, "count_instance")
    counted(Tables, "new_statement")
    return reached


@pytest.mark.usefixtures("endless")
def test_reading_is_cancelled_by_the_button_of_its_message(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, at_work: threading.Event
) -> None:
    slow = tmp_path / "slow.cu"
    slow.write_text(READ)
    window.open_file(slow)
    assert not window.notice.cancel.isHidden()
    qtbot.waitUntil(at_work.is_set)
    window.notice.cancel.click()
    assert not window.opening.busy
    assert window.notice.text == "Reading was cancelled. Open… reads the file again."
    assert window.notice.cancel.isHidden()
    window.opening.close()


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize("text", [READ, COMPILED], ids=["reading", "trying out"])
def test_the_next_file_is_shown_while_one_is_read(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, at_work: threading.Event, text: str
) -> None:
    slow, quick = tmp_path / "slow.cu", tmp_path / "quick.cu"
    slow.write_text(text)
    quick.write_text(ADD)
    window.show()
    window.open_file(slow)
    assert at_work.wait(60)
    with qtbot.waitSignal(window.opening.launch_missing, timeout=60_000) as proposed:
        window.open_file(quick)
    assert [offer.file.name for offer in proposed.args[0]] == ["quick.cu"]
    dialog = cast("LaunchDialog", window.findChild(LaunchDialog))
    assert list(dialog.values) == ["a", "b"]
    dialog.reject()


@pytest.mark.usefixtures("endless")
def test_the_window_closes_while_a_file_is_read(window: MainWindow, tmp_path: Path, at_work: threading.Event) -> None:
    slow = tmp_path / "slow.cu"
    slow.write_text(READ)
    window.open_file(slow)
    assert at_work.wait(60)
    window.opening.close()
    assert not window.opening.busy


@pytest.mark.usefixtures("endless")
def test_a_kernel_that_is_compiled_can_be_cancelled(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, at_work: threading.Event
) -> None:
    slow = tmp_path / "mine.cu"
    slow.write_text(TWICE + OWN_KERNEL.replace("= 0.0f", "= f0(1)"))
    window.show()
    window.show_page(0)
    page = explore(window)
    qtbot.waitUntil(lambda: not page.busy, timeout=60_000)
    at_work.clear()
    window.open_file(slow)
    assert at_work.wait(60)
    page.run_bar.cancel.click()
    assert not page.busy
    kernel = find_kernel("matmul_naive")
    with qtbot.waitSignal(page.ready, timeout=60_000):
        window.session.select(kernel=kernel, size=Size(2, 2, 2), block=kernel.block)
    assert page.story is not None
    assert page.story.stage.trace.kernel == "matmul_naive"


def test_newer_work_cancels_the_work_before_at_its_next_checkpoint(qtbot: QtBot) -> None:
    begun = threading.Event()
    background = JobRunner()

    def endless_work(cancelled: Callable[[], bool]) -> object:
        begun.set()
        while True:
            checkpoint()

    background.start(endless_work)
    assert begun.wait(60)
    with qtbot.waitSignal(background.finished, timeout=60_000) as finished:
        background.start(lambda cancelled: "the next")
    assert finished.args == ["the next"]
    background.close()


@pytest.mark.usefixtures("endless")
def test_a_launch_is_tried_out_no_longer_than_there_is_time(tmp_path: Path) -> None:
    """It is then proposed as it is."""
    file = tmp_path / "slow.cu"
    file.write_text(COMPILED)
    launch = CustomLaunch(file, COMPILED, "k", "1", "8", (LaunchValue("x", "float *", "f32[8]:ones"),))
    trial = try_out(Draft(launch), lambda: True)
    assert trial.launch == launch
    assert trial.problems > 0


BROKEN = ADD.replace("threadIdx.x];", "threadIdx.x]")


OWN_BROKEN = OWN_KERNEL.replace('workload = "matmul"', 'workload = "matmull"')


@pytest.mark.parametrize(("text", "mended"), [(BROKEN, ADD), (OWN_BROKEN, OWN_KERNEL)], ids=["syntax", "comment"])
def test_a_source_with_an_error_is_listed_and_shown_once_it_is_mended(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, text: str, mended: str
) -> None:
    file = tmp_path / "mine.cu"
    file.write_text(text)
    window.show()
    window.show_page(0)
    page = explore(window)
    window.open_file(file)
    qtbot.waitUntil(lambda: isinstance(window.session.recording, UnreadSource))
    assert page.code.toPlainText() == without_footer(text)
    assert page.canvas._message.startswith(("mine.cu:1", str(file)))
    assert window.recording_bar.isVisible()
    with qtbot.waitSignal(page.ready, timeout=30_000):
        file.write_text(mended)
    assert page.story is not None
    assert page.story.stage.trace.text == mended
    assert window.findChild(LaunchDialog) is None


def test_another_error_after_the_first_is_shown_in_its_place(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    file.write_text(BROKEN)
    window.show()
    window.open_file(file)
    qtbot.waitUntil(lambda: isinstance(window.session.recording, UnreadSource))
    first = window.session.recording
    with qtbot.waitSignal(window.session.recording_changed, timeout=30_000):
        file.write_text(ADD.replace("a[threadIdx.x];", "a[threadIdx.x;"))
    assert isinstance(window.session.recording, UnreadSource)
    assert window.session.recording is not first
    window.session.play(None)


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
    page = explore(window)
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
