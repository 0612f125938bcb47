"""Timing of an answer on the GPU, in a worker process, when the student asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QObject, Signal

from kernels.exercises.words import MARKS, time_title, time_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.run.plan_run import Run
    from gui.selection.session import Session
    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Point, Sample
    from kernels.exercises import Exercise, Judgement
    from kernels.exercises.real_time import TimeResult

Action = Literal["none", "start", "cancel"]

_TITLE: Final = "Learn"
_NO_GPU: Final = "– Time on a GPU: needs an NVIDIA GPU"


@dataclass(frozen=True, slots=True)
class TimingLine:
    """The line of the drawer, and what its button does."""

    words: str
    action: Action = "none"
    quiet: bool = False
    """Whether the line is muted, as where there is no GPU."""


class ExerciseTiming(QObject):
    """Times an answer that has passed in turns with the given source. A result is that of one text.

    Parameters
    ----------
    session : Session
    parent : QObject, optional
    command : sequence of str
        Program and arguments of the worker, if not the usual ones.

    Signals
    -------
    changed(TimingLine or None)
        The line to show; None for an exercise without a gate on time, and for an answer that has not passed.
    """

    changed = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None, *, command: Sequence[str] = ()) -> None:
        super().__init__(parent)
        self._session, self._command = session, command
        self._answer: tuple[Exercise, str] | None = None
        """Exercise and text that can be timed."""
        self._run: Run | None = None
        self._stage = ""
        """What the worker does; "" if its result is not wanted any more."""
        self._samples: list[Sample] = []
        self._gpu = ""
        self._result: TimeResult | None = None
        self._note = ""
        """Why the latest measurement has no result."""
        session.offers_changed.connect(self._show)

    @property
    def busy(self) -> bool:
        """True while a worker process runs."""
        return self._run is not None and self._run.running

    @property
    def line(self) -> TimingLine | None:
        """The line to show now."""
        if self._answer is None:
            return None
        exercise, _ = self._answer
        if not self._session.present:
            return TimingLine(_NO_GPU, quiet=True)
        title = time_title(exercise, self._session.present[0].name)
        if self._stage:
            return TimingLine(f"… {title}: {self._stage}", "cancel")
        if self._result is not None:
            return TimingLine(f"{MARKS[self._result.passed]} {time_words(self._result)}", "start")
        return TimingLine(f"– {title}: {self._note or 'not measured yet'}", "none" if self.busy else "start")

    def show_judgement(self, judgement: Judgement) -> None:
        """Offer to time an answer that has passed; the measurement of another text is cancelled."""
        exercise = judgement.exercise
        answer = (exercise, judgement.text) if judgement.passed and exercise.time is not None else None
        if answer != self._answer:
            self.forget()
            self._answer = answer
            self._show()

    def forget(self) -> None:
        """Cancel the measurement, and show no line."""
        self.cancel()
        self._answer, self._result, self._note = None, None, ""
        self._show()

    def start(self) -> None:
        """Time the answer."""
        if self._answer is None or self.busy:
            return
        self._result, self._note = None, ""
        if self._session.measuring:
            self._note = f"{self._session.measuring} is measuring: wait until it is done, or stop it there"
        else:
            from kernels.exercises.real_time import time_plan  # loads the measuring: not before it is needed

            self._samples, self._gpu = [], ""
            self._session.measuring, self._stage = _TITLE, "starting"
            self._worker().start(time_plan(*self._answer))
        self._show()

    def cancel(self) -> None:
        """Stop at once; no other measurement starts until the process has ended."""
        if self._run is not None and self._stage:
            self._stage, self._note = "", "cancelled"
            self._run.stop()
            self._show()

    def close(self) -> None:
        """Stop the worker process, without a signal."""
        if self._run is not None:
            if self.busy:
                self._session.measuring = ""
            self._run.close()

    def _show(self) -> None:
        self.changed.emit(self.line)

    def _worker(self) -> Run:
        if self._run is None:
            from gui.measure.run.plan_run import Run

            self._run = Run(self, command=self._command)
            self._run.environment_reported.connect(self._name_gpu)
            self._run.point_started.connect(self._show_point)
            self._run.sample_arrived.connect(self._add_sample)
            self._run.run_finished.connect(self._finish)
        return self._run

    def _name_gpu(self, environment: Environment) -> None:
        self._gpu = environment.gpu

    def _show_point(self, point: Point) -> None:
        from kernels.exercises.real_time import GIVEN

        if self._stage:
            first = point.entry.kernel == GIVEN
            self._stage = "the given kernel (1 of 2)" if first else "yours, in turns with the given one (2 of 2)"
            self._show()

    def _add_sample(self, sample: Sample) -> None:
        self._samples.append(sample)

    def _finish(self, message: str) -> None:
        from kernels.exercises.real_time import read_samples

        self._session.measuring = ""
        if self._stage and self._answer is not None:
            self._stage, self._note = "", message
            self._result = None if message else read_samples(self._answer[0], self._samples, self._gpu)
        self._show()
