"""Export of pictures, films and traces, written in a worker thread.

What writes them is imported when it is asked for: it would delay the window's start.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from PySide6.QtCore import QElapsedTimer, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from gui.explore.playback.story import span
from gui.shell.jobs import JobRunner
from gui.widgets.pictures import save_picture
from kernels.files import check_writable, write_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.explore.export.dialog import Choice
    from gui.explore.export.film import Shot
    from gui.explore.playback.playback import Playback
    from gui.explore.stage.scene import Scene
    from gui.explore.timeline.timeline import Timeline
    from gui.theming.theme import Theme

_PROGRESS_MS: Final = 250


class ExportSource(Protocol):
    """Run and picture to export."""

    playback: Playback
    timeline: Timeline
    """Loop."""

    @property
    def scene(self) -> Scene | None:
        """Scene of the shown step."""

    @property
    def theme(self) -> Theme:
        """Colours."""

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
        super().__init__("Export", parent)
        self._source = source
        self.work = JobRunner(self)
        self.work.finished.connect(self._end)
        self.work.failed.connect(self._end)
        self._writing, self._frame_number, self._frame_count = "", 0, 0
        self._clock = QElapsedTimer()
        self._progress_timer = QTimer(self, interval=_PROGRESS_MS)
        self._progress_timer.timeout.connect(self._report_progress)
        self.addAction("Picture of this step (PNG, SVG)…", lambda: self._ask_choice(film=False))
        self.addAction("Film (GIF, MP4)…", lambda: self._ask_choice(film=True))
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

    def write_picture(self, path: Path, choice: Choice) -> None:
        """Write the step that is shown, as the kind of picture that the path's suffix names."""
        scene = self._source.scene
        if scene is None:
            return
        from gui.explore.export.film import picture, picture_svg

        def work(cancelled: Callable[[], bool]) -> str:
            check_writable(path)
            if path.suffix.lower() == ".svg":
                write_text(path, picture_svg(scene, choice.size, choice.theme))
            else:
                save_picture(path, picture(scene, choice.size, choice.theme))
            return f"Picture written to {path}"

        self.work.start(work)

    def write_film(self, path: Path, choice: Choice) -> None:
        """Write steps as a film: as MP4 if the path ends in that, else as an animated GIF."""
        playback = self._source.playback
        story, options, frames = playback.story, playback.options, playback.frames
        if story is None:
            return
        from gui.explore.export.film import FILM_TIMING, VIDEO_TIMING, Film
        from gui.explore.export.gif import save_gif
        from gui.explore.export.mp4 import save_mp4

        video = path.suffix.lower() == ".mp4"
        timing = VIDEO_TIMING if video else FILM_TIMING
        timing = timing if choice.moving else replace(timing, motion_ms=0)
        chosen = [frames[at] for at in choice.positions if at < len(frames)]

        def count(shot: Shot) -> None:
            self._frame_number = shot.step

        def work(cancelled: Callable[[], bool]) -> str:
            check_writable(path)
            film = Film(story.stage, chosen, choice.size, choice.theme, timing, options)
            steps = save_mp4(path, film, cancelled, count) if video else save_gif(path, [film], cancelled, count)
            size = path.stat().st_size / 1e6 if path.is_file() else 0.0
            return f"Film of {steps} steps written to {path}, {size:.1f} MB"

        self._begin("Film", len(chosen))
        self.work.start(work)

    def write_page(self, path: Path) -> None:
        """Write the run as a web page that plays it."""
        playback = self._source.playback
        story = playback.story
        if story is None:
            return
        from gui.explore.export.page import save_page
        from gui.explore.export.run_data import Run

        kernel = story.selection.kernel if story.selection is not None else None
        title, flaw = (kernel.title, kernel.flaw) if kernel is not None else (story.stage.trace.kernel, "")
        run = Run(title, story.stage, playback.frames, playback.marks, playback.options, flaw)

        def count(steps: int) -> None:
            self._frame_number = steps

        def work(cancelled: Callable[[], bool]) -> str:
            size = save_page(path, run, cancelled, count)
            return f"Web page of {len(run.frames):,} steps written to {path}, {size / 1e6:.1f} MB. Any browser plays it"

        self._begin("Web page", len(run.frames))
        self.work.start(work)

    def write_trace(self, path: Path) -> None:
        """Write the whole run, to be opened again without running anything."""
        story = self._source.playback.story
        if story is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            from kernels.trace.file import save

            save(story.stage.trace, path)
            return f"Trace written to {path}. Open… shows it again without running the kernel"

        self.work.start(work)

    def _ask_choice(self, *, film: bool) -> None:
        """Ask how a picture or a film is to look, and then for its file."""
        from gui.explore.export.dialog import ExportDialog, FilmOffer

        source, playback = self._source, self._source.playback
        loop = source.timeline.loop
        steps = FilmOffer(len(playback.frames), playback.marks, playback.position, loop, source.moving)
        dialog = ExportDialog(source.theme, steps if film else None, self.parentWidget())
        dialog.chosen.connect(self._ask_film if film else self._ask_picture)
        dialog.open()

    def _ask_picture(self, choice: Choice) -> None:
        if path := self._ask("Export picture", "step.png", "PNG (*.png);;SVG (*.svg)"):
            self.write_picture(path, choice)

    def _ask_film(self, choice: Choice) -> None:
        from gui.explore.export.mp4 import ffmpeg

        kinds = "GIF (*.gif);;MP4 (*.mp4)" if ffmpeg() else "GIF; MP4 needs ffmpeg on the path (*.gif)"
        if path := self._ask("Export film", "film.gif", kinds):
            self.write_film(path, choice)

    def _ask_page(self) -> None:
        if path := self._ask("Export web page", f"{self._kernel}.html", "Web pages (*.html)"):
            self.write_page(path)

    def _ask_trace(self) -> None:
        if path := self._ask("Save trace", f"{self._kernel}.trace", "Traces (*.trace)"):
            self.write_trace(path)

    @property
    def _kernel(self) -> str:
        story = self._source.playback.story
        return story.stage.trace.kernel if story is not None else "run"

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        chosen, kind = QFileDialog.getSaveFileName(self.parentWidget(), title, name, kinds)
        if not chosen:
            return None
        path = Path(chosen)
        return path if path.suffix else path.with_suffix(kind.rpartition("*")[2].rstrip(")"))

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
