"""History of runs in a store: listed, renamed, deleted so that it can be undone, and imported."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from kernels.bench.store.database import Store, sample_columns
from kernels.bench.store.decode import decode_options, decode_started
from kernels.bench.store.run_header import RunHeader, read_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Sample
    from kernels.bench.store.database import Row


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run of the history, without its samples."""

    number: int
    header: RunHeader
    point_count: int
    """Number of points with an outcome."""
    kernels: tuple[str, ...]
    """Kernels in the order of their first samples."""
    environments: tuple[Environment, ...]
    """Environments of its samples, as far as they are known."""
    deleted: str = ""
    """Time of its deletion, ISO 8601, UTC; "" for a run that is not deleted."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import."""

    run: int
    """Number of the run that has the samples now; 0 without samples."""
    added: int
    """Samples that the store did not have."""
    known: int
    """Samples that it had already."""


_IDENTITY: Final = ("taken", "kernel", "block", "threads", "memory", "cold", "m", "n", "k", "repeat", "times_ms")
"""Columns by which a sample is known in every copy. The id of its environment depends on the version of tilescope."""


def _identity(sample: Sample) -> str:
    columns = sample_columns(0, sample)
    return json.dumps([columns[name] for name in _IDENTITY])


_OPTIONS: Final = "CASE WHEN json_valid(plan) THEN json_remove(plan, '$.points') END"
"""A plan without its points. SQLite removes them while other threads run; `json` would stop them for each run."""


class RunHistory(Store):
    """A store with its runs: what a list of them needs, without their times."""

    def stored_runs(self) -> tuple[StoredRun, ...]:
        """Return every run with samples, the latest first, deleted ones included."""
        with self._errors():
            runs = self._base.execute(
                f"SELECT id, key, name, started, purpose, {_OPTIONS}, deleted FROM run ORDER BY started DESC, id DESC"
            ).fetchall()
            counts = dict(self._base.execute("SELECT run, count(*) FROM sample WHERE repeat = '' GROUP BY run"))
            kernels, environments = (self._distinct(column) for column in ("kernel", "environment"))
            known = {name: self._environment(name) for names in environments.values() for name in names}
        found = []
        for number, key, name, started, purpose, plan, deleted in runs:
            if number in kernels:
                options = decode_options(plan)
                sources = read_sources(options.pop("sources", None))
                header = RunHeader(str(key), str(name), decode_started(started), str(purpose), options, sources)
                places = tuple(place for name in environments[number] if (place := known[name]) is not None)
                run = StoredRun(
                    number, header, counts.get(number, 0), tuple(map(str, kernels[number])), places, str(deleted)
                )
                found.append(run)
        return tuple(found)

    def _distinct(self, column: str) -> dict[int, list[Any]]:
        """Return the values of a column of samples by run, in the order of their first samples."""
        found: dict[int, list[Any]] = {}
        query = f"SELECT run, {column} FROM sample GROUP BY run, {column} ORDER BY min(rowid)"
        for run, value in self._base.execute(query):
            found.setdefault(run, []).append(value)
        return found

    def rename(self, run: int, name: str) -> None:
        """Name a run; "" for its device and date."""
        self._change(run, "name", name)

    def delete(self, run: int) -> None:
        """Mark a run as deleted; its samples stay in the file, so that `restore` brings it back at any time."""
        self._change(run, "deleted", datetime.now(UTC).isoformat(timespec="seconds"))

    def restore(self, run: int) -> None:
        """Undo the deletion of a run."""
        self._change(run, "deleted", "")

    def _change(self, run: int, column: str, value: str) -> None:
        with self._errors():
            self._base.execute(f"UPDATE run SET {column} = ? WHERE id = ?", (value, run))

    def import_run(self, header: RunHeader, rows: Sequence[Row]) -> Imported:
        """Add the samples of a run that the file does not have; all of them or, after an error, none.

        The run is that of the header's id, else the one that has one of the samples, else a new one. A deleted run is
        restored. A sample is known by its point, its time and its times: both samples of a repeated point are kept.
        """
        if not rows:
            return Imported(0, 0, 0)
        with self._errors():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                imported = self._import(header, rows)
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")
        return imported

    def _import(self, header: RunHeader, rows: Sequence[Row]) -> Imported:
        places = [self._run_of(row.sample) for row in rows]
        same = self._base.execute("SELECT id FROM run WHERE key = ? AND key != ''", (header.id,)).fetchone()
        number: int | None = same[0] if same else next((place for place in places if place is not None), None)
        if number is None:
            header = replace(header, started=header.started or min(row.sample.taken for row in rows))
            number = self._insert_run(header, [row.sample.point.to_json() for row in rows])
        self._base.execute("UPDATE run SET deleted = '' WHERE id = ?", (number,))
        new: dict[str, Row] = {}
        for row, place in zip(rows, places, strict=True):
            if place is None:
                new.setdefault(_identity(row.sample), row)
        for row in new.values():
            self.add(number, row.sample)
            if row.environment is not None:
                self._base.execute(
                    "INSERT OR IGNORE INTO environment VALUES (?, ?)",
                    (row.sample.environment, json.dumps(row.environment.to_json())),
                )
        return Imported(number, len(new), len(rows) - len(new))

    def _run_of(self, sample: Sample) -> int | None:
        """Return the run that has a sample; None if there is none."""
        columns = sample_columns(0, sample)
        wanted = {name: columns[name] for name in _IDENTITY}
        where = " AND ".join(f"{name} IS ?" for name in wanted)
        found = self._base.execute(f"SELECT run FROM sample WHERE {where}", tuple(wanted.values())).fetchone()
        return None if found is None else int(found[0])
