"""Lines about a measurement: its machine, a progress bar, the conditions of the latest point, and two lines of text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QWidget

from gui.measure.words import count_of, duration, outcome
from gui.measure.words import label as label_of
from gui.widgets.controls import ElidedLabel, add_parts, label, vbox
from gui.widgets.fitted_label import FittedLabel
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from PySide6.QtCore import QSize

    from gui.measure.run.measurement import Measurement
    from kernels.bench.measure.conditions import Conditions
    from kernels.bench.sample import Point, Sample

SEPARATOR: Final = " · "

_OMITTED: Final = re.compile(r"\bNVIDIA |\bGeForce |\bIntel\b|\bAMD |\((?:R|TM)\)|\bCPU\b|\bProcessor\b|@ [\d.]+ ?GHz")
"""Words of makers and models that tell no machine from another."""


class MachineLine(FittedLabel):
    """Label that leaves out its last parts rather than wrapping or cutting one."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted")
        self.whole = ""
        """All parts."""

    def say(self, text: str) -> None:
        """Show a machine, its parts in the order of their importance."""
        self.whole = escape_lines(text)
        self.setToolTip(self.whole.replace(SEPARATOR, "\n"))
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return self.minimumSizeHint()

    def _fit(self) -> None:
        parts = [shortened(part) for part in self.whole.split(SEPARATOR)]
        width = self.fontMetrics().horizontalAdvance
        while len(parts) > 1 and width(SEPARATOR.join(parts)) > self.contentsRect().width():
            parts.pop()
        shown = SEPARATOR.join(parts)
        if shown != self.text():
            self.setText(shown)


def shortened(part: str) -> str:
    """Return the name of hardware without words that tell no machine from another."""
    return " ".join(_OMITTED.sub("", part).split()).replace(" ,", ",") or part


class TelemetryStrip(QWidget):
    """Conditions of the latest point, while a run is measured, and warnings about all of its points."""

    def __init__(self, run: Measurement) -> None:
        super().__init__()
        self.reading = ElidedLabel("muted")
        self.reading.set_lines(1)
        self.warning = ElidedLabel("warning")
        column = vbox(self, spacing=2)
        add_parts(column, self.reading, self.warning)
        self._disturbances = Disturbances()
        run.run_started.connect(self._clear)
        run.sample_arrived.connect(self._show)
        run.run_finished.connect(self.reading.hide)
        self._clear()

    def _clear(self) -> None:
        self._disturbances = Disturbances()
        for line in (self.reading, self.warning):
            line.say("")
            line.hide()

    def _show(self, sample: Sample) -> None:
        if sample.conditions is None:
            return
        words = reading_words(sample.conditions)
        self.reading.say(f"At the latest point: {words}")
        self.reading.setVisible(bool(words))
        self._disturbances.add(sample)
        warning = self._disturbances.words
        self.warning.say(f"⚠ {warning}")
        self.warning.setVisible(bool(warning))


def reading_words(found: Conditions) -> str:
    """Return clocks, power, temperature and the cores that other processes used, as far as they are known."""
    return " · ".join(_readings(found))


def _readings(found: Conditions) -> Iterable[str]:
    if found.sm_clock_mhz is not None:
        yield f"SM {found.sm_clock_mhz:,.0f} MHz"
    if found.memory_clock_mhz is not None:
        yield f"memory {found.memory_clock_mhz:,.0f} MHz"
    if found.power_w is not None:
        yield f"{found.power_w:.0f} W"
    if found.temperature_c is not None:
        yield f"{found.temperature_c:.0f} °C"
    if found.other_cores is not None and found.machine_cores:
        yield f"other processes: {found.other_cores:.1f} of {found.machine_cores:.0f} cores"
    elif found.load_before is not None:
        yield f"load average: {found.load_before:.1f}"


@dataclass(slots=True)
class Disturbances:
    """Numbers of points of a run, by what disturbed them."""

    points: int = 0
    throttled: int = 0
    shared: int = 0
    crowded: int = 0
    noisy: int = 0

    def add(self, sample: Sample) -> None:
        """Count a sample."""
        found = sample.conditions
        self.points += 1
        self.noisy += sample.scattered
        if found is not None:
            self.throttled += found.throttled
            self.shared += found.shared
            self.crowded += found.crowded

    @property
    def words(self) -> str:
        """One sentence; empty if nothing was disturbed."""
        kinds = (
            (self.throttled, "the GPU's clocks were throttled"),
            (self.shared, "other processes used the GPU"),
            (self.crowded, "other processes kept the cores busy"),
            (self.noisy, "the times scatter"),
        )
        found = [f"at {count:,} {words}" for count, words in kinds if count]
        return f"Of {count_of(self.points)}, {', '.join(found)}." if found else ""


_PLAIN_FORMAT: Final = "%v of %m points"
_REDRAW_MS: Final = 60


class StatusLines(QWidget):
    """Status of a measurement; `titles` are the kernels' titles, `about` is a prefix of the messages."""

    def __init__(self, measurement: Measurement) -> None:
        super().__init__()
        self._run = measurement
        self.titles: Mapping[str, str] = {}
        self.about = ""
        self.progress = QProgressBar()
        self.progress.hide()
        self.failure = ElidedLabel("warning")
        self.failure.hide()
        self.status = label(line=True)
        self.telemetry = TelemetryStrip(measurement)
        column = vbox(self)
        add_parts(column, self.progress, self.telemetry, self.failure, self.status)
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
            self.warn_of_failures(self._run.failures, f"{self._name(sample.point)}: {sample.error}")

    def warn_of_failures(self, count: int, last: str) -> None:
        """Say how many points have no result, and why the last has none."""
        more = f"{count} points have no result; the last: " if count > 1 else ""
        self._warn(f"{more}{last}")

    def _show_outcome(self, words: str) -> None:
        self._soon.stop()
        self.progress.hide()
        text, wrong = outcome(words, self._run.outcome_count, self._run.point_count, self._run.failures)
        self.say(text, wrong=wrong)

    def _warn(self, text: str) -> None:
        self.failure.say(f"⚠ {text}")
        self.failure.show()
