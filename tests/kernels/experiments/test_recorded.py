"""Results of experiments in the recorded runs: points that they plan, with their inputs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernels.bench.recorded import recorded_runs
from kernels.experiments import compare, experiments, find_experiment
from kernels.experiments.recorded import RecordedResult, recorded_results, result_in


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[RecordedResult, ...]]:
    return recorded_results(experiments())


def test_every_recorded_point_is_planned_verified_and_drawn(results: dict[str, tuple[RecordedResult, ...]]) -> None:
    assert results
    for id, found in results.items():
        for result in found:
            assert len(result.rows) <= result.planned
            assert all(row.sample.verified for row in result.rows)
            comparison = compare(find_experiment(id), result.rows)
            assert any(series.ours for series in comparison.series)
            assert comparison.device == result.device
            assert result.words.startswith(f"{result.device}, recorded, {len(result.rows)}")


def test_other_inputs_or_another_rounding_are_another_experiment(
    results: dict[str, tuple[RecordedResult, ...]],
) -> None:
    run = recorded_runs()[0]
    rows = list(run.rows())
    experiment = find_experiment(next(iter(results)))
    assert result_in(experiment, run, rows).rows
    for other in (replace(experiment, fill="zeros"), replace(experiment, fmad=False), replace(experiment, timed=False)):
        assert not result_in(other, run, rows).rows


def test_words_name_the_part_that_was_measured() -> None:
    assert RecordedResult("a GPU", (), 3).words == "a GPU, recorded, 0 of 3 points"
