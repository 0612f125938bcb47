"""Block timeline: the SM, start and end of every block of one launch on a GPU, and the occupancy that it achieved.

Occupancy achieved is the mean number of resident warps over the warp slots of an SM, while the SM has a block: Nsight
Compute's "Achieved Occupancy". A block holds its warp slots from its start to the end of its last warp.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels import RESOURCES
from kernels.errors import InputError
from kernels.files import write_text
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray


FORMAT: Final = 1

_FINER: Final = 4
"""Samples in each column of `residency`."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The launch that was recorded, and its conditions."""

    kernel: str
    """Id, with its options."""
    title: str
    size: Size
    block: Dim3
    grid: Dim3
    gpu: str
    sm_count: int
    warps_per_sm: int
    software: str
    """Versions of driver and compiler, in words."""
    taken: str
    """Time of the recording, ISO 8601 in UTC."""
    sm_clock_mhz: float | None
    """While the launch was timed; None if the driver does not tell."""
    checked: str
    """The elements of the result that were compared with the reference, in words."""
    registers: int
    """Per thread, of the kernel without timers."""
    timed_registers: int
    """Per thread, of the kernel with timers."""
    resident_blocks: int
    """Resident blocks of an SM without timers, computed by the driver."""
    timed_resident_blocks: int
    """The same with timers: those that the timeline can show."""
    launch_ms: float
    """Median time of a launch without timers."""
    timed_launch_ms: float
    """Median time of a launch with timers."""

    @property
    def warps_per_block(self) -> int:
        """Warps of a block, the last one possibly partial."""
        return -(-self.block.count // 32)

    @property
    def theoretical(self) -> float:
        """Theoretical occupancy of the kernel with timers."""
        return self.timed_resident_blocks * self.warps_per_block / self.warps_per_sm

    @property
    def overhead(self) -> float:
        """Share by which the timers make a launch longer; negative for shorter."""
        return self.timed_launch_ms / self.launch_ms - 1


@dataclass(frozen=True, slots=True, eq=False)
class BlockTimeline:
    """SM, start and end of each block, by its number in the grid (x fastest)."""

    measured: Measured
    sm: NDArray[np.int32]
    start_ns: NDArray[np.int64]
    """After the first start of all blocks."""
    end_ns: NDArray[np.int64]

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return len(self.sm)

    @property
    def duration_ns(self) -> int:
        """From the first start to the last end."""
        return int(self.end_ns.max())

    @property
    def last_start_ns(self) -> int:
        """Start of the last block: from here on no block waits, and SMs run empty."""
        return int(self.start_ns.max())

    @property
    def step_ns(self) -> int:
        """Step of the device's clock: the greatest common divisor of all times."""
        return int(np.gcd.reduce(np.concatenate([self.start_ns, self.end_ns]))) or 1

    @property
    def used_sms(self) -> int:
        """SMs that ran a block."""
        return len(np.unique(self.sm))

    @property
    def busy_ns(self) -> int:
        """Sum over the SMs of the time in which each had a block."""
        total = 0
        for _, starts, ends in self._by_sm():
            latest = np.maximum.accumulate(ends)
            gaps = starts[1:] - latest[:-1]
            total += int(latest[-1] - starts[0] - gaps[gaps > 0].sum())
        return total

    @property
    def achieved(self) -> float:
        """Occupancy achieved while an SM has a block, as Nsight Compute counts."""
        return self._warp_ns / (self.busy_ns * self.measured.warps_per_sm) if self.busy_ns else 0.0

    @property
    def achieved_overall(self) -> float:
        """Occupancy achieved by all SMs over the whole launch, idle ones included."""
        slots = self.measured.sm_count * self.measured.warps_per_sm
        return self._warp_ns / (self.duration_ns * slots) if self.duration_ns else 0.0

    @property
    def most_on_one_sm(self) -> int:
        """Largest number of blocks that an SM held at once."""
        return int(self.slots().max()) + 1

    @property
    def _warp_ns(self) -> int:
        return int((self.end_ns - self.start_ns).sum()) * self.measured.warps_per_block

    def slots(self) -> NDArray[np.int32]:
        """Return for each block the lowest place on its SM that was free at its start, from 0."""
        found = np.zeros(self.blocks, np.int32)
        for places, starts, ends in self._by_sm():
            free_from: list[int] = []
            for place, start, end in zip(places.tolist(), starts.tolist(), ends.tolist(), strict=True):
                slot = next((n for n, time in enumerate(free_from) if time <= start), len(free_from))
                free_from[slot : slot + 1] = [end]
                found[place] = slot
        return found

    def residency(self, columns: int) -> NDArray[np.float64]:
        """Return the mean number of resident blocks of each SM, one row each, in columns of equal time."""
        fine = columns * _FINER
        found = np.zeros((self.measured.sm_count, fine + 1))
        row = self.sm.astype(np.int64) * (fine + 1)
        for times, change in ((self.start_ns, 1), (self.end_ns, -1)):
            column = np.minimum(times * fine // max(1, self.duration_ns), fine)
            found += change * np.bincount(row + column, minlength=found.size).reshape(found.shape)
        resident = found.cumsum(axis=1)[:, :fine]
        means: NDArray[np.float64] = resident.reshape(len(found), columns, _FINER).mean(axis=2)
        return means

    def _by_sm(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Return the numbers, starts and ends of the blocks of each SM, by rising start."""
        order = np.lexsort((self.end_ns, self.start_ns, self.sm))
        parts = np.split(order, np.flatnonzero(np.diff(self.sm[order])) + 1)
        return [(part, self.start_ns[part], self.end_ns[part]) for part in parts if len(part)]


def timeline_json(timeline: BlockTimeline) -> dict[str, Any]:
    """Return a timeline as an object of JSON; times are counted in steps of the device's clock."""
    m, step = timeline.measured, timeline.step_ns
    return {
        "format": FORMAT,
        "kernel": m.kernel,
        "title": m.title,
        "size": list(m.size),
        "block": list(m.block),
        "grid": list(m.grid),
        "gpu": m.gpu,
        "sm_count": m.sm_count,
        "warps_per_sm": m.warps_per_sm,
        "software": m.software,
        "taken": m.taken,
        "sm_clock_mhz": m.sm_clock_mhz,
        "checked": m.checked,
        "registers": m.registers,
        "timed_registers": m.timed_registers,
        "resident_blocks": m.resident_blocks,
        "timed_resident_blocks": m.timed_resident_blocks,
        "launch_ms": m.launch_ms,
        "timed_launch_ms": m.timed_launch_ms,
        "step_ns": step,
        "sm": timeline.sm.tolist(),
        "start": (timeline.start_ns // step).tolist(),
        "lasts": ((timeline.end_ns - timeline.start_ns) // step).tolist(),
    }


def read_timeline(data: Mapping[str, Any], source: str) -> BlockTimeline:
    """Read the object of `timeline_json`; `source` names it in messages.

    Raises
    ------
    InputError
        When it is not one.
    """
    try:
        if data["format"] != FORMAT:
            raise InputError(f"{source}: a block timeline of format {data['format']}; this version reads {FORMAT}")
        clock, step = data["sm_clock_mhz"], int(data["step_ns"])
        measured = Measured(
            kernel=str(data["kernel"]),
            title=str(data["title"]),
            size=Size(*map(int, data["size"])),
            block=Dim3(*map(int, data["block"])),
            grid=Dim3(*map(int, data["grid"])),
            gpu=str(data["gpu"]),
            software=str(data["software"]),
            taken=str(data["taken"]),
            sm_clock_mhz=None if clock is None else float(clock),
            checked=str(data["checked"]),
            launch_ms=float(data["launch_ms"]),
            timed_launch_ms=float(data["timed_launch_ms"]),
            **{name: int(data[name]) for name in _NUMBERS},
        )
        start = np.array(data["start"], np.int64) * step
        timeline = BlockTimeline(
            measured, np.array(data["sm"], np.int32), start, start + np.array(data["lasts"], np.int64) * step
        )
        if not timeline.blocks == len(start) == measured.grid.count:
            raise ValueError(f"{timeline.blocks} blocks of a grid of {measured.grid.count}")
        if not 0 <= timeline.sm.min() <= timeline.sm.max() < measured.sm_count:
            raise ValueError(f"SM {timeline.sm.max()} of {measured.sm_count}")
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{source}: not a block timeline: {error}") from error
    return timeline


def read_timeline_file(file: Path) -> BlockTimeline:
    """Read a file of `write_timeline_file`; raises InputError as `read_timeline` does."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: not a block timeline: {error}") from error
    return read_timeline(data if isinstance(data, dict) else {}, str(file))


def write_timeline_file(timeline: BlockTimeline, file: Path) -> None:
    """Write a timeline with one field a line."""
    rows = (
        f" {json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}"
        for name, value in timeline_json(timeline).items()
    )
    write_text(file, "{\n" + ",\n".join(rows) + "\n}\n")


_NUMBERS: Final = (
    "sm_count",
    "warps_per_sm",
    "registers",
    "timed_registers",
    "resident_blocks",
    "timed_resident_blocks",
)


# --- Files of block timelines: those that are shipped, and those of a user


SHIPPED: Final = RESOURCES / "block_timelines"


def file_name(timeline: BlockTimeline) -> str:
    """Return a name that tells kernel, size, block and GPU, such as ``matmul_tiled-1024-32x32-nvidia_h200.json``."""
    m = timeline.measured
    size = f"{m.size.n}" if m.size.m == m.size.n == m.size.k else "x".join(map(str, m.size))
    block = "x".join(map(str, m.block)).removesuffix("x1").removesuffix("x1")
    return "-".join(_plain(part) for part in (m.kernel, size, block, m.gpu)) + ".json"


def timelines_in(folder: Path) -> tuple[BlockTimeline, ...]:
    """Read every timeline of a folder, in the order of the names; files that are not timelines are left out."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            found.append(read_timeline_file(file))
        except InputError:
            continue
    return tuple(found)


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in text.lower())
