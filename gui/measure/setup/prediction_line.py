"""Lines that say how many points the setup makes, about how long they take, and which code Explore does not show."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from gui.measure.words import count_of, duration
from gui.shell.jobs import JobRunner
from gui.widgets.controls import add_parts, label, show_text, vbox
from kernels.bench.measure.compiled_code import other_code_of_plan
from kernels.bench.measure.environment import this_machine
from kernels.bench.prediction import predict
from kernels.cpu.matmul import core_count
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.measure.run.measurement import Measurement
    from gui.measure.setup.panel import SetupPanel
    from gui.selection.session import Selection, Session
    from kernels.architecture import Architecture
    from kernels.bench.plan import Plan
    from kernels.bench.prediction import Prediction
    from kernels.bench.store.database import Row
    from kernels.device import Device

_WAIT_MS: Final = 300


class PredictionLine(QWidget):
    """Predicts in a worker thread, a moment after the latest change of the setup.

    Parameters
    ----------
    setup : SetupPanel
    run : Measurement
        Its points, as far as they were measured on this machine, make the prediction better.
    device : callable
        Returns the GPU, or None.
    session : Session
        Explore shows the code for its device.
    """

    def __init__(
        self, setup: SetupPanel, run: Measurement, device: Callable[[], Device | None], session: Session
    ) -> None:
        super().__init__()
        self._setup, self._run, self._device = setup, run, device
        self._architecture = session.selection.device.architecture
        self.words = label(role="muted", line=True)
        column = vbox(self)
        self.other_code = label(role="muted", line=True)
        self.other_code.hide()
        add_parts(column, self.words, self.other_code)
        self._wait = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._wait.timeout.connect(self._predict)
        self._jobs = JobRunner(self)
        self._jobs.finished.connect(self._show)
        setup.changed.connect(self._wait.start)
        run.run_finished.connect(self._wait.start)
        run.history.loading_finished.connect(self._wait.start)
        session.selection_changed.connect(self._follow)

    @property
    def busy(self) -> bool:
        """True while a prediction is made or awaited."""
        return self._wait.isActive() or self._jobs.busy

    def close_jobs(self) -> None:
        """Predict nothing more."""
        self._wait.stop()
        self._jobs.close()

    def _follow(self, selection: Selection) -> None:
        """Predict again for another device, whose code Explore shows."""
        if selection.device.architecture != self._architecture:
            self._architecture = selection.device.architecture
            self._wait.start()

    def _predict(self) -> None:
        if self._run.running:
            return  # it would disturb the times
        try:
            plan = self._setup.plan()
        except TilescopeError as error:
            self._jobs.cancel()
            self.words.setText(error.titled)
            self.other_code.hide()
            return
        self._jobs.start(partial(_predict, plan, tuple(self._run.rows), self._device(), self._architecture))

    def _show(self, answer: tuple[Prediction, str]) -> None:
        found, other_code = answer
        known = f"{found.known_points:,} were measured here before" if found.known_points else "a rough estimate"
        self.words.setText(f"{count_of(found.point_count)}, about {duration(found.seconds)} ({known}).")
        show_text(self.other_code, other_code)


def _predict(
    plan: Plan, rows: Sequence[Row], device: Device | None, shown: Architecture, _: Callable[[], bool]
) -> tuple[Prediction, str]:
    here = this_machine()
    earlier = [
        row.sample
        for row in rows
        if row.environment and not row.environment.host and (row.environment.machine, row.environment.cpu) == here
    ]
    other_code = other_code_of_plan(plan.points, device.arch, shown) if device is not None else ""
    return predict(plan, earlier, cores=core_count(), device=device), other_code
