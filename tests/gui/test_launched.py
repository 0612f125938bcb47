"""Kernels whose file does not say how it is launched: it is asked for, with values that are worth trying."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from gui.explore.build import build_scene
from gui.explore.story import launch
from gui.launch_dialog import LaunchDialog
from gui.launched import Launched
from gui.launching import perform, proposals
from kernels.errors import InputError, SourceError
from kernels.simt import Options

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.main_window import MainWindow

ADD = """
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main() { return 0; }
"""
SCALE = (
    "struct P { float x; int y; }; __global__ void scale(P p, float4 *v, double s) { v[threadIdx.x].x *= s; }"
)
REVERSE = """
__global__ void reverse(int *v) {
    extern __shared__ int s[];
    s[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
"""
TURN = "__global__ void turn(unsigned char *m, bool back) { m[threadIdx.y * 8 + threadIdx.x] += back; }"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "own.cu"
    made.write_text(ADD, encoding="utf-8")
    return made


@pytest.fixture
def shown(window: MainWindow) -> MainWindow:
    window.show()
    window.show_page(0)
    return window


def asked(window: MainWindow, qtbot: QtBot) -> LaunchDialog:
    qtbot.waitUntil(lambda: window.findChild(LaunchDialog) is not None)
    return cast("LaunchDialog", window.findChild(LaunchDialog))


def settled(window: MainWindow, qtbot: QtBot) -> ExplorePage:
    page = cast("ExplorePage", window.page(0))
    qtbot.waitUntil(lambda: isinstance(window.session.recording, Launched) and not page.busy)
    return page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ADD, "add, grid 2, block 32, a = f32[64]:iota, b = f32[64]:iota, c = f32[64]:uninit, n = 64"),
        (SCALE, "scale, grid 2, block 32, p.x = 1.0, p.y = 64, v = f32[64,4]:iota, s = 1.0"),
        (REVERSE, "reverse, grid 2, block 32, 1024 bytes of shared memory, v = i32[64]:iota"),
        (TURN, "turn, grid 2,2, block 4,4, m = u8[8,8]:iota, back = true"),
    ],
)
def test_a_proposal_runs_as_it_is(file: Path, text: str, words: str) -> None:
    file.write_text(text, encoding="utf-8")
    (proposed,) = proposals(file)
    assert proposed.words == words
    assert perform(proposed, Options()).trace.steps


def test_every_kernel_of_a_file_is_proposed(file: Path) -> None:
    file.write_text(ADD + TURN, encoding="utf-8")
    assert [proposed.entry for proposed in proposals(file)] == ["add", "turn"]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("int main() { return 0; }", InputError, "has no __global__ function to launch"),
        ("template <class T> __global__ void k(T *a) {}", InputError, "has only template kernels"),
        ("__global__ void k( {", SourceError, "own.cu:1:"),
    ],
)
def test_a_file_without_a_kernel_to_launch(
    file: Path, text: str, kind: type[Exception], message: str
) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(kind, match=message):
        proposals(file)


def test_it_is_asked_run_and_shown(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    assert list(dialog.values) == ["a", "b", "c", "n"]
    dialog.values["n"].setText("40")
    dialog.accept()
    dialog.asked.emit(dialog.launched)
    page = settled(shown, qtbot)
    assert page.story is not None
    assert page.story.stage.trace.scalars["n"] == 40
    assert [cells.view.title for cells in page.scene.cells] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert shown.recording_bar.isVisible()
    assert "n = 40" in shown.recording_bar.words.text()
    assert shown.notice.text == ""


def test_what_cannot_be_used_is_named_and_can_be_changed(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    dialog.values["a"].setText("f32[64]:lots")
    dialog.asked.emit(dialog.launched)
    dialog.close()
    page = settled(shown, qtbot)
    assert "lots" in page.canvas.accessibleDescription()
    qtbot.waitUntil(lambda: shown.findChild(LaunchDialog) is None)
    shown.recording_bar.launch.click()
    assert asked(shown, qtbot).values["a"].text() == "f32[64]:lots"


def test_too_many_threads_for_a_picture_are_not_run(file: Path) -> None:
    (proposed,) = proposals(file)
    with pytest.raises(InputError, match="1,048,576 threads"):
        perform(replace(proposed, grid="1024", block="1024"), Options())


@pytest.mark.parametrize("text", ["", "-4", "lots"])
def test_shared_memory_is_a_number_of_bytes(file: Path, text: str) -> None:
    (proposed,) = proposals(file)
    with pytest.raises(InputError, match=f"shared memory '{text}' cannot be"):
        perform(replace(proposed, shared=text), Options())


def test_forgotten_shared_memory_is_shown_as_the_hazard_that_it_is(file: Path) -> None:
    file.write_text(REVERSE, encoding="utf-8")
    (proposed,) = proposals(file)
    story = launch(replace(proposed, shared="0"), lambda: False)
    assert "s has 0 elements" in story.stage.trace.hazards[0].message
    assert build_scene(story.stage, story.memory.frames[0]).flows == ()


def test_an_edit_on_disk_runs_again(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    (proposed,) = proposals(file)
    shown.opening.launch(proposed)
    page = settled(shown, qtbot)
    with qtbot.waitSignal(page.ready, timeout=10_000):
        file.write_text(ADD.replace("a[i] +", "a[i] -"), encoding="utf-8")
    assert "a[i] - b[i]" in page.code.toPlainText()


def test_it_can_be_run_in_another_order(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    (proposed,) = proposals(file)
    shown.opening.launch(proposed)
    page = settled(shown, qtbot)
    assert page.side.order.isVisible()
    with qtbot.waitSignal(page.ready):
        page.side.order.setCurrentText("Last warp first")
        page.side.order.activated.emit(0)
    assert page.story is not None
    assert page.story.stage.trace.schedule == "reversed"
