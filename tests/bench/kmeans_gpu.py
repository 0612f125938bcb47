"""k-means on this machine's GPU: ``python -m tests.bench.kmeans_gpu`` prints the tables.

One assignment, update and division at 1,000,000 objects × 32 coordinates × 64 centres, every result verified; whole
iterations against scikit-learn and cuML where they are installed, from the same centres; threads per block with
residency; storage by coordinate against by object, with the sectors that the simulator counts; atomics. A time is the
median of launches back to back. The limit of arithmetic is two instructions (subtract, fused multiply-add) for each
coordinate of each pair at the clock measured meanwhile; that of memory is each array once at the stated bandwidth.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.analysis import LaunchCounter
from kernels.bench.measure.stopping import StopRule
from kernels.bench.measure.time_run import time_run, total_ms
from kernels.catalog import catalog, find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fills
from kernels.gpu.device import present_device
from kernels.gpu.run import CudaRun
from kernels.gpu.telemetry import present_reader
from kernels.gpu.timing import Stopwatch
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import WORKLOADS, Points, Size, verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.reference import Reference
    from kernels.workload import Arrays

SIZE: Final = Size(1_000_000, 32, 64)
FILL: Final = "random(1)"
THREADS: Final = (128, 256, 512, 1024)
KERNELS: Final = [k for k in catalog() if k.runs_on == "cuda" and not k.flaw and isinstance(k.workload.picture, Points)]
PARTS: Final = ("kmeans_assign_registers", "kmeans_update_privatized", "kmeans_divide")
"""Kernels of a whole iteration, in order."""

COUNTED: Final = Size(1024, 32, 8)
BEST_OF: Final = 5


@dataclass(frozen=True, slots=True)
class Timed:
    """A verified launch."""

    kernel: Kernel
    threads: int
    ms: float
    spread: float
    """Relative half of the distance between the quartiles."""
    clock_mhz: float
    resident_blocks: int
    registers: int


@lru_cache(maxsize=2)
def inputs_of(workload: str, size: Size, fill: str) -> Arrays:
    """Return the inputs of a workload."""
    return WORKLOADS[workload].inputs(size, Fills.parse(fill))


@lru_cache(maxsize=2)
def references_of(workload: str, size: Size, fill: str) -> Mapping[str, Reference]:
    """Return the float64 reference."""
    inputs = inputs_of(workload, size, fill)
    results = WORKLOADS[workload].results(inputs, size, np.arange(0))
    return {name: result.reference() for name, result in results.items()}


def measure(kernel: Kernel, size: Size, threads: int, budget_s: float, fill: str = FILL) -> Timed | str:
    """Verify and time a launch; return why it has no time otherwise."""
    inputs = inputs_of(kernel.workload.id, size, fill)
    try:
        run = CudaRun(kernel, size, Dim3(threads), inputs)
    except LaunchError as error:
        return str(error)
    with run:
        references = references_of(kernel.workload.id, size, fill)
        verdict = verify(kernel.workload, size, inputs, run.outputs(), references)
        if not verdict.correct:
            return f"WRONG: {verdict.message}"
        timed = time_run(run, None, StopRule(budget_s, 10), present_reader())
        times = sorted(total_ms(timed.parts))
        quarter = len(times) // 4
        middle = statistics.median(times)
        spread = (times[-1 - quarter] - times[quarter]) / 2 / middle
        clock = timed.reading.sm_clock_mhz or present_device().boost_clock_mhz
        return Timed(kernel, threads, middle, spread, clock, run.resident_blocks(), run.compiled.figures.registers)


def arithmetic_ms(kernel: Kernel, size: Size, device: Device, clock_mhz: float) -> float:
    """Return the least time of the floating-point instructions: a fused pair is one."""
    instructions = kernel.workload.flops(size) * (2 / 3 if "assign" in kernel.workload.id else 1)
    return instructions / (device.sm_count * device.fp32_lanes_per_sm * clock_mhz * 1e3)


def bytes_ms(kernel: Kernel, size: Size, device: Device) -> float:
    """Return the least time of the bytes, each array once."""
    return kernel.workload.least_bytes(size) / device.memory_gb_s / 1e6


def row(found: Timed, size: Size, device: Device) -> str:
    """Return a line of the table of kernels."""
    k = found.kernel
    by_arithmetic, by_bytes = arithmetic_ms(k, size, device, found.clock_mhz), bytes_ms(k, size, device)
    blocks = k.launch(size, Dim3(found.threads)).grid.count
    waves = blocks / max(1, found.resident_blocks * device.sm_count)
    occupancy = found.resident_blocks * found.threads / device.threads_per_sm
    return (
        f"{k.id:<26} {found.threads:>5} {found.ms:>9.4f} ±{found.spread:>4.0%} {size.m / found.ms / 1e6:>8.2f} "
        f"{k.workload.flops(size) / found.ms / 1e6:>9.0f} {k.workload.least_bytes(size) / found.ms / 1e6:>8.0f} "
        f"{by_arithmetic / found.ms:>7.0%} {by_bytes / found.ms:>7.0%} {found.registers:>5} "
        f"{found.resident_blocks:>5} {occupancy:>5.0%} {waves:>7.2f} {found.clock_mhz:>6.0f}"
    )


HEADER: Final = (
    f"{'kernel':<26} {'block':>5} {'ms':>9} {'':>5} {'Gobj/s':>8} {'GFLOPS':>9} {'GB/s':>8} "
    f"{'arith.':>7} {'bytes':>7} {'regs':>5} {'res.':>5} {'occ.':>5} {'waves':>7} {'MHz':>6}"
)


def kernel_table(device: Device, budget_s: float) -> dict[str, Timed]:
    """Print every kernel with every number of threads; return the fastest of each."""
    print(f"\n{SIZE} objects × coordinates × centres, {FILL}; verified; residency is the driver's\n{HEADER}")
    best: dict[str, Timed] = {}
    ordered = sorted(KERNELS, key=lambda kernel: (kernel.workload.id, kernel.order))
    for kernel, threads in product(ordered, THREADS):
        found = measure(kernel, SIZE, threads, budget_s)
        if isinstance(found, str):
            print(f"{kernel.id:<26} {threads:>5} {found}", flush=True)
            continue
        print(row(found, SIZE, device), flush=True)
        if kernel.id not in best or found.ms < best[kernel.id].ms:
            best[kernel.id] = found
    return best


def majors(best: Mapping[str, Timed]) -> None:
    """Print storage by coordinate against by object."""
    print(f"\nReads of the objects, counted at {COUNTED} in blocks of 128; times at {SIZE}")
    for name in ("kmeans_assign", "kmeans_assign_rows"):
        counter = LaunchCounter()
        trace = trace_kernel(find_kernel(name), COUNTED, Dim3(128), options=Options(counter=counter))
        (reads,) = (c for c in counter.result(trace).counts.arrays if c.array == "objects" and c.access == "read")
        ms = f"{best[name].ms:.4f} ms" if name in best else "no time"
        print(f"{name:<26} {reads.sectors / reads.requests:>6.2f} sectors a request, {reads.sectors:>9,} in all; {ms}")


def atomics(device: Device, budget_s: float) -> None:
    """Print the updates where few and many centres share the objects."""
    print(f"\nAtomics in blocks of 256\n{HEADER}")
    updates = [kernel for kernel in KERNELS if kernel.workload.id == "kmeans_update"]
    for size, fill in ((Size(1_000_000, 32, 1), FILL), (Size(1_000_000, 32, 4), FILL), (SIZE, FILL)):
        for kernel in updates:
            found = measure(kernel, size, 256, budget_s, fill)
            text = f"{kernel.id}: {found}" if isinstance(found, str) else row(found, size, device)
            print(f"{text}  k = {size.k}", flush=True)


def iterations(count: int) -> None:
    """Print whole iterations, and their results against the peers'."""
    objects = inputs_of("kmeans_assign", SIZE, FILL)["objects"]
    centres = inputs_of("kmeans_assign", SIZE, FILL)["centres"].copy()
    initial = centres.copy()
    inputs = {
        "kmeans_assign": {"objects": objects, "centres": centres},
        "kmeans_update": {"objects": objects, "labels": np.zeros(SIZE.m, np.int32)},
        "kmeans_divide": inputs_of("kmeans_divide", SIZE, FILL),
    }
    runs = []
    for name in PARTS:
        kernel = find_kernel(name)
        runs.append(CudaRun(kernel, SIZE, Dim3(256), inputs[kernel.workload.id]))
    assign, update, divide = runs

    def iterate() -> None:
        assign.launch()
        update.arrays["labels"][...] = assign.arrays["labels"]
        update.launch()
        divide.arrays["sums"][...], divide.arrays["counts"][...] = update.arrays["sums"], update.arrays["counts"]
        divide.arrays["centres"][...] = assign.arrays["centres"]
        divide.launch()
        assign.arrays["centres"][...] = divide.arrays["new_centres"]

    for _ in range(count):
        iterate()
    assign.launch()
    labels, centres = assign.arrays["labels"].get(), assign.arrays["centres"].get()

    def launch_all() -> None:
        for run in runs:
            run.launch()

    watch = Stopwatch()
    queued = [watch.time_ms(launch_all, 10) / 10 for _ in range(20)]
    print(f"\nA whole iteration, {' + '.join(PARTS)}, blocks of 256")
    middle = statistics.median(queued)
    print(f"three launches in a row: {middle:.4f} ms ({SIZE.m / middle / 1e6:.2f} Gobj/s)")
    rows = np.ascontiguousarray(objects.T)
    print(f"after {count} iterations: sum of squared distances {inertia(rows, centres, labels):.6e}")
    for module, title in (("sklearn.cluster", "scikit-learn"), ("cuml.cluster", "cuML")):
        peer(module, title, rows, initial, count, labels, centres)
    for run in runs:
        run.__exit__(None, None, None)


def peer(
    module: str,
    title: str,
    rows: NDArray[np.generic],
    initial: NDArray[np.generic],
    count: int,
    labels: NDArray[np.generic],
    centres: NDArray[np.generic],
) -> None:
    """Print a library's time of an iteration, and how its labels compare."""
    try:
        found: Any = importlib.import_module(module)
    except ImportError as error:
        print(f"{title}: not installed ({error})")
        return

    def fit(most: int) -> tuple[float, Any]:
        options: dict[str, Any] = {"algorithm": "lloyd"} if title == "scikit-learn" else {}
        model = found.KMeans(len(initial), init=initial, n_init=1, max_iter=most, tol=0, **options)
        start = time.perf_counter()
        model.fit(rows)
        return time.perf_counter() - start, model

    fit(1)
    few = min(fit(count)[0] for _ in range(BEST_OF - 2))
    many, _ = min((fit(count + 5) for _ in range(BEST_OF - 2)), key=lambda pair: pair[0])
    _, model = fit(count)
    theirs = np.asarray(model.labels_)
    away = float(np.abs(np.asarray(model.cluster_centers_) - centres).max())
    print(
        f"{title}: {(many - few) / 5 * 1e3:.2f} ms an iteration, {few * 1e3:.1f} ms for a fit of {count}; "
        f"{int((theirs != labels).sum()):,} of {len(labels):,} labels differ, centres by at most {away:.2g}, "
        f"sum of squared distances {inertia(rows, np.asarray(model.cluster_centers_), theirs):.6e}"
    )


def inertia(rows: NDArray[np.generic], centres: NDArray[np.generic], labels: NDArray[np.generic]) -> float:
    """Return the sum of the squared distances to the chosen centres, in float64."""
    parts = np.array_split(np.arange(len(rows)), 16)
    return float(sum(((rows[p].astype(np.float64) - centres[labels[p]]) ** 2).sum() for p in parts))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=0.15, help="seconds of timing for one launch")
    parser.add_argument("--iterations", type=int, default=3)
    options = parser.parse_args()
    device = present_device()
    start = time.perf_counter()
    print(
        f"{device.name}: {device.sm_count} SMs, boost {device.boost_clock_mhz:.0f} MHz, {device.memory_gb_s:.0f} GB/s"
    )
    best = kernel_table(device, options.budget)
    majors(best)
    iterations(options.iterations)
    atomics(device, options.budget)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
