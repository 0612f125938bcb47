"""Timing: properties of measured times that hold however fast a machine is."""

from __future__ import annotations

import pytest

from kernels.bench.measure.point import measure
from kernels.bench.measure.stopping import MIN_SAMPLES
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.gpu.device import present_device
from kernels.launch import Dim3
from kernels.workload import Size


@pytest.mark.parametrize("entry", [Entry("matmul_tiled", Dim3(16, 16)), Entry("cublas_sgemm")], ids=lambda e: e.label)
def test_short_launches_are_repeated_and_long_ones_are_not(entry: Entry) -> None:
    plan = Plan((), budget_s=0.5)
    short, long = (measure(Point(entry, Size(n, n, n)), plan, "") for n in (64, 8192))
    assert short.verified, short.error
    assert long.verified, long.error
    assert short.launches > 1
    assert long.launches == 1
    assert long.checked != "every element"


def test_no_rate_exceeds_what_the_device_can_do() -> None:
    sample = measure(Point(Entry("cublas_sgemm"), Size(4096, 4096, 4096)), Plan((), budget_s=0.5), "")
    assert sample.gflops is not None
    assert 0 < sample.gflops < present_device().peak_fp32_gflops


@pytest.mark.parametrize(
    ("entry", "size"),
    [
        (Entry("cub_sum"), Size(2**20, 2**20, 2**20)),
        (Entry("reduce_grid_stride", Dim3(512, 1)), Size(2**20, 2**20, 2**20)),
        (Entry("cupy_softmax"), Size(8192, 16, 1)),
    ],
    ids=lambda value: value.label if isinstance(value, Entry) else str(value),
)
def test_launches_of_several_operations_do_not_fill_the_queue(entry: Entry, size: Size) -> None:
    """Else each sample waits for 100 ms, and the budget ends after the first few."""
    sample = measure(Point(entry, size), Plan((), budget_s=0.8), "")
    assert sample.verified, sample.error
    assert len(sample.times_ms) >= MIN_SAMPLES
