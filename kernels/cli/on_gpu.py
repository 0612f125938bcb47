"""`tilescope trace --on-gpu`: the simulated launch on the GPU, as a trace, and compared access by access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernels.frontend.ast import Function
    from kernels.frontend.instances import Instances
    from kernels.simt import Argument
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of the comparison; `refused` says why there was none, `machine` on what it ran.

    `disturbed` are outputs of the traced run that are not, bit by bit, those of the kernel as it is.
    """

    accesses: int
    threads: int
    machine: str = ""
    differences: tuple[str, ...] = ()
    refused: str = ""
    disturbed: tuple[str, ...] = ()

    @property
    def identical(self) -> bool:
        """Return whether the GPU did what the simulator says, access by access and bit by bit."""
        return not self.differences and not self.refused

    def __str__(self) -> str:
        if self.refused:
            return f"not run on the GPU: {self.refused}"
        lines = ["different on the GPU:", *(f"  {line}" for line in self.differences)]
        if self.identical:
            count, threads = f"{self.accesses:,} accesses", f"{self.threads:,} threads"
            lines = [f"identical: {count} of {threads}, on the GPU and simulated"]
        if self.disturbed:
            lines += ["rounded otherwise where it is traced:", *(f"  {line}" for line in self.disturbed)]
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
    """Refuse before any work is done.

    Raises
    ------
    UnavailableError
        When there is no GPU; the message says what is missing.
    """
    from kernels.gpu.device import missing

    reason = missing()
    if reason:
        raise UnavailableError(f"--on-gpu: {reason}")


def verify(
    trace: Trace,
    instances: Instances,
    kernel: Function,
    arguments: Mapping[str, Argument],
    *,
    fmad: bool,
    max_bytes: int,
) -> tuple[Verdict, Trace]:
    """Run a traced launch on the GPU and compare what its threads do with its trace.

    Returns what was found, and the trace of the run on the GPU. A kernel with hazards is not run; the trace is then
    the one given.
    """
    from kernels.gpu.device import versions
    from kernels.recorder.record import record
    from kernels.recorder.recording import differences, find_disturbances
    from kernels.recorder.traced import to_trace

    count, threads = trace.access_count, trace.launch.thread_count
    if trace.hazards:
        refused = "the simulator found hazards, and the device checks nothing"
        return Verdict(count, threads, refused=refused), trace
    recording = record(
        instances.program,
        kernel,
        trace.launch,
        arguments,
        instances,
        fmad=fmad,
        max_bytes=max_bytes,
    )
    found = versions()
    machine = f"{found['gpu']}, driver for CUDA {found['cuda_driver']}, NVRTC {found['nvrtc']}"
    found_here = differences(trace, recording)
    verdict = Verdict(count, threads, machine, found_here, disturbed=find_disturbances(recording))
    return verdict, to_trace(recording, trace, machine)
