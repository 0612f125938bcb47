"""Render the tour into files: a film, a picture of every page, the measured points."""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QCoreApplication, QEventLoop, QSize

from gui.demo.guide import Guide
from gui.explore.export.film import Film, Timing
from gui.explore.export.gif import save_gif
from gui.shell.application import application
from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, EXPLORE, OCCUPANCY
from gui.shell.settings import Settings
from gui.widgets.pictures import save_picture
from kernels.analysis import lane_roles
from kernels.files import check_writable, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from gui.explore.page import ExplorePage
    from gui.explore.stage.stage import Stage
    from gui.measure.page import BenchmarkPage
    from gui.occupancy.page import OccupancyPage
    from gui.theming.style import ThemeChoice
    from gui.theming.theme import Theme
    from kernels.analysis import Frame
    from kernels.bench.sample import Sample
    from kernels.tour import Example

WINDOW: Final = QSize(1280, 800)
FILM: Final = QSize(768, 512)

MOVING: Final = Timing(step_ms=1100, motion_ms=400)
STEPS: Final = Timing(step_ms=900)
FAST: Final = Timing(step_ms=300)

_MOST_MOVING: Final = 20
"""Most steps of a block that are shown with motion."""

_FILES: Final = (
    "explore.gif",
    "explore.png",
    "gflops.csv",
    "benchmark.png",
    "occupancy.png",
    "experiments.png",
)
"""Written by every tour; a second explored kernel adds explore-2.gif, explore-2.png and so on."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Files and samples that the tour produced."""

    files: tuple[Path, ...]
    samples: tuple[Sample, ...]
    occupancy: str


def render_tour(folder: Path, theme: ThemeChoice, say: Callable[[str], None]) -> Rendered:
    """Render the tour into a folder and return the files written.

    Parameters
    ----------
    folder : Path
        Created if missing; files of an earlier tour are replaced.
    theme : {"light", "dark", "system"}
    say : callable
        Called with the text of each part before it is rendered.

    Raises
    ------
    InputError
        When a file cannot be written; as far as that can be known, before anything is rendered.
    """
    make_folder(folder)
    for name in _FILES:
        check_writable(folder / name)
    with tempfile.TemporaryDirectory() as scratch:
        app = application(theme)
        window = MainWindow(Settings(file=Path(scratch) / "settings.ini"))
        window.set_theme(theme)
        window.showNormal()  # on a small screen it starts maximised
        window.resize(WINDOW)
        recorder = _Recorder(window, folder, say)
        guide = Guide(window, play=False)
        guide.part_shown.connect(recorder.record)
        loop = QEventLoop()
        guide.finished.connect(loop.quit)
        window.start()
        guide.start()
        try:
            with _errors_end(loop):
                loop.exec()
        finally:
            window.close()
            window.deleteLater()
            app.processEvents()
    return Rendered(tuple(recorder.files), recorder.samples, recorder.occupancy)


@contextmanager
def _errors_end(loop: QEventLoop) -> Iterator[None]:
    """Re-raise exceptions of slots: Qt would only print them, and the tour would never end."""
    raised: list[BaseException] = []

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        raised.append(error)
        loop.quit()

    before, sys.excepthook = sys.excepthook, hook
    try:
        yield
    finally:
        sys.excepthook = before
    if raised:
        raise raised[0]


class _Recorder:
    """Takes pictures when the guide reports that a part is complete."""

    def __init__(self, window: MainWindow, folder: Path, say: Callable[[str], None]) -> None:
        self._window = window
        self._folder = folder
        self._say = say
        self._explored = 0
        self.files: list[Path] = []
        self.samples: tuple[Sample, ...] = ()
        self.occupancy = ""

    def record(self, part: str, example: Example | None) -> None:
        """Take the pictures of a part that is complete."""
        self._say(self._window.notice.text)
        self._window.notice.clear()
        if part == "explore" and example is not None:
            self._explore(example)
        elif part == "benchmark":
            page = cast("BenchmarkPage", self._window.page(BENCHMARK))
            self.samples = page.samples
            self._grab("benchmark.png")
            page.run.export(self._folder / "gflops.csv")
            self.files.append(self._folder / "gflops.csv")
        elif part == "experiment":
            self._grab("experiments.png")
        else:
            words = cast("OccupancyPage", self._window.page(OCCUPANCY)).headline.limits.text()
            self.occupancy = f"{self._window.session.selection.device.name}: {words}"
            self._grab("occupancy.png")

    def _explore(self, example: Example) -> None:
        page = cast("ExplorePage", self._window.page(EXPLORE))
        if page.story is None:
            return
        frames: list[Frame] = list(page.frames)
        if example.blocks_shown:
            frames = [frame for frame in frames if frame.block < example.blocks_shown]
        self._explored += 1
        name = "explore" if self._explored == 1 else f"explore-{self._explored}"
        page.timeline.go(_still_frame(page))
        page.code.finish_colours()
        self._grab(f"{name}.png")
        path = self._folder / f"{name}.gif"
        save_gif(path, _films(page.story.stage, frames, self._theme))
        self.files.append(path)

    def _grab(self, name: str) -> None:
        path = self._folder / name
        QCoreApplication.processEvents()  # lay out what has just changed
        save_picture(path, self._window.picture())
        self.files.append(path)

    @property
    def _theme(self) -> Theme:
        return self._window.appearance.theme


def _films(stage: Stage, frames: Sequence[Frame], theme: Theme) -> list[Film]:
    """Return the films of a playlist: the first block, with motion if its steps are few, and the others fast."""
    turns = [list(turn) for _, turn in groupby(frames, key=lambda frame: frame.block)]
    first, rest = turns[0], [frame for turn in turns[1:] for frame in turn]
    timing = MOVING if len(first) <= _MOST_MOVING else STEPS
    return [Film(stage, first, FILM, theme, timing), Film(stage, rest, FILM, theme, FAST)]


def _still_frame(page: ExplorePage) -> int:
    """Return the frame for the still picture: the first in which a thread fills in a zero, else the second."""
    for position, frame in enumerate(page.frames):
        if (
            page.story is not None
            and "zero-fill" in lane_roles(page.story.stage.trace, frame.step, frame.block).names()
        ):
            return position
    return min(1, len(page.frames) - 1)
