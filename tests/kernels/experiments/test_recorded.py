"""Recorded results of experiments: files that ship with the program, one for each table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench.store.run_header import RunHeader
from kernels.device import device_of_driver
from kernels.experiments import Experiment, Machine, compare, experiment_plan, experiments
from kernels.experiments.recorded import TABLES, RecordedResult, recorded_path, recorded_result

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("experiment", experiments(), ids=lambda experiment: experiment.id)
def test_every_table_has_a_recorded_result_of_its_points(experiment: Experiment) -> None:
    result = recorded_result(experiment)
    assert result is not None
    assert result.header.purpose.partition(" ")[0] == experiment.id
    comparison = compare(experiment, result.rows)
    assert comparison.device == result.device
    assert any(series.ours for series in comparison.series)
    device = device_of_driver(result.device)
    plan, _ = experiment_plan(experiment, "quick", Machine(device, "", 16))
    kernels = {point.entry.kernel for point in plan.points}
    assert {row.sample.point.entry.kernel for row in result.rows} <= kernels


def test_there_is_no_file_without_a_table() -> None:
    assert set(TABLES.iterdir()) == {recorded_path(experiment) for experiment in experiments()}


def test_a_table_without_a_file_or_with_a_damaged_one_has_no_result(tmp_path: Path) -> None:
    experiment = replace(experiments()[0], id="mine")
    assert recorded_result(experiment, tmp_path) is None
    damaged = replace(experiment, id="damaged")
    recorded_path(damaged, tmp_path).write_bytes(b"not gzip")
    assert recorded_result(damaged, tmp_path) is None


def test_words_name_device_scale_and_extent() -> None:
    assert RecordedResult(RunHeader(purpose="mine quick"), "a GPU", ()).words == "a GPU, recorded, quick, 0 points"
