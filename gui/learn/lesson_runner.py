"""Runner of a lesson: opens the page of each step in the state that the step describes, and fills in its texts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QObject, Signal

from gui.explore.page import ExplorePage
from gui.explore.playback.stage_state import StageState
from gui.explore.stage.focus import Focus
from gui.learn.lesson_drawer import LessonDrawer
from gui.shell.jobs import JobRunner
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, OCCUPANCY
from kernels.exercises import exercises
from kernels.lessons import Narrator, Target, find_frame, find_lesson, find_target, lessons

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QWidget

    from gui.explore.saved_page import ViewState
    from gui.explore.stage.scene import Colouring, Zoom
    from gui.learn.progress import Progress
    from gui.selection.session import Session
    from gui.shell.pages import Shell
    from kernels.analysis import Frame
    from kernels.device import Device
    from kernels.errors import TilescopeError
    from kernels.lessons import Lesson, LessonStep, Run, StepWords
    from kernels.lessons.model import PageName
    from kernels.trace import Trace

_PAGES: Final[Mapping[PageName, int]] = {
    "explore": EXPLORE,
    "benchmark": BENCHMARK,
    "occupancy": OCCUPANCY,
    "tables": LEARN,
}

_OTHER_LAUNCH: Final = "The picture shows another launch than this step is about."


class LessonRunner(QObject):
    """Plays one lesson, with its drawer.

    Signals
    -------
    table_requested(str)
        A step is about a published table: its id.
    practice_requested(str)
        An exercise that follows the lesson was chosen: its id.
    finished()
        The lesson was left.
    """

    table_requested = Signal(str)
    practice_requested = Signal(str)
    finished = Signal()

    def __init__(self, session: Session, progress: Progress, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._progress = progress
        self._shell: Shell | None = None
        self.lesson: Lesson | None = None
        """Lesson that is open, or None."""
        self._narrator: Narrator | None = None
        self.number = 0
        """Step that is shown, from 0."""
        self._presents = False
        """True if the presentation was left for a step on another page."""
        self._lead = 0
        """Steps that are played up to the moment of the step that is shown next."""
        self._explore: ExplorePage | None = None
        self._found: ViewState | None = None
        """View of the Explore page before the first step on it."""
        self._device: Device | None = None
        """Device before the lesson."""
        self.drawer = LessonDrawer(parent)
        self.drawer.hide()
        self._filling = JobRunner(self)
        self._filling.finished.connect(self._show_words)
        self._filling.failed.connect(self._say_failure)
        self.drawer.step_requested.connect(lambda by: self.go(self.number + by))
        self.drawer.close_requested.connect(self.leave)
        self.drawer.practice_requested.connect(self._practise)
        self.drawer.lesson_requested.connect(lambda id: self.open(find_lesson(id)))
        self.drawer.question.settled.connect(self._keep_answer)

    @property
    def busy(self) -> bool:
        """True while the texts of a step are filled in."""
        return self._filling.busy

    def set_shell(self, shell: Shell) -> None:
        """Keep the window that shows pages and the drawer."""
        self._shell = shell

    def open(self, lesson: Lesson, number: int = 0) -> None:
        """Open a lesson at a step."""
        self._device = self._device or self._session.selection.device
        self.lesson, self._narrator = lesson, Narrator(lesson)
        known = {exercise.id: exercise.title for exercise in exercises()}
        self.drawer.offer_practice([(id, known[id]) for id in lesson.practice if id in known])
        following = [other.id for other in lessons() if (other.order, other.id) > (lesson.order, lesson.id)]
        self.drawer.offer_next(following[0] if following else "")
        self.go(number)

    def present(self, lesson: Lesson, number: int, lead: int) -> None:
        """Open a lesson at a step as a presentation; first `lead` steps of its run are played."""
        self._presents, self._lead = True, lead
        self.open(lesson, number)

    def go(self, number: int) -> None:
        """Show a step, if there is one with this number."""
        lesson, shell = self.lesson, self._shell
        if lesson is None or shell is None or not 0 <= number < len(lesson.steps):
            return
        self.number = number
        step = lesson.steps[number]
        self._progress.reach(lesson.id, number, len(lesson.steps))
        self.drawer.show_note("")
        if step.page != "explore" and self._explore is not None and self._explore.presentation.active:
            self._presents = True
            self._explore.presentation.leave()
        if self._explore is None or not self._explore.presentation.active:
            shell.show_page(_PAGES[step.page])
            shell.show_drawer(self.drawer)
        if step.page == "explore":
            self._show_stage(step, shell)
        else:
            self._show_figures(step)
            self._fill()

    def leave(self) -> None:
        """Close the lesson; its place is kept."""
        if self.lesson is None:
            return
        self._filling.cancel()
        self.lesson, self._narrator = None, None
        if self._explore is not None:
            self._explore.presentation.leave()
            self._explore.lead_by(None)
        self._put_back()
        if self._shell is not None:
            self._shell.show_drawer(None)
        self.finished.emit()

    def _put_back(self) -> None:
        """Show the Explore page as it was found, and select the device again."""
        if self._found is not None and self._explore is not None:
            self._explore.put_back(self._found)
        self._session.select(device=self._device)
        self._found = self._device = None

    def close(self) -> None:
        """Stop the worker thread."""
        self._filling.close()

    # Pages

    def _show_stage(self, step: LessonStep, shell: Shell) -> None:
        page = shell.page(EXPLORE)
        if not isinstance(page, ExplorePage):
            return  # the page could not be built, and says why
        if self._explore is None:
            self._explore = page
            page.ready.connect(self._fill)
            page.canvas.clicked.connect(self._answer_by_click)
        if self._found is None:
            self._found = page.set_aside()
        page.lead_by(self.drawer)
        page.show_state(replace(self._state(step), lead=self._lead))
        self._lead = 0
        if self._presents:
            self._presents = False
            page.present()

    def _show_figures(self, step: LessonStep) -> None:
        run = self._run(step.run)
        if step.page == "tables":
            self.table_requested.emit(step.table)
        elif step.page == "benchmark":  # its sizes are its own
            self._session.select(kernel=run.kernel)
        else:
            self._session.select(kernel=run.kernel, size=run.size, block=run.block, device=run.device)
        if self._explore is not None:
            self._explore.lead_by(None)

    def _state(self, step: LessonStep) -> StageState:
        run = self._run(step.run)
        other = self._run(step.compare) if step.compare else None
        return StageState(
            run.kernel,
            run.size,
            run.block,
            run.schedule,
            partial(_find, step, run),
            cast("Zoom", step.zoom),
            cast("Colouring", step.colour),
            step.reads,
            compared=(other.kernel, other.size, other.block) if other is not None else None,
            panes=frozenset(step.panes) or None,
        )

    def _run(self, name: str) -> Run:
        return cast("Lesson", self.lesson).runs[name]

    # Texts

    def _fill(self) -> None:
        """Fill in the texts of the step in a worker thread, from the picture's trace if its source was edited."""
        lesson, narrator = self.lesson, self._narrator
        if lesson is None or narrator is None:
            return
        step = lesson.steps[self.number]
        edited = None
        if step.page == "explore" and self._explore is not None:
            if not self._explore.shows(self._state(step)):
                self.drawer.show_note(_OTHER_LAUNCH)
                return
            if self._explore.editing.active and self._explore.story is not None:
                edited = self._explore.story.stage.trace
        self.drawer.show_note("")
        self._filling.start(partial(_words, narrator, step, edited))

    def _show_words(self, words: StepWords) -> None:
        lesson = self.lesson
        if lesson is not None:
            answered = self.number in self._progress.answered(lesson.id)
            self.drawer.show_step(lesson, self.number, words, answered=answered)

    def _answer_by_click(self, focus: Focus) -> None:
        """Answer a question that asks for a click; the element of a lane's own copy is that of any lane."""
        lane = focus.lane if focus.kind == "thread" else -1
        self.drawer.question.answer(Target(focus.kind, lane, focus.array, focus.index, focus.line))

    def _keep_answer(self, right: bool) -> None:
        if right and self.lesson is not None:
            self._progress.answer(self.lesson.id, self.number)

    def _say_failure(self, error: TilescopeError) -> None:
        self.drawer.show_note(error.titled)

    def _practise(self, exercise: str) -> None:
        self.leave()
        self.practice_requested.emit(exercise)


def _find(step: LessonStep, run: Run, trace: Trace) -> tuple[Frame, Focus]:
    """Return the moment of a step in a trace, and what is in focus there."""
    frame = find_frame(trace, step.at, run.kernel.workload)
    target = find_target(trace, frame, step.lit)
    return frame, Focus(target.kind, target.lane, target.array, target.index, target.line)


def _words(narrator: Narrator, step: LessonStep, edited: Trace | None, cancelled: Callable[[], bool]) -> StepWords:
    return narrator.words(step, edited)
