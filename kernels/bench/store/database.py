"""Samples on disk: one SQLite file to which every sample is committed when it arrives."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self

from kernels.bench.store.decode import (
    RowError,
    decode_environment,
    decode_point_count,
    decode_sample,
    decode_started,
)
from kernels.bench.store.run_header import RunHeader, new_id
from kernels.errors import InputError
from kernels.user_folder import user_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Sample

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
    """
ALTER TABLE sample ADD COLUMN cold INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sample ADD COLUMN stopped TEXT NOT NULL DEFAULT '';
ALTER TABLE sample ADD COLUMN captured INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sample ADD COLUMN repeat TEXT NOT NULL DEFAULT '';
ALTER TABLE sample ADD COLUMN duration_s REAL NOT NULL DEFAULT 0;
ALTER TABLE sample ADD COLUMN baseline TEXT NOT NULL DEFAULT '';
ALTER TABLE sample ADD COLUMN baseline_ms TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sample ADD COLUMN conditions TEXT NOT NULL DEFAULT 'null';
""",
    """
ALTER TABLE run ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN deleted TEXT NOT NULL DEFAULT '';
UPDATE run SET key = lower(hex(randomblob(8)));
CREATE INDEX sample_taken ON sample (taken);
""",
    """
ALTER TABLE sample ADD COLUMN launch TEXT NOT NULL DEFAULT '';
""",
)
"""Migrations from each layout of the file to the next; SQLite's user_version counts them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A stored sample."""

    run: int
    """Number of its run; 0 for none."""
    sample: Sample
    environment: Environment | None
    """Environment of the sample; None if the file lacks it."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run, without its samples."""

    id: int
    started: str
    """ISO 8601, UTC; "" in a damaged row."""
    point_count: int
    """Number of points in its plan; in a damaged row that of the points with an outcome."""
    outcome_count: int
    """Number of points with an outcome."""
    purpose: str = ""
    """Id of the experiment that started the run; "" for none."""


FileProblem = Literal["locked", "not a store", "damaged", "newer", "unusable"]
"""Reasons that the file as a whole cannot be used.

locked: another program has locked it for now. not a store: it is not an SQLite file. damaged: SQLite finds its pages
inconsistent. newer: a later version of tilescope wrote it. unusable: anything else, such as a folder at its path, or
permissions.
"""

_PROBLEM_WORDS: Final[Mapping[FileProblem, str]] = {
    "locked": "another program has locked the file",
    "not a store": "the file does not hold samples",
    "damaged": "the file is damaged",
    "newer": "the file was written by a newer tilescope",
    "unusable": "samples cannot be stored there",
}

_PROBLEM_BY_CODE: Final[Mapping[int, FileProblem]] = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_NOTADB: "not a store",
    sqlite3.SQLITE_CORRUPT: "damaged",
}


class StoreError(InputError):
    """The file of samples cannot be opened, read or written."""

    def __init__(self, path: Path, kind: FileProblem, detail: str = "") -> None:
        self.path, self.kind = path, kind
        #: One clause for people, without the path.
        self.problem = _PROBLEM_WORDS[kind] + (f" ({detail})" if detail else "")
        super().__init__(f"{path}: {self.problem}; choose a file with --store FILE")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that cannot be used."""

    table: str
    row: int
    """SQLite's rowid."""
    reason: str
    """A clause without values of the row."""


def skip_reasons(skipped: Iterable[Skipped]) -> str:
    """Join the reasons for skipped rows, the most frequent first, each with its number of rows."""
    found = Counter(item.reason for item in skipped).most_common()
    counts = [f" ({count} row{'s' * (count > 1)})" if len(found) > 1 else "" for _, count in found]
    return "; ".join(reason + count for (reason, _), count in zip(found, counts, strict=True))


class Chunk(NamedTuple):
    """Part of a run, in the order of its samples."""

    rows: tuple[Row, ...]
    skipped: tuple[Skipped, ...]
    last: int
    """The rowid after which the next part begins."""


def default_path() -> Path:
    """Return the path of the user's file."""
    return user_path("samples")


def sample_columns(run: int, sample: Sample) -> dict[str, Any]:
    """Return a row of the table of samples by column, which `decode_sample` reads."""
    entry, size = sample.point.entry, sample.point.size
    return {
        "run": run,
        "taken": sample.taken,
        "environment": sample.environment,
        "kernel": entry.kernel,
        "block": ",".join(str(n) for n in entry.block) if entry.block else None,
        "threads": entry.threads,
        "m": size.m,
        "n": size.n,
        "k": size.k,
        "outcome": sample.outcome,
        "times_ms": json.dumps(sample.times_ms),
        "launches": sample.launches,
        "flops": sample.flops,
        "checked": sample.checked,
        "error": sample.error,
        "memory": entry.memory,
        "parts_ms": json.dumps(sample.parts_ms),
        "checks": json.dumps(sample.checks.to_json() if sample.checks else None),
        "cold": entry.cold,
        "stopped": sample.stopped,
        "captured": sample.captured,
        "repeat": sample.repeat,
        "duration_s": sample.duration_s,
        "baseline": sample.baseline,
        "baseline_ms": json.dumps(sample.baseline_ms),
        "conditions": json.dumps(sample.conditions.to_json() if sample.conditions else None),
        "launch": entry.launch,
    }


class Store:
    """One file of samples. A context manager; used by the thread that opened it.

    Parameters
    ----------
    path : Path or None
        The file, created with its folders when missing; None for `default_path()`.
    timeout_s : float
        Seconds to wait for another process that has locked the file.

    Raises
    ------
    StoreError
        When the file cannot be opened, is no file of samples, or comes from a newer tilescope. Every method
        raises it when the file cannot be read or written.
    """

    def __init__(self, path: Path | None = None, *, timeout_s: float = 10.0) -> None:
        self.path = path or default_path()
        self.skipped: tuple[Skipped, ...] = ()
        """Rows that `rows` could not use so far."""
        self._environments: dict[str, Environment] = {}
        """Environments that were read, by id: rows of one machine have the same object."""
        with self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, isolation_level=None, timeout=timeout_s)
            # A text that is not UTF-8 must not end the whole query.
            self._base.text_factory = partial(str, encoding="utf-8", errors="replace")
            try:
                self._prepare()
            except (sqlite3.Error, StoreError):
                self._base.close()
                raise

    def _prepare(self) -> None:
        """Create the tables of a new file, migrate an older one; refuse one of a later version."""
        self._base.execute("PRAGMA journal_mode = WAL")
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if version > len(_LAYOUTS):
            raise StoreError(self.path, "newer")
        if version == len(_LAYOUTS):
            return
        # Another process may do the same now. The second one waits here for the lock, then finds the new version.
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
        """Add a run and return its number; `purpose` is the id of the experiment that starts it, "" for none."""
        with self._errors():
            return self._insert_run(RunHeader.of(plan, purpose=purpose), [point.to_json() for point in plan.points])

    def _insert_run(self, header: RunHeader, points: list[Any]) -> int:
        plan = json.dumps({"points": points, **header.options, "sources": dict(header.sources)})
        cursor = self._base.execute(
            "INSERT INTO run (started, plan, purpose, key, name) VALUES (?, ?, ?, ?, ?)",
            (header.started, plan, header.purpose, header.id or new_id(), header.name),
        )
        return int(cursor.lastrowid or 0)

    def find_run(self, key: str) -> int | None:
        """Return the number of the run with this id (`RunHeader.id`), also of a deleted one; None without one."""
        with self._errors():
            found = self._base.execute("SELECT min(id) FROM run WHERE key = ? AND key != ''", (key,)).fetchone()
        number: int | None = found[0]
        return number

    def add_environment(self, environment: Environment) -> None:
        """Save an environment, unless it is in the file already."""
        with self._errors():
            self._base.execute(
                "INSERT OR IGNORE INTO environment VALUES (?, ?)", (environment.id, json.dumps(environment.to_json()))
            )

    def add(self, run: int, sample: Sample) -> None:
        """Save a sample; it is on disk when this returns."""
        columns = sample_columns(run, sample)
        names, places = ", ".join(columns), ", ".join("?" * len(columns))
        with self._errors():
            self._base.execute(f"INSERT INTO sample ({names}) VALUES ({places})", tuple(columns.values()))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything that is added in the block at once, or nothing if it raises: one wait for the disk."""
        with self._errors():
            self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._errors():
                self._base.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            raise

    def set_timeout(self, timeout_s: float) -> None:
        """Set how many seconds to wait for another process that has locked the file."""
        with self._errors():
            self._base.execute(f"PRAGMA busy_timeout = {round(timeout_s * 1000)}")

    def runs(self) -> tuple[RunSummary, ...]:
        """Return every run that is not deleted, the latest first."""
        with self._errors():
            found = self._base.execute(
                "SELECT id, started, plan, (SELECT count(*) FROM sample WHERE run = run.id AND repeat = ''), purpose "
                "FROM run WHERE deleted = '' ORDER BY id DESC"
            ).fetchall()
        runs = []
        for number, started, plan, outcome_count, purpose in found:
            point_count = decode_point_count(plan)
            if point_count is None:
                point_count = outcome_count
            runs.append(RunSummary(number, decode_started(started), point_count, outcome_count, str(purpose)))
        return tuple(runs)

    def latest(self, purpose: str = "") -> int | None:
        """Return the number of the run of a purpose that was started last and has samples; None if there is none.

        A run that was stopped before its first point has none. An imported run is as old as its file says. The plan
        is not read: for a large run this would delay the window.
        """
        with self._errors():
            found = self._base.execute(
                "SELECT id FROM run WHERE purpose = ? AND deleted = '' "
                "AND EXISTS (SELECT 1 FROM sample WHERE sample.run = run.id) ORDER BY started DESC, id DESC LIMIT 1",
                (purpose,),
            ).fetchone()
        return None if found is None else int(found[0])

    def rows(self, run: int | None = None) -> tuple[Row, ...]:
        """Return the samples of one run, or of all, in order; rows that cannot be used are added to `skipped`."""
        if run is None:
            chunk = self._decode("ORDER BY run, rowid")
        else:
            chunk = self._decode("WHERE run = ? ORDER BY rowid", run)
        self.skipped += chunk.skipped
        return chunk.rows

    def chunk(self, run: int, after: int, count: int) -> Chunk:
        """Return at most `count` samples of a run, those after a rowid (0 at first); the last chunk is empty."""
        clauses = "WHERE run = ? AND rowid > ? ORDER BY rowid LIMIT ?"
        return self._decode(clauses, run, after, count, last=after)

    def _decode(self, clauses: str, *parameters: int, last: int = 0) -> Chunk:
        rows: list[Row] = []
        skipped: list[Skipped] = []
        with self._errors():
            cursor = self._base.execute(f"SELECT rowid AS row, * FROM sample {clauses}", parameters)
            names = [column[0] for column in cursor.description]
            for values in cursor.fetchall():
                row = dict(zip(names, values, strict=True))
                last = row["row"]
                try:
                    sample = decode_sample(row)
                except RowError as error:
                    skipped.append(Skipped("sample", last, str(error)))
                    continue
                rows.append(Row(row["run"], sample, self._environment(sample.environment)))
        return Chunk(tuple(rows), tuple(skipped), last)

    def _environment(self, name: str) -> Environment | None:
        """Return an environment by its id; None if it is missing or damaged."""
        if name in self._environments:
            return self._environments[name]
        found = self._base.execute("SELECT fields FROM environment WHERE id = ?", (name,)).fetchone()
        try:
            environment = decode_environment(found[0]) if found else None
        except RowError:
            environment = None
        if environment is not None:
            self._environments[name] = environment
        return environment

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            # The lower byte of the code is the kind of error, the rest are details (SQLite, "Result and Error Codes").
            kind = _PROBLEM_BY_CODE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "unusable")
            detail = "" if kind in ("locked", "not a store") else str(error)
            raise StoreError(self.path, kind, detail) from error
        except OSError as error:
            raise StoreError(self.path, "unusable", str(error)) from error
