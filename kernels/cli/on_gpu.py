"""`tilescope trace --on-gpu`: the trace of a launch on the GPU, and its comparison with the simulated one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernels.architecture import Architecture
    from kernels.frontend.ast import Function
    from kernels.frontend.instances import Instances
    from kernels.simt import Argument
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of the comparison."""

    accesses: int
    threads: int
    machine: str = ""
    """The GPU and its software."""
    differences: tuple[str, ...] = ()
    refused: str = ""
    """Why the kernel was not run; "" if it was."""
    disturbed: tuple[str, ...] = ()
    """Sentences about outputs that differ, bit by bit, between the instrumented kernel and the plain one."""

    @property
    def identical(self) -> bool:
        """Return whether GPU and simulator agree in every access and every bit."""
        return not self.differences and not self.refused

    def __str__(self) -> str:
        if self.refused:
            return f"not run on the GPU: {self.refused}"
        lines = ["different on the GPU:", *(f"  {line}" for line in self.differences)]
        if self.identical:
            count, threads = f"{self.accesses:,} accesses", f"{self.threads:,} threads"
            lines = [f"identical: {count} of {threads}, on the GPU and simulated"]
        if self.disturbed:
            lines += ["rounded differently in the instrumented kernel:", *(f"  {line}" for line in self.disturbed)]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Build the object that `--json` prints under "on_gpu"."""
        return {
            "identical": self.identical,
            "machine": self.machine,
            "accesses": self.accesses,
            "threads": self.threads,
            "differences": list(self.differences),
            "refused": self.refused,
            "disturbed": list(self.disturbed),
        }


def require_gpu() -> None:
    """Refuse `--on-gpu` on a machine without a GPU.

    Raises
    ------
    UnavailableError
        When there is no GPU; the message says what is missing.
    """
    from kernels.gpu.device import missing

    reason = missing()
    if reason:
        raise UnavailableError(f"--on-gpu: {reason}")


def gpu_architecture() -> Architecture:
    """Return the architecture that is compiled for the GPU of this machine."""
    from kernels.gpu.device import present_device

    return present_device().architecture


def verify(
    trace: Trace,
    instances: Instances,
    kernel: Function,
    arguments: Mapping[str, Argument],
    *,
    fmad: bool,
    max_bytes: int,
) -> tuple[Verdict, Trace]:
    """Run a traced launch on the GPU and compare the accesses of its threads with those of the trace.

    Returns the result, and the trace of the run on the GPU. A kernel with hazards is not run: then the returned trace
    is the simulated one.
    """
    from kernels.gpu.device import versions
    from kernels.recorder.record import record
    from kernels.recorder.recording import differences, find_disturbances
    from kernels.recorder.traced import to_trace

    count, threads = trace.access_count, trace.launch.thread_count
    if trace.hazards:
        refused = "the simulator found hazards, which a GPU does not check for"
        return Verdict(count, threads, refused=refused), trace
    recording = record(instances.program, kernel, trace.launch, arguments, instances, fmad=fmad, max_bytes=max_bytes)
    software = versions()
    machine = f"{software['gpu']}, driver for CUDA {software['cuda_driver']}, NVRTC {software['nvrtc']}"
    found = differences(trace, recording)
    verdict = Verdict(count, threads, machine, found, disturbed=find_disturbances(recording))
    return verdict, to_trace(recording, trace, machine)
