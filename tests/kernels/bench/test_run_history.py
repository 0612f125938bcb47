"""Runs as files and as a history: what is written is read again, and an import neither loses nor doubles a sample."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import Plan
from kernels.bench.protocol import Measured, message_text
from kernels.bench.store import run_file
from kernels.bench.store.csv_file import CsvReader, write_csv
from kernels.bench.store.database import Row, StoreError
from kernels.bench.store.import_runs import ImportReport, import_files
from kernels.bench.store.run_file import RunFileReader, run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.bench.store.run_history import Imported, RunHistory
from kernels.errors import InputError
from tests.kernels.bench.samples import FULL, GOOD, HERE, POINT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kernels.bench.sample import Sample

FIRST = replace(FULL, repeat="")
AGAIN = replace(FULL, taken="2026-01-01T00:01:00", repeat="recovered")
REFUSED = replace(GOOD, outcome="refused", times_ms=(), launches=0, error="it has, a comma\nand a line", environment="")
SAMPLES = (FIRST, AGAIN, GOOD, REFUSED)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[RunHistory]:
    with RunHistory(tmp_path / "samples.sqlite3") as opened:
        yield opened


def measured(history: RunHistory, *samples: Sample) -> int:
    run = history.begin_run(Plan(tuple(sample.point for sample in samples), fmad=False))
    history.add_environment(HERE)
    for sample in samples:
        history.add(run, sample)
    return run


def test_a_run_is_listed_with_its_kernels_machine_and_options(history: RunHistory) -> None:
    run = measured(history, *SAMPLES)
    measured(history)  # stopped before its first point
    (found,) = history.stored_runs()
    assert (found.number, found.point_count, found.kernels) == (run, 3, ("matmul_tiled",))
    assert found.environments == (HERE,)
    assert found.header.options["fmad"] is False
    assert found.header.id


@pytest.mark.parametrize("plan", ["{", "[]", "7", "", '{"fmad": NaN}'])
def test_a_run_whose_plan_is_damaged_is_listed_without_options(history: RunHistory, plan: str) -> None:
    run = measured(history, *SAMPLES)
    history._base.execute("UPDATE run SET plan = ?", (plan,))
    (found,) = history.stored_runs()
    assert (found.number, found.point_count, dict(found.header.options)) == (run, 3, {})


def test_rows_of_one_machine_share_its_environment(history: RunHistory) -> None:
    run = measured(history, *SAMPLES)
    chunks = [history.chunk(run, after, 1) for after in range(3)]
    assert {id(row.environment) for chunk in chunks for row in chunk.rows} == {id(chunks[0].rows[0].environment)}
    assert chunks[0].rows[0].environment == HERE


def test_a_deleted_run_comes_back_with_every_sample(history: RunHistory) -> None:
    run = measured(history, *SAMPLES)
    history.rename(run, "before the edit")
    history.delete(run)
    assert (history.runs(), history.latest()) == ((), None)
    with RunHistory(history.path) as later:  # the page was left, and opened again
        (found,) = later.stored_runs()
        assert found.deleted
        later.restore(run)
    (found,) = history.stored_runs()
    assert (found.header.name, found.deleted) == ("before the edit", "")
    assert [row.sample for row in history.rows(run)] == list(SAMPLES)
    assert history.latest() == run


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".jsonl.gz"])
def test_an_import_twice_is_once_and_keeps_both_samples_of_a_repeated_point(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"run{suffix}"
    rows = [Row(3, sample, HERE if sample.environment else None) for sample in SAMPLES]
    if suffix == ".csv":
        write_csv(file, rows)
    else:
        write_lines(file, run_lines(RunHeader("abc", "the lab", "2026-01-01T00:00:00+00:00"), rows))
    with RunHistory(tmp_path / "samples.sqlite3") as history:
        for added in (4, 0):
            assert import_files(history, [file]) == ImportReport((1,), added, 4 - added, ())
            assert [row.sample for row in history.rows(1)] == list(SAMPLES)
            assert [row.environment for row in history.rows(1)] == [HERE, HERE, HERE, None]
        (run,) = history.stored_runs()
        assert (run.header.name, run.header.started[:10]) == ("" if suffix == ".csv" else "the lab", "2026-01-01")


def test_shards_of_one_run_and_a_longer_copy_join_it(history: RunHistory) -> None:
    header = RunHeader("abc", "the cluster")
    one, two = ([Row(0, sample, HERE)] for sample in (FIRST, GOOD))
    assert history.import_run(header, one) == Imported(1, 1, 0)
    assert history.import_run(header, [*two, *two]) == Imported(1, 1, 1)
    without_id = [*one, Row(0, AGAIN, HERE)]
    assert history.import_run(RunHeader(), without_id) == Imported(1, 1, 1)
    assert len(history.stored_runs()) == 1


def test_an_import_says_what_it_did(history: RunHistory, tmp_path: Path) -> None:
    file = tmp_path / "shard.jsonl"
    lines = [*run_lines(RunHeader(), [Row(0, GOOD, HERE), Row(0, FIRST, HERE)])][1:]
    file.write_text("\n".join([*lines, "a library printed this"]), encoding="utf-8")
    assert str(import_files(history, [file])) == (
        "2 samples imported; 1 line cannot be used: it is not a message of a measurement."
    )
    assert str(import_files(history, [file], RunHeader("abc"))).startswith(
        "Nothing new; 2 samples had been imported or measured here before; "
    )
    file.write_text("nothing of the kind\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no samples \(it is not a message of a measurement\)"):
        import_files(history, [file])


def test_an_import_restores_a_deleted_run(history: RunHistory) -> None:
    run = measured(history, GOOD)
    history.delete(run)
    assert history.import_run(RunHeader(), [Row(0, GOOD, HERE)]) == Imported(run, 0, 1)
    assert history.latest() == run


def test_an_import_that_fails_leaves_nothing(history: RunHistory) -> None:
    history._base.execute(
        "CREATE TRIGGER full BEFORE INSERT ON sample WHEN NEW.kernel = 'last' BEGIN SELECT RAISE(ABORT, 'no room'); END"
    )
    last = replace(GOOD, point=replace(POINT, entry=replace(POINT.entry, kernel="last")))
    with pytest.raises(StoreError, match="no room"):
        history.import_run(RunHeader("abc"), [Row(0, FULL, HERE), Row(0, last, HERE)])
    assert history.stored_runs() == ()
    assert history.rows() == ()


def test_a_csv_line_that_cannot_be_used_is_skipped_and_an_old_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    write_csv(path, [Row(1, GOOD, HERE), Row(1, FULL, HERE), Row(1, FULL, HERE)])
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace("measured", "nice")
    lines[2] = lines[2].replace('"[1.0,', '"[NaN,')
    lines[3] = lines[3].replace(",64,64,64,", ",64,many,64,", 1)
    path.write_text("\n".join(lines), encoding="utf-8")
    reader = CsvReader(path)
    rows = list(reader)
    assert rows == []
    assert [item.reason for item in reader.skipped] == [
        "its outcome is not known",
        "a time is zero, negative, not a number or infinite",
        "“n” is not a whole number",
    ]
    path.write_text("kernel,n,median_ms\nk,8,1.0\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no column “m”"):
        list(CsvReader(path))


def test_runs_of_an_older_file_get_an_identity(tmp_path: Path) -> None:
    path = tmp_path / "samples.sqlite3"
    with RunHistory(path) as history:
        measured(history, GOOD)
    with closing(sqlite3.connect(path)) as base:
        base.execute("DROP INDEX sample_taken")
        for column in ("key", "name", "deleted"):
            base.execute(f"ALTER TABLE run DROP COLUMN {column}")
        base.execute("ALTER TABLE sample DROP COLUMN launch")
        base.execute("PRAGMA user_version = 3")
        base.commit()
    with RunHistory(path) as history:
        (run,) = history.stored_runs()
    assert len(run.header.id) == 16


HEADER = RunHeader("abc", "before the edit", "2026-01-01T00:00:00+00:00", "", {"fill": "random"})
FAILED = replace(GOOD, outcome="refused", times_ms=(), error="an illegal launch")
ROWS = [Row(0, sample, HERE) for sample in (FULL, GOOD, FAILED)]


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_run_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_lines(path, run_lines(HEADER, ROWS))
    first = path.read_bytes()
    reader = RunFileReader(path)
    assert list(reader) == ROWS
    assert (reader.header, reader.environment, reader.skipped) == (HEADER, HERE, [])
    write_lines(path, run_lines(reader.header, reader))
    assert path.read_bytes() == first


def test_lines_of_a_worker_are_a_run_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    path.write_text("\n".join([*run_lines(HEADER, ROWS)][1:]), encoding="utf-8")
    reader = RunFileReader(path)
    assert list(reader) == ROWS
    assert reader.header == RunHeader()


def test_a_line_that_cannot_be_used_costs_that_line_only(tmp_path: Path) -> None:
    lines = [*run_lines(HEADER, ROWS)]
    damaged = json.loads(message_text(Measured(GOOD)))
    bad = [
        "CuPy printed this",
        '{"event": "run", "id":',
        '{"event": "dance"}',
        json.dumps(damaged | {"times_ms": [float("nan")]}),
        json.dumps(damaged | {"outcome": "nice"}),
        json.dumps(damaged | {"size": [8, 8]}),
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([*lines[:2], *bad, *lines[2:]]), encoding="utf-8")
    reader = RunFileReader(path)
    assert list(reader) == ROWS
    assert [item.row for item in reader.skipped] == [3, 4, 5, 6, 7, 8]
    assert "a time is zero, negative, not a number or infinite" in reader.skipped[3].reason


def test_a_file_that_is_no_file_of_samples_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl.gz"
    write_lines(path, run_lines(HEADER, ROWS))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="damaged or incomplete"):
        list(RunFileReader(path))
    with pytest.raises(InputError, match="cannot be read"):
        list(RunFileReader(tmp_path))
    monkeypatch.setattr(run_file, "MOST_LINE_BYTES", 1000)
    path.write_bytes(gzip.compress(bytes(2000)))
    with pytest.raises(InputError, match="a line has more than 1,000 bytes"):
        list(RunFileReader(path))
    monkeypatch.setattr(run_file, "MOST_BYTES", 1000)
    path.write_bytes(gzip.compress(b"{}\n" * 1000))
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        list(RunFileReader(path))
