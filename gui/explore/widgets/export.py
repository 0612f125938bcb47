"""Export of pictures, films and traces, written in a worker thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QElapsedTimer, QSize, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from gui.explore.painting.film import Film, Timing, picture
from gui.explore.painting.gif import save_gif
from gui.explore.scene.progress import span
from gui.explore.widgets.timeline import FRAME_MS
from gui.shell.jobs import JobRunner
from gui.widgets.pictures import save_picture
from kernels.errors import InputError
from kernels.files import check_writable
from kernels.trace.file import save

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.explore.painting.film import Shot
    from gui.explore.scene.scene import Options, Scene
    from gui.explore.scene.story import Story
    from gui.explore.widgets.marks import Marks
    from gui.theming.theme import Theme
    from kernels.analysis import Frame

PICTURE_SIZE = QSize(1920, 1080)
FILM_SIZE = QSize(1280, 720)
MOST_FILMED = 1000
"""Maximum number of steps of a film: each takes about 20 KiB and 30 ms."""
MOST_MOVING = 150
"""Maximum number of steps of a film with motion, which takes three times as much."""
FILM_MOTION_MS = 240

_PROGRESS_MS = 250


class ExportSource(Protocol):
    """Scene, frames and story to export."""

    @property
    def scene(self) -> Scene | None:
        """Scene of the shown step."""

    @property
    def story(self) -> Story | None:
        """Story of the scene."""

    @property
    def frames(self) -> Sequence[Frame]:
        """Frames of the playlist."""

    @property
    def position(self) -> int:
        """Position of the shown frame."""

    @property
    def marks(self) -> Marks:
        """Marks of the playlist."""

    @property
    def theme(self) -> Theme:
        """Colours."""

    @property
    def options(self) -> Options:
        """Options of the picture."""

    @property
    def moving(self) -> bool:
        """True if steps are shown with motion."""

    def say(self, text: str) -> None:
        """Report the outcome."""


class Export(QMenu):
    """Menu of the Export button; while a film or a page is written, it only offers to stop.

    Signals
    -------
    progress_changed(str, str)
        Current work and remaining time, in words; both empty when idle.
    """

    progress_changed = Signal(str, str)

    def __init__(self, source: ExportSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._source = source
        self.work = JobRunner(self)
        self.work.finished.connect(self._end)
        self.work.failed.connect(self._end)
        self._writing, self._frame_number, self._frame_count = "", 0, 0
        self._clock = QElapsedTimer()
        self._progress_timer = QTimer(self, interval=_PROGRESS_MS)
        self._progress_timer.timeout.connect(self._report_progress)
        self.addAction("Picture of this step (PNG)…", self._ask_picture)
        self.addAction("Film of this block (GIF)…", lambda: self._ask_film(whole=False))
        self.addAction("Film of the whole run (GIF)…", lambda: self._ask_film(whole=True))
        self.addAction("Web page of the run (HTML)…", self._ask_page)
        self.addAction("Save trace…", self._ask_trace)
        self._offers = self.actions()
        self._cancel = self.addAction("Cancel", self.cancel)
        self._cancel.setVisible(False)

    def add_offer(self, text: str, action: Callable[[], object], tip: str) -> None:
        """Add an entry, which is hidden while a film or a page is written."""
        made = QAction(text, self)
        made.triggered.connect(lambda: action())
        made.setToolTip(tip)
        self.insertAction(self._cancel, made)
        self._offers.append(made)

    def cancel(self) -> None:
        """Cancel the film or the page."""
        self.work.cancel()
        self._end(f"The {self._writing.lower()} was cancelled; no file was written")

    def stop(self) -> None:
        """Cancel the current work and wait for its thread."""
        self._progress_timer.stop()
        self.work.close()

    def write_picture(self, path: Path) -> None:
        """Write the step that is shown."""
        scene, theme = self._source.scene, self._source.theme
        if scene is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            check_writable(path)
            save_picture(path, picture(scene, PICTURE_SIZE, theme))
            return f"Picture written to {path}"

        self.work.start(work)

    def write_film(self, path: Path, frames: Sequence[Frame]) -> None:
        """Write frames as an animated GIF, with motion if it is on and the film is short."""
        story, theme, options = self._source.story, self._source.theme, self._source.options
        if story is None:
            return
        moving, short = self._source.moving, len(frames) <= MOST_MOVING
        timing = Timing(FRAME_MS, FILM_MOTION_MS if moving and short else 0)

        def count(shot: Shot) -> None:
            self._frame_number = shot.step

        def work(cancelled: Callable[[], bool]) -> str:
            check_writable(path)
            if len(frames) > MOST_FILMED:
                raise InputError(
                    f"A film has at most {MOST_FILMED:,} steps; this one would have {len(frames):,}. "
                    "Export the film of one block, or turn off “Every statement”."
                )
            film = Film(story.stage, frames, FILM_SIZE, theme, timing, options)
            steps = save_gif(path, [film], cancelled, count)
            still = f", without motion because it has more than {MOST_MOVING} steps" if moving and not short else ""
            size = path.stat().st_size / 1e6 if path.is_file() else 0.0
            return f"Film of {steps} steps written to {path}, {size:.1f} MB{still}"

        self._begin("Film", len(frames))
        self.work.start(work)

    def write_page(self, path: Path) -> None:
        """Write the run as a web page that plays it."""
        story = self._source.story
        if story is None:
            return
        # Imported here because it loads Pygments, which would delay the window's start.
        from gui.explore.html_player.page import save_page
        from gui.explore.html_player.run_data import Run

        title = story.selection.kernel.title if story.selection is not None else story.stage.trace.kernel
        run = Run(title, story.stage, self._source.frames, self._source.marks, self._source.options)

        def count(steps: int) -> None:
            self._frame_number = steps

        def work(cancelled: Callable[[], bool]) -> str:
            size = save_page(path, run, cancelled, count)
            return f"Web page of {len(run.frames):,} steps written to {path}, {size / 1e6:.1f} MB. Any browser plays it"

        self._begin("Web page", len(run.frames))
        self.work.start(work)

    def write_trace(self, path: Path) -> None:
        """Write the whole run, to be opened again without running anything."""
        story = self._source.story
        if story is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            save(story.stage.trace, path)
            return f"Trace written to {path}. Open… shows it again without running the kernel"

        self.work.start(work)

    def _ask_picture(self) -> None:
        if path := self._ask("Export picture", "step.png", "Pictures (*.png)"):
            self.write_picture(path)

    def _ask_film(self, whole: bool) -> None:
        frames = self._source.frames
        if not whole and frames:
            block = frames[self._source.position].block
            frames = [frame for frame in frames if frame.block == block]
        if path := self._ask("Export film", "film.gif", "Films (*.gif)"):
            self.write_film(path, frames)

    def _ask_page(self) -> None:
        name = self._source.story.stage.trace.kernel if self._source.story is not None else "run"
        if path := self._ask("Export web page", f"{name}.html", "Web pages (*.html)"):
            self.write_page(path if path.suffix else path.with_suffix(".html"))

    def _ask_trace(self) -> None:
        name = self._source.story.stage.trace.kernel if self._source.story is not None else "run"
        if path := self._ask("Save trace", f"{name}.trace", "Traces (*.trace)"):
            self.write_trace(path if path.suffix else path.with_suffix(".trace"))

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        chosen, _ = QFileDialog.getSaveFileName(self.parentWidget(), title, name, kinds)
        return Path(chosen) if chosen else None

    def _begin(self, what: str, steps: int) -> None:
        """Show the progress of what is written, and offer to stop it."""
        self._writing, self._frame_number, self._frame_count = what, 0, steps
        self._cancel.setText(f"Cancel {what.lower()}")
        self._clock.start()
        self._progress_timer.start()
        self._offer(writing=True)
        self._report_progress()

    def _report_progress(self) -> None:
        done = self._frame_number / self._frame_count if self._frame_count else 0.0
        left = span(self._clock.elapsed() / 1000 * (1 / done - 1)) if done else "unknown time"
        self.progress_changed.emit(f"{self._writing}: {done:.0%}", f"{left} left; click to cancel")

    def _end(self, text: object) -> None:
        self._progress_timer.stop()
        self._offer(writing=False)
        self.progress_changed.emit("", "")
        self._source.say(str(text))

    def _offer(self, *, writing: bool) -> None:
        for action in self._offers:
            action.setVisible(not writing)
        self._cancel.setVisible(writing)
