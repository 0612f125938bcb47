"""One plan on the GPUs of this machine."""

from __future__ import annotations

import pytest

from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import LOCAL, Host, slots_of
from kernels.bench.hosts.shards import groups
from kernels.bench.plan import Plan, libraries, points
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured
from kernels.bench.sample import Entry, Sample
from kernels.launch import Dim3
from kernels.workload import Size

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
