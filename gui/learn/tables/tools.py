"""Tools of a published table: its scale, buttons to run, stop and export, and a list of runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from gui.measure.words import duration
from gui.widgets.controls import add_parts, push_button
from gui.widgets.flow_layout import FlowLayout
from kernels.bench.store.database import RunSummary
from kernels.cpu.matmul import core_count
from kernels.experiments import Machine, estimate_s, experiment_plan
from kernels.experiments.recorded import RecordedResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gui.selection.session import Session
    from kernels.bench.plan import Plan
    from kernels.experiments import Experiment, Scale

TITLES: Final[dict[Scale, str]] = {"quick": "Run quick", "full": "Run full", "cpu": "Run the CPU parts"}


@dataclass(frozen=True, slots=True)
class Offer:
    """One scale on this machine."""

    scale: Scale
    plan: Plan
    left_out: tuple[str, ...]
    """A line for each part that cannot run, with what it needs."""
    seconds: float
    """Estimated duration."""

    @property
    def possible(self) -> bool:
        """True if there is anything to measure."""
        return bool(self.plan.points)

    @property
    def words(self) -> str:
        """Extent in words: `24 points, about 40 s`."""
        count = len(self.plan.points)
        return f"{count} point{'s' * (count > 1)}, about {duration(self.seconds)}"


def machine_of(session: Session) -> Machine:
    """Describe this machine from the session; the window itself never calls the driver."""
    device = next((device for device in session.devices if device.present), None)
    return Machine(device, "" if device else session.gpu_missing, core_count())


def offers(experiment: Experiment, machine: Machine) -> tuple[Offer, ...]:
    """Return the scales for this machine: quick and full with a GPU, the CPU parts without; raises InputError."""
    scales: tuple[Scale, ...] = ("quick", "full") if machine.device is not None else ("cpu",)
    found = []
    for scale in scales:
        plan, left_out = experiment_plan(experiment, scale, machine)
        found.append(Offer(scale, plan, left_out, estimate_s(plan, machine)))
    return tuple(found)


def run_words(run: RunSummary) -> str:
    """Name an earlier run: when (UTC), which scale, how many points: `21 Nov 12:29, quick, 8 of 24`."""
    when = datetime.fromisoformat(run.started) if run.started else None
    total = "" if run.outcome_count == run.point_count else f" of {run.point_count}"
    day = f"{when.day} {when:%b %H:%M}" if when else "no date"
    return f"{day}, {run.purpose.partition(' ')[2]}, {run.outcome_count}{total} points"


class ToolRow(QWidget):
    """Buttons above a result, in as many rows as they need.

    Signals
    -------
    run_requested(Scale)
        A button that starts a measurement was pressed.
    run_chosen()
        Another run was chosen.
    """

    run_requested = Signal(str)
    run_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._offers: Mapping[Scale, Offer] = {}
        self._running = False
        self.buttons: dict[Scale, QPushButton] = {s: QPushButton(title) for s, title in TITLES.items()}
        self.stop = QPushButton("Stop")
        self.runs = QComboBox()
        self.runs.setAccessibleName("Earlier runs")
        self.runs.setToolTip("Saved runs of this experiment, by time (UTC), and results that ship with the program")
        self.runs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.copy = push_button("Copy", "Copy the table to the clipboard")
        self.csv = push_button("CSV…", "Save the points as CSV")
        self.png = push_button("PNG…", "Save the plot as a picture")
        row = FlowLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for scale, button in self.buttons.items():
            button.setProperty("primary", "true")
            button.clicked.connect(partial(self._request_run, scale))
            row.addWidget(button)
        add_parts(row, self.stop, self.runs, self.copy, self.csv, self.png)
        self.runs.activated.connect(self.run_chosen)
        self.set_running(False)

    @property
    def run(self) -> RunSummary | None:
        """The user's run that is chosen in the list; None if there is none."""
        data = self.runs.currentData()
        return data if isinstance(data, RunSummary) else None

    @property
    def recorded(self) -> RecordedResult | None:
        """The result that ships with the program, if it is chosen in the list."""
        data = self.runs.currentData()
        return data if isinstance(data, RecordedResult) else None

    def show_offers(self, offers: Mapping[Scale, Offer]) -> None:
        """Show a button for each offered scale."""
        self._offers = offers
        for scale, button in self.buttons.items():
            offer = offers.get(scale)
            button.setVisible(offer is not None)
            if offer is not None:
                button.setToolTip(offer.words if offer.possible else "No part of it can run here")
        self.set_running(self._running)

    def set_running(self, running: bool) -> None:
        """Enable Stop during a measurement, and the buttons that start one otherwise."""
        self._running = running
        self.stop.setEnabled(running)
        for scale, button in self.buttons.items():
            button.setEnabled(not running and scale in self._offers and self._offers[scale].possible)

    def show_runs(self, runs: Sequence[RunSummary], live: int, recorded: Sequence[RecordedResult] = ()) -> None:
        """List runs, then the results that ship with the program; the run number `live` is in progress."""
        self.runs.clear()
        listed = [("running now" if run.id == live else run_words(run), run) for run in runs]
        for row, (words, data) in enumerate([*listed, *((result.words, result) for result in recorded)]):
            self.runs.addItem(words, data)
            self.runs.setItemData(row, words, Qt.ItemDataRole.ToolTipRole)
        self.runs.setEnabled(self.runs.count() > 0)
        if not self.runs.count():
            self.runs.addItem("no run yet")

    def set_savable(self, *, points: bool, plot: bool) -> None:
        """Enable the buttons that save the points and the plot."""
        for button in (self.copy, self.csv):
            button.setEnabled(points)
        self.png.setEnabled(plot)

    def _request_run(self, scale: Scale, _checked: bool = False) -> None:
        self.run_requested.emit(scale)
