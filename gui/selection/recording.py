"""Recordings: saved traces, shown again without running anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kernels.catalog import kernel_of
from kernels.errors import InputError
from kernels.simt.machine.schedule import Schedule

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """File and trace of a recording, and the kernel that the source's launch comment describes, if any."""

    file: Path
    trace: Trace
    kernel: Kernel | None

    @property
    def text(self) -> str:
        """Source that ran."""
        return self.trace.text

    @property
    def words(self) -> str:
        """Kernel, launch and origin of the recording in one line."""
        trace, machine = self.trace, recorded_on(self.trace)
        gpu = f"recorded on {machine.partition(',')[0]}, without hazard checks"
        where = gpu if machine else f"simulated ({trace.schedule})"
        numbers = [f"{name} = {value}" for name, value in trace.scalars.items()]
        launch = f"grid {trace.launch.grid}, block {trace.launch.block}"
        return ", ".join([f"{trace.kernel} of {trace.file}", *numbers, launch, where])


def recorded_on(trace: Trace) -> str:
    """Return the GPU that recorded a trace; empty for the simulator's traces, which have a schedule instead."""
    try:
        Schedule.parse(trace.schedule)
    except InputError:
        return trace.schedule
    return ""


def read_recording(file: Path) -> Recording:
    """Read a trace that `tilescope trace … --out` or the window has written.

    Raises
    ------
    InputError
        When the file is missing, damaged, or something else.
    """
    from kernels.trace.file import load  # with all checks of a file, which the window is shown without

    trace = load(file)
    try:
        kernel = kernel_of(Path(trace.file), trace.text, with_block_rules=False)
    except InputError:
        kernel = None  # any source can be traced; only those with a tilescope comment say what they are
    return Recording(file, trace, kernel)
