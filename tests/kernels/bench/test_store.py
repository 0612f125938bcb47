"""Samples on disk: what is saved comes back, and a bad row costs that row."""

from __future__ import annotations

import csv
import json
import math
import os
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kernels.bench.measure.environment import this_environment
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.store.csv_file import CSV_COLUMNS, write_csv
from kernels.bench.store.database import Row, Skipped, Store, StoreError, default_path, skip_reasons
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.verify import Checks
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.bench.samples import FULL, GOOD, HERE, POINT

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.store.database import FileProblem

CASES = Cases(__file__)

BAD = Sample(
    Point(Entry("cpu_parallel", threads=4), Size(1, 1, 1)),
    "wrong",
    error="C[0][0] = nan",
    environment=HERE.id,
)


def test_samples_come_back_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "samples.sqlite3"
    with Store(path) as store:
        run = store.begin_run(Plan((POINT, BAD.point)))
        store.add_environment(HERE)
        store.add(run, GOOD)
        with Store(path) as other:  # committed as it arrived: another process sees it
            assert other.rows() == (Row(run, GOOD, HERE),)
        store.add(run, BAD)
    with Store(path) as store:
        assert store.rows(run) == (Row(run, GOOD, HERE), Row(run, BAD, HERE))
        assert [(r.point_count, r.outcome_count) for r in store.runs()] == [(2, 2)]


def test_parts_and_checks_come_back(tmp_path: Path) -> None:
    entry = Entry("matmul_naive", Dim3(8, 8), memory="pinned")
    parts = {"to_device": (1.0, 1.5), "kernel": (2.0, 2.0), "to_host": (0.5, 0.25)}
    timed = Sample(Point(entry, Size(2, 2, 2)), "measured", (3.5, 3.75), 1, 16, parts_ms=parts)
    checks = Checks(
        False,
        "C[0][0] = nan",
        "every element",
        4,
        math.inf,
        math.inf,
        1.0,
        3.0,
        1,
        None,
        False,
        {"C": [[1.0]]},
    )
    checked = Sample(POINT, "wrong", error="C[0][0] = nan", checks=checks)
    with Store(tmp_path / "s") as store:
        run = store.begin_run(Plan((timed.point, POINT), task="check"))
        store.add(run, timed)
        store.add(run, checked)
        assert store.rows() == (Row(run, timed, None), Row(run, checked, None))


def test_every_field_comes_back(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        run = store.begin_run(Plan((FULL.point,)))
        store.add(run, replace(FULL, repeat=""))
        store.add(run, FULL)
        assert [row.sample for row in store.rows()] == [replace(FULL, repeat=""), FULL]
        assert store.skipped == ()
        assert store.runs()[0].outcome_count == 1  # one point, measured twice


def test_a_file_of_the_second_layout_is_brought_up_to_date_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s"
    checks = Checks(False, "C[0][0] = nan", "every element", 4, 1.0, 1.0, 1.0, 3.0, 1, None, False, {})
    wrong = Sample(POINT, "wrong", error="C[0][0] = nan", checks=checks)
    pinned = Point(Entry("matmul_naive", Dim3(8, 8), memory="pinned"), Size(2, 2, 2))
    timed = Sample(pinned, "measured", (3.5, 3.75), 1, 16, parts_ms={"kernel": (2.0, 2.0), "to_host": (1.5, 1.75)})
    old = sqlite3.connect(path)
    old.executescript(CASES.text("second_layout.sql"))
    old.execute(
        "INSERT INTO sample VALUES (1, '', '', 'matmul_tiled', '16,8,2', 0, 2, 3, 4, 'wrong', '[]', 0, 0, '',"
        " 'C[0][0] = nan', 'device', '{}', ?)",
        (json.dumps(checks.to_json()),),
    )
    old.commit()
    old.close()
    for _ in range(2):  # the second time there is nothing to do
        with Store(path) as store:
            assert [row.sample for row in store.rows()] == [replace(GOOD, environment="gone"), timed, wrong]
            assert store.skipped == ()
            (run,) = store.runs()
            assert (run.purpose, run.point_count, run.outcome_count) == ("ladder quick", 3, 3)
    with Store(path) as store:  # and new samples are added to the old ones
        store.add(1, FULL)
        assert [row.sample for row in store.rows()][3:] == [FULL]


def test_a_file_of_the_first_layout_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "s"
    old = sqlite3.connect(path)
    old.executescript(CASES.text("first_layout.sql"))
    old.close()
    for _ in range(2):  # the second time there is nothing to do
        with Store(path) as store:
            assert store.rows() == (Row(1, replace(GOOD, environment="gone"), None),)
            assert store.runs()[0].started == "2026-01-01T00:00:00"


def test_runs_are_kept_apart(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        runs = [store.begin_run(Plan((POINT,))) for _ in range(2)]
        for run in runs:
            store.add(run, GOOD)
        assert [r.id for r in store.runs()] == runs[::-1]
        assert [row.run for row in store.rows()] == runs
        assert [row.run for row in store.rows(runs[1])] == runs[1:]


def test_without_a_path_it_is_in_the_users_data_folder() -> None:
    with Store() as store:
        assert store.path == default_path()
        assert store.path.is_file()


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and more than a hundred bytes long. " * 3)
    with pytest.raises(InputError, match=r"notes\.txt.*--store FILE"):
        Store(path)
    assert path.read_text().startswith("not a database")


def test_a_newer_layout_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    Store(path).close()
    base = sqlite3.connect(path)
    base.execute("PRAGMA user_version = 99")
    base.close()
    with pytest.raises(InputError, match="newer"):
        Store(path)


def test_csv_has_a_line_a_sample(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    entry = replace(POINT.entry, memory="pinned")
    parts = {"to_device": (1.0, 1.5), "kernel": (2.0, 2.0)}
    moved = Sample(Point(entry, POINT.size), "measured", (3.0, 3.5), 1, 48, parts_ms=parts)
    write_csv(path, [Row(7, GOOD, HERE), Row(0, BAD, None), Row(7, moved, None), Row(7, FULL, None)])
    with path.open(newline="", encoding="utf-8") as file:
        good, bad, pinned, full = csv.DictReader(file)
    assert tuple(good) == CSV_COLUMNS
    assert (good["run"], good["kernel"], good["block"], good["m"], good["n"], good["k"]) == (
        "7",
        "matmul_tiled",
        "16x8x2",
        "2",
        "3",
        "4",
    )
    assert (good["median_ms"], good["samples"], good["verified"]) == ("2.0", "3", "True")
    assert (good["memory"], good["kernel_ms"], pinned["memory"]) == ("device", "", "pinned")
    assert [pinned[f"{part}_ms"] for part in ("to_device", "kernel", "to_host")] == ["1.25", "2.0", ""]
    assert float(good["gflops"]) == pytest.approx(48 / 2e6)
    assert good["numpy"] == HERE.numpy
    assert (good["low_ms"], good["min_ms"], good["stopped"], good["sm_clock_mhz"]) == ("", "1.0", "", "")
    assert (full["low_ms"], full["high_ms"], full["min_ms"]) == ("1.13", "1.26", "1.0")  # the 14th and the 27th of 40
    assert (full["cold"], full["stopped"], full["captured"], full["repeat"]) == (
        "True",
        "precision",
        "True",
        "confirmed",
    )
    assert (full["baseline"], full["speed_up_verdict"]) == ("cublas_sgemm", "slower")
    assert float(full["speed_up_low"]) < float(full["speed_up"]) < float(full["speed_up_high"]) < 1
    assert (full["sm_clock_mhz"], full["throttle_reasons"], full["throttled"]) == ("1500.0", "SW power cap", "True")
    assert float(full["percent_of_peak"]) == pytest.approx(100 * float(full["gflops"]) / 50_000)
    assert (bad["threads"], bad["median_ms"], bad["gflops"], bad["error"]) == ("4", "", "", "C[0][0] = nan")


def test_csv_to_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_csv(tmp_path / "nowhere" / "run.csv", [])


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
