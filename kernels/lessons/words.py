"""Narrator: the texts of a lesson's steps, with the numbers of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.errors import InputError
from kernels.lessons.facts import RunFacts, StepFacts
from kernels.lessons.fields import fill
from kernels.lessons.questions import asked

if TYPE_CHECKING:
    from kernels.lessons.model import Lesson, LessonStep
    from kernels.lessons.questions import Asked
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class StepWords:
    """Texts of one step."""

    caption: str
    asked: Asked | None


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
            When the lesson's own run has no such value, or none that a question asks for.
        """
        facts = self._runs[step.run] if edited is None else RunFacts(self._runs[step.run].run, edited)
        here = StepFacts(facts, step)
        missing = None if edited is None else "…"
        caption = fill(step.caption, here, self._runs, missing=missing)
        try:
            question = asked(step.ask, here, self._runs, missing) if step.ask is not None else None
        except InputError:
            if edited is None:
                raise
            question = None  # an edited source cannot be asked for what it does not have
        return StepWords(caption, question)
