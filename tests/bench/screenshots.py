"""Pictures of every page of the window in all its appearances, to be looked at.

Run as ``python -m tests.bench.screenshots FOLDER``; ``--only`` chooses pages, ``--size``, ``--theme`` and ``--text``
appearances. The window is shown offscreen, with a recorded history of invented samples, and with and without a GPU.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.offscreen import OFFSCREEN
from tests.user_folders import USER_FOLDERS

os.environ.setdefault("QT_QPA_PLATFORM", OFFSCREEN)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.shell.main_window import MainWindow

_TIMEOUT_S: Final = 60.0
_TEXTS: Final = {"normal": 0, "large": 3}
"""Steps up from the normal text size."""

EXPLORE, BENCHMARK, OCCUPANCY, LEARN, START = range(5)


def settle(busy: Callable[[], bool] = lambda: False) -> None:
    """Run the event loop while something is busy, and then until what has changed is laid out and painted."""
    from PySide6.QtWidgets import QApplication

    begun, quiet = time.monotonic(), 0
    while quiet < 25 and time.monotonic() - begun < _TIMEOUT_S:
        QApplication.processEvents()
        time.sleep(0.01)
        quiet = 0 if busy() else quiet + 1


def fill_history(path: Path) -> None:
    """Write a run of the Benchmark page, and one of an experiment, with invented times."""
    from kernels.bench.plan import Plan, all_entries, points
    from kernels.bench.store.database import Store
    from kernels.catalog import find_kernel
    from kernels.device import find_device
    from kernels.experiments import Machine, experiment_plan, experiments
    from kernels.experiments.plan import purpose
    from kernels.launch import Dim3
    from kernels.workload import Size
    from tests.bench.invented_run import ENVIRONMENT, invented_samples

    experiment = next(e for e in experiments() if e.id == "ladder")
    machine = Machine(replace(find_device("h200"), present=True), "", 16)
    plan, _ = experiment_plan(experiment, "quick", machine)
    names = ("cpu_sequential", "cpu_blas", "matmul_naive", "matmul_tiled", "matmul_registers_2d", "cublas_sgemm")
    all_of_them = [e for n in names for e in all_entries(find_kernel(n), find_kernel(n).blocks, (16,), ("device",))]
    all_of_them += all_entries(find_kernel("matmul_tiled"), [Dim3(16, 16)], (), ("pinned",))
    bench = Plan(points(all_of_them, [Size(n, n, n) for n in (64, 128, 256, 512, 1024, 2048, 4096)]))
    with Store(path) as store:
        store.add_environment(ENVIRONMENT)
        for chosen, why in ((plan, purpose(experiment, "quick")), (bench, "")):
            run = store.begin_run(chosen, why)
            for sample in invented_samples(chosen):
                store.add(run, sample)


class Shots:
    """Takes pictures of one window in each of its appearances."""

    def __init__(
        self, folder: Path, window: MainWindow, appearances: Sequence[tuple[str, tuple[int, int], str]]
    ) -> None:
        self._folder, self._window, self._appearances = folder, window, appearances

    def take(
        self,
        name: str,
        widget: Any = None,
        busy: Callable[[], bool] = lambda: False,
        before: Callable[[], object] = lambda: None,
    ) -> None:
        """Save the window, or one of its dialogs, in every appearance; `before` acts in each of them."""
        settle(busy)
        for theme, (width, height), text in self._appearances:
            appearance = self._window.appearance
            self._window.resize(width, height)
            appearance.set_theme(theme)  # type: ignore[arg-type]
            appearance.step_text(0)
            for _ in range(_TEXTS[text]):
                appearance.step_text(1)
            settle(busy)
            before()
            picture = widget.grab() if widget else self._window.picture()
            picture.save(str(self._folder / f"{name}-{width}-{theme}-{text}.png"))


def explore(shots: Shots, window: MainWindow) -> None:
    """Show the Explore page: a step with zero-fill, a thread in focus, races, the CPU, a refusal, a recording."""
    from gui.explore.stage.focus import NOTHING, Focus
    from gui.selection.recording import read_recording
    from kernels.catalog import find_kernel
    from kernels.launch import Dim3
    from kernels.trace.file import save
    from kernels.workload import Size

    window.show_page(EXPLORE)
    page: Any = window.page(EXPLORE)
    session = window.session
    session.select(kernel=find_kernel("matmul_tiled"), size=Size(6, 5, 7), block=Dim3(4, 4))
    settle(lambda: page.busy)
    page.timeline.go(len(page.frames) // 3)
    shots.take("explore-tiled")
    page._hover(Focus.on_thread(5))
    shots.take("explore-thread")
    page._hover(NOTHING)
    session.select(kernel=find_kernel("matmul_tiled"), size=Size(16, 16, 16), block=Dim3(8, 8))
    settle(lambda: page.busy)
    page.timeline.go(len(page.frames) // 4)
    shots.take("explore-16")
    for zoom, colouring in (("grid", "block"), ("block", "warp"), ("warp", "thread")):
        page.stage_bar.set_zoom(zoom)
        page.stage_bar.set_colouring(colouring)
        shots.take(f"explore-zoom-{zoom}")
    page.stage_bar.set_zoom("block")
    page.stage_bar.set_colouring("block")
    trace = Path(tempfile.mkdtemp()) / "matmul_tiled.trace"
    save(page.story.stage.trace, trace)
    session.play(read_recording(trace))
    settle(lambda: page.busy)
    page.timeline.go(7)
    shots.take("explore-recording")
    session.play(None)
    for name in (
        "lesson_missing_barrier",
        "lesson_missing_guard",
        "mmt_symmetric",
        "matmul_registers_2d",
        "hello_grid",
    ):
        session.select(kernel=find_kernel(name))
        settle(lambda: page.busy)
        page.timeline.go(len(page.frames) // 2)
        shots.take(f"explore-{name}")
    for name in ("lesson_missing_barrier", "lesson_missing_second_barrier"):
        session.select(kernel=find_kernel(name))
        settle(lambda: page.busy)
        page.show_hazard(page.story.stage.trace.hazards[0])
        shots.take(f"explore-race-{name}")
    session.select(kernel=find_kernel("cpu_parallel"))
    settle(lambda: page.busy)
    shots.take("explore-cpu")
    session.select(kernel=find_kernel("matmul_tiled"), size=Size(512, 512, 512), block=Dim3(16, 16))
    window.notice.say("The block 24×24 of this kernel is not legal; nearest that work: block 16×16 or 32×32", "error")
    shots.take("explore-refused")
    window.notice.say("Reading long_kernel.cu …", cancellable=True)
    shots.take("explore-reading")
    window.notice.clear()


def editor(shots: Shots, window: MainWindow) -> None:
    """Show the editor: as it opens, with a hazard, an error, names offered, a bar to find and replace, and compared."""
    from kernels.catalog import find_kernel
    from kernels.launch import Dim3
    from kernels.workload import Size

    window.show_page(EXPLORE)
    page: Any = window.page(EXPLORE)
    area, editing = page.listing.area, page.editing

    def settled() -> None:
        settle(lambda: page.busy or page.editing._pause.isActive())

    def change(old: str, new: str) -> None:
        area.replace_text(area.text.replace(old, new, 1))
        settled()

    window.session.select(kernel=find_kernel("matmul_tiled"), size=Size(16, 16, 16), block=Dim3(4, 4))
    settled()
    page.timeline.go(20)
    shots.take("editor-listing")
    editing.begin()
    shots.take("editor-begin")
    change("        __syncthreads();", "        // __syncthreads();")
    page.timeline.go(len(page.frames) - 1)
    shots.take("editor-hazard")
    change("Bs[k][tx];", "Bs[k][tz];")
    area.go_to_error()
    shots.take("editor-error")
    change("Bs[k][tz];", "Bs[k][tx];")
    page.listing.find_bar.open(replacing=True)
    page.listing.find_bar.wanted.setText("sum")
    shots.take("editor-find")
    page.listing.find_bar.leave()
    page._compare_with(editing.original(window.session.selection))
    shots.take("editor-compared", busy=lambda: page._compared.busy)
    page.stop_comparing()
    editing.finish()
    settled()


def benchmark(shots: Shots, window: MainWindow) -> None:
    """Show every tab of the Benchmark page, and the card of a point."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from kernels.catalog import find_kernel

    window.show_page(START)
    shots.take("home")
    window.session.select(kernel=find_kernel("matmul_tiled"))
    window.show_page(BENCHMARK)
    page: Any = window.page(BENCHMARK)
    settle(lambda: page.run.history.loading)
    for place in range(page.results.count()):
        page.results.setCurrentIndex(place)
        name = page.results.tabText(place).lower().replace(" ", "-")
        shots.take(f"benchmark-{name}", busy=lambda: page.results.busy)
    page.results.setCurrentIndex(0)
    model = page.runs.model
    page.left.setCurrentWidget(page.runs)
    for row in range(model.rowCount()):
        model.setData(model.index(row), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    shots.take("benchmark-runs", busy=lambda: page.runs.busy)
    page.left.setCurrentWidget(page.setup)
    plot = page.results.gflops.plot
    shots.take("benchmark-card", before=lambda: [QTest.keyClick(plot.plot, Qt.Key.Key_Right) for _ in range(4)])


def occupancy(shots: Shots, window: MainWindow) -> None:
    """Show the Occupancy page for three kernels, every tab of the last one, and a what-if."""
    from kernels.catalog import find_kernel
    from kernels.device import find_device

    for name in ("matmul_tiled", "matmul_registers_2d", "mmt_stripe"):
        window.session.select(kernel=find_kernel(name), device=find_device("t4"))
        window.show_page(OCCUPANCY)
        shots.take(f"occupancy-{name}")
    page: Any = window.page(OCCUPANCY)
    for place in range(page.tabs.count()):
        page.tabs.setCurrentIndex(place)
        settle()
        shots.take(f"occupancy-tab-{place}")
    page.what_if.change(registers=24, shared_bytes=24 * 1024)
    page.tabs.setCurrentIndex(2)
    shots.take("occupancy-what-if")


def readme(shots: Shots, window: MainWindow) -> None:
    """Show the pages of docs/pictures that measure nothing: with `--no-history`, the runs that ship."""
    from kernels.catalog import find_kernel
    from kernels.device import find_device
    from kernels.launch import Dim3

    window.show_page(START)
    shots.take("home")
    window.session.select(kernel=find_kernel("matmul_tiled"))
    window.show_page(BENCHMARK)
    page: Any = window.page(BENCHMARK)
    settle(lambda: page.run.history.loading or page.runs.busy)
    shots.take("benchmark", busy=lambda: page.results.busy or page.runs.busy)
    window.show_page(OCCUPANCY)
    window.session.select(device=find_device("h200"), block=Dim3(16, 16))
    shots.take("occupancy")


def learn(shots: Shots, window: MainWindow) -> None:
    """Show the lists of the Learn page, published tables with and without a run, and a lesson, also presented."""
    window.show_page(LEARN)
    page: Any = window.page(LEARN)
    shots.take("learn-lessons")
    tables = page.show_tables()
    for id in ("ladder", "mmt_sanity", "boundary", "occupancy_block"):
        tables.choose(id)
        shots.take(f"learn-table-{id}")
    page.begin("tiles", 3)
    explore: Any = window.page(EXPLORE)
    settle(lambda: explore.busy or page.runner.busy)
    shots.take("learn-lesson")
    explore.present()
    explore.presentation.resize(window.size())
    shots.take("learn-lesson-presented", explore.presentation)
    page.runner.leave()
    page.tabs.setCurrentWidget(page.exercises)
    shots.take("learn-exercises")
    page.practise("guard")
    busy = lambda: explore.busy or page.practice.busy  # noqa: E731
    shots.take("learn-exercise-failing", busy=busy)
    area = explore.editing.panel.area
    area.replace_text(area.text.replace("out[i] = i;", "if (i < height * width) out[i] = i;"))
    settle(lambda: not page.progress.passed("guard"))
    shots.take("learn-exercise-passing", busy=busy)
    page.practice.leave()


def dialogs(shots: Shots, window: MainWindow) -> None:
    """Show the help, and the dialog for the launch of a file that does not define one."""
    from gui.selection.launch_dialog import LaunchDialog
    from kernels.launch_inference.proposals import proposals

    window.show_help()
    shots.take("help", window._help)
    file = Path(tempfile.mkdtemp()) / "scale.cu"
    file.write_text(
        "__global__ void scale(float* out, const float* in, float factor, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = factor * in[i];\n}\n",
        encoding="utf-8",
    )
    dialog = LaunchDialog(proposals(file, lambda: False), window)
    dialog.show()
    shots.take("launch", dialog)
    dialog.close()


SUBJECTS: Final = {
    "explore": explore,
    "editor": editor,
    "benchmark": benchmark,
    "occupancy": occupancy,
    "readme": readme,
    "learn": learn,
    "dialogs": dialogs,
}


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description="Pictures of every page of the window")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", choices=list(SUBJECTS), default=list(SUBJECTS))
    parser.add_argument("--size", nargs="*", default=["1280x800", "1920x1080"])
    parser.add_argument("--theme", nargs="*", choices=["light", "dark"], default=["light", "dark"])
    parser.add_argument("--text", nargs="*", choices=list(_TEXTS), default=list(_TEXTS))
    parser.add_argument("--without-gpu", action="store_true", help="no GPU, and no history")
    parser.add_argument("--no-history", action="store_true", help="only the runs that ship with the program")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    sizes = [(int(width), int(height)) for width, height in (text.split("x") for text in chosen.size)]
    appearances = [(theme, size, text) for theme in chosen.theme for size in sizes for text in chosen.text]
    with tempfile.TemporaryDirectory() as scratch:
        for name in USER_FOLDERS:
            os.environ[name] = scratch
        from gui.shell.application import application
        from gui.shell.main_window import MainWindow
        from gui.shell.settings import Settings
        from kernels.bench.store.database import default_path
        from kernels.device import find_device

        if not (chosen.without_gpu or chosen.no_history):
            fill_history(default_path())
        application("light")
        window = MainWindow(Settings())
        window._started = True  # without the search for this machine's GPUs
        window.show()
        window.show_page(EXPLORE)
        if chosen.without_gpu:
            window.session.set_devices((), "no NVIDIA driver is installed (libcuda.so.1 is missing)")
        else:
            window.session.set_devices((replace(find_device("h200"), present=True),), "")
        shots = Shots(chosen.folder, window, appearances)
        for subject in chosen.only:
            SUBJECTS[subject](shots, window)
        window.close()


if __name__ == "__main__":
    main()
