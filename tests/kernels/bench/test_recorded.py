"""Recorded runs: the shipped files are sound, and the module that writes them keeps what it measured."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench import ship
from kernels.bench.sample import Sample
from kernels.bench.store.database import Row
from kernels.bench.store.recorded import FOLDER, RecordedRun, recorded_runs
from kernels.bench.store.run_file import run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.catalog import catalog, find_kernel
from kernels.errors import InputError
from kernels.workload import Size
from tests.kernels.bench.samples import FULL, HERE

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = recorded_runs()


def test_shipped_runs_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*")) < 2 * 2**20


@pytest.mark.parametrize("run", SHIPPED, ids=[run.id for run in SHIPPED])
def test_a_shipped_run_has_verified_points_of_known_kernels(run: RecordedRun) -> None:
    reader = run.rows()
    rows = list(reader)
    assert not reader.skipped
    assert any(row.sample.gflops for row in rows)
    assert all(row.sample.verified or row.sample.error for row in rows)
    assert all(row.environment and row.environment.gpu for row in rows)
    assert all(find_kernel(row.sample.point.entry.kernel) for row in rows)


@pytest.mark.parametrize("run", SHIPPED, ids=[run.id for run in SHIPPED])
def test_the_short_launches_of_a_shipped_run_have_intervals(run: RecordedRun) -> None:
    """Six launches that each take a fraction of a second may not fit in the budget; short ones always do."""
    samples = [row.sample for row in run.rows() if row.sample.times_ms]
    assert [str(sample.point) for sample in samples if sample.launches > 1 and sample.interval is None] == []


@pytest.mark.parametrize("run", SHIPPED, ids=[run.id for run in SHIPPED])
def test_the_header_of_a_shipped_run_names_the_budget_and_the_library_routines(run: RecordedRun) -> None:
    options = run.header.options
    assert options["budget_s"] == ship.BUDGET_S
    baselines = {row.sample.baseline for row in run.rows()} - {""}
    assert baselines <= {entry["kernel"] for entry in options["baselines"]}


def test_a_damaged_file_is_left_out(tmp_path: Path) -> None:
    write_lines(tmp_path / "sound.jsonl.gz", run_lines(RunHeader(name="sound"), [Row(0, FULL, HERE)]))
    (tmp_path / "damaged.jsonl.gz").write_bytes(b"\x1f\x8b and then nothing")
    (tmp_path / "empty.jsonl.gz").write_bytes(b"")
    (run,) = recorded_runs(tmp_path)
    assert (run.id, run.header.name, run.environment) == ("sound", "sound", HERE)
    assert [row.sample for row in run.rows()] == [FULL]


def test_every_curve_of_the_catalogue_is_in_a_stage_and_one_of_each_kernel_comes_first() -> None:
    found = ship.stages(catalog())
    first = {point.entry.kernel for point in found[0]}
    assert first == {kernel.id for kernel in catalog() if kernel.measurable and kernel.runs_on != "cpu"}
    points = [point for stage in found for point in stage]
    assert len(set(points)) == len(points)
    assert {point.size.n for point in points} >= {256, 512, 1024, 2048, 4096, 8192}
    assert all(find_kernel(point.entry.kernel).workload.fit(point.size) == point.size for point in points)


def test_a_launch_that_would_take_too_long_is_skipped_with_the_reason() -> None:
    stage = ship.stages([find_kernel("matmul_naive")])[2]
    (point,) = stage
    small = replace(point, size=point.size._replace(m=4096, n=4096, k=4096))
    slow = Sample(small, "measured", (100.0,), flops=2 * 4096**3)
    plan, skipped = ship.plan_of(stage, [slow])
    assert plan.points == ()
    assert [(s.point, s.outcome) for s in skipped] == [(point, "skipped")]
    assert "one launch would take about 0.8 s by that of n = 4096" in skipped[0].error
    plan, skipped = ship.plan_of(stage, [replace(slow, times_ms=(10.0,))])
    assert (plan.points, skipped) == (stage, ())


@pytest.mark.usefixtures("measured_here")
def test_a_run_is_recorded_and_shipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ship.main(["cpu_blas", "--folder", str(tmp_path), "--seconds", "0.5"]) == 0
    (run,) = recorded_runs(tmp_path)
    rows = list(run.rows())
    assert rows[0].sample.point.size.n == 256
    assert all(row.sample.outcome == "measured" for row in rows)
    assert [path.name for path in tmp_path.iterdir()] == [run.path.name]
    assert "256: " in capsys.readouterr().out
    assert all(time == float(f"{time:.7g}") for time in rows[0].sample.times_ms)


@pytest.mark.usefixtures("measured_here")
def test_a_run_is_extended_by_what_it_lacks_and_by_what_has_changed(tmp_path: Path) -> None:
    (small, *_), *_ = ship.stages([find_kernel("cpu_blas")])
    kept = replace(FULL, point=small)
    edited = replace(FULL, point=replace(small, entry=replace(small.entry, kernel="matmul_naive")))
    failed = replace(FULL, point=replace(small, size=Size(5, 5, 5)), outcome="failed", error="no memory")
    header = RunHeader(id="first", sources={"matmul_naive": "of another text"})
    earlier = tmp_path / "earlier.jsonl.gz"
    write_lines(earlier, run_lines(header, [Row(0, sample, HERE) for sample in (kept, edited, failed)]))
    recording = ship.Recording(tmp_path, earlier)
    assert [row.sample for row in recording.rows] == [kept]
    assert recording.points == {small}
    assert list(ship.record(recording, [find_kernel("cpu_blas")], 0.5))
    assert recording.rows[0].sample == kept
    assert recording.header is not None
    assert recording.header.id == "first"


@pytest.mark.parametrize(("budget_s", "kept"), [(ship.BUDGET_S, 2), (ship.BUDGET_S / 2, 1)])
@pytest.mark.usefixtures("measured_here")
def test_times_that_another_budget_cut_short_are_measured_again(tmp_path: Path, budget_s: float, kept: int) -> None:
    (small, *_), (other, *_), *_ = ship.stages([find_kernel("cpu_blas")])
    precise = replace(FULL, point=small, stopped="precision")
    short = replace(FULL, point=other, stopped="time limit")
    earlier = tmp_path / "earlier.jsonl.gz"
    header = RunHeader(options={"budget_s": budget_s, "baselines": []})
    write_lines(earlier, run_lines(header, [Row(0, sample, HERE) for sample in (precise, short)]))
    recording = ship.Recording(tmp_path, earlier)
    assert [row.sample for row in recording.rows] == [precise, short][:kept]
    list(ship.record(recording, [find_kernel("cpu_blas")], 0.1))
    assert recording.header is not None
    assert recording.header.options["budget_s"] == ship.BUDGET_S
    assert recording.header.options["baselines"]


def test_a_run_of_another_device_is_not_extended(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.jsonl.gz"
    write_lines(earlier, run_lines(RunHeader(), [Row(0, FULL, HERE)]))
    recording = ship.Recording(tmp_path, earlier)
    words = re.escape(f"the earlier run is of {HERE.device}, and this machine has NVIDIA T1")
    with pytest.raises(InputError, match=words):
        recording.measure_on(replace(HERE, gpu="NVIDIA T1"))


def test_a_file_without_a_run_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    assert ship.main(["--folder", str(tmp_path), "--extend", str(tmp_path / "empty.jsonl")]) == 2
    assert "holds no run of a known device" in capsys.readouterr().err
