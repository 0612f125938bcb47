"""What is shown, as files: pictures, films and the trace itself, written away from the window's thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from gui.background import Background
from gui.explore.film import picture, render, save_gif, save_picture
from gui.explore.timeline import FRAME_MS
from kernels.trace.file import save

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.explore.scene import Scene
    from gui.explore.story import Story
    from gui.theme import Theme
    from kernels.insight import Frame

PICTURE_SIZE = QSize(1920, 1080)
FILM_SIZE = QSize(1280, 720)


class Shown(Protocol):
    """What there is to write."""

    @property
    def scene(self) -> Scene | None:
        """The step that is shown."""

    @property
    def story(self) -> Story | None:
        """The run that it belongs to."""

    @property
    def frames(self) -> Sequence[Frame]:
        """What is played."""

    @property
    def position(self) -> int:
        """Number of the frame that is shown."""

    @property
    def theme(self) -> Theme:
        """Colours."""

    def say(self, text: str) -> None:
        """Tell how it went."""


class Export(QMenu):
    """The menu behind the Export button."""

    def __init__(self, shown: Shown, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = shown
        self.work = Background(self)
        self.work.finished.connect(self._say)
        self.work.failed.connect(self._say)
        self.addAction("Picture of this step (PNG)…", self._ask_picture)
        self.addAction("Film of this block (GIF)…", lambda: self._ask_film(whole=False))
        self.addAction("Film of the whole run (GIF)…", lambda: self._ask_film(whole=True))
        self.addAction("Save trace…", self._ask_trace)

    def stop(self) -> None:
        """Stop what is under way."""
        self.work.close()

    def write_picture(self, path: Path) -> None:
        """Write the step that is shown."""
        scene, theme = self._shown.scene, self._shown.theme
        if scene is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            save_picture(path, picture(scene, PICTURE_SIZE, theme))
            return f"Picture written to {path}"

        self.work.start(work)

    def write_film(self, path: Path, frames: Sequence[Frame]) -> None:
        """Write frames as an animated GIF."""
        story, theme = self._shown.story, self._shown.theme
        if story is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            count = save_gif(path, render(story.stage, frames, FILM_SIZE, theme), FRAME_MS, cancelled)
            return f"Film of {count} steps written to {path}"

        self._shown.say(f"Filming {len(frames)} steps …")
        self.work.start(work)

    def write_trace(self, path: Path) -> None:
        """Write the whole run, to be opened again without running anything."""
        story = self._shown.story
        if story is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            save(story.stage.trace, path)
            return f"Trace written to {path}; Open… shows it again without running anything"

        self.work.start(work)

    def _ask_picture(self) -> None:
        if path := self._ask("Export picture", "step.png", "Pictures (*.png)"):
            self.write_picture(path)

    def _ask_film(self, whole: bool) -> None:
        frames = self._shown.frames
        if not whole and frames:
            block = frames[self._shown.position].block
            frames = [frame for frame in frames if frame.block == block]
        if path := self._ask("Export film", "film.gif", "Films (*.gif)"):
            self.write_film(path, frames)

    def _ask_trace(self) -> None:
        name = self._shown.story.stage.trace.kernel if self._shown.story is not None else "run"
        if path := self._ask("Save trace", f"{name}.trace", "Traces (*.trace)"):
            self.write_trace(path if path.suffix else path.with_suffix(".trace"))

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        chosen, _ = QFileDialog.getSaveFileName(self.parentWidget(), title, name, kinds)
        return Path(chosen) if chosen else None

    def _say(self, text: object) -> None:
        self._shown.say(str(text))
