"""Progress through lessons and exercises, which outlives the window."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kernels.errors import InputError
from kernels.exercises.progress import Progress as Exercises
from kernels.exercises.progress import read_progress, write_progress
from kernels.exercises.words import summary

if TYPE_CHECKING:
    from gui.shell.settings import Settings
    from kernels.exercises import Judgement

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
        self._exercises = Exercises()
        self._saves = False

    def keep_in(self, settings: Settings) -> None:
        """Read the progress of lessons from the settings, that of exercises from its file; save both from now on."""
        self._store, self._saves = settings, True
        with suppress(InputError):  # `judge` raises it again
            self._exercises = read_progress()
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

    def answered(self, lesson: str) -> frozenset[int]:
        """Return the steps of a lesson, from 0, whose questions were answered rightly."""
        return frozenset(int(part) for part in self._store.text(f"learn/answered/{lesson}").split() if part.isdecimal())

    def answer(self, lesson: str, step: int) -> None:
        """Save that the question of a step was answered rightly."""
        steps = sorted(self.answered(lesson) | {step})
        self._store.remember(f"learn/answered/{lesson}", " ".join(map(str, steps)))
        self.changed.emit()

    def passed(self, exercise: str) -> bool:
        """Return whether an answer to an exercise has passed once."""
        return self._exercises.has_passed(exercise)

    def judgement(self, exercise: str) -> str:
        """Return what the last judgement said; "" before the first."""
        attempt = self._exercises.attempts.get(exercise)
        return "" if attempt is None else attempt.words

    def judge(self, judgement: Judgement) -> None:
        """Keep the text of a judgement and what it says. An exercise that was passed once stays passed.

        Raises
        ------
        InputError
            When the file of the texts cannot be read or written. It is then not changed.
        """
        before = read_progress() if self._saves else self._exercises  # another window may have written
        self._exercises = before.judged(
            judgement.exercise.id, judgement.text, passed=judgement.passed, words=summary(judgement)
        )
        self.changed.emit()
        if self._saves:
            write_progress(self._exercises)
