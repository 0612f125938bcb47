"""Buttons: run, stop, list of runs, export."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from gui.learn.tables.scales import TITLES, run_words
from gui.widgets.flow_layout import FlowLayout
from kernels.bench.store.database import RunSummary
from kernels.experiments.recorded import RecordedResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gui.learn.tables.scales import Offer
    from kernels.experiments import Scale


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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: Mapping[Scale, Offer] = {}
        self._running = False
        self.buttons: dict[Scale, QPushButton] = {s: QPushButton(title) for s, title in TITLES.items()}
        self.stop = QPushButton("Stop")
        self.runs = QComboBox()
        self.runs.setAccessibleName("Earlier runs")
        self.runs.setToolTip("Saved runs of this experiment, by time (UTC), and results that ship with the program")
        self.runs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the table to the clipboard")
        self.csv = QPushButton("CSV…")
        self.csv.setToolTip("Save the points as CSV")
        self.png = QPushButton("PNG…")
        self.png.setToolTip("Save the plot as a picture")
        row = FlowLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for scale, button in self.buttons.items():
            button.setProperty("primary", "true")
            button.clicked.connect(partial(self._request_run, scale))
            row.addWidget(button)
        row.addWidget(self.stop)
        row.addWidget(self.runs)
        for button in (self.copy, self.csv, self.png):
            row.addWidget(button)
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
