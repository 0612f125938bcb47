"""One point: build it, verify its result, and only then time it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, Self

from kernels.bench.sample import Point, Sample
from kernels.bench.stopping import StopRule
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.workload import verify

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from kernels.bench.plan import Plan
    from kernels.bench.sample import Outcome
    from kernels.catalog import Kernel
    from kernels.workload import Arrays


class Run(Protocol):
    """Something built for one point, on whatever it runs on."""

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

    def sample_ms(self) -> float:
        """Milliseconds of one launch."""
        ...


def build(kernel: Kernel, point: Point, plan: Plan, inputs: Mapping[str, NDArray[np.generic]]) -> Run:
    """Make a point ready to run.

    Raises
    ------
    InputError, LaunchError, SourceError, UnavailableError
        When it cannot run here, with the reason.
    """
    if kernel.runs_on == "cpu":
        from kernels.cpu.matmul import CpuRun

        if kernel.threaded and point.entry.threads < 1:
            raise InputError(f"{kernel.id} with {point.entry.threads} threads: give a number from 1 up")
        return CpuRun(kernel.id, inputs, max(1, point.entry.threads))
    from kernels.gpu.run import CudaRun, LibraryRun

    if kernel.runs_on == "library":
        return LibraryRun(kernel, point.size, inputs)
    return CudaRun(kernel, point.size, point.entry.block or kernel.block, inputs, fmad=plan.fmad)


def measure(point: Point, plan: Plan, environment: str) -> Sample:
    """Measure one point in this process.

    A result that is not correct gives a sample without times. Raises what `build` raises, and DeviceError
    when the kernel breaks the CUDA context.
    """
    kernel = find_kernel(point.entry.kernel)
    size = kernel.workload.fit(point.size)
    if size != point.size:
        raise InputError(f"{kernel.id} takes square problems only: give one n instead of {point.size}")
    inputs = kernel.workload.inputs(size, plan.fill)
    with build(kernel, point, plan, inputs) as run:
        verdict = verify(kernel.workload, size, inputs, run.outputs())
        sample = no_result(point, "wrong", verdict.message, environment)
        sample = replace(sample, checked=verdict.checked)
        if not verdict.correct:
            return sample
        times_ms = _times_ms(run, StopRule(plan.budget_s, plan.min_samples))
        return replace(
            sample, outcome="measured", error="", times_ms=times_ms, launches=run.launches_per_sample,
            flops=kernel.workload.flops(size),
        )  # fmt: skip


def no_result(point: Point, outcome: Outcome, error: str, environment: str = "") -> Sample:
    """Return a sample without times, taken now."""
    taken = datetime.now(UTC).isoformat(timespec="milliseconds")
    return Sample(point, outcome, error=error, taken=taken, environment=environment)


def _times_ms(run: Run, rule: StopRule) -> tuple[float, ...]:
    times_ms: list[float] = []
    start = perf_counter()
    while not rule.enough(times_ms, perf_counter() - start):
        times_ms.append(run.sample_ms())
    return tuple(times_ms)
