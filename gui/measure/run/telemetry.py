"""Telemetry of a running measurement: clocks, power and temperature of the latest point, and what disturbed points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.measure.words import count_of
from gui.widgets.controls import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gui.measure.run.measurement import Measurement
    from kernels.bench.conditions import Conditions
    from kernels.bench.sample import Sample


class TelemetryStrip(QWidget):
    """Conditions of the latest point, while a run is measured, and warnings about all of its points."""

    def __init__(self, run: Measurement, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reading = ElidedLabel("muted")
        self.reading.set_lines(1)
        self.warning = ElidedLabel("warning")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.reading)
        column.addWidget(self.warning)
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
