"""The Learn page: lessons, exercises, and published tables, with what was reached in them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QTabWidget, QWidget

from gui.learn.cards import Links
from gui.learn.exercise_list import ExerciseList
from gui.learn.exercise_runner import ExerciseRunner
from gui.learn.lesson_list import LessonList
from gui.learn.lesson_runner import LessonRunner
from gui.learn.progress import Progress
from gui.shell.pages import LEARN, START
from gui.theming.theme import LIGHT
from gui.widgets.controls import label, scrolled, vbox
from kernels.exercises import exercises, find_exercise
from kernels.lessons import find_lesson, lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QCloseEvent

    from gui.learn.tables.view import PublishedTables
    from gui.selection.session import Session
    from gui.shell.pages import Shell
    from gui.shell.settings import Settings
    from gui.theming.theme import Theme
    from kernels.exercises import Exercise
    from kernels.lessons import Lesson

_STRETCH: Final = (2, 4, 3)


class CourseMap(QWidget):
    """One row for each subject.

    Signals
    -------
    lesson_chosen(str)
        A lesson is to be opened: its id.
    exercise_chosen(str)
        An exercise is to be opened: its id.
    """

    lesson_chosen = Signal(str)
    exercise_chosen = Signal(str)

    def __init__(self, lessons: Sequence[Lesson], exercises: Sequence[Exercise], progress: Progress) -> None:
        super().__init__()
        self._progress = progress
        titles = {exercise.id: exercise.title for exercise in exercises}
        self._rows: list[tuple[Sequence[Lesson], dict[str, str], Links, Links]] = []
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(12)
        for column, (name, stretch) in enumerate(zip(("", "Lessons", "Exercises"), _STRETCH, strict=True)):
            self._grid.addWidget(label(name, "muted"), 0, column)
            self._grid.setColumnStretch(column, stretch)
        offered: set[str] = set()
        for subject, members in groupby(lessons, key=lambda lesson: lesson.subject):
            taught = list(members)
            ids = [id for lesson in taught for id in lesson.practice if id in titles and id not in offered]
            offered.update(ids)
            self._add_row(subject, taught, {id: titles[id] for id in ids})
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        outer = vbox(self, (0, 8, 0, 0))
        outer.addWidget(scrolled(inside))
        progress.changed.connect(self._show)
        self._show()

    def _add_row(self, subject: str, lessons: Sequence[Lesson], exercises: dict[str, str]) -> None:
        row, to_lesson, to_exercise = self._grid.rowCount(), Links(), Links()
        to_lesson.linkActivated.connect(self.lesson_chosen)
        to_exercise.linkActivated.connect(self.exercise_chosen)
        for column, part in enumerate((label(subject, "heading", line=True), to_lesson, to_exercise)):
            self._grid.addWidget(part, row, column, Qt.AlignmentFlag.AlignTop)
        self._rows.append((lessons, exercises, to_lesson, to_exercise))

    def _show(self) -> None:
        """Tick what is done: lessons that were followed to their end, exercises that were passed."""
        done = self._progress
        for taught, practised, to_lesson, to_exercise in self._rows:
            to_lesson.offer((lesson.id, lesson.title, done.finished(lesson.id)) for lesson in taught)
            to_exercise.offer((id, title, done.passed(id)) for id, title in practised.items())


_MAP, _LESSONS, _EXERCISES, _TABLES = "Map", "Lessons", "Exercises", "Published tables"


class LearnPage(QWidget):
    """Page with a tab for each kind of material; a lesson runs beside the pages that it shows."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._theme = LIGHT
        self._shell: Shell | None = None
        self._after = LEARN
        """Page that is shown when a lesson or an exercise was left."""
        self._tables: PublishedTables | None = None
        self.progress = Progress(self)
        self.map = CourseMap(lessons(), exercises(), self.progress)
        self.lessons = LessonList(lessons(), exercises(), self.progress)
        self.runner = LessonRunner(session, self.progress, self)
        self.exercises = ExerciseList(exercises(), lessons(), self.progress)
        self.practice = ExerciseRunner(session, exercises(), self.progress, self)
        self._table_room = QWidget()
        self._table_column = vbox(self._table_room, (0, 8, 0, 0))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.map, _MAP)
        self.tabs.addTab(self.lessons, _LESSONS)
        self.tabs.addTab(self.exercises, _EXERCISES)
        self.tabs.addTab(self._table_room, _TABLES)
        column = vbox(self)
        column.addWidget(self.tabs)
        self.setFocusProxy(self.tabs)
        self.tabs.currentChanged.connect(self._show_tab)
        self.lessons.lesson_chosen.connect(self.begin)
        self.map.lesson_chosen.connect(self.begin)
        self.exercises.lesson_chosen.connect(self.begin)
        self.map.exercise_chosen.connect(self.practise)
        self.lessons.exercise_chosen.connect(self.practise)
        self.runner.table_requested.connect(self._show_table)
        self.runner.practice_requested.connect(self.practise)
        self.exercises.exercise_chosen.connect(self.practise)
        for runner in (self.runner, self.practice):
            runner.finished.connect(self._return)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self._theme = theme
        self.lessons.set_theme(theme)
        self.exercises.set_theme(theme)
        if self._tables is not None:
            self._tables.set_theme(theme)

    def set_shell(self, shell: Shell) -> None:
        """Keep the window that shows the pages of lessons."""
        self._shell = shell
        self.runner.set_shell(shell)
        self.practice.set_shell(shell)

    def remember_choices(self, settings: Settings) -> None:
        """Restore the progress, and save it as it changes."""
        self.progress.keep_in(settings)

    def begin(self, lesson: str, step: int = 0) -> None:
        """Open a lesson at a step, in place of an exercise."""
        self.practice.leave()
        self._after = LEARN
        self.runner.open(find_lesson(lesson), step)

    def practise(self, exercise: str) -> None:
        """Open an exercise, in place of a lesson."""
        self.runner.leave()
        self.practice.open(find_exercise(exercise))

    def answer(self, lesson: str, step: int, lead: int) -> None:
        """Present a step of a lesson, from 0; first `lead` steps of its run are played."""
        self.practice.leave()
        self._after = START
        self.runner.present(find_lesson(lesson), step, lead)

    def show_tables(self) -> PublishedTables:
        """Show the published tables."""
        self.tabs.setCurrentWidget(self._table_room)
        return self._build_tables()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop processes and threads."""
        self.runner.close()
        self.practice.close()
        if self._tables is not None:
            self._tables.close()
        super().closeEvent(event)

    def _show_tab(self) -> None:
        if self.tabs.currentWidget() is self._table_room:
            self._build_tables()

    def _build_tables(self) -> PublishedTables:
        """Return the tables, built when they are shown first: they load the plots, and open the file of samples."""
        if self._tables is None:
            from gui.learn.tables.view import PublishedTables

            self._tables = PublishedTables(self._session)
            self._table_column.addWidget(self._tables)
            self._tables.set_theme(self._theme)
        return self._tables

    def _show_table(self, id: str) -> None:
        """Show one table beside a lesson, without the list: it needs the width."""
        tables = self.show_tables()
        tables.choose(id)
        tables.list.hide()

    def _return(self) -> None:
        """Show the lists again, after a lesson or an exercise was left."""
        if self._tables is not None:
            self._tables.list.show()
        if self._shell is not None:
            self._shell.show_page(self._after)
        self._after = LEARN
