"""Narrator: the texts of a lesson's steps, with the numbers of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.lessons.facts import RunFacts, StepFacts
from kernels.lessons.fields import fill

if TYPE_CHECKING:
    from kernels.lessons.model import Lesson, LessonStep
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class StepWords:
    """Texts of one step."""

    caption: str
    question: str
    answer: str


class Narrator:
    """Fills in the texts of a lesson; each run is traced once, when a field needs it first."""

    def __init__(self, lesson: Lesson) -> None:
        self._runs = {name: RunFacts(run) for name, run in lesson.runs.items()}

    def facts(self, name: str) -> RunFacts:
        """Return the facts of a run."""
        return self._runs[name]

    def words(self, step: LessonStep, edited: Trace | None = None) -> StepWords:
        """Return the texts of a step.

        Parameters
        ----------
        step : LessonStep
        edited : Trace, optional
            Trace of the step's run after its source was edited. Values that the edited source does not have are
            written as "…".

        Raises
        ------
        InputError
            When the lesson's own run has no such value.
        """
        facts = self._runs[step.run] if edited is None else RunFacts(self._runs[step.run].run, edited)
        here = StepFacts(facts, step)
        missing = None if edited is None else "…"
        caption, question, answer = (
            fill(text, here, self._runs, missing=missing) for text in (step.caption, step.question, step.answer)
        )
        return StepWords(caption, question, answer)
