"""Area of the picture that is used: digits, extent and empty frames of every kernel in several sizes of the canvas.

Run as ``python -m tests.bench.explore_area``; names after it choose kernels. Each row is a kernel in its opening state,
at the step in the middle of its first block:

- digits: height in pixels of the smallest digits in an array that the step accesses, 0 if one has cells without digits;
- side: share of the shorter side of the canvas that what is drawn takes, the legend not included;
- empty: largest share of a frame that neither its heading nor its contents take.

With ``--window`` the share of the stage in a window of 1280×800 is printed instead, alone and beside every lesson and
exercise. The process exits with 1 if a picture takes less than 60 % of the shorter side, a frame has more than 30 %
left, or the stage has less than 58 % of the window, 45 % beside a lesson.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import AXES_LINES, FRAME_HEAD, FRAME_PAD, HEAD, INNER_GUTTER, LENS_WORDS
from gui.explore.packing.layout import arrange
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint_cells import cell_texts
from gui.explore.stage.stage import Stage
from kernels.analysis import playlist
from kernels.catalog import Kernel, catalog
from kernels.exercises import exercises
from kernels.lessons import lessons
from kernels.tracing import trace_kernel
from tests.offscreen import OFFSCREEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.packing.layout import Layout
    from gui.explore.stage.scene import Scene

SIZES: Final = ((880, 620), (1270, 620), (1330, 880), (600, 600))
"""Canvas of a window of 1280×800 with and without the listing, of 1920×1080, and next to a lesson."""

_LINE: Final = 18.0
_LINES: Final = 32
"""Least height of a line of text in pixels, and most lines in the height of the canvas, as in `Canvas`."""

_LEAST_SIDE: Final = 0.6
_MOST_EMPTY: Final = 0.3

_WINDOW: Final = (1280, 800)
_LEAST_STAGE: Final = {"": 0.58, "lesson": 0.45, "exercise": 0.45}
"""Least share of the stage in that window: alone, and beside a lesson or an exercise."""


class Measure(NamedTuple):
    """Figures of one picture."""

    digits: float
    side: float
    empty: float


def opening_scene(kernel: Kernel) -> Scene:
    """Return the scene in the middle of the first block."""
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    frames = playlist(trace, "memory").frames
    first = [frame for frame in frames if frame.block == frames[0].block]
    stage = Stage(trace, kernel.workload.panels, on_cpu=kernel.runs_on == "cpu")
    return build_scene(stage, first[len(first) // 2])


def measure(scene: Scene, width: int, height: int) -> Measure:
    """Measure a scene in one size of the canvas."""
    layout = arrange(scene, width, height, max(_LINE, height / _LINES))
    pairs = list(zip(scene.cells, layout.rasters, strict=True))
    touched = [(cells, raster) for cells, raster in pairs if cells.read.any() or cells.wrote.any()]
    digits = min((min(cell_texts(cells, raster)[1], default=0.0) for cells, raster in touched), default=0.0)
    head, frames = HEAD * layout.line, [box for box in (layout.corner, layout.own, layout.block) if box is not None]
    drawn = [*frames, *([layout.output] if layout.output is not None else [])]
    lines = [_titled(raster.box, head + raster.above) for raster in (*layout.rasters, layout.thread_raster)]
    across, down = (_extent([*drawn, *lines], axis) for axis in ("x", "y"))
    side = max(down / height if height <= width else 0.0, across / width if width <= height else 0.0)
    return Measure(digits, side, max((_empty(layout, box) for box in frames), default=0.0))


def _titled(box: Box, head: float) -> Box:
    return type(box)(box.x, box.y - head, box.width, box.height + head)


def _extent(boxes: list[Box], axis: str) -> float:
    """Return the pixels along an axis on which a box is: gaps between boxes are not counted."""
    side = {"x": "width", "y": "height"}[axis]
    end, taken = float("-inf"), 0.0
    for first, last in sorted((getattr(box, axis), getattr(box, axis) + getattr(box, side)) for box in boxes):
        taken += max(0.0, last - max(first, end))
        end = max(end, last)
    return taken


def _empty(layout: Layout, frame: Box) -> float:
    """Return the share of a frame that neither its heading nor the rectangle around its contents takes.

    Contents have the numbers of their rows or the names of their axes on the left, where strips have their titles, and
    the words of a lens below.
    """
    line = layout.line
    inside = [_titled(r.box, HEAD * line + r.above) for r in layout.rasters if frame.contains(r.x, r.y)]
    if layout.strips:
        left = frame.x + (FRAME_PAD + INNER_GUTTER) * line
        inside = [Box(left, box.y, box.x + box.width - left, box.height) for box in inside]
    inside = [Box(box.x - INNER_GUTTER * line, box.y, box.width + INNER_GUTTER * line, box.height) for box in inside]
    if (zoom := layout.zoom) is not None and frame.contains(zoom.x, zoom.y):
        box, axes, words = zoom.box, AXES_LINES * line, LENS_WORDS * line if layout.lens is not None else 0.0
        inside.append(Box(box.x - axes, box.y, box.width + axes, box.height + words))
    if not inside:
        return 1.0
    width = max(b.x + b.width for b in inside) - min(b.x for b in inside) + 2 * FRAME_PAD * line
    height = max(b.y + b.height for b in inside) - min(b.y for b in inside) + (FRAME_HEAD + FRAME_PAD) * line
    return max(0.0, 1 - min(width / frame.width, 1.0) * min(height / frame.height, 1.0))


def stages() -> Iterator[tuple[str, str, float]]:
    """Yield what is shown, its name, and the share of the stage in a window: alone, then lessons and exercises."""
    os.environ.setdefault("QT_QPA_PLATFORM", OFFSCREEN)
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA"):
            os.environ[name] = scratch
        from gui.shell.application import application
        from gui.shell.main_window import MainWindow
        from gui.shell.settings import Settings
        from tests.bench.screenshots import EXPLORE, LEARN, settle

        application("light")
        window = MainWindow(Settings())
        window._started = True  # without the search for this machine's GPUs
        window.resize(*_WINDOW)
        window.show()
        for number in (LEARN, EXPLORE):
            window.show_page(number)
        page, learn = cast("Any", window.page(EXPLORE)), cast("Any", window.page(LEARN))

        def share() -> float:
            settle(lambda: page.busy or learn.runner.busy or learn.practice.busy)
            return float(page.stage_column.width() * page.stage_column.height()) / (_WINDOW[0] * _WINDOW[1])

        yield "", "no lesson", share()
        for lesson in lessons():
            learn.begin(lesson.id)
            yield "lesson", lesson.id, share()
        for exercise in exercises():
            learn.practise(exercise.id)
            yield "exercise", exercise.id, share()
        window.close()


def print_stages() -> int:
    """Print the shares of the stage in a window; return 1 if one is smaller than required."""
    small = 0
    for kind, name, share in stages():
        small += share < _LEAST_STAGE[kind]
        print(f"{kind:10}{name:26}{share:6.1%}{'  too small' * (share < _LEAST_STAGE[kind])}", flush=True)
    return int(small > 0)


def main() -> int:
    """Print the figures; return 1 if a picture is smaller, or a frame emptier, than required."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="names of kernels; all of the catalogue without any")
    parser.add_argument("--window", action="store_true", help="the share of the stage in the window")
    chosen = parser.parse_args()
    if chosen.window:
        return print_stages()
    names, small, empty = chosen.kernels, 0, 0
    print(f"{'':26}" + "".join(f"{f'{width}×{height}':^24}" for width, height in SIZES))
    print(f"{'':26}" + f"{'digits   side   empty':^24}" * len(SIZES))
    for kernel in (k for k in catalog() if k.file is not None and (not names or k.id in names)):
        scene = opening_scene(kernel)
        found = [measure(scene, *size) for size in SIZES]
        small += sum(one.side < _LEAST_SIDE for one in found)
        empty += sum(one.empty > _MOST_EMPTY for one in found)
        print(f"{kernel.id:26}" + "".join(f"{m.digits:8.0f}{m.side:8.0%}{m.empty:7.0%} " for m in found))
    print(f"{small} pictures take less than {_LEAST_SIDE:.0%} of the shorter side.")
    print(f"{empty} pictures have a frame with more than {_MOST_EMPTY:.0%} left.")
    return int(small + empty > 0)


if __name__ == "__main__":
    raise SystemExit(main())
