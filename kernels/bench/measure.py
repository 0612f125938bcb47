"""Measurement of one point: verify its result and time it, or make every check of its result."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol, Self

from kernels.bench.machine_load import LoadMeter
from kernels.bench.sample import Point, Sample
from kernels.bench.stopping import StopRule
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.gpu.telemetry import Telemetry, present_reader
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import verify

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from kernels.bench.conditions import Conditions
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Outcome
    from kernels.bench.stopping import Stop
    from kernels.catalog import Kernel
    from kernels.gpu.telemetry import NvmlReader, Reading
    from kernels.workload import Arrays


MOST_CPU_THREADS: Final = 1024
"""Each thread takes a stack and a slice of the rows, and no machine has more cores."""


class Run(Protocol):
    """A kernel, baseline or library routine that is ready to run at one point."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample."""
        ...

    def outputs(self) -> Arrays:
        """Run once with poisoned outputs and return them."""
        ...

    def sample_ms(self) -> Mapping[str, float]:
        """Milliseconds of one launch, part by part: `kernel`, and the transfers where they are timed."""
        ...


def build(kernel: Kernel, point: Point, plan: Plan, inputs: Mapping[str, NDArray[np.generic]]) -> Run:
    """Prepare the run of a point.

    Raises
    ------
    InputError, LaunchError, SourceError, UnavailableError
        When it cannot run here, with the reason.
    """
    if kernel.runs_on == "cpu":
        from kernels.cpu.matmul import CpuRun, default_threads

        threads = point.entry.threads
        if kernel.threaded and not min(1, default_threads(kernel.id)) <= threads <= MOST_CPU_THREADS:
            raise InputError(
                f"{kernel.id} with {threads:,} threads: give a number from 1 up, at most {MOST_CPU_THREADS:,}"
            )
        return CpuRun(kernel.id, inputs, threads)
    from kernels.gpu.device import present_device
    from kernels.gpu.run import CudaRun, LibraryRun

    memory = point.entry.memory
    if kernel.memory == "managed" != memory:
        raise InputError(f"{kernel.id} keeps its arrays in managed memory: they cannot be in {memory} memory")
    if kernel.runs_on == "library":
        return LibraryRun(kernel, point.size, inputs, memory=memory)
    rule = kernel.chosen_rule(point.size, present_device().arch) if point.entry.block is None else None
    block = point.entry.block or (rule.block if rule else kernel.block)
    return CudaRun(kernel, point.size, block, inputs, fmad=plan.fmad, memory=memory)


def measure(point: Point, plan: Plan, environment: str) -> Sample:
    """Perform the plan's task at one point, in this process.

    A wrong result gives a sample without times. Raises what `build` raises, and DeviceError
    when the kernel breaks the CUDA context.
    """
    kernel = find_kernel(point.entry.kernel)
    size = kernel.workload.fit(point.size)
    if size != point.size:
        raise InputError(f"{kernel.id} takes square problems only: give one n instead of {point.size}")
    sample = no_result(point, "wrong", "", environment)
    start = perf_counter()
    sample = _time(kernel, plan, sample) if plan.task == "time" else _check(kernel, plan, sample)
    return replace(sample, duration_s=perf_counter() - start)


def _time(kernel: Kernel, plan: Plan, sample: Sample) -> Sample:
    size = sample.point.size
    inputs = kernel.workload.inputs(size, plan.fill)
    with build(kernel, sample.point, plan, inputs) as run:
        verdict = verify(
            kernel.workload,
            size,
            inputs,
            run.outputs(),
            every_element=plan.every_element,
            roundings=kernel.roundings,
        )
        if not verdict.correct:
            return replace(sample, error=verdict.message, checked=verdict.checked)
        meter = LoadMeter()
        parts, stopped, reading = _timed(run, StopRule(plan.budget_s, plan.min_samples), _reader(kernel))
        parts_ms = {name: tuple(part[name] for part in parts) for name in parts[0]}
        return replace(
            sample,
            outcome="measured",
            stopped=stopped,
            conditions=_conditions(meter, reading),
            checked=verdict.checked,
            launches=run.launches_per_sample,
            times_ms=tuple(sum(parts) for parts in zip(*parts_ms.values(), strict=True)),
            parts_ms={} if sample.point.entry.memory == "device" else parts_ms,
            flops=kernel.workload.flops(size),
        )


def _check(kernel: Kernel, plan: Plan, sample: Sample) -> Sample:
    size = sample.point.size
    case = prepare_case(kernel.workload.id, size, plan.fill)
    hazard = ""
    if plan.task == "simulate" and kernel.runs_on != "cpu":
        block = sample.point.entry.block or kernel.block
        outputs, hazard = simulate(kernel, size, block, plan.fill, fmad=plan.fmad)
    else:
        with build(kernel, sample.point, plan, case.inputs) as run:
            outputs = run.outputs()
    checks = check(kernel, size, case.inputs, outputs, plan.fill, case.expected)
    if hazard:
        checks = replace(checks, correct=False, message=hazard)
    outcome: Outcome = "checked" if checks.correct else "wrong"
    error = "" if checks.correct else checks.message
    return replace(sample, outcome=outcome, error=error, checked=checks.checked, checks=checks)


def no_result(point: Point, outcome: Outcome, error: str, environment: str = "") -> Sample:
    """Return a sample without times, taken now."""
    taken = datetime.now(UTC).isoformat(timespec="milliseconds")
    return Sample(point, outcome, error=error, taken=taken, environment=environment)


def _timed(run: Run, rule: StopRule, reader: NvmlReader | None) -> tuple[list[Mapping[str, float]], Stop, Reading]:
    """Return the times part by part, why they are enough, and the state of the GPU meanwhile.

    The first sample contains the warming up, so that the GPU is read from the second one on.
    """
    start = perf_counter()
    parts = [run.sample_ms()]
    times_ms = [sum(parts[0].values())]
    with Telemetry(reader) as telemetry:
        while not (stopped := rule.reason(times_ms, perf_counter() - start)):
            parts.append(run.sample_ms())
            times_ms.append(sum(parts[-1].values()))
    return parts, stopped, telemetry.summary()


def _reader(kernel: Kernel) -> NvmlReader | None:
    """Return a reader of the GPU's clocks for a kernel that runs on it."""
    return None if kernel.runs_on == "cpu" else present_reader()


def _conditions(meter: LoadMeter, reading: Reading) -> Conditions:
    """Combine the load of the machine and the state of the GPU."""
    peak_gflops = None
    if reading.sm_clock_mhz is not None:
        from kernels.gpu.device import present_device

        device = present_device()
        peak_gflops = device.peak_fp32_gflops * reading.sm_clock_mhz / device.boost_clock_mhz
    return replace(meter.conditions(), **asdict(reading), peak_gflops=peak_gflops)
