"""Runner of an exercise: opens the student's text in the editor, and judges it after each run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.explore.code.draft import drafts_folder
from gui.explore.page import ExplorePage
from gui.explore.playback.stage_state import StageState
from gui.explore.stage.focus import NOTHING, Focus
from gui.learn.exercise_drawer import ExerciseDrawer
from gui.learn.exercise_timing import ExerciseTiming
from gui.shell.jobs import JobRunner
from gui.shell.pages import EXPLORE
from kernels.analysis import Frame
from kernels.catalog import find_kernel, read_source
from kernels.errors import InputError, TilescopeError
from kernels.exercises import judge, reference
from kernels.lessons import find_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from gui.explore.code.draft import Outcome
    from gui.explore.saved_page import ViewState
    from gui.learn.progress import Progress
    from gui.selection.session import Session
    from gui.shell.pages import Shell
    from kernels.exercises import Exercise, Judgement, Picture, Reference
    from kernels.exercises.findings import Finding
    from kernels.trace import Trace


class ExerciseRunner(QObject):
    """One exercise at a time, with its drawer. The student's text is a file of the editor, named by the exercise.

    Signals
    -------
    judged(Judgement)
        The present text was judged.
    finished()
        The exercise was left.
    """

    judged = Signal(object)
    finished = Signal()

    def __init__(self, session: Session, exercises: Sequence[Exercise], progress: Progress, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._exercises = tuple(exercises)
        self._progress = progress
        self._shell: Shell | None = None
        self._explore: ExplorePage | None = None
        self._found: ViewState | None = None
        """View of the Explore page when the first of the exercises was opened."""
        self.exercise: Exercise | None = None
        """Exercise that is open, or None."""
        self._explained = False
        """True if the editor explains an error of the judged text."""
        self.drawer = ExerciseDrawer(parent)
        self.drawer.hide()
        self._judging = JobRunner(self)
        self._judging.finished.connect(self._show_judgement)
        self._judging.failed.connect(lambda error: self.drawer.verdict.setText(error.titled))
        self.timing = ExerciseTiming(session, self)
        self.timing.changed.connect(self.drawer.show_timing)
        self.drawer.timing_requested.connect(self.timing.start)
        self.drawer.timing_cancelled.connect(self.timing.cancel)
        self.drawer.close_requested.connect(self.leave)
        self.drawer.finding_chosen.connect(self.show_finding)
        self.drawer.picture_requested.connect(self._show_picture)
        self.drawer.answer_requested.connect(self._reopen)
        self.drawer.reset_requested.connect(self._reset)
        self.drawer.next_requested.connect(self._open_next)

    @property
    def busy(self) -> bool:
        """True while a text is judged."""
        return self._judging.busy

    def set_shell(self, shell: Shell) -> None:
        """Keep the window that shows pages and the drawer."""
        self._shell = shell

    def open(self, exercise: Exercise) -> None:
        """Open an exercise with the text that was left in it."""
        if self._shell is None:
            return
        self.exercise = exercise
        self.timing.forget()
        self._shell.show_page(EXPLORE)
        page = self._shell.page(EXPLORE)
        if not isinstance(page, ExplorePage):
            return  # the page could not be built, and says why
        if self._explore is None:
            self._explore = page
            page.editing.ran.connect(self._judge)
            page.editing.changed.connect(self._offer_answer)
        if self._found is None:
            self._found = page.set_aside()
        page.side.set_told(told=False)  # the drawer says what is found
        self._shell.show_drawer(self.drawer)
        self.drawer.show_exercise(exercise, has_next=exercise != self._exercises[-1])
        self._open_text(exercise, page)

    def leave(self) -> None:
        """Close the exercise; the text stays in its file."""
        if self.exercise is None:
            return
        self._judging.cancel()
        self.timing.forget()
        self.exercise = None
        if self._explore is not None:
            self._explore.side.set_told(told=True)
            self._explore.editing.leave()
            if self._found is not None:
                self._explore.put_back(self._found)
        self._found = None
        if self._shell is not None:
            self._shell.show_drawer(None)
        self.finished.emit()

    def close(self) -> None:
        """Stop the worker thread, and the process that measures."""
        self._judging.close()
        self.timing.close()

    def show_finding(self, finding: Finding) -> None:
        """Show the launch, the step and the element of a finding in the picture."""
        found = reference(finding)
        if found is not None and self._explore is not None:
            state = StageState(
                self._session.selection.kernel,
                found.case.size,
                found.case.block,
                found.case.schedule,
                partial(_moment_of, found),
                fills=found.case.fills,
            )
            self._explore.show_state(state)

    # Text

    def _open_text(self, exercise: Exercise, page: ExplorePage) -> None:
        """Edit the text that was left, as an edit of the given one."""
        try:
            left = _text_in(drafts_folder() / _file_name(exercise))
            page.editing.open_text(_file_name(exercise), exercise.text)
            launch = exercise.kernel
            self._session.select(size=launch.size, block=launch.block, fills=exercise.cases[0].fills)
            if left and left != exercise.text:
                page.editing.panel.area.replace_text(left)
                page.editing.run()
            before, begin, _ = (left or exercise.text).partition(exercise.begin)
            if begin:
                page.editing.panel.area.go_to_line(before.count("\n") + 1)
            self._start_judging(left or exercise.text)
        except TilescopeError as error:
            self.drawer.verdict.setText(error.titled)

    def _reopen(self) -> None:
        if self.exercise is not None and self._explore is not None:
            self._open_text(self.exercise, self._explore)

    def _offer_answer(self) -> None:
        """Offer the way back when the answer is not what is edited any more."""
        if self.exercise is not None and self._explore is not None:
            draft = self._explore.editing.draft
            self.drawer.back.setVisible(draft is None or draft.file.name != _file_name(self.exercise))

    def _reset(self) -> None:
        if self._explore is not None and self._explore.editing.active:
            self._explore.editing.revert()

    def _open_next(self) -> None:
        if self.exercise is not None:
            self.open(self._exercises[self._exercises.index(self.exercise) + 1])

    # Judgement

    def _judge(self, outcome: Outcome) -> None:
        """Judge a text that has just run; that of another file is none of ours."""
        if self.exercise is not None and outcome.file.name == _file_name(self.exercise):
            self._start_judging(outcome.text, explained=outcome.error is not None)

    def _start_judging(self, text: str, *, explained: bool = False) -> None:
        if self.exercise is not None:
            self._explained = explained
            self.drawer.show_checking()
            self._judging.start(partial(_judgement, self.exercise, text))

    def _show_judgement(self, judgement: Judgement) -> None:
        if judgement.exercise == self.exercise:
            self.drawer.show_judgement(judgement, with_errors=not self._explained)
            self.timing.show_judgement(judgement)
            try:
                self._progress.judge(judgement)
            except InputError as error:
                self.drawer.verdict.setText(str(error))
            self.judged.emit(judgement)

    # Worked picture

    def _show_picture(self) -> None:
        picture = self.exercise.hints[-1].picture if self.exercise is not None else None
        if picture is None or self._explore is None:
            return
        try:
            kernel = find_kernel(picture.kernel)
        except TilescopeError as error:
            self.drawer.verdict.setText(error.titled)
            return
        find = partial(_moment_in, picture)
        self._explore.show_state(StageState(kernel, picture.size, picture.block, kernel.schedule, find))


def _judgement(exercise: Exercise, text: str, cancelled: Callable[[], bool]) -> Judgement:
    return judge(exercise, text, cancelled=cancelled)


def _file_name(exercise: Exercise) -> str:
    return f"{exercise.id}.cu"


def _text_in(file: Path) -> str:
    """Return the text of a file; "" if there is none."""
    return read_source(file) if file.exists() else ""


def _moment_of(found: Reference, trace: Trace) -> tuple[Frame, Focus]:
    """Return the moment of a finding: the step of its access, else the first of its line, else the end of the run."""
    step = found.step
    if not 0 <= step < trace.steps:
        at_line = [number for number, statement in enumerate(trace.statements) if statement.span.line == found.line]
        steps = np.flatnonzero(np.isin(trace.step_statement, at_line))
        step = int(steps[0]) if len(steps) else trace.steps - 1
    block = found.block if found.block >= 0 else int(trace.lanes(step)[0]) // trace.launch.block.count
    focus = NOTHING
    names = [array.name for array in trace.arrays]
    if found.array in names and found.index >= 0:
        focus = Focus.on_element(names.index(found.array), found.index)
    elif found.line:
        focus = Focus.on_line(found.line)
    return Frame(block, step), focus


def _moment_in(picture: Picture, trace: Trace) -> tuple[Frame, Focus]:
    return find_frame(trace, picture.at), NOTHING
