"""Pictures and films as files; painting and writing happen away from the window's thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QFileDialog, QMenu

from gui.explore.background import Background
from gui.explore.film import picture, render, save_gif, save_picture
from gui.explore.timeline import FRAME_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.explore.page import ExplorePage
    from kernels.insight import Frame

PICTURE_SIZE = QSize(1920, 1080)
FILM_SIZE = QSize(1280, 720)


class Export(QObject):
    """The menu behind the page's Export button."""

    def __init__(self, page: ExplorePage) -> None:
        super().__init__(page)
        self._page = page
        self._work = Background(self)
        self._work.finished.connect(self._say)
        self._work.failed.connect(self._say)
        self.menu = QMenu(page)
        self.menu.addAction("Picture of this step (PNG)…", self._ask_picture)
        self.menu.addAction("Film of this block (GIF)…", lambda: self._ask_film(whole=False))
        self.menu.addAction("Film of the whole run (GIF)…", lambda: self._ask_film(whole=True))

    def close(self) -> None:
        """Stop what is under way."""
        self._work.close()

    def write_picture(self, path: Path) -> None:
        """Write the step that is shown."""
        scene, theme = self._page.scene, self._page.theme
        if scene is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            save_picture(path, picture(scene, PICTURE_SIZE, theme))
            return f"Picture written to {path}"

        self._work.start(work)

    def write_film(self, path: Path, frames: Sequence[Frame]) -> None:
        """Write frames as an animated GIF."""
        story, theme = self._page.story, self._page.theme
        if story is None:
            return

        def work(cancelled: Callable[[], bool]) -> str:
            count = save_gif(path, render(story.stage, frames, FILM_SIZE, theme), FRAME_MS, cancelled)
            return f"Film of {count} steps written to {path}"

        self._page.say(f"Filming {len(frames)} steps …")
        self._work.start(work)

    def _ask_picture(self) -> None:
        if path := self._ask("Export picture", "step.png", "Pictures (*.png)"):
            self.write_picture(path)

    def _ask_film(self, whole: bool) -> None:
        frames: Sequence[Frame] = self._page.frames
        if not whole and frames:
            block = frames[self._page.timeline.position].block
            frames = [frame for frame in frames if frame.block == block]
        if path := self._ask("Export film", "film.gif", "Films (*.gif)"):
            self.write_film(path, frames)

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        chosen, _ = QFileDialog.getSaveFileName(self._page, title, name, kinds)
        return Path(chosen) if chosen else None

    def _say(self, text: object) -> None:
        self._page.say(str(text))
