"""Plans of experiments at each scale, with and without a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench.store.database import RunSummary
from kernels.device import find_device
from kernels.errors import InputError
from kernels.experiments import Machine, estimate_s, experiment_plan, experiments
from kernels.experiments.plan import is_run_of, purpose
from kernels.workload import Size
from tests.kernels.experiments.conftest import WIDTHS

if TYPE_CHECKING:
    from kernels.experiments import Experiment
    from tests.kernels.experiments.conftest import Make

BARE = Machine(None, "no driver is installed", 2)
H200 = Machine(find_device("h200"), "", 16)


def labels(experiment: Experiment, scale: str, machine: Machine, **more: object) -> list[str]:
    plan, _ = experiment_plan(experiment, scale, machine, **more)  # type: ignore[arg-type]
    return [str(point) for point in plan.points]


def test_every_kernel_at_every_width_size_by_size(make: Make) -> None:
    found = labels(make(), "quick", H200)
    assert len(found) == 2 * 3 * 2 + 2
    assert found[0] == "matmul_naive 8×8, size 64"
    assert found[-1] == "matmul_tiled 32×32, size 128"
    assert "cpu_parallel 2 threads, size 64" in found


def test_without_a_gpu_the_cpu_parts_remain_and_a_line_says_what_the_rest_needs(make: Make) -> None:
    plan, left_out = experiment_plan(make(), "cpu", BARE)
    assert {point.entry.kernel for point in plan.points} == {"cpu_parallel"}
    assert left_out == ("matmul_naive, matmul_tiled: an NVIDIA GPU is needed: no driver is installed",)


def test_untimed_runs_are_simulated_without_a_gpu(make: Make) -> None:
    untimed = replace(make(), timed=False)
    bare, left_out = experiment_plan(untimed, "cpu", BARE)
    assert (bare.task, left_out) == ("simulate", ())
    assert len(bare.points) == 6 + 4
    assert experiment_plan(untimed, "quick", H200)[0].task == "check"
    assert experiment_plan(make(), "quick", H200)[0].task == "time"


def test_sizes_of_ones_own_stand_in_for_the_experiments(make: Make) -> None:
    found = labels(make(), "quick", H200, sizes=[Size(96, 96, 96)])
    assert len(found) == 8
    assert all(label.endswith("size 96") for label in found)


@pytest.mark.parametrize(("to", "sizes"), [(100, "64 100"), (128, "64 128"), (600, "64 128 256 512 600")])
def test_a_limit_cuts_the_sizes_or_goes_on(make: Make, to: int, sizes: str) -> None:
    plan, _ = experiment_plan(make(), "full", H200, to=to)
    assert list(dict.fromkeys(str(point.size) for point in plan.points)) == sizes.split()


@pytest.mark.parametrize(("to", "sizes"), [(32, "32"), (100, "64"), (600, "64 128 256")])
def test_a_part_that_does_not_extend_is_only_cut(make: Make, to: int, sizes: str) -> None:
    text = WIDTHS.replace("full = [64, 128, 256] }", "full = [64, 128, 256] }\nextends = false")
    plan, _ = experiment_plan(make(text), "full", H200, to=to)
    assert list(dict.fromkeys(str(point.size) for point in plan.points)) == sizes.split()


def test_illegal_launches_are_left_out_with_a_reason(make: Make) -> None:
    exact = make(WIDTHS.replace('"matmul_naive", "matmul_tiled"', '"matmul_tiled_exact"'))
    plan, left_out = experiment_plan(exact, "quick", H200, [Size(24, 24, 24)])
    assert [p.entry.block.x for p in plan.points if p.entry.block] == [8]
    assert len(left_out) == 2
    assert all("24" in line and "matmul_tiled_exact" in line for line in left_out)


def test_an_unknown_kernel_is_refused(make: Make) -> None:
    with pytest.raises(InputError, match="no kernel 'matmul_nave'"):
        experiment_plan(make(WIDTHS.replace('["matmul_naive"', '["matmul_nave"')), "quick", H200)


def test_a_run_is_known_by_its_purpose(make: Make) -> None:
    experiment = make()
    run = RunSummary(1, "", 3, 3, purpose(experiment, "quick"))
    assert is_run_of(run, experiment)
    assert not is_run_of(run, replace(experiment, id="smaller"))


@pytest.mark.parametrize("experiment", experiments(), ids=lambda e: e.id)
class TestShipped:
    def test_the_estimate_keeps_the_promise_of_its_scale(self, experiment: Experiment) -> None:
        for scale, machine, seconds in (("quick", H200, 60), ("cpu", BARE, 120)):
            plan, _ = experiment_plan(experiment, scale, machine)  # type: ignore[arg-type]
            assert estimate_s(plan, machine) < seconds

    def test_every_scale_has_points_on_a_gpu(self, experiment: Experiment) -> None:
        quick, full = (experiment_plan(experiment, scale, H200)[0] for scale in ("quick", "full"))
        assert set(quick.points) and len(full.points) >= len(quick.points)  # noqa: PT018

    def test_without_a_gpu_something_runs_or_every_part_says_what_it_needs(self, experiment: Experiment) -> None:
        plan, left_out = experiment_plan(experiment, "cpu", BARE)
        assert plan.points or left_out
        assert all("GPU" in line for line in left_out)
