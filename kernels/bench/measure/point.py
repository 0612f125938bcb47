"""Measurement of one point: verify its result and time it, or make every check of its result."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Final

from kernels.bench.measure.machine_load import LoadMeter, conditions_of
from kernels.bench.measure.problems import Problems
from kernels.bench.measure.stopping import StopRule
from kernels.bench.measure.time_run import time_run, total_ms
from kernels.bench.plan import baseline_of
from kernels.bench.sample import Point, Sample
from kernels.catalog import find_kernel
from kernels.errors import InputError, LaunchError, SourceError, TilescopeError, UnavailableError
from kernels.gpu.telemetry import present_reader
from kernels.verify.check import check, prepare_case
from kernels.workload import verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from kernels.bench.measure.time_run import Run
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Outcome
    from kernels.catalog import Kernel


MOST_CPU_THREADS: Final = 1024
"""Each thread takes a stack and a slice of the rows, and no machine has more cores."""


def build(
    kernel: Kernel, point: Point, plan: Plan, inputs: Mapping[str, NDArray[np.generic]], *, capture: bool = True
) -> Run:
    """Prepare the run of a point; `capture` allows a CUDA graph of short launches.

    Raises
    ------
    InputError, LaunchError, SourceError, UnavailableError
        When it cannot run here, with the reason.
    """
    if kernel.runs_on == "cpu":
        from kernels.cpu.loops import LoopRun
        from kernels.cpu.matmul import CpuRun, default_threads

        threads = point.entry.threads
        if kernel.threaded and not min(1, default_threads(kernel.id)) <= threads <= MOST_CPU_THREADS:
            raise InputError(
                f"{kernel.id} with {threads:,} threads: give a number from 1 up, at most {MOST_CPU_THREADS:,}"
            )
        if kernel.base in kernel.workload.loops:
            return LoopRun(kernel, point.size, inputs, threads)
        return CpuRun(kernel.id, inputs, threads)
    from kernels.gpu.device import present_device
    from kernels.gpu.run import CudaRun, LibraryRun
    from kernels.gpu.timing import TimingMode

    memory, cold = point.entry.memory, point.entry.cold
    if cold and memory != "device":
        raise InputError(f"a cold cache needs arrays in device memory: with {memory} memory the copies fill the cache")
    mode = TimingMode(cold, capture=capture)
    if kernel.memory == "managed" != memory:
        raise InputError(f"{kernel.id} keeps its arrays in managed memory: they cannot be in {memory} memory")
    if kernel.runs_on == "library":
        return LibraryRun(kernel, point.size, inputs, memory=memory, mode=mode)
    rule = kernel.chosen_rule(point.size, present_device().arch) if point.entry.block is None else None
    block = point.entry.block or (rule.block if rule else kernel.block)
    try:
        return CudaRun(kernel, point.size, block, inputs, fmad=plan.fmad, memory=memory, mode=mode)
    except SourceError:
        if memory != "device" or cold:
            raise
        from kernels.recorder.plain_run import PlainRun
        from kernels.tracing import prepare

        with suppress(TilescopeError):  # a whole program: NVRTC compiles no host code
            return PlainRun(prepare(kernel, point.size, block, plan.fill), fmad=plan.fmad, capture=capture)
        raise


def measure(point: Point, plan: Plan, environment: str, problems: Problems | None = None) -> Sample:
    """Perform the plan's task at one point, in this process.

    A wrong result gives a sample without times. `problems` keeps what the next point may need as well. Raises what
    `build` raises, and DeviceError when the kernel breaks the CUDA context.
    """
    sample = no_result(point, "wrong", "", environment)
    start = perf_counter()
    if point.entry.launch:
        from kernels.bench.measure.launch import measure_launch

        return replace(measure_launch(sample, plan), duration_s=perf_counter() - start)
    kernel = find_kernel(point.entry.kernel)
    size = kernel.workload.fit(point.size)
    if size != point.size:
        raise InputError(f"{kernel.id} takes square problems only: give one n instead of {point.size}")
    sample = (
        _time(kernel, plan, sample, problems or Problems()) if plan.task == "time" else _check(kernel, plan, sample)
    )
    return replace(sample, duration_s=perf_counter() - start)


def _time(kernel: Kernel, plan: Plan, sample: Sample, problems: Problems) -> Sample:
    size = sample.point.size
    problem = problems.of(kernel.workload, size, plan)
    inputs = problem.inputs
    baseline = baseline_of(sample.point, plan.baselines)
    with ExitStack() as opened:
        # CuPy cannot capture a library routine in a graph: what is compared is timed as it is.
        run = opened.enter_context(build(kernel, sample.point, plan, inputs, capture=plan.graphs and baseline is None))
        verdict = verify(
            kernel.workload,
            size,
            inputs,
            run.outputs(),
            problem.references,
            every_element=plan.every_element,
            tolerance=kernel.tolerance,
        )
        if not verdict.correct:
            return replace(sample, error=verdict.message, checked=verdict.checked)
        meter = LoadMeter()
        reader = None if kernel.runs_on == "cpu" else present_reader()
        library = None if baseline is None else _baseline_run(baseline, plan, inputs, opened)
        threads = max(1, sample.point.entry.threads, baseline.entry.threads if baseline and library else 0)
        timed = time_run(run, library, StopRule(plan.budget_s, plan.min_samples), reader)
        parts_ms = {name: tuple(part[name] for part in timed.parts) for name in timed.parts[0]}
        return replace(
            sample,
            outcome="measured",
            stopped=timed.stopped,
            conditions=conditions_of(meter, timed.reading, reader, threads),
            checked=verdict.checked,
            launches=run.launches_per_sample,
            captured=run.captured,
            times_ms=total_ms(timed.parts),
            parts_ms={} if sample.point.entry.memory == "device" else parts_ms,
            flops=kernel.workload.flops(size),
            baseline=baseline.entry.kernel if baseline and library else "",
            baseline_ms=total_ms(timed.library_parts),
        )


def _baseline_run(point: Point, plan: Plan, inputs: Mapping[str, NDArray[np.generic]], opened: ExitStack) -> Run | None:
    """Prepare the run of a baseline for the same inputs; None where it cannot run, as its own point says."""
    try:
        run = opened.enter_context(build(find_kernel(point.entry.kernel), point, plan, inputs, capture=False))
    except (InputError, LaunchError, UnavailableError):
        return None
    run.outputs()  # once before it is timed
    return run


def _check(kernel: Kernel, plan: Plan, sample: Sample) -> Sample:
    size = sample.point.size
    case = prepare_case(kernel.workload.id, size, plan.fill)
    hazard = ""
    if plan.task == "simulate" and kernel.runs_on != "cpu":
        from kernels.verify.simulate import simulate

        block = sample.point.entry.block or kernel.block
        outputs, hazard = simulate(kernel, size, block, plan.fill, fmad=plan.fmad, architecture=plan.architecture)
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
