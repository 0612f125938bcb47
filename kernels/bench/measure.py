"""Measurement of one point: verify its result and time it, or make every check of its result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol, Self

import numpy as np

from kernels.bench.sample import Point, Sample
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

    from kernels.bench.plan import Plan
    from kernels.bench.sample import Outcome
    from kernels.catalog import Kernel
    from kernels.workload import Arrays


MOST_CPU_THREADS: Final = 1024
"""Each thread takes a stack and a slice of the rows, and no machine has more cores."""

MAX_SAMPLES: Final = 500
"""Maximum number of samples: more do not change the median."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """Stop when the median is settled, or when the budget of time or `MAX_SAMPLES` is used up.

    The standard error of a median falls with the square root of the number of samples, so the interquartile range
    divided by √samples estimates how far a second series would move the median. With 100 samples around 1 ms,
    the middle half of them within 0.02 ms, that is 0.002 ms or 0.2 % of the median: settled.
    """

    budget_s: float
    """Seconds of timing; takes precedence over `min_samples`: a single launch that takes longer is enough."""
    min_samples: int
    """Minimum number of samples, within the budget."""
    spread: float = 0.002
    """Estimated relative error of the median at which it counts as settled."""

    def enough(self, times_ms: Sequence[float], spent_s: float) -> bool:
        """Return whether these times, taken in `spent_s` seconds, are enough. One is always taken."""
        if not times_ms:
            return False
        if spent_s >= self.budget_s or len(times_ms) >= max(MAX_SAMPLES, self.min_samples):
            return True
        if len(times_ms) < self.min_samples:
            return False
        low, median, high = np.percentile(times_ms, (25, 50, 75))
        return bool((high - low) / np.sqrt(len(times_ms)) <= self.spread * median)


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
    return _time(kernel, plan, sample) if plan.task == "time" else _check(kernel, plan, sample)


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
        parts_ms = _parts_ms(run, StopRule(plan.budget_s, plan.min_samples))
        return replace(
            sample,
            outcome="measured",
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


def _parts_ms(run: Run, rule: StopRule) -> dict[str, tuple[float, ...]]:
    parts: list[Mapping[str, float]] = []
    times_ms: list[float] = []
    start = perf_counter()
    while not rule.enough(times_ms, perf_counter() - start):
        parts.append(run.sample_ms())
        times_ms.append(sum(parts[-1].values()))
    return {name: tuple(part[name] for part in parts) for name in parts[0]}
