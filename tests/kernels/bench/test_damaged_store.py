"""A damaged file of samples: a bad row costs that row; a file that cannot be read has a kind of problem."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kernels.bench.environment import this_environment
from kernels.bench.plan import Plan
from kernels.bench.store import Skipped, Store, StoreError, skip_reasons
from tests.cases import Cases
from tests.kernels.bench.samples import GOOD, HERE, POINT

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.store import FileProblem, Row

CASES = Cases(__file__)

DAMAGE = [
    *CASES("damage"),
    ("times_ms", "[" * 100_000, "“times_ms” is not JSON"),
    ("times_ms", b"\x00\xff", "“times_ms” is not a text"),
    ("times_ms", f"[1.0, {400 * '1'}]", "a time is zero, negative, not a number or infinite"),
    ("block", b"\x01", "“block” is not a text"),
    ("kernel", b"matmul", "“kernel” is not a text"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one run of three equal samples."""
    made = tmp_path / "samples.sqlite3"
    with Store(made) as store:
        store.add_environment(HERE)
        run = store.begin_run(Plan((POINT,)))
        for _ in range(3):
            store.add(run, GOOD)
    return made


def change(path: Path, *statements: str, values: tuple[Any, ...] = ()) -> None:
    with closing(sqlite3.connect(path)) as base:
        for statement in statements:
            base.execute(statement, values)
        base.commit()


@pytest.mark.parametrize(("column", "value", "reason"), DAMAGE)
def test_a_bad_row_costs_that_row_and_has_a_reason(path: Path, column: str, value: Any, reason: str) -> None:
    change(path, f"UPDATE sample SET {column} = ? WHERE rowid = 2", values=(value,))
    with Store(path) as store:
        assert [row.sample for row in store.rows(1)] == [GOOD, GOOD]
        assert store.skipped == (Skipped("sample", 2, reason),)
        assert store.chunk(1, 0, 10).skipped == store.skipped


@pytest.mark.parametrize("column", ["kernel", "n", "outcome", "times_ms", "checked", "environment"])
def test_a_null_costs_that_row(path: Path, column: str) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.executescript(
            f"""
            CREATE TABLE loose AS SELECT * FROM sample;
            DROP TABLE sample;
            ALTER TABLE loose RENAME TO sample;
            UPDATE sample SET {column} = NULL WHERE rowid = 1;
            """
        )
    with Store(path) as store:
        assert len(store.rows(1)) == 2
        assert [item.row for item in store.skipped] == [1]


def test_a_missing_column_is_named(path: Path) -> None:
    change(path, "ALTER TABLE sample DROP COLUMN checks")
    with Store(path) as store:
        assert store.rows(1) == ()
        assert {item.reason for item in store.skipped} == {"the column “checks” is missing"}


def test_a_text_that_is_not_utf_8_does_not_end_the_query(path: Path) -> None:
    change(path, "UPDATE sample SET checked = CAST(x'ff41' AS TEXT) WHERE rowid = 1")
    with Store(path) as store:
        assert [row.sample.checked for row in store.rows(1)] == ["�A", GOOD.checked, GOOD.checked]


@pytest.mark.parametrize("fields", ["{", "[]", "7"])
def test_without_its_machine_a_sample_is_a_sample(path: Path, fields: str) -> None:
    change(path, "UPDATE environment SET fields = ?", values=(fields,))
    with Store(path) as store:
        assert [row.environment for row in store.rows(1)] == [None] * 3
        assert store.skipped == ()


@pytest.mark.parametrize(("column", "value"), [("plan", "{"), ("plan", "[]"), ("plan", "{}"), ("started", "noon")])
def test_a_run_whose_row_is_damaged_keeps_its_samples(path: Path, column: str, value: str) -> None:
    change(path, f"UPDATE run SET {column} = ?", values=(value,))
    with Store(path) as store:
        (run,) = store.runs()
        assert run.id == store.latest()
        assert (run.outcome_count, len(store.rows(run.id))) == (3, 3)
        assert run.point_count == (3 if column == "plan" else 1)
        assert (run.started == "") == (column == "started")


def test_the_latest_run_of_a_purpose_is_found(path: Path) -> None:
    with Store(path) as store:
        last = store.begin_run(Plan((POINT,)))
        for run in (last, store.begin_run(Plan((POINT,)), "ladder quick")):
            store.add(run, GOOD)
        store.begin_run(Plan((POINT,)))  # stopped before its first point
        assert store.latest() == last
        assert store.latest("nothing") is None


def test_chunks_are_the_run_in_order(path: Path) -> None:
    with Store(path) as store:
        other = store.begin_run(Plan((POINT,)))
        samples = [replace(GOOD, launches=n) for n in range(7)]
        for sample in samples:
            store.add(1, sample)
            store.add(other, GOOD)
        found: list[Row] = []
        after = 0
        while (chunk := store.chunk(1, after, 4)).last > after:
            assert len(chunk.rows) <= 4
            found += chunk.rows
            after = chunk.last
        assert tuple(found) == store.rows(1)
        assert [row.sample for row in found] == [GOOD] * 3 + samples


def kind_of_problem(path: Path) -> FileProblem:
    with pytest.raises(StoreError) as caught, Store(path, timeout_s=0.0) as store:
        store.rows(1)
    assert str(path) in str(caught.value)
    return caught.value.kind


def test_a_truncated_file_is_damaged(path: Path) -> None:
    with Store(path) as store:
        for _ in range(200):
            store.add(1, GOOD)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 4096 // 2 * 4096)
    assert kind_of_problem(path) == "damaged"


def test_other_files_are_told_apart(tmp_path: Path, path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert kind_of_problem(folder) == "unusable"
    notes = tmp_path / "notes"
    notes.write_text("not a database, and more than a hundred bytes long. " * 30)
    assert kind_of_problem(notes) == "not a store"
    assert kind_of_problem(notes / "below") == "unusable"
    change(path, "PRAGMA user_version = 99")
    assert kind_of_problem(path) == "newer"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind an administrator")
def test_a_file_without_permission_is_unusable(path: Path) -> None:
    path.chmod(0)
    assert kind_of_problem(path) == "unusable"
    path.chmod(0o600)


def test_a_locked_file_is_told_apart_and_usable_afterwards(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        assert kind_of_problem(path) == "locked"
        other.execute("COMMIT")
    with Store(path, timeout_s=0.0) as store:
        assert len(store.rows(1)) == 3


def test_reasons_are_counted() -> None:
    rows = [Skipped("sample", n, "b" if n < 2 else "a") for n in range(5)]
    assert skip_reasons(rows) == "a (3 rows); b (2 rows)"
    assert skip_reasons(rows[:2]) == "b"


def test_the_environment_of_this_machine_is_read_back(path: Path) -> None:
    with Store(path) as store:
        assert store.rows(1)[0].environment == this_environment()
