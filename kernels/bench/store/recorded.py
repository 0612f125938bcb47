"""Recorded runs: measurements of the whole catalogue that ship with the program, read-only.

Each is a file of `kernels.bench.store.run_file` in `resources/runs`, written by ``python -m kernels.bench.ship``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from kernels import RESOURCES
from kernels.bench.store.run_file import RunFileReader
from kernels.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.measure.environment import Environment
    from kernels.bench.store.run_header import RunHeader

FOLDER: Final = RESOURCES / "runs"

SUFFIX: Final = ".jsonl.gz"


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A shipped run without its samples."""

    path: Path
    header: RunHeader
    environment: Environment
    """Environment of its first sample."""

    @property
    def id(self) -> str:
        """Name of its file without the suffix, such as `nvidia_h200`."""
        return self.path.name.removesuffix(SUFFIX)

    def rows(self) -> RunFileReader:
        """Return its samples, which are read while they are iterated over."""
        return RunFileReader(self.path)


@cache
def recorded_runs(folder: Path = FOLDER) -> tuple[RecordedRun, ...]:
    """Return the shipped runs in the order of their devices' names; only their first lines are read.

    A file that cannot be read is left out: it must not keep the program from starting.
    """
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        reader = RunFileReader(path)
        try:
            reader.read_header()
        except InputError:
            continue
        if reader.environment is not None:
            found.append(RecordedRun(path, reader.header, reader.environment))
    return tuple(sorted(found, key=lambda run: run.environment.device))
