"""Drawer of an exercise: its goal, what the last judgement says, and hints one by one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from gui.learn.drawer import Drawer
from gui.widgets.controls import add_parts, add_shown, empty, label, primary, push_button, set_look, vbox
from kernels.exercises import reference
from kernels.exercises.findings import SourceFinding
from kernels.exercises.words import MARKS, gate_figure, gate_title, sentence, verdict

if TYPE_CHECKING:
    from gui.learn.exercise_timing import TimingLine
    from kernels.exercises import Exercise, GateResult, Judgement
    from kernels.exercises.findings import Finding

_MOST_FINDINGS: Final = 3


class ExerciseDrawer(Drawer):
    """Goal, judgement and hints of an exercise.

    Signals
    -------
    finding_chosen(Finding)
        The moment of a finding is to be shown.
    picture_requested()
        The worked picture of the last hint is to be shown.
    answer_requested()
        The own text is to be shown again, after the worked picture.
    reset_requested()
        The given text is to be put back.
    next_requested()
        The next exercise is to be opened.
    timing_requested()
        The answer is to be timed on the GPU.
    timing_cancelled()
        That is to be stopped.
    """

    finding_chosen = Signal(object)
    picture_requested = Signal()
    answer_requested = Signal()
    reset_requested = Signal()
    next_requested = Signal()
    timing_requested = Signal()
    timing_cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Exercise", parent)
        self._exercise: Exercise | None = None
        self._hints_shown = 0
        self.goal = label(role="heading", line=True)
        self.verdict = label(line=True)
        self.findings = QVBoxLayout()
        self.gates = vbox(spacing=2)
        self.time = label(line=True)
        self.time_start = push_button("Time it on the GPU", slot=self.timing_requested)
        self.time_cancel = push_button("Cancel", slot=self.timing_cancelled)
        self.hints = QVBoxLayout()
        self.hint = push_button("", slot=self.show_hint)
        self.picture = push_button("Show the picture", slot=self.picture_requested)
        self.back = primary("Back to my answer")
        """Shown while something else is edited, as the worked picture."""
        self.reset = push_button("Start over", slot=self.reset_requested)
        self.reset.setToolTip("Put the given text back; Undo (Ctrl+Z) in the text brings yours back")
        self.next = primary("Next exercise ›")
        self._arrange()
        self.back.clicked.connect(self.answer_requested)
        self.next.clicked.connect(self.next_requested)

    def show_exercise(self, exercise: Exercise, *, has_next: bool) -> None:
        """Show the goal of an exercise, without a judgement and without hints."""
        self._exercise, self._hints_shown = exercise, 0
        self.show_start()
        self.title.setText(exercise.title)
        self.goal.setText(exercise.goal)
        self.setAccessibleDescription(exercise.goal)
        self.next.setProperty("wanted", has_next)
        self.next.hide()
        self.back.hide()
        self.picture.hide()
        for column in (self.findings, self.gates, self.hints):
            empty(column)
        self.show_timing(None)
        self._name_hint()
        self.verdict.setText("Edit the text beside the picture. It is checked after each pause.")

    def show_checking(self) -> None:
        """Say that the text is being judged."""
        self.verdict.setText("Checking …")

    def show_judgement(self, judgement: Judgement, *, with_errors: bool = True) -> None:
        """Show what is right and what is not, each mistake with its moment.

        Errors of the text are left to the editor if it explains them: then they are shown without `with_errors`.
        """
        exercise = judgement.exercise
        self.verdict.setText(f"{MARKS[judgement.passed]} {verdict(judgement)}")
        set_look(self.verdict, "role", "heading" if judgement.passed else "warning")
        self.show_start()
        empty(self.findings)
        for finding in judgement.findings[:_MOST_FINDINGS]:
            if with_errors or not isinstance(finding, SourceFinding):
                self._add_finding(exercise, finding)
        empty(self.gates)
        for result in judgement.gates:
            add_shown(self.gates, label(_gate(exercise, result), line=True))
        self.next.setVisible(judgement.passed and bool(self.next.property("wanted")))

    def show_timing(self, line: TimingLine | None) -> None:
        """Show the line of the gate on real time, which decides nothing; None for none."""
        action = "none" if line is None else line.action
        self.time.setVisible(line is not None)
        self.time_start.setVisible(action == "start")
        self.time_cancel.setVisible(action == "cancel")
        if line is not None:
            self.time.setText(line.words)
            set_look(self.time, "role", "muted" if line.quiet else "plain")

    def show_hint(self) -> None:
        """Show the next hint; the last one may have a picture."""
        exercise = self._exercise
        if exercise is None or self._hints_shown == len(exercise.hints):
            return
        hint = exercise.hints[self._hints_shown]
        self._hints_shown += 1
        shown = label(f"Hint {self._hints_shown}: {hint.text}", line=True)
        add_shown(self.hints, shown)
        self.picture.setVisible(hint.picture is not None)
        self._name_hint()
        self.reveal_part(shown if hint.picture is None else self.picture)

    def _add_finding(self, exercise: Exercise, finding: Finding) -> None:
        add_shown(self.findings, label(sentence(exercise, finding), line=True))
        if reference(finding) is not None:
            button = QPushButton("Show this step")
            button.clicked.connect(partial(self._choose, finding))
            add_shown(self.findings, button)

    def _choose(self, finding: Finding, _checked: bool = False) -> None:
        self.finding_chosen.emit(finding)

    def _name_hint(self) -> None:
        count = len(self._exercise.hints) if self._exercise is not None else 0
        self.hint.setVisible(count > 0)
        self.hint.setEnabled(self._hints_shown < count)
        left = f"Show hint {self._hints_shown + 1} of {count}"
        self.hint.setText(left if self._hints_shown < count else "No more hints")

    def _arrange(self) -> None:
        self.column.addWidget(self.goal)
        self.column.addWidget(self.verdict)
        self.column.addLayout(self.findings)
        add_parts(self.column, self.gates, self.time, self.time_start, self.time_cancel, self.hints, self.picture)
        self.column.addStretch(1)
        add_parts(self.foot, self.back, self.hint, self.reset, self.next)


def _gate(exercise: Exercise, result: GateResult) -> str:
    figure = gate_figure(result) or "not reached" * (result.passed is None)
    title = gate_title(exercise, result.gate)
    return f"{MARKS[result.passed]} {title}" + (f": {figure}" if figure else "")
