"""Hints for newcomers: one muted line, during the first play, each hint once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from PySide6.QtWidgets import QLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QWidget

    from gui.shell.settings import Settings

Hint = Literal["point", "drag", "keys"]

HINTS: Final[Mapping[Hint, str]] = {
    "point": "Point at a number: where does it come from?",
    "drag": "Drag the blue corner: another block.",
    "keys": "Space plays, ← → step.",
}
"""In the order in which they are shown."""

_STEPS: Final = 6
"""Steps played while one hint is shown."""

_SETTING: Final = "explore/hints"


class Hints(QLabel):
    """Line that shows a hint while steps are played; without settings that remember them there is none.

    The player calls `step` when the position changes, and `heed` when the user does what a hint says.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "muted")
        self._settings: Settings | None = None
        self._left: list[Hint] = []
        self._steps = 0
        self.hide()

    @property
    def left(self) -> tuple[Hint, ...]:
        """Hints that have not been shown to their end, or heeded; the first may be in sight."""
        return tuple(self._left)

    def remember_in(self, settings: Settings) -> None:
        """Leave out the hints of earlier starts, and save those that are shown."""
        self._settings = settings
        seen = settings.text(_SETTING).split(",")
        self._left = [hint for hint in get_args(Hint) if hint not in seen]

    def step(self, *, playing: bool) -> None:
        """Show the next hint, or the present one for another step; a paused one stays."""
        if playing and self._left and self._steps == _STEPS:
            self.heed(self._left[0])
        if playing and self._left:
            self.setText(HINTS[self._left[0]])
            self.show()
            self._steps += 1

    def heed(self, hint: Hint) -> None:
        """Leave a hint out from now on; the next one is shown at the next step that is played."""
        if hint not in self._left:
            return
        if hint == self._left[0]:
            self._steps = 0
            self.hide()
        self._left.remove(hint)
        if self._settings is not None:
            self._settings.remember(_SETTING, ",".join(each for each in get_args(Hint) if each not in self._left))
