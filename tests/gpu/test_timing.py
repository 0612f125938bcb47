"""The measuring method on a GPU: properties of times, graphs, cold caches, clocks, and comparisons."""

from __future__ import annotations

import statistics

import pytest

from kernels.bench.intervals import verdict
from kernels.bench.measure.point import measure
from kernels.bench.measure.stopping import MIN_SAMPLES
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point, Sample
from kernels.device import device_of_driver
from kernels.errors import InputError
from kernels.gpu.bandwidth import copy_bandwidth
from kernels.gpu.device import present_device
from kernels.gpu.telemetry import present_reader
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


def test_a_copy_reaches_most_of_the_bandwidth_of_the_datasheet() -> None:
    listed = device_of_driver(present_device().name)
    stated = listed.memory_gb_s if listed else present_device().memory_gb_s
    assert 0.6 * stated < copy_bandwidth() <= stated


TILED = Entry("matmul_tiled", Dim3(16, 16))
NAIVE = Entry("matmul_naive", Dim3(16, 16))
SGEMM = Entry("cublas_sgemm")


def _measure(entry: Entry, n: int, **conditions: object) -> Sample:
    plan = Plan((), **conditions)  # type: ignore[arg-type]
    sample = measure(Point(entry, Size(n, n, n)), plan, "")
    assert sample.verified, sample.error
    return sample


@pytest.mark.parametrize(("n", "captured"), [(64, True), (128, True), (4096, False)])
def test_short_launches_are_captured_in_a_graph(n: int, captured: bool) -> None:
    assert _measure(TILED, n).captured is captured


def test_a_library_routine_and_what_is_compared_with_it_are_not_captured() -> None:
    assert not _measure(SGEMM, 64).captured
    compared = _measure(TILED, 64, baselines=(SGEMM,))
    assert not compared.captured
    assert len(compared.baseline_ms) >= 30


@pytest.mark.parametrize("n", [64, 256, 1024])
def test_a_graph_takes_no_longer_than_a_queue(n: int) -> None:
    queued, graph = _measure(TILED, n, baselines=(SGEMM,)), _measure(TILED, n)
    assert queued.median_ms
    assert graph.median_ms
    print(n, queued.median_ms, graph.median_ms)
    assert graph.median_ms < 1.03 * queued.median_ms


def test_a_cold_cache_is_a_series_of_its_own_and_slower() -> None:
    hot = _measure(NAIVE, 256)
    cold = _measure(Entry("matmul_naive", Dim3(16, 16), cold=True), 256)
    assert hot.median_ms
    assert cold.median_ms
    assert (cold.launches, cold.captured) == (1, False)
    assert cold.median_ms > hot.median_ms
    assert cold.point.entry != hot.point.entry


def test_with_transfers_there_is_no_cold_cache() -> None:
    point = Point(Entry("matmul_naive", Dim3(16, 16), memory="pinned", cold=True), Size(64, 64, 64))
    with pytest.raises(InputError, match="cold cache needs arrays in device memory"):
        measure(point, Plan(()), "")


def test_clocks_power_and_temperature_come_with_every_point() -> None:
    pytest.importorskip("pynvml")
    assert present_reader() is not None
    sample = _measure(SGEMM, 4096)
    seen = sample.conditions
    assert seen is not None
    print(seen)
    assert seen.sm_clock_mhz
    assert seen.memory_clock_mhz
    assert seen.power_w
    assert seen.temperature_c
    assert sample.percent_of_peak is not None
    assert 30 < sample.percent_of_peak < 105


def test_a_kernel_against_a_library_is_claimed_slower() -> None:
    sample = _measure(NAIVE, 2048, baselines=(SGEMM,))
    assert sample.baseline == "cublas_sgemm"
    assert sample.speed_up is not None
    assert verdict(sample.speed_up) == "slower"


@pytest.mark.parametrize("n", [256, 1024, 2048])
def test_a_kernel_measured_twice_agrees_within_half_a_percent(n: int) -> None:
    """A/A: the medians of two series of one kernel, in one process one after the other."""
    ratios = []
    for _ in range(3):
        first, second = (_measure(TILED, n).median_ms for _ in range(2))
        assert first
        assert second
        ratios.append(first / second)
    print(n, ratios)
    assert abs(statistics.median(ratios) - 1) < 0.005
