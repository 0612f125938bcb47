"""Import of files of samples, JSON lines or CSV, into a history; importing a file twice is importing it once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.bench.store.csv_file import CsvReader
from kernels.bench.store.database import skip_reasons
from kernels.bench.store.run_file import RunFileReader
from kernels.bench.store.run_header import RunHeader
from kernels.cancellation import checkpoint
from kernels.errors import InputError
from kernels.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kernels.bench.store.database import Row, Skipped
    from kernels.bench.store.run_history import RunHistory


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result of an import."""

    runs: tuple[int, ...]
    """Numbers of the runs that have the samples now."""
    added: int
    """Samples that the history did not have."""
    known: int
    """Samples that it had already."""
    skipped: tuple[Skipped, ...]
    """Lines that cannot be used."""

    def __str__(self) -> str:
        parts = [f"{_samples(self.added)} imported" if self.added else "Nothing new"]
        if self.known:
            parts.append(f"{_samples(self.known)} had been imported or measured here before")
        if self.skipped:
            count = len(self.skipped)
            lines = f"{plural(count, 'line')} cannot be used"
            parts.append(f"{lines}: {skip_reasons(self.skipped)}")
        return "; ".join(parts) + "."


def import_files(history: RunHistory, paths: Iterable[Path], header: RunHeader | None = None) -> ImportReport:
    """Import files; each file of JSON lines and each number of a run in CSV is a run.

    Parameters
    ----------
    history : RunHistory
        Where they are imported.
    paths : iterable of Path
        Files. A name that ends in `.csv` is CSV.
    header : RunHeader, optional
        Header of all samples, whatever the files say: they are parts of one run.

    Raises
    ------
    InputError
        When a file cannot be read, or has no sample. The files before it have been imported.
    """
    runs: dict[int, None] = {}
    added = known = 0
    skipped: list[Skipped] = []
    for path in paths:
        reader = CsvReader(path) if path.suffix.lower() == ".csv" else RunFileReader(path)
        found = _runs(reader)
        skipped += reader.skipped
        if not found:
            reasons = f" ({skip_reasons(reader.skipped)})" if reader.skipped else ""
            raise InputError(f"{path}: has no samples{reasons}: choose a file of samples that tilescope has written")
        for own, rows in found:
            imported = history.import_run(header or own, rows)
            runs[imported.run] = None
            added, known = added + imported.added, known + imported.known
    return ImportReport(tuple(runs), added, known, tuple(skipped))


def _runs(reader: RunFileReader | CsvReader) -> list[tuple[RunHeader, list[Row]]]:
    """Return the runs of a file."""
    found: dict[tuple[str, int], tuple[RunHeader, list[Row]]] = {}
    for row in reader:
        checkpoint()
        header = reader.header if isinstance(reader, RunFileReader) else RunHeader()
        found.setdefault((header.id, row.run), (header, []))[1].append(row)
    return list(found.values())


def _samples(count: int) -> str:
    return f"{plural(count, 'sample')}"
