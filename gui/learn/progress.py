"""Progress through lessons and exercises, which outlives the window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from gui.shell.settings import Settings

_DONE = "done"


@dataclass
class _Memory:
    """Values of a window without settings."""

    values: dict[str, str] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def remember(self, name: str, value: str) -> None:
        self.values[name] = value


class Progress(QObject):
    """Steps of lessons that were shown, and what was reached in exercises.

    Signals
    -------
    changed()
        Something was reached, or reset.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store: Settings | _Memory = _Memory()

    def keep_in(self, settings: Settings) -> None:
        """Read the progress from the settings, and save it there from now on."""
        self._store = settings
        self.changed.emit()

    def step(self, lesson: str) -> int:
        """Return the step of a lesson that was shown last, from 0."""
        text = self._store.text(f"learn/lesson/{lesson}")
        return int(text) if text.isdecimal() else 0

    def begun(self, lesson: str) -> bool:
        """Return whether a step of a lesson was shown."""
        return bool(self._store.text(f"learn/lesson/{lesson}"))

    def finished(self, lesson: str) -> bool:
        """Return whether the last step of a lesson was shown once."""
        return self._store.text(f"learn/lesson_end/{lesson}") == _DONE

    def reach(self, lesson: str, step: int, count: int) -> None:
        """Save that a step of a lesson of `count` steps is shown."""
        self._store.remember(f"learn/lesson/{lesson}", str(step))
        if step == count - 1:
            self._store.remember(f"learn/lesson_end/{lesson}", _DONE)
        self.changed.emit()

    def passed(self, exercise: str) -> bool:
        """Return whether an answer to an exercise has passed once."""
        return self._store.text(f"learn/exercise_passed/{exercise}") == _DONE

    def judgement(self, exercise: str) -> str:
        """Return what the last judgement said; "" before the first."""
        return self._store.text(f"learn/exercise/{exercise}")

    def judge(self, exercise: str, *, passed: bool, words: str) -> None:
        """Save what a judgement says. An exercise that was passed once stays passed."""
        self._store.remember(f"learn/exercise/{exercise}", words)
        if passed:
            self._store.remember(f"learn/exercise_passed/{exercise}", _DONE)
        self.changed.emit()
