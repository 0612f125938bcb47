"""Kernels whose file does not say how it is launched: it is asked for, with values that are worth trying."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.explore.playback.eligibility import check_threads
from gui.explore.playback.story import story_of_launch
from gui.explore.stage.build import build_scene
from gui.selection.launch_dialog import LaunchDialog
from gui.shell.main_window import MainWindow
from kernels.custom_launch.model import CustomLaunch
from kernels.custom_launch.run import perform
from kernels.errors import InputError, SourceError
from kernels.launch_inference.proposals import proposals
from kernels.simt import Options
from tests.gui.explore.conftest import choose_order
from tests.gui.windows import explore

ADD = """
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];  // c is the sum
}
int main() { return 0; }
"""


SCALE = "struct P { float x; int y; }; __global__ void scale(P p, float4 *v, double s) { v[threadIdx.x].x *= s; }"


REVERSE = """
__global__ void reverse(int *v) {
    extern __shared__ int s[];
    s[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
"""


TILES = """
template <int TILE, typename T, bool HALVE = false> __global__ void tiles(const T *a, T *b, int n) {
    __shared__ T tile[TILE];
    tile[threadIdx.x] = a[blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    b[blockIdx.x * TILE + threadIdx.x] = tile[TILE - 1 - threadIdx.x] / (HALVE ? 2 : 1);
}
"""


SUM = """
#define SIDE 8
__constant__ int weights[3];
__global__ void sum(const int *pixels, int *sums) {
    __shared__ int s[SIDE * 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = 0;
    for (int c = 0; c < 3; ++c) s[threadIdx.x] += weights[c] * pixels[3 * i + c];
    __syncthreads();
    if (threadIdx.x == 0) { int all = 0; for (int k = 0; k < SIDE * 2; ++k) all += s[k]; sums[blockIdx.x] = all; }
}
"""


ELSEWHERE = "__global__ void fill(int *a) { if (threadIdx.x < MOST) a[blockIdx.x * blockDim.x + threadIdx.x] = MOST; }"


TEXTURE = """
texture<float2, 2> image;
__global__ void get(float *a) { a[threadIdx.x] = tex2D(image, threadIdx.x, blockIdx.x).y; }
"""


PIXELS = """
__global__ void grey(cudaTextureObject_t image, float *a) {
    a[blockIdx.x * 8 + threadIdx.x] = tex2D<unsigned char>(image, threadIdx.x, blockIdx.x);
}
int main() { grey<<<2, 8>>>(image, a); }
"""


ROOMY = """
#define DYNAMIC extern volatile __shared__
__global__ void roomy(float *a) {
    DYNAMIC float s[];
    s[2 * threadIdx.x] = 1;
    a[threadIdx.x] = s[2 * threadIdx.x];
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
    page = explore(window)
    qtbot.waitUntil(lambda: isinstance(window.session.recording, CustomLaunch) and not page.busy)
    return page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ADD,
            "add, grid 2, block 32, a = f32[60]:randint(1,9,1), b = f32[60]:randint(1,9,1), c = f32[60]:uninit, n = 60",
        ),
        (SCALE, "scale, grid 1, block 32, p.x = 1.0, p.y = 32, v = f32[32,4]:randint(1,9,1), s = 1.0"),
        (REVERSE, "reverse, grid 1, block 64, 256 bytes of shared memory, v = i32[64]:randint(1,9,1)"),
        (TURN, "turn, grid 1, block 4,4, m = u8[7,4]:randint(1,9,1), back = true"),
        (
            TILES,
            "tiles<TILE = 64, T = float>, grid 2, block 64, a = f32[128]:randint(1,9,1), b = f32[128]:uninit, n = 128",
        ),
        (
            TILES + "int main() { const int side = 8; tiles<side, double, true><<<4, side>>>(a, b, 32); }",
            "tiles<TILE = 8, T = double, HALVE = true>, grid 2, block 8, "
            "a = f64[16]:randint(1,9,1), b = f64[16]:uninit, n = 16",
        ),
        (
            SUM,
            "sum, grid 2, block 16, pixels = i32[96]:randint(1,9,1), sums = i32[2]:uninit, "
            "weights = i32[3]:randint(1,9,1)",
        ),
        (ELSEWHERE, "fill, MOST=8, grid 2, block 32, a = i32[40]:uninit"),
        (PIXELS, "grey, grid 2, block 8, image = u8[8,8]:randint(1,9,1), a = f32[16]:uninit"),
        (ROOMY, "roomy, grid 1, block 32, 252 bytes of shared memory, a = f32[32]:uninit"),
        (TEXTURE, "get, grid 2, block 32, a = f32[32]:uninit, image = f32[8,8,2]:randint(1,9,1)"),
    ],
)
def test_a_proposal_runs_as_it_is(file: Path, text: str, words: str) -> None:
    file.write_text(text, encoding="utf-8")
    (proposed,) = proposals(file)
    assert proposed.words == words
    assert perform(proposed, Options()).steps


def test_a_template_that_nothing_fits_can_be_filled_in(file: Path) -> None:
    file.write_text(
        "template <int N, class T> __global__ void k(T *a, T b) { static_assert(N == 3); a[threadIdx.x] = b; }",
        encoding="utf-8",
    )
    (proposed,) = proposals(file)
    with pytest.raises(SourceError, match=r"own.cu:1:.*static_assert"):
        perform(proposed, Options())
    three = tuple(replace(value, text="3") if value.name == "N" else value for value in proposed.template)
    assert perform(replace(proposed, template=three), Options()).steps


def test_every_kernel_of_a_file_is_proposed_with_its_mistakes(file: Path) -> None:
    file.write_text(ADD + TURN, encoding="utf-8")
    assert [proposed.entry for proposed in proposals(file)] == ["add", "turn"]
    # A mistake at the edge is not proposed away.
    file.write_text(ADD.replace("a[i] +", "a[i + 1] +"), encoding="utf-8")
    (proposed,) = proposals(file)
    assert "a = f32[60]:randint(1,9,1)" in proposed.words
    assert perform(proposed, Options()).hazards[0].index == 60
    # Forgotten shared memory is shown as the hazard that it is.
    file.write_text(REVERSE, encoding="utf-8")
    (proposed,) = proposals(file)
    story = story_of_launch(replace(proposed, shared="0"), lambda: False)
    assert "s has 0 elements" in story.stage.trace.hazards[0].message
    assert build_scene(story.stage, story.memory.frames[0]).flows == ()


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("int main() { return 0; }", InputError, "has no __global__ function to launch"),
        ("__global__ void k( {", SourceError, "own.cu:1:"),
    ],
)
def test_a_file_without_a_kernel_to_launch(file: Path, text: str, kind: type[Exception], message: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(kind, match=message):
        proposals(file)


def test_it_is_asked_run_and_shown(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    assert list(dialog.values) == ["a", "b", "c", "n"]
    dialog.values["n"].setText("40")
    dialog.accept()
    dialog.launch_requested.emit(dialog.launch)
    page = settled(shown, qtbot)
    assert page.story is not None
    assert page.story.stage.trace.scalars["n"] == 40
    assert [cells.view.title for cells in page.scene.cells] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert shown.recording_bar.isVisible()
    assert "n = 40" in shown.recording_bar.words.whole
    assert shown.notice.text == ""


def test_a_proposed_launch_is_named_before_the_kernel_is_blamed(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    file.write_text(ADD.replace("a[i] +", "a[i + 1] +"), encoding="utf-8")
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    dialog.launch_requested.emit(dialog.launch)
    badge = settled(shown, qtbot).side.badge
    qtbot.waitUntil(lambda: badge.text().startswith("tilescope proposed this launch: check its values"))
    dialog.values["n"].setText("59")
    dialog.launch_requested.emit(dialog.launch)
    qtbot.waitUntil(lambda: "proposed" not in badge.text())
    dialog.close()


def test_template_arguments_and_macros_are_asked_for(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    file.write_text(TILES.replace("TILE - 1 -", "LAST -"), encoding="utf-8")
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    assert list(dialog.values) == ["TILE", "T", "HALVE", "a", "b", "n"]
    assert dialog.values["HALVE"].placeholderText() == "its default"
    dialog.values["T"].setText("int")
    dialog.values["a"].setText("i32[64]:ones")
    dialog.values["b"].setText("i32[64]:uninit")
    dialog.defines.setText("LAST=TILE-1 -DUNUSED")
    dialog.accept()
    dialog.launch_requested.emit(dialog.launch)
    page = settled(shown, qtbot)
    assert page.story is not None
    assert page.story.stage.trace.outputs["b"].tolist()[:16] == [1] * 16


def test_an_architecture_is_chosen_or_follows_the_device(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    file.write_text("__global__ void arch(int *out) { out[0] = __CUDA_ARCH__; }\n", encoding="utf-8")
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    dialog.values["out"].setText("i32[1]:zeros")
    assert dialog.launch.arch == ""
    dialog.launch_requested.emit(dialog.launch)
    page = settled(shown, qtbot)
    qtbot.waitUntil(lambda: page.story is not None)
    assert page.story is not None
    assert page.story.stage.trace.architecture == shown.session.selection.device.architecture
    dialog.arch.setCurrentText("sm_75")
    dialog.launch_requested.emit(dialog.launch)
    page = settled(shown, qtbot)
    assert page.story is not None
    assert page.story.stage.trace.outputs["out"][0] == 750
    dialog.close()


def test_unusable_values_are_named_and_can_be_changed(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    shown.open_file(file)
    dialog = asked(shown, qtbot)
    dialog.values["a"].setText("f32[64]:lots")
    dialog.launch_requested.emit(dialog.launch)
    dialog.close()
    page = settled(shown, qtbot)
    assert "lots" in page.canvas.accessibleDescription()
    qtbot.waitUntil(lambda: shown.findChild(LaunchDialog) is None)
    shown.recording_bar.launch.click()
    assert asked(shown, qtbot).values["a"].text() == "f32[64]:lots"


def test_however_long_a_launch_is_two_lines_tell_it(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    long = file.with_name("a_file_with_a_name_that_nobody_would_ever_want_to_read_to_its_end.cu")
    parameters = ", ".join(f"int *a_rather_long_name_{n}" for n in range(20))
    long.write_text(f"__global__ void k({parameters}) {{ a_rather_long_name_1[0] = 1; }}", encoding="utf-8")
    shown.resize(1280, 800)
    shown.opening.launch(proposals(long)[0])
    settled(shown, qtbot)
    bar = shown.recording_bar
    qtbot.waitUntil(lambda: bar.words.text().endswith("…"))
    assert bar.height() < 4 * bar.fontMetrics().height()
    assert bar.words.width() > 400
    assert bar.words.toolTip().endswith("a_rather_long_name_19 = i32[32]:randint(1,9,1)")


def test_too_many_threads_for_a_picture_are_not_run(file: Path) -> None:
    (proposed,) = proposals(file)
    with pytest.raises(InputError, match="1,048,576 threads"):
        perform(replace(proposed, grid="1024", block="1024"), Options(), check_threads)


@pytest.mark.parametrize("text", ["", "-4", "lots"])
def test_shared_memory_is_a_number_of_bytes(file: Path, text: str) -> None:
    (proposed,) = proposals(file)
    with pytest.raises(InputError, match=rf"shared memory must be a number of bytes, 0 for none \(it is '{text}'\)"):
        perform(replace(proposed, shared=text), Options())


def test_launches_are_run_again_in_another_order_and_after_an_edit(shown: MainWindow, qtbot: QtBot, file: Path) -> None:
    (proposed,) = proposals(file)
    shown.opening.launch(proposed)
    page = settled(shown, qtbot)
    assert all(action.isVisible() for action in page.stage_bar._orders.actions())
    with qtbot.waitSignal(page.ready):
        choose_order(page, "reversed")
    assert page.story is not None
    assert page.story.stage.trace.schedule == "reversed"
    # An edit on disk runs again.
    with qtbot.waitSignal(page.ready, timeout=10_000):
        file.write_text(ADD.replace("a[i] +", "a[i] -"), encoding="utf-8")
    assert "a[i] - b[i]" in page.code.toPlainText()


@pytest.mark.parametrize(
    ("grid", "value", "words"),
    [
        ("2", "f32[100000000000000]:uninit", "the arrays up to this one take 363.8 TiB"),
        ("2", "f32[100000000,100000000]:iota", "cannot hold that 4 times: give a smaller one"),
        ("100000000", "f32[64]:iota", "This launch has 3,200,000,000 threads"),
    ],
)
def test_numbers_that_are_too_large_are_refused_in_one_line(tmp_path: Path, grid: str, value: str, words: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(float *a) { a[threadIdx.x] = 1; }\n")
    (offer,) = proposals(file)
    wanted = tuple(replace(one, text=value) for one in offer.values)
    with pytest.raises(InputError) as raised:
        perform(replace(offer, grid=grid, block="32", values=wanted), Options(), check_threads)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
