"""Samples on disk: one SQLite file, every sample committed when it arrives, and its export as CSV."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Self

from kernels.bench.environment import Environment
from kernels.bench.sample import PARTS, Entry, Point, Sample
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.verify.model import Checks
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from kernels.bench.plan import Plan

_LAYOUTS: Final = (
    """
CREATE TABLE run (id INTEGER PRIMARY KEY, started TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE environment (id TEXT PRIMARY KEY, fields TEXT NOT NULL);
CREATE TABLE sample (
    run INTEGER NOT NULL REFERENCES run, taken TEXT NOT NULL, environment TEXT NOT NULL,
    kernel TEXT NOT NULL, block TEXT, threads INTEGER NOT NULL,
    m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL,
    outcome TEXT NOT NULL, times_ms TEXT NOT NULL, launches INTEGER NOT NULL, flops INTEGER NOT NULL,
    checked TEXT NOT NULL, error TEXT NOT NULL
);
CREATE INDEX sample_of_run ON sample (run);
""",
    """
ALTER TABLE run ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
ALTER TABLE sample ADD COLUMN memory TEXT NOT NULL DEFAULT 'device';
ALTER TABLE sample ADD COLUMN parts_ms TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sample ADD COLUMN checks TEXT NOT NULL DEFAULT 'null';
""",
)
"""What leads from each layout of the file to the next; SQLite's user_version counts them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A sample with the run it belongs to (0: none) and where it was taken (None: not known)."""

    run: int
    sample: Sample
    environment: Environment | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run: when it was started (ISO 8601, UTC), points planned, points that have an outcome, what it is for."""

    id: int
    started: str
    planned: int
    done: int
    purpose: str = ""


def default_path() -> Path:
    """Return the user's data folder's file."""
    from platformdirs import user_data_path

    return user_data_path("tilescope", appauthor=False) / "samples.sqlite3"


class Store:
    """One file of samples. A context manager; used by the thread that opened it.

    Parameters
    ----------
    path : Path or None
        The file, made when missing with the folders above it; None for `default_path()`.

    Raises
    ------
    InputError
        When the file cannot be opened, is something else, or comes from a newer tilescope. Every method
        raises it when the file cannot be read or written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        with self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, isolation_level=None, timeout=10)
            try:
                self._prepare()
            except (sqlite3.Error, InputError):
                self._base.close()
                raise

    def _prepare(self) -> None:
        """Lay a new file out, bring an older one up to date; refuse one of a later version."""
        self._base.execute("PRAGMA journal_mode = WAL")
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if version > len(_LAYOUTS):
            raise InputError(f"{self.path}: was written by a newer tilescope: use another file")
        if version == len(_LAYOUTS):
            return
        # Another process may do the same at this moment: who comes second finds it done.
        self._base.execute("BEGIN IMMEDIATE")
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        for layout in _LAYOUTS[version:]:
            for statement in layout.split(";"):
                self._base.execute(statement)
        self._base.execute(f"PRAGMA user_version = {len(_LAYOUTS)}")
        self._base.execute("COMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def begin_run(self, plan: Plan, purpose: str = "") -> int:
        """Add a run and return its number; `purpose` is the experiment that it is made for, or nothing."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        with self._errors():
            cursor = self._base.execute(
                "INSERT INTO run (started, plan, purpose) VALUES (?, ?, ?)",
                (started, json.dumps(plan.to_json()), purpose),
            )
            return int(cursor.lastrowid or 0)

    def add_environment(self, environment: Environment) -> None:
        """Keep an environment; the same one is kept once."""
        with self._errors():
            self._base.execute(
                "INSERT OR IGNORE INTO environment VALUES (?, ?)",
                (environment.id, json.dumps(environment.to_json())),
            )

    def add(self, run: int, sample: Sample) -> None:
        """Keep a sample; it is on disk when this returns."""
        entry, size = sample.point.entry, sample.point.size
        block = ",".join(str(n) for n in entry.block) if entry.block else None
        values: tuple[Any, ...] = (
            run, sample.taken, sample.environment, entry.kernel, block, entry.threads, size.m, size.n, size.k,
            sample.outcome, json.dumps(sample.times_ms), sample.launches, sample.flops, sample.checked,
            sample.error, entry.memory, json.dumps(sample.parts_ms),
            json.dumps(sample.checks.to_json() if sample.checks else None),
        )  # fmt: skip
        with self._errors():
            self._base.execute(f"INSERT INTO sample VALUES ({', '.join('?' * len(values))})", values)

    def runs(self) -> tuple[RunSummary, ...]:
        """Return every run, the latest first."""
        with self._errors():
            found = self._base.execute(
                "SELECT id, started, plan, (SELECT count(*) FROM sample WHERE run = run.id), purpose "
                "FROM run ORDER BY id DESC"
            ).fetchall()
        return tuple(
            RunSummary(run, at, len(json.loads(plan)["points"]), n, purpose)
            for run, at, plan, n, purpose in found
        )

    def rows(self, run: int | None = None) -> tuple[Row, ...]:
        """Return the samples of one run, or all, in the order they came."""
        with self._errors():
            kept = dict(self._base.execute("SELECT id, fields FROM environment").fetchall())
            found = self._base.execute(
                "SELECT * FROM sample WHERE ? IS NULL OR run = ? ORDER BY run, rowid", (run, run)
            ).fetchall()
        environments = {key: Environment.from_json(json.loads(fields)) for key, fields in kept.items()}
        return tuple(_row(values, environments) for values in found)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"{self.path}: samples cannot be kept there: {error}; choose a file with --store FILE"
            ) from error


def _row(values: tuple[Any, ...], environments: dict[str, Environment]) -> Row:
    run, taken, environment, kernel, block, threads, m, n, k, *others = values
    outcome, times, launches, flops, checked, error, memory, parts, checks = others
    entry = Entry(kernel, Dim3.parse(block) if block else None, threads, memory)
    found = json.loads(checks)
    sample = Sample(
        Point(entry, Size(m, n, k)), outcome, tuple(json.loads(times)), launches, flops, checked, error,
        taken, environment, {part: tuple(times_ms) for part, times_ms in json.loads(parts).items()},
        Checks.from_json(found) if found else None,
    )  # fmt: skip
    return Row(run, sample, environments.get(environment))


CSV_COLUMNS: Final = (
    "run", "time", "kernel", "block", "threads", "memory", "m", "n", "k", "median_ms", "p10_ms", "p90_ms",
    "to_device_ms", "kernel_ms", "to_host_ms", "samples", "launches",
    "gflops", "outcome", "verified", "error", "device", "machine", "cpu", "cores", "gpu",
    "gpu_clock_mhz", "cuda_driver", "cuda_runtime", "nvrtc", "cupy", "numpy", "numba", "python", "tilescope",
)  # fmt: skip


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write one line a sample, `CSV_COLUMNS` first; what there is not stays empty.

    Raises
    ------
    InputError
        When the file cannot be written.
    """
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, CSV_COLUMNS, extrasaction="ignore")
            writer.writeheader()
            for row in rows:
                writer.writerow(_csv_fields(row))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error}") from error


def _csv_fields(row: Row) -> dict[str, Any]:
    sample, entry, size = row.sample, row.sample.point.entry, row.sample.point.size
    environment = row.environment.to_json() | {"device": row.environment.device} if row.environment else {}
    return environment | {
        "run": row.run or "", "time": sample.taken, "kernel": entry.kernel,
        "block": "x".join(str(n) for n in entry.block) if entry.block else "", "threads": entry.threads or "",
        "memory": entry.memory, "m": size.m, "n": size.n, "k": size.k, "median_ms": sample.median_ms,
        "p10_ms": sample.p10_ms, "p90_ms": sample.p90_ms,
        **{f"{part}_ms": sample.part_ms(part) for part in PARTS},
        "samples": len(sample.times_ms), "launches": sample.launches,
        "gflops": sample.gflops, "outcome": sample.outcome, "verified": sample.verified,
        "error": sample.error,
    }  # fmt: skip
