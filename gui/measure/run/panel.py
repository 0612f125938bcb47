"""Panel of runs: search, tick to overlay, details, rename, delete with undo, import and export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QInputDialog,
    QListView,
    QScrollArea,
    QWidget,
)

from gui.measure.run.entries import run_details
from gui.measure.run.library import RunLibrary
from gui.measure.run.overlay import Overlay
from gui.measure.run.run_list import RunListModel, RunRowDelegate
from gui.widgets.controls import add_parts, field, label, push_button, vbox
from gui.widgets.flow_layout import FlowLayout
from kernels.bench.store.recorded import FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QShowEvent

    from gui.measure.run.entries import RunEntry
    from gui.measure.run.measurement import Measurement

_IMPORTED: Final = "Samples (*.jsonl *.jsonl.gz *.csv);;All files (*)"
_IMPORT_TIP: Final = "Samples of another machine: JSON lines, or CSV. Importing a file twice changes nothing."
_EXPORT_TIP: Final = "The run in focus as JSON lines, with every time"
_EXPORTED: Final = "JSON lines (*.jsonl);;JSON lines, compressed (*.jsonl.gz)"


class RunsPanel(QWidget):
    """Lists recorded runs and those of the history; `overlay` hands over the rows of those with a tick.

    Parameters
    ----------
    run : Measurement
        The page's run, which is in the list as well.
    recorded : Path
        Folder of the recorded runs.
    """

    def __init__(self, run: Measurement, *, recorded: Path = FOLDER) -> None:
        super().__init__()
        self._run = run
        self._deleted: tuple[RunEntry, ...] = ()
        self._focus = ""
        """Id of the run that was last in focus; the list forgets it whenever its entries change."""
        self.library = RunLibrary(self, recorded=recorded)
        self.model = RunListModel(self)
        self.overlay = Overlay(run, self.model, self.library, self)
        self._build()
        self._connect()

    @property
    def busy(self) -> bool:
        """True while runs are listed, read or handed over."""
        return self.library.busy or self.overlay.busy

    @property
    def current(self) -> RunEntry | None:
        """The run in focus."""
        return self.model.entry(self.list.currentIndex())

    def open(self, path: Path | None, titles: Mapping[str, str]) -> None:
        """List the runs of a file of samples, by default the user's; `titles` are the kernels' titles."""
        self.library.open(path, titles)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the details of the run in focus, which are not looked up while the panel is hidden."""
        super().showEvent(event)
        self._show_details()

    def stop_reading(self) -> None:
        """Stop reading, before the page closes."""
        self.overlay.close()
        self.library.close()

    def rename(self) -> None:
        """Ask for a name of the run in focus."""
        entry = self.current
        if entry is None or entry.recorded is not None:
            return
        about = "Name; without one, the run is listed by device and date"
        name, accepted = QInputDialog.getText(self, "Rename the run", about, text=entry.header.name)
        if accepted:
            self.library.rename(entry, name.strip())

    def delete(self) -> None:
        """Delete the run in focus; `undo` restores it, also after the window was closed."""
        entry = self.current
        if entry is not None and self.delete_button.isEnabled():
            self.library.delete(entry)

    def undo(self) -> None:
        """Restore the run that was deleted last."""
        if self._deleted:
            self.library.restore(self._deleted[-1])

    def _ask_import(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Import samples", "", _IMPORTED)
        if names:
            self.library.import_files([Path(name) for name in names])

    def _ask_export(self) -> None:
        entry = self.current
        name, _ = QFileDialog.getSaveFileName(self, "Save the run", "run.jsonl", _EXPORTED)
        if entry is not None and name:
            path = Path(name)
            self.library.export(entry, path if path.suffix else path.with_suffix(".jsonl"))

    def _use_list(self, entries: Sequence[RunEntry]) -> None:
        self._deleted = tuple(sorted((e for e in entries if e.deleted), key=lambda entry: entry.deleted))
        self._restore_focus()

    def _show_current(self) -> None:
        """Show what is known of the run in focus, and enable the buttons that apply to it."""
        entry = self.current
        self._focus = entry.id if entry is not None else self._focus
        if self.isVisible():  # they take 20 ms of a run of 10,000 points
            self._show_details()
        own = entry is not None and entry.recorded is None
        measuring = entry is not None and self._run.running and self.overlay.is_this(entry)
        self.rename_button.setEnabled(own)
        self.delete_button.setEnabled(own and not measuring)
        self.export_button.setEnabled(entry is not None)
        self.undo_button.setEnabled(bool(self._deleted))
        last = self._deleted[-1].title if self._deleted else ""
        self.undo_button.setToolTip(f"Restore {last} (Ctrl+Z)" if last else "No run is deleted.")
        listed = bool(self.model.entries)
        self.empty.setText(
            f"No run matches “{self.search.text()}”." if listed else "No run yet. Press Start to measure."
        )
        self.empty.setVisible(not self.model.rowCount())

    def _show_details(self) -> None:
        entry = self.current
        self.details.setText("\n".join(run_details(entry, self.overlay.rows(entry))) if entry is not None else "")

    def _search(self, text: str) -> None:
        self.model.search(text)
        self._restore_focus()

    def _restore_focus(self) -> None:
        index, before = self.model.index_of(self._focus), self.list.currentIndex()
        self.list.setCurrentIndex(index if index.isValid() else self.model.index(0))
        if self.list.currentIndex() == before:  # else its signal has shown it
            self._show_current()

    def _focus_on(self, entry: RunEntry) -> None:
        """Show the details of a run that is ticked: a click on the box does not move the list's focus."""
        self.list.setCurrentIndex(self.model.index_of(entry.id))

    def _follow_run(self) -> None:
        """List the run that was started; the page's former run is one of the history now."""
        self.overlay.keep_former()
        self.library.list_runs()

    def _build(self) -> None:
        self.search = field("Search runs", tip="Words of the name, the date, the device or the kernels")
        self.search.setPlaceholderText("Search: device, kernel, date, name")
        self.search.setClearButtonEnabled(True)
        self.list = QListView()
        self.list.setAccessibleName("Runs")
        self.list.setModel(self.model)
        self.list.setItemDelegate(RunRowDelegate(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.empty = label(role="muted", line=True)
        self.details = label(line=True)
        self.details.setAlignment(Qt.AlignmentFlag.AlignTop)
        about = QScrollArea(widgetResizable=True)
        about.setFrameShape(QScrollArea.Shape.NoFrame)
        about.setWidget(self.details)
        self.rename_button = push_button("Rename…", slot=self.rename)
        self.delete_button = push_button("Delete", slot=self.delete)
        self.undo_button = push_button("Undo delete", slot=self.undo)
        self.import_button = push_button("Import…", _IMPORT_TIP, self._ask_import)
        self.export_button = push_button("Export run…", _EXPORT_TIP, self._ask_export)
        tools = FlowLayout()
        tools.setSpacing(6)
        add_parts(tools, self.rename_button, self.delete_button, self.undo_button)
        add_parts(tools, self.import_button, self.export_button)
        column = vbox(self, (0, 6, 0, 0))
        add_parts(column, label("Tick runs to compare them", "heading"), self.search)
        column.addWidget(self.list, 3)
        column.addWidget(self.empty)
        column.addWidget(about, 2)
        column.addLayout(tools)

    def _connect(self) -> None:
        self.library.runs_listed.connect(self._use_list)
        self.overlay.rows_known.connect(self._show_current)
        self.model.ticked.connect(self._focus_on)
        self.search.textChanged.connect(self._search)
        self.list.selectionModel().currentChanged.connect(self._show_current)
        for key, slot in (("F2", self.rename), ("Delete", self.delete), ("Ctrl+Z", self.undo)):
            shortcut = QShortcut(QKeySequence(key), self.list, context=Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(slot)
        self._run.run_started.connect(self._follow_run)
        self._run.run_finished.connect(self.library.list_runs)
        self._show_current()
