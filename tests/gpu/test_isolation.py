"""Workers on GPUs: a kernel that breaks the context takes its worker down and nothing else; one plan on all GPUs."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import LOCAL, Host, slots_of
from kernels.bench.hosts.shards import groups
from kernels.bench.hosts.supervise import supervise
from kernels.bench.plan import Plan, libraries, points
from kernels.bench.protocol import DEVICE_LOST, EnvironmentMessage, Failed, Measured, plan_text, worker_command
from kernels.bench.sample import Entry, Sample
from kernels.child_process import input_text
from kernels.launch import Dim3
from kernels.workload import Size
from tests.cases import Cases
from tests.gpu.faulty_kernels import broken_entry
from tests.worker_lifetimes import SUPERVISE, worker_ends_with

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

GOOD = Entry("matmul_naive", Dim3(16, 16))
SIZE = Size(64, 64, 64)


def _samples(plan: Plan) -> list[Sample]:
    return [m.sample for m in supervise(plan) if isinstance(m, Measured | Failed)]


@pytest.mark.parametrize(("name", "outcome", "words"), CASES("the_next_kernel_runs_as_if"))
def test_the_next_kernel_runs_as_if_nothing_had_been(tmp_path: Path, name: str, outcome: str, words: str) -> None:
    plan = Plan(points([GOOD, broken_entry(tmp_path, name), Entry("cublas_sgemm")], [SIZE]), 0.1, 3, 8.0)
    first, bad, library = _samples(plan)
    assert first.verified, first.error
    assert (bad.outcome, bad.gflops) == (outcome, None)
    assert words in bad.error
    assert library.verified, library.error


def test_a_worker_with_a_broken_context_says_so_and_leaves(tmp_path: Path) -> None:
    plan = Plan(points([broken_entry(tmp_path, "out_of_bounds"), GOOD], [SIZE]), 0.1, 3)
    with subprocess.Popen(worker_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(input_text(plan_text(plan)))
        worker.stdin.flush()
        assert '"event": "failed"' in worker.stdout.readlines()[-1]
        # Its input stays open until it has left: a closed one says that the parent has ended.
        assert worker.wait() == DEVICE_LOST


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_worker_whose_kernel_never_ends_ends_with_its_parent(tmp_path: Path, how: str) -> None:
    plan = Plan(points([broken_entry(tmp_path, "never_ends")], [SIZE]), time_limit_s=1e6)
    assert worker_ends_with(SUPERVISE, plan, signal.Signals[how], tmp_path)


def test_a_launch_that_the_device_refuses_leaves_the_worker_alone() -> None:
    plan = Plan(points([Entry("matmul_naive", Dim3(64, 64)), GOOD], [SIZE]), 0.1, 3)
    refused, good = _samples(plan)
    assert refused.outcome == "refused"
    assert "4,096 threads, the device allows 1,024" in refused.error
    assert good.verified


ENTRIES = (Entry("matmul_naive", Dim3(16, 16)), Entry("matmul_tiled", Dim3(16, 16)), Entry("cublas_sgemm"))
PLAN = Plan(points(ENTRIES, [Size(n, n, n) for n in (128, 256, 384, 512)]), budget_s=0.05, baselines=libraries(ENTRIES))


def _count() -> int:
    from cupy.cuda import runtime

    return int(runtime.getDeviceCount())


def _measure(*gpus: str) -> tuple[list[Sample], dict[str, str]]:
    """Return the samples, and the GPU of each environment."""
    told = list(fan_out(PLAN, slots_of([Host(LOCAL, gpus=gpus)])))
    samples = [m.sample for m in told if isinstance(m, Measured | Failed) and not m.sample.repeat]
    return samples, {m.environment.id: m.environment.gpu_uuid for m in told if isinstance(m, EnvironmentMessage)}


def test_one_gpu_is_chosen_by_its_number_and_by_its_uuid() -> None:
    samples, gpus = _measure("0")
    assert [sample.outcome for sample in samples] == ["measured"] * len(PLAN.points)
    (uuid,) = gpus.values()
    assert uuid.startswith("GPU-")
    _, same = _measure(uuid)
    assert list(same.values()) == [uuid]


def test_two_gpus_share_a_plan_and_keep_together_what_is_compared() -> None:
    if _count() < 2:
        pytest.skip("needs two GPUs")
    samples, gpus = _measure("0", "1")
    assert len(set(gpus.values())) == 2
    assert {sample.point for sample in samples} == set(PLAN.points)
    assert len(samples) == len(PLAN.points)
    assert all(sample.verified for sample in samples)
    measured_on = {sample.point: gpus[sample.environment] for sample in samples}
    assert set(measured_on.values()) == set(gpus.values())
    for group in groups(PLAN.points):
        assert len({measured_on[point] for point in group}) == 1


def test_one_gpu_that_is_named_twice_is_used_once_at_a_time() -> None:
    """The UUID and the number are two slots; their samples are of one environment."""
    _, gpus = _measure("0")
    (uuid,) = gpus.values()
    samples, same = _measure("0", uuid)
    assert set(same.values()) == {uuid}
    assert {sample.point for sample in samples} == set(PLAN.points)
