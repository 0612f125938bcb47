"""Experiments, recorded runs and the gate on real time of exercises on the GPU."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.bench import ship
from kernels.bench.measure.point import build
from kernels.bench.sample import Entry, Point
from kernels.bench.store.recorded import recorded_runs
from kernels.catalog import find_kernel
from kernels.cli import main
from kernels.exercises import find_exercise
from kernels.exercises.real_time import time_on_gpu
from kernels.exercises.words import time_words
from kernels.experiments import experiment_plan, find_experiment
from kernels.experiments.plan import this_machine
from kernels.launch import Dim3
from kernels.workload import Size
from tests.kernels.exercises.answers import TIMED, solution

if TYPE_CHECKING:
    from pathlib import Path


def test_the_boundary_is_right_at_every_element() -> None:
    """Sums of products of 0, 1, 2 and 0, 1, 2, 3 are whole numbers far below 2^24: there is nothing to round."""
    plan, _ = experiment_plan(find_experiment("boundary"), "quick", this_machine())
    kernel, point = (
        find_kernel("matmul_tiled"),
        Point(Entry("matmul_tiled", Dim3(32, 32)), Size(2051, 1027, 2051)),
    )
    assert point in plan.points
    inputs = kernel.workload.inputs(point.size, plan.fill)
    with build(kernel, point, plan, inputs) as run:
        found = run.outputs()["C"].reshape(2051, 1027)
    exact = inputs["A"].astype(np.float64) @ inputs["B"].astype(np.float64)
    assert exact.max() < 2**24
    assert np.array_equal(found, exact)


def test_sanity_agrees_for_what_sums_in_order(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["experiment", "mmt_sanity", "--sizes", "20,100", "--json", "--store", str(tmp_path / "s")]
    )
    data = json.loads(done.stdout)
    assert data["environment"]["gpu"]
    verdicts = {claim["text"][:2]: claim["verdict"] for claim in data["claims"] if "nowhere" in claim["text"]}
    assert verdicts == {"v1": "agrees", "v5": "agrees", "v6": "agrees"}
    assert {sample["outcome"] for sample in data["samples"]} == {"checked"}


@pytest.mark.parametrize("name", TIMED)
def test_the_right_answer_is_as_fast_as_asked(name: str) -> None:
    result = time_on_gpu(find_exercise(name), solution(name))
    assert result.outcome == "faster", time_words(result)
    assert result.passed, time_words(result)


@pytest.mark.parametrize("name", TIMED)
def test_the_given_source_is_not_faster_than_itself(name: str) -> None:
    exercise = find_exercise(name)
    result = time_on_gpu(exercise, exercise.text)
    assert result.outcome in ("faster", "slower", "no change"), time_words(result)
    assert result.speed_up is not None
    assert result.speed_up.middle == pytest.approx(1, abs=0.1)
    assert result.passed is False


def test_a_recorded_run_says_where_it_was_measured(tmp_path: Path) -> None:
    assert ship.main(["matmul_tiled", "cublas_sgemm", "--folder", str(tmp_path), "--seconds", "8"]) == 0
    (run,) = recorded_runs(tmp_path)
    rows = list(run.rows())
    timed = [row.sample for row in rows if row.sample.times_ms]
    assert {sample.point.entry.kernel for sample in timed} == {"matmul_tiled", "cublas_sgemm"}
    assert all(sample.verified and sample.conditions and sample.conditions.sm_clock_mhz for sample in timed)
    assert all(row.environment and row.environment.driver for row in rows)
    assert (run.environment.gpu_uuid, run.environment.host) == ("", "")
    assert set(run.header.sources) == {"matmul_tiled"}
    assert run.path.stat().st_size < 4096 * len(rows)
