"""Recorded results of experiments: measurements that ship with the program, read-only.

Each is a file of `kernels.bench.store.run_file` in `resources/runs/tables`, named after its experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from kernels.bench.store.recorded import FOLDER, SUFFIX
from kernels.bench.store.run_file import RunFileReader
from kernels.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.store.database import Row
    from kernels.bench.store.run_header import RunHeader
    from kernels.experiments.model import Experiment

TABLES: Final = FOLDER / "tables"


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """A recorded run of an experiment."""

    header: RunHeader
    device: str
    rows: tuple[Row, ...]

    @property
    def words(self) -> str:
        """Device, scale and extent: `NVIDIA H200, recorded, quick, 143 points`."""
        scale = self.header.purpose.partition(" ")[2]
        return ", ".join(part for part in (self.device, "recorded", scale, f"{len(self.rows)} points") if part)


def recorded_path(experiment: Experiment, folder: Path = TABLES) -> Path:
    """Return the file of an experiment's recorded result, which need not exist."""
    return folder / f"{experiment.id}{SUFFIX}"


def recorded_result(experiment: Experiment, folder: Path = TABLES) -> RecordedResult | None:
    """Return the recorded result of an experiment; None without a file, or if it cannot be read.

    A damaged file must not keep the user from measuring.
    """
    return _read(recorded_path(experiment, folder))


@cache
def _read(path: Path) -> RecordedResult | None:
    reader = RunFileReader(path)
    try:
        rows = tuple(reader)
    except InputError:
        return None
    if reader.environment is None:
        return None
    return RecordedResult(reader.header, reader.environment.device, rows)
