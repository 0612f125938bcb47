"""Record a block timeline on the GPU: verify and time a launch without and with timers, then read the timers."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.gpu import device as gpu
from kernels.gpu.run import LAUNCH, CudaRun
from kernels.gpu.telemetry import Telemetry, present_reader
from kernels.occupancy.block_timeline import BlockTimeline, Measured
from kernels.occupancy.block_timers import RECORD, VARIABLE, with_block_timers
from kernels.occupancy.resources import refuse_without_source
from kernels.workload import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kernels.catalog import Kernel
    from kernels.fill import Fill, Fills
    from kernels.launch import Dim3
    from kernels.workload import Size

MOST_BLOCKS: Final = 1 << 16
"""Blocks of a grid that is recorded: a picture could not show more."""

_TIMES: Final = 15
"""Samples whose median is the time of a launch."""


def record_blocks(
    kernel: Kernel, size: Size, block: Dim3, fill: Fill | Fills, report: Callable[[str], None] = lambda words: None
) -> BlockTimeline:
    """Record SM, start and end of every block of a launch; `report` is called with each stage, in words.

    The recorded launch is the last of several, so that the clocks are up and the caches are warm.

    Raises
    ------
    InputError, SourceError, LaunchError, UnavailableError
        No source, no GPU, a launch that is refused, a grid of too many blocks, or a wrong result: nothing is claimed
        of a kernel that computes something else.
    DeviceError
        When the kernel fails, after which this process cannot use the GPU any more.
    """
    refuse_without_source(kernel)
    present = gpu.present_device()
    size, kernel = kernel.workload.fit(size), kernel.on(present.sm_count)
    grid = kernel.launch(size, block).grid
    if grid.count > MOST_BLOCKS:
        raise InputError(
            f"{grid.count:,} blocks: a timeline records at most {MOST_BLOCKS:,}; choose a smaller size or larger blocks"
        )
    inputs = kernel.workload.inputs(size, fill)
    report("Compiling the kernel, and verifying its result")
    with CudaRun(kernel, size, block, inputs, memory=kernel.memory) as run:
        checked = _verify(kernel, size, inputs, run)
        report("Timing the kernel without timers")
        plain = _time(run)
    with CudaRun(_timed_copy(kernel), size, block, inputs, memory=kernel.memory) as run:
        records = _Records(run, grid.count)
        report("Compiling the copy with timers, and verifying its result")
        _verify(kernel, size, inputs, run)
        report("Timing the copy with timers")
        timed = _time(run)
        report("Recording one launch")
        rows = records.of_one_launch()
    unwritten = int(((rows["start"] == 0) | (rows["end"] < rows["start"])).sum())
    if unwritten:
        raise InputError(f"{kernel.id}: {unwritten:,} of {grid.count:,} blocks did not pass their timer")
    software = gpu.versions()
    measured = Measured(
        kernel=kernel.id,
        title=kernel.title,
        size=size,
        block=block,
        grid=grid,
        gpu=present.name,
        sm_count=present.sm_count,
        warps_per_sm=present.warps_per_sm,
        software=f"driver for CUDA {software['cuda_driver']}, NVRTC {software['nvrtc']}",
        taken=datetime.now(UTC).isoformat(timespec="seconds"),
        sm_clock_mhz=timed.sm_clock_mhz,
        checked=checked,
        registers=plain.registers,
        timed_registers=timed.registers,
        resident_blocks=plain.resident_blocks,
        timed_resident_blocks=timed.resident_blocks,
        launch_ms=plain.launch_ms,
        timed_launch_ms=timed.launch_ms,
    )
    first = int(rows["start"].min())
    start, end = (rows[name].astype(np.int64) - first for name in ("start", "end"))
    return BlockTimeline(measured, rows["sm"].astype(np.int32), start, end)


@dataclass(frozen=True, slots=True)
class _Figures:
    """Figures of a kernel, without timers or with them."""

    registers: int
    resident_blocks: int
    """Of an SM, computed by the driver."""
    launch_ms: float
    """Median."""
    sm_clock_mhz: float | None


def _time(run: CudaRun) -> _Figures:
    """Time launches; the first sample contains the warming up."""
    run.sample_ms()
    with Telemetry(present_reader()) as telemetry:
        times_ms = [run.sample_ms()["kernel"] for _ in range(_TIMES)]
    return _Figures(
        run.compiled.figures.registers,
        run.resident_blocks(),
        statistics.median(times_ms),
        telemetry.summary().sm_clock_mhz,
    )


def _verify(kernel: Kernel, size: Size, inputs: Mapping[str, NDArray[np.generic]], run: CudaRun) -> str:
    """Return what was compared with the reference; raise InputError for a wrong result."""
    verdict = verify(kernel.workload, size, inputs, run.outputs(), tolerance=kernel.tolerance)
    if not verdict.correct:
        raise InputError(f"{kernel.id}: nothing is claimed of a launch with a wrong result: {verdict.message}")
    return verdict.checked


def _timed_copy(kernel: Kernel) -> Kernel:
    """Return the kernel with a source that has timers."""
    return replace(kernel, source=with_block_timers(kernel.text, str(kernel.file), kernel.entry))


class _Records:
    """The records on the device that the timers of a run write."""

    def __init__(self, run: CudaRun, blocks: int) -> None:
        import cupy

        self._run = run
        self._rows = cupy.zeros(blocks * RECORD.itemsize, np.uint8)
        run.write_variable(VARIABLE, np.array([self._rows.data.ptr], np.uint64))

    def of_one_launch(self) -> NDArray[np.void]:
        """Clear the records, launch once, and return them."""
        import cupy

        with gpu.cuda_errors(LAUNCH):
            self._rows.fill(0)
            self._run.launch()
            cupy.cuda.get_current_stream().synchronize()
            rows: NDArray[np.void] = cupy.asnumpy(self._rows).view(RECORD)
        return rows
