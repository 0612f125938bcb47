"""`tilescope bench` as a user runs it, and as the worker."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.plan import Plan
from kernels.bench.protocol import End, Measured, parse_message, plan_text
from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.store.csv_file import CsvReader
from kernels.bench.store.database import Store
from kernels.child_process import WORKING_FOLDER
from kernels.cli import main, measuring
from kernels.cpu.matmul import core_count
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CASES = Cases(__file__)

QUICK = ("--budget", "0.02", "--no-store")


def _bench(*arguments: str, text: str = "") -> Result:
    """Run the command in this process; what it measures, a worker measures in its own."""
    return CliRunner().invoke(main, ["bench", *arguments], input=text)


@pytest.mark.usefixtures("measured_here")
def test_table_csv_and_store(tmp_path: Path) -> None:
    store, csv_file = tmp_path / "s", tmp_path / "run.csv"
    counts = sorted({1, core_count()})
    threads = ",".join(map(str, counts))
    what = ("cpu_parallel", "--sizes", "8,3x4x5", "--threads", threads, "--budget", "0.02")
    done = _bench(*what, "--store", str(store), "--csv", str(csv_file))
    assert done.exit_code == 0, done.stderr
    assert f"cpu_parallel {Entry('', threads=counts[-1]).label.strip()}" in done.stdout
    assert "3×4×5" in done.stdout
    lines = [row.sample for row in CsvReader(csv_file)]
    assert len({sample.point for sample in lines}) == 2 * len(counts)
    with Store(store) as kept:
        measured = [row.sample for row in kept.rows() if not row.sample.repeat]  # a busy machine has outliers
        assert [sample.verified for sample in measured] == [True] * 2 * len(counts)


@pytest.mark.usefixtures("measured_here")
def test_json_is_one_object() -> None:
    done = _bench(
        "cpu_blas",
        "--fill",
        "A=mod(3);B=mod(4)",
        "--from",
        "4",
        "--to",
        "12",
        "--step",
        "4",
        "--threads",
        "1",
        "--json",
        *QUICK,
    )
    data = json.loads(done.stdout)
    sizes = [sample["size"] for sample in data["samples"] if not sample["repeat"]]
    assert sizes == [[4] * 3, [8] * 3, [12] * 3]
    assert all(sample["gflops"] > 0 for sample in data["samples"])
    assert data["environment"]["numpy"]


def test_both_samples_of_a_point_that_was_measured_again_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = Point(Entry("cpu_blas", threads=1), Size(4, 4, 4))
    slow = Sample(point, "measured", (9.0,), 1, 128)
    fast = replace(slow, times_ms=(1.0,), repeat="recovered")
    monkeypatch.setattr(measuring, "_messages", lambda *_: (Measured(taken) for taken in (slow, fast)))
    csv_file = tmp_path / "run.csv"
    what = ("cpu_blas", "--sizes", "4", "--no-store", "--csv", str(csv_file))
    found = json.loads(_bench(*what, "--json").stdout)["samples"]
    assert [(sample["median_ms"], sample["repeat"]) for sample in found] == [(9.0, ""), (1.0, "recovered")]
    assert [row.sample.median_ms for row in CsvReader(csv_file)] == [9.0, 1.0]
    assert _bench(*what).stdout.count("cpu_blas") == 1  # the table has the later one


def test_events_of_a_plan_from_standard_input() -> None:
    plan = Plan((Point(Entry("cpu_blas", threads=1), Size(4, 4, 4)),), budget_s=0.02)
    done = subprocess.run(
        [sys.executable, "-m", "kernels", "bench", "--jsonl", "--plan", "-"],
        input=plan_text(plan),
        capture_output=True,
        encoding="utf-8",
        cwd=WORKING_FOLDER,
        check=False,
        timeout=120,
    )
    told = [parse_message(line) for line in done.stdout.splitlines()]
    assert None not in told
    assert [m.sample.point for m in told if isinstance(m, Measured)] == list(plan.points)
    assert told[-1] == End()
    assert done.returncode == 0


@pytest.mark.usefixtures("measured_here")
def test_a_table_has_the_interval_the_reason_to_stop_and_the_speed_up() -> None:
    done = _bench("cpu_sequential", "cpu_blas", "--from", "4", "--to", "16", "--doubling", "--threads", "1", *QUICK)
    assert done.exit_code == 0, done.stderr
    header = done.stdout.splitlines()[1]
    for column in ("median ms", "95 % interval", "min", "samples", "stopped", "GFLOPS", "speed-up"):
        assert column in header
    assert done.stdout.count("precision") + done.stdout.count("time limit") + done.stdout.count("sample limit") == 6


def test_the_time_is_predicted_and_nothing_is_measured(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["bench", "cpu_sequential", "--sizes", "4,8", "--predict", "--store", str(tmp_path / "s")]
    )
    assert done.exit_code == 0, done.stderr
    assert "s for 2 points, of which 0 have been measured before" in done.stdout
    with Store(tmp_path / "s") as store:
        assert store.runs() == ()


@pytest.mark.usefixtures("measured_here")
def test_points_after_the_total_limit_are_skipped() -> None:
    done = _bench("cpu_sequential", "--sizes", "4,8", "--total", "0.000001", "--no-store")
    assert done.exit_code == 1
    assert done.stdout.count("skipped") == 2
    assert "time limit for all points was used up" in done.stderr


@pytest.mark.usefixtures("measured_here")
def test_points_that_are_refused_say_why_and_make_the_status_1() -> None:
    refused = {
        Point(Entry("cpu_parallel"), Size(4, 4, 4)): "with 0 threads: give a number from 1 up",
        Point(
            Entry("cpu_parallel", threads=100_000_000), Size(4, 4, 4)
        ): "with 100,000,000 threads: give a number from 1 up, at most 1,024",
        Point(Entry("cpu_sequential"), Size(10**8, 10**8, 10**8)): "the arrays of size 100000000 take 106.6 PiB",
        Point(Entry("cpu_sequential"), Size(5, 10**12, 5)): "choose a smaller size, up to 5×",
    }
    done = _bench("--no-store", "--plan", "-", text=plan_text(Plan(tuple(refused))))
    assert done.exit_code == 1
    said = " ".join(done.stderr.split())
    assert [words for words in refused.values() if words not in said] == []
    assert done.stdout.count("refused") == len(refused)


@pytest.mark.parametrize(("arguments", "words"), CASES("unusable_arguments"))
def test_unusable_arguments_are_one_line_and_status_2(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(main, ["bench", *arguments, "--no-store"])
    assert done.exit_code == 2, done.stderr
    assert words.replace("CORES", str(core_count())) in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.usefixtures("measured_here")
def test_an_option_that_some_of_the_kernels_take_is_used_for_those_and_the_others_are_named() -> None:
    done = _bench("cpu_sequential", "cpu_blas", "--sizes", "4", "--threads", "1", *QUICK)
    assert done.exit_code == 0
    assert "cpu_blas 1 thread " in done.stdout
    assert done.stderr == (
        "tilescope: --threads is for the other kernels only: there are no CPU threads to choose for cpu_sequential\n"
    )


def test_the_time_limit_ends_one_call_that_takes_longer() -> None:
    sizes = "6000x6000x3000"  # minutes in one call
    done = _bench("cpu_sequential", "--sizes", sizes, "--time-limit", "1", "--no-store")
    assert done.exit_code == 1
    assert "took longer than 1 s and was ended" in done.stderr
    assert "overtime" in done.stdout


@pytest.mark.parametrize(("options", "words"), CASES("what_a_newcomer_may_try"))
def test_what_a_newcomer_may_try_is_refused_in_one_line(
    options: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = _bench(*options.split())
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"tilescope: {words}")
    assert not list(tmp_path.iterdir())


def test_a_file_that_describes_no_problem_is_planned_with_a_proposed_launch(tmp_path: Path) -> None:
    file, folder = tmp_path / "own.cu", tmp_path / "plan"
    file.write_text("__global__ void fill(float *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 1; }", "utf-8")
    done = CliRunner().invoke(main, ["plan", str(file), "cpu_blas", "--sizes", "8", "--folder", str(folder)])
    assert done.exit_code == 0, done.stderr
    assert done.stderr.endswith("timed with this launch: fill, grid 1, block 32, out = f32[30]:uninit, n = 30\n")
    labels = [str(point) for point in Plan.from_json(json.loads((folder / "plan.json").read_text())).points]
    assert labels[1:] == ["own fill<<<1, 32>>>"]
    done = CliRunner().invoke(main, ["plan", str(file), "--sizes", "8", "--folder", str(tmp_path / "other")])
    assert done.stderr.startswith(f"tilescope: --sizes: {file} describes no problem, so its launch is timed as it is")
