"""Memcheck: accesses outside of arrays and heap blocks, and misaligned accesses.

Every array has its bounds, also a shared or local one: `s[64]` of `__shared__ float s[64]` is reported even if another
array follows it in shared memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.machine.hazards import Place
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.observer import BadAccess, HeapBlock


class Memcheck:
    """Reports accesses that are errors on a GPU."""

    def __init__(self, hazards: Hazards) -> None:
        self._hazards = hazards

    def outside(self, bad: BadAccess) -> None:
        """Report lanes whose index lies outside of an array, or of a block of the heap."""
        block = bad.block
        if block is not None:
            kind = "out-of-bounds" if block.freed_line < 0 else "use-after-free"
            self._report(kind, bad, lambda: self._outside_heap_block(bad, block))
            return
        self._report("out-of-bounds", bad, lambda: self._outside_array(bad))

    def misaligned(self, bad: BadAccess) -> None:
        """Report lanes whose access of several elements is not at a multiple of its size."""
        self._report("misaligned-access", bad, lambda: self._misaligned(bad))

    def _outside_array(self, bad: BadAccess) -> str:
        info, size = bad.info, bad.info.size // bad.info.words
        shape = f" ({'×'.join(str(n) for n in info.objects)})" if len(info.objects) > 1 else ""
        return (
            f"{self._hazards.name(bad.first_lane)} {_verb(bad)} {_elements(bad)}, but {info.name} has {size} elements"
            f"{shape}: 0 to {size - 1}; only let threads access it whose index is "
            f"{'not negative' if bad.element < 0 else f'below {size}'}"
        )

    def _outside_heap_block(self, bad: BadAccess, block: HeapBlock) -> str:
        if block.freed_line >= 0:
            why = f"which line {block.freed_line} freed before: free it after its last use"
        else:
            why = f"but it has {block.size} elements" + (f": 0 to {block.size - 1}" if block.size else "")
        name = self._hazards.name(bad.first_lane)
        return f"{name} {_verb(bad)} element {bad.element} of a block that is allocated in {bad.info.name}, {why}"

    def _misaligned(self, bad: BadAccess) -> str:
        info, item = bad.info, bad.info.dtype.itemsize
        size = bad.width * item
        return (
            f"{self._hazards.name(bad.first_lane)} {bad.access}s {size} bytes at "
            f"{element_name(info, bad.element, flat=True)}, byte {info.address + bad.element * item} of {info.space} "
            f"memory: the address must be a multiple of {size}; use an index that is a multiple of {bad.width}, or "
            "smaller accesses"
        )

    def _report(self, kind: str, bad: BadAccess, message: Callable[[], str]) -> None:
        place = Place(bad.span, bad.info.space, bad.info.name)
        accesses = ((bad.first_lane, bad.span, bad.access),)
        self._hazards.report(kind, place, bad.step, bad.lanes, accesses, message, bad.element)


def _verb(bad: BadAccess) -> str:
    return "reads" if bad.access == "read" else "writes"


def _elements(bad: BadAccess) -> str:
    if bad.width == 1 or bad.info.struct is not None:
        return element_name(bad.info, bad.element, bad.width, flat=True)
    return f"{bad.info.name}[{bad.element}…{bad.element + bad.width - 1}]"
