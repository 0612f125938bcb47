"""An invented run with plausible times, for pictures: of no real machine, which its name says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.environment import Environment
from kernels.bench.sample import PARTS, Sample

if TYPE_CHECKING:
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Entry, Outcome, Point

ENVIRONMENT: Final = Environment(
    machine="invented-data",
    cpu="Intel(R) Xeon(R) Platinum 8480C CPU @ 2.00GHz",
    cores="16",
    gpu="NVIDIA H200",
    gpu_clock_mhz="1980",
    cuda_driver="12.8",
    cuda_runtime="12.9",
    nvrtc="12.9",
    cupy="13.6.0",
    numpy="2.3.5",
    numba="0.62.1",
    python="3.12.11",
    tilescope="1.0",
)
_TIMES: Final = 31
_PEAK_GFLOPS: Final = 66_908.0
_BOOST_MHZ: Final = 1980.0
_RATES: Final = {
    "cpu_sequential": (1.4, 20.0),
    "cpu_parallel": (18.0, 120.0),
    "cpu_blas": (760.0, 400.0),
    "matmul_naive": (6_100.0, 600.0),
    "matmul_tiled": (9_300.0, 620.0),
    "mmt_symmetric": (4_200.0, 900.0),
    "matmul_registers_2d": (24_000.0, 1_100.0),
    "cublas_sgemm": (50_500.0, 1_250.0),
}
"""Largest rate, GFLOPS, and the n at which half of it is reached."""

_OUTCOMES: Final[dict[int, tuple[Outcome, str]]] = {
    31: ("refused", "block 32×32 needs 1,024 threads of 96 registers each, which an SM does not have"),
    38: ("wrong", "C[64][3] is 12.5, but should be 12.75: the result is wrong in 3 of 4,096 elements"),
    44: ("overtime", "it took longer than 60 s"),
    58: ("skipped", "the time limit of the plan was used up before"),
}


def invented_samples(plan: Plan, seed: int = 1, scale: float = 1.0) -> list[Sample]:
    """Return a sample for each point of a plan; `scale` multiplies the rates."""
    random = np.random.default_rng(seed)
    return [_sample(number, point, random, scale) for number, point in enumerate(plan.points)]


def _rate(entry: Entry, n: float) -> float:
    largest, half = _RATES.get(entry.kernel.partition(":")[0], (7_000.0, 700.0))
    if entry.block and entry.block.x == 32:
        largest *= 1.17 if entry.kernel == "matmul_naive" else 0.86
    if entry.block and entry.block.count == 64:
        largest *= 0.71
    if entry.memory != "device":
        largest, half = largest * 0.12, half * 2
    return largest / (1 + (half / n) ** 2)


def _sample(number: int, point: Point, random: np.random.Generator, scale: float) -> Sample:
    size, entry = point.size, point.entry
    work, n = 2 * size.m * size.n * size.k, float(np.cbrt(float(size.m) * size.n * size.k))
    if number in _OUTCOMES:
        outcome, why = _OUTCOMES[number]
        return Sample(point, outcome, error=why, environment=ENVIRONMENT.id)

    def times(rate: float) -> tuple[float, ...]:
        noise = 1 + np.abs(random.normal(0.0, 0.004, _TIMES)) + (random.random(_TIMES) > 0.95) * 0.02
        return tuple((work / rate / 1e6 * noise).tolist())

    rate = _rate(entry, n) * scale
    busy = n / (n + 900)
    clock = _BOOST_MHZ - 225 * busy
    on_gpu = not entry.kernel.startswith("cpu")
    conditions = Conditions(
        load_before=0.4, machine_cores=16.0, timed_threads=float(entry.threads or 1), other_cores=0.1
    )
    if on_gpu:
        conditions = replace(
            conditions,
            sm_clock_mhz=round(clock),
            memory_clock_mhz=3201.0,
            power_w=120 + 520 * busy,
            temperature_c=34 + 25 * busy,
            throttle_reasons=("SW power cap",) if number % 41 == 40 else (),
            peak_gflops=_PEAK_GFLOPS * clock / _BOOST_MHZ,
        )
    compared = on_gpu and entry.memory == "device" and not entry.kernel.startswith(("cublas", "mmt"))
    own = times(rate)
    return Sample(
        point,
        "measured",
        own,
        20,
        work,
        "all elements compared with the float64 product",
        parts_ms={part: tuple(time / 3 for time in own) for part in PARTS} if entry.memory != "device" else {},
        taken="2026-11-20T10:15:00+00:00",
        environment=ENVIRONMENT.id,
        stopped="precision",
        captured=on_gpu and n <= 256,
        baseline="cublas_sgemm" if compared else "",
        baseline_ms=times(_rate(replace(entry, kernel="cublas_sgemm", block=None), n) * scale) if compared else (),
        conditions=conditions,
    )
