"""A session that was saved reopens as it was, and nonsense in its file is one clear line."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.explore.export.film import picture
from gui.explore.playback.session_file import Launch, SavedSession, Source, read_session, write_session
from gui.explore.stage.focus import Focus
from gui.selection.unread_source import UnreadSource
from gui.shell.main_window import MainWindow
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.catalog import find_kernel, read_kernel
from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.windows import explore

SAVED = SavedSession(
    "Occupancy",
    "h200",
    Launch("matmul_tiled", Size(3, 4, 5), Dim3(2, 2), "random(7)"),
    Source("my kernel.cu", "extern \"C\" … // 'ü'\r\n", "a = 1\n", "{}", True),
    "shuffle:2",
    True,
    Frame(3, 17),
    Focus.on_element(1, 5, 9),
    "warp",
    "thread",
    True,
    2,
    ("code", "memory"),
    Launch("matmul_naive", Size(3, 4, 5), Dim3(2, 2)),
    Launch("matmul_tiled", Size(4096, 4096, 4096), Dim3(32, 32)),
)


class Shown:
    """A window without a search for GPUs, and everything that a session keeps of it."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        window.resize(1280, 800)
        window.show()
        window.show_page(0)
        self.qtbot, self.window = qtbot, window
        self.page = explore(window)
        self.settle()

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: not (self.page.busy or self.page._compared._work.busy), timeout=20_000)

    def open(self, file: Path) -> None:
        self.window.open_file(file)
        self.settle()

    @property
    def state(self) -> tuple[Any, ...]:
        page, selection = self.page, self.window.session.selection
        frame = page.frames[page.position] if page.story is not None else None
        view = (page.options, page.playback.every_statement, page.stage_bar.schedule, page.panes.shown, page.selected)
        compared = page.comparison.other_title if page.comparison is not None else ""
        shown = self.window.header.page, page.editing.active, page.code.toPlainText(), page.caption.whole, compared
        return (selection.kernel.chosen, selection.size, selection.block, selection.device.id, frame, *view, *shown)

    @property
    def pixels(self) -> QImage:
        assert self.page.scene is not None
        return picture(self.page.scene, QSize(960, 540), LIGHT)


@pytest.fixture
def shown(qtbot: QtBot, window: MainWindow) -> Shown:
    return Shown(qtbot, window)


def change_all(shown: Shown) -> None:
    """Show something else in every respect."""
    shown.page.editing.leave()
    shown.window.show_page(0)
    shown.page.stop_comparing()
    shown.page.stage_bar.follow(None)
    shown.window.session.play(None)
    kernel = find_kernel("mmt_naive")
    shown.window.session.select(kernel=kernel, size=kernel.size, block=kernel.block)
    shown.settle()
    shown.page.stage_bar.set_zoom("grid")
    shown.page.stage_bar.set_reads(False)
    shown.page.stage_bar.set_colouring("block")
    shown.page.stage_bar.set_every_statement(False)
    shown.page.panes.show_only(("code",))
    shown.page.timeline.go(0)


def arrange(shown: Shown) -> None:
    """Make choices of every kind for the kernel that is selected."""
    page = shown.page
    page.stage_bar.set_schedule("reversed")
    page._run_again()
    shown.settle()
    page.stage_bar.set_every_statement(True)
    page.stage_bar.set_zoom("block")
    page.stage_bar.set_colouring("thread")
    page.stage_bar.set_reads(True)
    page.panes.show_only(("code", "memory"))
    frame = page.frames[23]
    page.show_moment(frame.block, frame.step, Focus.on_thread(5))


@pytest.mark.parametrize("own", [False, True], ids=["of the list", "own text"])
def test_a_session_reopens_as_it_was(shown: Shown, tmp_path: Path, own: bool) -> None:
    tiled, file = find_kernel("matmul_tiled"), tmp_path / "lecture.tilescope"
    if own:
        source = tmp_path / "mine.cu"
        source.write_text(tiled.text.replace("sum +=", "sum = sum +"), encoding="utf-8")
        shown.window.session.open(read_kernel(source), size=Size(4, 4, 4), block=Dim3(2, 2))
    else:
        shown.window.session.select(kernel=tiled, size=Size(4, 4, 4), block=Dim3(2, 2))
    shown.settle()
    arrange(shown)
    if own:
        shown.page.editing.begin()
    else:
        shown.page._compare_with(replace(shown.window.session.selection, kernel=find_kernel("matmul_naive")))
        shown.settle()
        shown.window.show_page(2)
        shown.window.session.select(size=Size(512, 512, 512), block=Dim3(16, 16))
    state, pixels = shown.state, shown.pixels
    shown.window.sessions.save(file)
    assert "Session saved" in shown.window.notice.text
    assert json.loads(file.read_bytes())["format"] == "tilescope session"

    change_all(shown)
    assert not set(state[4:9]) & set(shown.state[4:9])
    if own:
        source.write_text("// the user goes on with this file\n", encoding="utf-8")
    shown.open(file)
    assert shown.state == state
    assert shown.pixels == pixels
    if own:
        assert source.read_text(encoding="utf-8").startswith("// the user goes on")  # it is not replaced


def test_a_file_that_does_not_say_its_launch_reopens_with_its_values(shown: Shown, tmp_path: Path) -> None:
    text = "__global__ void add(const float *a, float *b) { b[threadIdx.x] += a[threadIdx.x]; }\n"
    values = (LaunchValue("a", "const float *", "f32[4]:iota"), LaunchValue("b", "float *", "f32[4]:zeros"))
    shown.window.session.play(CustomLaunch(tmp_path / "add.cu", text, "add", "1", "4", values))
    shown.settle()
    shown.page.timeline.last()
    state, pixels, file = shown.state, shown.pixels, tmp_path / "add.tilescope"
    shown.window.sessions.save(file)
    change_all(shown)
    shown.open(file)
    reopened = shown.window.session.recording
    assert isinstance(reopened, CustomLaunch)
    assert (reopened.values, reopened.text) == (values, text)
    assert shown.pixels == pixels
    assert shown.state[4:] == state[4:]


def test_a_text_with_an_error_is_shown_with_it(shown: Shown, tmp_path: Path) -> None:
    file = tmp_path / "broken.tilescope"
    write_session(
        file, replace(SAVED, page="Explore", source=Source("broken.cu", "__global__ void k( {"), compared=None)
    )
    shown.open(file)
    assert isinstance(shown.window.session.recording, UnreadSource)
    assert "__global__ void k( {" in shown.page.code.toPlainText()


def test_every_field_survives_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.tilescope"
    write_session(file, SAVED)
    assert read_session(file) == SAVED
    least = SavedSession("Explore", "", Launch("index_map", Size(1, 1, 1), Dim3(1)))
    write_session(file, least)
    assert read_session(file) == least
    assert list(tmp_path.iterdir()) == [file]


NONSENSE: dict[str, tuple[bytes | dict[str, Any], str]] = {
    "not JSON": (b"\xff\xfe{", "it is not JSON"),
    "deep": (b"[" * 100_000, "it is not JSON"),
    "another format": (b'{"a": 1}', "is no session"),
    "a list": (b"[1]", "is no session"),
    "newer": ({"version": 2}, "another version"),
    "no launch": ({"launch": None}, "'launch' must be a table"),
    "size": ({"launch": {"kernel": "matmul_tiled", "size": "0,1,1", "block": "1"}}, "'size' is wrong"),
    "huge block": ({"launch": {"kernel": "matmul_tiled", "size": "3", "block": "4096,1"}, "source": {}}, "name"),
    "folder": ({"source": {"name": "../../.bashrc.cu", "text": "x"}}, "without a folder"),
    "file": (
        {"launch": {"kernel": "matmul_tiled", "size": "3", "block": "1", "fills": "A=../a.npy"}},
        "must not name a file",
    ),
    "frame": ({"frame": {"block": -1, "step": 0}}, "'block' must be a whole number from 0 up"),
    "zoom": ({"zoom": "galaxy"}, "'zoom' must be one of grid, block, warp"),
    "unknown": ({"password": "1"}, "unknown field 'password'"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_in_a_file_is_one_line(tmp_path: Path, name: str) -> None:
    content, words = NONSENSE[name]
    file = tmp_path / "a.tilescope"
    write_session(file, SAVED)
    changed = content if isinstance(content, bytes) else json.dumps(json.loads(file.read_bytes()) | content).encode()
    file.write_bytes(changed)
    with pytest.raises(InputError) as refused:
        read_session(file)
    assert str(refused.value).startswith(str(file))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_session_that_cannot_be_shown_leaves_the_window_as_it_is(shown: Shown, tmp_path: Path) -> None:
    state = shown.state
    unknown = Launch("../../etc/passwd.cu", Size(3, 3, 3), Dim3(2, 2))
    too_large = Launch("matmul_tiled", Size(3, 3, 3), Dim3(4096))
    for launch, words in ((unknown, "no kernel"), (too_large, "has no launch of size 3 in blocks of 4096×1")):
        write_session(tmp_path / "a.tilescope", replace(SAVED, source=None, launch=launch))
        shown.open(tmp_path / "a.tilescope")
        assert words in shown.window.notice.text
        assert shown.state == state
    shown.open(tmp_path / "missing.tilescope")
    assert "missing.tilescope: cannot be read" in shown.window.notice.text


def test_a_selected_thing_that_the_run_lacks_is_named(shown: Shown, tmp_path: Path) -> None:
    launch = Launch("matmul_tiled", Size(3, 3, 3), Dim3(2, 2))
    plain = SavedSession("Explore", "", launch, frame=Frame(99, 10_000), warp=7)
    for focus in (Focus.on_thread(10_000), Focus.on_element(99, 0), Focus.on_element(0, 10_000)):
        write_session(tmp_path / "a.tilescope", replace(plain, focus=focus))
        shown.open(tmp_path / "a.tilescope")
        assert "does not exist in this run" in shown.page.caption.whole
        assert shown.page.story is not None
