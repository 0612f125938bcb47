"""Our rates against those of a plain loop of launches between two CUDA events, written with CuPy alone.

`python -m tests.bench.agreement [SIZE …]`: for every kernel that has a rate, with every block it declares.
Each ratio should be within 2 % of 1; the exit status is 1 when one is not. Needs a GPU.
"""

from __future__ import annotations

import statistics
import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan, entries, points
from kernels.catalog import catalog, find_kernel
from kernels.gpu.device import missing
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.bench.sample import Point

SIZES: Final = (512, 1024, 2048, 4096)
TOLERANCE: Final = 0.02
_LOOP_MS: Final = 100.0
_OCCUPIER: Final = 8192
"""Side of a product that takes some 20 ms on the fastest devices: Python queues `_QUEUE` launches meanwhile."""

_QUEUE: Final = 500
"""Launches queued at once; beyond some 1,000 the driver makes the caller wait."""


def plain_gflops(point: Point, plan: Plan) -> float:
    """Launch in a loop of up to 100 ms between two events, seven times; the rate of the median."""
    import cupy

    kernel, size = find_kernel(point.entry.kernel), point.size
    inputs = kernel.workload.inputs(size, plan.fill)
    arrays = [
        cupy.zeros(spec.shape, spec.dtype) if spec.output else cupy.asarray(inputs[spec.name])
        for spec in kernel.workload.arrays(size)
    ]
    launch: Callable[[], Any]
    if kernel.runs_on == "library":
        a, b, c = arrays

        def launch() -> Any:
            return cupy.dot(a, b, out=c)
    else:
        # The kernels take their arrays and scalars in the order in which the workload lists them.
        block = point.entry.block or kernel.block
        options = tuple(f"-D{name}={value}" for name, value in kernel.defines(size, block))
        function = cupy.RawModule(code=kernel.text, options=options).get_function(kernel.entry)
        arguments = (*arrays, *(np.int32(value) for value in kernel.workload.scalars(size).values()))
        grid = kernel.launch(size, block).grid

        def launch() -> Any:
            return function(tuple(grid), tuple(block), arguments)

    occupier = cupy.ones((_OCCUPIER, _OCCUPIER), cupy.float32)
    product = cupy.empty_like(occupier)

    def loop_ms(count: int) -> float:
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        cupy.dot(occupier, occupier, out=product)  # keeps the device busy until the launches are queued
        start.record()
        for _ in range(count):
            launch()
        stop.record()
        stop.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, stop)) / count

    loop_ms(3)
    count = max(3, min(_QUEUE, int(_LOOP_MS / loop_ms(3))))
    loop_ms(count)
    median_ms = statistics.median(loop_ms(count) for _ in range(7))
    return kernel.workload.flops(size) / median_ms / 1e6


def main() -> int:
    """Print a line for each point and return the exit status."""
    if missing():
        print(missing())
        return 0
    sizes = [Size(n, n, n) for n in (map(int, sys.argv[1:]) if sys.argv[1:] else SIZES)]
    kernels = [k for k in catalog() if k.measurable and k.runs_on != "cpu"]
    plan = Plan(points([entry for kernel in kernels for entry in entries(kernel)], sizes))
    worst = 0.0
    print(f"{'kernel':<34} {'n':>6} {'ours':>10} {'plain':>10} {'ratio':>7}   (GFLOPS)")
    for point in plan.points:
        sample = measure(point, plan, "")
        if sample.gflops is None:
            print(f"{point}: {sample.error}")
            worst = 1.0
            continue
        plain = plain_gflops(point, plan)
        ratio = sample.gflops / plain
        worst = max(worst, abs(ratio - 1))
        far = "" if abs(ratio - 1) <= TOLERANCE else "   <- differs"
        rates = f"{sample.gflops:>10,.0f} {plain:>10,.0f} {ratio:>7.3f}{far}"
        print(f"{point.entry.label:<34} {point.size!s:>6} {rates}", flush=True)
    print(f"largest difference: {worst:.1%}")
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
