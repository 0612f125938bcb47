"""What-if: an occupancy with other registers or shared memory than the kernel has, on any device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.occupancy.calculate import most_registers
from kernels.words import join, plural

if TYPE_CHECKING:
    from kernels.device import Device
    from kernels.occupancy.calculate import Occupancy, Resources


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Changes to a kernel's resources; None leaves one as it is compiled."""

    registers: int | None = None
    """Most registers per thread, as `-maxrregcount` and `__maxnreg__` give it."""
    min_blocks: int | None = None
    """Second argument of `__launch_bounds__(threads of a block, blocks per SM)`: the compiler uses as few registers as
    that many blocks need."""
    shared_bytes: int | None = None
    """Shared memory of a block, static and dynamic together."""

    def __bool__(self) -> bool:
        return self != AS_COMPILED

    def apply(
        self, device: Device, block_threads: int, resources: Resources, dynamic_shared_bytes: int
    ) -> tuple[Resources, int]:
        """Return the changed resources of a block and its dynamic shared memory."""
        caps = [resources.registers]
        if self.registers is not None:
            caps.append(self.registers)
        if self.min_blocks is not None:
            caps.append(most_registers(device, block_threads, self.min_blocks))
        origin = f"partly assumed, else {resources.origin}" if self else resources.origin
        changed = replace(resources, registers=min(caps), origin=origin)
        if self.shared_bytes is None:
            return changed, dynamic_shared_bytes
        return replace(changed, static_shared_bytes=0), self.shared_bytes


AS_COMPILED: Final = WhatIf()


def what_if_words(what_if: WhatIf, occupancy: Occupancy, compiled: Occupancy) -> str:
    """Say what is assumed, and what it would change; "" where nothing is."""
    if not what_if:
        return ""
    found = []
    now, before = occupancy.resources.registers, compiled.resources.registers
    if what_if.registers is not None:
        found.append(f"at most {plural(what_if.registers, 'register')} a thread")
    if what_if.min_blocks is not None:
        most = most_registers(occupancy.device, occupancy.block_threads, what_if.min_blocks)
        found.append(f"__launch_bounds__({occupancy.block_threads}, {what_if.min_blocks}) (at most {most} registers)")
    if what_if.shared_bytes is not None:
        found.append(f"{plural(what_if.shared_bytes, 'byte')} of shared memory a block")
    text = f"Assumed: {join(found)}. As compiled: {plural(compiled.resident_blocks, 'block')}"
    text += f", {compiled.resident_warps} of {compiled.device.warps_per_sm} warps."
    if now < before:
        text += f" With {now} registers instead of {before} the compiler may spill: only a measurement shows the cost."
    return text
