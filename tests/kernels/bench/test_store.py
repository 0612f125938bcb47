from __future__ import annotations

import csv
import json
import math
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench.csv_file import CSV_COLUMNS, write_csv
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.store import Row, Store, default_path
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.verify import Checks
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.bench.samples import FULL, GOOD, HERE, POINT

if TYPE_CHECKING:
    from pathlib import Path

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
