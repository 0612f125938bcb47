"""Overlay of runs: the rows of each ticked run, in pieces, and the origin that labels them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from gui.measure.results.roles import kernel_of
from gui.measure.results.series import THIS, Origin
from gui.measure.run.entries import by_machine
from gui.measure.run.status import SEPARATOR
from gui.measure.words import count_of, machine_words, version_difference
from gui.shell.garbage import leave_out
from kernels.bench.store.database import skip_reasons
from kernels.catalog import kernel_name
from kernels.start_tiles import story

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gui.measure.run.entries import RunEntry
    from gui.measure.run.library import RunLibrary
    from gui.measure.run.measurement import Measurement
    from gui.measure.run.run_list import RunListModel
    from kernels.bench.sample import Entry
    from kernels.bench.store.database import Row, Skipped
    from kernels.catalog import Kernel


def first_entries(rows: Iterable[Row], story: Sequence[str], chosen: Kernel | None = None) -> tuple[Entry, ...]:
    """Return the fastest entry of the chosen kernel, and of each kernel that it is compared with.

    These are the kernels of the story if they solve the same problem, or if nothing that solves the problem of the
    chosen kernel was measured; else the slowest and the fastest kernel for its problem, and the library's routines.

    Parameters
    ----------
    rows : iterable of Row
        A recorded run.
    story : sequence of str
        Names of kernels that solve one problem, from the slowest to the library's routine.
    chosen : Kernel, optional
        The selected kernel.
    """
    best: dict[str, tuple[float, Entry]] = {}
    for row in rows:
        entry, rate = row.sample.point.entry, row.sample.gflops
        if rate and rate > best.get(entry.kernel, (0.0, entry))[0]:
            best[entry.kernel] = (rate, entry)
    names = story
    if chosen is not None:
        others = _extremes(best, chosen.workload.id)
        alike = any((k := kernel_of(name)) and k.workload.id == chosen.workload.id for name in story)
        names = [kernel_name(chosen), *(story if alike or not others else others)]
    return tuple(best[name][1] for name in dict.fromkeys(names) if name in best)


def _extremes(best: dict[str, tuple[float, Entry]], workload: str) -> list[str]:
    """Return the slowest and the fastest kernel for a problem, without options, and the library's routines."""
    known = {name: kernel for name in best if (kernel := kernel_of(name)) and kernel.workload.id == workload}
    ours = [name for name, kernel in known.items() if kernel.runs_on == "cuda" and not kernel.chosen]
    ours.sort(key=lambda name: best[name][0])
    return [*ours[:1], *ours[-1:], *(name for name, kernel in known.items() if kernel.runs_on == "library")]


CHUNK: Final = 32
"""Rows that are handed over in one turn of the event loop: 7 ms."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run in the plots, or the part of it from one of its machines."""

    origin: Origin
    entry: RunEntry | None
    """None for a run of the page that could not be saved."""
    rows: tuple[Row, ...]


class Overlay(QObject):
    """Hands over the rows of ticked runs. The page's run has a tick, too, which hides and shows it.

    Signals
    -------
    rows_shown(tuple of Row, Origin)
        More rows of a run.
    run_hidden(Origin)
        A run is not to be shown any longer.
    rows_known(RunEntry)
        The samples of a run have been read.
    said(str, bool)
        A sentence for people, and whether it is a warning.
    machine_named(str)
        The machine of the page's run, else those of the other runs that are shown; first, whether compilers differ.
    """

    rows_shown = Signal(object, object)
    run_hidden = Signal(object)
    rows_known = Signal(object)
    said = Signal(str, bool)
    machine_named = Signal(str)

    def __init__(
        self, run: Measurement, model: RunListModel, library: RunLibrary, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._run, self._model, self._library = run, model, library
        self._listed = False
        self._this = ""
        """Id of the page's run, once it is listed."""
        self._this_rows = run.rows
        """The list to which the page's run appends."""
        self._former = ""
        """Id of the run before, which stays in the plots when the page's run is started."""
        self._shown: dict[str, tuple[ShownRun, ...]] = {}
        """By the id of a run that is shown: its parts. The rows of the page's run are those of `run`."""
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._chosen: Kernel | None = None
        """Kernel whose curve of a recorded run is drawn at first, with those that it is compared with."""
        self._queue: list[tuple[tuple[Row, ...], Origin]] = []
        self._feeder = QTimer(self, interval=0)
        self._feeder.timeout.connect(self._feed)
        model.ticked.connect(self._tick)
        library.runs_listed.connect(self._use_list)
        library.rows_read.connect(self._take_rows)

    @property
    def busy(self) -> bool:
        """True while rows are handed over."""
        return self._feeder.isActive()

    def rows(self, entry: RunEntry) -> Sequence[Row] | None:
        """Return the samples of a run; None before they have been read."""
        return self._run.rows if self.is_this(entry) else self._rows.get(entry.id)

    def shown(self) -> tuple[ShownRun, ...]:
        """Return the runs in the plots, the page's first."""
        found = [
            replace(part, rows=tuple(self._run.rows)) if part.origin == THIS else part
            for entry in self._model.ticked_entries
            for part in self._shown.get(entry.id, ())
        ]
        if self._run.rows and not any(self.is_this(entry) for entry in self._model.entries):
            found.append(ShownRun(THIS, None, tuple(self._run.rows)))
        return tuple(sorted(found, key=lambda run: run.origin != THIS))

    def is_this(self, entry: RunEntry) -> bool:
        """Return whether a run is the page's."""
        return bool(entry.number) and entry.number == self._run.number

    def keep_former(self) -> None:
        """Keep the run before the page's present one in the plots, as one of the history.

        Nothing that was in sight is lost when a measurement is started; of several that were, only the latest is kept.
        """
        before = next((entry for entry in self._model.entries if entry.id == self._former), None)
        former = next((entry for entry in self._model.ticked_entries if self._is_shown_as_this(entry)), None)
        rows, self._this_rows = tuple(self._this_rows), self._run.rows
        if former is None or not rows:
            return
        del self._shown[former.id]
        self._model.set_this("")
        if before is not None:
            self._model.tick(before.id, False)
            self._hide(before)
        self._former, self._rows[former.id] = former.id, rows
        self._hand_over(former, rows)

    def choose(self, kernel: Kernel) -> None:
        """Draw other curves of the recorded runs at first: those of this kernel and what it is compared with."""
        if kernel == self._chosen:
            return
        self._chosen = kernel
        for entry in self._model.ticked_entries:
            shown, rows = self._shown.get(entry.id), self._rows.get(entry.id)
            if entry.recorded is None or not shown or rows is None:
                continue
            if shown[0].origin.first != frozenset(self._first(entry, rows)):
                self._hide(entry)
                self._hand_over(entry, rows)

    def close(self) -> None:
        """Hand over nothing more."""
        self._feeder.stop()
        self._queue = []

    def _use_list(self, entries: Sequence[RunEntry]) -> None:
        """Take deleted runs away, show changed ones anew, and show a recorded run where there is no other."""
        offered = {entry.id: entry for entry in entries if not entry.deleted}
        ticked = {entry.id for entry in self._model.ticked_entries}
        for entry in self._model.entries:
            now = offered.get(entry.id)
            if now is None:
                self._hide(entry)
                continue
            # More of it has been imported, unless this page measured the rest and has it.
            more = now.point_count not in (entry.point_count, len(self._rows.get(entry.id, ())))
            if (more or entry.title != now.title) and not self._is_shown_as_this(entry):
                self._hide(entry)
                if more:
                    self._rows.pop(entry.id, None)
                if entry.id in ticked:
                    self._show(now)
        self._model.offer(entries)
        for entry in self._model.entries:
            if self.is_this(entry) and entry.id != self._this:
                self._this, self._shown[entry.id] = entry.id, (ShownRun(THIS, entry, ()),)
                self._model.tick(entry.id)
                self._model.set_this(entry.id)
        first, self._listed = not self._listed, True
        shipped = next((entry for entry in self._model.entries if entry.recorded is not None), None)
        if first and shipped is not None and not any(entry.number for entry in entries):
            self._model.tick(shipped.id)
            self._show(shipped)
            device = shipped.environments[0].device
            words = f"These curves were measured on an {device} and ship with the program. Press Start to measure here."
            self.said.emit(words, False)

    def _tick(self, entry: RunEntry, ticked: bool) -> None:
        if entry.id == self._former:
            self._former = ""  # the user decides on it now
        if ticked:
            self._show(entry)
        else:
            self._hide(entry)

    def _show(self, entry: RunEntry) -> None:
        rows = self.rows(entry)
        if rows is not None:
            self._hand_over(entry, tuple(rows))
        else:
            self._library.read(entry)

    def _hide(self, entry: RunEntry) -> None:
        gone = {part.origin: None for part in self._shown.pop(entry.id, ())}
        self._queue = [part for part in self._queue if part[1] not in gone]
        for origin in gone:
            self.run_hidden.emit(origin)
        self.name_machines()

    def _take_rows(self, entry: RunEntry, rows: tuple[Row, ...], skipped: tuple[Skipped, ...]) -> None:
        self._rows[entry.id] = rows
        leave_out(rows)
        if skipped:
            count = len(skipped)
            lines = f"{count:,} of {count_of(len(rows) + count)} cannot be shown"
            self.said.emit(f"{entry.title}: {lines}: {skip_reasons(skipped)}.", True)
        if entry.id not in self._shown and entry.id in {ticked.id for ticked in self._model.ticked_entries}:
            self._hand_over(entry, rows)
        self.rows_known.emit(entry)

    def _hand_over(self, entry: RunEntry, rows: tuple[Row, ...]) -> None:
        first = self._first(entry, rows) if entry.recorded is not None else ()
        self._shown[entry.id] = self._parts(entry, rows, first)
        places = {chosen: place for place, chosen in enumerate(first)}
        for part in self._shown[entry.id]:
            ordered = part.rows
            if places:
                ordered = tuple(sorted(part.rows, key=lambda row: places.get(row.sample.point.entry, len(places))))
            for start in range(0, len(ordered), CHUNK):
                self._queue.append((ordered[start : start + CHUNK], part.origin))
        self._feeder.start()
        self.name_machines()

    def _parts(self, entry: RunEntry, rows: tuple[Row, ...], first: Sequence[Entry]) -> tuple[ShownRun, ...]:
        """Return the parts of a run with origins whose names no other shown run has."""
        if self.is_this(entry):
            return (ShownRun(THIS, entry, rows),)
        name = f"{entry.devices}, recorded" if entry.recorded is not None else entry.title
        if any(part.origin.name.startswith(name) for parts in self._shown.values() for part in parts):
            name = f"{name}, run {entry.number or entry.id}"
        found = []
        for machine, part in by_machine(rows).items():
            own = f"{name}: {machine}" if machine else name
            shipped = Origin("shipped", own, frozenset(first))
            found.append(ShownRun(shipped if entry.recorded is not None else Origin("history", own), entry, part))
        return tuple(found)

    def _is_shown_as_this(self, entry: RunEntry) -> bool:
        return any(part.origin == THIS for part in self._shown.get(entry.id, ()))

    def _first(self, entry: RunEntry, rows: Sequence[Row]) -> tuple[Entry, ...]:
        """Return the entries of a recorded run that are drawn at first: those of the other runs, else a few."""
        others = [run for run in self.shown() if run.entry is None or run.entry.id != entry.id]
        drawn = {row.sample.point.entry for run in others for row in run.rows if row.sample.gflops}
        common = {row.sample.point.entry: None for row in rows if row.sample.point.entry in drawn}
        return tuple(common) or first_entries(rows, story(), self._chosen)

    def _feed(self) -> None:
        """Hand over some rows: ten thousand at once would stop the window."""
        if not self._queue:
            self._feeder.stop()
            return
        self.rows_shown.emit(*self._queue.pop(0))

    def name_machines(self) -> None:
        """Report the machine of the page's run, else those of the other shown runs, and first if compilers differ."""
        others = [(entry, entry.environments[0]) for entry in self._model.ticked_entries if entry.environments]
        own = self._run.environment
        words = (
            [machine_words(own)]
            if own
            else [
                f"{'Recorded with tilescope on' if entry.recorded else f'{entry.title}:'} {machine_words(machine)}"
                for entry, machine in others
            ]
        )
        difference = version_difference([*([own] if own else []), *(machine for _, machine in others)])
        self.machine_named.emit(SEPARATOR.join(part for part in (difference, "; ".join(words)) if part))
