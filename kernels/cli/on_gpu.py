"""`tilescope trace --on-gpu`: the simulated launch on the GPU, as a trace, and compared access by access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernels.simt import Argument
    from kernels.source.nodes import Function, Program
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the comparison found; `refused` says why there was none, `machine` on what it ran."""

    accesses: int
    threads: int
    machine: str = ""
    differences: tuple[str, ...] = ()
    refused: str = ""

    @property
    def identical(self) -> bool:
        """Whether the GPU did what the simulator says, access by access and bit by bit."""
        return not self.differences and not self.refused

    def __str__(self) -> str:
        if self.refused:
            return f"not run on the GPU: {self.refused}"
        if self.identical:
            return (
                f"identical: {self.accesses:,} accesses of {self.threads:,} threads, on the GPU and simulated"
            )
        return "\n".join(("different on the GPU:", *(f"  {line}" for line in self.differences)))

    def as_json(self) -> dict[str, Any]:
        """Build the object that `--json` prints under "on_gpu"."""
        return {
            "identical": self.identical,
            "machine": self.machine,
            "accesses": self.accesses,
            "threads": self.threads,
            "differences": list(self.differences),
            "refused": self.refused,
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
    program: Program,
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
    from kernels.gpu.record import record
    from kernels.gpu.recording import differences
    from kernels.gpu.traced import trace_of

    count, threads = trace.access_count, trace.launch.thread_count
    if trace.hazards:
        refused = "the simulator found hazards, and the device checks nothing"
        return Verdict(count, threads, refused=refused), trace
    recording = record(program, kernel, trace.launch, arguments, fmad=fmad, max_bytes=max_bytes)
    found = versions()
    machine = f"{found['gpu']}, driver for CUDA {found['cuda_driver']}, NVRTC {found['nvrtc']}"
    verdict = Verdict(count, threads, machine, differences(trace, recording))
    return verdict, trace_of(recording, trace, machine)
