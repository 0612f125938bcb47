"""Test of a slot: whether a worker starts there, which version it has, and what it would measure on."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from kernels.bench.fan_out import fan_out
from kernels.bench.plan import Plan
from kernels.bench.protocol import EnvironmentMessage, SlotLost

if TYPE_CHECKING:
    from kernels.bench.environment import Environment
    from kernels.bench.hosts import Slot


@dataclass(frozen=True, slots=True)
class HostCheck:
    """Answer of a slot."""

    slot: Slot
    environment: Environment | None
    """What it would measure on; None if it cannot."""
    error: str
    """The reason, a sentence with the name of the slot; "" if it can."""
    seconds: float
    """Time until the answer."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "slot": str(self.slot),
            "environment": self.environment.to_json() if self.environment else None,
            "error": self.error,
            "seconds": self.seconds,
        }


def check_slot(slot: Slot) -> HostCheck:
    """Start a worker in a slot without a point, and end it."""
    start_s = monotonic()
    environment: Environment | None = None
    error = ""
    for message in fan_out(Plan(()), (slot,), only_check=True):
        match message:
            case EnvironmentMessage(environment):
                pass
            case SlotLost(name, reason):
                error = f"{name} {reason}"
    return HostCheck(slot, environment, error, monotonic() - start_s)
