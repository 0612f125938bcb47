"""Figures of the tabs: speed-ups and what may be claimed, percent of peak, roofline, occupancy."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.measure.results.chart import Chart
from gui.measure.results.limits import DeviceLimits, device_limits
from gui.measure.results.lookup import Lookup
from gui.measure.results.occupancy import OccupancyFigures, find_occupancy
from gui.measure.results.rate import PeakFigures, RateFigures, TimeFigures
from gui.measure.results.record import details
from gui.measure.results.roofline import RooflineFigures
from gui.measure.results.series import THIS, Origin, Series, SeriesSet
from gui.measure.results.speed_up import SpeedUpFigures
from gui.measure.results.table import COLUMNS, cells
from kernels.bench.intervals import ratio_interval
from kernels.bench.measure.compiled_code import NO_FLOAT32_ROOF, percent_of_peak
from kernels.bench.measure.conditions import Conditions
from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.store.database import Row
from kernels.bench.traffic import Traffic
from kernels.device import find_device
from kernels.errors import TilescopeError
from kernels.launch import Dim3
from kernels.workload import Size
from tests.bench.invented_run import ENVIRONMENT
from tests.gui.widgets.event_counter import Counter

OWN = tuple(1.0 + 0.001 * place for place in range(31))


SLOW = tuple(3.0 * time for time in OWN)


NAIVE = Entry("matmul_naive", Dim3(16, 16))


PEAK = find_device("h200").peak_fp32_gflops


def taken(entry: Entry, n: int, times_ms: tuple[float, ...] = OWN, **fields: Any) -> Sample:
    given = {"outcome": "measured", "flops": 2 * n**3, "times_ms": times_ms, **fields}
    return Sample(Point(entry, Size(n, n, n)), **given)


def series(*samples: Sample, origin: Origin = THIS) -> tuple[Series, ...]:
    found = SeriesSet()
    found.add([Row(1, sample, ENVIRONMENT) for sample in samples], origin)
    return found.series()


def values(chart: Chart, kernel: str = "matmul_naive") -> list[float]:
    (curve,) = [curve for curve in chart.curves if curve.series.entry.kernel == kernel]
    return list(curve.y.middle.tolist())


class Known:
    """Results that are there at once."""

    version = 0

    def __init__(self, compute: Callable[[Any], object]) -> None:
        self._compute = compute

    def since(self, version: int) -> Sequence[Any]:
        return ()

    def get(self, key: Hashable) -> Any:
        try:
            return self._compute(key)
        except TilescopeError as error:
            return error


# Units


def test_rates_of_two_units_are_not_in_one_chart() -> None:
    size = Size(1_000_000, 32, 64)
    objects = Sample(Point(Entry("kmeans_assign", Dim3(128)), size), "measured", flops=1, times_ms=(0.5,) * 9)
    (alone,) = (chart := RateFigures().chart(series(objects))).curves
    assert (chart.x, chart.y, chart.roofs, chart.notes) == ("objects", "million objects/s", (), ())
    assert (alone.x.tolist(), alone.y.middle.tolist()) == ([1e6], [2000.0])
    assert TimeFigures().chart(series(objects)).x == "objects"
    both = RateFigures().chart(series(taken(NAIVE, 64), objects))
    assert (both.x, both.y, [curve.series.entry for curve in both.curves]) == ("n", "GFLOPS", [NAIVE])
    assert both.notes[0].startswith("Curves in million objects/s are on the Time tab only, such as kmeans_assign")
    assert TimeFigures().chart(series(taken(NAIVE, 64), objects)).x == "n"


def test_a_rate_in_bytes_is_compared_with_the_memory_bandwidth() -> None:
    n, device = 2**28, find_device("h200")
    sums = [
        Sample(Point(Entry(name, Dim3(block)), Size(n, n, n)), "measured", flops=n, times_ms=(0.5,) * 9)
        for name, block in (("reduce_grid_stride", 256), ("reduce_grid_stride", 512))
    ]
    found = series(*sums)
    gb_s = 4 * n / 0.5e6
    rate = RateFigures().chart(found)
    assert (rate.x, rate.y, rate.notes) == ("n", "GB/s", ())
    assert [roof.y for roof in rate.roofs] == [(device.copy_gb_s,)]
    share = PeakFigures().chart(found)
    assert (share.x, share.y) == ("n", "% of the memory's bandwidth")
    for chart, expected in ((rate, gb_s), (share, 100 * gb_s / device.copy_gb_s)):
        assert [curve.y.middle.tolist() for curve in chart.curves] == [[pytest.approx(expected)]] * 2
    blocks = OccupancyFigures(Known(find_occupancy)).chart(found)
    assert blocks.y == "GB/s"
    assert blocks.curves[0].y.middle.tolist() == [pytest.approx(gb_s)] * 2
    record = "\n".join(details(Row(1, sums[0], ENVIRONMENT)))
    assert f"GB/s, {100 * gb_s / device.copy_gb_s:.1f} % of the memory's 4,227 GB/s" in record
    both = PeakFigures().chart(series(taken(NAIVE, 64), *sums))
    assert [curve.series.entry for curve in both.curves] == [NAIVE]
    assert "Compared with the memory's bandwidth, and not drawn: reduce_grid_stride" in " ".join(both.notes)
    both = OccupancyFigures(Known(find_occupancy)).chart(series(taken(NAIVE, n), *sums))
    assert both.notes[0].startswith("Curves in GB/s are not in this chart, such as")


# Speed-up


@pytest.mark.parametrize("against", ["sequential", "parallel", "library"])
def test_a_speed_up_is_that_of_the_intervals_module(against: Any) -> None:
    baselines = {"sequential": "cpu_sequential", "parallel": "cpu_blas", "library": "cublas_sgemm"}
    found = series(taken(NAIVE, 64), taken(Entry(baselines[against]), 64, SLOW))
    figures = SpeedUpFigures()
    chart = figures.chart(found)
    assert figures.chosen(found) == against
    (curve,) = chart.curves
    ratio = ratio_interval(OWN, SLOW)
    assert ratio is not None
    assert (curve.y.middle[0], curve.y.low[0], curve.y.high[0]) == (ratio.middle, ratio.low, ratio.high)
    assert "faster than" in figures.describe(curve, 0)[0]


def test_speed_ups_compare_times_in_turns_of_the_same_run() -> None:
    found = series(
        taken(NAIVE, 64, baseline="cublas_sgemm", baseline_ms=SLOW), taken(Entry("cublas_sgemm"), 64, (99.0,) * 31)
    )
    assert values(SpeedUpFigures().chart(found)) == [3.0]
    # A baseline in turns counts as what it is.
    sequential = Entry("cpu_sequential")
    found = series(taken(sequential, 64, SLOW, baseline="cpu_blas", baseline_ms=OWN), taken(NAIVE, 64))
    figures = SpeedUpFigures()
    chart = figures.chart(found)
    assert figures.chosen(found) == "parallel"
    assert values(chart, "cpu_sequential") == [pytest.approx(1 / 3)]
    assert "slower than the best parallel CPU baseline" in figures.describe(chart.curves[0], 0)[0]
    assert "in turns" in figures.describe(chart.curves[0], 0)[0]
    # The best parallel baseline is the fastest at that size.
    blas, rows = Entry("cpu_blas", threads=2), Entry("cpu_parallel", threads=2)
    found = series(
        *(taken(NAIVE, n) for n in (64, 128)), taken(blas, 64, SLOW), taken(rows, 64, OWN), taken(blas, 128, SLOW)
    )
    assert values(SpeedUpFigures().chart(found)) == [1.0, 3.0]
    # A baseline of another run is not compared with.
    both = SeriesSet()
    both.add([Row(1, taken(NAIVE, 64), ENVIRONMENT)])
    both.add([Row(2, taken(Entry("cublas_sgemm"), 64), ENVIRONMENT)], Origin("shipped", "another"))
    (curve,) = SpeedUpFigures().chart(both.series()).curves
    assert isnan(curve.y.middle[0])
    # An interval that contains 1 is no change.
    found = series(taken(NAIVE, 64), taken(Entry("cublas_sgemm"), 64, tuple(time * 1.001 for time in OWN)))
    figures = SpeedUpFigures()
    (curve,) = figures.chart(found).curves
    assert curve.y.low[0] < 1 < curve.y.high[0]
    assert "no change from the library" in figures.describe(curve, 0)[0]


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        (taken(NAIVE, 64, OWN[:4]), "too few times"),
        (taken(NAIVE, 64, conditions=Conditions(machine_cores=2.0, other_cores=1.9)), "disturbed"),
        (taken(NAIVE, 128), "no time of the library"),
        (taken(replace(NAIVE, memory="pinned"), 64), "no time of the library"),
        (taken(Entry("mmt_naive", Dim3(16, 16)), 64), "no time of the library"),
    ],
)
def test_without_grounds_nothing_is_claimed_and_the_tab_says_so(sample: Sample, why: str) -> None:
    chart = SpeedUpFigures().chart(series(sample, taken(Entry("cublas_sgemm"), 64, SLOW)))
    assert all(np.isnan(curve.y.middle).all() for curve in chart.curves)
    assert why in " ".join(chart.notes)


def test_roofs_are_at_the_clock_that_was_measured() -> None:
    half = Conditions(sm_clock_mhz=990.0, peak_gflops=PEAK / 2)
    sample = taken(NAIVE, 1024, conditions=half)
    found = series(sample, taken(Entry("cpu_blas"), 1024), taken(NAIVE, 64))
    chart = PeakFigures().chart(found)
    assert values(chart)[1] == pytest.approx(sample.percent_of_peak)
    assert isnan(values(chart)[0])
    assert "1 point measured without reading the clock" in chart.notes[0]
    (limit,) = device_limits(found)
    assert limit.clock_mhz == pytest.approx(990.0)
    assert limit.measured
    assert limit.peak_gflops == pytest.approx(PEAK / 2)
    # Without a measured clock the roof says that it is at the boost clock.
    chart = RateFigures().chart(series(taken(NAIVE, 1024)))
    assert "boost clock" in chart.roofs[0].label
    assert chart.roofs[0].y[0] == pytest.approx(PEAK)
    # A cpu has no roofs of a GPU.
    assert RateFigures().chart(series(taken(Entry("cpu_blas"), 64))).roofs == ()


# Roofline


def test_the_roofline_has_the_counted_or_the_ideal_intensity() -> None:
    figures = RooflineFigures(Known(lambda key: Traffic(key.size, 2 * key.size.n**3, key.size.n**3)))
    found = series(taken(NAIVE, 2048), taken(Entry("cublas_sgemm"), 2048), taken(Entry("cpu_blas"), 64))
    calls: list[Any] = []
    (key,) = RooflineFigures(Known(calls.append)).unknown(found)
    assert (key.kernel, key.block, key.size.n) == ("matmul_naive", Dim3(16, 16), 512)
    (curve,) = figures.chart(found).curves
    assert curve.x.tolist() == [2.0]
    assert "counted at n = 512" in figures.describe(curve, 0)[0]
    figures.bytes = "ideal"
    ideal = figures.chart(found)
    assert [curve.x.tolist() for curve in ideal.curves] == [[pytest.approx(2048 / 6)]] * 2
    assert "CPU baselines are not drawn" in " ".join(ideal.notes)


def test_after_its_steps_a_chart_computes_nothing_and_a_result_changes_only_its_curve(qtbot: QtBot) -> None:
    traffic = Lookup(lambda key: Traffic(key.size, 2 * key.size.n, 1))
    figures = RooflineFigures(traffic)
    other = Entry("matmul_naive", Dim3(8, 8))
    found = series(taken(NAIVE, 64), taken(other, 64))
    first, second = figures.unknown(found)
    for key, changed in ((first, 2), (second, 1)):
        with qtbot.waitSignal(traffic.changed):
            traffic.request([key])
        with Counter(RooflineFigures, "_intensity") as computed:
            list(figures.steps(found))
            assert computed.calls == changed
            chart = figures.chart(found)
        assert computed.calls == changed
        assert len(chart.curves) == traffic.version
    assert figures.unknown(found) == []
    traffic.close()


def test_the_roofline_has_its_ridge_and_bandwidth() -> None:
    figures = RooflineFigures(Known(lambda key: Traffic(key.size, 1, 1)))
    memory, peak = figures.chart(series(taken(NAIVE, 64))).roofs
    assert (memory.x[1], memory.y[1]) == (peak.x[0], peak.y[0])
    bandwidth = find_device("h200").copy_gb_s or 4800
    assert memory.x[1] == pytest.approx(PEAK / bandwidth)
    # The bandwidth of a measured copy comes before that of the datasheet.
    device = replace(find_device("h200"), copy_gb_s=0.0)
    assert DeviceLimits(device, "float32", PEAK, 1980, True).memory_label == "H200 memory: 4,800 GB/s (datasheet)"
    measured = DeviceLimits(replace(device, copy_gb_s=4200), "float32", PEAK, 1980, True)
    assert measured.memory_label == "H200 memory: 4,200 GB/s (measured copy)"
    assert measured.ridge == PEAK / 4200

    # A launch that cannot be counted is named with the reason.
    def refuse(_key: object) -> Traffic:
        raise TilescopeError("the tile is square")

    chart = RooflineFigures(Known(refuse)).chart(series(taken(NAIVE, 64)))
    assert chart.curves == ()
    assert "the tile is square" in " ".join(chart.notes)


# Occupancy


def test_blocks_of_a_kernel_are_one_curve_by_rising_occupancy() -> None:
    blocks = [Dim3(16, 16), Dim3(8, 4), Dim3(32, 32)]
    found = series(*(taken(Entry("matmul_naive", block), n) for block in blocks for n in (64, 128)), taken(NAIVE, 256))
    figures = OccupancyFigures(Known(find_occupancy))
    assert figures.chosen(found) == Size(128, 128, 128)
    (curve,) = figures.chart(found).curves
    assert curve.x.tolist() == sorted(curve.x.tolist())
    assert {row.sample.point.size.n for row in curve.series.rows} == {128}
    assert "block 8×4: 50 % occupancy" in figures.describe(curve, 0)[0]
    figures.size = Size(256, 256, 256)
    (curve,) = figures.chart(found).curves
    assert len(curve.x) == 1


def test_the_record_of_a_point() -> None:
    lines = details(Row(1, taken(NAIVE, 64, OWN, outcome="wrong", error="C[0][1] is 3"), ENVIRONMENT))
    assert lines[0] == "✗ wrong result: C[0][1] is 3"
    assert not any("GFLOPS" in line or "median" in line for line in lines)
    # The record names marks clocks and versions.
    conditions = Conditions(sm_clock_mhz=1755.0, power_w=690.0, throttle_reasons=("SW power cap",), peak_gflops=PEAK)
    text = "\n".join(details(Row(1, taken(NAIVE, 64, conditions=conditions), ENVIRONMENT)))
    for words in ("95 % interval", "minimum 1.000 ms", "SM clock 1,755 MHz", "SW power cap", "NVIDIA H200", "NVRTC"):
        assert words in text


# Tensor cores, and code that the simulator does not run

TENSOR = Entry("matmul_3xtf32", Dim3(384))


def test_a_kernel_on_tensor_cores_is_not_compared_with_the_float32_peak() -> None:
    full = Conditions(sm_clock_mhz=1980.0, peak_gflops=PEAK)
    found = series(taken(TENSOR, 1024, conditions=full), taken(NAIVE, 1024, conditions=full))
    roofline = RooflineFigures(Known(lambda key: Traffic(key.size, 2, 1)))
    for chart in (PeakFigures().chart(found), roofline.chart(found)):
        assert [curve.series.entry for curve in chart.curves] == [NAIVE]
        assert any("matmul_3xtf32" in note and NO_FLOAT32_ROOF in note for note in chart.notes)
    assert [key.kernel for key in RooflineFigures(Known(lambda _: None)).unknown(found)] == ["matmul_naive"]
    assert RateFigures().chart(found).roofs
    alone = RateFigures().chart(found[:1])
    assert len(alone.curves) == 1
    assert not [roof for roof in alone.roofs if "peak" in roof.label]
    assert NO_FLOAT32_ROOF in alone.notes[0]


BF16 = """
#include <cuda_bf16.h>
extern "C" __global__ void own(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    C[blockIdx.x] = __bfloat162float(A[0]);
}
/* tilescope
title    = "own"
teaches  = "own"
workload = "matmul_bf16"
block    = [32]
blocks   = [[32]]
grid     = ["M"]
*/
"""


def test_factors_of_16_bits_have_a_unit_and_a_peak_of_their_type(tmp_path: Path) -> None:
    (tmp_path / "own.cu").write_text(BF16, encoding="utf-8")
    own = Entry(str(tmp_path / "own.cu"), Dim3(32))
    conditions = Conditions(sm_clock_mhz=990.0, peak_gflops=PEAK / 2)
    sample = taken(own, 1024, conditions=conditions)
    found = series(sample, taken(NAIVE, 1024, conditions=conditions))
    device = find_device("h200")
    peak = device.sm_count * 4096 * 990 / 1e3
    for chosen, factors in ((found, "bfloat16"), (found[::-1], "float32")):
        other = chosen[1].name
        rate, percent = RateFigures().chart(chosen), PeakFigures().chart(chosen)
        roofline = RooflineFigures(Known(lambda key: Traffic(key.size, 2, 1))).chart(chosen)
        shown = "GFLOPS (bfloat16)" if factors == "bfloat16" else "GFLOPS"
        assert (rate.y, percent.y, roofline.y) == (shown, f"% of the {factors} peak", shown)
        for chart in (rate, percent, roofline):
            assert [curve.series for curve in chart.curves] == [chosen[0]]
            assert any(other in note for note in chart.notes)
            assert not any(factors not in roof.label for roof in chart.roofs if "peak" in roof.label)
    share = 100 * (sample.gflops or 0.0) / peak
    assert values(PeakFigures().chart(found), own.kernel)[0] == pytest.approx(share)
    assert percent_of_peak(sample, ENVIRONMENT) == pytest.approx(share)
    assert RateFigures().chart(found).roofs[0].y[0] == pytest.approx(peak)
    assert "% of the bfloat16 peak at the measured clock" in "\n".join(details(Row(1, sample, ENVIRONMENT)))


def test_a_peak_that_is_not_known_is_no_other_one(tmp_path: Path) -> None:
    (tmp_path / "own.cu").write_text(BF16, encoding="utf-8")
    sample = taken(
        Entry(str(tmp_path / "own.cu"), Dim3(32)), 1024, conditions=Conditions(sm_clock_mhz=990.0, peak_gflops=PEAK)
    )
    elsewhere = replace(ENVIRONMENT, gpu="Tesla V100-SXM2-16GB")
    assert percent_of_peak(sample, elsewhere) is None
    lines = "\n".join(details(Row(1, sample, elsewhere)))
    assert "the bfloat16 peak of its GPU is not known" in lines


def test_the_table_and_the_record_leave_out_the_percent_of_peak_on_tensor_cores() -> None:
    full = Conditions(sm_clock_mhz=1980.0, peak_gflops=PEAK)
    rows = [Row(1, taken(entry, 1024, conditions=full), ENVIRONMENT) for entry in (TENSOR, NAIVE)]
    tensor, naive = (cells(row, {})[COLUMNS.index("of peak")] for row in rows)
    assert (tensor, naive.endswith(" %")) == ("", True)
    record = "\n".join(details(rows[0]))
    assert NO_FLOAT32_ROOF in record
    assert "% of the float32 peak" not in record
    assert "sm_90a compiles other lines than sm_80 (" in record
    assert "sm_90a" not in "\n".join(details(rows[1]))
