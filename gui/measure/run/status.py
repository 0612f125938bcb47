"""Status of a measurement: a progress bar and two lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from gui.measure.run.telemetry import TelemetryStrip
from gui.measure.words import duration, outcome
from gui.measure.words import label as label_of
from gui.widgets.controls import ElidedLabel, label
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gui.measure.run.measurement import Measurement
    from kernels.bench.sample import Point, Sample

_PLAIN_FORMAT: Final = "%v of %m points"
_REDRAW_MS: Final = 60


class StatusLines(QWidget):
    """Status of a measurement; `titles` are the kernels' titles, `about` is a prefix of the messages."""

    def __init__(self, measurement: Measurement, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = measurement
        self.titles: Mapping[str, str] = {}
        self.about = ""
        self.progress = QProgressBar()
        self.progress.hide()
        self.failure = ElidedLabel("warning")
        self.failure.hide()
        self.status = label(line=True)
        self.telemetry = TelemetryStrip(measurement)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.progress, self.telemetry, self.failure, self.status):
            column.addWidget(widget)
        self._soon = QTimer(self, singleShot=True, interval=_REDRAW_MS)  # a progress bar is painted at every change
        self._soon.timeout.connect(self._show_progress)
        measurement.run_started.connect(self._reset)
        measurement.point_started.connect(self._show_point)
        measurement.sample_arrived.connect(self._note_sample)
        measurement.run_finished.connect(self._show_outcome)
        measurement.save_failed.connect(self._warn)
        measurement.host_lost.connect(self._warn)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a message; `wrong` adds a warning sign."""
        self.status.setText(("⚠ " if wrong else "") + escape_lines(text))

    def clear(self) -> None:
        """Clear the message."""
        self.failure.hide()
        self.say("")

    def _reset(self, point_count: int) -> None:
        self.failure.hide()
        self.progress.setFormat(_PLAIN_FORMAT)
        self.progress.setRange(0, point_count)
        self.progress.setValue(0)
        self._show_progress()
        self.progress.show()
        self.say("starting …")

    def _show_point(self, point: Point) -> None:
        self.say(f"{self.about}measuring {self._name(point)}")

    def _name(self, point: Point) -> str:
        size = "" if point.entry.launch else f", n = {point.size}"
        return f"{label_of(point.entry, self.titles)}{size}"

    def _show_progress(self) -> None:
        self.progress.setValue(self._run.outcome_count)
        left = self._run.seconds_left
        self.progress.setFormat(_PLAIN_FORMAT + (f", about {duration(left)} left" if left else ""))

    def _note_sample(self, sample: Sample) -> None:
        if not self._soon.isActive():
            self._soon.start()
        if sample.error:
            failures = self._run.failures
            more = f"{failures} points have no result; the last: " if failures > 1 else ""
            self._warn(f"{more}{self._name(sample.point)}: {sample.error}")

    def _show_outcome(self, words: str) -> None:
        self._soon.stop()
        self.progress.hide()
        text, wrong = outcome(words, self._run.outcome_count, self._run.point_count, self._run.failures)
        self.say(text, wrong=wrong)

    def _warn(self, text: str) -> None:
        self.failure.say(f"⚠ {text}")
        self.failure.show()
