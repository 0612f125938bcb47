"""Output of `tilescope trace --as-compiled`: counts of the compiled code, and differences from the source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kernels.cli.trace_report import memory_json, memory_table
from kernels.errors import InputError
from kernels.sass.counts import count_as_compiled
from kernels.sass.instructions import compiled_instructions
from kernels.sass.messages import notes

if TYPE_CHECKING:
    from kernels.frontend.ast import Function
    from kernels.sass.counts import Compiled
    from kernels.sass.messages import Note
    from kernels.trace import Trace

DEFAULT_ARCH: Final = "sm_90"


@dataclass(frozen=True, slots=True)
class CompiledReport:
    """Counts of a trace as compiled for an architecture, and a sentence for every difference."""

    arch: str
    nvrtc_version: str
    found: Compiled
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, trace: Trace, kernel: Function, arch: str) -> CompiledReport:
        """Compile the traced kernel, or use the shipped instructions, and count.

        Raises
        ------
        UnavailableError, SourceError, LaunchError
            When there is no compiled code to count.
        """
        code = compiled_instructions(trace, arch, kernel.template)
        found = count_as_compiled(trace, code.memory)
        return cls(arch, code.nvrtc_version, found, notes(trace, found))

    def as_json(self) -> dict[str, Any]:
        """Build the member "as_compiled" of the object that `--json` prints."""
        return {
            "arch": self.arch,
            "nvrtc_version": self.nvrtc_version,
            "arrays": [memory_json(count) for count in self.found.arrays],
            "lines": [memory_json(count) for count in self.found.lines],
            "notes": [{"line": n.line, "array": n.array, "text": n.text} for n in self.notes],
        }

    def __str__(self) -> str:
        table = memory_table(self.found.arrays, f"memory, as compiled for {self.arch} by NVRTC {self.nvrtc_version}")
        lines = [f"  line {note.line}: {note.text}" for note in self.notes]
        return "\n".join([*table, *(lines or ["  as written: the compiler changes nothing"])])


def check_arch(arch: str) -> None:
    """Refuse a wrong name of an architecture, before the kernel runs."""
    if not re.fullmatch(r"sm_\d+[a-z]?", arch):
        raise InputError(f"--as-compiled {arch}: name an architecture, such as {DEFAULT_ARCH}")
