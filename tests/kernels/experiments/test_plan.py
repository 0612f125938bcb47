"""Files of experiments, their plans at each scale, and the recorded results that ship."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.bench.store.database import RunSummary
from kernels.bench.store.run_header import RunHeader
from kernels.catalog import find_kernel
from kernels.device import device_of_driver, find_device
from kernels.errors import InputError
from kernels.experiments import Experiment, Machine, compare, estimate_s, experiment_plan, experiments, find_experiment
from kernels.experiments.load import read_experiment
from kernels.experiments.plan import is_run_of, purpose
from kernels.experiments.recorded import TABLES, RecordedResult, recorded_path, recorded_result
from kernels.fill import Fills
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.experiments.conftest import WIDTHS

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.experiments import Experiment
    from kernels.experiments.model import Part, Where
    from tests.kernels.experiments.conftest import Make

CASES = Cases(__file__)

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


def test_a_file_reads_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(CASES.text("good.toml"), encoding="utf-8")
    found = read_experiment(file)
    assert (found.id, found.title, found.fill, found.timed) == ("my", "T", "random(1)", True)
    assert [str(size) for size in found.parts[0].sizes["quick"]] == ["512", "3×4×5"]
    assert found.parts[0].sizes["cpu"] == ()
    assert (found.curves[0].x, found.curves[0].y) == ((512,), (1.5,))
    assert (found.claims[0].figure, found.claims[0].published) == ("gflops", 2)


@pytest.mark.parametrize(("old", "new", "words"), CASES("errors_are_one_line_with_file"))
def test_errors_are_one_line_with_file_and_field(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in CASES.text("good.toml")
    file = tmp_path / "my.toml"
    file.write_text(CASES.text("good.toml").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_experiment(file)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_an_unknown_experiment_is_answered_with_the_list() -> None:
    with pytest.raises(InputError, match=r"no experiment 'ladders': choose one of .*serial_to_gpu"):
        find_experiment("ladders")


@pytest.mark.parametrize("name", sorted(file.stem for file in (RESOURCES / "experiments").glob("*.toml")))
class TestShippedFiles:
    def test_its_kernels_are_in_the_catalogue(self, name: str) -> None:
        experiment = find_experiment(name)
        selected = [where for claim in experiment.claims for where in claim.series]
        selected += [curve.where for curve in experiment.curves]
        used = {name for part in experiment.parts for name in part.kernels}
        for kernel in used | set(experiment.names) | {name for where in selected for name in _kernels(where)}:
            find_kernel(kernel)

    def test_what_it_selects_is_measured_at_some_scale(self, name: str) -> None:
        """A typing error in a selection would otherwise read 'not measured' for ever."""
        experiment = find_experiment(name)
        for where in (w for claim in experiment.claims for w in claim.series):
            for kernel in _kernels(where) or experiment.parts[0].kernels:
                assert any(_measures(part, {**where, "kernel": kernel}) for part in experiment.parts), where

    def test_its_inputs_can_be_filled(self, name: str) -> None:
        assert str(Fills.parse(find_experiment(name).fill)) == find_experiment(name).fill


def _kernels(where: Where) -> tuple[str, ...]:
    named = where.get("kernel", ())
    return tuple(map(str, named)) if isinstance(named, tuple) else (str(named),)


def _measures(part: Part, where: Where) -> bool:
    sizes = [size for sizes in part.sizes.values() for size in sizes]
    return (
        where["kernel"] in part.kernels
        and where.get("width") in (None, *part.widths)
        and where.get("threads") in (None, *part.threads)
        and where.get("memory", "device") in part.memory
        and where.get("n") in (None, "largest", *(size.n for size in sizes))
        and where.get("size") in (None, *(str(size) for size in sizes))
    )


def test_experiments_come_in_teaching_order() -> None:
    orders = [experiment.order for experiment in experiments()]
    assert orders == sorted(orders)


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
