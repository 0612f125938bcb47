"""Conditions of a measurement: load of the machine, and the GPU's clocks, power and temperature while it was timed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_LIMITING: Final = frozenset(
    ("SW power cap", "HW slowdown", "SW thermal slowdown", "HW thermal slowdown", "HW power brake")
)
"""Throttle reasons that slow a kernel down; the others say that the GPU is idle, or that its clocks were set."""

_SLACK_CORES: Final = 0.25
"""Cores that other processes may use beyond those that are free: clocks of processor time count in steps of 10 ms."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Each value is None where it cannot be read. The GPU's are medians of readings while the point was timed."""

    load_before: float | None = None
    """Mean number of runnable processes during the minute before the point (`os.getloadavg`)."""
    load_during: float | None = None
    """The same at the end of the point; it includes the measuring process."""
    machine_cores: float | None = None
    """Cores of the machine."""
    timed_threads: float | None = None
    """Threads on the CPU that were timed: those of the point or of its baseline, whichever are more."""
    own_cores: float | None = None
    """Processor time of the measuring process divided by the time: the cores that it used."""
    other_cores: float | None = None
    """The same of all other processes, and of other virtual machines on the same host."""
    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    throttle_reasons: tuple[str, ...] = ()
    """Every reason of a reading, in NVML's order and nvidia-smi's words."""
    peak_gflops: float | None = None
    """The device's float32 peak at `sm_clock_mhz`."""
    gpu_processes: float | None = None
    """Processes that used the GPU for computing after the point, the measuring one included."""

    @property
    def throttled(self) -> bool:
        """Return whether power or temperature lowered the clocks."""
        return not _LIMITING.isdisjoint(self.throttle_reasons)

    @property
    def crowded(self) -> bool:
        """Return whether the threads had to share cores with other processes, as far as is known."""
        if self.machine_cores is None:
            return False
        free = self.machine_cores - (self.timed_threads or 1) + _SLACK_CORES
        if self.other_cores is not None:
            return self.other_cores > free
        if self.load_before is not None:
            return self.load_before > free
        return False

    @property
    def shared(self) -> bool:
        """Return whether another process used the GPU for computing."""
        return self.gpu_processes is not None and self.gpu_processes > 1

    @property
    def disturbed(self) -> bool:
        """Return whether there are `marks`."""
        return self.throttled or self.shared or self.crowded

    @property
    def marks(self) -> tuple[str, ...]:
        """Clauses for people that say what disturbed the times."""
        found = []
        if self.throttled:
            reasons = ", ".join(reason for reason in self.throttle_reasons if reason in _LIMITING)
            found.append(f"the GPU's clocks were throttled ({reasons})")
        if self.shared:
            others = round((self.gpu_processes or 0) - 1)
            found.append(f"{others} other process{'es' * (others > 1)} used the GPU")
        if self.crowded:
            used = self.load_before if self.other_cores is None else self.other_cores
            found.append(f"other processes kept {used:.1f} of {self.machine_cores:g} cores busy")
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self) | {"throttle_reasons": list(self.throttle_reasons)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Conditions:
        """Read the object of `to_json`; raises ValueError or TypeError for a field that is no number."""
        reasons = tuple(str(reason) for reason in data.get("throttle_reasons") or ())
        names = [field.name for field in fields(cls) if field.name != "throttle_reasons"]
        numbers = {name: None if (value := data.get(name)) is None else float(value) for name in names}
        return cls(**numbers, throttle_reasons=reasons)
